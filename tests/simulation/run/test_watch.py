"""Packets followed cycle by cycle are those of the run."""

from __future__ import annotations

import pytest

from unknot._base.errors import SimulationError
from unknot.network.families import line, mesh
from unknot.routing import dimension_order
from unknot.simulation import Router, simulate, watch

OPTIONS = (
    {},
    {"packet_length": 4, "switching": "vct"},
    {"router": Router(routing_delay=0, allocator="separable_input_first"), "packet_length": {1: 0.5, 3: 0.5}},
    {"switching": "wormhole-nonatomic", "router": Router(input_speedup=2, switch_allocation_delay=2)},
)


@pytest.mark.parametrize("options", OPTIONS)
def test_watched_packets_fare_as_in_the_run(options: dict) -> None:  # type: ignore[type-arg]
    relation = dimension_order(mesh(3, 3), 2)
    run = simulate(relation, 0.2, seed=3, warmup=0, measure=100, **options)
    found = watch(relation, 0.2, range(500), seed=3, **options)
    created = {event.packet: event.cycle for event in found if event.what == "created" and event.cycle < 100}
    arrived = {event.packet: event.cycle for event in found if event.what == "arrived"}
    assert len(created) == run.packets
    assert sum(arrived[p] - cycle for p, cycle in created.items()) / len(created) == pytest.approx(run.latency_mean)
    hops = sum(
        event.what == "allocated" and "ejection" not in event.words for event in found if event.packet in created
    )
    assert hops / len(created) == pytest.approx(run.hops_mean)
    for packet in created:
        mine = [event for event in found if event.packet == packet]
        assert [event.what for event in mine[:2]] == ["created", "injected"]
        last = mine[-1]
        assert last.what == "arrived"
        assert f" for {last.place}, of " in mine[0].words
        assert last.words == f"packet {packet} arrives, {last.cycle - mine[0].cycle} cycles after its creation"
        assert [event.cycle for event in mine] == sorted(event.cycle for event in mine)


def test_a_packet_alone() -> None:
    """The timing rules: allocated 1 cycle after routing, sent 1 after that, 4 + 1 cycles a hop."""
    found = watch(dimension_order(line(3), 1), 0.001, [0], seed=2)
    start = found[1].cycle
    steps = [(event.cycle - start, event.what) for event in found[1:]]
    hops = sum(event.what == "allocated" for event in found)
    wanted = [(0, "injected")]
    for i in range(hops):
        wanted += [(3 + 5 * i, "allocated"), (4 + 5 * i, "sent")]
    assert steps == [*wanted, (7 + 5 * (hops - 1), "arrived")]


def test_what_cannot_be_watched() -> None:
    relation = dimension_order(line(2), 1)
    for packets, options, words in (
        ([], {}, "at least one"),
        ([-1], {}, "from 0 on"),
        ([0], {"limit": 0}, "limit must be a whole number of cycles of at least 1"),
        ([0], {"router": Router(speculative=True)}, "without speculation"),
    ):
        with pytest.raises(SimulationError, match=words):
            watch(relation, 0.1, packets, **options)
