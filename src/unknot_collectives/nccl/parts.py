"""Parts of a machine as NCCL sees them: nodes, links with their bandwidths, and paths of a type between them.

Facts are those of NVIDIA/nccl 2.30.7 and ROCm/rccl 2.21.5, of whose topology and search this is a telling of our own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

PATHS = ("LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS", "NET", "DIS")
"""Types of paths, the closest first: in a device, NVLink, NVLink through a GPU, chip to chip, one PCIe switch,
several, a NIC by the chip's CPU, a NIC by another GPU, through a CPU, between CPUs, the network, none."""
LOC, NVL, NVB, C2C, PIX, PXB, P2C, PXN, PHB, SYS, NET, DIS = range(len(PATHS))
PCI = PIX
"""Type of a PCIe link; other links have the number of the path that they are."""
WITHIN = 5_000_000
"""MB/s within a device."""


@dataclass(eq=False, slots=True)
class Link:
    """One way from a node to another; `left` is what the search has not given away, in MB/s."""

    kind: int
    target: Device
    left: int


@dataclass(eq=False, slots=True)
class Path:
    """Links to a node, their least bandwidth in MB/s, and the type of the worst.

    `hops` counts the way into a GPU, too. `steps` has for each link what the search takes beside it: the way back,
    and its share of the bandwidth; `taken` keeps these by amount.
    """

    kind: int = DIS
    rate: int = 0
    links: tuple[Link, ...] = ()
    by_intel: bool = False
    hops: int = 0
    steps: tuple[tuple[Link, Link | None, Fraction], ...] = ()
    taken: dict[int, tuple[tuple[Link, int], ...]] = field(default_factory=dict, repr=False)


@dataclass(eq=False)
class Device:
    """A GPU, PCIe switch, NVSwitch (``nvs``), CPU, NIC, or port of a NIC (``net``); `facts` are its attributes."""

    kind: str
    name: str
    place: int
    facts: dict[str, str]
    links: list[Link] = field(default_factory=list)
    paths: dict[Device, Path] = field(default_factory=dict, repr=False)

    def number(self, key: str, usual: int = 0) -> int:
        """A fact that is a whole number."""
        return int(self.facts.get(key) or usual)

    def join(self, other: Device, kind: int, rate: Fraction) -> None:
        """Add bandwidth in GB/s to the link to a node, and keep wide links first."""
        link = next((one for one in self.links if one.target is other and one.kind == kind), None)
        if link is None:
            self.links.append(link := Link(kind, other, 0))
        link.left += round(rate * 1000)
        at = self.links.index(link)
        while at and self.links[at - 1].left < link.left:
            self.links[at - 1], self.links[at], at = link, self.links[at - 1], at - 1


