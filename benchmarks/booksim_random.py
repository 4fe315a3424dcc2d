"""Random configurations in both simulators: latency and accepted load of each, and which are too far apart.

``BOOKSIM=…/booksim python -m benchmarks.booksim_random`` draws 200 configurations over topology, routing, traffic,
allocators, speedups, buffers, delays and lengths, and prints a row for each of three loads. Two are 30 and 85 % of
the stable load, the highest one that is accepted and whose mean latency is at most three times that of an almost
empty network: there latencies may be 2 and 5 % apart, and half of what BookSim's own seeds are. Beyond it latency
grows with time, so at full load what both accept is compared, which may be 2 % apart. A row that is further apart is
run again with four times the cycles and twice the seeds, and begins with ``!`` if it still is. Arguments are how many
configurations, the number of the first, cycles of a sample period, and seeds.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from benchmarks.booksim_files import figures
from unknot._base.errors import UnknotError
from unknot.simulation import simulate
from unknot_booksim import read_setup

PATIENCE = 300
"""Seconds that BookSim is given for a run."""
WITHIN = {0.3: 0.02, 0.85: 0.05}
"""Relative difference of latencies that is allowed at each share of the stable load."""
BEYOND = 0.02
"""Relative difference that is allowed of what is accepted at full load."""
KNEE = 3.0
"""Times the latency of an almost empty network at the stable load."""
ACCEPTED = 0.95
"""Share of a stable load that is accepted at least, in a run as short as these."""
FULL = 0.99
"""Flits offered per terminal and cycle at full load."""
Keys = dict[str, object]
Figures = tuple[float, float]
MESHES = ("dor", "dim_order", "xy_yx", "adaptive_xy_yx", "romm", "min_adapt", "planar_adapt")
SQUARE = ("uniform", "transpose", "bitcomp", "bitrev", "shuffle", "tornado", "neighbor")
ALLOCATORS = (
    "islip", "islip(2)", "pim", "select", "wavefront", "rr_wavefront", "loa", "max_size", "separable_input_first",
    "separable_input_first(matrix)", "separable_output_first",
)  # fmt: skip


def networks(draw: random.Random) -> Keys:
    """A topology, a routing for it, and traffic."""
    shapes: dict[str, Callable[[], Keys]] = {
        "mesh": lambda: {"k": 4, "n": 2, "routing_function": draw.choice(MESHES)},
        "torus": lambda: {"k": 4, "n": 2, "routing_function": draw.choice(("dim_order", "dim_order_bal"))},
        "fly": lambda: {"k": draw.choice((2, 4)), "n": 2, "routing_function": "dest_tag"},
        "fattree": lambda: {"k": 4, "n": 2, "routing_function": draw.choice(("nca", "anca"))},
        "cmesh": lambda: {
            "k": 4, "n": 2, "c": 4, "x": 4, "y": 4, "xr": 2, "yr": 2,
            "routing_function": draw.choice(("dor_no_express", "xy_yx_no_express")),
        },
        "flatfly": lambda: {
            "k": 4, "n": 2, "c": 4, "x": 4, "y": 4, "xr": 2, "yr": 2,
            "routing_function": draw.choice(("ran_min", "xyyx", "adaptive_xyyx", "ugal")),
        },
        "dragonflynew": lambda: {"k": 2, "n": 1, "routing_function": "min", "vc_buf_size": draw.choice((64, 256))},
    }  # fmt: skip
    name = draw.choice(("mesh", "mesh", "mesh", "torus", *shapes))
    keys: Keys = {"topology": name, **shapes[name]()}
    powers = name in ("mesh", "torus", "fattree", "flatfly", "cmesh") or keys["k"] == 4
    digits = name in ("mesh", "torus")
    choices = [word for word in SQUARE if digits or word not in ("tornado", "neighbor")]
    keys["traffic"] = (
        draw.choice(("uniform", "uniform", *choices)) if powers and name != "dragonflynew" else "uniform"
    )
    return keys


def configuration(draw: random.Random) -> Keys:
    """Keys of a random configuration; about half of them have their usual values."""
    keys: Keys = {"num_vcs": draw.choice((2, 4, 4, 8)), "vc_buf_size": draw.choice((2, 4, 8, 16)), **networks(draw)}
    if keys["routing_function"] in ("min_adapt", "planar_adapt", "ugal") or keys["topology"] == "dragonflynew":
        keys["num_vcs"] = draw.choice((4, 8))
    usual = draw.random() < 0.3
    keys["packet_size"] = draw.choice((1, 1, 2, 4, 5, 8, "{1,5}"))
    keys["wait_for_tail_credit"] = int(draw.random() < 0.25)
    keys["routing_delay"] = 1 if usual else draw.choice((0, 1, 1, 2, 3))
    keys["st_final_delay"] = 1 if usual else draw.choice((1, 1, 2, 3))
    keys["credit_delay"] = 0 if usual else draw.choice((0, 0, 1, 2, 4))
    keys["vc_allocator"] = "islip" if usual else draw.choice(ALLOCATORS)
    keys["sw_allocator"] = "islip" if usual else draw.choice(ALLOCATORS)
    if draw.random() < 0.25:
        keys["input_speedup"] = 2
    if draw.random() < 0.2:
        keys["output_speedup"] = 2
    if draw.random() < 0.15:
        keys["internal_speedup"] = draw.choice((1.5, 2.0))
    for key in ("hold_switch_for_packet", "vc_busy_when_full", "speculative", "vc_prioritize_empty"):
        if draw.random() < 0.12:
            keys[key] = 1
    if "output_speedup" in keys or "internal_speedup" in keys:
        keys["routing_delay"] = draw.choice((0, 1))
    if draw.random() < 0.15:
        keys["priority"] = "age"
    if draw.random() < 0.1:
        keys["use_noc_latency"] = 0
    return keys


def written(keys: Keys) -> str:
    """The text of a configuration."""
    return "".join(f"{key} = {value};\n" for key, value in keys.items())


def theirs(path: Path, keys: list[str]) -> Figures | None:
    """A run of BookSim; None if it stops, or does not end."""
    try:
        out = subprocess.run(
            [os.environ["BOOKSIM"], str(path), *keys], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return figures(out.stdout)


def ours(path: Path, keys: list[str], seed: int) -> Figures:
    """The same run of ours."""
    setup = read_setup(path, keys, faithful=True)
    run = simulate(setup.relation, setup.load, seed=seed, **setup.options)
    return run.latency_mean or float("nan"), run.accepted_load


def always(rate: float, period: int) -> list[str]:
    """Keys of every run at a load."""
    return [
        f"injection_rate={rate:.6f}", "injection_rate_uses_flits=1", f"sample_period={period}",
        "stopping_thres=0.000001",
    ]  # fmt: skip


def stable_load(path: Path, period: int) -> float:
    """The highest load of our runs that is accepted, with at most `KNEE` times the latency of an empty network."""
    low, high = 0.01, FULL
    empty, accepted = ours(path, always(low, 5 * period), 1)
    if accepted < ACCEPTED * low:
        low, high = low / 10, low
        empty, _ = ours(path, always(low, 5 * period), 1)
    while high - low > 0.02 * high:
        load = (low + high) / 2
        latency, accepted = ours(path, always(load, period), 1)
        low, high = (load, high) if latency <= KNEE * empty and accepted >= ACCEPTED * load else (low, load)
    return low


def apart(path: Path, keys: list[str], seeds: range, which: int) -> tuple[float, float, float] | None:
    """BookSim's mean latency (0) or accepted load (1), half the range of its seeds, and ours relative to it."""
    runs = [theirs(path, [*keys, f"seed={seed}"]) for seed in seeds]
    known = [each[which] for each in runs if each is not None]
    if not known:
        return None
    mine = mean(ours(path, [*keys, f"seed={seed}"], seed)[which] for seed in seeds)
    return mean(known), (max(known) - min(known)) / 2 / mean(known), mine / mean(known) - 1


