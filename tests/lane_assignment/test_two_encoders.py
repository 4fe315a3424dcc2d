"""Search and checker have encoders of their own, and a fault in one of them is noticed in a run."""

from __future__ import annotations

import re
import secrets
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.certificates.planted import ENCODER, Fault, code_of, planted
from tests.lane_assignment.encoder_faults import CHECKER, SEARCH, Probe, drawn_faults, probes
from tests.lane_assignment.test_lanes import networks
from unknot.certificates.claims import load_claim
from unknot.cli.program import app
from unknot.lane_assignment import agreed, lanes
from unknot.lane_assignment.served_pairs import Limits, limited_pairs, shortest_pairs
from unknot.network import Network
from unknot.network.families import ring
from unknot.search.effort import SearchEffort

SOURCE = Path(__file__).parents[2] / "src" / "unknot"
MODEL = "unknot.lane_assignment.lane_model:LaneModel."
FAULTS = (
    Fault(ENCODER + "serve", "range(min(first_lanes, self.lanes))", "range(1)"),
    Fault(ENCODER + "_turn", '("turn", k, c, e)', '("turn", 0, c, e)'),
    Fault(ENCODER + "begin", "== hops[pair[0]] - 1]", "== hops[pair[0]] - 1][:1]"),
    Fault(MODEL + "serve", "range(min(among, self.lanes))", "range(1)"),
    Fault(MODEL + "_goes_on", "self.turn(k, here[0], there[0])", "self.turn(0, here[0], there[0])"),
    # Pairs of the clauses have no route by the solution; the answer was taken for one that serves all.
    Fault(MODEL + "_goes_on", "(-step, self.turn(", "(+step, self.turn("),
    Fault(MODEL + "close", "if e == start else", "if e != start else"),
)
OF_CHECKER = {
    "lane_assignment/second_opinion.py": "what the search found is asked of the checker",
    "lane_assignment/evidence.py": "clauses and proof are written into files",
    "synthesis/impossible.py": "the proof that no rule exists",
}
"""Files outside `certificates` that call its clauses."""


def test_who_searches_calls_no_clauses_of_the_checker() -> None:
    clauses = r"plain\.(\w*Encoder|\w+_clauses?|Rules|check_refutation|removals_shown)\("
    callers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "certificates" not in path.parts and re.search(clauses, path.read_text(encoding="utf-8"))
    }
    assert callers == {*OF_CHECKER}
    for path in ("walks", "lane_model", "lane_search"):
        assert "unknot.certificates" not in (SOURCE / "lane_assignment" / f"{path}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.function.rpartition(':')[2]} {fault.old}")
def test_a_fault_in_one_encoder_leaves_the_question_open(fault: Fault) -> None:
    with planted(fault.function, code_of(fault)):
        assert any(probe.run() for probe in probes()[:24])


def test_a_fault_is_said_and_the_exit_code_is_that_of_an_open_question(monkeypatch: pytest.MonkeyPatch) -> None:
    one_way = Network("one-way ring", 5, range(5), [1, 2, 3, 4, 0])
    monkeypatch.setattr("unknot.fabrics.named.network", lambda *_, **__: one_way)
    fault = Fault(ENCODER + "serve", 'self._turn(("path", pair, j), pair, lanes, c, e)', "pass")
    assert lanes(one_way).lower_bound == 3
    with planted(fault.function, code_of(fault)):
        said = CliRunner().invoke(app, ["lanes", "ring(5)"])
        routes = lanes(one_way)
    assert (routes.lower_bound, routes.count) == (2, 3), "the bound by two encoders is not believed"
    assert routes.disagreements
    assert said.exit_code == 3
    assert "Search and checker disagree about 2 lanes" in " ".join(said.stdout.split())


def test_a_disagreement_names_its_question_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreed, "believed", lambda *_: False)
    effort, load, network = SearchEffort(), Fraction(4), ring(5)
    claim = load_claim(load, None, None, {}, lanes=2, changes="none", table=False)
    limited = limited_pairs(network, Limits.below(load, network, None, claim))
    for served in (shortest_pairs(network, None), limited, limited):
        agreed.refute(served, 2, effort, conflicts=1000)
    assert effort.disagreements == ["2 lanes", "2 lanes with a lower load"]


@given(networks(), st.integers(1, 2), st.sampled_from(["none", "shared", "rising", "any"]))
def test_without_a_fault_both_say_the_same(network: Network, count: int, changes: str) -> None:
    probe = Probe(shortest_pairs(network, None), count, changes)
    assert probe.searched() is probe.checked()
    assert probe.run() == ""


@pytest.mark.campaign
@pytest.mark.parametrize("places", [SEARCH, CHECKER], ids=["search", "checker"])
def test_drawn_faults_of_an_encoder_are_noticed(places: dict[str, tuple[str, ...]]) -> None:
    """30 that change whether some formula of 20 networks can be fulfilled."""
    seed = secrets.randbelow(2**32)
    faults = [*drawn_faults(places, 30, seed)]
    print(f"seed {seed}", *(f"{how or 'MISSED'}: {key}" for key, how in faults), sep="\n")
    assert len(faults) == 30
    assert all(how for _, how in faults)
