"""Kernels of loads and of one route each, on drawn states of one address."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verify.rows import reached, rows
from unknot.routing.relation import EJECT, NO_WAIT, TIER
from unknot.verify.loads_kernel import one_route, spread

VCS, PORTS, CHANNELS = 7, 4, 3


@dataclass
class States:
    """Candidates (tier, VC or None) of every input VC, and what is sent into the states of an order."""

    answers: list[list[tuple[int, int | None]]]
    channel: list[int]
    order: list[int]
    rate: list[float]

    def arrays(self) -> tuple[np.ndarray, ...]:
        value = [
            [tier * TIER + (EJECT if vc is None else vc + NO_WAIT * (i > 0)) for i, (tier, vc) in enumerate(found)]
            for found in (self.answers[at] for at in self.order)
        ]
        slot = np.full(VCS + PORTS, -7)
        channel = np.array(self.channel, dtype=np.int32)
        return np.array(self.order), *rows(value), channel, np.array(self.rate), slot

    def lowest(self, at: int) -> list[int | None]:
        return [vc for tier, vc in self.answers[at] if tier == min(t for t, _ in self.answers[at])]

    def way(self, vc: int | None) -> int:
        return -1 if vc is None else self.channel[vc]


def drawn(rng: random.Random, least: int, back: float, stray: float) -> States:
    """Draw states with candidates, no fewer than `least` in any.

    Most VCs of a channel go on over the same channel. A share `back` of the states may lead to any VC, a share
    `stray` over any channel.
    """
    channel = sorted(rng.randrange(CHANNELS) for _ in range(VCS))
    following = [rng.randrange(CHANNELS + 1) for _ in range(CHANNELS + PORTS)]
    answers: list[list[tuple[int, int | None]]] = []
    for at in range(VCS + PORTS):
        after = range(VCS) if at >= VCS or rng.random() < back else range(at + 1, VCS)
        number = channel[at] if at < VCS else CHANNELS + at - VCS
        ways: list[int | None] = [vc for vc in after if channel[vc] == following[number]]
        ways = [None, *after] if rng.random() < stray else ways or [None]
        answers.append([(rng.choice([0, 0, 1]), vc) for vc in rng.choices(ways, k=rng.choice([least, 1, 2, 2, 3]))])
    graph = [[vc for _, vc in found if vc is not None] for found in answers]
    order = sorted(reached(graph, range(VCS, VCS + PORTS)), key=lambda at: (at < VCS, rng.random()))
    return States(answers, channel, order, [rng.choice([0.0, 1.0, 2.5]) * (at >= VCS) for at in order])


@pytest.mark.parametrize(("least", "back"), [(1, 0.0), (1, 0.2), (0, 0.0)])
@given(rng=st.randoms(use_true_random=True))
def test_loads_are_sums_over_walks(rng: random.Random, least: int, back: float) -> None:
    states = drawn(rng, least, back, 0.5)
    graph = [[vc for vc in states.lowest(at) if vc is not None] for at in range(VCS + PORTS)]
    sent = {at for at, rate in zip(states.order, states.rate, strict=True) if rate}
    used = reached(graph, sent)
    before = np.arange(VCS, dtype=float)
    load = before.copy()
    found = spread(*states.arrays(), load)
    if any(not states.answers[at] for at in used):
        at = states.order[-2 - found]
        assert at in used
        assert not states.answers[at]
        assert np.array_equal(load, before)
    elif any(at in reached(graph, graph[at]) for at in used):
        assert found == -1
        assert np.array_equal(load, before)
    else:
        assert found == any(len({states.way(vc) for vc in states.lowest(at)}) > 1 for at in used)
        walks = [(at, rate) for at, rate in zip(states.order, states.rate, strict=True) if rate]
        while walks:
            at, flow = walks.pop()
            if at < VCS:
                before[at] += flow
            ways = states.lowest(at)
            walks += [(vc, flow / len(ways)) for vc in ways if vc is not None]
        assert load == pytest.approx(before)


@given(st.randoms(use_true_random=True), st.sampled_from([0.0, 0.1, 0.1]))
def test_one_sequence_of_channels_each(rng: random.Random, stray: float) -> None:
    """By following sets of states that one sequence of channels leads to."""
    for back in (0.0, 0.5, 0.8, 1.0) * 2:
        states = drawn(rng, 1, back, stray)
        todo = [frozenset([at]) for at, rate in zip(states.order, states.rate, strict=True) if rate]
        seen, single = set(todo), True
        while todo and single:
            ways = [vc for at in todo.pop() for _, vc in states.answers[at]]
            after = frozenset(vc for vc in ways if vc is not None)
            single = len({states.way(vc) for vc in ways}) <= 1
            if after and after not in seen:
                seen.add(after)
                todo.append(after)
        assert one_route(*states.arrays()) == single
