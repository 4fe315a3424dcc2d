"""Topologies of machines: as NCCL and RCCL write them (NCCL_TOPO_DUMP_FILE), and as TACCL reads them.

NCCL's have CPUs, PCIe switches, GPUs and NICs. Bandwidths are the ones that NCCL assumes, in GB/s, which is a flit of
one byte in a cycle of a nanosecond; latencies are not in the file. GPUs are the terminals. Each link of two GPUs
stands at both of them, one way each.

TACCL's have GPUs, with latency and time for a chunk of each link between them. A cycle is a thousandth of the file's
unit of time and a flit one of its chunk, so that a link with beta b passes 1/b flits per cycle: with microseconds and
chunks of 1 MB those are ns and kB. The NICs to other machines are left out.

A. Shah et al.: TACCL: Guiding Collective Algorithm Synthesis using Communication Sketches. NSDI 2023.
"""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import NetworkError
from unknot._base.input import read_json
from unknot.fabrics.format import Format
from unknot.fabrics.graph_files import errors_of
from unknot.fabrics.machine_parts import NDV2, completed, speed_of
from unknot.network import Network, Places, Wires
from unknot.network.bandwidth import LARGEST, rounded

if TYPE_CHECKING:
    from unknot.fabrics.xml_file import XmlElement

NVLINK = ((100, "40.1"), (90, "20.6"), (87, "20"), (86, "12"), (70, "20"), (60, "18"))
"""GB/s of an NVLink, by the least compute capability."""
XGMI = (("94", "48"), ("90a", "36"), ("910", "36"), ("", "24"))
"""GB/s of an xGMI link, by how the name of the architecture begins."""
PER_LANE = {"2.5": "0.1875", "5": "0.375", "8": "0.75", "16": "1.5", "32": "3", "64": "6"}
"""GB/s of a lane of PCIe, by GT/s."""
BETWEEN_CPUS = {"ppc64": "32", "arm64": "6", "AuthenticAMD": "16", "GenuineIntel": "6"}
"""GB/s between two CPUs, by architecture or vendor."""
INTEL = ((0xCF, "40"), (0x8F, "22"), (0x55, "10"))
"""GB/s between two Intel CPUs of family 6, by the least model: Emerald Rapids, Sapphire Rapids, Skylake."""
ON_CHIP = Fraction(LARGEST)
"""GB/s within a device; NCCL's 5,000 are more than a channel may have."""


def read_nccl(path: str | Path) -> Network:
    """Read the topology of a machine, with a warning for what was filled in.

    Raises
    ------
    TextError
        With line and column for what is not XML; with the element for an attribute that is missing or no number, a
        link to a GPU that is not there, and a file without GPUs.
    """
    root, filled = read_machine(path)
    if filled:
        warnings.warn(f"{path}: filled in, as NCCL asks the machine: {'; '.join(filled)}", stacklevel=4)
    return machine_network(root, Path(path).name)


def read_machine(path: str | Path, gpu: str = "", nic: int = 0) -> tuple[XmlElement, list[str]]:
    """Read the elements of a topology; and what was filled in, by `unknot.fabrics.machine_parts.completed`."""
    from unknot.fabrics.xml_file import read_xml

    root = read_xml(path)
    with errors_of(path, "XML"):
        if root.tag != "system":
            raise NetworkError(f"the topology of a machine is a <system>, not a <{root.tag}>")
        filled = completed(root, gpu, nic)
        if root.find(".//gpu") is None:
            raise NetworkError("there is no <gpu> in it, and no PCIe device of class 0x03")
        return root, filled


def machine_network(root: XmlElement, name: str) -> Network:
    """Return the network of a complete topology."""
    with errors_of(root.path, "XML"):
        return _Machine(root).network(name)


