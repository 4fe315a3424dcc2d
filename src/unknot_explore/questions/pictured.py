"""The network on paper: places, names and channels, and how the routing's choices are spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.errors import UnknotError
from unknot.report.scene import MOST, on_paper
from unknot_explore.design import Design
from unknot_explore.questions import Tell

if TYPE_CHECKING:
    from unknot.network import Network


def network(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """The network on paper, with failed channels."""
    whole = design.whole()
    if whole.num_routers > MOST:
        raise UnknotError(f"{whole.name}: {whole.num_routers:,} routers are too many to show; at most {MOST:,} are")
    tell(on_paper(whole) | {"left": design.network_text(whole), "dead": failed(whole, design)})


def asked(design: Design, verb: str) -> dict[str, str]:
    """The command and the line of Python that ask the same."""
    text = design.network_text(design.whole()) if design.dead else design.network
    return {"command": design.command(verb, text), "python": design.python(verb, text)}


def failed(whole: Network, design: Design) -> list[int]:
    """The channels that are gone."""
    gone: list[int] = []
    for name in design.dead:
        ends = [whole.router(end) for end in name.split("--")]
        if len(ends) == 1:
            gone += np.flatnonzero((whole.source == ends[0]) | (whole.target == ends[0])).tolist()
        else:
            between = whole.between(ends[0], ends[1]) + whole.between(ends[1], ends[0])
            if not between:
                raise UnknotError(f"no link {name}")
            gone += between
    return sorted(set(gone))


def numbers_in_whole(whole: Network, left: Network) -> list[int]:
    """For each channel of the network that is left its number in the whole."""
    if left.num_channels == whole.num_channels:
        return list(range(whole.num_channels))
    rows: dict[tuple[str, str], list[int]] = {}
    names = [whole.router_name(router) for router in range(whole.num_routers)]
    for channel, (a, b) in enumerate(whole.ends):
        rows.setdefault((names[a], names[b]), []).append(channel)
    names = [left.router_name(router) for router in range(left.num_routers)]
    ends = left.ends
    return [rows[names[a], names[b]].pop(0) for a, b in ends]
