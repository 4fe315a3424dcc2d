"""Fault sweeps: every fault is made, and judged as it would be by itself."""

from __future__ import annotations

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from tests.strategies import table_relation
from unknot._base.deadline import Deadline
from unknot._base.errors import RelationError, UnknotError
from unknot._base.memory import SizeError, memory_limit
from unknot.network import Network, Wires, from_edges, to_networkx
from unknot.network.families import mesh, ring, torus
from unknot.routing import EJECT, Relation, dimension_order, fully_adaptive
from unknot.routing.named import routing as named
from unknot.verify import check, deliver
from unknot.verify.decision import TechniqueDecision
from unknot.verify.failures import OUTCOMES, FailureCase, Failures, cut_of, parts_of
from unknot.verify.fault_sweep import fault_sweep


def one(network: Network, routing: str, switching: str) -> tuple[str, int]:
    """The outcome on a broken network, found by itself."""
    if not nx.is_strongly_connected(nx.DiGraph(to_networkx(network))):
        return "disconnected", 0
    try:
        relation = named(network, routing)
    except UnknotError:
        return "refused", 0
    verdict, delivery = check(relation, switching), deliver(relation)
    if not verdict.deadlock_free:
        return "deadlock", delivery.undelivered_pairs
    return ("holds" if delivery.delivered else "undelivered"), delivery.undelivered_pairs


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(
    ("network", "routing", "switching"),
    [
        (mesh(3, 2), "dimension_order", "wormhole"),
        (mesh(2, 2), "fully_adaptive", "vct"),
        (ring(4), "dimension_order(vcs=2)", "wormhole"),
        (from_edges([(0, 1), (1, 2), (2, 0), (2, 3)]), "fully_adaptive", "saf"),
    ],
    ids=lambda x: getattr(x, "name", str(x)),
)
@pytest.mark.parametrize("kind", ["links", "channels", "routers"])
def test_every_fault_is_judged_as_by_itself(network: Network, routing: str, switching: str, kind: str) -> None:
    sweep = fault_sweep(network, routing, switching, failures=Failures(kind=kind))  # type: ignore[arg-type]
    expected: dict[tuple[str, ...], tuple[str, int]] = {}
    if kind == "routers":
        for r in range(network.num_routers):
            expected[(network.router_name(r),)] = one(network.without(routers=[r]), routing, switching)
    elif kind == "channels":
        for c in range(network.num_channels):
            expected[(network.channel_name(c),)] = one(network.without(channels=[c]), routing, switching)
    else:
        for a, b in itertools.combinations(range(network.num_routers), 2):
            if network.between(a, b):
                name = (f"{network.router_name(a)}–{network.router_name(b)}",)
                expected[name] = one(network.without(links=[(a, b)]), routing, switching)
    assert {fault.parts: (fault.outcome, fault.undelivered_pairs) for fault in sweep.tried} == expected
    assert sweep.possible == len(expected)
    assert not sweep.sampled
    ranks = [(OUTCOMES.index(fault.outcome), -fault.undelivered_pairs) for fault in sweep.tried]
    assert ranks == sorted(ranks)
    assert sum(sweep.counts.values()) == len(expected)
    assert sweep.survives == all(outcome in ("holds", "disconnected") for outcome, _ in expected.values())


@pytest.mark.long
def test_two_faults_at_once_all_or_drawn() -> None:
    network = mesh(3, 3)
    every = fault_sweep(network, "up_down", switching="wormhole", failures=Failures(at_once=2))
    assert (every.possible, len(every.tried), every.sampled, every.survives) == (66, 66, False, True)
    drawn = fault_sweep(network, "up_down", switching="wormhole", failures=Failures(at_once=2, budget=20, seed=3))
    again = fault_sweep(network, "up_down", switching="wormhole", failures=Failures(at_once=2, budget=20, seed=3))
    assert drawn.sampled
    assert drawn.tried == again.tried
    assert len({fault.parts for fault in drawn.tried}) == 20
    by_name = {fault.parts: fault for fault in every.tried}
    assert all(by_name[fault.parts] == fault for fault in drawn.tried)


def test_worst_faults_come_first_and_say_why() -> None:
    sweep = fault_sweep(mesh(3, 3), dimension_order, switching="wormhole")
    worst = sweep.tried[0]
    assert worst.outcome == "undelivered"
    assert worst.undelivered_pairs == max(fault.undelivered_pairs for fault in sweep.tried)
    assert worst.why.startswith("bound for t")
    assert "no way on from" in worst.why
    stuck = fault_sweep(mesh(3, 3), fully_adaptive, switching="wormhole")
    assert stuck.counts == {"deadlock": 12}
    assert not stuck.survives
    lonely = fault_sweep(from_edges([(0, 1)]), "fully_adaptive", switching="wormhole")
    assert lonely.tried == (
        FailureCase(("r0–r1",), "disconnected", 0, 0, "there is no way from router r0 to router r1"),
    )
    assert lonely.survives


