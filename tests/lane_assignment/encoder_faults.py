"""Faults planted in the encoder of the search for lanes and in that of the checker, and questions that show them."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import islice

from pysat.solvers import Solver

from tests.certificates.planted import ROOT, drawn, planted
from tests.mutation.sites import Mutant, mutants
from unknot.certificates.claims import load_claim
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.lane_search import Open, Own, Solution
from unknot.lane_assignment.second_opinion import encoder_of
from unknot.lane_assignment.served_pairs import (
    Limits,
    ServedPairs,
    given_pairs,
    limited_pairs,
    shortest_pairs,
    surviving_pairs,
)
from unknot.lane_assignment.tables import table_of
from unknot.network import Network, from_edges
from unknot.network.families import mesh, ring, torus
from unknot.routing.named import routing
from unknot.search.effort import SearchEffort

CONFLICTS = 5_000
ONE_WAY = from_edges([(i, (i + 1) % 5) for i in range(5)], directed=True)
NETWORKS: tuple[Network, ...] = (mesh(2, 2), mesh(3, 2), mesh(3, 3), ring(4), ring(5), ring(6), torus(3, 3), ONE_WAY)
NETWORKS += tuple(drawn(seed) for seed in range(12))
SEARCH = {
    "lane_assignment/walks.py": ("ShortestWalks.", "SurvivingWalks.", "GivenWalks.", "ChangingWalks."),
    "lane_assignment/lane_model.py": ("LaneModel.", "LoadModel."),
    "lane_assignment/served_pairs.py": ("ServedPairs.",),
}
CHECKER = {
    "certificates/plain/encoder.py": ("Encoder.", "copied"),
    "certificates/plain/lanes.py": ("RouteEncoder.", "SurvivingEncoder."),
    "certificates/plain/loads.py": ("LoadEncoder.",),
    "certificates/plain/reading.py": ("around",),
}


@dataclass(frozen=True, eq=False)
class Probe:
    """A question for both encoders: pairs, a number of lanes, and how these change."""

    served: ServedPairs
    lanes: int
    changes: str = "none"

    def searched(self) -> bool | None:
        """Whether the search's clauses can be fulfilled; None: open."""
        answer = Own(fresh(self.served), self.lanes, self.changes, SearchEffort(), CONFLICTS).answer(())
        return None if isinstance(answer, Open) else isinstance(answer, Solution)

    def checked(self) -> bool | None:
        """Whether the checker's clauses can be fulfilled."""
        encoder = encoder_of(self.served, self.lanes, self.changes)
        for position, pair in enumerate(self.served.pairs, start=1):
            encoder.serve(pair, position)
        encoder.limit()
        encoder.order()
        with Solver(name="glucose4", bootstrap_with=encoder.clauses) as solver:
            return bool(solver.solve())

    def run(self) -> str:
        """How two encoders that differ are noticed by a run; empty if they are not."""
        answer = refute(fresh(self.served), self.lanes, SearchEffort(), changes=self.changes, conflicts=CONFLICTS)
        return "they disagree" if isinstance(answer, Open) and answer.disagree else ""


def fresh(served: ServedPairs) -> ServedPairs:
    """The same pairs, with walks that nothing is known of."""
    return ServedPairs(**{**vars_of(served), "walks": type(served.walks)(**vars_of(served.walks))})


def vars_of(record: object) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}  # type: ignore[attr-defined]


@cache
def probes() -> tuple[Probe, ...]:
    """Questions on 20 networks, of each kind."""
    made = [Probe(shortest_pairs(network, None), lanes) for network in NETWORKS for lanes in (1, 2)]
    for network in NETWORKS[4:12]:
        pairs = shortest_pairs(network, None)
        made += [Probe(pairs, lanes, changes) for lanes in (1, 2) for changes in ("shared", "rising", "any")]
    for network, name in (
        (ring(5), "shortest_paths"),
        (torus(3, 3), "dimension_order"),
        (drawn(3), "shortest_paths"),
    ):
        relation = routing(network, name)
        pairs = given_pairs(relation, table_of(relation))
        made += [Probe(pairs, lanes, changes) for lanes in (1, 2) for changes in ("none", "shared", "any")]
    for network in (ring(4), mesh(3, 2)):
        failures = tuple((c,) for c in range(network.num_channels))
        made += [Probe(surviving_pairs(network, None, failures[:3]), lanes) for lanes in (1, 2)]
    for network in (*NETWORKS[:5], *NETWORKS[8:12]):
        for table in (False, True):
            for load in (2, 3, 4, 5, 6):
                claim = load_claim(Fraction(load), None, None, {}, lanes=1, changes="none", table=table)
                made.append(Probe(limited_pairs(network, Limits.below(Fraction(load), network, None, claim)), 1))
    return tuple(made)


@cache
def usual() -> tuple[bool, ...]:
    """Whether each question can be answered by lanes, without a fault."""
    both = [(probe.searched(), probe.checked()) for probe in probes()]
    assert all(one is other for one, other in both), [i for i, (one, other) in enumerate(both) if one is not other]
    assert {one for one, _ in both} == {True, False}
    return tuple(bool(one) for one, _ in both)


def drawn_faults(places: dict[str, tuple[str, ...]], count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Faults of an encoder that change whether a question's clauses can be fulfilled, and how a run notices each."""
    every = [
        (f"unknot.{path.removesuffix('.py').replace('/', '.')}:{mutant.function}", mutant)
        for path, names in places.items()
        for mutant in mutants(ROOT, ROOT / "src" / "unknot" / path)
        if mutant.function.startswith(names)
    ]
    random.Random(seed).shuffle(every)
    usual()
    counted = (
        (mutant.key, noticed(function, mutant)) for function, mutant in every if changes(function, mutant, places)
    )
    yield from islice(counted, count)


@contextmanager
def patience(seconds: float = 60) -> Iterator[None]:
    """Raise an error where a fault makes a loop endless: after so many seconds of the processor."""

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def changes(function: str, mutant: Mutant, places: dict[str, tuple[str, ...]]) -> bool:
    """Whether a fault changes whether the clauses of some question can be fulfilled."""
    try:
        with planted(function, mutant.code()), patience():
            for probe, possible in zip(probes(), usual(), strict=True):
                if (probe.searched() if places is SEARCH else probe.checked()) is (not possible):
                    return True
    except Exception:  # a fault that ends in an error gives no answer
        return False
    return False


def noticed(function: str, mutant: Mutant) -> str:
    """How a run notices a fault; empty if none does."""
    try:
        with planted(function, mutant.code()), patience():
            return next(filter(None, (probe.run() for probe in probes())), "")
    except Exception as error:
        return type(error).__name__
