"""Progress under named arbiters against runs of packets in steps of a hop time."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from unknot._base.errors import RelationError
from unknot.certificates import Rejected, accept, document, verdict_claim
from unknot.cli.program import app
from unknot.network.families import line, mesh, ring
from unknot.routing import Relation, dimension_order, odd_even, up_down
from unknot.verify import check
from unknot.verify.progress import progress, progress_claims


class Steps:
    """VCs that hold one packet each; in a step each free VC, and each terminal, is granted to one waiting header."""

    def __init__(self, relation: Relation, arbiter: str, seed: int) -> None:
        self.relation, self.arbiter, self.chance = relation, arbiter, random.Random(seed)
        self.held: dict[int, tuple[int, int, int]] = {}  # address, first at its port, injected
        self.ports: dict[int, tuple[int, int, int]] = {}
        self.last: dict[int, int] = {}
        self.now = self.longest = 0
        self.arrived: list[tuple[int, int]] = []

    def step(self) -> None:
        """Grant, and move all that were granted at once."""
        asking: dict[int, list[int]] = defaultdict(list)
        vcs = self.relation.num_vcs
        for at, (address, _, _) in [*self.held.items(), *((vcs + t, p) for t, p in self.ports.items())]:
            (candidate,) = self.relation.candidates(at, address)
            to = -1 - int(self.relation.destination[address]) if candidate.vc is None else candidate.vc
            if to < 0 or to not in self.held:
                asking[to].append(at)
        for to, places in asking.items():
            at = self.chosen(to, places)
            address, first, injected = self.held.pop(at) if at < vcs else self.ports.pop(at - vcs)
            if to >= 0:
                self.held[to] = (address, first, self.now if at >= vcs else injected)
            else:
                since = injected if self.arbiter == "oldest_first" else first
                self.longest = max(self.longest, self.now + 1 - since)
                self.arrived.append((first, address))
        self.now += 1

    def chosen(self, to: int, places: list[int]) -> int:
        vcs = self.relation.num_vcs
        if self.arbiter == "oldest_first":
            return min(places, key=lambda at: (self.held[at][2] if at < vcs else self.now + 1, at))
        if self.arbiter == "fixed":
            return self.preferred if self.preferred in places else places[0]
        after = self.last.get(to, -1)
        self.last[to] = min(places, key=lambda at: (at <= after, at))
        return self.last[to]

    preferred = -1


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(
    "relation", [dimension_order(line(3)), dimension_order(mesh(3, 3)), up_down(ring(5))], ids=str
)
@pytest.mark.parametrize("arbiter", ["round_robin", "oldest_first"])
def test_no_packet_takes_longer_than_the_bound(relation: Relation, arbiter: str) -> None:
    bound = progress(relation, arbiter).bound
    assert bound is not None
    for seed in range(6):
        run = Steps(relation, arbiter, seed)
        hot = run.chance.sample(range(relation.num_addresses), 2)
        for _ in range(300):
            for terminal in range(relation.network.num_terminals):
                if terminal not in run.ports and run.chance.random() < 0.9:
                    to = run.chance.choice(hot if seed % 2 else range(relation.num_addresses))
                    if to != terminal:
                        run.ports[terminal] = (to, run.now, run.now)
            run.step()
        assert 0 < run.longest <= bound
        oldest = [first for _, first, _ in [*run.held.values(), *run.ports.values()]]
        assert arbiter == "oldest_first" or run.now - min(oldest) <= bound


def test_bounds_that_can_be_counted_by_hand() -> None:
    """A VC waits two turns, one of the terminal's own packets, and leaves; a port waits 2 + 2, and leaves."""
    assert progress(dimension_order(line(2)), "round_robin").bound == (2 + 1) + (2 + 2 + 1)


@pytest.mark.parametrize(
    "relation", [dimension_order(line(4)), dimension_order(mesh(3, 3)), up_down(ring(6))], ids=str
)
def test_the_schedule_starves_a_packet_where_inputs_have_a_fixed_order(relation: Relation) -> None:
    outcome = progress(relation, "fixed")
    assert outcome.arrives is False
    found = re.search(r"packets of t(\d+) for t(\d+), .* one of t(\d+) for t(\d+) at", outcome.reason)
    assert found is not None
    source, address, starved, its = map(int, found.groups())
    for at in range(relation.num_vcs + relation.network.num_terminals):
        run = Steps(relation, "fixed", 1)
        run.preferred = at
        for now in range(200):
            run.ports.setdefault(source, (address, now, now))
            if now == 40:
                run.ports[starved] = (its, -1, -1)
            run.step()
        if (-1, its) not in run.arrived:
            return
    raise AssertionError(outcome)


