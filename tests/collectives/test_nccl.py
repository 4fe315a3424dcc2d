"""What NCCL and RCCL choose: channels, times and files.

Figures of `nccl_known.json` come from NCCL 2.30.7's own search and model, compiled apart, on the same files.
"""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectives.machines import machine
from unknot._base.errors import NetworkError, TextError, UnknotError
from unknot_collectives.nccl import CollectiveLibrary, library_of, read_graphs, write_graphs
from unknot_collectives.nccl.choice import library_named
from unknot_collectives.nccl.parts import PATHS
from unknot_collectives.nccl.search import graph_of

CLOUD = "examples/collectives/cloud-topology.xml"
SPEEDS = [Fraction(speed) for speed in ("40", "30", "20", "18", "15", "12", "10", "9", "7", "6", "5", "4", "3")]


def made(folder: Path, text: str, **options: Any) -> CollectiveLibrary:
    (folder / "machine.xml").write_text(text)
    return library_of(folder / "machine.xml", **options)


@cache
def known(text: str, nodes: int) -> CollectiveLibrary:
    """A library that several tests look at."""
    with TemporaryDirectory() as folder:
        return made(Path(folder), text, nodes=nodes)


def shape(library: CollectiveLibrary, name: str) -> tuple[Any, ...]:
    graph = library.graphs[name]
    types = PATHS[graph.type_intra], PATHS[graph.type_inter]
    return graph.pattern, graph.cross_nic, len(graph.channels), float(graph.intra), float(graph.inter), *types


KNOWN = json.loads(Path(__file__).with_name("nccl_known.json").read_text())


@pytest.mark.long
@pytest.mark.parametrize(("text", "nodes", "shapes"), KNOWN["channels"])
def test_channels_are_those_of_the_library(text: dict[str, Any], nodes: int, shapes: dict[str, list[Any]]) -> None:
    library = known(machine(**text), nodes)
    assert {name: list(shape(library, name)) for name in shapes} == shapes


@pytest.mark.parametrize(("text", "nodes", "kind", "algorithm", "protocol", "small", "large"), KNOWN["times"])
def test_times_are_those_of_the_library(
    text: dict[str, Any],
    nodes: int,
    kind: str,
    algorithm: str,
    protocol: str,
    small: float,
    large: float,
) -> None:
    library = known(machine(**text), nodes)
    share = library.ranks if kind in ("all_gather", "reduce_scatter") else 1
    for size, time in ((1 << 14, small), (1 << 30, large)):
        found = {(one.algorithm, one.protocol): one.time for one in library.costs(kind, size / share)}
        assert found[algorithm, protocol] == pytest.approx(time, rel=1e-3)


