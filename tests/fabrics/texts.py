"""Fabric files made to order: a `Layout` written in each format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

End = tuple[str, int]

PORTS = 12


@dataclass
class Layout:
    """Nodes called S… are switches and the others hosts; `links` joins ports; `lids` gives (LID, LMC) of ports,
    `copies` the ports to which a switch copies a multicast LID."""

    links: list[tuple[End, End]]
    lids: dict[End, tuple[int, int]]
    tables: dict[str, dict[int, int]] = field(default_factory=dict)
    levels: dict[tuple[End, int], int] = field(default_factory=dict)
    lanes: dict[tuple[str, int, int], list[int]] = field(default_factory=dict)
    copies: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    @property
    def nodes(self) -> list[str]:
        return list(dict.fromkeys(end[0] for link in self.links for end in link))

    def guid(self, node: str) -> int:
        return (0x200000 if node[0] == "S" else 0x100000) + 16 * self.nodes.index(node)

    def port_guid(self, end: End) -> int:
        return self.guid(end[0]) + (0 if end[0][0] == "S" else end[1])

    def key(self, node: str) -> str:
        return f"{'S' if node[0] == 'S' else 'H'}-{self.guid(node):016x}"

    def ends(self, node: str) -> list[tuple[int, End]]:
        both = [*self.links, *((b, a) for a, b in self.links)]
        return sorted((a[1], b) for a, b in both if a[0] == node)

    def lid(self, end: End) -> tuple[int, int]:
        return self.lids.get((end[0], 0) if end[0][0] == "S" else end, (0, 0))


def ring(switches: int, tables: Mapping[str, dict[int, int]] | None = None, lmc: int = 0, hosts: int = 1) -> Layout:
    """Switches S0, S1, … in a ring (port 1 clockwise, port 2 back), hosts on ports from 3 on; LIDs hosts first."""
    total = switches * hosts
    links: list[tuple[End, End]] = [((f"S{i}", 1), (f"S{(i + 1) % switches}", 2)) for i in range(switches)]
    links += [((f"S{i // hosts}", 3 + i % hosts), (f"H{i}", 1)) for i in range(total)]
    port = {end: port for (_, port), (end, _) in links[switches:]} | {f"S{i}": 0 for i in range(switches)}
    at = {f"H{i}": f"S{i // hosts}" for i in range(total)} | {f"S{i}": f"S{i}" for i in range(switches)}
    step = 1 << lmc
    lids = {(f"H{i}", 1): ((i + 1) * step, lmc) for i in range(total)}
    lids |= {(f"S{i}", 0): ((total + 1) * step + i, 0) for i in range(switches)}
    layout = Layout(links, lids)
    clockwise = {
        f"S{i}": {
            lid: port[owner] if at[owner] == f"S{i}" else 1
            for (owner, _), (base, m) in lids.items()
            for lid in range(base, base + (1 << m))
        }
        for i in range(switches)
    }
    layout.tables = dict(tables) if tables is not None else clockwise
    return layout


def ibnetdiscover(layout: Layout) -> str:
    lines = ["#", "# Topology file: generated on Mon Jan  5 10:00:00 2026", "#"]
    for node in sorted(layout.nodes, key=lambda n: n[0] != "S"):
        guid = layout.guid(node)
        lines += ["", "vendid=0x2c9", "devid=0xb924", f"sysimgguid=0x{guid:x}"]
        if node[0] == "S":
            lid, lmc = layout.lid((node, 0))
            lines.append(f"switchguid=0x{guid:x}({guid:x})")
            lines.append(f'Switch\t{PORTS} "{layout.key(node)}"\t\t# "{node}" base port 0 lid {lid} lmc {lmc}')
        else:
            lines.append(f"caguid=0x{guid:x}")
            lines.append(f'Ca\t2 "{layout.key(node)}"\t\t# "{node}"')
        for port, far in layout.ends(node):
            own, lmc = layout.lid((node, port))
            tail = f"({layout.port_guid(far):x}) " if far[0][0] != "S" else ""
            mine = f"({layout.port_guid((node, port)):x}) " if node[0] != "S" else ""
            said = f"lid {own} lmc {lmc} " if node[0] != "S" else ""
            lines.append(
                f'[{port}]{mine}\t"{layout.key(far[0])}"[{far[1]}]{tail}\t\t# {said}"{far[0]}" '
                f"lid {layout.lid(far)[0]} 4xQDR"
            )
    return "\n".join(lines) + "\n"


def lst(layout: Layout, down: Iterable[End] = ()) -> str:
    dead = set(down)

    def side(end: End) -> str:
        kind, ports = ("SW", PORTS) if end[0][0] == "S" else ("CA", 2)
        guid = f"{layout.guid(end[0]):016x}"
        return (
            f"{{ {kind} Ports:{ports:02X} SystemGUID:{guid} NodeGUID:{guid} PortGUID:{layout.port_guid(end):016x} "
            f"VenID:0002C9 DevID:B924 Rev:000000A1 {{{end[0]}}} LID:{layout.lid(end)[0]:04X} PN:{end[1]:02X} }}"
        )

    lines = []
    for node in layout.nodes:
        for port, far in layout.ends(node):
            state = "DWN" if (node, port) in dead else "ACT"
            lines.append(f"{side((node, port))} {side(far)} PHY=4x LOG={state} SPD=10")
    return "\n".join(lines) + "\n"


def iblinkinfo(layout: Layout, down: Iterable[End] = ()) -> str:
    """In the default form; all ports of switches are listed."""
    dead, lines = set(down), []
    for node in layout.nodes:
        switch = node[0] == "S"
        lines.append(f"Switch: 0x{layout.guid(node):016x} {node}:" if switch else f"CA: {node}:")
        cabled = dict(layout.ends(node))
        for port in range(1, PORTS + 1) if switch else cabled:
            own = f"      0x{layout.port_guid((node, port)):016x} " if not switch else " " * 9
            own += f"{layout.lid((node, port))[0]:6d} {port:4d}[  ]"
            far = cabled.get(port)
            if far is None:
                lines.append(f'{own} ==(                Down/ Polling)==>             [  ] "" ( )')
            else:
                state = "Init" if (node, port) in dead else "Active"
                to = f'{layout.lid(far)[0]:7d} {far[1]:4d}[  ] "{far[0]}"'
                lines.append(f"{own} ==( 4X          10.0 Gbps {state}/  LinkUp)==> {to} (Could be 12X )")
    return "\n".join(lines) + "\n"


def _owners(layout: Layout) -> dict[int, End]:
    return {lid: end for end, (base, lmc) in layout.lids.items() for lid in range(base, base + (1 << lmc)) if base}


def lfts(layout: Layout) -> str:
    """As OpenSM dumps them."""
    owners = _owners(layout)
    top = max([*owners, *(lid for table in layout.tables.values() for lid in table)])
    lines = []
    for node, table in layout.tables.items():
        guid = layout.guid(node)
        lines.append(
            f"Unicast lids [0-{top}] of switch Lid {layout.lid((node, 0))[0]} guid 0x{guid:016x} ('{node}'):"
        )
        for lid, port in sorted(table.items()):
            who = "unknown node and type"
            if lid in owners:
                end = owners[lid]
                kind = "Switch" if end[0][0] == "S" else "Channel Adapter"
                who = f"{kind} portguid 0x{layout.port_guid(end):016x}: '{end[0]}'"
            lines.append(f"0x{lid:04x} {port:03d} # {who}")
        lines.append(f"{top} lids dumped")
    return "\n".join(lines) + "\n"


def ibroute(layout: Layout) -> str:
    """As `ibroute` prints them, addressed by directed route."""
    owners = _owners(layout)
    lines = []
    for node, table in layout.tables.items():
        top, guid = max(table), layout.guid(node)
        lines.append(
            f"Unicast lids [0x0-0x{top:x}] of switch DR path slid 0; dlid 0; 0,1 guid 0x{guid:016x} ({node}):"
        )
        lines += ["  Lid  Out   Destination", "       Port     Info "]
        for lid, port in sorted(table.items()):
            end = owners[lid]
            base = layout.lids[end][0]
            if lid == base:
                kind = "Switch" if end[0][0] == "S" else "Channel Adapter"
                who = f"({kind} portguid 0x{layout.port_guid(end):016x}: '{end[0]}')"
            else:
                size = 1 << layout.lids[end][1]
                who = f"(path #{lid - base + 1} out of {size}: portguid 0x{layout.port_guid(end):016x})"
            lines.append(f"0x{lid:04x} {port:03d} : {who}")
        lines.append(f"{len(table)} valid lids dumped ")
    return "\n".join(lines) + "\n"


def fdbs(layout: Layout) -> str:
    top = max(_owners(layout))
    lines = []
    for node, table in layout.tables.items():
        lines += [f"dump_ucast_routes: Switch 0x{layout.guid(node):016x}", "LID    : Port : Hops : Optimal"]
        for lid in range(1, top + 1):
            port = table.get(lid)
            lines.append(f"0x{lid:04X} : " + (f"{port:03d}  : 02   : yes" if port is not None else "UNREACHABLE"))
    return "\n".join(lines) + "\n"


def psl(layout: Layout) -> str:
    """Source node, LID and level in a line; the nodes of `Layout` have one port each."""
    rows = layout.levels.items()
    return "".join(f"0x{layout.guid(source[0]):016x} {lid} {level}\n" for (source, lid), level in rows)


def psl_blocks(layout: Layout) -> str:
    """The same in blocks."""
    lines = []
    for source in dict.fromkeys(source for source, _ in layout.levels):
        kind = "Switch" if source[0][0] == "S" else "Channel Adapter"
        lines += ["", f'{kind} 0x{layout.port_guid(source):016x}, base LID {layout.lids[source][0]}, "{source[0]}"']
        lines += ["# LID  : SL : MTU : RATE"]
        lines += [f"0x{lid:04x} : {level} : 4 : 3" for (who, lid), level in layout.levels.items() if who == source]
    return "\n".join(lines) + "\n"


def path_records(layout: Layout) -> str:
    """The same as `saquery -p` prints it."""
    return "".join(
        "PathRecord dump:\n\t\tservice_id..............0x0000000000000000\n\t\tdgid....................fe80::10:17\n"
        f"\t\tdlid....................{lid}\n\t\tslid....................{layout.lids[source][0]}\n"
        f"\t\tqos_class...............0x0\n\t\tsl......................0x{level:X}\n\t\tmtu.....................0x84\n"
        for (source, lid), level in layout.levels.items()
    )


def sl2vl(layout: Layout) -> str:
    """As OpenSM dumps it."""
    lines = []
    for node in dict.fromkeys(node for node, _, _ in layout.lanes):
        lines.append(f'Switch 0x{layout.guid(node):016x}, base LID {layout.lid((node, 0))[0]}, "{node}"')
        lines += ["#in out : " + "  ".join(str(i) for i in range(16)), "#" + "-" * 40]
        lines += [
            f"{came:<3} {out:<3} : " + " ".join(f"{vl:<2}" for vl in row)
            for (who, came, out), row in layout.lanes.items()
            if who == node
        ]
        lines.append("#" + "-" * 40)
    return "\n".join(lines) + "\n"


def slvl(layout: Layout) -> str:
    return "".join(
        f"0x{layout.guid(node):016x} {came} {out} "
        + " ".join(f"0x{a:x}{b:x}" for a, b in zip(row[::2], row[1::2], strict=True))
        + "\n"
        for (node, came, out), row in layout.lanes.items()
    )


def smpquery_sl2vl(layout: Layout) -> str:
    lines = []
    for (node, came, out), row in layout.lanes.items():
        lines.append(f"# SL2VL table: Lid {layout.lid((node, 0))[0]}")
        lines.append("#                 SL: |" + "".join(f"{i:2d}|" for i in range(16)))
        lines.append(f"ports: in {came:2d}, out {out:2d}: |" + "".join(f"{vl:2d}|" for vl in row))
    return "\n".join(lines) + "\n"


def saquery_sl2vl(layout: Layout) -> str:
    return "".join(
        f"SL2VLTableRecord dump:\n\t\tLID........................{layout.lid((node, 0))[0]}\n"
        f"\t\tInPort.....................{came}\n\t\tOutPort....................{out}\n"
        f"\t\tSL:{''.join(f'{i:2d}|' for i in range(16))}\n\t\tVL:{''.join(f'{vl:2d}|' for vl in row)}\n"
        for (node, came, out), row in layout.lanes.items()
    )


def mcfdbs(layout: Layout) -> str:
    """As OpenSM dumps them."""
    lines = []
    for node in (node for node in layout.nodes if node[0] == "S"):
        lines += ["", f"Switch 0x{layout.guid(node):016x}", "LID    : Out Port(s)"]
        for (mlid, who), ports in layout.copies.items():
            if who == node:
                lines.append(f"0x{mlid:04X} :" + "".join(f" 0x{port:03X} " for port in ports))
    return "\n".join(lines) + "\n"


def dump_mfts(layout: Layout, ports: int, masks: bool = False) -> str:
    """As `dump_mfts` and `ibroute -M` print them, with crosses, or with -n masks; switches have this many ports."""
    lines = []
    for node in (node for node in layout.nodes if node[0] == "S"):
        rows = {mlid: copies for (mlid, who), copies in layout.copies.items() if who == node}
        path = "DR path slid 0; dlid 0; 0,1,3"
        lines.append(f"Multicast mlids [0xc000-0xc3ff] of switch {path} guid 0x{layout.guid(node):016x} ({node}):")
        if not masks and ports > 9:
            lines.append(" " * 12 + "".join(f"{' ' if i % 10 else i // 10} " for i in range(ports + 1)))
        if not masks:
            lines.append("     Ports: " + "".join(f"{i % 10} " for i in range(ports + 1)))
        lines.append(" MLid       Port Mask" if masks else " MLid")
        for mlid, copies in rows.items():
            bits = "".join(f"{sum(1 << p % 16 for p in copies if p // 16 == w):04x}" for w in range(ports // 16 + 1))
            crosses = "".join("x " if i in copies else "  " for i in range(ports + 1))
            lines.append(f"0x{mlid:04x}      {bits if masks else crosses}")
        lines.append(f"{len(rows)} valid mlids dumped ")
    return "\n".join(lines) + "\n"