@pytest.mark.parametrize(
    "relation", [dimension_order(line(4)), dimension_order(mesh(3, 3)), up_down(ring(6))], ids=str
)
def test_fair_arbiters_are_enough_where_nothing_deadlocks_and_routes_end(relation: Relation) -> None:
    verdict = check(relation)
    (claim,) = progress_claims(progress(relation, "fair"), verdict_claim(verdict))
    assert accept(document(relation.network, relation, [claim]))[0].endswith(
        "under arbiters that are fair in the end"
    )
    ranks = [0] * relation.num_vcs
    for change in ({"switching": "none"}, {"proof": claim["proof"] | {"rank": ranks}}, {"arbiter": "fixed"}):
        with pytest.raises(Rejected):
            accept(document(relation.network, relation, [claim | change]))


@pytest.mark.parametrize("circles", [False, True])
def test_fair_arbiters_are_not_enough_where_a_packet_comes_to_an_end_or_goes_round(circles: bool) -> None:
    """From terminal 0 of a line to router 1, and no farther; or back and forth, by VCs that can be left."""
    network = line(2)
    out, back = (int(np.flatnonzero(network.source == router)[0]) for router in (0, 1))
    onward = [[out, -1, back], [back, out]] if circles else [[out]]
    table = {"vcs": [1, 1], "commits": False, "destination": [1], "sources": [[0]], "states": [[[2, out], *onward]]}
    proof = {"kind": "escape", "rank": [int(v == back) for v in range(2)]}
    claim = {"subject": "progress", "arbiter": "fair", "arrives": True, "switching": "vct", "proof": proof}
    with pytest.raises(Rejected, match="go round for ever" if circles else "comes to its end"):
        accept(document(network, None, [claim | {"relation": table}]))


@pytest.mark.parametrize(
    "relation", [dimension_order(line(4)), dimension_order(mesh(3, 3)), up_down(ring(6))], ids=str
)
@pytest.mark.parametrize("packets", [1, 3])
def test_evidence_is_computed_and_followed_anew(relation: Relation, packets: int) -> None:
    for arbiter in ("round_robin", "oldest_first"):
        outcome = progress(relation, arbiter, packets=packets)
        assert outcome.bound is not None
        (claim,) = progress_claims(outcome, verdict_claim(check(relation)))
        assert f"within {outcome.bound} hop times" in accept(document(relation.network, relation, [claim]))[0]
        for change in ({"bound": outcome.bound - 1}, {"packets": packets + 1}, {"arbiter": "fixed"}):
            with pytest.raises(Rejected):
                accept(document(relation.network, relation, [claim | change]))
    (claim,) = progress_claims(progress(relation, "fixed"), verdict_claim(check(relation)))
    assert "never moves on" in accept(document(relation.network, relation, [claim]))[0]
    proof = claim["proof"]
    for change in (
        {"other": proof["stream"]},
        {"granted": (proof["granted"] + 1) % relation.num_vcs},
        {"stream": proof["stream"] | {"way": [*proof["stream"]["way"], 0]}},
        {"stream": proof["stream"] | {"address": proof["stream"]["source"]}},
    ):
        with pytest.raises(Rejected):
            accept(document(relation.network, relation, [claim | {"proof": proof | change}]))


def test_circles_and_choices_have_no_bound_for_the_checker() -> None:
    relation = dimension_order(line(3))
    claim = progress_claims(progress(relation, "round_robin"), verdict_claim(check(relation)))[0]
    for relation, why in ((dimension_order(ring(4)), "in a cycle"), (odd_even(mesh(3, 3)), "one of several VCs")):
        with pytest.raises(Rejected, match=why):
            accept(document(relation.network, relation, [claim | {"bound": 10**9}]))


def test_the_command_writes_it(tmp_path: Path) -> None:
    for arbiter, shown in (
        ("round_robin", "hop times under round_robin"),
        ("fixed", "never moves on"),
        ("fair", "fair in the end"),
    ):
        file = str(tmp_path / f"{arbiter}.json")
        words = ["check", "mesh(3, 3)", "--routing", "dimension_order", "--arbiter", arbiter, "--evidence", file]
        assert CliRunner().invoke(app, words).exit_code == 0
        accepted = CliRunner().invoke(app, ["accept", file])
        assert accepted.exit_code == 0
        assert shown in accepted.stdout


def test_what_gives_no_bound() -> None:
    assert progress("mesh(3, 3)", "round_robin", routing="odd_even").arrives is None
    assert progress("mesh(3, 3)", "fair", routing="odd_even").arrives
    assert progress("ring(4)", "oldest_first", routing="dimension_order").bound is None
    with pytest.raises(RelationError, match="did you mean round_robin"):
        progress("mesh(3, 3)", "round_robbin", routing="odd_even")


def test_the_command() -> None:
    words = ["check", "mesh(3, 3)", "--routing", "dimension_order", "--json"]
    answer = json.loads(CliRunner().invoke(app, [*words, "--arbiter", "round_robin"]).stdout)
    assert (answer["progress"]["arrives"], answer["progress"]["bound"]) == (True, 215)
    assert json.loads(CliRunner().invoke(app, words).stdout)["progress"] is None
    refused = CliRunner().invoke(app, [*words, "--arbiter", "fare"])
    assert refused.exit_code == 2
    assert "did you mean fair" in refused.stderr
