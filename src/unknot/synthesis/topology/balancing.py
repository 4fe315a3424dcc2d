"""Search for networks that carry much, among those of few hops."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import repeat

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags
from unknot._base.progress import found
from unknot._base.work import spend
from unknot.search.effort import AnnealingStep, SearchEffort
from unknot.synthesis.topology.annealing import WALKERS, LinkSpace, Walker, space_of
from unknot.synthesis.topology.request import TopologyRequest
from unknot.synthesis.topology.shortening import Found
from unknot.synthesis.topology.throughput import (
    STEP,
    FlowSpace,
    Throughput,
    demand_of,
    flow_scratch,
    flow_space,
    throughput_of,
)

HEAT = (0.02, 0.0005)
"""Temperatures at the beginning and at the end of a round, as shares of what is carried."""
JUDGING = 100
"""Phases by which a network is judged on the way."""
ROUND_STEPS, FEWEST_MOVES, MOST_MOVES = 1.5e7, 1_000, 400_000
"""Steps of a walker in the first round, if each move took one phase; moves of a round at least and at most."""
PAIR_MOVES = 200
"""Moves of the first round for each pair of nodes, at most: small networks have few to try."""
PATIENCE = 2
"""Rounds without gain, each with twice as many moves, after which the search ends."""
GAIN = 1.001
"""Least gain of a round that counts."""
SLACKS = {"balanced": (0.02,), "throughput": (0.02, 0.1)}
"""Shares by which the hops of a network that carries much may exceed the fewest that were found, in turn."""


class Climber:
    """Walker on what links carry."""

    def __init__(self, walker: Walker, flows: FlowSpace, most_hops: int) -> None:
        links = int(walker.space.leaving.sum())
        self.walker, self.flows, self.most_hops = walker, flows, most_hops
        self.ways = flow_scratch(flows, links)
        self.value = np.zeros(2)
        self.steps = flows.sources.size * links

    def walk(self, step: AnnealingStep) -> int:
        """Anneal for a step; the networks that were judged."""
        from unknot.synthesis.topology.flows_kernel import climb

        walker = self.walker
        arrays = walker.space, walker.scratch, walker.links, self.flows, self.ways, walker.best, walker.state
        return int(climb(*arrays, self.most_hops, self.value, step, JUDGING))


def climbs(
    space: LinkSpace, flows: FlowSpace, start: Flags, most_hops: int, effort: SearchEffort, text: str
) -> Iterator[Flags]:
    """Yield the links of each round that carry most, with at most some hops of all pairs.

    Parameters
    ----------
    start : bool array, shape (nodes, nodes)
        Links with so few hops.
    most_hops : int
        Of all pairs.
    """
    order = len(space.image)
    steps = flows.sources.size * int(space.leaving.sum())
    few = min(ROUND_STEPS / steps, PAIR_MOVES * space.leaving.size**2)
    planned, best, fruitless, number = int(max(FEWEST_MOVES, few)), 0.0, 0, 0
    with ThreadPoolExecutor(WALKERS) as threads:
        while fruitless < PATIENCE and (moves := effort.each(planned, WALKERS)) and not effort.stopped:
            seeds = [[effort.seed, number, i, 1] for i in range(WALKERS)]
            climbers = [Climber(Walker(space, seed, start), flows, most_hops // order) for seed in seeds]
            with effort.until_interrupted():
                for step in effort.cooled(moves, HEAT, each=WALKERS * STEP * steps / 2, words=JUDGING * steps):
                    carries = max(best, *(one.value[1] for one in climbers))
                    effort.report(f"{text}, carries {carries:.4f}" if carries else text)
                    judged = sum(threads.map(Climber.walk, climbers, repeat(step)))
                    spend(STEP * steps * judged * JUDGING)
                    effort.moves += WALKERS * step.moves
            first = max(climbers, key=lambda one: float(one.value[1]))
            if first.value[1] > best:
                fruitless = 0 if first.value[1] > GAIN * best else fruitless + 1
                best, start = float(first.value[1]), first.walker.found
                yield start
            else:
                fruitless += 1
            planned, number = min(2 * planned, MOST_MOVES), number + 1


def most_carrying(
    wanted: TopologyRequest,
    best: Found,
    objective: str,
    flows: npt.ArrayLike | None,
    bound: Fraction | None,
    effort: SearchEffort,
) -> tuple[Found, Throughput]:
    """The network of few hops that carries most, and its throughput.

    The bound on all networks is shown beside it.
    """
    demand, pairs = demand_of(wanted.nodes, flows), wanted.size * (wanted.size - 1)
    hops = demand.sum() * best.total / pairs
    flow = flow_space(demand, wanted.image, hops / int(best.links.sum()))
    space = space_of(wanted, late=wanted.size**3)
    fewest, name, image = best.total, wanted.nodes.name, wanted.image if flows is None else None
    most = throughput_of(wanted.network_of(best.links, name), flows, image)

    def offered(most_hops: int) -> Iterator[Flags]:
        yield from wanted.begun.values()
        yield from climbs(space, flow, best.links, most_hops, effort, name)

    limit, slacks = effort.most_moves, SLACKS[objective]
    ahead = "" if bound is None else f", no network more than {float(bound):.4f}"
    for left, slack in zip(range(len(slacks), 0, -1), slacks, strict=True):
        effort.most_moves = effort.moves + (limit - effort.moves) / left
        most_hops = int((1 + slack) * fewest)
        for links in offered(most_hops):
            one = Found.of(wanted, links)
            if one is None or one.total > most_hops:
                continue
            carries = throughput_of(wanted.network_of(links, name), flows, image)
            if carries.least > most.least:
                best, most = one, carries
                found(f"carries {most.least:.4f}{ahead}; {best.total / pairs:.4f} mean hops")
    return best, most
