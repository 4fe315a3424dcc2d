"""Naive reading of well-formed fabric files, and routes followed pair by pair with dictionaries and NetworkX."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass, field
from pathlib import Path

import networkx as nx

End = tuple[int, int]


@dataclass
class Plain:
    """`cable`: (GUID, port) → (GUID, port); `lid`: LID → (GUID, port), port 0 for switches.

    `level`: (source GUID, LID) → SLs; `lane`: (switch, input port, output port, SL) → VL; without lanes the VL is the
    SL modulo `lanes`.
    """

    switches: set[int] = field(default_factory=set)
    name: dict[int, str] = field(default_factory=dict)
    cable: dict[End, End] = field(default_factory=dict)
    lid: dict[int, End] = field(default_factory=dict)
    table: dict[int, dict[int, int]] = field(default_factory=dict)
    level: dict[tuple[int, int], set[int]] = field(default_factory=dict)
    lane: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    lanes: int = 16
    port_guid: dict[End, int] = field(default_factory=dict)

    def sls(self, source: End, lid: int) -> set[int]:
        """Of the port and of its node; 0 without a record, but between hosts none where there are records."""
        own = self.level.get((self.port_guid.get(source, 0), lid), set())
        strict = bool(self.level and source[1] and self.lid[lid][1])
        return own | self.level.get((source[0], lid), set()) or (set() if strict else {0})

    def vl(self, switch: int, came: int, out: int, level: int) -> int:
        return self.lane.get((switch, came, out, level), 15) if self.lane else level % self.lanes


def plain_ibnetdiscover(path: Path) -> Plain:
    plain = Plain()
    node = 0
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith(("Switch", "Ca")):
            node = int(words[2].strip('"')[2:], 16)
            plain.name[node] = line.split('# "')[1].split('"')[0]
            if line.startswith("Switch"):
                plain.switches.add(node)
                base = int(words[words.index("lid") + 1])
                for lid in range(base, base + 2 ** int(words[words.index("lmc") + 1])):
                    plain.lid[lid] = (node, 0)
        elif line.startswith("["):
            port = int(line[1 : line.index("]")])
            far = re.search(r'"[SHR]-([0-9a-f]{16})"\[(\d+)\]', line)
            assert far is not None
            plain.cable[node, port] = (int(far[1], 16), int(far[2]))
            if node not in plain.switches:
                own = re.match(r"\[\d+\]\(([0-9a-f]+)\)", line)
                plain.port_guid[node, port] = int(own[1], 16) if own else 0
                base = int(words[words.index("lid") + 1])
                for lid in range(base, base + 2 ** int(words[words.index("lmc") + 1])):
                    plain.lid[lid] = (node, port)
    return plain


def plain_lst(path: Path) -> Plain:
    plain = Plain()
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as file:
        lines = file.read().splitlines()
    for line in lines:
        ends = []
        for side in line.split("{ ")[1:]:
            guid, lid, port = (
                int(re.search(rf"{key}:([0-9a-fA-F]+)", side)[1], 16)  # type: ignore[index]
                for key in ("NodeGUID", "LID", "PN")
            )
            if side.startswith("SW") or "Ports:18" in side:
                plain.switches.add(guid)
            plain.lid[lid] = (guid, 0 if guid in plain.switches else port)
            ends.append((guid, port))
        plain.cable[ends[0]] = ends[1]
    return plain


def plain_tables(plain: Plain, path: Path) -> Plain:
    guid, bounds = 0, None
    for line in path.read_text().splitlines():
        head = re.search(r"(?:guid|Switch) 0x([0-9a-f]{16})", line) if line[:1] in "Ud" else None
        end = re.match(r"\d+ (valid )?lids dumped", line)
        if head:
            guid = int(head[1], 16)
            plain.table[guid] = {}
            bounds = re.search(r"\[(\w+)-(\w+)\]", line)
        elif end and guid and bounds:
            for lid in range(max(1, int(bounds[1], 0)), int(bounds[2], 0) + 1):
                plain.table[guid].setdefault(lid, 255)
            guid = 0
        elif line.startswith("0x") and guid:
            words = line.replace(":", " ").split()
            plain.table[guid][int(words[0], 16)] = 255 if words[1] == "UNREACHABLE" else int(words[1])
    return plain


def plain_levels(plain: Plain, path: Path) -> Plain:
    """From lines of source GUID, LID and SL."""
    for line in path.read_text().splitlines():
        guid, lid, level = line.split()
        plain.level.setdefault((int(guid, 16), int(lid)), set()).add(int(level))
    return plain


def plain_lanes(plain: Plain, path: Path) -> Plain:
    """From OpenSM's dump."""
    guid = 0
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("Switch"):
            guid = int(words[1].rstrip(","), 16)
        elif line[:1].isdigit():
            for level, lane in enumerate(words[3:]):
                plain.lane[guid, int(words[0]), int(words[1]), level] = int(lane)
    return plain


