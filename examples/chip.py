"""A chip of eight irregular switches and a matrix of MB/s: is it safe, does it carry the traffic, how fast is it?

Eight switches as a designer drew them, ten cores, and what each core sends to each other in megabytes per second. Run
it with ``python examples/chip.py``; ``--quick`` takes short runs.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import unknot
from unknot import Units
from unknot.network import Network, Places

UNITS = Units(clock_ghz=1.0, flit_bytes=8)
LINKS = "0-1 1-2 2-3 0-4 1-5 3-6 4-5 5-6 6-7 3-7"
CORES = {"cpu0": 0, "cpu1": 1, "gpu": 2, "npu": 3, "dsp": 4, "isp": 4, "video": 5, "ddr0": 6, "ddr1": 7, "io": 7}
MB_PER_S = {
    ("cpu0", "ddr0"): 1600, ("ddr0", "cpu0"): 2400, ("cpu1", "ddr1"): 1600, ("ddr1", "cpu1"): 2400,
    ("gpu", "ddr0"): 900, ("ddr0", "gpu"): 2200, ("npu", "ddr1"): 700, ("ddr1", "npu"): 2000,
    ("isp", "ddr0"): 1200, ("dsp", "isp"): 300, ("video", "ddr1"): 800, ("io", "cpu0"): 400, ("cpu1", "io"): 250,
}  # fmt: skip


def chip() -> tuple[Network, np.ndarray]:
    """The network, with a terminal for each core, and the matrix of GB/s between terminals."""
    pairs = [tuple(map(int, link.split("-"))) for link in LINKS.split()]
    ends = pairs + [(b, a) for a, b in pairs]
    seats = list(CORES.values())
    network = Network(
        "chip",
        8,
        [a for a, _ in ends],
        [b for _, b in ends],
        inject=seats,
        eject=seats,
        places=Places(terminal_labels=tuple(CORES)),
    )
    names = list(CORES)
    matrix = np.zeros((len(names), len(names)))
    for (source, target), rate in MB_PER_S.items():
        matrix[names.index(source), names.index(target)] = rate / 1000
    return network, matrix


def main() -> None:
    """Prove, then run with the bandwidths that were asked for."""
    began, quick = time.monotonic(), "--quick" in sys.argv
    network, matrix = chip()
    print(network)
    for routing in ("shortest_paths", "up_down"):
        verdict = unknot.verify.check(network, routing=routing)
        print(f"{routing:15} {verdict!r}")
    load = UNITS.flits_per_cycle(float(matrix.sum(axis=1).max()))
    short = {"warmup": 500, "measure": 4000} if quick else {}
    run = unknot.simulation.simulate(network, load, routing="up_down", packet_length=4, traffic=matrix, **short)
    print(run)
    if run.latency_mean is not None and run.latency_p99 is not None:
        print(
            f"latency {UNITS.ns(run.latency_mean):.1f} ns mean, {UNITS.ns(run.latency_p99):.1f} ns for 99 % of them"
        )
    carried = UNITS.gb_per_s(run.accepted_load) * network.num_terminals
    print(f"carried {carried:.2f} GB/s of the {matrix.sum():.2f} GB/s asked for; a link: {UNITS.gb_per_s(1):g} GB/s")
    busiest = int(run.utilisation.argmax())
    print(f"busiest link {network.channel_name(busiest)}: {UNITS.gb_per_s(run.utilisation[busiest]):.2f} GB/s")
    print(f"from nothing to an answer: {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
