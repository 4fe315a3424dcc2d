"""Stand-ins for `ibsim` and OpenSM: ``python -m tests.fabrics.stand_in ibsim|opensm …``, with min-hop tables.

`ibsim` copies its network and what is said at its console to files; `opensm` reads them, dumps what it "discovers",
and says so in its log. Its option ``-R`` names what it does wrong: `silent` never sweeps again, `blind` discovers no
cut, `moving` gives LIDs anew, `leaving` ends, `cyclic` sends all packets round a ring.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections import deque
from pathlib import Path

from tests.fabrics.texts import End, Layout, lfts, lst

NET, SAID = Path("net"), Path("said")


def ibsim(words: list[str]) -> None:
    NET.write_text(Path(words[-1]).read_text())
    for line in sys.stdin:
        with SAID.open("a") as said:
            said.write(line)


def cables() -> dict[End, End]:
    far: dict[End, End] = {}
    node = ""
    for line in NET.read_text().splitlines():
        if line.startswith(("Switch", "Hca")):
            node = line.split('"')[1]
        elif match := re.match(r'\[(\d+)\] "([^"]+)"\[(\d+)\]', line):
            far[node, int(match[1])] = (match[2], int(match[3]))
    return far


def cut(far: dict[End, End]) -> set[End]:
    down = set[End]()
    for line in SAID.read_text().splitlines() if SAID.exists() else []:
        word, node, port = re.match(r'(\w+) "([^"]+)"\[(\d+)\]', line).groups()  # type: ignore[union-attr]
        ends = {(node, int(port)), far[node, int(port)]}
        down = down | ends if word == "Unlink" else down - ends
    return down


def swept(far: dict[End, End], down: set[End], fault: str, folder: Path) -> None:
    """Dump a fabric as OpenSM sees it."""
    links = [(a, b) for a, b in far.items() if a < b]
    nodes = list(dict.fromkeys(end[0] for a, b in links for end in (a, b)))
    own = [(node, 0 if node[0] == "S" else 1) for node in nodes]
    shift = 40 if fault == "moving" and down else 1
    layout = Layout(links, {end: (number + shift, 0) for number, end in enumerate(own)})
    left = {a: b for a, b in far.items() if a not in down}
    switches = [node for node in nodes if node[0] == "S"]
    hops: dict[str, dict[str, int]] = {}
    for goal in nodes:
        away, queue = {goal: 0}, deque([goal])
        while queue:
            at = queue.popleft()
            for (node, _), (other, _) in left.items():
                if node == at and other not in away:
                    away[other] = away[at] + 1
                    queue.append(other)
        hops[goal] = away
    reach = hops[os.environ["SIM_HOST"]]
    for switch in switches:
        if switch not in reach:
            continue
        table = layout.tables.setdefault(switch, {})
        for end in own:
            if end[0] in reach:
                ways = [
                    p
                    for (n, p), (o, _) in sorted(left.items())
                    if n == switch and hops[end[0]].get(o, 99) < hops[end[0]][switch]
                ]
                if fault == "cyclic" and hops[end[0]][switch] > 1:
                    ways = [p for (n, p), (o, _) in sorted(left.items()) if n == switch and o[0] == "S"]
                table[layout.lids[end][0]] = ways[0] if ways else 0
    ends = re.compile(r"\{(\w+)\} LID:\w+ PN:(\w+)")
    lines = [
        line
        for line in lst(layout).splitlines()
        if all((n, int(p, 16)) not in down and n in reach for n, p in ends.findall(line))
    ]
    (folder / "opensm-subnet.lst").write_text("\n".join(lines) + "\n")
    (folder / "opensm-lfts.dump").write_text(lfts(layout))


def opensm(words: list[str]) -> None:
    if "--version" in words:
        print("OpenSM 9.8.7")
        return
    log, fault = Path(words[words.index("-f") + 1]), words[words.index("-R") + 1]
    signal.signal(signal.SIGHUP, lambda *_: None)
    seen = -1
    while True:
        said = SAID.stat().st_size if SAID.exists() else 0
        if said != seen and NET.exists() and not (seen >= 0 and fault == "silent"):
            if seen >= 0 and fault == "leaving":
                sys.exit("no more")
            seen, far = said, cables()
            swept(far, set() if fault == "blind" else cut(far), fault, log.parent)
            with log.open("a") as file:
                file.write(f"0x02 -> osm_ucast_mgr_process: {fault} tables configured on all switches\nSUBNET UP\n")
        time.sleep(0.002)


if __name__ == "__main__":
    {"ibsim": ibsim, "opensm": opensm}[sys.argv[1]](sys.argv[2:])