class _Machine:
    """Nodes and channels of the elements read so far."""

    def __init__(self, root: XmlElement) -> None:
        self.names: list[str] = []
        self.gpus: list[tuple[int, int]] = []
        self.by_bus: dict[str, int] = {}
        self.rates: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
        self.links: list[tuple[XmlElement, int, int, Fraction]] = []
        self.switch: int | None = None
        cpus = []
        for element in root.iter("cpu"):
            cpus.append((self.node(f"cpu{element.word('numaid')}"), element))
            for inner in element:
                self.inside(inner, cpus[-1][0], cpus[-1][0])
        for place, (one, element) in enumerate(cpus):
            for other, _ in cpus[:place]:
                self.both(one, other, between_cpus(element.attrib))
        for element, gpu, cpu, rate in self.links:
            self.link(element, gpu, cpu, rate)

    def node(self, name: str) -> int:
        self.names.append(name if name not in self.names else f"{name}#{len(self.names)}")
        return len(self.names) - 1

    def both(self, one: int, other: int, rate: Fraction) -> None:
        self.rates[one, other] += rate
        self.rates[other, one] += rate

    def inside(self, element: XmlElement, parent: int, cpu: int) -> None:
        """Add a device and what is behind it; a GPU or NIC is where its own PCIe device is."""
        if element.tag == "pci":
            bus = element.word("busid").lower()
            self.by_bus[bus] = here = self.node(bus)
            self.both(here, parent, element.number("link_width") * Fraction(PER_LANE[speed_of(element)]))
            for inner in element:
                self.inside(inner, here, cpu)
        elif element.tag == "gpu":
            self.names[parent] = f"gpu{element.number('dev')}"
            self.gpus.append((element.number("rank" if "rank" in element.attrib else "dev"), parent))
            element.number("sm")
            self.links += [(link, parent, cpu, link_rate(element.attrib)) for link in element]
        elif element.tag == "nic":
            here = parent
            if parent == cpu:
                here = self.node("nic")
                self.both(here, cpu, ON_CHIP)
            for net in element.iter("net"):
                self.names[here] = net.get("name") or f"net{net.get('dev', '')}"

    def link(self, element: XmlElement, gpu: int, cpu: int, rate: Fraction) -> None:
        """Add NVLinks or xGMI links of a GPU: to another one, to the switch of all, or to the CPU."""
        if element.tag == "c2c":
            self.both(gpu, cpu, Fraction(element.number("count") * element.number("bw"), 1000))
        elif element.tag in ("nvlink", "xgmi"):
            kind, rate = element.get("tclass", "0x03"), rate * element.number("count")
            if kind.startswith(("0x03", "0x12")):
                target = element.word("target").lower()
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
            name,
            len(self.names),
            [a for a, _ in rates],
            [b for _, b in rates],
            wires=Wires(bandwidth=list(rates.values())),
            inject=seats,
            eject=seats,
            places=Places(router_labels=tuple(self.names), terminal_labels=tuple(self.names[node] for node in seats)),
        )


def between_cpus(cpu: Mapping[str, str]) -> Fraction:
    """GB/s from a CPU to another, by what the file says of it."""
    vendor, family, model = (cpu.get(key, "") for key in ("vendor", "familyid", "modelid"))
    if cpu.get("arch", "x86_64") == "x86_64" and vendor == "GenuineIntel" and family == "6" and model.isdecimal():
        return next((Fraction(rate) for least, rate in INTEL if int(model) >= least), Fraction(BETWEEN_CPUS[vendor]))
    return Fraction(BETWEEN_CPUS.get(cpu.get("arch", "")) or BETWEEN_CPUS.get(vendor) or BETWEEN_CPUS["GenuineIntel"])


def link_rate(gpu: Mapping[str, str]) -> Fraction:
    """GB/s of an NVLink or xGMI link, by the architecture of its GPU."""
    if arch := gpu.get("gcn", "").removeprefix("gfx"):
        return Fraction(next(rate for begins, rate in XGMI if arch.startswith(begins)))
    return Fraction(next((rate for least, rate in NVLINK if int(gpu["sm"]) >= least), NVLINK[-1][1]))


