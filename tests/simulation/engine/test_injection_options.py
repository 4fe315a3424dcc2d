"""Bursts and mixes of packet lengths, as the plain simulator draws them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from tests.reference.sim_parts import Packet
from tests.reference.simulator import Simulator
from unknot._base.splitmix import scramble
from unknot.network.families import line
from unknot.routing import dimension_order
from unknot.simulation.engine.pairs import nobody
from unknot.simulation.engine.sources import streams
from unknot.traffic.workload import Bursts


class Source:
    """One terminal that sends at once whatever it creates."""

    def __init__(self, chance: float, length: int | dict[int, float] = 1, bursts: Bursts | None = None) -> None:
        pairs = nobody(3)
        pairs.rate[:2] = 1, 0.5
        run = Simulator(
            dimension_order(line(3), 1),
            "wormhole",
            length=length,
            depth=4,
            chance=chance,
            seed=3,
            pairs=pairs,
            bursts=bursts,
        )
        self.workload, self.terminals = run.workload, run.terminals

    def packets(self, number: int, cycles: int) -> list[Packet]:
        terminal, found = self.terminals[number], []
        while terminal.drawn < cycles:
            self.workload.create(terminal, cycles - 1)
            if terminal.packet:
                found.append(terminal.packet)
                terminal.packet = None
        return found


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("bursts", [Bursts(0.02, 0.05), Bursts(0.01, 0.1), Bursts(1, 1), Bursts(0.3, 1)])
def test_bursts_have_the_load_that_was_wanted(bursts: Bursts) -> None:
    source = Source(0.08, bursts=bursts)
    cycles = 100_000
    for terminal, rate in ((0, 1), (1, 0.5)):
        assert len(source.packets(terminal, cycles)) / cycles == pytest.approx(0.08 * rate, rel=0.05)


def test_bursts_last_as_long_as_they_should() -> None:
    bursts = Bursts(0.02, 0.05)
    # At this load a terminal that is on sends in every cycle.
    created = [packet.created for packet in Source(bursts.share_on, bursts=bursts).packets(0, 100_000)]
    gaps = [later - earlier for earlier, later in pairwise(created) if later > earlier + 1]
    assert len(created) / (len(gaps) + 1) == pytest.approx(1 / 0.05, rel=0.07)
    assert np.mean(gaps) - 1 == pytest.approx(1 / 0.02, rel=0.07)


def test_every_other_cycle() -> None:
    source = Source(0.5, bursts=Bursts(1, 1))
    start = int(streams(3, 3)[0])
    on = scramble(start + 1) >> 11 < 2**52
    expected = range(on, 20, 2)
    assert [packet.created for packet in source.packets(0, 20)] == list(expected)


def test_mixes_have_their_shares() -> None:
    source = Source(0.2, {1: 3, 4: 2, 9: 5})
    counts = Counter(packet.length for packet in source.packets(0, 200_000))
    total = sum(counts.values())
    assert total / 200_000 == pytest.approx(0.2, rel=0.03)
    assert {length: count / total for length, count in counts.items()} == pytest.approx(
        {1: 0.3, 4: 0.2, 9: 0.5}, rel=0.03
    )


def test_one_length_costs_no_draw() -> None:
    plain, mapped, mixed = (Source(0.2, length).packets(1, 500) for length in (3, {3: 0.7}, {3: 1, 5: 1}))
    assert plain == mapped
    assert {packet.length for packet in plain} == {3}
    assert plain[0].created == mixed[0].created
    assert [packet.created for packet in plain] != [packet.created for packet in mixed]


def test_a_terminal_that_sends_nothing_draws_nothing() -> None:
    source = Source(0.2, {1: 1, 2: 1}, Bursts(0.5, 0.5))
    before = source.terminals[2].random.state
    assert source.packets(2, 100) == []
    assert source.terminals[2].random.state == before == int(streams(3, 3)[2])
