"""Three independent verdicts on one fabric: Unknot's, `ibdmchk`'s, and a walk of every pair with NetworkX."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import networkx as nx

from tests.reference.fabric_routes import follow, plain_ibnetdiscover, plain_lanes, plain_levels, plain_tables
from unknot.fabrics import read_fabric
from unknot.verify.audit import Audit, audit

FREE, LOOPS = "no credit loops found", "credit loops in routing"


def files(folder: Path) -> dict[str, Path]:
    """The service levels and lanes that were dumped."""
    paths = {"levels": folder / "paths.psl", "lanes": folder / "opensm-sl2vl.dump"}
    return {name: path for name, path in paths.items() if path.exists()}


def by_unknot(folder: Path) -> Audit:
    """With the true lanes."""
    return audit(read_fabric(folder / "fabric.ibnetdiscover", folder / "opensm-lfts.dump", **files(folder)))


def on_replies(own: Audit, folder: Path, lmc: int) -> tuple[bool | None, bool, bool | None]:
    """Return the verdicts on replies at the level of the request: Unknot's, the walk's, and `ibdmchk`'s.

    `ibdmchk` is asked with the levels of both directions exchanged: it knows one level of a pair, so its "free" is
    about less. It knows levels of nodes alone, and so is not asked where one has several ports.
    """
    walked, _ = by_walk(folder, "replies")
    plain = plain_ibnetdiscover(folder / "fabric.ibnetdiscover")
    hosts = {guid for guid, _ in plain.port_guid}
    third = None
    if len(hosts) == len(plain.port_guid):
        back = folder / "back"
        shutil.copytree(folder, back)
        base = {guid: min(lid for lid, end in plain.lid.items() if end[0] == guid) for guid in hosts}
        rows = [line.split() for line in (folder / "paths.psl").read_text().splitlines()]
        swapped = [(plain.lid[int(to)][0], base[int(guid, 16)], sl) for guid, to, sl in rows]
        (back / "paths.psl").write_text("".join(f"0x{guid:016x} {lid} {sl}\n" for guid, lid, sl in swapped))
        third = by_ibdmchk(back, lmc)
        shutil.rmtree(back)
    assert own.replies is not None
    return own.replies.verdict.deadlock_free, walked, third


def by_walk(folder: Path, traffic: str = "host-to-host") -> tuple[bool, bool]:
    """Whether dependencies have no cycle, and whether every pair is delivered."""
    plain = plain_tables(plain_ibnetdiscover(folder / "fabric.ibnetdiscover"), folder / "opensm.fdbs")
    if (folder / "paths.psl").exists():
        plain_levels(plain, folder / "paths.psl")
    if (folder / "opensm-sl2vl.dump").exists():
        plain_lanes(plain, folder / "opensm-sl2vl.dump")
    followed = follow(plain, traffic)
    return nx.is_directed_acyclic_graph(followed.dependencies), followed.pairs == followed.delivered


def by_ibdmchk(folder: Path, lmc: int) -> bool | None:
    """By its text; None if it says nothing of credit loops, as with LMC > 0 where switches have one LID alone.

    Its exit code is that of a crash after it found one.
    """
    words = ["ibdmchk", "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs", "-l", str(lmc)]
    if (folder / "paths.psl").exists() and not re.fullmatch(r"(?:.* 0\n)*", (folder / "paths.psl").read_text()):
        words += ["-c", "paths.psl"]
    if (folder / "opensm-sl2vl.dump").exists():
        _as_slvl(folder / "opensm-sl2vl.dump", folder / "lanes.slvl")
        words += ["-d", "lanes.slvl"]
    printed = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, errors="replace").stdout
    (folder / "ibdmchk.txt").write_text(printed)
    return True if FREE in printed else False if LOOPS in printed else None


def _as_slvl(dump: Path, path: Path) -> None:
    guid, rows = "", []
    for line in dump.read_text().splitlines():
        if line.startswith("Switch"):
            guid = line.split()[1].rstrip(",")
        elif match := re.match(r"(\d+)\s+(\d+)\s*:(.*)", line):
            lanes = [int(word) for word in match[3].split()]
            packed = " ".join(f"0x{a:x}{b:x}" for a, b in zip(lanes[::2], lanes[1::2], strict=True))
            rows.append(f"{guid} {match[1]} {match[2]} {packed}")
    path.write_text("\n".join(rows) + "\n")
