"""Parts of sentences: words of a property, text for pages, the options of a run."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

from unknot._base.errors import visible
from unknot._base.phrases import count, listed

if TYPE_CHECKING:
    from unknot.simulation.engine.router import Router
    from unknot.traffic.workload import Bursts


ANSWERS = {True: "yes", False: "NO", None: "undecided"}
"""A property that holds, does not, or is open, in a word."""
CAN_DEADLOCK = {True: "cannot deadlock", False: "can deadlock", None: "were not decided"}
"""What several parts do that are free of deadlock, are not, or are open."""


def escape(text: str, quote: bool = True) -> str:
    """The text for HTML and SVG: marks of direction, and what XML forbids, are written out.

    Examples
    --------
    >>> escape("<a>\\u202e\\ufffe")
    '&lt;a&gt;\\\\u202e\\\\ufffe'
    """
    return html.escape(visible(text, "\n\t"), quote)


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
    >>> from unknot.traffic import Bursts
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
    >>> from unknot.simulation import Router
    >>> router(Router(routing_delay=0, speculative=True)), router(Router())
    ('routing_delay 0, speculative', '')
    """
    parts = []
    for field in fields(options):
        setting = getattr(options, field.name)
        if setting != field.default:
            parts.append(field.name if setting is True else f"{field.name} {setting}")
    return ", ".join(parts)
