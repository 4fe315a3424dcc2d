"""Words that there are not: refused with those near them, by functions as by commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from unknot._base.errors import UnknotError
from unknot._base.output import WriteError
from unknot.certificates.claims import size_claim
from unknot.lane_assignment import lanes
from unknot.network.families import ring
from unknot.remedies import repaired_faults
from unknot.report import draw_network, write_study_report
from unknot.routing import dimension_order
from unknot.studies import Design, Study, run_study

CALLS: dict[str, Callable[[Any], object]] = {
    "draw_network: unknown view": lambda word: draw_network("mesh(2, 2)", view=word),
    "repaired_faults: unknown kind": lambda word: repaired_faults(lanes("ring(3)"), kind=word),
    "unknown switching": lambda word: size_claim(dimension_order(ring(4)), word, 1),
    "lanes: unknown paths": lambda word: lanes("ring(3)", word),
}


@pytest.mark.parametrize("words", CALLS)
def test_unknown_words_are_refused(words: str) -> None:
    with pytest.raises(UnknotError, match=f"^{words} 'nonsense'; (known|did you mean)"):
        CALLS[words](cast("Any", "nonsense"))


def test_a_report_where_no_folder_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    study = run_study(Study(designs=(Design(name="ring", network="ring(4)", routing="dimension_order", vcs=2),)))
    with pytest.raises(WriteError, match=r"file: it cannot be written: "):
        write_study_report(study, tmp_path / "file" / "study.html")