def test_refusals_are_outcomes() -> None:
    sweep = fault_sweep(
        torus(3, 3),
        lambda network: dimension_order(network) if network.origin is None else _refuse(),
        switching="wormhole",
    )
    assert set(sweep.counts) == {"refused"}
    assert sweep.tried[0].why == "only whole networks"


def _refuse():  # type: ignore[no-untyped-def]
    raise RelationError("only whole networks")


def test_progress_and_arguments() -> None:
    seen: list[tuple[str, int, int]] = []
    fault_sweep(ring(3), "up_down", progress=lambda *step: seen.append(step), switching="wormhole")
    assert [step[1:] for step in seen] == [(1, 3), (2, 3), (3, 3)]
    assert seen[0][0] == "(0)–(1): holds"
    with pytest.raises(RelationError, match="unknown kind 'link'; did you mean"):
        fault_sweep(ring(3), "up_down", switching="wormhole", failures=Failures(kind="link"))  # type: ignore[arg-type]
    with pytest.raises(RelationError, match="at least 1"):
        fault_sweep(ring(3), "up_down", switching="wormhole", failures=Failures(at_once=0))
    with pytest.raises(UnknotError, match="unknown routing"):
        fault_sweep(ring(3), "up_dwn", switching="wormhole")


def test_sets_that_do_not_fit_the_memory() -> None:
    with memory_limit("200K"), pytest.raises(SizeError, match="a list of 5000 sets of failed channels"):
        fault_sweep(mesh(4, 4), "up_down", failures=Failures(kind="channels", at_once=3, budget=5000))


def test_one_way_to_the_first_terminal_is_missed_by_nobody() -> None:
    """0 reaches 1 and 1 does not reach 0, whichever terminal comes first."""
    for ends in ([0, 1], [1, 0]):
        assert cut_of(Network("one way", 2, [0], [1], inject=ends))


def passing(network: Network) -> Relation:
    """Two packets would have to pass each other, on the first channel each way: no way there is known."""
    forth, back = (int(np.flatnonzero(network.source == router)[0]) for router in (0, 1))
    first, second = network.num_channels + np.arange(2)
    table = {
        (second, 0): [back], (back, 0): [EJECT, forth], (forth, 0): [back],
        (first, 1): [forth], (forth, 1): [EJECT, back], (back, 1): [forth],
    }  # fmt: skip
    uses = np.array([[False, True], [True, False]])
    return table_relation(network, 1, {(int(at), a): v for (at, a), v in table.items()}, may_use=uses, name="passing")


def test_what_is_undecided_is_neither_survived_nor_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        TechniqueDecision, "_queued", lambda decision: None
    )  # as where the search of queues finds no way
    network = Network("double", 2, [0, 1, 0], [1, 0, 1])
    sweep = fault_sweep(network, passing, failures=Failures(kind="channels"))
    assert sweep.counts == {"undecided": 2, "disconnected": 1}
    assert sweep.survives is None
    worse = replace(sweep.tried[0], outcome="deadlock")
    assert replace(sweep, tried=(*sweep.tried, worse)).survives is False


def test_each_cable_is_a_part_of_its_own() -> None:
    """By ports where they are known, the lower router first, also where its channel comes later; else by number."""
    one_way = Network("two channels one way", 2, [0, 0], [1, 1])
    assert [*parts_of(one_way, "cables")] == [("r0–r1#0", (0,)), ("r0–r1#1", (1,))]
    three = from_edges([("a", "b"), ("a", "b"), ("c", "b"), ("c", "c")])
    named = [("a–b#0", (0, 1)), ("a–b#1", (2, 3)), ("b–c", (4, 5)), ("c–c", (6,))]
    assert [*parts_of(three, "cables")] == named
    ports = [[5, 1], [1, 5], [2, 7], [7, 2]]
    crossed = Network("crossed", 2, [1, 0, 0, 1], [0, 1, 1, 0], wires=Wires(ports=ports))
    assert [*parts_of(crossed, "cables")] == [("r0[1]–r1[5]", (0, 1)), ("r0[2]–r1[7]", (2, 3))]


class FewLooks(Deadline):
    """A deadline that is over after some looks at it."""

    def __init__(self, looks: int) -> None:
        super().__init__(1e9, float("inf"))
        object.__setattr__(self, "looks", itertools.count(looks, -1))

    @property
    def over(self) -> bool:
        return next(self.looks) <= 0  # type: ignore[attr-defined,no-any-return]


def test_what_was_tried_in_time_is_kept() -> None:
    whole = fault_sweep("ring(5)", "up_down")
    early = fault_sweep("ring(5)", "up_down", until=FewLooks(3))
    assert (whole.survives, whole.cut_short, len(whole.tried)) == (True, False, 5)
    assert (early.survives, early.cut_short, len(early.tried)) == (None, True, 3)
    assert {*early.tried} <= {*whole.tried}
    bad = fault_sweep("ring(5)", "dimension_order", until=FewLooks(3))
    assert (bad.survives, bad.cut_short) == (False, True)
