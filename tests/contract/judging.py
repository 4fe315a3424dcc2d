"""Verdicts of a drawn relation, held against runs at full load and exhaustive exploration."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from tests.contract.drawing import Features, draw
from tests.contract.machine import Machine, explore
from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from unknot import replay
from unknot._base.errors import SimulationError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates import Unchecked, Verdict, accept_verdict, document, plain, verdict_claim
from unknot.routing import Relation
from unknot.simulation.engine.codes import Selection
from unknot.simulation.engine.detector import stuck_vcs
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.sources import Sources
from unknot.verify import check_all

LOAD_CYCLES, DRAIN_CYCLES = 250, 4000
QUEUES = 6
"""How many times as many states are visited under non-atomic allocation: packets queue in a VC, in more ways."""
SELECTIONS: tuple[Selection, ...] = ("all", "first", "random")


@dataclass
class Tally:
    """What was judged: free and not free by technique and features, what confirmed it, and the contradictions."""

    answers: Counter[tuple[str, Features, bool]] = field(default_factory=Counter)
    confirmed: Counter[str] = field(default_factory=Counter)
    contradictions: list[str] = field(default_factory=list)
    relations: int = 0

    def add(self, other: Tally) -> None:
        self.answers.update(other.answers)
        self.confirmed.update(other.confirmed)
        self.contradictions += other.contradictions
        self.relations += other.relations


def examine(number: int, tally: Tally, limit: int = 4000) -> None:
    """Draw, prove, run and explore one relation; every third is small and explored under one technique."""
    small = number % 3 == 0
    relation, features = draw(number, small)
    random = np.random.default_rng([number, 1])
    explored = str(random.choice(SWITCHINGS)) if small else ""
    tally.relations += 1
    verdicts = check_all(relation)
    try:
        plain.accept(document(relation.network, relation, [verdict_claim(v) for v in verdicts.values()]))
    except plain.Unchecked:
        tally.confirmed["evidence too large for the plain checker"] += 1
    except plain.Rejected as error:
        tally.contradictions.append(f"relation {number}: the plain checker: {error}")
    for switching, verdict in verdicts.items():
        name = f"relation {number} under {switching}"
        if verdict.deadlock_free is None:
            assert verdict.reachability == "not-established", name
            tally.confirmed[f"{switching}: open, packets would block each other"] += 1
        else:
            tally.answers[switching, features, verdict.deadlock_free] += 1
        try:
            accept_verdict(relation, verdict)
        except Unchecked:
            tally.confirmed["evidence too large to check"] += 1
        except Exception as error:
            tally.contradictions.append(f"{name}: evidence rejected: {error}")
        depth = int(random.integers(1, 4))
        length = int(random.integers(1, 1 + (depth if switching in ("saf", "vct") else 2 * depth + 2)))
        if verdict.deadlock_free:
            _run(name, relation, switching, depth, length, random, tally)
        elif verdict.configuration is not None and not replay(relation, verdict.configuration, cycles=50).stuck:
            tally.contradictions.append(f"{name}: its counterexample moves")
        if switching == explored:
            _explore(name, relation, verdict, features, min(depth, 2), limit, tally)


def _run(
    name: str, relation: Relation, switching: Switching, depth: int, length: int, random: np.random.Generator,
    tally: Tally,
) -> None:  # fmt: skip
    """Run at full load, then without new packets: all of them have to leave, or at least to move for ever."""
    if not relation.network.num_terminals:
        return
    point = f"{name}, depth {depth}, packets of {length}"
    try:
        pairs = uniform(relation)
    except SimulationError:
        return
    engine = engine_of(
        relation,
        switching,
        Sources(1.0, pairs, length),
        buffer_depth=depth,
        seed=int(random.integers(1 << 30)),
        router=Router(selection=SELECTIONS[int(random.integers(3))]),
    )
    still = engine.advance(LOAD_CYCLES)
    engine.state.terminals.chance[:] = 0
    still = still or engine.advance(engine.now + DRAIN_CYCLES)
    if still:
        tally.contradictions.append(f"{point}: free, but {engine.count('flits_in')} flits came in and nothing moves")
    elif engine.count("flits_in") > engine.count("flits_out"):
        if stuck_vcs(relation, engine.state).any():
            tally.contradictions.append(f"{point}: free, but some packets are stuck while others move for ever")
        tally.confirmed[f"{switching}: moves for ever"] += 1
    else:
        tally.confirmed[f"{switching}: runs free"] += engine.count("flits_out") > 0


def _explore(
    name: str, relation: Relation, verdict: Verdict, features: Features, depth: int, limit: int, tally: Tally
) -> None:
    """Go through all states, of packets as in the counterexample, or of one flit and of several."""
    switching, knot = verdict.switching, verdict.configuration
    lengths = {1, depth} if switching in ("saf", "vct") else {1, depth + 1}
    if knot is not None:
        depth, lengths = 1, {len(message.held) for message in knot.messages}
        if knot.queued:
            depth = knot.buffer_depth // knot.messages[0].length
    limit *= QUEUES if switching == "wormhole-nonatomic" else 1
    outcome = explore(Machine(relation, switching, depth, tuple(sorted(lengths))), limit)
    if outcome.stuck is not None and verdict.deadlock_free:
        tally.contradictions.append(f"{name}, depth {depth}, packets {lengths}: free, but stuck in {outcome.stuck}")
    elif outcome.stuck is not None:
        tally.confirmed[f"{switching}: not free explored"] += 1
    elif not outcome.complete:
        tally.confirmed[f"{switching}: too large to explore"] += 1
    elif verdict.deadlock_free:
        tally.confirmed[f"{switching}: free explored"] += 1
    elif verdict.deadlock_free is None:
        tally.confirmed[f"{switching}: a knot that cannot be reached"] += 1
    else:
        tally.contradictions.append(f"{name}: {verdict.reachability}, but no state of {outcome.states} is stuck")
