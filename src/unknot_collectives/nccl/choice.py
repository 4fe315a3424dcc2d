"""What the library chooses beside the best that the network allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unknot._base.calls import apply, chosen, parse_call
from unknot._base.errors import NetworkError
from unknot_collectives.nccl.graph_files import write_graphs
from unknot_collectives.nccl.library import CollectiveLibrary, library_of

if TYPE_CHECKING:
    from unknot_collectives.evidence import Bound

NAMES = ("nccl", "rccl")


@dataclass(frozen=True)
class LibraryChoice:
    """An algorithm of the library with a protocol, for a size.

    Attributes
    ----------
    size : int
        Bytes.
    algorithm, protocol : str
        The choice, or what the library passes over.
    channels : int
        Channels of the search; rings and trees run on each twice.
    time : float
        Nanoseconds by the library's own model.
    bus_bandwidth : float
        GB/s as nccl-tests count them.
    of_bound : float
        Bound over time; of an all-reduce in switches that reduce the bound is that of one reduction.
    """

    size: int
    algorithm: str
    protocol: str
    channels: int
    time: float
    bus_bandwidth: float
    of_bound: float


def library_named(text: str, path: str, where: str = "<library>") -> CollectiveLibrary:
    """Return the library of a text such as ``nccl`` or ``nccl(nodes=2, sharp=True)`` on the machine of a file.

    Raises
    ------
    TextError
        At the place that is wrong.
    """

    def made(
        nodes: int = 1, gpu: str = "", nic: int = 0, sharp: bool = False, graph: str = "", dump: str = ""
    ) -> CollectiveLibrary:
        library = library_of(path, nodes=nodes, gpu=gpu, nic=nic, sharp=sharp, graph=graph)
        if library.name != call.name:
            raise call.error(f"{path} has GPUs of {library.name}; write {library.name} in place of {call.name}")
        if dump:
            write_graphs(library, dump)
        return library

    call = parse_call(text, where)
    return apply(call, chosen(call, dict.fromkeys(NAMES, made), "library"))


def choices(
    library: CollectiveLibrary, kind: str, sizes: Sequence[int], bounds: Sequence[Bound], reducing: Sequence[Bound]
) -> list[LibraryChoice]:
    """Return the choice for each size; for one size what is passed over, too.

    Parameters
    ----------
    library : CollectiveLibrary
    kind : str
    sizes : sequence of int
    bounds, reducing : sequence of Bound
        For each size: the bound when GPUs alone reduce, and when switches do.

    Raises
    ------
    NetworkError
        For an operation that the library has no model of.
    """
    rows = []
    for size, alone, within in zip(sizes, bounds, reducing, strict=True):
        costs = library.costs(kind, size)
        if not costs:
            raise NetworkError(f"the library runs {kind} by no algorithm on this machine")
        for cost in costs if len(sizes) == 1 else costs[:1]:
            bound = alone if cost.algorithm in ("ring", "tree", "pat") else within
            rows.append(
                LibraryChoice(
                    size, cost.algorithm, cost.protocol, cost.channels, 1000 * cost.time,
                    library.bus_bandwidth(kind, size, cost.time), float(bound.time) / (1000 * cost.time),
                )
            )  # fmt: skip
    return rows
