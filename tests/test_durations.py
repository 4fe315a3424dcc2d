"""The record of what tests cost, by which they are drawn."""

from __future__ import annotations

import json
from pathlib import Path

from tests.architecture import ROOT
from tests.durations import QUICK, RECORD, SELDOM, chances, keep_seconds, recorded, seconds_of_tests


def test_the_record_is_of_costly_tests_of_files_that_are_there() -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert recorded(record, {}) == record
    assert [*record] == sorted(record)
    assert not [name for name in record if not (ROOT / name.partition("::")[0]).exists()]
    assert not [name for name in record if " /" in name or "[/" in name]  # no place on somebody's machine


def test_a_test_takes_little_in_the_mean_and_its_turn_comes() -> None:
    seconds, often = json.loads(RECORD.read_text(encoding="utf-8")), chances()
    assert often.keys() == seconds.keys()
    for name, chance in often.items():
        assert 1 / SELDOM <= chance < 1
        assert chance == 1 / SELDOM or abs(chance * seconds[name] - QUICK) < 1e-9


def test_the_record_keeps_what_did_not_run_and_forgets_what_became_quick() -> None:
    old = {"tests/a.py::slow": 3.0, "tests/a.py::was_slow": 2.0}
    took = {"tests/a.py::was_slow": QUICK / 2, "tests/b.py::new": 0.456, "tests/test_docs.py::read": 9.0}
    assert recorded(old, took) == {"tests/a.py::slow": 3.0, "tests/b.py::new": 0.46}


def test_seconds_are_kept_beside_those_of_other_tests(tmp_path: Path) -> None:
    keep_seconds(tmp_path, {"a": 1.0, "b": 2.0})
    keep_seconds(tmp_path, {"b": 3.0})
    assert seconds_of_tests(tmp_path) == {"a": 1.0, "b": 3.0}