@dataclass(eq=False)
class GpuMachine:
    """Nodes of a machine by kind, with paths between those that the search asks for.

    Attributes
    ----------
    nodes : mapping of str to list of Device
        In the order of the file.
    amd : bool
        Whether its GPUs are AMD's, so that RCCL runs on it.
    inter : bool
        Whether several such machines work together.
    max_rate, total_rate : int
        MB/s of the best path of a GPU, and of all its links.
    """

    nodes: dict[str, list[Device]]
    amd: bool
    inter: bool
    max_rate: int = 0
    total_rate: int = 0

    @property
    def gpus(self) -> list[Device]:
        """GPUs in the order of the file."""
        return self.nodes["gpu"]

    @property
    def nets(self) -> list[Device]:
        """Ports to the network; none where one machine works alone."""
        return self.nodes["net"]

    @property
    def ranks(self) -> dict[int, int]:
        """Rank of each GPU by its number."""
        return {gpu.number("dev"): gpu.number("rank") for gpu in self.gpus}

    @property
    def sm(self) -> int:
        """The least compute capability."""
        return min(gpu.number("sm") for gpu in self.gpus)

    @property
    def vendor(self) -> str:
        """Vendor of the CPUs, or their architecture where that is not x86."""
        facts = self.nodes["cpu"][0].facts
        return facts.get("vendor", "") if facts.get("arch", "x86_64") == "x86_64" else facts["arch"]

    def local(self, node: Device, kind: str) -> list[Device]:
        """Nodes of a kind with the best path from a node: most bandwidth, then the closest type."""
        best = max(((node.paths[one].rate, -node.paths[one].kind) for one in self.nodes[kind]), default=(0, 0))
        return [one for one in self.nodes[kind] if (node.paths[one].rate, -node.paths[one].kind) == best]

    def net_of(self, gpu: Device, channel: int) -> Device | None:
        """The port that a GPU prefers for a channel: GPUs with the same ports share them evenly."""
        nets = self.local(gpu, "net")
        if not nets:
            return None
        sharing, count = len(self.local(nets[0], "gpu")), len(nets)
        at = gpu.number("dev") % sharing
        if count & (count - 1) == 0:
            at = int(f"{at % count:0{count.bit_length() - 1}b}"[::-1], 2) if count > 1 else 0
        return nets[(at + channel % -(-count // sharing)) % count]

    def nets_of(self, gpu: Device) -> list[Device]:
        """All ports that a GPU prefers, by channel."""
        found = list[Device]()
        for channel in range(len(self.nets)):
            net = self.net_of(gpu, channel)
            if net is None or net in found[:1]:
                break
            found.append(net)
        return found

    def nets_to_try(self, farthest: int, gpus: list[Device]) -> list[Device]:
        """Ports for some GPUs: first those preferred by each GPU, then others by the type of their paths."""
        found = dict.fromkeys(net for gpu in gpus for net in self.nets_of(gpu))
        for kind in range(farthest + 1):
            for gpu in gpus:
                found.update(dict.fromkeys(net for net in self.nets if gpu.paths[net].kind == kind))
        return list(found)

    def gpu_of(self, net: Device) -> Device | None:
        """The first GPU beside a port with a preference for the port."""
        beside = self.local(net, "gpu")
        for channel in range(len(self.nets)):
            for gpu in beside:
                if self.net_of(gpu, channel) is net:
                    return gpu
        return None


def finish(system: GpuMachine) -> None:
    """Find all paths, and change those through CPUs and other GPUs as the library does."""
    for kind in ("cpu", "gpu", "net", "nvs"):
        for node in system.nodes[kind]:
            _paths_to(node, system)
    gpus, nets = system.gpus, system.nets
    few = not system.amd and system.vendor == "AuthenticAMD" and len(gpus) <= 2
    for gpu in gpus:
        for other in gpus:
            if other is not gpu and other.paths[gpu].kind > (SYS if few or system.amd else PXB):
                _through(other, _cpu_of(system, gpu), gpu)
    for net in nets:
        near = system.gpu_of(net)
        for gpu in gpus:
            if near is not None and near is not gpu and _direct(near, net) and near.paths[gpu].kind <= NVL:
                own, by = gpu.paths[net], near.paths[net]
                if by.kind <= P2C and (by.rate > own.rate or own.kind > PXN):
                    _through(gpu, near, net)
            if gpu.paths[net].kind < PHB and gpu.paths[net].kind != PXN and not _direct(gpu, net):
                cpu = _cpu_of(system, gpu)
                _through(net, cpu, gpu)
                _through(gpu, cpu, net)
    for node in (*gpus, *nets, *system.nodes["nvs"]):
        for path in node.paths.values():
            _prepare(node, path, system)
    ends = nets if system.inter else gpus
    system.max_rate = max((p.rate for gpu in gpus for end in ends if (p := gpu.paths[end]).links), default=0)
    for gpu in gpus:
        nvlinks, pci = (sum(one.left for one in gpu.links if one.kind == kind) for kind in (NVL, PCI))
        system.total_rate = max(system.total_rate, nvlinks, pci)
    if len(gpus) == 1 and not system.inter:
        system.max_rate = system.total_rate = WITHIN


def _direct(gpu: Device, net: Device) -> bool:
    """Whether a port reads and writes the memory of a GPU itself."""
    return gpu.number("gdr") == net.number("gdr") == 1 and gpu.paths[net].kind <= P2C


def _cpu_of(system: GpuMachine, gpu: Device) -> Device:
    return min(system.local(gpu, "cpu"), key=lambda cpu: len(gpu.paths[cpu].links))


def _paths_to(base: Device, system: GpuMachine) -> None:
    """Spread from a node breadth first: the best type, then bandwidth, then the fewest links, leads to it."""
    everything = [node for some in system.nodes.values() for node in some]
    for node in everything:
        node.paths[base] = Path()
    base.paths[base] = Path(LOC, WITHIN)
    front = [base]
    while front:
        reached = dict[Device, None]()
        for node in front:
            path = node.paths[base]
            for link in node.links:
                other, hops, rate = link.target, len(path.links), min(path.rate, link.left)
                on = link.kind == NVL and other.kind == "gpu" and hops <= 1 and not system.amd
                if other is node or (node is not base and node.kind == "gpu" and not on):
                    continue
                kind = _kind(node, link, path)
                old = other.paths[base]
                if (kind, -rate, hops + 1) < (old.kind, -old.rate, len(old.links)):
                    back = next(one for one in other.links if one.target is node and one.kind == link.kind)
                    other.paths[base] = Path(kind, rate, (back, *path.links))
                    reached[other] = None
        front = list(reached)


def _kind(node: Device, link: Link, path: Path) -> int:
    kinds = {node.kind, link.target.kind}
    kind = LOC if link.kind == NET else link.kind
    if link.kind == PCI and "cpu" in kinds:
        kind = PHB
    elif kinds == {"pci"}:
        kind = PXB
    elif node.kind == "gpu" and path.kind == kind == NVL and len(path.links) == 1:
        kind = NVB
    return max(path.kind, kind)


def _through(start: Device, by: Device, end: Device) -> None:
    """Lead a path through a CPU or another GPU."""
    first, second = start.paths[by], by.paths[end]
    kind = max(first.kind, second.kind)
    if (kind, min(first.kind, second.kind)) == (PHB, C2C):
        kind = P2C
    links = (*first.links, *second.links)
    start.paths[end] = Path(PXN if by.kind == "gpu" else kind, min(first.rate, second.rate), links)


def _prepare(start: Device, path: Path, system: GpuMachine) -> None:
    """Note what a path costs beside its own links."""
    cpus = [link.target.facts for link in path.links if link.target.kind == "cpu"]
    x86 = [facts.get("vendor") for facts in cpus if facts.get("arch", "x86_64") == "x86_64"]
    path.by_intel = path.kind == PHB and start.kind == "gpu" and "GenuineIntel" in x86
    steps, nodes = [], [start, *(link.target for link in path.links)]
    for link, (node, other) in zip(path.links, pairwise(nodes), strict=True):
        share = Fraction(0)
        if other.kind == "gpu" and other.number("sm") < 80 and start.kind != "gpu":
            share = Fraction(1, 8)
        if other.kind == "cpu" and other.facts.get("arch") == "ppc64" and link.kind == NVL:
            share = Fraction(1)
        back = next((one for one in other.links if one.target is node and one.kind == link.kind), None)
        steps.append((link, back if share else None, share))
    path.steps = tuple(steps)
    path.hops = len(steps) + [start.kind, nodes[-1].kind].count("gpu") * bool(steps)
