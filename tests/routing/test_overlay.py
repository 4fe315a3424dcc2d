"""Virtual networks laid over one another: VNOF and its instance PBFAA."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from unknot import replay
from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network, from_edges
from unknot.network.families import mesh, torus
from unknot.routing import EJECT, Relation, dimension_order, duato, fully_adaptive, overlay, pbfaa, vba
from unknot.routing.named import routing
from unknot.verify import check, deliver
from unknot.verify.testing import check_relation


@pytest.mark.parametrize(("network", "returns"), [(mesh(4), True), (mesh(3, 3), False), (mesh(2, 3, 2), True)])
def test_claims_and_contract(network: Network, returns: bool) -> None:
    relation = overlay(network, returns=returns)
    assert relation.claims_minimal is True
    check_relation(relation, compiled=False)


def test_on_a_mesh_it_is_duato_where_messages_may_return() -> None:
    network = mesh(3, 3)
    ours, theirs = overlay(network, 3), duato(network, 3)
    for at, address in itertools.product(range(ours.num_vcs + 9), range(9)):
        assert {(c.vc, c.tier) for c in ours.candidates(at, address)} == {
            (c.vc, c.tier) for c in theirs.candidates(at, address)
        }


def test_who_may_not_return_keeps_to_the_base() -> None:
    network = mesh(3, 3)
    relation, base = overlay(network, 3, returns=False), dimension_order(network)
    first = relation.vcs.first[:-1]
    for channel, address in itertools.product(range(network.num_channels), range(9)):
        found = {c.vc for c in relation.candidates(int(first[channel]), address)}
        expected = {None if c.vc is None else int(first[c.vc]) for c in base.candidates(channel, address)}
        assert found == expected
        for k in (1, 2):
            both = relation.candidates(int(first[channel]) + k, address)
            assert {c.vc for c in both if c.tier == 1} == expected - {None}


def test_parts_keep_what_their_vcs_say() -> None:
    """VBA as the base: a header on a base VC is asked at its own VC, one from above as if injected."""
    network = mesh(3, 3, 2)
    relation, base = overlay(network, base="vba", returns=False), vba(network)
    first, virtual = relation.vcs.first[:-1], relation.vcs
    assert set(virtual.counts.tolist()) == {5}

    def outside(vcs: set[int | None]) -> set[int | None]:
        return {None if v is None else int(first[base.vcs.channel[v]] + base.vcs.index[v]) for v in vcs}

    for address in range(network.num_terminals):
        todo = [base.num_vcs + t for t in range(network.num_terminals)]
        seen = set(todo)
        while todo:
            at = todo.pop()
            steps = {c.vc for c in base.candidates(at, address)}
            if at < base.num_vcs:
                (here,) = outside({at})
                assert {c.vc for c in relation.candidates(here, address)} == outside(steps)  # type: ignore[arg-type]
            new = {v for v in steps if v is not None} - seen
            seen |= new
            todo += new


def test_vcs_that_differ_by_channel() -> None:
    relation = overlay(mesh(3, 3), base="lcfaa", over=["dimension_order", "fully_adaptive(vcs=2)"])
    assert set(relation.vcs.counts.tolist()) == {4, 5}
    delivery = deliver(relation)
    assert delivery.delivered
    assert delivery.minimal


def test_a_base_that_cannot_deadlock_is_not_enough_under_wormhole_switching() -> None:
    """The framework's claim is kept, and refuted for negative-first where messages come back from the base."""
    network = mesh(4, 4)
    relation, one_way = pbfaa(network), pbfaa(network, returns=False)
    assert check(routing(network, "negative_first"), "wormhole").deadlock_free
    assert relation.claims == one_way.claims == {"saf": True, "vct": True, "wormhole": True}
    assert [check(relation, s).deadlock_free for s in SWITCHINGS] == [s in ("saf", "vct") for s in SWITCHINGS]
    assert [check(one_way, s).deadlock_free for s in SWITCHINGS] == [s != "wormhole-nonatomic" for s in SWITCHINGS]
    found = check(relation, "wormhole").configuration
    assert found is not None
    assert replay(relation, found).stuck


@pytest.mark.parametrize("network", [mesh(4), mesh(3, 2, 2)], ids=lambda n: n.name)
def test_pbfaa_without_return_is_as_claimed(network: Network) -> None:
    check_relation(pbfaa(network, returns=False), compiled=False)


def test_what_cannot_be_laid_over() -> None:
    network = mesh(3, 3)
    with pytest.raises(RelationError, match="cannot be shared out"):
        overlay(network, 1)
    with pytest.raises(RelationError, match="at least one routing"):
        overlay(network, over=[])
    with pytest.raises(RelationError, match="one address for each terminal"):
        overlay(network, base="o1turn")
    with pytest.raises(RelationError, match="has no terminal"):
        overlay(
            Network(
                "corner", 3, np.array([0, 1, 2]), np.array([1, 2, 0]), inject=np.array([0, 2]), eject=np.array([0, 2])
            ),
            base="fully_adaptive",
        )
    with pytest.raises(RelationError, match="pbfaa needs a mesh"):
        pbfaa(torus(4, 4))


def test_any_network_with_a_base_for_it() -> None:
    network = from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])
    relation = overlay(network, 3, base="fully_adaptive")
    assert relation.claims == {}
    assert isinstance(relation, Relation)
    plain = fully_adaptive(network, 3)
    for at, address in itertools.product(range(relation.num_vcs + 4), range(4)):
        ours = {EJECT if c.vc is None else c.vc for c in relation.candidates(at, address)}
        assert ours == {EJECT if c.vc is None else c.vc for c in plain.candidates(at, address)}
