"""Multicast packets followed copy by copy, with dictionaries and NetworkX."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import networkx as nx

from tests.reference.fabric_routes import End, Plain

Groups = dict[int, dict[int, list[int]]]
"""MLID → switch → ports."""


def plain_mcfdbs(path: Path) -> Groups:
    groups: Groups = {}
    guid = 0
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("Switch"):
            guid = int(words[1], 16)
        elif line.startswith("0x") and words[2:]:
            groups.setdefault(int(words[0], 16), {})[guid] = [int(word, 16) for word in words[2:]]
    return groups


@dataclass
class Copied:
    """`heard`: (MLID, sender, receiver) among members; `circling`: groups with a copy that comes round again."""

    dependencies: nx.DiGraph = field(default_factory=nx.DiGraph)
    members: dict[int, set[End]] = field(default_factory=dict)
    heard: set[tuple[int, End, End]] = field(default_factory=set)
    circling: set[int] = field(default_factory=set)
    twice: set[int] = field(default_factory=set)


def copy_packets(plain: Plain, groups: Groups, level: int) -> Copied:
    """Let every host at a switch of a group send one packet to it."""
    copied = Copied()
    for mlid, rows in groups.items():
        ends = {plain.cable.get((switch, port), (0, 0)) for switch, ports in rows.items() for port in ports if port}
        hosts = {end for end in plain.lid.values() if end[1]}
        copied.members[mlid] = ends & hosts
        for sender in hosts:
            start, came = plain.cable[sender]
            if start in rows:
                _send(plain, copied, mlid, rows, sender, (start, came), level)
    return copied


def _send(
    plain: Plain, copied: Copied, mlid: int, rows: dict[int, list[int]], sender: End, start: End, level: int
) -> None:
    seen: dict[tuple[int, int, int], int] = {}
    todo: list[tuple[End, list[tuple[int, int, int]]]] = [(start, [])]
    while todo:
        (here, came), behind = todo.pop()
        for port in rows.get(here, []):
            if port in (0, came):
                continue
            far = plain.cable.get((here, port))
            if far is None:
                continue
            if far[0] not in plain.switches:
                if sender in copied.members[mlid]:
                    copied.heard.add((mlid, sender, far))
                continue
            lane = plain.vl(here, came, port, level)
            if lane == 15:
                continue
            channel = (here, port, lane)
            copied.dependencies.add_node(channel)
            if behind:
                copied.dependencies.add_edge(behind[-1], channel)
            if channel in behind:
                copied.circling.add(mlid)
                continue
            seen[channel] = seen.get(channel, 0) + 1
            if seen[channel] > 1:
                copied.twice.add(mlid)
            if seen[channel] < 40:
                todo.append((far, [*behind, channel]))
