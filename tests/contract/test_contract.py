"""What is proved free runs freely, what is refuted is stuck, over everything that the contract allows."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from tests.contract.drawing import ALL, draw
from tests.contract.judging import Tally, examine
from tests.contract.machine import Machine, explore
from tests.strategies import table_relation
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network import from_edges
from unknot.network.families import line
from unknot.routing import EJECT, NO_WAIT, dimension_order

PIECE = 50
MANY = int(os.environ.get("UNKNOT_RELATIONS", "21000"))


def piece(first: int) -> Tally:
    """The tally of the relations of some numbers."""
    tally = Tally()
    for number in range(first, first + PIECE):
        examine(number, tally, limit=3000)
    return tally


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize("part", range(3))
def test_some_relations(part: int) -> None:
    """Other ones every time; `-m campaign` judges 21,000."""
    tally, first = Tally(), int(np.random.default_rng().integers(1 << 40)) * 48 + 16 * part
    for number in range(first, first + 8):
        examine(number, tally, limit=600)
    assert tally.contradictions == [], f"from relation {first} on"
    assert None not in {free for _, _, free in tally.answers}
    assert any("runs free" in what for what in tally.confirmed)


@pytest.mark.campaign
def test_campaign() -> None:
    """Each combination often, free and not free; contradictions name the numbers of their relations."""
    tally, first = Tally(), int(np.random.default_rng().integers(1 << 40)) * 48
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for part in pool.map(piece, range(first, first + MANY, PIECE)):
            tally.add(part)
    print(f"\n{tally.relations} relations from {first} on; {dict(sorted(tally.confirmed.items()))}")
    for switching in SWITCHINGS:
        for features in ALL:
            free, knotted = (tally.answers[switching, features, answer] for answer in (True, False))
            print(f"{switching:18} {features}: {free} free, {knotted} not")
    assert tally.contradictions == []
    assert tally.relations >= MANY
    if MANY >= 20_000:
        for switching in SWITCHINGS:
            for features in ALL:
                free, knotted = (tally.answers[switching, features, answer] for answer in (True, False))
                assert free + knotted >= 200, (switching, features)
                assert min(free, knotted) >= 0.3 * (free + knotted), (switching, features)
            explored = [tally.confirmed[f"{switching}: {answer} explored"] for answer in ("free", "not free")]
            assert min(explored) > 200, switching


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_the_machine_itself(switching: Switching) -> None:
    """A directed ring of three ties itself up with one VC and not with a line's; so does one that commits."""
    ring = from_edges([(0, 1), (1, 2), (2, 0)], directed=True)
    table = {(at, a): [EJECT] if ring.target[at] == a else [(at + 1) % 3] for at in range(3) for a in range(3)}
    table |= {(3 + t, a): [t] for t in range(3) for a in range(3) if t != a}
    stuck = explore(Machine(table_relation(ring, 1, table), switching, 1, (1,)), 100_000)
    assert stuck.stuck is not None
    free = explore(Machine(dimension_order(line(3)), switching, 1, (1,)), 100_000)
    assert free.complete
    assert free.stuck is None
    assert free.states > 20


def test_the_machine_on_a_mark() -> None:
    """Two routers, two VCs each way: who may wait for VC 1 alone is stuck, who also waits to leave never is."""
    pair = from_edges([(0, 1), (1, 0)], directed=True)
    # VCs 0, 1 lead to router 1, VCs 2, 3 to router 0. Packets to router 0 that are there go round once more.
    onward = {(0, 0): [2], (0, 1): [EJECT], (2, 0): [0 + NO_WAIT, EJECT], (2, 1): [0], (4, 1): [0], (5, 0): [2]}
    assert explore(Machine(table_relation(pair, 2, onward), "wormhole", 1, (1,)), 100_000).stuck is None
    round_and_round = onward | {(0, 1): [2], (2, 1): [0], (2, 0): [0], (0, 0): [2]}
    assert explore(Machine(table_relation(pair, 2, round_and_round), "wormhole", 1, (1,)), 100_000).stuck is not None
    committed = table_relation(pair, 2, onward, commits=True)
    assert explore(Machine(committed, "wormhole", 1, (1,)), 100_000).stuck is not None


def test_drawn_relations_cover_the_contract() -> None:
    """Several addresses, several terminals of a router, EJECT beside others, marks on all candidates."""
    seen = Counter[str]()
    for number in range(64):
        relation, features = draw(number)
        again, _ = draw(number)
        seen["several addresses"] += relation.num_addresses > relation.network.num_terminals * (1 + features.classes)
        for address in range(relation.num_addresses):
            todo = [relation.num_vcs + int(t) for t in relation.sources(address)]
            met = set(todo)
            for at in todo:
                offered = relation.candidates(at, address)
                assert offered, f"a dead end in relation {number}"
                assert offered == again.candidates(at, address)
                seen["EJECT beside others"] += len(offered) > 1 and any(c.vc is None for c in offered)
                seen["optional"] += not all(c.waits for c in offered)
                more = {c.vc for c in offered if c.vc is not None} - met
                met |= more
                todo += sorted(more)
        seen["crowded"] += np.unique(relation.network.inject).size < relation.network.num_terminals
    assert min(seen[what] for what in ("several addresses", "EJECT beside others", "optional", "crowded")) > 3, seen
