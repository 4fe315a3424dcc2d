"""Random configurations in both simulators: latency and accepted load of each, and which are too far apart.

``BOOKSIM=…/booksim python -m benchmarks.booksim_random`` draws 200 configurations over topology, routing, traffic,
allocators, speedups, buffers, delays and lengths, and prints a row for each of three loads: 30 and 85 % of what
BookSim accepts at most, and beyond saturation, where what both accept is compared. A row that is more than 2 % apart,
5 % at 85 %, beyond half of what BookSim's own seeds are, ends with ``!``. Arguments are how many configurations, the
number of the first, cycles of a sample period, and seeds.
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
from unknot import simulate
from unknot.errors import UnknotError
from unknot.studies.booksim import read_setup

PATIENCE = 60
"""Seconds that BookSim is given for a run."""
WITHIN = {0.3: 0.02, 0.85: 0.05, 1.0: 0.02}
"""Relative difference that is allowed at each share of what BookSim accepts at most; 1.0 is beyond saturation."""
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
        "qtree": lambda: {"k": 4, "n": 3, "routing_function": "nca"},
        "tree4": lambda: {"k": 4, "n": 3, "routing_function": "nca"},
    }  # fmt: skip
    name = draw.choice(("mesh", "mesh", "mesh", "torus", *shapes))
    found: Keys = {"topology": name, **shapes[name]()}
    powers = name in ("mesh", "torus", "fattree", "flatfly", "cmesh", "qtree", "tree4") or found["k"] == 4
    digits = name in ("mesh", "torus")
    choices = [word for word in SQUARE if digits or word not in ("tornado", "neighbor")]
    found["traffic"] = (
        draw.choice(("uniform", "uniform", *choices)) if powers and name != "dragonflynew" else "uniform"
    )
    return found


def configuration(draw: random.Random) -> Keys:
    """Keys of a random configuration; about half of them have their usual values."""
    found: Keys = {"num_vcs": draw.choice((2, 4, 4, 8)), "vc_buf_size": draw.choice((2, 4, 8, 16)), **networks(draw)}
    if found["routing_function"] in ("min_adapt", "planar_adapt", "ugal") or found["topology"] == "dragonflynew":
        found["num_vcs"] = draw.choice((4, 8))
    usual = draw.random() < 0.3
    found["packet_size"] = draw.choice((1, 1, 2, 4, 5, 8, "{1,5}"))
    found["wait_for_tail_credit"] = int(draw.random() < 0.25)
    found["routing_delay"] = 1 if usual else draw.choice((0, 1, 1, 2, 3))
    found["st_final_delay"] = 1 if usual else draw.choice((1, 1, 2, 3))
    found["credit_delay"] = 0 if usual else draw.choice((0, 0, 1, 2, 4))
    found["vc_allocator"] = "islip" if usual else draw.choice(ALLOCATORS)
    found["sw_allocator"] = "islip" if usual else draw.choice(ALLOCATORS)
    if draw.random() < 0.25:
        found["input_speedup"] = 2
    if draw.random() < 0.2:
        found["output_speedup"] = 2
    if draw.random() < 0.15:
        found["internal_speedup"] = draw.choice((1.5, 2.0))
    for key in ("hold_switch_for_packet", "vc_busy_when_full", "speculative", "vc_prioritize_empty"):
        if draw.random() < 0.12:
            found[key] = 1
    if "output_speedup" in found or "internal_speedup" in found:
        found["routing_delay"] = draw.choice((0, 1))
    if "output_speedup" in found:
        found["hold_switch_for_packet"] = found["speculative"] = 0
    if draw.random() < 0.15:
        found["priority"] = "age"
    if draw.random() < 0.1:
        found["use_noc_latency"] = 0
    return found


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
    run = simulate(setup.relation, min(setup.load, 1.0), seed=seed, **setup.options)
    return run.latency_mean or float("nan"), run.accepted_load


def compare(path: Path, period: int, seeds: int) -> list[str]:
    """A row for each load of a configuration, or why there is none."""
    always = ["injection_rate_uses_flits=1", f"sample_period={period}", "stopping_thres=0.000001"]
    full = ["injection_rate=0.99", "sim_type=throughput", *always]
    try:
        beyond = ours(path, full, 1)
    except UnknotError as error:
        return ["refused: " + str(error).splitlines()[0]]
    most = theirs(path, full)
    if most is None:
        return ["BookSim stops, or does not end"]
    rows = []
    for share, within in WITHIN.items():
        rate = 0.99 if share == 1 else share * min(most[1], beyond[1])
        keys = [f"injection_rate={rate:.6f}", *(full if share == 1 else always)[1 if share == 1 else 0 :]]
        found = [theirs(path, [*keys, f"seed={seed}"]) for seed in range(seeds)]
        known = [each for each in found if each is not None]
        if not known:
            rows.append(f"{share:.0%} of {most[1]:.4f}: BookSim is not stable")
            continue
        mine = [ours(path, [*keys, f"seed={seed}"], seed) for seed in range(seeds)]
        which = 1 if share == 1 else 0
        values = [each[which] for each in known]
        apart = mean(each[which] for each in mine) / mean(values) - 1
        chance = (max(values) - min(values)) / mean(values)
        rows.append(
            f"{share:.0%} of {most[1]:.4f}: {mean(values):.4g} (±{chance / 2:.1%}), {apart:+.1%}"
            + (" !" if not abs(apart) <= within + chance / 2 else "")
        )
    return rows


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
