"""Files for NCCL_GRAPH_FILE: channels in place of a search, read and written as the library does."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import NetworkError
from unknot._base.output import write_text
from unknot.fabrics.graph_files import errors_of
from unknot_collectives.nccl.graph import DIRECT, LibraryGraph
from unknot_collectives.nccl.parts import PATHS, SYS

if TYPE_CHECKING:
    from unknot.fabrics.xml_file import XmlElement
    from unknot_collectives.nccl.library import CollectiveLibrary

NUMBERS = ("ring", "tree", "collnet_chain", "nvls", "collnet_direct")
"""Algorithms by the number of their graph."""
HEADS_ALONE = "nvls"
"""Algorithm of which a channel names one GPU, its head."""
FARTHEST = 1 << 20


def write_graphs(library: CollectiveLibrary, path: str | Path) -> None:
    """Write the channels of all algorithms.

    Parameters
    ----------
    library : CollectiveLibrary
        Whose channels.
    path : str or Path
        File for NCCL_GRAPH_FILE.

    Examples
    --------
    >>> from unknot_collectives.nccl import library_of
    >>> from tempfile import TemporaryDirectory
    >>> library = library_of("examples/collectives/cloud-topology.xml")
    >>> with TemporaryDirectory() as folder:
    ...     write_graphs(library, f"{folder}/graphs.xml")
    """
    rows, dev = ['<graphs version="1">'], {gpu.number("rank"): gpu.number("dev") for gpu in library.system.gpus}
    for number, name in enumerate(NUMBERS):
        graph = library.graphs.get(name)
        if graph is None or not graph.channels:
            continue
        types = [PATHS[min(kind, SYS)] for kind in (graph.type_intra, graph.type_inter)]
        rows.append(
            f'  <graph id="{number}" pattern="{graph.pattern}" crossnic="{graph.cross_nic}"'
            f' nchannels="{len(graph.channels)}" speedintra="{float(graph.intra):g}"'
            f' speedinter="{float(graph.inter):g}" latencyinter="{graph.latency:g}"'
            f' typeintra="{types[0]}" typeinter="{types[1]}" samechannels="{int(graph.alike)}">'
        )
        for at, ranks in enumerate(graph.channels):
            ends = graph.ports[at] if graph.ports else ()
            inner = [f'<gpu dev="{dev[rank]:#x}" rank="{rank}"/>' for rank in ranks]
            nets = [f'<net dev="{end:#x}"/>' for end in ends]
            rows += ["    <channel>", *(f"      {one}" for one in [*nets[:1], *inner, *nets[1:]]), "    </channel>"]
        rows.append("  </graph>")
    write_text(path, "\n".join([*rows, "</graphs>"]) + "\n")


def read_graphs(path: str | Path, ranks: Mapping[int, int]) -> dict[str, LibraryGraph]:
    """Read channels by algorithm.

    Parameters
    ----------
    path : str or Path
        File for NCCL_GRAPH_FILE.
    ranks : mapping of int to int
        Rank of each GPU by its number, for files that name GPUs by number alone.

    Returns
    -------
    dict of str to LibraryGraph
        By the name of the algorithm.

    Raises
    ------
    TextError
        With line and column for what is not XML; with the element for what the library would not take.

    Examples
    --------
    >>> from unknot_collectives.nccl import library_of
    >>> from tempfile import TemporaryDirectory
    >>> library = library_of("examples/collectives/cloud-topology.xml")
    >>> with TemporaryDirectory() as folder:
    ...     write_graphs(library, f"{folder}/graphs.xml")
    ...     read = read_graphs(f"{folder}/graphs.xml", {gpu: gpu for gpu in range(8)})
    ...
    >>> read == {name: graph for name, graph in library.graphs.items() if name in ("ring", "tree", "nvls")}
    True
    """
    from unknot.fabrics.xml_file import read_xml

    root, found = read_xml(path), dict[str, LibraryGraph]()
    with errors_of(path, "XML"):
        if root.tag != "graphs":
            raise NetworkError(f"channels are in <graphs>, not in <{root.tag}>")
        for element in root.iter("graph"):
            number = element.number("id", 0, 1000)
            if number < len(NUMBERS):
                found[NUMBERS[number]] = _graph(element, NUMBERS[number], ranks)
        if not any(graph.channels for graph in found.values()):
            raise NetworkError("there is no <channel> of an algorithm in it")
    return found


def _graph(element: XmlElement, name: str, ranks: Mapping[int, int]) -> LibraryGraph:
    channels = [_channel(one, name, ranks) for one in element.findall("channel")]
    if len(channels) != element.number("nchannels", 0, 64):
        raise element.error(f"nchannels={element.get('nchannels')}, and it has {len(channels)} <channel>")
    types = [PATHS.index(element.word(key, PATHS[: SYS + 1])) for key in ("typeintra", "typeinter")]
    ports = tuple(ends for _, ends in channels if ends)
    if len(ports) not in (0, len(channels)):
        raise element.error("all channels have two <net>, or none has")
    return LibraryGraph(
        element.number("pattern", 1, DIRECT), _rate(element, "speedintra"), _rate(element, "speedinter"),
        types[0], types[1], element.number("crossnic", 0, 2), bool(element.number("samechannels", 0, 1)),
        tuple(order for order, _ in channels), ports, float(_rate(element, "latencyinter", "0")),
    )  # fmt: skip


def _rate(element: XmlElement, key: str, usual: str = "") -> Fraction:
    word = element.get(key, usual) or element.word(key)
    try:
        rate = Fraction(word)
    except (ValueError, ZeroDivisionError):
        rate = Fraction(-1)
    if not 0 <= rate <= FARTHEST:
        raise element.error(f"{key} is a number of GB/s or µs; got {word[:40]!r}")
    return rate


def _channel(
    element: XmlElement, name: str, ranks: Mapping[int, int]
) -> tuple[tuple[int, ...], tuple[int, int] | None]:
    order, ends = list[int](), list[int]()
    for one in element:
        if one.tag == "net":
            ends.append(_device(one))
        elif one.tag == "gpu":
            dev = _device(one)
            rank = one.number("rank") if "rank" in one.attrib else ranks.get(dev, -1)
            if rank not in ranks.values():
                raise one.error(f"there is no GPU {one.get('rank', dev)} in the topology")
            order.append(rank)
    if len(set(order)) < len(order) or len(order) not in (len(ranks), 1 if name == HEADS_ALONE else len(ranks)):
        raise element.error(f"each of {len(ranks)} GPUs stands in a channel once; {len(order)} do")
    if len(ends) not in (0, 2):
        raise element.error(f"two <net> are needed, or none; got {len(ends)}")
    return tuple(order), (ends[0], ends[1]) if ends else None


def _device(element: XmlElement) -> int:
    """Return a number in hexadecimal, as the library reads it; what stands above 24 bits names the host."""
    word = element.word("dev")
    try:
        return int(word, 16) & 0xFFFFFF
    except ValueError as error:
        raise element.error(f"dev is a number in hexadecimal; got {word[:40]!r}") from error
