"""The library's model of time, by which it chooses algorithm and protocol: latency plus bytes over a bandwidth.

Constants are in `constants.json` with their source; microseconds, GB/s.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from unknot_collectives.nccl.graph import TREE
from unknot_collectives.nccl.parts import NVB, NVL, PXB, PXN

if TYPE_CHECKING:
    from unknot_collectives.nccl.library import CollectiveLibrary

PROTOCOLS = ("LL", "LL128", "Simple")
"""Protocols: data with a flag in 8 bytes, in 128 bytes, and data apart from flags."""
LL, LL128, SIMPLE = range(3)
ROOTED = ("broadcast", "reduce")
SPREAD = ("all_gather", "reduce_scatter")
KINDS = (*ROOTED, *SPREAD, "all_reduce")
"""Operations of the library that have a model."""


@dataclass(frozen=True)
class Cost:
    """An algorithm with a protocol.

    Attributes
    ----------
    algorithm : str
        tree, ring, nvls, nvls_tree, collnet_direct, collnet_chain or pat.
    protocol : str
        One of `PROTOCOLS`.
    channels : int
        Channels that the search found for it.
    latency : float
        Microseconds without data.
    bandwidth : float
        GB/s of the operation's bytes without latency.
    time : float
        Microseconds for the size.

    Examples
    --------
    >>> from unknot_collectives.nccl import library_of
    >>> library = library_of("examples/collectives/cloud-topology.xml")
    >>> [(one.protocol, round(one.time)) for one in library.costs("broadcast", 10**6)]
    [('LL', 14), ('Simple', 15), ('LL128', 19)]
    """

    algorithm: str
    protocol: str
    channels: int
    latency: float
    bandwidth: float
    time: float


@cache
def constants(name: str) -> Any:
    """Constants of ``nccl`` or ``rccl``."""
    return json.loads((files(__package__) / "constants.json").read_text())[name]


def costs(library: CollectiveLibrary, kind: str, size: float) -> list[Cost]:
    """Return what each algorithm with each protocol costs, the cheapest first; what the library excludes is left out.

    Parameters
    ----------
    library : CollectiveLibrary
    kind : str
        One of `KINDS`.
    size : float
        Bytes of the vector; for all_gather and reduce_scatter all blocks together.
    """
    found = []
    for algorithm, graph in library.graphs.items():
        for protocol, name in enumerate(PROTOCOLS):
            one = _Model(library, kind, algorithm, protocol)
            rate = one.rate() if graph.channels and one.allowed() else 0.0
            if rate > 0:
                latency = one.latency()
                rate *= one.share
                time = latency * one.plateau(size) + size / (1000 * rate * one.correction(size))
                found.append(Cost(algorithm, name, len(graph.channels), latency, rate, time))
    return sorted(found, key=lambda one: one.time)


class _Model:
    """What an algorithm with a protocol costs."""

    def __init__(self, library: CollectiveLibrary, kind: str, algorithm: str, protocol: int) -> None:
        self.library, self.kind, self.algorithm, self.protocol = library, kind, algorithm, protocol
        self.graph, self.amd, self.nodes = library.graphs[algorithm], library.system.amd, library.nodes
        self.each, self.ranks = len(library.system.gpus), library.ranks
        self.table = constants(library.name)
        sm, vendor = library.system.sm, library.system.vendor
        self.age = sum(sm >= least for least in (80, 90, 100))
        self.many = min(self.nodes, 3) - 1
        self.of_ll = self.age if self.nodes == 1 else int(vendor == "AuthenticAMD")
        if self.amd:
            gcn = library.system.gpus[0].facts.get("gcn", "").removeprefix("gfx")
            known = self.table["models"]
            self.model = known["gfx94" if gcn.startswith("94") else ""]

    def allowed(self) -> bool:
        """Whether the library runs the operation so on this machine."""
        kind, algorithm, protocol, graph = self.kind, self.algorithm, self.protocol, self.graph
        if kind in ROOTED and algorithm != "ring":
            return False
        if kind in SPREAD and algorithm not in ("ring", "nvls", "collnet_direct", "pat"):
            return False
        if algorithm == "pat" and (kind not in SPREAD or self.each > 1 or self.nodes == 1):
            return False
        plain = protocol == SIMPLE
        if algorithm not in ("ring", "tree") and not plain:
            return False
        if algorithm in ("nvls", "nvls_tree") and len(graph.channels) < 2:
            return False
        if algorithm == "nvls_tree" and self.nodes == 1:
            return False
        needs_sharp = algorithm.startswith("collnet") or (algorithm == "nvls" and self.nodes > 1)
        if needs_sharp and not self.library.sharp:
            return False
        if needs_sharp and kind in SPREAD and self.each > len(graph.channels):
            return False
        if algorithm == "collnet_direct" and not self.library.system.nodes["nvs"]:
            return False
        if self.amd:
            flat = self.nodes == 1 and self._is_new()
            return protocol != LL128 and not (algorithm == "tree" and plain and flat)
        sm = self.library.system.sm
        farthest = PXN if sm >= 90 else PXB
        return protocol != LL128 or (graph.type_inter <= farthest and graph.type_intra <= NVB and sm >= 70)

    def _is_new(self) -> bool:
        return self.library.system.gpus[0].facts.get("gcn", "").removeprefix("gfx").startswith("94")

    def rate(self) -> float:
        """GB/s on the wires of all channels."""
        graph, count, algorithm = self.graph, len(self.graph.channels), self.algorithm
        intra, inter = float(graph.intra), float(graph.inter)
        each = intra if self.nodes <= 2 or algorithm.startswith("collnet") else inter
        if self.amd:
            rate = count * each * self.model["ratio"][self.nodes > 2][algorithm][self.protocol]
            slow = algorithm == "ring" and self.protocol == LL and self.kind in ROOTED
            return float(rate * 1.65 if slow and self._is_new() and self.nodes == 1 else rate)
        table, at = self.table, self.many
        if algorithm.startswith("nvls"):
            each = intra * float(table["nvls_efficiency"][self.age]) * (count - 1) / count
            each *= 2 if self.kind == "all_reduce" else (self.each - 1) / self.each
            tree = algorithm == "nvls_tree"
            each = min(each, inter * (2 if tree and self.nodes <= 2 else 1))
            return count * min(each, float(table["nvls_tree"][self.age][at]) if tree else each)
        rate = count * each
        if algorithm == "ring":
            if self.protocol == LL:
                return min(float(table["ll"][self.of_ll][at]), rate / 2)
            limit = count * float(table["ring_ll128"][self.age][at])
            return min(rate * 0.92, limit) if self.protocol == LL128 else rate
        if algorithm == "tree":
            return self._tree(rate)
        if algorithm == "pat":
            return rate * 0.75
        return self._collnet(rate)

    def _tree(self, rate: float) -> float:
        table, at, count = self.table, self.many, len(self.graph.channels)
        rate = min(rate * 0.92, count * float(table["tree"][self.age][at]))
        if self.protocol == LL:
            rate = min(rate / 3.8, float(table["ll"][self.of_ll][at]))
        if self.protocol == LL128:
            rate = min(rate * (7 / 9 if self.nodes == 1 else 120 / 128), count * table["tree_ll128"][self.age][at])
        return rate * 0.85 if self.graph.pattern == TREE else rate

    def _collnet(self, rate: float) -> float:
        if self.algorithm == "collnet_chain":
            return rate
        if self.kind in SPREAD:
            return self.each * min(float(self.graph.intra), float(self.graph.inter) * 0.9)
        sharing = self.each / len(self.graph.channels)
        return rate / (sharing - (sharing - 1) / 2) * (0.85 if self.library.system.sm >= 90 else 1)

    @property
    def share(self) -> float:
        """Bytes of the operation for a byte on the wires."""
        if self.kind in SPREAD and self.algorithm != "ring":
            return 1.0
        if self.algorithm not in ("ring", "nvls", "nvls_tree"):
            return 0.5
        steps = {"all_reduce": 2 * (self.ranks - 1)}.get(self.kind, self.ranks - (self.kind in SPREAD))
        return self.ranks / steps

    def latency(self) -> float:
        """Microseconds without data."""
        algorithm, protocol, nodes, each = self.algorithm, self.protocol, self.nodes, self.each
        steps = (self.model if self.amd else self.table)["steps"]
        home = "nvlink" if self.graph.type_intra == NVL else "pci"
        intra, base = steps[home][algorithm][protocol], self.table["base"][algorithm][protocol]
        of_net = "tree" if each == 1 and not self.amd else algorithm
        inter = steps["net"][of_net][protocol] + self.graph.latency * (2 if protocol == SIMPLE else 1)
        deep, depth = nodes.bit_length() - 1, each - 1
        if algorithm == "ring":
            return float(base + self._ring_latency(steps, "net" if nodes > 1 else home, intra, inter))
        if algorithm == "tree":
            return float(base + 2 * (depth * intra + deep * inter))
        if algorithm == "collnet_direct":
            return float(base + 2 * (min(1, depth) * intra + depth * 0.4) + inter)
        if algorithm == "collnet_chain":
            return float(base + 2 * depth * intra + inter)
        if algorithm == "nvls":
            return float(intra + (inter if nodes > 1 else 0))
        if algorithm == "nvls_tree":
            return float(base + intra + 2 * deep * inter)
        return float(base + deep * inter / 3.5 + self.ranks * 2.8)

    def _ring_latency(self, steps: Any, where: str, intra: float, inter: float) -> float:
        protocol, nodes, vendor = self.protocol, self.nodes, self.library.system.vendor
        if self.kind in ROOTED:
            alike = self.graph.alike
            one = steps[where]["tree" if protocol == SIMPLE and not alike else "ring"][protocol]
            return float(one if alike else self.ranks * one)
        if nodes > 1:
            intra = max(intra, (2.0 if vendor == "AuthenticAMD" else 1.0) * (3 if protocol == SIMPLE else 1))
        both = 2 if self.kind == "all_reduce" else 1
        outside = 0 if nodes == 1 else both * (nodes - 1) + (2 if self.amd and both == 2 else 0)
        return (both * (self.ranks - 1) - outside) * intra + outside * inter

    def correction(self, size: float) -> float:
        """Share of the bandwidth that is left for a size."""
        doublings = (int(size) >> 6).bit_length() - 1
        if self.amd:
            if self.algorithm == "tree" or (self.algorithm == "ring" and self.nodes > 1):
                row = self.model[f"{self.algorithm}_correction"][self.protocol]
                return float(row[max(0, min(doublings, 26))])
            return 1.0
        if self.kind != "all_reduce" or doublings < 0:
            return 1.0
        row = self.table["tree_correction"][self.protocol]
        new = self.library.system.sm >= 100 and self.library.system.vendor in ("GenuineIntel", "AuthenticAMD")
        if (self.algorithm == "tree" and doublings < 23) or (
            self.algorithm == "nvls_tree" and new and doublings < 24
        ):
            return float(row[doublings])
        return 1.0

    def plateau(self, size: float) -> float:
        """Factor of the latency of rings between machines."""
        ring = (self.algorithm, self.protocol, self.kind) == ("ring", SIMPLE, "all_reduce")
        if self.amd or not ring or self.nodes == 1 or size // (self.library.channels * self.ranks) < 64:
            return 1.0
        return 1.9 if self.library.system.sm < 80 else 1.4
