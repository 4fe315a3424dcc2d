"""Unknot and BookSim 2 on the same configurations, in turns: processor time for each flit-hop.

``python -m benchmarks.simulation peers`` runs every row, ``peers wavefront`` those whose names contain the word, and
``peers runs=5`` every row five times with a seed each; ``curve`` compares commands from the key press to the last of
20 loads. The environment variable BOOKSIM names the binary of BookSim;
how it was compiled is read from its makefile. Both warm up for three sample periods and measure seven. Time is beyond
start-up: of BookSim that of a run less that of a run of ten cycles, here that of the thread once all is compiled and
the routing cache is filled. A row counts if the mean latencies and accepted loads of the runs are apart by no more
than their 95 % interval and half a percent.
"""

from __future__ import annotations

import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, median, stdev

import numpy as np

from unknot.simulation.engine.codes import NO_CYCLE
from unknot.simulation.engine.engine import Engine
from unknot.simulation.player import run
from unknot.simulation.run.scenario import Measurement, Scenario
from unknot.simulation.run.start import engine_of
from unknot.traffic import Traffic
from unknot_booksim import Setup, read_setup

Keys = Mapping[str, str | int | float]
PERIODS, WARM_PERIODS = 10, 3
WARM_RUNS = 60
"""Warm-ups in which answers of a rule come to be kept, at most."""
PATIENCE = 30
"""Processor seconds that a run of BookSim is given: beyond its own saturation it may never end."""
MESH: Keys = {"topology": "mesh", "k": 8, "n": 2, "routing_function": "dor", "num_vcs": 4, "injection_rate": 0.3}
MESH |= {"vc_buf_size": 8, "injection_rate_uses_flits": 1, "max_samples": PERIODS, "stopping_thres": 1e-9}
TORUS = MESH | {"topology": "torus"}
ROWS: dict[str, tuple[int, Keys]] = {
    "8×8 mesh, load 0.3": (3000, MESH),
    "packets of 5 flits": (3000, MESH | {"packet_size": 5}),
    "16×16 mesh, load 0.2": (800, MESH | {"k": 16, "injection_rate": 0.2}),
    "32×32 mesh, load 0.1": (150, MESH | {"k": 32, "injection_rate": 0.1}),
    "16 VCs": (3000, MESH | {"num_vcs": 16}),
    "8×8 torus, dim_order": (3000, TORUS | {"routing_function": "dim_order"}),
    "8×8 torus, min_adapt": (3000, TORUS | {"routing_function": "min_adapt"}),
    "fat tree, 64 terminals, nca, load 0.4": (
        3000,
        MESH | {"topology": "fattree", "k": 4, "n": 3, "routing_function": "nca", "injection_rate": 0.4},
    ),
    "flatfly, 64 terminals, ran_min": (
        5000,
        MESH
        | {"topology": "flatfly", "c": 4, "k": 4, "x": 4, "y": 4, "xr": 2, "yr": 2, "routing_function": "ran_min"},
    ),
    "dragonflynew, 342 terminals, min, load 0.2": (
        600,
        MESH
        | {"topology": "dragonflynew", "k": 3, "n": 1, "routing_function": "min", "injection_rate": 0.2}
        | {"num_vcs": 3, "vc_buf_size": 256},
    ),
    "speculative": (3000, MESH | {"speculative": 1}),
    "separable_input_first": (
        3000,
        MESH | {"vc_allocator": "separable_input_first", "sw_allocator": "separable_input_first"},
    ),
    "wavefront": (3000, MESH | {"vc_allocator": "wavefront", "sw_allocator": "wavefront"}),
    "internal_speedup 2": (3000, MESH | {"internal_speedup": 2.0}),
    "reads and writes, 16 VCs": (
        3000,
        MESH | {"use_read_write": 1, "num_vcs": 16, "injection_rate": 0.1, "injection_rate_uses_flits": 0},
    ),
}
"""Cycles of a sample period, and configuration, of each row: the 8×8 mesh with 4 VCs at 0.3 but for what it says."""
HEADING = """| configuration | ns per flit-hop | BookSim 2 | times | lowest–highest | latency | accepted | agree |
|---|--:|--:|--:|--:|--:|--:|---|"""