meshes = st.integers(3, 5).flatmap(
    lambda gpus: st.tuples(
        st.just(gpus), st.lists(st.integers(0, 3), min_size=gpus * (gpus - 1) // 2, max_size=gpus * (gpus - 1) // 2)
    )
)


@given(meshes)
def test_rings_fit_and_carry_no_less_than_the_best_single_ring(
    tmp_path_factory: Any, mesh: tuple[int, list[int]]
) -> None:
    """Brute force over all rings of NVLinks: one channel at its best speed is among what the search compares."""
    gpus, counts = mesh
    pairs = [(a, b) for a in range(gpus) for b in range(a)]
    links = {end: n for (a, b), n in zip(pairs, counts, strict=True) for end in ((a, b), (b, a))}
    library = made(tmp_path_factory.mktemp("mesh"), machine(gpus, links))
    ring = library.graphs["ring"]
    used = Counter[tuple[int, int]]()
    for order in ring.channels:
        assert sorted(order) == list(range(gpus))
        used.update(pairwise([*order, order[0]]))
    if PATHS[ring.type_intra] == "NVL":
        assert all(number * ring.intra <= 20 * links[ends] for ends, number in used.items())
    orders = ([0, *rest, 0] for rest in permutations(range(1, gpus)))
    best = max(min(20 * links[ends] for ends in pairwise(order)) for order in orders)
    assert ring.rate >= max((speed for speed in SPEEDS if speed <= best), default=0)


def test_the_search_gives_back_what_it_takes(tmp_path: Path) -> None:
    library = made(tmp_path, machine(3, {(a, b): 1 for a in range(3) for b in range(3) if a != b}, nets=1), nodes=2)
    nodes = [node for some in library.system.nodes.values() for node in some]
    left = [link.left for node in nodes for link in node.links]
    for pattern in (1, 3, 4):
        graph_of(library.system, pattern)
    assert [link.left for node in nodes for link in node.links] == left


def test_seventy_two_gpus_are_searched(tmp_path: Path) -> None:
    """Channels times GPUs are more calls within each other than Python allows by itself."""
    library = made(tmp_path, machine(72, sm=100, count=18))
    assert len(library.graphs["ring"].channels) == 16


@pytest.mark.long
def test_graph_files_come_back(tmp_path: Path) -> None:
    for nodes in (1, 2):
        library = made(tmp_path, machine(4, sm=90, nets=2, count=18, rate=400_000), nodes=nodes)
        write_graphs(library, tmp_path / "graphs.xml")
        found = read_graphs(tmp_path / "graphs.xml", library.system.ranks)
        assert found == {name: library.graphs[name] for name in ("ring", "tree", "nvls")}
        again = library_of(tmp_path / "machine.xml", nodes=nodes, graph=tmp_path / "graphs.xml")
        assert again.costs("all_reduce", 1e9) == library.costs("all_reduce", 1e9)


def test_a_graph_file_takes_the_place_of_the_search(tmp_path: Path) -> None:
    """By numbers of GPUs alone, as clouds ship them."""
    order = "".join(f'<gpu dev="{gpu}"/>' for gpu in (0, 2, 1, 3))
    text = (
        '<graphs version="1"><graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="12" speedinter="12"'
        f' typeintra="SYS" typeinter="PIX" samechannels="0"><channel>{order}</channel></graph></graphs>'
    )
    (tmp_path / "own.xml").write_text(text)
    library = made(tmp_path, machine(4), graph=tmp_path / "own.xml")
    assert (library.graphs["ring"].channels, float(library.graphs["ring"].intra)) == (((0, 2, 1, 3),), 12)


GRAPH = (
    '<graphs version="1"><graph id="0" pattern="4" crossnic="0" nchannels="{}" speedintra="{}" speedinter="1"'
    ' typeintra="{}" typeinter="PIX" samechannels="0"><channel>{}</channel></graph></graphs>'
)
GPUS = "".join(f'<gpu dev="{gpu}"/>' for gpu in range(4))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<system/>", "channels are in <graphs>, not in <system>"),
        ("<graphs>\n  <graph id='0'\n", "own.xml:2:3"),
        ("<graphs/>", "there is no <channel>"),
        (GRAPH.format(2, 12, "NVL", GPUS), "nchannels=2, and it has 1 <channel>"),
        (GRAPH.format(1, "fast", "NVL", GPUS), "speedintra is a number.*got 'fast'"),
        (GRAPH.format(1, 12, "NVLINK", GPUS), "typeintra is one of C2C, LOC, NVB.*got 'NVLINK'"),
        (GRAPH.format(1, 12, "NVL", GPUS[:-14]), "each of 4 GPUs stands in a channel once; 3 do"),
        (GRAPH.format(1, 12, "NVL", GPUS.replace('"3"', '"2"')), "each of 4 GPUs stands in a channel once"),
        (GRAPH.format(1, 12, "NVL", GPUS.replace('"3"', '"9"')), "there is no GPU 9 in the topology"),
        (GRAPH.format(1, 12, "NVL", GPUS.replace('"3"', '"x"')), "dev is a number in hexadecimal; got 'x'"),
        (GRAPH.format(1, 12, "NVL", '<net dev="0"/>' + GPUS), "two <net> are needed, or none; got 1"),
    ],
)  # fmt: skip
def test_graph_files_that_cannot_be_read(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "own.xml").write_text(text)
    with pytest.raises(TextError, match=words):
        read_graphs(tmp_path / "own.xml", {gpu: gpu for gpu in range(4)})


