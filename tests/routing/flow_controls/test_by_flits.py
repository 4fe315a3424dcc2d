"""Cells and whole packets against all states that packets bring about, flit by flit, with nothing of the prover."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from tests.contract.drawing import draw
from tests.contract.machine import OUT, Buffers, Machine, explore
from unknot.certificates import Verdict, accept_verdict
from unknot.fabrics.named import network
from unknot.routing import Relation, dimension_order
from unknot.routing.flow_controls import cbfc, whole_packet
from unknot.verify import check


class Cells(Machine):
    """Credits for whole cells of `cell` flits, which come back flit by flit, or all together behind the tail."""

    def __init__(self, relation: Relation, cell: int, cells: int, lengths: tuple[int, ...], together: bool) -> None:
        super().__init__(relation, "vct", cell * cells, lengths)
        self.cell, self.together = cell, together

    def available(self, state: Buffers, vc: int, length: int) -> bool:
        if vc == OUT or not state[vc]:
            return True
        parts = state[vc]
        taken = sum(self.whole(part.length) - (0 if self.together else part.went) for part in parts)
        return parts[-1].came == parts[-1].length and taken + self.whole(length) <= self.depth

    def whole(self, length: int) -> int:
        """Flits of the cells that a packet takes."""
        return -(-length // self.cell) * self.cell


class Whole(Machine):
    """Worms, which enter a VC that is empty or has room for all of them behind others that have come in."""

    def __init__(self, relation: Relation, depth: int, lengths: tuple[int, ...]) -> None:
        super().__init__(relation, "wormhole", depth, lengths)

    def available(self, state: Buffers, vc: int, length: int) -> bool:
        if vc == OUT or not state[vc]:
            return True
        parts = state[vc]
        left = sum(part.length - part.went for part in parts)
        return parts[-1].came == parts[-1].length and left + length <= self.depth


def in_cells(relation: Relation, chance: random.Random) -> tuple[Verdict, Machine]:
    """The verdict on credits in cells, and a network with packets as in its counterexample, or some of its own."""
    cell, cells = chance.choice([(2, 1), (2, 2), (3, 1), (3, 2)])
    verdict = check(relation, flow=cbfc(relation, cell=cell))
    lengths = chance.choice([(1,), (1, cell + 1), (cell,), (cell * cells,)] if cells > 1 else [(1,), (1, cell)])
    if (knot := verdict.configuration) is not None:
        cells = -(-knot.buffer_depth // cell)
        lengths = tuple({message.length for message in knot.messages})
    return verdict, Cells(relation, cell, cells, lengths, chance.random() < 0.5)


def by_whole_packets(relation: Relation, chance: random.Random) -> tuple[Verdict, Machine]:
    """The verdict on whole packets, and a network in which short packets go behind others."""
    depth = chance.choice([1, 2, 2])
    verdict = check(relation, flow=whole_packet(relation))
    lengths = {1, depth + 1}
    if (knot := verdict.configuration) is not None:
        lengths = {depth * len(message.held) for message in knot.messages} | chance.choice([set(), {1}])
    return verdict, Whole(relation, depth, tuple(sorted(lengths)))


RING = network("ring(3, directed=true)")
Make = Callable[[Relation, random.Random], tuple[Verdict, Machine]]


def judge(make: Make, number: int, seen: Counter[str], limit: int) -> None:
    """Decide one drawn relation, and go through its states."""
    chance = random.Random(number)
    relation, _ = draw(chance.randrange(1 << 40), small=True)
    verdict, machine = make(relation, chance)
    outcome = explore(machine, limit)
    seen["all"] += 1
    if outcome.stuck is None and not outcome.complete:
        seen["too large"] += 1
    elif verdict.deadlock_free is None:
        seen["open"] += 1
    else:
        assert verdict.deadlock_free is (outcome.stuck is None), (number, verdict, machine.lengths, outcome.stuck)
        accept_verdict(relation, verdict)
        seen["free" if verdict.deadlock_free else "stuck"] += 1


MAKES = pytest.mark.parametrize("make", [in_cells, by_whole_packets], ids=["cells", "whole packets"])


@MAKES
def test_drawn_relations(make: Make) -> None:
    seen: Counter[str] = Counter()
    first = random.randrange(1 << 40)
    while seen["free"] + seen["stuck"] < 8 and seen["all"] < 200:
        judge(make, first + seen["all"], seen, 600)
    assert seen["free"] + seen["stuck"] >= 8, (first, seen)
    assert seen["open"] <= 0.1 * seen["all"], (first, seen)


@pytest.mark.campaign
@MAKES
def test_many_drawn_relations(make: Make) -> None:
    seen: Counter[str] = Counter()
    first = random.randrange(1 << 40)
    while min(seen["free"], seen["stuck"]) < 150 and seen["all"] < 3_000:
        judge(make, first + seen["all"], seen, 5_000)
    print(f"\nrelations from {first} on: {dict(sorted(seen.items()))}")
    assert min(seen["free"], seen["stuck"]) >= 150
    assert seen["open"] <= 0.02 * seen["all"]


def test_the_networks_themselves() -> None:
    """A ring of three is stuck with packets as long as their buffers, and with room behind others as well."""
    tied = dimension_order(RING, dateline="none")
    assert explore(Cells(tied, 2, 1, (1,), together=True), 10_000).stuck
    assert explore(Whole(tied, 2, (1, 3)), 10_000).stuck
    dated = dimension_order(RING, vcs=2)
    for machine in (Cells(dated, 2, 1, (1,), together=False), Whole(dated, 1, (1,))):
        outcome = explore(machine, 50_000)
        assert outcome.complete
        assert outcome.stuck is None


def test_cells_are_rounded_up_and_whole_packets_go_behind_others() -> None:
    """One packet of a flit waits in a VC of four flits; another one finds room, and a longer one does not."""
    relation = dimension_order(RING, vcs=2)
    cells, whole = Cells(relation, 2, 2, (1, 3), together=True), Whole(relation, 4, (1, 3))
    start: Buffers = ((),) * (cells.vcs + cells.terminals)
    held = next(state for state in cells.adversary_moves(start) if any(state[: cells.vcs]))
    vc = next(v for v, parts in enumerate(held) if parts)
    assert [cells.available(held, vc, length) for length in (1, 2, 3)] == [True, True, False]
    assert [whole.available(held, vc, length) for length in (1, 3, 4)] == [True, True, False]
