"""The share of line rate: hashes against all of their choices, against another drawing, and published cases."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from itertools import chain, pairwise, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

from unknot._base.errors import RelationError
from unknot.cli.program import app
from unknot.fabrics.named import network
from unknot.network import from_edges
from unknot.routing.named import routing
from unknot.verify.hashed_flows_kernel import crc
from unknot.verify.job_flows import Job, JobRanks, job_of
from unknot.verify.line_rate import EqualPaths, Hashing, better_seeds, hashed_loads, paths_of
from unknot.verify.line_rate_answer import NEAR, line_rate

ROOT = Path(__file__).parents[2]


def paths_on(text: str, job: Job, name: str = "ospf") -> EqualPaths:
    """EqualPaths of a job on a network."""
    return paths_of(routing(network(text), name, None), job)


def slowness(paths: EqualPaths) -> np.ndarray:
    return 1 / np.asarray(paths.network.bandwidth, dtype=np.float64)


def ways(paths: EqualPaths, place: int) -> list[tuple[list[int], float]]:
    """All ways of a flow from a place: channels, and the probability."""
    first, last = paths.first[place], paths.first[place + 1]
    if first == last:
        return [([], 1.0)]
    return [
        ([int(paths.channel[i]), *way], part / int(last - first))
        for i in range(first, last)
        for way, part in ways(paths, int(paths.onward[i]))
    ]


def exactly(paths: EqualPaths, job: Job) -> tuple[float, dict[float, float]]:
    """Mean and distribution of the busiest cable's load, by all choices of all flows."""
    chance: dict[float, float] = {}
    every = [ways(paths, int(start)) for start in paths.start]
    for choice in product(*every):
        load = np.zeros(paths.network.num_channels)
        for (way, _), rate in zip(choice, job.rate, strict=True):
            load[way] += rate
        peak = float(load.max())
        chance[peak] = chance.get(peak, 0.0) + float(np.prod([part for _, part in choice]))
    return sum(peak * part for peak, part in chance.items()), chance


@pytest.mark.parametrize(("text", "gpus"), [("xgft([2, 3], [1, 2])", 2), ("xgft([2, 2, 2], [1, 2, 1])", 4)])
def test_the_busiest_cable_is_that_of_all_choices(text: str, gpus: int) -> None:
    net = network(text)
    job = job_of(range(net.num_terminals), "all_reduce", gpus)
    paths = paths_on(text, job)
    mean, chance = exactly(paths, job)
    loads = hashed_loads(paths, job, Hashing(), slowness(paths))
    assert abs(loads.peaks.mean() - mean) < 5 * loads.error + 1e-12
    for peak, part in chance.items():
        assert abs(np.mean(np.isclose(loads.peaks, peak)) - part) < 0.025
    each = np.zeros(net.num_channels)
    for start, rate in zip(paths.start, job.rate, strict=True):
        for way, part in ways(paths, int(start)):
            each[way] += rate * part
    assert np.allclose(paths.sprayed(job.rate), each)


def test_quantiles_are_those_of_a_hundred_thousand_other_hashes() -> None:
    text = "xgft([8, 4], [1, 8])"
    job = job_of(range(32), "all_reduce", 8)
    paths = paths_on(text, job)
    loads = hashed_loads(paths, job, Hashing(qps=2), slowness(paths))
    # Each leaf spreads 16 queue pairs over 8 spines, and takes in those of the leaf before by the same spines.
    random, most = np.random.default_rng(5), np.zeros(100_000)
    for _ in range(4):
        spine = random.integers(0, 8, (100_000, 16))
        count = np.stack([(spine == s).sum(axis=1) for s in range(8)])
        most = np.maximum(most, count.max(axis=0) / 2)
    for part in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert np.quantile(loads.peaks, part) == pytest.approx(np.quantile(most, part), rel=0.02)
    assert loads.peaks.mean() == pytest.approx(most.mean(), rel=0.01)


