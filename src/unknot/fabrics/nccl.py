"""Topologies of a machine as NCCL and RCCL write them (NCCL_TOPO_DUMP_FILE): CPUs, PCIe switches, GPUs, NICs.

Bandwidths are the ones that NCCL assumes, in GB/s, which is a flit of one byte in a cycle of a nanosecond; latencies
are not in the file. GPUs are the terminals. Each link of two GPUs stands at both of them, one way each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import NetworkError
from unknot._base.input import read_bytes
from unknot.fabrics.format import Format
from unknot.fabrics.graph_files import errors_of
from unknot.fabrics.graphml import xml_root
from unknot.network import Network
from unknot.network.bandwidth import LARGEST, rounded

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NVLINK = ((100, "40.1"), (90, "20.6"), (86, "12"), (70, "20"), (60, "18"))
"""GB/s of an NVLink, by the least compute capability."""
XGMI = (("94", "48"), ("90a", "36"), ("910", "36"), ("", "24"))
"""GB/s of an xGMI link, by how the name of the architecture begins."""
PER_LANE = {"2.5": "0.1875", "5": "0.375", "8": "0.75", "16": "1.5", "32": "3", "64": "6"}
"""GB/s of a lane of PCIe, by GT/s."""
BETWEEN_CPUS = {"ppc64": "32", "arm64": "6", "AuthenticAMD": "16", "GenuineIntel": "6"}
"""GB/s between two CPUs, by architecture or vendor."""
SKYLAKE = (6, 0x55, Fraction(10))
"""Family, first model, and GB/s between two CPUs of Intel's Skylake and those after it."""
ON_CHIP = Fraction(LARGEST)
"""GB/s within a device; NCCL's 5,000 are more than a channel may have."""


def read_nccl(path: str | Path) -> Network:
    """Read the topology of a machine.

    Raises
    ------
    TextError
        With line and column for what is not XML; with the element for an attribute that is missing or no number, a
        link to a GPU that is not there, and a file without GPUs.
    """
    root = xml_root(path, read_bytes(path))
    with errors_of(path, "XML"):
        if root.tag != "system":
            raise NetworkError(f"the topology of a machine is a <system>, not a <{root.tag}>")
        machine = _Machine(root)
        if not machine.gpus:
            raise NetworkError("there is no <gpu> in it")
        return machine.network(Path(path).name)


class _Machine:
    """Nodes and channels of the elements read so far."""

    def __init__(self, root: Element) -> None:
        self.names: list[str] = []
        self.gpus: list[tuple[int, int]] = []
        self.by_bus: dict[str, int] = {}
        self.rates: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
        self.links: list[tuple[Element, int, int, Fraction]] = []
        self.switch: int | None = None
        cpus = []
        for element in root.iter("cpu"):
            cpus.append((self.node(f"cpu{_word(element, 'numaid')}"), element))
            for inner in element:
                self.inside(inner, cpus[-1][0], cpus[-1][0])
        for place, (one, element) in enumerate(cpus):
            for other, _ in cpus[:place]:
                self.both(one, other, _between_cpus(element))
        for element, gpu, cpu, rate in self.links:
            self.link(element, gpu, cpu, rate)

    def node(self, name: str) -> int:
        self.names.append(name if name not in self.names else f"{name}#{len(self.names)}")
        return len(self.names) - 1

    def both(self, one: int, other: int, rate: Fraction) -> None:
        self.rates[one, other] += rate
        self.rates[other, one] += rate

    def inside(self, element: Element, parent: int, cpu: int) -> None:
        """Add a device and what is behind it; a GPU or NIC is where its own PCIe device is."""
        if element.tag == "pci":
            bus = _word(element, "busid").lower()
            self.by_bus[bus] = here = self.node(bus)
            width = _number(element, "link_width") or 16
            speed = element.get("link_speed", "").removesuffix("PCIe").strip().removesuffix("GT/s").strip()
            lane = PER_LANE.get(speed.removesuffix(".0"), PER_LANE["8"])
            self.both(here, parent, width * Fraction(lane))
            for inner in element:
                self.inside(inner, here, cpu)
        elif element.tag == "gpu":
            self.names[parent] = f"gpu{_number(element, 'dev')}"
            self.gpus.append((_number(element, "rank" if "rank" in element.attrib else "dev"), parent))
            arch, sm = element.get("gcn", "").removeprefix("gfx"), _number(element, "sm")
            if arch:
                rate = next(rate for begins, rate in XGMI if arch.startswith(begins))
            else:
                rate = next((rate for least, rate in NVLINK if sm >= least), NVLINK[-1][1])
            self.links += [(link, parent, cpu, Fraction(rate)) for link in element]
        elif element.tag == "nic":
            here = parent
            if parent == cpu:
                here = self.node("nic")
                self.both(here, cpu, ON_CHIP)
            for net in element.iter("net"):
                self.names[here] = net.get("name") or f"net{net.get('dev', '')}"

    def link(self, element: Element, gpu: int, cpu: int, rate: Fraction) -> None:
        """Add NVLinks or xGMI links of a GPU: to another one, to the switch of all, or to the CPU."""
        if element.tag == "c2c":
            self.both(gpu, cpu, Fraction(_number(element, "count") * _number(element, "bw"), 1000))
        elif element.tag in ("nvlink", "xgmi"):
            kind, rate = element.get("tclass", "0x03"), rate * _number(element, "count")
            if kind.startswith("0x03"):
                target = _word(element, "target").lower()
                if target not in self.by_bus:
                    raise NetworkError(f"<{element.tag}> of {self.names[gpu]}: there is no GPU {target}")
                self.rates[gpu, self.by_bus[target]] += rate
            elif kind == "0x068001":
                self.both(gpu, cpu, rate)
            else:
                self.switch = self.node("nvswitch") if self.switch is None else self.switch
                self.both(gpu, self.switch, rate)

    def network(self, name: str) -> Network:
        rates = {ends: rounded(rate) for ends, rate in self.rates.items() if rate}
        seats = [node for _, node in sorted(self.gpus)]
        return Network(
            name, len(self.names), [a for a, _ in rates], [b for _, b in rates], inject=seats, eject=seats,
            router_labels=tuple(self.names), terminal_labels=tuple(self.names[node] for node in seats),
            bandwidth=list(rates.values()),
        )  # fmt: skip


def _between_cpus(element: Element) -> Fraction:
    vendor, arch = element.get("vendor", ""), element.get("arch", "")
    family, model, rate = SKYLAKE
    if vendor == "GenuineIntel" and _number(element, "familyid") == family and _number(element, "modelid") >= model:
        return rate
    return Fraction(BETWEEN_CPUS.get(arch) or BETWEEN_CPUS.get(vendor) or BETWEEN_CPUS["GenuineIntel"])


def _word(element: Element, key: str) -> str:
    if key not in element.attrib:
        raise NetworkError(f"<{element.tag} {' '.join(element.attrib.values())[:60]}>: attribute {key!r} is missing")
    return element.attrib[key]


def _number(element: Element, key: str) -> int:
    word = _word(element, key)
    if not re.fullmatch(r"[0-9]{1,9}", word):
        raise NetworkError(f"<{element.tag}>: {key} is a whole number; got {word[:40]!r}")
    return int(word)


FORMAT = Format(
    "nccl", "a topology of NCCL", (".xml",), read_nccl, None, re.compile(r"<system\s+version=").search,
    frozenset({"bandwidths", "terminals", "router names", "terminal names"}),
)  # fmt: skip
