"""Fabrics whose switches choose ports, drawn with or without flaws, and a search over what their packets may do.

The search reads the drawn tables, not the files: it shares nothing with the readers and the prover.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.fabrics.texts import Layout, fdbs, lst, mcfdbs, psl, sl2vl

KEYS = range(16)
State = tuple[str, int, int, int, int]
"""Switch, input port, lane, service level, LID."""


@dataclass
class Drawn:
    """A fabric: by switch and table the static port and group of each LID, and who uses which table and lane."""

    layout: Layout
    tables: dict[tuple[str, int], dict[int, tuple[int, tuple[int, ...]]]]
    private: dict[tuple[str, int], list[int]]
    by_lane: dict[str, set[int]]
    enabled: dict[str, int]
    laned: bool = True
    far: dict[tuple[str, int], tuple[str, int]] = field(init=False)

    def __post_init__(self) -> None:
        both = [*self.layout.links, *((b, a) for a, b in self.layout.links)]
        self.far = dict(both)
        self.layout.tables = {
            node: {lid: port for lid, (port, _) in self.tables[node, 0].items()} for node in self.switches
        }

    @property
    def switches(self) -> list[str]:
        return [node for node in self.layout.nodes if node[0] == "S"]

    def onward(self, state: State) -> tuple[bool, set[tuple[str, int, int]]]:
        """Whether the packet may leave, and the (switch, input port, lane) that it may enter."""
        node, came, lane, level, lid = state
        key = lane if level in self.by_lane[node] and self.far[node, came][0][0] == "S" else level
        static, group = self.tables[node, self.private[node, came][key]][lid]
        ports = {static, *(group if self.enabled[node] >> key & 1 else ())}
        leaves, entered = False, set()
        for port in ports:
            far = self.far.get((node, port))
            if far is None or (port == came and self.far[node, came][0][0] == "S" and len(ports) > 1):
                continue
            if far[0][0] == "H":
                leaves |= self.layout.lids[far][0] == lid
                continue
            to = self.layout.lanes[node, came, port][key] if self.laned else 0
            if to < 15:
                entered.add((*far, to))
        return leaves, entered

    def starts(self, *, replies: bool) -> Iterator[State]:
        hosts = {end: lid for end, (lid, _) in self.layout.lids.items() if end[0][0] == "H"}
        for source in hosts:
            for to, lid in hosts.items():
                levels = {self.layout.levels.get((source, lid), 0)}
                if replies:
                    levels.add(self.layout.levels.get((to, hosts[source]), 0))
                yield from ((*self.far[source], -1, level, lid) for level in levels if to != source)

    def with_tree(self) -> None:
        """A multicast group of all hosts, along a tree of cables."""
        reached, queue = {self.switches[0]}, [self.switches[0]]
        copies: dict[str, list[int]] = {node: [] for node in self.switches}
        for node in queue:  # grows
            for port, (far, there) in self.layout.ends(node):
                if far[0] == "H":
                    copies[node].append(port)
                elif far not in reached:
                    reached.add(far)
                    queue.append(far)
                    copies[node].append(port)
                    copies[far].append(there)
        self.layout.copies = {(0xC000, node): sorted(ports) for node, ports in copies.items()}

    def copied(self) -> Iterator[tuple[tuple[str, int, int], set[tuple[str, int, int]]]]:
        """Where multicast packets stand, and each place that one waits for."""
        waiting = [(*self.far[end], -1) for end in self.layout.lids if end[0][0] == "H"]
        seen = set(waiting)
        for node, came, lane in waiting:  # grows
            for port in self.layout.copies[0xC000, node]:
                far = self.far[node, port]
                if port == came or far[0][0] == "H":
                    continue
                key = lane if lane >= 0 and 0 in self.by_lane[node] else 0
                to = (*far, self.layout.lanes[node, came, port][key])
                if lane >= 0:
                    yield (node, came, lane), {to}
                if to not in seen:
                    seen.add(to)
                    waiting.append(to)

    def decided(self, *, replies: bool = False) -> tuple[bool, bool]:
        """Whether packets can deadlock that wait for the port they were given, and those that take any free one."""
        seen = set(self.starts(replies=replies))
        waiting = list(seen)
        offers: list[tuple[tuple[str, int, int], set[tuple[str, int, int]]]] = []
        for state in waiting:  # grows
            leaves, entered = self.onward(state)
            if state[2] >= 0 and not leaves and entered:
                offers.append((state[:3], entered))
            if state[2] >= 0 and leaves and entered:
                offers.append((state[:3], {*entered, ("free", 0, 0)}))
            for place in entered:
                if (new := (*place, *state[3:])) not in seen:
                    seen.add(new)
                    waiting.append(new)
        if self.layout.copies:
            offers += self.copied()
        return _circular(offers), _stuck(offers)

    def write(self, folder: Path) -> Path:
        folder.mkdir(exist_ok=True)
        layout = self.layout
        texts = {"lst": lst(layout), "fdbs": fdbs(layout), "far": self._far(), "db_csv": self._info()}
        if self.laned:
            texts["sl2vl"] = sl2vl(layout)
        if layout.copies:
            texts["mcfdbs"] = mcfdbs(layout)
        if layout.levels:
            texts["psl"] = psl(layout)
        if any(max(row) for row in self.private.values()):
            texts["plft"] = self._rows({f"Switch 0x{layout.guid(node):016x}": node for node in self.switches})
            texts["vl2vl"] = "".join(
                f"Switch 0x{layout.guid(node):016x}\nSLs: {', '.join(map(str, sorted(self.by_lane[node])))}\n"
                for node in self.switches
            )
        for ending, text in texts.items():
            (folder / f"ibdiagnet2.{ending}").write_text(text)
        return folder

    def _rows(self, heads: dict[str, str]) -> str:
        lines = []
        for head, node in heads.items():
            lines.append(head)
            ports = sorted(port for at, port in self.private if at == node)
            lines += [f"{port}: {', '.join(map(str, self.private[node, port]))}" for port in ports]
        return "\n".join(lines) + "\n"

    def _far(self) -> str:
        lines = ["# drawn", ""]
        for node in self.switches:
            own = {p: rows for (at, p), rows in self.tables.items() if at == node}
            groups = sorted({group for rows in own.values() for _, group in rows.values() if group})
            lines += [f"Switch 0x{self.layout.guid(node):016x} - {node}", "Groups Definition:"]
            for number, group in enumerate(groups, start=1):
                cut = len(group) // 2 if number % 2 and len(group) > 2 else 0
                parts = [group[:cut], group[cut:]] if cut else [group]
                lines += [f"{number} {sub} 0 {','.join(map(str, part))}" for sub, part in enumerate(parts)]
            lines.append("LFT Definition:")
            for p, rows in own.items():
                lines.append(f"PLFT_NUM: {p}")
                for lid, (port, group) in rows.items():
                    state = f"Free {groups.index(group) + 1}" if group else "Static"
                    lines.append(f"0x{lid:04x}  {port:03d}  {state}")
        return "\n".join(lines) + "\n"

    def _info(self) -> str:
        rows = [f"0x{self.layout.guid(node):016x},1,1,{self.enabled[node]},0,0" for node in self.switches]
        head = "NodeGUID,e,by_sl_en,enable_by_sl_mask,fr_enabled,by_sl_hbf_en"
        return "\n".join(["START_AR_INFO", head, *rows, "END_AR_INFO"]) + "\n"


def _circular(offers: list[tuple[tuple[str, int, int], set[tuple[str, int, int]]]]) -> bool:
    after: dict[tuple[str, int, int], set[tuple[str, int, int]]] = {}
    for held, entered in offers:
        after.setdefault(held, set()).update(entered)
    while True:
        ends = [held for held, entered in after.items() if not entered & {*after}]
        if not ends:
            return bool(after)
        for held in ends:
            del after[held]


def _stuck(offers: list[tuple[tuple[str, int, int], set[tuple[str, int, int]]]]) -> bool:
    stuck = {held for held, _ in offers}
    while True:
        left = {held for held, entered in offers if held in stuck and entered <= stuck}
        if left == stuck:
            return bool(stuck)
        stuck = left


def beside(one: Drawn, other: Drawn, shift: int) -> Drawn:
    """Two planes in one: the nodes of the second have higher numbers, and their LIDs are shifted."""

    def there(node: str) -> str:
        number, joint, rest = node[1:].partition("x")
        return f"{node[0]}{int(number) + 50}{joint}{rest}"

    a, b = one.layout, other.layout
    links = [((there(u), p), (there(v), q)) for (u, p), (v, q) in b.links]
    lids = {(there(node), port): (lid + shift, lmc) for (node, port), (lid, lmc) in b.lids.items()}
    layout = Layout([*a.links, *links], {**a.lids, **lids})
    layout.lanes = {**a.lanes, **{(there(s), i, o): row for (s, i, o), row in b.lanes.items()}}
    tables = {(there(s), n): {lid + shift: row for lid, row in rows.items()} for (s, n), rows in other.tables.items()}
    return Drawn(
        layout,
        {**one.tables, **tables},
        {**one.private, **{(there(s), port): row for (s, port), row in other.private.items()}},
        {**one.by_lane, **{there(s): own for s, own in other.by_lane.items()}},
        {**one.enabled, **{there(s): own for s, own in other.enabled.items()}},
    )


def drawn(kind: str, seed: int) -> Drawn:
    """Draw a fat tree, a dragonfly+ with two private tables, or a torus; many have a flaw."""
    rng = random.Random(f"{kind} {seed}")
    return {"fat tree": _fat_tree, "dragonfly+": _dragonfly_plus, "torus": _torus}[kind](rng)


def _wired(links: list[tuple[str, str]], hosts: dict[str, int]) -> tuple[Layout, dict[tuple[str, str], list[int]]]:
    """Joined by successive ports; hosts first. Also the ports of each switch to each neighbour."""
    used: dict[str, int] = {}

    def end(node: str) -> tuple[str, int]:
        used[node] = used.get(node, 0) + 1
        return node, used[node]

    cables = [(end(at), (f"H{at[1:]}x{i}", 1)) for at, count in hosts.items() for i in range(count)]
    between = [(end(a), end(b)) for a, b in links]
    lids = {far: (i, 0) for i, (_, far) in enumerate(cables, start=1)}
    switches = list(dict.fromkeys(a for pair in links for a in pair))
    lids |= {(node, 0): (len(cables) + i, 0) for i, node in enumerate(switches, start=1)}
    ports: dict[tuple[str, str], list[int]] = {}
    for (a, p), (b, q) in between:
        ports.setdefault((a, b), []).append(p)
        ports.setdefault((b, a), []).append(q)
    return Layout([*between, *cables], lids), ports


def _away(switches: list[str], ports: dict[tuple[str, str], list[int]], home: str) -> dict[str, int]:
    away, queue = {home: 0}, [home]
    for at in queue:  # grows
        for a, b in ports:
            if b == at and a not in away:
                away[a] = away[at] + 1
                queue.append(a)
    return away


def _finished(
    rng: random.Random, layout: Layout, tables: dict[tuple[str, int], dict[int, tuple[int, tuple[int, ...]]]]
) -> Drawn:
    """With LIDs of switches, one table and one lane, and switches that choose at some levels alone."""
    switches = [node for node in layout.nodes if node[0] == "S"]
    ends = {node: [port for port, _ in layout.ends(node)] for node in switches}
    for (node, _), rows in tables.items():
        for (owner, port), (lid, _) in layout.lids.items():
            if not port:
                rows[lid] = (0 if owner == node else ends[node][0], ())
    layout.lanes = {(s, i, o): [0] * 15 + [15] for s in switches for i in [0, *ends[s]] for o in ends[s]}
    off = rng.random() < 0.3
    enabled = {node: rng.choice([0xFFFF, 0xFFFE, 0]) if off else 0xFFFF for node in switches}
    private = {(node, port): [0] * 16 for node in switches for port in ends[node]}
    return Drawn(layout, tables, private, {node: set() for node in switches}, enabled)


def _homes(layout: Layout) -> list[tuple[int, str, int]]:
    far = {b: a for a, b in layout.links}
    return [(lid, *far[end]) for end, (lid, _) in layout.lids.items() if end[0][0] == "H"]


def _fat_tree(rng: random.Random) -> Drawn:
    leaves, spines, cables = rng.randint(2, 4), rng.randint(2, 3), rng.randint(1, 2)
    up = [(f"S{i}", f"S{leaves + j}") for i in range(leaves) for j in range(spines) for _ in range(cables)]
    layout, ports = _wired(up, {f"S{i}": rng.randint(1, 2) for i in range(leaves)})
    switches = [node for node in layout.nodes if node[0] == "S"]
    tables: dict[tuple[str, int], dict[int, tuple[int, tuple[int, ...]]]] = {(node, 0): {} for node in switches}
    flaw = rng.random() < 0.5
    for lid, home, port in _homes(layout):
        for node in switches:
            down = int(node[1:]) >= leaves
            choice: tuple[int, tuple[int, ...]]
            if node == home:
                choice = port, ()
            else:
                near = [home] if down else [f"S{leaves + j}" for j in range(spines)]
                if flaw and down and rng.random() < 0.5:  # a spine that also sends by another leaf
                    near = [home, f"S{rng.randrange(leaves)}"]
                group = sorted({p for other in near for p in ports[node, other]})
                choice = rng.choice(ports[node, near[0]]), tuple(group) if len(group) > 1 else ()
            tables[node, 0][lid] = choice
    return _finished(rng, layout, tables)


def _torus(rng: random.Random) -> Drawn:
    width, height = rng.randint(2, 4), rng.randint(1, 3)
    at = {(x, y): f"S{y * width + x}" for y in range(height) for x in range(width)}
    links = [(at[x, y], at[(x + 1) % width, y]) for x, y in at if width > 2 or x == 0]
    links += [(at[x, y], at[x, (y + 1) % height]) for x, y in at if height > 2 or (height == 2 and y == 0)]
    layout, ports = _wired(links, dict.fromkeys(at.values(), 1))
    tables: dict[tuple[str, int], dict[int, tuple[int, tuple[int, ...]]]] = {(node, 0): {} for node in at.values()}
    place = {name: xy for xy, name in at.items()}
    ordered = rng.random() < 0.4
    for lid, home, port in _homes(layout):
        away = _away([*at.values()], ports, home)
        for node in at.values():
            near = [b for a, b in ports if a == node and away[b] < away[node]]
            if ordered and len({place[b][1] == place[node][1] for b in near}) > 1:
                near = [b for b in near if place[b][1] == place[node][1]]
            group = sorted(p for other in near for p in ports[node, other])
            tables[node, 0][lid] = (group[0], tuple(group) if len(group) > 1 else ()) if group else (port, ())
    one = _finished(rng, layout, tables)
    if rng.random() < 0.5:  # levels in lanes of their own
        hosts = [(end, lid) for end, (lid, _) in layout.lids.items() if end[0][0] == "H"]
        layout.levels = {(a, lid): rng.randint(0, 1) for a, _ in hosts for b, lid in hosts if a != b}
        for row in layout.lanes.values():
            row[1] = 1
    return one


def _dragonfly_plus(rng: random.Random) -> Drawn:
    """Groups of leaves and spines; a packet in lane 0 may go round by another group, one in lane 1 goes straight."""
    groups, leaves, spines = rng.randint(2, 4), rng.randint(1, 2), rng.randint(1, 2)
    leaf = {(g, i): f"S{g * (leaves + spines) + i}" for g in range(groups) for i in range(leaves)}
    spine = {(g, j): f"S{g * (leaves + spines) + leaves + j}" for g in range(groups) for j in range(spines)}
    links = [(leaf[g, i], spine[g, j]) for g, i in leaf for j in range(spines)]
    links += [(spine[a, j], spine[b, j]) for j in range(spines) for a in range(groups) for b in range(a)]
    layout, ports = _wired(links, dict.fromkeys(leaf.values(), 1))
    of = {name: (g, "leaf") for (g, _), name in leaf.items()} | {name: (g, "spine") for (g, _), name in spine.items()}
    tables: dict[tuple[str, int], dict[int, tuple[int, tuple[int, ...]]]] = {
        (node, p): {} for node in of for p in (0, 1)
    }
    for lid, home, port in _homes(layout):
        away = _away([*of], ports, home)
        for node, (group, kind) in of.items():
            near = [b for a, b in ports if a == node and away[b] < away[node]]
            straight = sorted(p for b in near for p in ports[node, b])
            round_by = [
                b for a, b in ports if a == node and kind == "spine" and of[b][0] != group and of[home][0] != group
            ]
            wide = sorted({*straight, *(p for b in round_by for p in ports[node, b])})
            for p, members in ((0, wide), (1, straight)):
                tables[node, p][lid] = (
                    (straight[0], tuple(members) if len(members) > 1 else ()) if straight else (port, ())
                )
    one = _finished(rng, layout, tables)
    flaw = rng.choice(["", "", "lanes", "tables", "two rounds"])
    for node in of:
        one.by_lane[node] = set(KEYS)
        for port, (other, _) in layout.ends(node):
            one.private[node, port] = [0, *[1] * 15] if flaw != "tables" else [0] * 16
            for came, _ in [(0, ""), *layout.ends(node)]:
                onward = other[0] == "S" and of[other][0] != of[node][0]
                step = [min(lane + (onward and flaw != "lanes"), 2 if flaw != "two rounds" else 1) for lane in KEYS]
                layout.lanes[node, came, port] = step
    if flaw == "tables":
        one.private = {place: [0] * 15 + [1] for place in one.private}
    return one
