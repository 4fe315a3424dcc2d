"""The file `stats_out` of BookSim: latencies, and those of each pair of terminals, as assignments of Matlab."""

from __future__ import annotations

from collections.abc import Iterable

from unknot.simulation import Run
from unknot.studies.booksim.configuration import Configuration


def wanted_statistics(given: Configuration, single: bool) -> bool:
    """Whether figures of each pair are to be kept; a warning where BookSim writes a file that is not written here."""
    if "stats_out" not in given:
        return False
    pairs = given.whole("pair_stats") == 1
    given.text("stats_out")
    if not single:
        given.warn("stats_out", "it is written for one traffic class, and not in batches")
    return single and pairs


def statistics_of(runs: Iterable[Run]) -> str:
    """The lines of `stats_out`, a block for each run; in rows of pairs the destination changes first."""
    lines = []
    for run in runs:
        lines += ["%=================================", f"plat(1) = {_number(run.latency_mean)};"]
        lines.append(f"nlat(1) = {_number(run.network_latency_mean)};")
        if run.pairs is not None:
            lines.append(f"pair_sent(1,:) = [ {' '.join(map(str, run.pairs.packets.ravel().tolist()))} ];")
            for name, means in (("plat", run.pairs.latency_mean), ("nlat", run.pairs.network_latency_mean)):
                lines.append(f"pair_{name}(1,:) = [ {' '.join(f'{mean:g}' for mean in means.ravel().tolist())} ];")
    return "\n".join(lines) + "\n"


def _number(value: float | None) -> str:
    return "nan" if value is None else f"{value:g}"
