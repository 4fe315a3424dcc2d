"""Channels of a machine: what the library searches for, and what NCCL_GRAPH_FILE has."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from unknot_collectives.nccl.parts import LOC, PIX

BALANCED, SPLIT, TREE, RING, NVLS, DIRECT = range(1, 7)
"""Patterns by NCCL's numbers: trees whose network traffic is at two GPUs, at two others, or at one; rings; heads of a
reducing switch; all pairs beside a reducing network."""
TREES = (BALANCED, SPLIT, TREE)


@dataclass(frozen=True)
class LibraryGraph:
    """Channels of a pattern, as NCCL_GRAPH_FILE has them.

    Attributes
    ----------
    pattern : int
        Number of the pattern: 4 rings, 1 to 3 trees, 5 NVLink SHARP, 6 CollNet.
    intra, inter : Fraction
        GB/s of a channel in a machine, and between machines.
    type_intra, type_inter : int
        The farthest type of path, a place in `PATHS`.
    cross_nic : int
        Whether a channel may enter and leave by different NICs; 2: in pairs of channels.
    alike : bool
        Whether all channels have the same order.
    channels : tuple of tuple of int
        Ranks of the GPUs of each channel in their order.
    ports : tuple of (int, int)
        Numbers of the NICs that each channel enters and leaves by; empty within a machine.
    latency : float
        Microseconds of the NIC.
    hops : int
        Links that the search counts.

    Examples
    --------
    >>> from fractions import Fraction
    >>> float(LibraryGraph(RING, Fraction(30), channels=((0, 1, 2), (0, 2, 1))).rate)
    60.0
    """

    pattern: int
    intra: Fraction = Fraction(0)
    inter: Fraction = Fraction(0)
    type_intra: int = LOC
    type_inter: int = PIX
    cross_nic: int = 0
    alike: bool = True
    channels: tuple[tuple[int, ...], ...] = ()
    ports: tuple[tuple[int, int], ...] = ()
    latency: float = 0.0
    hops: int = field(default=0, repr=False, compare=False)

    @property
    def rate(self) -> Fraction:
        """GB/s of all channels in a machine."""
        return len(self.channels) * self.intra
