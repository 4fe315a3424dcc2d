"""Cubes joined by optical switches, beside all settings of the switches, and flows before the checker."""

from __future__ import annotations

import copy
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from unknot import NetworkError
from unknot._base.errors import TextError
from unknot.certificates import Rejected, plain
from unknot.certificates.documents import network_of
from unknot.network import Network
from unknot.network.families import mesh, ring, torus, twisted_torus
from unknot.network.metrics import measure
from unknot.synthesis.topology import LinkLimits, cubes, designed, read_limits, requested, throughput_of
from unknot.synthesis.topology.request import hop_counts


@pytest.mark.parametrize(("sides", "count"), [((3, 3), 2), ((3,), 4)])
def test_switches_are_set_best_of_all_ways(sides: tuple[int, ...], count: int) -> None:
    nodes, limits = cubes(*sides, count=count)
    wanted = requested(nodes, ports=2 * len(sides), limits=limits)
    hops = []
    for settings in product(permutations(range(count)), repeat=len(limits.switches)):
        links = wanted.required.copy()
        for (one, other), setting in zip(limits.switches, settings, strict=True):
            links[one, np.take(other, setting)] = links[np.take(other, setting), one] = True
        if ((far := hop_counts(links)) >= 0).all():
            hops.append(int(far.sum()))
    made = designed(wanted, "hops", moves=50_000)
    assert made.total_hops == min(hops)
    assert made.least_hops <= min(hops)
    assert made.evidence_holds
    # Each port of a switch is in use once.
    for one, other in limits.switches:
        joined = [(u, v) for u, v in zip(made.network.source, made.network.target, strict=True) if u in one]
        assert sorted(v for _, v in joined if v in other) == sorted(other)


@pytest.mark.parametrize(
    ("count", "plain_torus", "twisted"), [(2, (8, 4, 4), twisted_torus(8, 4, 4)), (4, (8, 8, 4), None)]
)
def test_known_settings_are_the_tori(count: int, plain_torus: tuple[int, ...], twisted: Network | None) -> None:
    nodes, limits = cubes(4, 4, 4, count=count)
    known = requested(nodes, ports=6, limits=limits, symmetry=count).known
    size = nodes.num_routers
    mean = {name: hop_counts(links).sum() / (size * (size - 1)) for name, links in known.items()}
    name = f"torus({', '.join(map(str, plain_torus))})"
    assert mean[name] == pytest.approx(measure(torus(*plain_torus)).mean_distance)
    if twisted is not None:
        assert mean[f"twisted {name}"] == pytest.approx(measure(twisted).mean_distance)
    assert mean["cubes in turn"] <= mean[f"twisted {name}"] < mean[name]


@pytest.mark.long
def test_annealed_cubes_carry_more_than_the_twisted_torus_by_proof() -> None:
    nodes, limits = cubes(4, 4, 4, count=4)
    wanted = requested(nodes, ports=6, limits=limits, symmetry=4)
    turn = wanted.network_of(wanted.known["cubes in turn"], "cubes in turn")
    ours, twisted = (
        throughput_of(turn, image=wanted.image),
        wanted.network_of(wanted.known["twisted torus(8, 8, 4)"], "twisted"),
    )
    bound = throughput_of(twisted)
    assert ours.flows is not None
    assert ours.flows.evidence_holds(turn)
    assert bound.evidence.evidence_holds(twisted)
    assert ours.least > 1.14 * bound.most


def test_forged_flows_are_rejected() -> None:
    network = ring(5)
    found = throughput_of(network, image=(np.arange(5) + np.arange(5)[:, None]) % 5)
    assert found.flows is not None
    claim, about = found.flows.claim, plain.Network(network_of(network))
    plain.check(about, None, claim)
    for name, forged in (
        ("least", [claim["least"][0] + 1, claim["least"][1]]),
        ("images", claim["proof"]["images"][1:]),
        ("images", [*claim["proof"]["images"][1:], [1, 0, 2, 3, 4]]),
        ("images", [*claim["proof"]["images"][1:], [0, 0, 2, 3, 4]]),
        ("sources", [0, 1]),
        ("flows", []),
        ("flows", [[0] * network.num_channels]),
        ("parts", claim["proof"]["parts"] + 1),
    ):
        other = copy.deepcopy(claim)
        (other if name in other else other["proof"])[name] = forged
        with pytest.raises(Rejected):
            plain.check(about, None, other)


def test_switches_of_a_file_are_set(tmp_path: Path) -> None:
    path = tmp_path / "limits.toml"
    path.write_text('[[switches]]\nfrom = ["r0", "r1", "r2"]\nto = ["r3", "r4", "r5"]\n')
    nodes = Network("nodes", 6, [], [])
    limits = read_limits(path, nodes)._replace(required=((0, 1), (1, 2), (3, 4), (4, 5)))
    made = designed(requested(nodes, ports=3, limits=limits), "hops", moves=20_000)
    found = {(int(u), int(v)) for u, v in zip(made.network.source, made.network.target, strict=True) if u < 3 <= v}
    assert {u for u, _ in found} == {0, 1, 2}
    assert {v for _, v in found} == {3, 4, 5}
    path.write_text('[[switches]]\nfrom = ["r0", "r1"]\nto = ["r3"]\n')
    with pytest.raises(TextError, match=r"limits.toml:1:1: a switch has as many nodes"):
        read_limits(path, nodes)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"ports": 4, "limits": LinkLimits(switches=(((0,), (8,)), ((8,), (0,))))}, "can be joined by two of them"),
        ({"ports": 4, "both_ways": False, "limits": LinkLimits(switches=(((0,), (8,)),))}, "leave out --one-way"),
        ({"ports": 4, "reach": 1.0, "limits": LinkLimits(switches=(((0,), (8,)),))}, "beyond the reach"),
        ({"ports": 4, "keep": True, "limits": LinkLimits(switches=(((4,), (0,)),))}, r"5 links from \(1,1\)"),
    ],
)
def test_conflicts_of_switches_are_named(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(NetworkError, match=sentence):
        requested(mesh(3, 3), **options)  # type: ignore[arg-type]


def test_cubes_have_sides_and_limits() -> None:
    for sides, count in (((2, 4, 4), 2), ((16, 16, 16), 2), ((), 1)):
        with pytest.raises(NetworkError, match="sides of at least 3 nodes and at most 4096 nodes"):
            cubes(*sides, count=count)
    with pytest.raises(NetworkError, match="count is the number of cubes, at least 1; got 0"):
        cubes(4, 4, 4, count=0)