def test_one_hash_at_all_switches_uses_few_of_many_core_cables() -> None:
    """ns3-rdma issue 19: switches of two tiers with the same hash send all by one core cable each."""
    text, order = "xgft([4, 4, 4], [1, 4, 4])", np.random.default_rng(3).permutation(64)
    job = job_of(order.tolist(), "all_reduce")
    paths = paths_on(text, job)
    free, polarised = (hashed_loads(paths, job, Hashing(kind), slowness(paths)) for kind in ("independent", "same"))
    assert polarised.peaks.mean() > 1.15 * free.peaks.mean()
    assert better_seeds(paths, job, Hashing("same"), slowness(paths)).shares.mean() > polarised.shares.mean()


def test_collisions_halve_a_ring_that_spreading_cures() -> None:
    """NVIDIA/cluster-readiness-engine PR 287: an all-reduce at half of the ceiling, at it once packets are spread."""
    text = "xgft([8, 2], [1, 8])"
    ranks = JobRanks(tuple((nic,) for nic in range(16)), "all_reduce", 8)
    answer = line_rate(routing(network(text), "ospf", None), ranks, Hashing(), np.ones(32), "1")
    assert 0.3 < answer.share < 0.5
    assert answer.changes[0].changed_share == 1.0
    assert "out of order" in answer.changes[0].change
    assert not answer.thin


@pytest.mark.parametrize("seed", [0, 0xFFFFFFFF, 12345])
def test_crc_is_that_of_zlib(seed: int) -> None:
    words = [0x0A000001, 0x0A000007, 0xC12312B7]
    value = seed
    for word in words:
        value = crc(value, word)
    whole = b"".join(word.to_bytes(4, "little") for word in words)
    assert value ^ 0xFFFFFFFF == zlib.crc32(whole, seed ^ 0xFFFFFFFF)


def test_cables_down_and_tables_without_choices() -> None:
    text = "xgft([4, 2], [1, 2])"
    net = network(text)
    job = job_of(range(8), "all_reduce", 4)
    relation = routing(net, "ospf", None)
    names = {net.router_name(router): router for router in range(net.num_routers)}
    a, b = sorted((names["(0,0)"], names["(1,0)"]))
    c, d = sorted((names["(0,0)"], names["(1,1)"]))
    slow = np.ones(net.num_channels)
    ranks = JobRanks(tuple((nic,) for nic in range(8)), "all_reduce", 4)
    answer = line_rate(relation, ranks, Hashing(), slow, "1", down=frozenset({(a, b)}))
    assert answer.sprayed_load == 4.0
    assert answer.thin[0].endswith("1 full cables, 4 needed")
    with pytest.raises(RelationError, match="has no way to"):
        paths_of(relation, job, frozenset({(a, b), (c, d)}))
    with pytest.raises(RelationError, match="not two or more hosts with 3 NICs"):
        job_of(range(8), "all_reduce", 3)


def test_the_command_on_folders_of_switches_and_of_infiniband(tmp_path: Path) -> None:
    members = tmp_path / "members.txt"
    members.write_text("\n".join(f"leaf{i}  # NIC {j}" for i in range(4) for j in range(4)), encoding="utf-8")
    words = ["line-rate", str(ROOT / "examples/ethernet/frr-all-links-up"), "--members", str(members), "--json"]
    answer = json.loads(CliRunner().invoke(app, [*words, "--gpus", "4", "--qps", "4"]).stdout)
    assert (answer["members"], answer["flows"], answer["sprayed_load"]) == (16, 16, 2.0)
    assert "upper bound by the network" in answer["assumption"]
    folder = ROOT / "examples/fabrics/opensm-ring12-lash"
    answer = json.loads(CliRunner().invoke(app, ["line-rate", str(folder), "--json"]).stdout)
    assert (answer["changes"], answer["load_error"]) == ([], 0.0)
    bad = CliRunner().invoke(app, [*words, "--down", "leaf0,leaf9"])
    assert (bad.exit_code, "there is no router 'leaf9'" in bad.stderr) == (2, True)