def row(path: Path, name: str, rate: float, period: int, seeds: int, within: float) -> str:
    """The row of a load; a difference that stands out is looked at again for longer."""
    which = int(rate == FULL)
    for times in (1, 2):
        keys = always(rate, period * times**2) + ["sim_type=throughput"] * which
        figures = apart(path, keys, range(seeds * times), which)
        if figures is None:
            return f"! {name}: BookSim is not stable, or does not end"
        if abs(figures[2]) <= within + figures[1]:
            break
    else:
        name = f"! {name}"
    return f"{name}: {figures[0]:.4g} (±{figures[1]:.1%}), {figures[2]:+.1%}" + " again" * (times > 1)


def compare(path: Path, period: int, seeds: int) -> list[str]:
    """A row for each load of a configuration, or why there is none."""
    try:
        stable = stable_load(path, period)
    except UnknotError as error:
        return ["refused: " + str(error).splitlines()[0]]
    if theirs(path, [*always(FULL, period), "sim_type=throughput", "seed=0"]) is None:
        return ["BookSim stops, or does not end"]
    rows = [
        row(path, f"{share:.0%} of {stable:.3f}", share * stable, period, seeds, within)
        for share, within in WITHIN.items()
    ]
    return [*rows, row(path, "accepted", FULL, period, seeds, BEYOND)]


def main(words: list[str]) -> None:
    """Print all rows."""
    many, first, period, seeds = (int(word) for word in (*words, *("200", "0", "1000", "2")[len(words) :]))
    with tempfile.TemporaryDirectory() as folder:
        for k in range(first, first + many):
            keys = configuration(random.Random(k))
            path = Path(folder, f"random{k}")
            path.write_text(written(keys))
            words = [f"{key}={value}" for key, value in keys.items()]
            print(f"{k}: {' '.join(words)}", *compare(path, period, seeds), sep="\n    ", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