def test_the_named_rings_of_eight_mi300x(tmp_path: Path) -> None:
    links = "".join(f'<xgmi target="0000:{16 + gpu:02x}:00.0" count="1" tclass="0x120000"/>' for gpu in range(8))
    text = machine(8, "none", sm=304)
    for gpu in range(8):
        own = links.replace(f'<xgmi target="0000:{16 + gpu:02x}:00.0" count="1" tclass="0x120000"/>', "")
        text = text.replace(
            f'<gpu dev="{gpu}" sm="304" rank="{gpu}" gdr="1"></gpu>',
            f'<gpu dev="{gpu}" sm="304" gcn="gfx942" rank="{gpu}" gdr="1">{own}</gpu>',
        )
    library = made(tmp_path, text)
    assert (library.name, shape(library, "ring")[2:4]) == ("rccl", (28, 12.0))
    assert library.costs("all_reduce", 1 << 30)[0].algorithm == "ring"
    assert library.bus_bandwidth("all_reduce", 1 << 30) == pytest.approx(333, abs=1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nccl(nodes=0)", "nodes must be"),
        ("nccl(nodes=1.5)", "nodes is a whole number"),
        ("nccl(gpu='H10')", "unknown model of a GPU 'H10'"),
        ("mpi", "unknown library 'mpi'"),
        ("rccl", "has GPUs of nccl; write nccl in place of rccl"),
        ("nccl(node=2)", "no option 'node'"),
        ("nccl(graph='absent.xml')", "absent.xml"),
    ],
)
def test_libraries_that_are_none(text: str, words: str) -> None:
    with pytest.raises(UnknotError, match=words):
        library_named(text, CLOUD)


def test_machines_that_cannot_work_together(tmp_path: Path) -> None:
    with pytest.raises(UnknotError, match="no <net>"):
        made(tmp_path, machine(4), nodes=2)
    with pytest.raises(NetworkError, match="nobody to talk to"):
        made(tmp_path, machine(1))
    with pytest.raises(NetworkError, match="no model of 'all_to_all'"):
        made(tmp_path, machine(4)).costs("all_to_all", 1)


def test_several_machines_are_one_network(tmp_path: Path) -> None:
    network = made(tmp_path, machine(2, nets=1), nodes=3).network
    assert (network.num_terminals, network.router_name(network.num_routers - 1)) == (6, "network")
    assert [network.terminal_name(t) for t in (0, 5)] == ["gpu0#0", "gpu1#2"]


@pytest.mark.long
def test_the_command_tells_the_choice_beside_the_bound() -> None:
    import unknot

    answer = unknot.collective(CLOUD, library="nccl", size="1000000000", algorithm="ring")
    assert answer.your_library == "0.64 of the bound of switches that reduce, by nvls, Simple (nccl 2.30.7)"
    rows = {(one.algorithm, one.protocol): one for one in answer.library}
    ring = rows["ring", "Simple"]
    assert (round(ring.bus_bandwidth), round(ring.of_bound, 2)) == (356, 0.85)
    assert float(ring.time) * ring.of_bound == pytest.approx(float(answer.bound))
    sizes = unknot.collective(CLOUD, library="nccl", operation="all_gather", size="1000,1000000", algorithm="direct")
    assert [int(one.size) for one in sizes.library] == [1000, 1000000]


def test_the_command_refuses_what_the_library_decides(tmp_path: Path) -> None:
    import unknot

    for options in ({"members": "0,1"}, {"routing": "minimal"}, {"root": 1, "operation": "broadcast"}, {"groups": 2}):
        with pytest.raises(UnknotError, match="--library"):
            unknot.collective(CLOUD, library="nccl", **options)
    with pytest.raises(UnknotError, match="ring"):
        unknot.collective("ring(4)", library="nccl")


def test_trees_come_back_by_farther_paths_than_they_leave() -> None:
    """Ways from a NIC to a GPU are of other types than those back, and both decide what a search can find."""
    library = library_of(Path(__file__).with_name("farther.xml"), nodes=4)
    assert shape(library, "tree") == (1, 0, 3, 48.0, 20.0, "NVL", "PHB")
    assert shape(library, "ring") == (4, 0, 3, 20.0, 20.0, "NVL", "PXN")