def enumerated(graph: nx.Graph[str], pairs: list[tuple[str, str]], planes: int = 1) -> float:
    """Mean share of line rate by all choices among shortest paths of a graph, which are equally likely in a Clos."""
    every = [
        [[*pairwise(path)] for path in nx.all_shortest_paths(graph, f"{a}{plane}", f"{b}{plane}")]
        for a, b in pairs for plane in range(planes) if a != b
    ]  # fmt: skip
    shares = [1 / max(1, *Counter(chain(*choice)).values(), 0) for choice in product(*every)]
    return sum(shares) / len(shares)


def leaves_and_spines(planes: int) -> nx.Graph[str]:
    """Three leaves and two spines in each plane."""
    return nx.Graph((f"{leaf}{p}", f"s{spine}{p}") for p in range(planes) for leaf in "abc" for spine in "xy")


ROWS = {
    "aligned": ["ab", "ab", "bc", "bc"],
    "one host turned": ["ab", "ba", "bc", "bc"],
    "hosts apart": ["ab", "bc", "ab", "bc"],
    "apart and turned": ["ab", "cb", "ba", "bc"],
}


@pytest.mark.parametrize(("planes", "which"), [(1, name) for name in ROWS] + [(2, "aligned"), (2, "one host turned")])
def test_rails_and_planes_are_those_of_all_choices(planes: int, which: str) -> None:
    graph, hosts = leaves_and_spines(planes), ROWS[which]
    net = from_edges([(*edge,) for edge in graph.edges])
    number = {net.router_name(router): router for router in range(net.num_routers)}
    relation, slow = routing(net, "ospf", None), np.ones(net.num_channels)

    def ring(hosts: list[str]) -> list[tuple[str, str]]:
        return [
            (a, b)
            for one, then in zip(hosts, [*hosts[1:], hosts[0]], strict=True)
            for a, b in zip(one, then, strict=True)
        ]

    def ranks_of(hosts: list[str]) -> JobRanks:
        nics = [tuple(number[f"{nic}{plane}"] for plane in range(planes)) for host in hosts for nic in host]
        return JobRanks(tuple(nics), "all_reduce", 2)

    answer = line_rate(relation, ranks_of(hosts), Hashing(), slow, "1")
    assert answer.share == pytest.approx(enumerated(graph, ring(hosts), planes), abs=0.02)
    assert (answer.planes, answer.rails, answer.rail_aligned) == (planes, 2, which in ("aligned", "hosts apart"))
    changes = {row.change.split(":")[0]: row.changed_share for row in answer.changes}
    aligned = ["".join(sorted(host)) for host in hosts]
    for words, better in (("rail-aligned ranks", aligned), (NEAR, sorted(aligned))):
        if better == (hosts if better is aligned else aligned):
            assert words not in changes
        else:
            assert changes[words] == pytest.approx(enumerated(graph, ring(better), planes), abs=0.02)


def test_members_with_a_terminal_in_each_plane(tmp_path: Path) -> None:
    members = tmp_path / "members.txt"
    members.write_text("leaf0; leaf1\nleaf2 ; leaf3 # the second\n", encoding="utf-8")
    words = ["line-rate", str(ROOT / "examples/ethernet/frr-all-links-up"), "--members", str(members), "--json"]
    answer = json.loads(CliRunner().invoke(app, words).stdout)
    assert (answer["members"], answer["planes"], answer["flows"], answer["rails"]) == (2, 2, 4, 1)
    for text, error in (("leaf0; leaf1\nleaf2", "1 planes, but lines above have 2"), ("leaf0; x", "x")):
        members.write_text(text, encoding="utf-8")
        bad = CliRunner().invoke(app, words)
        assert (bad.exit_code, error in bad.stderr, "members.txt:" in bad.stderr) == (2, True, True)
