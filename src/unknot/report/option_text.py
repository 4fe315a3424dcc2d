"""Options of a run in words: packet lengths, bursts, the options of its routers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from unknot.report.phrases import count, listed
from unknot.simulation.engine.router import Router
from unknot.traffic.workload import Bursts


def lengths(shares: int | Mapping[int, float]) -> str:
    """Flits of packets.

    Examples
    --------
    >>> lengths(5), lengths({1: 0.5, 5: 0.5})
    ('5 flits', '1 flit (0.5) and 5 flits (0.5)')
    """
    if isinstance(shares, int):
        return count(shares, "flit")
    return listed([f"{count(length, 'flit')} ({share:g})" for length, share in sorted(shares.items())])


def bursts(options: Bursts | None) -> str:
    """Return the words about bursts that follow the name of a pattern; empty without bursts.

    Examples
    --------
    >>> bursts(Bursts(0.01, 0.1))
    ', in bursts of 10 cycles on average, 9.1% of the time'
    """
    if options is None:
        return ""
    return f", in bursts of {1 / options.end:.3g} cycles on average, {options.share_on:.1%} of the time"


def router(options: Router) -> str:
    """Options that differ from their defaults.

    Examples
    --------
    >>> router(Router(routing_delay=0, speculative=True)), router(Router())
    ('routing_delay 0, speculative', '')
    """
    parts = []
    for field in fields(Router):
        value = getattr(options, field.name)
        if value != field.default:
            parts.append(field.name if value is True else f"{field.name} {value}")
    return ", ".join(parts)
