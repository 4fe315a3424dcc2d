"""Relations written out as tables: the shortest way to a relation of any shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.virtual_channels import VirtualChannels


def table_relation(
    network: Network,
    vcs: Any,
    table: Mapping[tuple[int, int], Sequence[int]],
    *,
    addresses: int | None = None,
    **options: Any,
) -> Relation:
    """The relation that answers from a table.

    Parameters
    ----------
    network : Network
    vcs : int, array_like of int or VirtualChannels
        VCs per channel.
    table : mapping of (at, address) to candidates
        Candidates as a rule writes them: a VC or EJECT, plus ``tier * TIER``, plus NO_WAIT. States that are not
        there have no candidates.
    addresses : int, optional
        Number of addresses; by default that of the terminals, or of `destination` when it is among the options.
    options :
        Passed on to `Relation`: name, destination, may_use, commits, claims, ….

    Examples
    --------
    >>> from unknot.network import from_edges
    >>> from unknot.routing import EJECT
    >>> pair = from_edges([(0, 1)], directed=True)
    >>> table_relation(pair, 1, {(1, 1): [0], (0, 1): [EJECT]}).candidates(0, 1)
    [Candidate(vc=None, tier=0, waits=True)]
    """
    virtual = vcs if isinstance(vcs, VirtualChannels) else VirtualChannels(network, vcs)
    destination = options.get("destination")
    if addresses is None:
        addresses = network.num_terminals if destination is None else len(destination)
    states = (virtual.total + network.num_terminals) * addresses
    rows: list[Sequence[int]] = [()] * states
    for (at, address), row in table.items():
        rows[at * addresses + address] = row
    start = np.zeros(states + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=start[1:])
    value = np.array([entry for row in rows for entry in row] or [0], dtype=np.int64)
    width = addresses

    def rule(at: int, address: int, out: Any) -> int:
        begin = start[at * width + address]
        count = start[at * width + address + 1] - begin
        for k in range(count):
            out[k] = value[begin + k]
        return count  # type: ignore[no-any-return]

    return Relation(network, virtual, rule, **{"name": "table", **options})
