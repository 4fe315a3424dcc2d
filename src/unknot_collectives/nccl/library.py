"""What NCCL or RCCL does on machines of a topology file: its channels, and its algorithm for a size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from unknot._base.errors import NetworkError, require_known
from unknot._base.numbers import require_whole
from unknot.network import Network
from unknot_collectives.nccl.graph import BALANCED, DIRECT, NVLS, RING, TREE, LibraryGraph
from unknot_collectives.nccl.graph_files import read_graphs
from unknot_collectives.nccl.joined import network_of
from unknot_collectives.nccl.machine import system_of
from unknot_collectives.nccl.parts import NVL, GpuMachine
from unknot_collectives.nccl.search import graph_of
from unknot_collectives.nccl.tuning import KINDS, SPREAD, Cost, constants, costs

MOST_NODES = 100_000


@dataclass(frozen=True, eq=False)
class CollectiveLibrary:
    """NCCL or RCCL on equal machines.

    Attributes
    ----------
    name, version : str
        ``nccl`` or ``rccl``, and the version whose search and constants these are.
    system : GpuMachine
        A machine as the library sees it.
    nodes : int
        Machines.
    graphs : mapping of str to LibraryGraph
        Channels of each algorithm.
    sharp : bool
        Whether switches between machines reduce (SHARP, with its plugin).
    filled : tuple of str
        What the topology file lacks, and was taken instead.
    path : Path
        The topology file.

    Examples
    --------
    >>> library_of("examples/collectives/cloud-topology.xml", nodes=2).ranks
    16
    """

    name: str
    version: str
    system: GpuMachine
    nodes: int
    graphs: Mapping[str, LibraryGraph]
    sharp: bool
    filled: tuple[str, ...]
    path: Path

    @cached_property
    def network(self) -> Network:
        """The machines, with GPUs as terminals, and one switch that joins their NICs."""
        return network_of(
            self.system, self.nodes, f"{self.nodes} × {self.path.name}" if self.nodes > 1 else self.path.name
        )

    @property
    def ranks(self) -> int:
        """GPUs of all machines."""
        return self.nodes * len(self.system.gpus)

    @property
    def channels(self) -> int:
        """Channels of rings and trees at run time: twice as many as the search found."""
        ring = self.graphs["ring"]
        count = min(2 * len(ring.channels), 64)
        new = not self.system.amd and self.system.sm >= 90 and self.nodes > 1
        return 2 * count if new and ring.intra > 45 and count < 16 else count

    def costs(self, kind: str, size: float) -> list[Cost]:
        """Return what each algorithm with each protocol costs for bytes of a vector or a block, the choice first.

        Raises
        ------
        NetworkError
            For an operation that the library has no model of.
        """
        require_known("the library has no model of", kind, KINDS, NetworkError)
        return costs(self, kind, size * (self.ranks if kind in SPREAD else 1))

    def bus_bandwidth(self, kind: str, size: float, time: float = 0.0) -> float:
        """Return GB/s as nccl-tests count them, what a wire carries in a ring; by default of the choice."""
        total, ranks = size * (self.ranks if kind in SPREAD else 1), self.ranks
        share = {"all_reduce": 2 * (ranks - 1) / ranks}.get(kind, (ranks - 1) / ranks if kind in SPREAD else 1)
        return total * share / (1000 * (time or self.costs(kind, size)[0].time))


def library_of(
    path: str | Path, *, nodes: int = 1, gpu: str = "", nic: int = 0, sharp: bool = False, graph: str | Path = ""
) -> CollectiveLibrary:
    """Return what the library does on machines of a topology file.

    Parameters
    ----------
    path : str or Path
        Topology of one machine, as NCCL and RCCL write it, or as clouds ship it.
    nodes : int
        Equal machines, joined at all their NICs by a network that is never the bottleneck.
    gpu : str
        Model of GPUs that the file only has as PCIe devices: V100, A100, H100, B200, B300 or A10G.
    nic : int
        Gbit/s of NICs that the file only has as PCIe devices.
    sharp : bool
        Whether switches between machines reduce.
    graph : str or Path
        NCCL_GRAPH_FILE: channels that the library takes in place of those that it finds.

    Returns
    -------
    CollectiveLibrary
        Its channels and what it knows of a machine.

    Raises
    ------
    TextError
        If the file is none, with line and column for damaged XML.

    Examples
    --------
    >>> library = library_of("examples/collectives/cloud-topology.xml")
    >>> library.name, len(library.graphs["ring"].channels)
    ('nccl', 12)
    >>> choice = library.costs("all_reduce", 10**9)[0]
    >>> choice.algorithm, choice.protocol
    ('nvls', 'Simple')
    """
    require_whole("nodes", nodes, 1, MOST_NODES, error=NetworkError)
    require_whole("nic", nic, 0, 10_000, unit="Gbit/s", error=NetworkError)
    system, filled = system_of(path, inter=nodes > 1, gpu=gpu, nic=nic)
    if nodes * len(system.gpus) < 2:
        raise NetworkError(f"{path}: one GPU alone has nobody to talk to; give nodes=2")
    name = "rccl" if system.amd else "nccl"
    graphs = _named_graphs(system) if system.amd else None
    if graphs is None:
        ring = graph_of(system, RING)
        count = len(ring.channels)
        tree = graph_of(system, BALANCED, count, count)
        least = min(count, len(tree.channels))
        graphs = {
            "tree": replace(tree, channels=tree.channels[:least]),
            "ring": replace(ring, channels=ring.channels[:least]),
        }
        if sharp and nodes > 1:
            graphs["collnet_direct"] = graph_of(system, DIRECT, 1, 64, collnet=True)
            graphs["collnet_chain"] = graph_of(system, TREE, count, count, collnet=True)
        if not system.amd:
            if len(system.gpus) > 1:
                graphs["nvls"] = graphs["nvls_tree"] = graph_of(system, NVLS, 1, 64)
            graphs["pat"] = graphs["tree"]
    if graph:
        graphs |= {
            key: one for key, one in read_graphs(graph, system.ranks).items() if key in graphs and one.channels
        }
        graphs |= {twin: graphs[key] for key, twin in (("nvls", "nvls_tree"), ("tree", "pat")) if twin in graphs}
    version = constants(name)["version"]
    return CollectiveLibrary(name, version, system, nodes, MappingProxyType(graphs), sharp, tuple(filled), Path(path))


def _named_graphs(system: GpuMachine) -> dict[str, LibraryGraph] | None:
    """Return RCCL's own rings for eight MI300X, each linked to each, alone or with eight NICs."""
    gpus, nets = system.gpus, len(system.nets) * system.inter
    orders = constants("rccl")["rings"].get(str(nets))
    near = all(a.paths[b].kind == NVL for a in gpus for b in gpus if a is not b)
    new = all(gpu.facts.get("gcn", "").removeprefix("gfx").startswith("94") for gpu in gpus)
    if len(gpus) != 8 or orders is None or not near or not new:
        return None
    rate = Fraction(system.total_rate, 1000 * len(orders))
    inner = tuple(tuple(one[1:-1] if nets else one) for one in orders)
    ports = tuple((one[0], one[-1]) for one in orders) if nets else ()
    ring = LibraryGraph(
        RING, rate, rate, NVL, system.gpus[0].paths[system.nets[0]].kind if nets else 0, 0, False, inner, ports
    )
    return {"tree": replace(ring, pattern=BALANCED), "ring": ring}
