"""Schwiebert and Jayasimha: 4n − 2 VCs per router, fully adaptive, one restriction, claims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unknot import replay
from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network
from unknot.network.families import hypercube, mesh, ring
from unknot.routing import EJECT, fully_adaptive, schwiebert
from unknot.verify import check
from unknot.verify.testing import check_relation


@pytest.mark.parametrize("network", [mesh(4, 4), mesh(5), mesh(3, 2, 3), hypercube(4)], ids=lambda n: n.name)
def test_claims_and_contract(network: Network) -> None:
    check_relation(schwiebert(network), compiled=False)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_vcs_of_an_inner_router(n: int) -> None:
    network = mesh(*[3] * n)
    relation = schwiebert(network)
    leaving = np.bincount(network.source, weights=relation.vcs.counts)
    assert leaving.max() == leaving[network.num_routers // 2] == 4 * n - 2


def test_every_shortest_path_may_be_taken() -> None:
    network = mesh(3, 3, 2)
    relation, free = schwiebert(network), fully_adaptive(network)
    for address in range(18):
        todo = {relation.num_vcs + source for source in range(18)}
        seen = set(todo)
        while todo:
            at = todo.pop()
            found = {c.vc for c in relation.candidates(at, address) if c.vc is not None}
            channels = {int(relation.vcs.channel[vc]) for vc in found}
            router = int(relation.vcs.router[at])
            ways = {c.vc for c in free.candidates(free.num_vcs + router, address) if c.vc is not None}
            assert channels == {int(free.vcs.channel[vc]) for vc in ways}
            todo |= found - seen
            seen |= found


def test_non_atomic_allocation_defeats_it() -> None:
    relation = schwiebert(mesh(3, 3))
    verdicts = {switching: check(relation, switching) for switching in SWITCHINGS}
    assert {s: v.deadlock_free for s, v in verdicts.items()} == {
        "saf": True, "vct": True, "wormhole": True, "wormhole-nonatomic": False,
    }  # fmt: skip
    assert "wormhole-nonatomic" not in relation.claims
    configuration = verdicts["wormhole-nonatomic"].configuration
    assert configuration is not None
    assert replay(relation, configuration).stuck


def test_the_restriction_is_needed() -> None:
    """With VC 0 of the vertical channels open to all, the fully adaptive cycle closes."""
    relation = schwiebert(mesh(3, 3))
    free, first = fully_adaptive(relation.network), relation.vcs.first

    def open_to_all(at: int, address: int, out: np.ndarray) -> int:
        here = int(relation.vcs.router[at])
        count = 0
        for c in free.candidates(free.num_vcs + here, address):
            values = [EJECT] if c.vc is None else range(int(first[c.vc]), int(first[c.vc + 1]))
            for value in values:
                out[count] = value
                count += 1
        return count

    assert check(replace(relation, rule=open_to_all), "wormhole").deadlock_free is False


def test_only_meshes() -> None:
    with pytest.raises(RelationError, match="dimension 0 is a ring"):
        schwiebert(ring(5))
