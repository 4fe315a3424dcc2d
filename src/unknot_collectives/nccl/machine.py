"""NCCL's system of a topology file: nodes and links with the bandwidths that the library gives them."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import NetworkError
from unknot.fabrics.graph_files import errors_of
from unknot.fabrics.machine_parts import speed_of
from unknot.fabrics.machines import PER_LANE, between_cpus, link_rate, read_machine
from unknot_collectives.nccl.parts import C2C, NET, NVL, PCI, SYS, Device, GpuMachine, finish

if TYPE_CHECKING:
    from unknot.fabrics.xml_file import XmlElement

ON_CHIP = Fraction(5000)
"""GB/s of a NIC that is no PCIe device."""


def system_of(path: str | Path, *, inter: bool = False, gpu: str = "", nic: int = 0) -> tuple[GpuMachine, list[str]]:
    """Return the system of a topology file, and what was filled in.

    Parameters
    ----------
    path : str or Path
        A topology as NCCL and RCCL write and read them (NCCL_TOPO_FILE), whole or as clouds ship it.
    inter : bool
        Whether several such machines work together over their NICs.
    gpu, nic : str, int
        Model of GPUs, and Gbit/s of NICs, that the file only has as PCIe devices.

    Returns
    -------
    system : GpuMachine
    filled : list of str

    Raises
    ------
    TextError
        With line and column for what is not XML, with the element for what is missing.
    """
    root, filled = read_machine(path, gpu, nic)
    with errors_of(path, "XML"):
        return _system(root, inter), filled


def _system(root: XmlElement, inter: bool) -> GpuMachine:
    system = GpuMachine(defaultdict(list), any(one.get("gcn") for one in root.iter("gpu")), inter)
    buses, homes = dict[str, Device](), dict[Device, Device]()
    for element in root.iter("cpu"):
        cpu = _add(system, "cpu", f"cpu{element.word('numaid')}", element)
        for inner in element:
            _device(system, inner, cpu, cpu, buses, homes)
    if inter and not system.nets:
        raise NetworkError("it has no <net>: several machines need a NIC in each")
    for element in root.iter("pci"):
        for link in element.findall("gpu/*"):
            _link(system, link, buses[_bus(element.word("busid"))], buses, homes)
    for cpu, facts in [(one, one.facts) for one in system.nodes["cpu"]]:
        for other in system.nodes["cpu"]:
            if other is not cpu:
                cpu.join(other, SYS, between_cpus(facts))
    for cpu in system.nodes["cpu"]:
        _sort(cpu, None)
    finish(system)
    return system


def _add(system: GpuMachine, kind: str, name: str, element: XmlElement) -> Device:
    node = Device(kind, name, len(system.nodes[kind]), dict(element.attrib))
    system.nodes[kind].append(node)
    return node


def _bus(text: str) -> str:
    return text.lower()


def _device(
    system: GpuMachine,
    element: XmlElement,
    parent: Device,
    cpu: Device,
    buses: dict[str, Device],
    homes: dict[Device, Device],
) -> None:
    """Add a PCIe device with its contents; ports of a card share a NIC."""
    bus, rate = _bus(element.get("busid", "")), ON_CHIP
    if element.tag == "pci":
        bus = _bus(element.word("busid"))
        rate = element.number("link_width") * Fraction(PER_LANE[speed_of(element)])
    elif element.tag != "nic":
        return
    gpu, nic = element.find("gpu"), element if element.tag == "nic" else element.find("nic")
    if gpu is not None:
        node = _add(system, "gpu", f"gpu{gpu.get('dev', '')}", gpu)
        node.facts.setdefault("rank", node.facts.get("dev", ""))
        for key in ("dev", "sm", *({"rank"} & gpu.attrib.keys())):
            gpu.number(key)
        homes[node] = cpu
    elif nic is not None:
        card = f"nic {bus.rpartition('.')[0] or cpu.name}"
        known = next((one for one in system.nodes["nic"] if one.name == card), None)
        node = known or _add(system, "nic", card, element)
        for net in nic.findall("net"):
            if "dev" in net.attrib:
                _port(system, net, node)
        if known:
            return
    else:
        node = _add(system, "pci", bus, element)
        for inner in element:
            _device(system, inner, node, cpu, buses, homes)
    buses[bus] = node
    node.join(parent, PCI, rate)
    parent.join(node, PCI, rate)


def _port(system: GpuMachine, element: XmlElement, nic: Device) -> None:
    net = _add(system, "net", element.get("name") or f"net{element.get('dev')}", element)
    rate = Fraction(max(element.number("speed", -1), 0) if "speed" in element.attrib else 0) or Fraction(10_000)
    net.facts["speed"] = str(rate)
    for one, other in ((nic, net), (net, nic)):
        one.join(other, NET, rate / 8000)


def _link(
    system: GpuMachine, element: XmlElement, gpu: Device, buses: dict[str, Device], homes: dict[Device, Device]
) -> None:
    """Add NVLinks or xGMI links: between GPUs each stands at both, one way; others stand at the GPU alone."""
    kind = element.get("tclass", "")
    if element.tag == "c2c":
        both, rate, kind = homes[gpu], Fraction(element.number("count") * element.number("bw"), 1000), ""
        link = C2C
    elif element.tag in ("nvlink", "xgmi"):
        rate, link = element.number("count") * link_rate(gpu.facts), NVL
        if kind.startswith(("0x03", "0x12")) or not kind:
            target = buses.get(_bus(element.word("target")))
            if target is None:
                raise element.error(f"there is no device {element.word('target')}")
            gpu.join(target, NVL, rate)
            return
        both = (
            homes[gpu]
            if kind == "0x068001"
            else (system.nodes["nvs"] or [_add(system, "nvs", "nvswitch", element)])[0]
        )
    else:
        return
    gpu.join(both, link, rate)
    both.join(gpu, link, rate)


def _sort(node: Device, up: Device | None) -> None:
    """Put the link up the tree of PCIe last."""
    node.links.sort(key=lambda link: link.target is up)
    for link in node.links:
        if link.kind == PCI and link.target is not up:
            _sort(link.target, node)
