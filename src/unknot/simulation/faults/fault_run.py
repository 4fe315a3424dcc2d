"""What a fault cost in a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unknot._base.quantities import Cycles, Load


@dataclass(frozen=True)
class FaultRun:
    """A fault of a run: losses, and latency and accepted load before and after it.

    Attributes
    ----------
    fault : str
        As it was given.
    lost_packets, lost_flits : int
        Packets lost from it to the next fault or the end, and flits of them that were in the network.
    stranded_packets : int
        Of these packets those that were lost later than in its cycle, since they found no candidate.
    latency_before, latency_after : float or None
        Mean latency of the packets that arrived since the fault before, or the start; and up to the next one, or the
        end. None where none did.
    accepted_before, accepted_after : float
        Flits per terminal and cycle that were ejected in these times.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> point = {"routing": "dimension_order", "warmup": 100, "measure": 400}
    >>> run = simulate("mesh(4, 4)", 0.3, faults=["200: router (1,1)"], **point)
    >>> run.faults[0].fault, run.faults[0].lost_packets > 0, run.faults[0].stranded_packets
    ('200: router (1,1)', True, 171)
    """

    fault: str
    lost_packets: int
    lost_flits: int
    stranded_packets: int
    latency_before: Cycles | None
    latency_after: Cycles | None
    accepted_before: Load
    accepted_after: Load


def delay(faults: Sequence[FaultRun]) -> float | None:
    """Return by how much the mean latency after the last fault exceeds that before the first; None: not known."""
    before, after = (faults[0].latency_before, faults[-1].latency_after) if faults else (None, None)
    return None if before is None or after is None else after - before