@dataclass(frozen=True)
class Sample:
    """A run: nanoseconds for each flit-hop, mean latency, flits accepted per terminal and cycle."""

    cost: float
    latency: float
    accepted: float


def run_command(*words: str | Path, seconds: int = resource.RLIM_INFINITY) -> tuple[str, float]:
    """Output of a command within a limit of processor seconds, and the seconds used.

    Bytecode stays on the disk, as is Python's default: otherwise each command would compile all modules anew.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (seconds, seconds))
    env = {name: setting for name, setting in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    printed = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=limit, env=env).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return printed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_booksim(binary: str, config: Path, *keys: str) -> tuple[str, float]:
    """What BookSim 2 prints, and its processor seconds."""
    printed, spent = run_command(binary, config, *keys, seconds=PATIENCE)
    # Its exit code is 255 when all is well.
    if "Overall Traffic Statistics" not in printed:
        raise SystemExit(f"{binary} did not come to an end with {config.read_text()}")
    return printed, spent


def flit_hops(printed: str, nodes: int) -> float:
    """Flit-hops of a run of BookSim, of all its cycles, as far as it says."""
    cycles = float(re.findall(r"^Time taken is ([\d.e+]+) cycles", printed, re.M)[-1])
    accepted, hops = figures(printed, "Accepted flit rate"), figures(printed, "Hops")
    return sum(rate * hop for rate, hop in zip(accepted, hops, strict=True)) * nodes * cycles


def figures(printed: str, name: str) -> list[float]:
    """A mean at the end of what BookSim printed, of each traffic class."""
    return [
        float(x) for x in re.findall(rf"^{name} average = ([\d.e+-]+)", printed.split("Overall Traffic")[-1], re.M)
    ]


def theirs(binary: str, config: Path, short: Path, nodes: int) -> Sample:
    """A run of BookSim, start-up taken off."""
    printed, spent = run_booksim(binary, config)
    spent -= run_booksim(binary, short)[1]
    cost = spent * 1e9 / flit_hops(printed, nodes)
    return Sample(cost, figures(printed, "Packet latency")[0], figures(printed, "Accepted flit rate")[0])


def started(setup: Setup, seed: int) -> Engine:
    """A run that has warmed up: all is compiled, and answers of the rule are kept if they are to be."""
    options = {name: each for name, each in setup.options.items() if name not in ("warmup", "measure")}
    traffic = Traffic(
        options.pop("traffic", "uniform"), options.pop("packet_length", 1), options.pop("bursts", None),
        options.pop("classes", ()), options.pop("subnets", 1),
    )  # fmt: skip
    engine = engine_of(Scenario(setup.relation, min(setup.load, 1.0), traffic, seed=seed, **options), Measurement())
    for _ in range(WARM_RUNS):
        run(engine, setup.options["warmup"])
        if len(engine.parts[0].cache) or engine.calls_from == NO_CYCLE or not engine.parts[0].setup.cacheable:
            break
    return engine


def ours(setup: Setup, seed: int) -> Sample:
    """A run of as many cycles here."""
    engine, measure = started(setup, seed), setup.options["measure"]
    begin, end = engine.now, engine.now + measure
    engine.measure(begin, end)
    spent, hops = time.thread_time_ns(), engine.count("flit_hops")
    run(engine, measure)
    spent, hops = time.thread_time_ns() - spent, engine.count("flit_hops") - hops
    accepted = engine.count("measured_flits_out") / measure / engine.nodes
    run(engine, measure // 2)
    return Sample(spent / hops, float(np.mean(engine.latencies())), accepted)


def apart(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """How far two means are apart, as a part of the second, and the half-width of its 95 % interval."""
    # Student's quantile for one run less than each has: at most 2 (n − 1) degrees of freedom, here as few as n − 1.
    quantile = {2: 4.3, 3: 2.78, 4: 2.45, 5: 2.31}.get(len(one), 2.2)
    width = quantile * math.sqrt((stdev(one) ** 2 + stdev(other) ** 2) / len(one)) if len(one) > 1 else math.inf
    return mean(one) / mean(other) - 1, width / mean(other)


def pairs_of(binary: str, period: int, keys: Keys, runs: int) -> list[tuple[Sample, Sample]]:
    """Runs of both in turns, a pair with each seed from 1 on."""
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, runs + 1):
            paths = [Path(folder, part) for part in ("config", "short")]
            for path, cycles in zip(paths, (period, 1), strict=True):
                write(path, keys | {"sample_period": cycles, "seed": seed})
            setup = read_setup(paths[0], faithful=True)
            mine = ours(setup, seed)
            pairs.append((mine, theirs(binary, *paths, setup.relation.network.num_terminals)))
    return pairs


def write(path: Path, keys: Keys) -> None:
    """Write a configuration."""
    path.write_text("".join(f"{key} = {setting};\n" for key, setting in keys.items()))


def row(name: str, pairs: Sequence[tuple[Sample, Sample]]) -> tuple[float, str]:
    """How many times as fast ours is, and the row of the table."""
    mine_ns, their_ns = (sorted(pair[k].cost for pair in pairs) for k in range(2))
    ratios = sorted(other.cost / mine.cost for mine, other in pairs)
    cells = [name, f"{median(mine_ns):.0f}", f"{median(their_ns):.0f}", f"{median(ratios):.1f}"]
    cells.append(f"{ratios[0]:.1f}–{ratios[-1]:.1f}")
    agree = True
    for figure in ("latency", "accepted"):
        gap, width = apart(*([getattr(pair[k], figure) for pair in pairs] for k in range(2)))
        agree &= abs(gap) <= width + 0.005
        cells.append(f"{mean(getattr(pair[1], figure) for pair in pairs):.4g}, {gap:+.2%} ± {width:.2%}")
    cells.append("one run" if len(pairs) == 1 else "yes" if agree else "no")
    return median(ratios), "| " + " | ".join(cells) + " |"


def state_bytes(engine: Engine) -> int:
    """Bytes of all tables of a run."""
    return sum(table.nbytes for table in engine.parts[0].tables.values())


def booksim() -> str | None:
    """Path of BookSim's binary; how it was compiled is printed, or that there is none."""
    binary = os.environ.get("BOOKSIM")
    if binary is None:
        print("BookSim 2: not run; set BOOKSIM to its binary")
        return None
    makefile = Path(binary).with_name("Makefile")
    flags = (
        " ".join(re.findall(r"^CPPFLAGS \+= (-[Og]\S*)", makefile.read_text(), re.M)) if makefile.exists() else "?"
    )
    print(f"{binary} compiled with {flags}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return binary


LOADS = [round(0.02 * k, 2) for k in range(1, 21)]
CURVE: Keys = {"topology": "mesh", "k": 8, "n": 2, "routing_function": "dim_order", "traffic": "uniform"}


def curve(runs: int = 3) -> None:
    """Print the processor time of 20 loads of a BookSim file, start-up included: one command here, 20 of BookSim."""
    if (binary := booksim()) is None:
        return
    print("| VCs | seconds | BookSim 2 | times | lowest–highest |\n|---|--:|--:|--:|--:|")
    sweep = f"injection_rate={LOADS[0]}:{LOADS[-1]}:{LOADS[0]}"
    with tempfile.TemporaryDirectory() as folder:
        for vcs in (4, 8, 16):
            config, pairs = Path(folder, "config"), []
            keys = CURVE | {"num_vcs": vcs, "vc_buf_size": 8}
            config.write_text("".join(f"{key} = {setting};\n" for key, setting in keys.items()))
            for _ in range(runs):
                mine = run_command(sys.executable, "-m", "unknot", "run", config, "--sweep", sweep)[1]
                pairs.append((mine, sum(run_booksim(binary, config, f"injection_rate={load}")[1] for load in LOADS)))
            seconds, others = (median(pair[k] for pair in pairs) for k in range(2))
            ratios = sorted(other / mine for mine, other in pairs)
            cells = f"{vcs} | {seconds:.2f} | {others:.1f} | {median(ratios):.1f} | {ratios[0]:.1f}–{ratios[-1]:.1f}"
            print(f"| {cells} |", flush=True)


def peers(*words: str) -> None:
    """Print the table."""
    if (binary := booksim()) is None:
        return
    runs = next((int(word.removeprefix("runs=")) for word in words if word.startswith("runs=")), 5)
    parts = [word for word in words if not word.startswith("runs=")]
    print(HEADING)
    for name in ROWS:
        if not parts or any(part in name for part in parts):
            print(row(name, pairs_of(binary, *ROWS[name], runs))[1], flush=True)
