"""The loop of all runs: limits, looks for knots, idle cycles, and reports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from unknot._base.errors import SimulationError
from unknot.network.families import mesh, ring
from unknot.routing import Relation, dimension_order
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.sources import Sources
from unknot.simulation.player import CHECK, DrawnPackets, PacketSource, play, run


def begun(relation: Relation, chance: float = 0.1, length: int = 1) -> Engine:
    return engine_of(relation, "wormhole", Sources(chance, uniform(relation), length), seed=1)


def test_stops_are_reached_one_after_the_other() -> None:
    engine = begun(dimension_order(mesh(3, 3)))
    reached = []

    def stops() -> Iterator[int]:
        for cycle in (7, 7, 600, 2000):
            yield cycle
            reached.append(engine.now)

    assert play(DrawnPackets(engine, stops())) == ""
    assert reached == [7, 7, 600, 2000]


def test_a_limit_ends_a_run_and_is_checked() -> None:
    engine = begun(dimension_order(mesh(3, 3)))
    assert play(DrawnPackets(engine, iter([5000])), limit=900) == "the limit of 900 cycles was reached"
    assert engine.now == 900
    with pytest.raises(SimulationError, match="limit must be"):
        play(DrawnPackets(engine, iter([5000])), limit=-1)


def test_a_knot_ends_a_run_at_a_look() -> None:
    """Stops that would follow are not asked for."""
    engine = begun(dimension_order(ring(6), 1), 0.2, 6)
    asked = []

    def stops() -> Iterator[int]:
        for cycle in range(100, 20_000, 100):
            asked.append(cycle)
            yield cycle

    assert play(DrawnPackets(engine, stops())) == ""
    assert engine.deadlock is not None
    assert engine.now % CHECK == 0
    assert asked[-1] < engine.now + 100
    assert not run(begun(dimension_order(ring(6), 1), 0.2, 6), 20_000)


class Counted(PacketSource):
    """Nothing at all, for some cycles."""

    def __init__(self, engine: Engine, cycles: int) -> None:
        self.engine, self.cycles, self.looks = engine, cycles, 0
        self.may_skip, self.words = True, "waiting"

    def begin(self) -> int | None:
        return None if self.now >= self.cycles else min(self.cycles, self.now + 10_000)

    def find_knot(self) -> bool:
        self.looks += 1
        return super().find_knot()


def test_cycles_of_an_empty_network_cost_nothing() -> None:
    engine, told = begun(dimension_order(mesh(2, 2)), 0.0), list[tuple[str, int]]()
    source = Counted(engine, 35_000)
    assert play(source, progress=lambda words, cycle, total: told.append((words, cycle))) == ""
    assert source.now == 35_000
    assert engine.now < 1000
    assert told == [("waiting", cycle) for cycle in (10_000, 20_000, 30_000, 35_000)]
    assert source.looks == 4


def test_who_gives_up_is_asked_for_the_reason() -> None:
    source = Counted(begun(dimension_order(mesh(2, 2)), 0.0), 35_000)
    source.why = "nobody waits"
    assert play(source) == "nobody waits"
    assert source.looks == 1