@dataclass
class Followed:
    pairs: int
    delivered: int
    lengths: dict[tuple[End, int], int]
    shortest: dict[tuple[End, int], int]
    lost: set[tuple[int, int]]
    unknown: int
    dependencies: nx.DiGraph


def follow(plain: Plain, traffic: str) -> Followed:
    """Walk every (source port, LID) through the tables at each of its levels; it is lost if it is at one of them.

    With "replies", hosts also send at the levels of the packets that they receive from the owner of the LID.
    """
    replies, traffic = traffic == "replies", "host-to-host" if traffic == "replies" else traffic
    hosts = sorted(end for end in plain.lid.values() if end[1])
    ports = sorted(set(plain.lid.values()))
    sides = traffic.split("-to-") if traffic != "all" else ["any", "any"]

    def takes_part(end: End, side: str) -> bool:
        return side == "any" or (end in hosts) == (side == "host")

    graph = nx.Graph()
    graph.add_nodes_from(plain.switches)
    graph.add_edges_from(
        (a[0], b[0]) for a, b in plain.cable.items() if a[0] in plain.switches and b[0] in plain.switches
    )
    distance = dict(nx.all_pairs_shortest_path_length(graph))
    followed = Followed(0, 0, {}, {}, set(), 0, nx.DiGraph())
    for lid, owner in plain.lid.items():
        for source in ports:
            if source == owner or not takes_part(source, sides[0]) or not takes_part(owner, sides[1]):
                continue
            levels = set(plain.sls(source, lid))
            recorded = bool(levels)
            if replies:
                levels |= {sl for own, end in plain.lid.items() if end == source for sl in plain.sls(owner, own)}
            home = owner[0] if owner[1] == 0 else plain.cable[owner][0]
            ends = [walk(plain, followed, source, lid, owner, level) for level in sorted(levels)]
            followed.pairs += 1
            short = stops_short(plain, source, lid, owner)
            if not recorded:
                followed.unknown += 1
                continue
            followed.unknown += short and not any(dropped for _, dropped in ends)
            followed.delivered += all(channels is not None for channels, _ in ends)
            if ends[0][0] is not None:
                followed.lengths[source, lid] = len(ends[0][0])
                start = source[0] if source[1] == 0 else plain.cable[source][0]
                followed.shortest[source, lid] = distance[start][home]
    return followed


def stops_short(plain: Plain, source: End, lid: int, owner: End) -> bool:
    """Whether the route comes to a switch of whose entry nothing is known."""
    here, seen = source[0] if source[1] == 0 else plain.cable[source][0], set()
    while here in plain.switches and here not in seen:
        seen.add(here)
        port = plain.table.get(here, {}).get(lid)
        if port is None:
            return True
        here = plain.cable.get((here, port), (0, 0))[0] if port else 0
    return False


def walk(
    plain: Plain, followed: Followed, source: End, lid: int, owner: End, level: int
) -> tuple[list[tuple[int, int, int]] | None, bool]:
    """Follow one packet and add its dependencies; its channels if it arrives, and whether a lane drops it."""
    here, came = (source[0], 0) if source[1] == 0 else plain.cable[source]
    channels: list[tuple[int, int, int]] = []
    lane = 0
    while True:
        port = plain.table.get(here, {}).get(lid)
        if port == 0 and owner == (here, 0):
            arrived = True
            break
        far = plain.cable.get((here, port)) if port else None
        if far is None or far[0] not in plain.switches:
            arrived = far is not None and far == owner
            if not arrived and port is not None:
                followed.lost.add((here, lid))
            break
        lane = plain.vl(here, came, port, level)
        if lane == 15:
            arrived = False
            followed.lost.add((here, lid))
            break
        again = (here, port, lane) in channels
        channels.append((here, port, lane))
        if again:
            arrived = False
            break
        here, came = far
    nx.add_path(followed.dependencies, channels)
    return channels if arrived else None, lane == 15