NCCL = Format(
    "nccl", "a topology of NCCL", (".xml",), read_nccl, None, re.compile(r"<system\s+version=").search,
    frozenset({"bandwidths", "terminals", "router names", "terminal names"}),
)  # fmt: skip


MOST_GPUS = 1000


def read_taccl(path: str | Path) -> Network:
    """Read a topology: with matrices of links, or with one beta (all pairs are linked), or two (an NDv2 of 8 GPUs).

    Raises
    ------
    TextError
        With line and column for what is not JSON; for a number or matrix that is missing or of another kind.
    """
    document = read_json(path)
    with errors_of(path, "JSON"):
        return _linked_gpus(document, Path(path).name)


def _linked_gpus(document: Any, name: str) -> Network:
    if not isinstance(document, dict):
        raise NetworkError("an object is needed")
    count, alpha = _stated(document, "gpus_per_node"), _stated(document, "alpha")
    if count.denominator != 1 or not 2 <= count <= MOST_GPUS:
        raise NetworkError(f'"gpus_per_node" is a whole number from 2 to {MOST_GPUS}; got {float(count):g}')
    betas = _betas(document, int(count))
    ends = [(a, b) for a in range(int(count)) for b in range(int(count)) if a != b and betas[b][a]]
    labels = tuple(f"gpu{i}" for i in range(int(count)))
    return Network(
        name,
        int(count),
        [a for a, _ in ends],
        [b for _, b in ends],
        wires=Wires(latency=max(1, round(alpha * 1000)), bandwidth=[rounded(1 / betas[b][a]) for a, b in ends]),
        places=Places(router_labels=labels, terminal_labels=labels),
    )


def _betas(document: dict[str, Any], count: int) -> list[list[Fraction]]:
    """Time for a chunk from each sender (column) to each receiver (row); 0: no link."""
    if "links" in document:
        links, betas = (_matrix(document, key, count) for key in ("links", "betas"))
        return [
            [beta * bool(link) for beta, link in zip(*rows, strict=True)] for rows in zip(betas, links, strict=True)
        ]
    listed = document.get("node_betas_list")
    if not isinstance(listed, list) or len(listed) not in (1, 2):
        raise NetworkError('there must be matrices "links" and "betas", or one or two numbers "node_betas_list"')
    rates = [Fraction(0), *(_exact(beta, f"node_betas_list[{i}]") for i, beta in enumerate(listed))]
    if len(listed) == 1:
        return [[rates[a != b] for a in range(count)] for b in range(count)]
    if count != len(NDV2):
        raise NetworkError(f"two betas are those of an NDv2, which has 8 GPUs, not {count}; give links")
    return [[rates[int(kind)] for kind in row] for row in NDV2]


def _matrix(document: dict[str, Any], key: str, count: int) -> list[list[Fraction]]:
    rows = document.get(key)
    if not isinstance(rows, list) or {len(rows), *(len(r) if isinstance(r, list) else -1 for r in rows)} != {count}:
        raise NetworkError(f'"{key}" must have {count} rows of {count} numbers')
    return [[_exact(entry, f"{key}[{b}][{a}]", least=0) for a, entry in enumerate(row)] for b, row in enumerate(rows)]


def _stated(document: dict[str, Any], key: str) -> Fraction:
    if key not in document:
        raise NetworkError(f'"{key}" is missing')
    return _exact(document[key], key, least=0)


def _exact(stated: Any, where: str, least: float = 1e-9) -> Fraction:
    if isinstance(stated, bool) or not isinstance(stated, (int, float)) or not least <= stated < 1e9:
        raise NetworkError(f"{where} must be a number{' above 0' if least else ''}; got {stated!r:.40}")
    return Fraction(str(stated))


TACCL = Format(
    "taccl", "a topology of TACCL", (".taccl",), read_taccl, None, re.compile(r'"gpus_per_node"\s*:').search,
    frozenset({"latencies", "bandwidths", "terminal names", "router names"}),
)  # fmt: skip
