"""The loop with the real OpenSM: ``make fabric-test``, or ``python -m tests.fabric_loop [NAMES …]``.

Every fabric is simulated, routed by every engine, dumped, and judged three times. The first routing of each fabric
that can deadlock, or those that the case names, are repaired; each remedy is loaded, dumped again, compared and
judged. Repairs count work, so that a busy machine finds the same remedies.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.fabric_loop.fabrics import ENGINES, Case, cases
from tests.fabric_loop.judges import by_ibdmchk, by_unknot, by_walk, on_replies
from tests.fabric_loop.simulated import dumped, missing
from unknot.fabrics import read_fabric
from unknot.fabrics.managed.manager import LEVELS_BY

REMEDIES = "loaded"
"""Column of the remedies that OpenSM loaded, and that were dumped alike and free."""
OPEN = 3
"""Exit code of commands whose answer is open."""


@dataclass(frozen=True)
class Verdicts:
    """Whether requests are free, and where there are several lanes, replies at their level."""

    requests: bool | None
    replies: bool | None

    def __str__(self) -> str:
        word = {True: "free", False: "deadlock", None: "?"}[self.requests]
        return f"{word}, replies deadlock" if self.requests and self.replies is False else word


@dataclass
class Tally:
    """What was found: routings judged, deadlocking ones, remedies loaded, what went wrong or was not finished."""

    judged: int = 0
    stuck: int = 0
    loaded: int = 0
    wrong: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    cells: dict[str, dict[str, str]] = field(default_factory=dict)

    def table(self) -> str:
        """The outcome of each fabric by each engine, and the remedies that were loaded, for a page."""
        columns = [*ENGINES, REMEDIES]
        lines = ["| fabric | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
        for name, row in self.cells.items():
            lines.append(f"| `{name}` | " + " | ".join(row.get(column, "–") for column in columns) + " |")
        return "\n".join(lines)


def main(names: list[str]) -> int:
    """Run the loop; return the exit code.

    0: all verdicts agree and all remedies hold, or the tools are missing. 1: verdicts differ, or a remedy does not
    hold. 3: a repair was not finished.
    """
    absent = missing()
    if absent:
        print(f"not run: these Debian packages are missing: {' '.join(absent)} (apt-get install {' '.join(absent)})")
        return 0
    tally, began = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="unknot-fabrics-") as scratch:
        for case in cases():
            if not names or case.name in names:
                loop(case, Path(scratch) / case.name, tally)
    print(
        f"{tally.judged} routings judged three times, {tally.stuck} of them can deadlock; {tally.loaded} remedies "
        f"loaded; {len(tally.wrong)} disagreements; {len(tally.unfinished)} repairs not finished; "
        f"{time.monotonic() - began:.0f} s"
    )
    for line in (*tally.wrong, *tally.unfinished):
        print(f"  {line}")
    print(tally.table())
    return 1 if tally.wrong else OPEN if tally.unfinished else 0


def loop(case: Case, folder: Path, tally: Tally) -> None:
    """One fabric by all engines, and its repair."""
    folder.mkdir(parents=True)
    net = folder / "ibsim.net"
    case.write(net)
    host = next(line.split('"')[1] for line in net.read_text().splitlines() if line.startswith("Hca"))
    row = tally.cells.setdefault(case.name, {})
    stuck: list[Path] = []
    for engine in case.engines:
        if engine == "torus-2QoS" and not case.radices:
            continue
        dumps = folder / engine
        dumps.mkdir()
        ran, said = dumped(net, dumps, *case.options(engine, dumps), host=host, by=LEVELS_BY)
        verdicts = judged(case, dumps, f"{case.name}, {engine}, routed by {ran}", said, tally)
        row[engine] = str(verdicts) if ran == engine else f"{verdicts} ({ran})"
        if verdicts.requests is False and (engine in case.mended or not (case.mended or stuck)):
            stuck.append(dumps)
    for dumps in stuck:
        kinds = repaired(case, net, host, dumps, folder / f"{dumps.name}-repaired", tally)
        row[REMEDIES] = f"{row[REMEDIES]}, " if REMEDIES in row else ""
        row[REMEDIES] += f"{len(kinds)} of {dumps.name}"
    shutil.rmtree(folder)


def judged(case: Case, dumps: Path, title: str, said: str, tally: Tally) -> Verdicts:
    """Judge dumps three times, replies as well where there are several lanes; print a line."""
    own = by_unknot(dumps)
    walked, delivered = by_walk(dumps)
    third = by_ibdmchk(dumps, case.lmc)
    agree = own.deadlock_free is walked and own.delivered is delivered
    agree = agree and (third is walked or (third is None and (case.lmc or case.engines != ENGINES)))
    replies, backward = None, ""
    if own.lanes > 1 and (dumps / "paths.psl").exists():
        replies, again, back = on_replies(own, dumps, case.lmc)
        agree = agree and replies is again and not (replies and back is False)
        backward = f"; replies {replies}, {again}, {back}"
    tally.judged += 1
    tally.stuck += own.deadlock_free is False
    words = {True: "free", False: "CAN DEADLOCK", None: "?"}
    print(
        f"{title}: {words[own.deadlock_free]} on {own.lanes} lanes; walk {words[walked]}; ibdmchk {words[third]}"
        f"{backward}"
    )
    sys.stdout.flush()
    if not agree or not own.host_to_host.certificate_holds:
        tally.wrong.append(
            f"{title}: {own.deadlock_free}, {walked}, {third}, {own.delivered}, {delivered}{backward}; {said}"
        )
    return Verdicts(own.deadlock_free, replies)


def repaired(case: Case, net: Path, host: str, stuck: Path, out: Path, tally: Tally) -> list[str]:
    """Repair, load each remedy, compare what OpenSM then has, and judge it; return those that hold."""
    for file in stuck.iterdir():
        if file.suffix in (".log", ".out", ".txt") or file.name in ("opensm.mcfdbs", "lanes.slvl"):
            file.unlink()
    words = [sys.executable, "-m", "unknot", "repair", str(stuck), "--out", str(out), "--json"]
    if case.anew:
        words += ["--lmc", str(case.anew)]
        case = replace(case, lmc=case.anew, words=("-l", str(case.anew), *case.words))
    process = subprocess.run(words, capture_output=True, text=True)
    refused = json.loads(process.stdout)["refused"] if process.stdout else []
    late = [reason for reason in refused if "not finished" in reason]
    if process.returncode or late:
        lines = tally.wrong if process.returncode not in (0, OPEN) else tally.unfinished
        lines.append(f"{case.name}: repair of {stuck.name}: {'; '.join(late) or process.stderr[-300:].strip()}")
    good = []
    for kind in sorted(path.name for path in out.glob("*") if path.is_dir()):
        made, again = out / kind, out / f"{kind}-loaded"
        options = ["-R", "file,no_fallback", "-U", str(made / "tables.lfts"), *case.words]
        if (made / "opensm.conf").exists():
            options = ["-F", str(made / "opensm.conf"), *options]
        if case.anew:  # OpenSM gives the LIDs that it remembers
            again.mkdir()
            shutil.copy(made / "guid2lid", again)
        ran, said = dumped(net, again, *options, host=host, by="switches")
        title = f"{case.name}, {stuck.name} repaired ({kind}), routed by {ran}"
        free = judged(case, again, title, said, tally)
        replies = free.replies is not False
        tally.loaded += 1
        alike = _entries(made / "tables.lfts") == _entries(again / "opensm-lfts.dump")
        several = (made / "paths.psl").exists()
        levels = not several or bool((_levels(again, made) == _levels(again, again)).all())
        if ran != "file" or not free.requests or not alike or not levels or not replies:
            tally.wrong.append(f"{title}: {free}, tables alike {alike}, levels alike {levels}, replies {replies}")
        else:
            good.append(kind)
    return good


def _entries(tables: Path) -> list[str]:
    """Everything but the names of the nodes."""
    return [line.split(" # ")[0].split(" (")[0] for line in tables.read_text().splitlines()]


def _levels(fabric: Path, folder: Path) -> npt.NDArray[np.int8]:
    """The levels between hosts that a folder has."""
    read = read_fabric(fabric / "fabric.ibnetdiscover", levels=folder / "paths.psl")
    assert read.levels is not None
    return read.levels[: read.network.num_terminals]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
