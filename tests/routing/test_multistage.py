"""Routing by tags through multistage networks: what it says, against the paths of the network, and its proofs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import unknot
from tests.papers import script
from tests.reference import multistage as naive
from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network, Places
from unknot.network.families import banyan, baseline, benes, butterfly, clos, flip_network, indirect_cube, mesh, omega
from unknot.network.stages import stages
from unknot.routing import Relation, destination_tag, fully_adaptive
from unknot.routing.parts import Addressing
from unknot_papers.multistage import Marks, marked
from unknot_papers.rcbn import composite_banyan, rcbn, rcbn_tags

primary_tags = script("methods.tags").primary_tags
rows_of = script("methods.tags").rows_of

DELTA = [omega(8), flip_network(8), baseline(16), indirect_cube(8), banyan(16), butterfly(3, 2), omega(27, 3)]
RELATIONS = [
    *(destination_tag(network) for network in DELTA[:3]),
    rcbn_tags(rcbn(16)),
    rcbn_tags(rcbn(16), choice="all"),
    rcbn_tags(rcbn(8), 2, choice="all"),
    fully_adaptive(benes(8)),
    fully_adaptive(clos(3, 2, 4)),
    fully_adaptive(composite_banyan(16)),
]


def routes(relation: Relation, source: int, address: int) -> set[tuple[int, ...]]:
    """Every sequence of channels a header may take."""

    def onward(at: int) -> set[tuple[int, ...]]:
        found: set[tuple[int, ...]] = set()
        for candidate in relation.candidates(at, address):
            if candidate.vc is None:
                found.add(())
            else:
                channel = int(relation.vcs.channel[candidate.vc])
                found |= {(channel, *rest) for rest in onward(candidate.vc)}
        return found

    return onward(relation.num_vcs + source)


@pytest.mark.parametrize("network", DELTA, ids=lambda network: network.name)
def test_destination_tags_take_the_one_path(network: Network) -> None:
    relation = destination_tag(network)
    for s, d in itertools.product(range(0, network.num_terminals, 3), range(network.num_terminals)):
        assert routes(relation, s, d) == set(naive.paths(network, s, d))


@pytest.mark.parametrize("n", [3, 4])
def test_primary_and_all_tags(n: int) -> None:
    network = rcbn(1 << n)
    row = stages(network).row
    primary, everything = rcbn_tags(network), rcbn_tags(network, choice="all")
    for s, d in itertools.product(range(0, 1 << n, 2), range(1 << n)):
        (path,) = routes(primary, s, d)
        passed = [row[network.inject[s]], *row[network.target[list(path)]]]
        assert passed == rows_of(s >> 1, primary_tags(s, d, n)).tolist()
        assert routes(everything, s, d) == set(naive.paths(network, s, d))
        first = [c for c in everything.candidates(everything.num_vcs + s, d) if c.tier == 0]
        assert [c.vc for c in first] == [path[0]]


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: f"{relation.name} on {relation.network.name}")
def test_no_deadlock_under_any_switching(relation: Relation) -> None:
    for switching in SWITCHINGS:
        verdict = unknot.verify.check(relation, switching=switching)
        assert verdict.deadlock_free
        assert verdict.certificate is not None
    delivery = unknot.deliver(relation)
    assert delivery.delivered
    assert delivery.minimal


def test_all_tags_go_round_dead_switches_and_primary_ones_do_not() -> None:
    network = rcbn(16)
    left = marked(network, Marks.of(network, ["s1r0", "s2r5", "s3r3"]))
    primary, everything = (rcbn_tags(left, choice=choice) for choice in ("primary", "all"))
    assert not unknot.deliver(primary).delivered
    assert unknot.deliver(everything).delivered
    assert unknot.verify.check(everything, "wormhole").deadlock_free
    for s, d in itertools.product(range(0, 16, 2), range(0, 16, 2)):
        assert routes(everything, s, d) == set(naive.paths(left, s, d))


def test_simulated_permutations() -> None:
    """A permutation that a network realises with the paths given flows at full load through RCBN by all tags."""
    network = rcbn(16)
    only = np.zeros((16, 16), dtype=bool)
    only[np.arange(16), np.random.default_rng(5).permutation(16)] = True
    runs = []
    for choice in ("primary", "all"):
        relation = rcbn_tags(network, choice=choice)
        relation = Relation(network, relation.vcs, relation.rule, addresses=Addressing(may_use=only))
        runs.append(unknot.simulation.simulate(relation, 0.9, warmup=500, measure=2000, switching="wormhole"))
    assert runs[0].accepted_load < runs[1].accepted_load
    assert runs[0].deadlock is runs[1].deadlock is None


@pytest.mark.parametrize("network", [benes(8), rcbn(8), clos(2, 2, 2), composite_banyan(16)], ids=str)
def test_several_paths_are_no_delta_network(network: Network) -> None:
    with pytest.raises(RelationError, match="a delta network has one path for every pair"):
        destination_tag(network)


def test_one_path_but_no_delta_network() -> None:
    """Omega(8) with the two output ports of one switch exchanged: the same network, other digits."""
    whole = omega(8)
    target = whole.target.copy()
    target[[2, 3]] = target[[3, 2]]
    odd = Network(
        "odd",
        whole.num_routers,
        whole.source,
        target,
        inject=whole.inject,
        eject=whole.eject,
        places=Places(coordinates=whole.coordinates, radices=whole.radices, dimensions=whole.dimensions),
    )
    with pytest.raises(RelationError, match=r"do not lead there from \(0,1\)"):
        destination_tag(odd)
    with pytest.raises(RelationError, match="one path for every pair"):
        destination_tag(whole.without(channels=[0]))
    with pytest.raises(RelationError, match="lacks a port"):
        destination_tag(whole.without(channels=[7]))


def test_errors() -> None:
    for routing in (destination_tag, rcbn_tags):
        with pytest.raises(NetworkError, match="no multistage network"):
            routing(mesh(2, 2))
    with pytest.raises(NetworkError, match="is no RCBN"):
        rcbn_tags(omega(16))
    with pytest.raises(RelationError, match="unknown choice 'any'"):
        rcbn_tags(rcbn(8), choice="any")
    with pytest.raises(RelationError, match="at least 1"):
        rcbn_tags(rcbn(8), 0)
    with pytest.raises(RelationError, match="too many"):
        destination_tag(omega(2**14))
    with pytest.raises(RelationError, match="choice='primary' needs none"):
        rcbn_tags(rcbn(2**13), choice="all")


def test_one_dead_switch_in_each_of_two_stages_cuts_a_pair_off() -> None:
    network = rcbn(16)
    left = marked(network, Marks.of(network, ["s1r0", "s3r7"]))
    delivery = unknot.deliver(rcbn_tags(left, choice="all"))
    assert not delivery.delivered
    assert delivery.undelivered_pairs == 4
    assert not naive.paths(left, 8, 6)
