"""Batches of BookSim: cycles that the network takes for a number of packets of each terminal."""

from __future__ import annotations

from unknot._base.errors import SimulationError
from unknot.simulation import closed_loop
from unknot.studies.booksim.setup import Setup


def run_batches(setup: Setup) -> list[list[int]]:
    """Cycles that each batch takes, for each seed; a batch begins with an empty network.

    Raises
    ------
    SimulationError
        If packets of a batch do not arrive.
    """
    given = setup.batches
    assert given is not None
    (flits,) = setup.packet_length
    found = []
    for seed in setup.seeds:
        times = []
        for batch in range(given.count):
            run = closed_loop(
                setup.relation, requests=given.size, window=given.window, request_flits=flits, reply_flits=0, think=1,
                seed=(seed + 7919 * batch) & 0xFFFFFFFF, **setup.options,
            )  # fmt: skip
            if run.makespan is None:
                raise SimulationError(f"batch {batch + 1} of seed {seed}: {run.reason}")
            times.append(run.makespan + 1)
        found.append(times)
    return found
