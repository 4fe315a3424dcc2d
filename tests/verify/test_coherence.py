"""Coherence against routes written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.strategies import networks, relations, table_relation
from unknot.network import from_edges
from unknot.network.families import mesh, torus
from unknot.routing import (
    EJECT,
    Relation,
    dimension_order,
    duato,
    fully_adaptive,
    negative_first,
    odd_even,
    overlay,
    planar_adaptive,
    vba,
)
from unknot.verify import deliver
from unknot.verify.coherence import Suffix, coherence

Route = tuple[int, ...]


def routes(relation: Relation, at: int, address: int) -> set[Route]:
    """Every sequence of channels from a state to ejection; the relation must not go round."""
    found: set[Route] = set()
    for candidate in relation.candidates(at, address):
        if candidate.vc is None:
            found.add(())
        else:
            channel = int(relation.vcs.channel[candidate.vc])
            found |= {(channel, *rest) for rest in routes(relation, candidate.vc, address)}
    return found


def incoherent_addresses(relation: Relation) -> set[int]:
    """Addresses with a route whose suffix is none of a terminal where it begins."""
    network, wrong = relation.network, set()
    for address in range(relation.num_addresses):
        sources = relation.sources(address).tolist()
        own = {t: routes(relation, relation.num_vcs + t, address) for t in sources}
        for t in sources:
            for route in own[t]:
                for i in range(1, len(route) + 1):
                    router = int(network.target[route[i - 1]])
                    there = [s for s in sources if network.inject[s] == router and s != relation.destination[address]]
                    if any(route[i:] not in own[s] for s in there):
                        wrong.add(address)
    return wrong


def compare(relation: Relation) -> bool:
    expected = incoherent_addresses(relation)
    found = coherence(relation)
    assert found.coherent == (not expected)
    assert found.addresses == len(expected)
    assert (found.witness is None) == found.coherent
    if found.witness is not None:
        suffix = found.witness
        assert suffix.address == min(expected)
        route, rest = suffix.route, suffix.route[suffix.start :]
        permitted = routes(relation, relation.num_vcs + suffix.source, suffix.address)
        own = routes(relation, relation.num_vcs + suffix.terminal, suffix.address)
        if suffix.ejects:
            assert route in permitted
            assert rest not in own
        else:
            assert any(longer[: len(route)] == route for longer in permitted)
            assert not any(longer[: len(rest)] == rest for longer in own)
        assert relation.network.inject[suffix.terminal] == relation.network.target[route[suffix.start - 1]]
        assert " may send to " in suffix.describe(relation)
    return found.coherent


def test_random_relations() -> None:
    seen = {True: 0, False: 0}

    dense = st.sampled_from([mesh(3, 2), mesh(2, 2, 2), torus(3, 3)]).flatmap(
        lambda network: relations(network, kinds=["minimal"], max_vcs=3)
    )

    @given(st.one_of(relations(networks(max_routers=5, max_channels=9)), dense))
    @settings(max_examples=40)
    def run(relation: Relation) -> None:
        if deliver(relation).livelock_free:
            seen[compare(relation)] += 1

    draw_until(lambda: min(seen.values()) > 10, run)


@pytest.mark.parametrize(
    "relation",
    [
        dimension_order(mesh(3, 3)),
        dimension_order(torus(4, 3), 2),
        fully_adaptive(mesh(3, 3)),
        duato(mesh(3, 3)),
        negative_first(mesh(3, 3)),
        planar_adaptive(mesh(2, 2, 2)),
        vba(mesh(2, 2, 2)),
        overlay(mesh(3, 3), returns=False),
        odd_even(mesh(4, 3)),
    ],
    ids=lambda x: x.name,
)
def test_these_algorithms_are_coherent(relation: Relation) -> None:
    assert compare(relation)


def test_a_tree_that_is_bypassed() -> None:
    """Terminal 0 goes to 2 by 1, terminal 1 by 3: no route is a detour, and yet the suffix 1 → 2 is not chosen."""
    network = from_edges([(0, 1), (1, 2), (1, 3), (3, 2)], directed=True)
    relation = table_relation(
        network,
        1,
        {(4, 2): [0], (0, 2): [1], (1, 2): [EJECT], (5, 2): [2], (2, 2): [3], (3, 2): [EJECT], (6, 2): [EJECT]},
    )
    found = coherence(relation)
    assert found.addresses == 1
    assert found.witness is not None
    assert found.witness.describe(relation) == "t0 may send to t2 by r0 → r1 → r2, but t1 at r1 may not by r1 → r2"


def test_vcs_of_a_channel_that_go_on_otherwise() -> None:
    """From 0 messages come to 2 on the first VC and may go round by 4; from 1 they come on the second and may not."""
    network = from_edges([(0, 1), (1, 2), (2, 3), (2, 4), (4, 3)], directed=True)
    relation = table_relation(
        network,
        [1, 2, 1, 1, 1],
        {
            (6, 3): [0], (0, 3): [1], (7, 3): [2], (1, 3): [3, 4], (2, 3): [3], (8, 3): [3, 4],
            (3, 3): [EJECT], (4, 3): [5], (5, 3): [EJECT], (9, 3): [EJECT], (10, 3): [5],
        },
    )  # fmt: skip
    assert not compare(relation)


def test_more_than_64_vcs() -> None:
    assert coherence(fully_adaptive(mesh(3, 2), 70)).coherent


def test_who_stands_at_home_may_have_to_leave_first() -> None:
    """From r0 a packet ejects as soon as it comes to r1; from the second terminal there it must go round."""
    network = replace(
        from_edges([(0, 1), (1, 0)], directed=True), inject=np.array([0, 1, 1]), eject=np.array([0, 1, 1])
    )
    table = {(2, 1): [0], (0, 1): [EJECT], (4, 1): [1], (1, 1): [0]}
    may_use = [[False, True, False], [False, False, False], [False, True, False]]
    found = coherence(table_relation(network, 1, table, may_use=may_use))
    assert found.witness == Suffix(source=0, address=1, route=(0,), start=1, terminal=2, ejects=True)


@pytest.mark.parametrize(("passing", "entering"), [(69, 68), (69, 3), (3, 69), (4, 3)])
@pytest.mark.parametrize("alike", [True, False])
def test_sets_of_vcs_take_two_words(passing: int, entering: int, alike: bool) -> None:
    """Packets from a and b come to c over different VCs of a channel, and go on over one of two channels to d."""
    network = from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("c", "d")], directed=True)
    table = {(73, 3): [0], (0, 3): [1 + passing], (74, 3): [1 + entering], (75, 3): [71, 72]}
    table |= {(1 + passing, 3): [71], (1 + entering, 3): [71 if alike else 72], (71, 3): [EJECT], (72, 3): [EJECT]}
    assert coherence(table_relation(network, [1, 70, 1, 1], table)).coherent == alike
