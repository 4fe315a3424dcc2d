"""Power and area beside those of BookSim's power module.

``python -m benchmarks.booksim_power BOOKSIM TECH [COUNT [SEED]]`` takes the program ``booksim`` and a technology file
for it, draws configurations over topologies, VCs, depths, widths, packet lengths and patterns, runs both simulators,
and prints for each the ratio of Unknot's figures to BookSim's, by part. Runs differ in their random numbers.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from unknot.simulation import Energy, simulate
from unknot.simulation.energy.account import EnergyRun, Meter
from unknot.simulation.energy.gates import GateTechnology
from unknot.simulation.energy.geometry import Geometry
from unknot_booksim import read_setup

TOPOLOGIES: dict[str, tuple[dict[str, Any], float]] = {
    "mesh": ({"k": 4, "n": 2, "routing_function": "dim_order"}, 0.25),
    "torus": ({"k": 4, "n": 2, "routing_function": "dim_order"}, 0.3),
    "cmesh": ({"k": 4, "n": 2, "c": 4, "x": 4, "y": 4, "xr": 2, "yr": 2, "routing_function": "dor_no_express"}, 0.12),
    "fly": ({"k": 4, "n": 3, "routing_function": "dest_tag"}, 0.3),
    "fattree": ({"k": 4, "n": 3, "routing_function": "nca"}, 0.3),
    "dragonflynew": ({"k": 2, "n": 1, "routing_function": "min"}, 0.2),
}
"""Keys of each topology, and a load that its network carries."""
TERMS = {
    "link dynamic": ("Channel Wire Power", "Channel Retiming Power"),
    "link static": ("Channel Clock Power", "Channel Leakage Power"),
    "buffer dynamic": ("Input Read Power", "Input Write Power"),
    "buffer static": ("Input Leakage Power",),
    "crossbar dynamic": ("Switch Power", "Switch Control Power"),
    "crossbar static": ("Switch Leakage Power",),
    "output dynamic": ("Output DFF Power", "Output Control Power"),
    "output static": ("Output Clk Power",),
    "power": ("Total Power",),
    "area": ("Total Area",),
}
"""Lines of BookSim that make each figure."""
MOST_STAGES = 40
"""Stages of repeaters that BookSim does not try; where fewer are too slow, all its numbers of them stay −1."""


@dataclass(frozen=True, eq=False)
class WholeGeometry(Geometry):
    """A mesh with the channels and ports beyond its edges, as BookSim builds it, in the order of its ports."""

    given: Any = None

    @property
    def places(self) -> Any:
        return self.given


@dataclass(frozen=True, eq=False)
class WholeMeter(Meter):
    """Gives links that carry nothing no events."""

    def read(self, flits: Any, headers: Any, cycles: int, delivered: int) -> EnergyRun:
        beyond = ((0, 0), (0, self.geometry.begins.size - flits.shape[1]))
        return super().read(np.pad(flits, beyond), np.pad(headers, beyond), cycles, delivered)


@dataclass(frozen=True)
class WholeEnergy(Energy):
    """An energy that counts channels beyond the edges of a mesh: rule *absent channels* of docs/energy.md."""

    built: Any = None

    def meter(self, scenario: Any) -> Meter:
        meter, channel = super().meter(scenario), self.built.channel
        old, (router, port) = meter.geometry, np.nonzero(channel < 0)
        there = np.argwhere(channel >= 0)
        into, out = (np.full(old.begins.size + router.size, channel.shape[1]) for _ in range(2))
        out[channel[tuple(there.T)]] = there[:, 1]
        into[channel[tuple(there.T)]] = there[:, 1] ^ 1  # what leaves to the right comes in from the left
        out[-router.size :], into[-router.size :] = port, port
        ports = np.full(old.inputs.size, channel.shape[1] + 1)
        wide = {
            "width": np.append(old.width, np.full(router.size, old.flit_width)),
            "length": np.append(old.length, np.full(router.size, old.length[0])),
            "begins": np.append(old.begins, router),
            "ends": np.append(old.ends, router),
            "vcs": np.append(old.vcs, np.full(router.size, old.vcs.max())),
            "inputs": ports,
            "outputs": ports,
            "given": (into, out),
        }
        kept = {field.name: getattr(old, field.name) for field in fields(Geometry)}
        geometry = WholeGeometry(**kept | wide)
        costs = self.technology.costs(geometry)
        return WholeMeter(meter.technology, costs, geometry, meter.channels, meter.names)


def repeaters(process: GateTechnology, length: float, known: Any = GateTechnology.repeaters) -> Any:
    """Return the repeaters of a link as BookSim has them: rule *long links* of docs/energy.md."""
    size, segments, stages = known(process, length)
    return (size, segments, stages) if stages < MOST_STAGES else (-1.0, -1.0, -1.0)


def drawn(draw: random.Random, seed: int) -> dict[str, Any]:
    """Return the keys of a configuration."""
    topology = draw.choice(list(TOPOLOGIES))
    keys, load = TOPOLOGIES[topology]
    length, traffic = draw.choice([1, 2, 4, 5]), "uniform"
    if topology in ("mesh", "torus"):
        traffic, keys = draw.choice(["uniform", "tornado", "bitcomp"]), keys | {"k": draw.choice([4, 8])}
    rate = load * draw.uniform(0.3, 0.9) / length * (1 if traffic == "uniform" else 0.5)
    return keys | {
        "topology": topology, "num_vcs": draw.choice([2, 4, 8]), "vc_buf_size": draw.choice([4, 8, 16]),
        "packet_size": length, "injection_rate": round(rate, 4), "traffic": traffic,
        "channel_width": draw.choice([32, 64, 128, 256]), "sim_power": 1, "tech_file": "tech.txt", "seed": seed,
        "sample_period": 5000, "warmup_periods": 1, "max_samples": 4, "sim_count": 1, "wait_for_tail_credit": 0,
        "latency_thres": 1_000_000.0,  # at a load beyond saturation, too, runs are as long here and there
    }  # fmt: skip


def of_booksim(program: Path, file: Path) -> dict[str, float]:
    """Return the figures of a run of BookSim, in mW and mm²."""
    done = subprocess.run([program, file.name], cwd=file.parent, capture_output=True, text=True, check=False)
    found = {name.strip(): float(number) for name, number in re.findall(r"- ([\w ]+?):\s+([-+.\w]+)", done.stdout)}
    return {
        term: sum(found[line] for line in lines) * (1 if term == "area" else 1e3) for term, lines in TERMS.items()
    }


def of_unknot(file: Path, *, is_mesh: bool) -> dict[str, float | None]:
    """Return the figures of a run of Unknot."""
    setup = read_setup(file, faithful=True)
    options = dict(setup.options)
    if is_mesh:
        options["energy"] = WholeEnergy(options["energy"].technology, options["energy"].flit_width, built=setup.built)
    with patch.object(GateTechnology, "repeaters", repeaters):
        energy = simulate(setup.relation, setup.load, seed=1, **options).energy
    assert energy is not None
    parts = {
        f"{part.name} {kind}": getattr(part, f"{kind}_mw") for part in energy.parts for kind in ("dynamic", "static")
    }
    return parts | {"power": energy.dynamic_mw + energy.static_mw, "area": energy.area_mm2}


def main(program: str, technology: str, count: str = "20", seed: str = "1") -> None:
    draw = random.Random(int(seed))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(technology, Path(folder, "tech.txt"))
        for k in range(int(count)):
            keys = drawn(draw, k)
            file = Path(folder, f"{k}.cfg")
            file.write_text("".join(f"{key} = {entry};\n" for key, entry in keys.items()))
            theirs, ours = (
                of_booksim(Path(program).resolve(), file),
                of_unknot(file, is_mesh=keys["topology"] == "mesh"),
            )
            ratios = " ".join(f"{term} {(ours[term] or 0) / each:.3f}" for term, each in theirs.items() if each)
            print(k, keys["topology"], ratios, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
