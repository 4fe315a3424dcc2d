"""The library's search for channels: paths through all GPUs of a machine, at the highest bandwidth that fits.

The search gives bandwidth away link by link and takes it back, tries the best neighbours first, and counts its steps
in place of time. Two passes lower the bandwidth of a channel until channels fit, then raise what can be raised.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from unknot_collectives.nccl.channels import STEPS, STEPS_ALIKE, ChannelSearch
from unknot_collectives.nccl.graph import BALANCED, DIRECT, NVLS, RING, SPLIT, TREE, LibraryGraph
from unknot_collectives.nccl.parts import DIS, LOC, NVL, PIX, PXN, SYS, Device, GpuMachine

STEPS_IN_ALL = 1 << 19
"""Steps of all searches for a pattern."""
MOST_CHANNELS = {False: 32, True: 64}
"""Channels at most, by whether the library is RCCL."""
MOST_HEADS = {NVLS: 32, DIRECT: 8}
SPEEDS = {
    "intra": "40 30 20 18 15 12 10 9 7 6 5 4 3",
    "inter": "48 30 28 24 20 18 15 12 10 9 7 6 5 4 3 2.4 1.2 .24 .12",
    "intra90": "60 50 40 30 24 20 15 12 11 6 3",
    "inter90": "48 45 42 40 30 24 22 20 17.5 15 12 6 3 2.4 1.2 .24 .12",
    "intra100": "90 80 70 60 50 45 40 30 24 20 19 18",
    "inter100": "96 86 80 48 45.1 42 40 30 24 22 20 17.5 15 12 6 3 2.4 1.2 .24 .12",
    "rccl": "48 24 20 18 15 12 10 9 7 6 5 4 3 2.4 1.2 .24 .12",
}
"""GB/s of a channel that are tried, in a machine and between machines, from a compute capability on."""


def graph_of(
    system: GpuMachine, pattern: int, least: int = 1, most: int = 0, *, collnet: bool = False
) -> LibraryGraph:
    """Return the channels that the library finds for a pattern.

    Parameters
    ----------
    system : GpuMachine
    pattern : int
    least, most : int
        Numbers of channels; `most` is by default the library's.
    collnet : bool
        Whether channels take only NICs to a network that reduces.
    """
    return _Passes(system, pattern, least, most or MOST_CHANNELS[system.amd], collnet).run()


class _Passes:
    """Settings of the search, from one to the next."""

    def __init__(self, system: GpuMachine, pattern: int, least: int, most: int, collnet: bool) -> None:
        self.system, self.collnet = system, collnet
        gpus, nets, sm = system.gpus, system.nets, 0 if system.amd else system.sm
        crossing = pattern in (RING, BALANCED, SPLIT) and len(nets) > 1
        self.cross, self.sm = 2 * crossing, sm
        self.least_intra, self.least_inter = (NVL if system.amd and len(gpus) > 1 else LOC), PIX
        self.most_intra = self.most_inter = SYS
        if not system.amd:
            self.least_intra, self.most_intra = _types(gpus, gpus)
            if system.inter:
                self.least_inter, self.most_inter = _types(gpus, nets)
                self.most_intra = self.most_inter
        if sm < 90:
            self.most_inter = SYS
        if pattern in MOST_HEADS:
            most = min(MOST_HEADS[pattern], len(gpus))
            least = most if pattern == NVLS and not system.inter else least
        if pattern == RING and _in_two(gpus) and most >= 2:
            least = max(least, 2)
        if len(gpus) == 1 and pattern != RING:
            pattern = TREE
        self.least, self.most = least, most
        start = LibraryGraph(pattern, alike=pattern != NVLS, type_intra=self.least_intra, type_inter=self.least_inter)
        self.graph = self.best = start
        inner = (*gpus, *system.nodes["nvs"])
        self.kinds = [
            {path.kind for gpu in inner for end in ends for path in (gpu.paths[end], end.paths[gpu])}
            for ends in (inner, nets)
        ]
        self.tried = dict[tuple[LibraryGraph, tuple[int, ...], int, int], int]()
        where = "inter" if system.inter else "intra"
        words = SPEEDS["rccl" if system.amd else where + ("100" if sm >= 100 else "90" if sm >= 90 else "")]
        self.speeds = [Fraction(word) for word in words.split()]

    def run(self) -> LibraryGraph:
        system, pattern, count = self.system, self.graph.pattern, len(self.system.gpus)
        if pattern == NVLS and (not system.nodes["nvs"] or system.sm < 90):
            return self.graph
        total = Fraction(system.total_rate, 1000)
        if count > 1 and pattern != RING:
            total *= Fraction(count, count - 1)
        at = self._fitting()
        while at < len(self.speeds) - 1 and self.speeds[at] * self.least > total:
            at += 1
        perfect = self._down(at)
        at = self._raised(-1 if perfect else 1)
        if not self.best.channels and not self.collnet and pattern != NVLS:
            ranks = tuple(gpu.number("rank") for gpu in system.gpus)
            nets = [system.net_of(gpu, 0) for gpu in (system.gpus[0], system.gpus[-1])]
            ends = tuple(net.number("dev") for net in nets if net)
            ports = ((ends[0], ends[1]),) if system.inter else ()
            self.best = replace(
                self.graph, intra=Fraction(1, 10), inter=Fraction(len(ends), 20), type_intra=SYS,
                type_inter=SYS if ends else DIS, channels=(ranks,), ports=ports,
            )  # fmt: skip
        return self.best

    def _fitting(self) -> int:
        fast = (at for at, speed in enumerate(self.speeds) if speed * 1000 <= self.system.max_rate)
        return next(fast, len(self.speeds) - 1)

    def _at(self, speed: Fraction, **changes: object) -> None:
        self.graph = replace(self.graph, intra=speed, inter=speed, **changes)  # type: ignore[arg-type]

    def _search(self) -> int:
        """Search once, and return the steps left: 0 of them all are gone, below 0 nothing better can be found.

        A search over the same paths finds nothing better than before, in as many steps.
        """
        graph, far = self.graph, (self.graph.type_intra, self.graph.type_inter)
        near = tuple(sum(kind <= limit for kind in kinds) for kinds, limit in zip(self.kinds, far, strict=True))
        key = (
            replace(graph, type_intra=LOC, type_inter=LOC, channels=(), ports=(), latency=0.0),
            near,
            self.least,
            graph.hops,
        )
        if key in self.tried:
            self.left -= STEPS_ALIKE if graph.alike else STEPS
            return self.tried[key]
        search = ChannelSearch(self.system, graph, self.best, self.least, self.most, collnet=self.collnet)
        self.left -= search.time
        self.best = search.run()
        self.graph = replace(graph, hops=search.hops)
        if search.hops == graph.hops:
            self.tried[key] = search.time
        return search.time

    def _down(self, at: int) -> bool:
        """First pass: other types of paths, other patterns, other NICs, and at last lower bandwidths."""
        pattern, alike, cpu_bound = self.graph.pattern, self.graph.alike, self.system.vendor == "AuthenticAMD"
        self.left = STEPS_IN_ALL
        self._at(self.speeds[at])
        while True:
            time = self._search()
            best, graph = self.best, self.graph
            if time < 0 or len(best.channels) * best.inter * 1000 >= self.system.total_rate:
                return time < 0
            if graph.alike and not (cpu_bound and graph.type_intra == SYS):
                self.graph = replace(graph, alike=False)
                continue
            graph = replace(graph, alike=alike)
            self.left += time
            if self.left < 0 and best.channels:
                return False
            if self.sm >= 90 and graph.pattern == BALANCED:
                self.graph = replace(graph, pattern=TREE)
                continue
            graph = replace(graph, pattern=pattern)
            farther = graph.type_inter if self.system.inter else self.most_intra
            if graph.type_intra < farther and (not best.channels or graph.type_intra < best.type_intra):
                self.graph = replace(graph, type_intra=graph.type_intra + 1)
                if self.graph.type_intra < DIS:
                    continue
            graph = replace(graph, type_intra=self.least_intra)
            if (
                self.system.inter and graph.type_inter < self.most_inter
                and (not best.channels or graph.type_inter < max(best.type_inter, PXN))
            ):  # fmt: skip
                self.graph = replace(graph, type_inter=graph.type_inter + 1)
                continue
            graph = replace(graph, type_inter=self.least_inter)
            if self.cross == 2 and not graph.cross_nic and pattern in (RING, BALANCED):
                self.graph = replace(graph, cross_nic=2)
                continue
            self.graph = replace(graph, cross_nic=0)
            lower = at < len(self.speeds) - 1
            if not lower or (best.channels and self.speeds[at + 1] <= Fraction(49, 100) * best.inter):
                return False
            at += 1
            self._at(self.speeds[at])

    def _raised(self, time: int) -> int:
        """Second pass: each channel twice where it is wide, then more bandwidth for the channels found."""
        best = self.best = _twice(self.best, self.sm, self.most)
        speeds, pattern = self.speeds, best.pattern
        at = next((i for i, speed in enumerate(speeds) if speed <= best.inter), len(speeds) - 1)
        self.graph, self.least, time = replace(best, intra=speeds[at], inter=speeds[at]), len(best.channels), -1
        while time and at > 0:
            graph, best = self.graph, self.best
            at -= 1
            if pattern == RING:
                self._at(speeds[at])
            elif pattern == NVLS and graph.inter == best.inter and graph.inter < 2 * graph.intra:
                self.most = self.least = len(best.channels)
                self.graph = replace(graph, inter=speeds[at])
            elif graph.intra == best.intra and graph.intra < 2 * graph.inter:
                self.graph = replace(graph, intra=speeds[at])
            else:
                break
            time = self._search()
            if time < 0 or len(self.best.channels) * self.best.inter * 1000 >= self.system.total_rate:
                continue
        return at


def _types(gpus: list[Device], others: list[Device]) -> tuple[int, int]:
    kinds = [gpu.paths[other].kind for gpu in gpus for other in others if other is not gpu]
    return min(kinds, default=LOC), max(kinds, default=SYS)


def _in_two(gpus: list[Device]) -> bool:
    """Whether NVLinks join the GPUs in two groups."""
    home = list(range(len(gpus)))
    for i, gpu in enumerate(gpus):
        for j in range(i + 1, len(gpus)):
            if gpu.paths[gpus[j]].kind == NVL:
                home[j] = home[i]
    return sum(home.count(one) > 1 for one in set(home)) == 2


def _twice(graph: LibraryGraph, sm: int, most: int) -> LibraryGraph:
    count = len(graph.channels)
    if not count or graph.pattern == NVLS or graph.intra < 25 or (sm > 80 and graph.intra < 50 and count > 4):
        return graph
    more = min(2 * count, most)
    times = -(-more // count)
    channels, ports = (graph.channels * 2)[:more], (graph.ports * 2)[:more]
    return replace(graph, channels=channels, ports=ports, intra=graph.intra / times, inter=graph.inter / times)
