"""Machines as a network: every device of each, and one switch that joins the NICs of several."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from unknot._base.memory import require
from unknot.network import Network, Places, Wires
from unknot.network.bandwidth import LARGEST, rounded

if TYPE_CHECKING:
    from unknot_collectives.nccl.parts import GpuMachine


def network_of(system: GpuMachine, nodes: int, name: str) -> Network:
    """Return a network of equal machines in GB/s, a flit of one byte in each cycle of a nanosecond; GPUs by rank."""
    devices = [device for some in system.nodes.values() for device in some]
    place, count = {device: number for number, device in enumerate(devices)}, len(devices)
    require(f"{nodes} machines", nodes * count * 2_000)
    ends, rates = list[tuple[int, int]](), list[Fraction]()
    for number in range(nodes):
        first = number * count
        for device in devices:
            for link in device.links:
                if link.target is not device:
                    ends.append((first + place[device], first + place[link.target]))
                    rates.append(rounded(min(Fraction(link.left, 1000), Fraction(LARGEST))))
            if device.kind == "net" and nodes > 1:
                ends += [(first + place[device], nodes * count), (nodes * count, first + place[device])]
                rates += [rounded(Fraction(device.facts["speed"]) / 8000)] * 2
    gpus = sorted(system.gpus, key=lambda gpu: gpu.number("rank"))
    seats = [number * count + place[gpu] for number in range(nodes) for gpu in gpus]
    names = [f"{device.name}#{number}" if nodes > 1 else device.name for number in range(nodes) for device in devices]
    names += ["network"] * (nodes > 1)
    labels = (
        tuple(one if names.index(one) == at else f"{one}/{at}" for at, one in enumerate(names))
        if len(set(names)) < len(names)
        else tuple(names)
    )
    return Network(
        name,
        len(names),
        [a for a, _ in ends],
        [b for _, b in ends],
        wires=Wires(bandwidth=rates),
        inject=seats,
        eject=seats,
        places=Places(router_labels=labels, terminal_labels=tuple(labels[seat] for seat in seats)),
    )
