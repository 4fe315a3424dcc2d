"""Tables of bubble flow control: the rings of a network and the VCs in them; see `bubble_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unknot.routing.bubble import Bubble


def ring_tables(bubble: Bubble | None, tables: Mapping[str, Any], rest: int) -> dict[str, Any]:
    """Return the tables `first_member`, `members` and `rings`; none without bubble flow control.

    Parameters
    ----------
    tables : dict
        Those of the ends of buffers: `outputs`, `out_row` and `in_row`.
    rest : int
        Flits of a buffer beyond its slots, which nothing may take: they would let a slot be counted as free while the
        credits of a short packet are still under way.
    """
    if bubble is None:
        return {}
    out_row, in_row = tables["out_row"], tables["in_row"]
    sizes = np.array([len(ring) for ring in bubble.rings])
    vcs = np.concatenate(bubble.rings)
    before = np.concatenate([np.roll(ring, 1) for ring in bubble.rings])
    first_member, following = np.full(len(tables["outputs"]["owner"]), -1), np.full(len(vcs), -1)
    for member in reversed(range(len(vcs))):
        row = out_row[vcs[member]]
        following[member], first_member[row] = first_member[row], member
    return {
        "first_member": first_member,
        "members": {
            "row": out_row[vcs],
            "before": in_row[before],
            "ring": np.repeat(np.arange(len(sizes)), sizes),
            "next": following,
            "guarded": ~np.isin(vcs, bubble.unguarded),
            "slack": np.full(len(vcs), rest),
        },
        "rings": {
            "first": np.cumsum(sizes) - sizes,
            "end": np.cumsum(sizes),
            "slots": sizes * bubble.packets,
            "mark": out_row[[ring[0] for ring in bubble.rings]],
        },
    }
