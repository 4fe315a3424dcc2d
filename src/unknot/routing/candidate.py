"""Candidates as rules write them: an output VC or `EJECT`, with a tier and a mark in the bits above it."""

from __future__ import annotations

from dataclasses import dataclass

VC_MASK = (1 << 40) - 1
EJECT = VC_MASK
"""The candidate "leave the network here"."""
TIER = 1 << 40
"""Add `tier * TIER` to a candidate to have it tried after those of lower tiers."""
NO_WAIT = 1 << 48
"""Add to a candidate that a header takes when it is free but never waits for; no effect where headers commit."""

COMPARISONS = ("UGAL-L", "UGAL-L_VC", "UGAL-L_VCH")
"""Variants of UGAL, by the queues they compare (Singh 2005; Kim, Dally, Scott & Abts 2008)."""
IN_ROUTER = 1 + len(COMPARISONS)
"""Number of a comparison in the source router, see `Decision`."""


@dataclass(frozen=True)
class Candidate:
    """A decoded candidate: output VC (None: ejection), preference tier, whether a blocked header waits for it."""

    vc: int | None
    tier: int = 0
    waits: bool = True


def decode(value: int) -> Candidate:
    """Decode one entry written by a rule."""
    vc = value & VC_MASK
    return Candidate(None if vc == EJECT else vc, (value >> 40) & 0xFF, not (value >> 48) & 1)
