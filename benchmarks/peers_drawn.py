"""Rows that are drawn by seed: what nobody chose or tuned, beside BookSim 2 as in `benchmarks.peers`.

``BOOKSIM=…/booksim python -m benchmarks.simulation drawn seed=1 rows=40 runs=3`` draws topology, routing, allocators,
VCs, buffers, packet length, speed-up, further options and load. The worst rows come first, and each below `GOAL` has
its profile: the share of each compiled function, by samples of `perf` while the run goes on. A load is a share of
what is accepted at full load; where BookSim does not come to an end, which it may not near its saturation, the row is
run again with three quarters of it. ``only=3,17`` runs some of the rows, and ``page=docs/results/drawn.csv`` writes
the table of the page, with the machine and its load.
"""

from __future__ import annotations

import csv
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from benchmarks.booksim_random import ALLOCATORS, MESHES
from benchmarks.peers import (
    HEADING,
    MESH,
    Keys,
    booksim,
    ours,
    pairs_of,
    row,
    run_booksim,
    run_command,
    started,
    write,
)
from benchmarks.perf_names import load
from unknot._base.kernels import native
from unknot.simulation.player import run
from unknot_booksim import read_setup

GOAL = 20.0
SECONDS = 0.4
"""Processor seconds that a run of BookSim takes, about."""
SHARES = (0.05, 0.3, 0.6, 0.9)
"""Loads, as shares of the plateau."""
FULL = 0.99
EASED = (1.0, 0.75, 0.5)
"""Shares of its load with which a row is run until BookSim comes to an end."""
_FLATS = {"k": 4, "n": 2, "c": 4, "x": 4, "y": 4, "xr": 2, "yr": 2}
SHAPES: dict[str, tuple[Keys, tuple[str, ...]]] = {
    "mesh": ({"k": 8, "n": 2}, (*MESHES, "valiant")),
    "torus": ({"k": 8, "n": 2}, ("dim_order", "dim_order_bal", "min_adapt")),
    "cmesh": (_FLATS, ("dor", "dor_no_express", "xy_yx", "xy_yx_no_express")),
    "flatfly": (_FLATS, ("ran_min", "xyyx", "adaptive_xyyx", "ugal", "valiant")),
    "fattree": ({"k": 4, "n": 3}, ("nca", "anca")),
    "fly": ({"k": 4, "n": 3}, ("dest_tag",)),
    "dragonflynew": ({"k": 3, "n": 1}, ("min", "ugal")),
}


def configuration(seed: int) -> Keys:
    """Keys of a row, with a share of the plateau as its load."""
    draw = random.Random(seed)
    topology = draw.choice(list(SHAPES))
    shape, routings = SHAPES[topology]
    routing = draw.choice(routings)
    deep = topology == "dragonflynew"
    keys: dict[str, str | int | float] = {
        **MESH, "topology": topology, **shape, "routing_function": routing,
        "num_vcs": 3 if deep else draw.choice((4, 8, 16)), "vc_buf_size": 256 if deep else draw.choice((4, 8, 16)),
        "packet_size": draw.choice((1, 1, 4, "{1,5}")),
        "vc_allocator": draw.choice(("islip", *ALLOCATORS)), "sw_allocator": draw.choice(("islip", *ALLOCATORS)),
        "latency_thres": 1e9, "injection_rate": draw.choice(SHARES),
    }  # fmt: skip
    options: tuple[tuple[float, Callable[[], Keys]], ...] = (
        (0.25, lambda: {"input_speedup": 2}),
        (0.15, lambda: {"internal_speedup": draw.choice((1.5, 2.0))}),
        (0.15, lambda: {"output_speedup": 2}),
        (0.15, lambda: {"priority": "age"}),
        (0.10, lambda: {"speculative": 1}),
        (0.10, lambda: {"wait_for_tail_credit": 1}),
        (0.10, lambda: {"buffer_policy": "shared", "private_buf_size": 1}),
        (0.10, lambda: {"hold_switch_for_packet": 1}),
        (0.10, lambda: {"routing_delay": 0}),
        (0.10, lambda: {"credit_delay": 2}),
    )
    for chance, some in options:
        if draw.random() < chance:
            keys |= some()
    if "output_speedup" in keys:
        for key in ("speculative", "hold_switch_for_packet", "buffer_policy", "internal_speedup"):
            keys.pop(key, None)
    return keys


def name_of(number: int, keys: Keys) -> str:
    """What is other than in the row that all begin with, in few words."""
    changed = [f"{key} {keys[key]}" for key in keys if MESH.get(key) != keys[key] and key not in _SILENT]
    return f"{number}: {keys['topology']} {keys['routing_function']}, " + ", ".join(changed)


_SILENT = {"topology", "routing_function", "latency_thres", "sample_period", *_FLATS}


