"""BookSim's own example files in both simulators: what became of each, and how far the latencies are apart.

``python -m benchmarks.booksim_files CLONE`` takes a clone of booksim/booksim2 whose ``src/booksim`` was built, and
prints a table of every file of ``src/examples`` and ``runfiles``: refused and why, or five loads up to 95 % of what
BookSim accepts at most, then the worst difference, what both accept beyond saturation, and their processor seconds.
Further arguments are parts of names of files, ``--seeds N``, ``--period N`` (cycles of a sample period; seven are
measured) and ``--most LOAD`` (saturation, where BookSim accepts more beyond it).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from unknot._base.errors import UnknotError
from unknot.simulation import simulate
from unknot_booksim import Setup, read_setup

LOADS = (0.2, 0.5, 0.7, 0.85, 0.95)
"""Parts of what BookSim accepts at most."""
PATIENCE = 300
"""Seconds that BookSim is given for a run."""
Figures = tuple[float, float]
"""Mean latency, and flits accepted per terminal and cycle."""


def files(clone: Path) -> list[Path]:
    """Configurations of the clone."""
    paths = [*(clone / "src" / "examples").rglob("*"), *(clone / "runfiles").rglob("*")]
    kept = [
        path for path in sorted(paths) if path.is_file() and path.suffix in ("", ".txt") and "=" in path.read_text()
    ]
    return [path for path in kept if path.name.lower() not in ("readme", "anynet_file")]


def theirs(clone: Path, path: Path, keys: Sequence[str]) -> Figures | None:
    """A run of BookSim; None if it says nothing or does not end."""
    command = [str((clone / "src" / "booksim").resolve()), str(path.resolve()), *keys]
    try:
        out = subprocess.run(command, capture_output=True, text=True, cwd=path.parent, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return None
    return figures(out.stdout)


def figures(out: str) -> Figures | None:
    """What BookSim printed at the end, if anything."""
    tail = out[out.rfind("Overall Traffic Statistics") :]
    latency, accepted = (
        re.search(rf"{name} average = ([\d.e+-]+)", tail) for name in ("Packet latency", "Accepted flit rate")
    )
    return (float(latency[1]), float(accepted[1])) if latency and accepted else None


def ours(setup: Setup, seed: int) -> Figures:
    """A run of ours, as long as BookSim's at most."""
    run = simulate(setup.relation, setup.load, seed=seed, **setup.options)
    return run.latency_mean or float("nan"), run.accepted_load


def keys_of(rate: float, period: int, seed: int) -> list[str]:
    """Keys set on the command lines of both."""
    return [f"injection_rate={rate:.6f}", f"sample_period={period}", f"seed={seed}", "stopping_thres=0.00001"]


def row(clone: Path, path: Path, seeds: int, period: int, saturation: float = 0.0) -> str:
    """Row of the table for a file."""
    name = "/".join(path.parts[-2:])
    try:
        setup = read_setup(path, keys_of(0.01, period, 0), faithful=True)
    except UnknotError as error:
        return f"| `{name}` | refused: {str(error).splitlines()[0].split(': ', 1)[-1]} | | | |"
    if setup.batches or "classes" in setup.options:
        return f"| `{name}` | runs, without loads to compare | | | |"
    flits = 1.0 if setup.configuration.on("injection_rate_uses_flits") else setup.mean_length
    full = ["sim_type=throughput", *keys_of(1 / flits, period, 0)]
    most = theirs(clone, path, full)
    if most is None:
        return f"| `{name}` | BookSim does not end, or stops | | | |"
    at_most = ours(read_setup(path, full, faithful=True), 0)[1]
    cells, worst, begun = [], 0.0, spent()
    for part in LOADS:
        load = part * (saturation or most[1])
        rate = load / flits
        runs = [theirs(clone, path, keys_of(rate, period, seed)) for seed in range(seeds)]
        known = [figures[0] for figures in runs if figures is not None]
        if not known:
            cells.append(f"{load:.3g}: BookSim is not stable")
            continue
        mine = mean(
            ours(read_setup(path, keys_of(rate, period, seed), faithful=True), seed)[0] for seed in range(seeds)
        )
        apart = mine / mean(known) - 1
        worst = max(worst, abs(apart), key=abs)
        cells.append(f"{load:.3g}: {mean(known):.1f} ({len(known)}), {apart:+.1%}")
    seconds = ", ".join(f"{after - before:.1f}" for before, after in zip(begun, spent(), strict=True))
    beyond = f"{most[1]:.3f}, {at_most / most[1] - 1:+.1%}"
    return f"| `{name}` | {'; '.join(cells)} | {worst:.1%} | {beyond} | {seconds} |"


def spent() -> tuple[float, float]:
    """Processor seconds of BookSim and of this process so far."""
    times = os.times()
    return times.children_user + times.children_system, times.user + times.system


def main(words: Sequence[str]) -> None:
    """Print the table."""
    options = {"--seeds": 3.0, "--period": 2000.0, "--most": 0.0}
    parts = []
    rest = iter(words[1:])
    for word in rest:
        if word in options:
            options[word] = float(next(rest))
        else:
            parts.append(word)
    clone = Path(words[0])
    print("| file | loads: BookSim's latency (seeds), ours | worst | accepted beyond saturation | seconds |")
    print("|---|---|--:|--:|--:|")
    for path in files(clone):
        if not parts or any(part in str(path) for part in parts):
            seeds, period = int(options["--seeds"]), int(options["--period"])
            print(row(clone, path, seeds, period, options["--most"]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
