"""Evidence about state tables."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.verify.controllers.drawn import table
from tests.verify.controllers.known import BLOCKING
from unknot.certificates import plain
from unknot.verify.controllers import check_table, load_table
from unknot.verify.controllers.evidence import claims, holds

HANGS = Path(__file__).parents[2] / "examples/hangs"


def claimed(name: str) -> dict[str, Any]:
    (claim,) = claims(check_table(load_table(HANGS / f"{name}.toml")))
    return claim


def shown(claim: dict[str, Any]) -> str:
    return plain.check_controllers(claim, claim["proof"])


def test_drawn_answers_are_shown_and_the_others_are_not() -> None:
    for seed in range(30):
        verdict = check_table(table(seed), caches=2)
        for claim in claims(verdict):
            assert holds(verdict), seed
            wrong = {**claim, "deadlock_free": not claim["deadlock_free"]}
            with pytest.raises(plain.Rejected):
                shown(wrong)
            if wrong["deadlock_free"]:
                with pytest.raises(plain.Rejected, match=r"may block|no cell"):
                    shown({**wrong, "proof": {"kind": "states"}})


def test_runs_are_whole_and_of_the_table() -> None:
    claim = claimed("mi-stalls")
    assert "after 14 steps of 2 addresses" in shown(claim)
    for at in range(14):
        short = copy.deepcopy(claim)
        del short["proof"]["run"][at]
        with pytest.raises(plain.Rejected):
            shown(short)
    for step in ([3, 0, "store", -1], [0, 9, "store", -1], [0, -1, "store", -1], [0, 0, 3, -1]):
        with pytest.raises(plain.Rejected):
            shown({**claim, "proof": {**claim["proof"], "run": [step]}})


def test_a_shared_network_needs_a_proof_of_its_own() -> None:
    verdict = check_table(BLOCKING, caches=2)
    (claim,) = claims(verdict)
    assert "free of deadlock" in shown(claim)
    with pytest.raises(plain.Rejected, match="may block"):
        shown({**claim, "networks": {"Get": "one", "Done": "one"}})


def test_a_cell_that_is_gone_is_missed() -> None:
    claim = claimed("mi-saves")
    rules = claim["kinds"][0]["rules"]
    del rules[next(i for i, one in enumerate(rules) if (one["state"], one["event"]) == ("IM", "Fwd"))]
    with pytest.raises(plain.Rejected, match="no cell for Fwd"):
        shown(claim)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("value", "3"),
        ("value", "owner < requestor"),
        ("value", "self * 2"),
        ("value", "unknown"),
        ("value", "("),
        ("to", "1 + 1"),
        ("to", "count(self)"),
        ("to", "x" * 3000),
    ],
)
def test_expressions_without_a_value(name: str, text: str) -> None:
    claim = claimed("mi-saves")
    for one in (one for kind in claim["kinds"] for rule in kind["rules"] for one in rule["does"]):
        if name in one:
            one[name] = text
    with pytest.raises(plain.Rejected):
        shown(claim)


@pytest.mark.parametrize(
    "change",
    [
        {"caches": 4},
        {"caches": 0},
        {"kinds": []},
        {"networks": {"Data": ""}},
    ],
)
def test_claims_that_cannot_be(change: dict[str, Any]) -> None:
    claim = claimed("mi-saves")
    with pytest.raises(plain.Rejected):
        shown({**claim, **change})


def test_names_of_caches_and_addresses_are_exchanged_before_states_are_kept() -> None:
    (claim,) = claims(check_table(load_table(HANGS.parent / "controllers/rooms.toml")))
    document = {"format": plain.FORMAT, "version": plain.VERSION, "network": None, "claims": [claim]}
    assert "6445 states" in plain.accept(document)[0]
