"""Fabrics drawn by lot with faults planted in their cables; nothing here knows how faults are found.

A fabric is written as ibnetdiscover prints it, with names and GUIDs in no order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random
from zlib import crc32

from tests.fabrics.diagnosis.drawn_families import FAMILIES, MORE, Drawn, End, Fault, add_hosts, switches


def drawn(seed: int, families: Sequence[Callable[[Random], Drawn]] = FAMILIES) -> Drawn:
    """A fabric with 1 to 5 % of its cables damaged."""
    random = Random(seed)
    fabric = families[seed % len(families)](random)
    share = random.uniform(0.01, 0.05)
    for _ in range(max(1, round(share * len(fabric.between)))):
        _plant(fabric, random)
    return fabric


def _plant(fabric: Drawn, random: Random) -> None:
    """Damage cables between two switches, or groups, that no other fault has touched."""
    kinds = ["slow"] * 2 if fabric.kind == "none" else ["missing"] * 4 + ["extra", "swap", "swap", "slow", "slow"]
    kinds += ["spine"] if fabric.spines else []
    kind = random.choice(kinds)
    touched = {fabric.joined(cable.nodes) for fault in fabric.faults for cable in fault.cables}
    touched |= {fabric.joined(pair) for fault in fabric.faults for pair in fault.missing}
    free = [cable for cable in fabric.between if fabric.joined(cable.nodes) not in touched]
    if not free:
        return
    cable = random.choice(free)
    if kind == "missing":
        fabric.cables.remove(cable)
        fabric.faults.append(Fault("missing", missing=[cable.nodes]))
    elif kind == "slow":
        cable.rate = random.choice(["1xNDR", "2xNDR", "4xHDR"])
        fabric.faults.append(Fault("slow", [cable]))
    elif kind == "extra":
        names = sorted({node for one in fabric.between for node in one.nodes})
        a, b = random.sample(names, 2)
        if fabric.joined(frozenset((a, b))) not in touched:
            fabric.join(a, b)
            fabric.faults.append(Fault("extra", [fabric.cables[-1]]))
    elif kind == "swap":
        other = random.choice(free)
        new = [frozenset((cable.a[0], other.b[0])), frozenset((other.a[0], cable.b[0]))]
        every = {fabric.joined(pair) for pair in [*new, cable.nodes, other.nodes]}
        strange = not any(pair in {one.nodes for one in fabric.between} for pair in new)
        if len(cable.nodes | other.nodes) == len(every) == 4 and strange and not every & touched:
            missing = [cable.nodes, other.nodes]
            cable.b, other.b = other.b, cable.b
            fabric.faults.append(Fault("swap", [cable, other], missing))
    else:
        host = random.choice([one for one in fabric.cables if one.a[0][0] == "H"])
        name = host.a[0]
        if sum(one.a[0] == name for one in fabric.cables) == 1:
            host.b = fabric.port(random.choice(fabric.spines))
            fabric.faults.append(Fault("spine", host=name))


def thin_bundles(seed: int) -> Drawn:
    """A tree with bundles of 3 to 6 cables, of which 1 to 5 % lack two cables or more, but not all."""
    random = Random(seed)
    leaves, spines = (
        switches(random, random.randint(6, 20)),
        random.sample(range(10000, 19999), random.randint(4, 10)),
    )
    fabric = Drawn("fat tree", spines=[f"S{code}" for code in spines])
    times, pairs = random.randint(3, 6), [(leaf, spine) for leaf in leaves for spine in fabric.spines]
    thin = random.sample(pairs, max(1, round(random.uniform(0.01, 0.05) * len(pairs))))
    for pair in pairs:
        lost = random.randint(2, times - 1) if pair in thin else 0
        fabric.join(*pair, times - lost)
        fabric.faults += [Fault("missing", missing=[frozenset(pair)] * lost)] if lost else []
    add_hosts(fabric, random, leaves, random.randint(4, 12))
    return fabric


def without_a_switch(seed: int) -> tuple[Drawn, Drawn, str]:
    """A fabric without faults, the same without a switch and its hosts, and the name of the switch."""
    families = [*FAMILIES, *MORE]
    whole = families[seed % len(families)](Random(seed))
    random = Random(seed)
    gone = random.choice(sorted({node for cable in whole.between for node in cable.nodes}))
    left = Drawn(whole.kind, [cable for cable in whole.cables if gone not in cable.nodes], whole.spines)
    return whole, left, gone


def text(fabric: Drawn, whole: Drawn | None = None) -> str:
    """The fabric as ibnetdiscover prints it; GUIDs and LIDs are those of a whole fabric, if it is a part of it."""
    every = {node for cable in (whole or fabric).cables for node in (cable.a[0], cable.b[0])}
    at: dict[str, list[tuple[int, End, str]]] = defaultdict(list)
    for cable in fabric.cables:
        at[cable.a[0]].append((cable.a[1], cable.b, cable.rate))
        at[cable.b[0]].append((cable.b[1], cable.a, cable.rate))
    number = {node: i for i, node in enumerate(sorted(every, key=lambda node: crc32(node.encode())), start=1)}
    key = {node: f"{node[0]}-{number[node] * 16:016x}" for node in at}
    lines = ["#", "# Topology file: generated on Mon Jan  5 10:00:00 2026", "#"]
    for node in sorted(at, key=lambda node: (node[0] != "S", node)):
        guid, ports = number[node] * 16, max(port for port, _, _ in at[node])
        lines += ["", "vendid=0x2c9", "devid=0xd2f2", f"sysimgguid=0x{guid:x}"]
        if node[0] == "S":
            lines += [f"switchguid=0x{guid:x}({guid:x})"]
            lines += [f'Switch\t{ports} "{key[node]}"\t\t# "{node}" enhanced port 0 lid {number[node]} lmc 0']
        else:
            lines += [f"caguid=0x{guid:x}", f'Ca\t{ports} "{key[node]}"\t\t# "{node}"']
        for port, (far, there), rate in sorted(at[node]):
            lid = "" if node[0] == "S" else f"lid {number[node] + 20000 * port} lmc 0 "
            own = "" if node[0] == "S" else f"({guid + port:x}) "
            tail = "" if far[0] == "S" else f"({number[far] * 16 + there:x})"
            name = f'# {lid}"{far}" lid {number[far] + (0 if far[0] == "S" else 20000 * there)} {rate}'
            lines.append(f'[{port}]{own}\t"{key[far]}"[{there}]{tail} \t\t{name}')
    return "\n".join(lines) + "\n"
