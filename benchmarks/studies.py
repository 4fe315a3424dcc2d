"""Studies of many short points: processor time beside the runs, first result, memory, and going on after kill −9.

``python -m benchmarks.studies 20000`` runs a study of that many points (2,000 if no number is given) on a ring of
four routers, once with one worker and once with two, each in a command of its own, and a third time with two workers
of Dask; of more than 20,000 with two workers only. A worker and the command are killed on the way, the command is
given again, and the rows of its store are compared with those of the study that nobody broke off. Overhead is the
processor time of the command's own processes from the first result on, which includes store and report; that of the
workers is beside it, to be compared with the same runs in turn in one process. At the end, runs of a search for
saturation are counted beside those of all loads.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from unknot.network.families import ring
from unknot.routing import dimension_order
from unknot.simulation import simulate
from unknot.studies import Design, Simulation, Study, run_study

LOADS, SAMPLE = 20, 300
STUDY = """[common]
network = "ring(4)"
routing = "dimension_order"
vcs = 2
[[design]]
[simulation]
loads = {{ from = 0.01, to = 0.2, step = 0.01 }}
stop_at_saturation = false
seeds = {seeds}
warmup = 10
measure = 10
"""
TICKS = os.sysconf("SC_CLK_TCK")


def seconds_of_a_run() -> float:
    """Processor seconds of a run of the study, in turn in this process."""
    relation = dimension_order(ring(4), 2)
    for count in (20, SAMPLE):  # the first ones load kernels
        begin = time.process_time()
        for seed in range(count):
            simulate(relation, 0.01 * (1 + seed % LOADS), seed=seed, warmup=10, measure=10)
    return (time.process_time() - begin) / SAMPLE


@dataclass
class Watched:
    """What a command used: seconds of the processors by process, and megabytes of the process that keeps the points.

    That is the first child of the command, which only watches over it.
    """

    first: float = 0.0
    first_own: float = 0.0
    own: float = 0.0
    clock: float = 0.0
    used: dict[int, float] = field(default_factory=dict)
    megabytes: list[float] = field(default_factory=list)

    @property
    def processor(self) -> float:
        return sum(self.used.values())


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    children: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (task / "children").read_text().split())
    return [pid, *(one for child in children for one in family(child))]


def kept(store: Path) -> int:
    """Points in the store so far."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as base:
        return int(base.execute("SELECT count(*) FROM results").fetchone()[0])
    return 0


def rows(store: Path) -> str:
    """Hash of all that the store holds, whatever the order in which it came there."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as base:
        seals = base.execute("SELECT checksum FROM results ORDER BY key")
        return hashlib.sha256("".join(seal for (seal,) in seals).encode()).hexdigest()[:16]


def watch(study: Path, points: int, *words: str, kill: int = 0, worker: bool = False) -> Watched:
    """Run the command, sampling twice a second; with `kill`, end it or a worker once that many points are kept."""
    seen, store, begin = Watched(), study.with_suffix(".sqlite"), time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "unknot", "run", study.name, *words],
        cwd=study.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    command: list[int] = []
    while process.poll() is None:
        command = command if len(command) == 2 else family(process.pid)[:2]
        for pid in family(process.pid):
            with suppress(OSError, IndexError):
                stat = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
                seen.used[pid] = (int(stat[11]) + int(stat[12])) / TICKS
        seen.own = sum(seen.used.get(pid, 0.0) for pid in command)
        done = kept(store)
        if done > 1 and not seen.first:
            seen.first, seen.first_own = time.perf_counter() - begin, seen.own
        if done >= (len(seen.megabytes) + 1) * points / 5:
            with suppress(OSError, IndexError):
                status = Path(f"/proc/{family(process.pid)[1]}/status").read_text()
                seen.megabytes.append(int(status.partition("VmRSS:")[2].split()[0]) / 1024)
        if kill and done >= kill:
            busiest = max(family(process.pid)[2:], key=lambda pid: seen.used.get(pid, 0.0))
            os.kill(busiest if worker else process.pid, signal.SIGKILL)
            kill = 0
        with suppress(subprocess.TimeoutExpired):  # ends with the command, whose time is measured
            process.wait(0.1 if not seen.first else 0.5)
    seen.clock = time.perf_counter() - begin
    return seen


def searches() -> None:
    """Print runs that a search for saturation takes, and those of a grid up to saturation and of a whole one."""
    designs = tuple(
        Design(name=routing, network="mesh(8, 8)", routing=routing, vcs=vcs)
        for routing, vcs in (("dimension_order", 2), ("west_first", 2), ("odd_even", 2), ("duato", 3))
    )
    loads, seeds = tuple(at / 40 for at in range(1, 21)), (1, 2, 3)
    ends = {}
    for search in ("saturation", "every load"):
        plan = Simulation(loads=loads, seeds=seeds, search=search, warmup=1000, measure=2000)
        outcome = run_study(Study(designs=designs, simulation=plan)).designs
        ends[search] = [(each.stable_up_to, len(each.runs)) for each in outcome]
    for design, (end, few), (also, many) in zip(designs, *ends.values(), strict=True):
        same = "the same load" if end == also else f"ANOTHER LOAD, {also}"
        whole = len(loads) * len(seeds)
        print(
            f"{design.name}: stable up to {end} after {few} runs; {many} runs in rising order, {whole} of all: {same}"
        )


def main() -> None:
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    alone = seconds_of_a_run()
    print(f"a run in turn: {1000 * alone:.2f} ms of the processor")
    with tempfile.TemporaryDirectory() as name:
        study = Path(name) / "study.toml"
        store = study.with_suffix(".sqlite")
        study.write_text(STUDY.format(seeds=list(range(1, points // LOADS + 1))))
        both = ("--jobs", "2")
        for words in (both,) if points > 20_000 else (("--jobs", "1"), both, (*both, "--dask", "local")):
            store.unlink(missing_ok=True)
            seen = watch(study, points, *words)
            own, others = seen.own - seen.first_own, seen.processor - seen.own
            growth = ", ".join(f"{mb:.0f}" for mb in seen.megabytes)
            print(
                f"{' '.join(words)}: {1000 * own / points:.2f} ms of the command and {1000 * others / points:.2f} of "
                f"its workers for each point; by the clock the first result after {seen.first:.1f} s, "
                f"all {kept(store)} after {seen.clock:.1f} s; MB at each fifth of the points: {growth}",
                flush=True,
            )
        whole = rows(store)
        store.unlink()
        for what, worker in (("a worker", True), ("the command", False)):
            before = kept(store)
            watch(study, points, "--jobs", "2", kill=before + points // 4, worker=worker)
            print(f"{what} killed: {kept(store)} points kept, {before} before", flush=True)
        watch(study, points, "--jobs", "2")
        same = "the same rows" if rows(store) == whole else "OTHER ROWS"
        print(f"given again: {kept(store)} of {points + 1} points, {same}", flush=True)
    searches()


if __name__ == "__main__":
    main()