def fitted(binary: str, keys: Keys, ease: float = 1.0) -> tuple[int, Keys]:
    """Cycles of a sample period of which a run of BookSim takes `SECONDS`, and the keys with their load in flits.

    The load is a share of the plateau, times `ease`.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "config")
        write(path, keys | {"injection_rate": FULL, "sample_period": 500})
        plateau = ours(read_setup(path, faithful=True), 1).accepted
        keys = keys | {"injection_rate": round(ease * float(keys["injection_rate"]) * min(plateau, FULL), 4)}
        spent = []
        for period in (1, 60):
            write(path, keys | {"sample_period": period})
            spent.append(run_booksim(binary, path)[1])
    # Its clock has ticks of 10 ms; packets on their way at the end add cycles.
    return max(100, round(60 * SECONDS / max(spent[1] - spent[0], 0.02))), keys


def profile(period: int, keys: Keys) -> str:
    """Shares of compiled functions in the processor time of a run of ours, in a process that finds all compiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "config")
        write(path, keys | {"sample_period": period})
        return run_command(sys.executable, "-m", "benchmarks.peers_drawn", path)[0].strip()


def sampled(path: Path) -> str:
    """The same of this process, for a configuration."""
    native.__dict__["load"] = load
    setup, samples = read_setup(path, faithful=True), path.with_name("samples")
    engine = started(setup, 1)
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", samples, "-p", str(os.getpid())]
    try:
        recorder = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return "perf is not installed"
    begin = time.thread_time()
    while time.thread_time() < begin + SECONDS:
        run(engine, setup.options["measure"])
    recorder.terminate()
    recorder.wait()
    report = ["perf", "report", "-i", samples, "--stdio", "-F", "overhead,symbol", "-g", "none"]
    printed = subprocess.run(report, capture_output=True, text=True, check=False).stdout
    shares: Counter[str] = Counter()
    for share, symbol in re.findall(r"^\s+([\d.]+)%\s+\[.\]\s+(\S+)", printed, re.M):
        shares[symbol] += float(share)
    return ", ".join(f"{symbol} {share:.0f} %" for symbol, share in shares.most_common(4) if share >= 4)


def measured(binary: str, number: int, keys: Keys, runs: int) -> tuple[float, str, str]:
    """How many times as fast a row is, its line, and its profile if that is below `GOAL`."""
    for ease in EASED:
        try:
            period, fixed = fitted(binary, keys, ease)
            times, line = row(name_of(number, fixed), pairs_of(binary, period, fixed, runs))
        except SystemExit:
            if ease == EASED[-1]:
                raise
            continue
        return times, line, profile(period, fixed) if times < GOAL else ""
    raise AssertionError


def processor() -> str:
    """The name of this machine's processor, and how many there are."""
    known = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.+)", known.read_text()) if known.exists() else []
    return f"{os.cpu_count()} × {names[0] if names else platform.processor() or platform.machine()}"


def write_page(path: Path, heading: str, rows: list[tuple[float, str, str]]) -> None:
    """Write the table of the page on speed; its heading says under what conditions it was measured."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([heading, "ns per flit-hop", "BookSim 2", "times", "lowest–highest", "profile if below 20"])
        for _, line, reason in rows:
            cells = [cell.strip() for cell in line.strip("| ").split("|")]
            table.writerow([*cells[:5], reason.replace("_kernel", "")])


def drawn(*words: str) -> None:
    """Print the table, the worst first."""
    options = dict(word.split("=") for word in words)
    first, many, runs = (int(options.get(name, usual)) for name, usual in (("seed", 1), ("rows", 40), ("runs", 3)))
    numbers = [int(word) for word in options["only"].split(",")] if "only" in options else range(many)
    with redirect_stdout(StringIO()) as said:
        binary = booksim()
    print(said.getvalue(), end="", flush=True)
    if binary is None:
        return
    rows: list[tuple[float, str, str]] = []
    below, failed, loads, heading = rows, list[str](), [os.getloadavg()[0]], ""
    for number in numbers:
        keys = configuration(1000 * first + number)
        loads.append(os.getloadavg()[0])
        try:
            times, line, reason = measured(binary, number, keys, runs)
            rows.append((times, line, reason))
            print(f"{times:.1f} {line} {reason} load {loads[-1]:.1f}", file=sys.stderr, flush=True)
        except (Exception, SystemExit) as error:
            failed.append(f"{name_of(number, keys)}: {str(error).splitlines()[0][:150]}")
            print(f"failed {failed[-1]}", file=sys.stderr, flush=True)
        rows.sort()
        below = [each for each in rows if each[0] < GOAL]
        heading = f"{len(rows)} rows drawn by seed {first}, {len(below)} below {GOAL:g} times"
        heading += f"; {len(failed)} not run by one of both" if failed else ""
        heading += f"; medians of {runs}; {processor()}, load average {min(loads):.1f} to {max(loads):.1f}"
        if "page" in options:
            write_page(Path(options["page"]), heading, rows)
    print(heading)
    print(HEADING)
    for _, line, _ in rows:
        print(line)
    causes = (f"- {line.strip('| ').partition(':')[0]}: {reason}" for _, line, reason in below)
    print("\n".join(["", *causes, *failed]))


if __name__ == "__main__":
    print(sampled(Path(sys.argv[1])))
