"""A routing without some turns: what is left of another where packets may not go on from one channel to another.

A turn leads from a channel into a router and out by another channel. Glass & Ni (1992) forbid turns until no cycle is
left; here turns are named one by one, and `check` finds out whether packets still arrive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unknot._base.arrays import Flags, row_of
from unknot._base.errors import RelationError
from unknot._base.phrases import count
from unknot.network import Network
from unknot.routing.named import routing
from unknot.routing.parts import Published
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.routing.table import Table, lookup
from unknot.routing.tabulate import tabulate
from unknot.routing.taking import takes_network

ARROW = "->"
ROUTERS = 3
"""Routers that a turn names."""


@takes_network
def forbidding(
    network: Network, vcs: int | None = None, *, inside: str = "fully_adaptive", turns: Sequence[str] = ()
) -> Relation:
    """A routing without some turns, and without ways that lead nowhere but into forbidden turns.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, as `inside` takes them.
    inside : str
        The routing whose other candidates stay as they are.
    turns : sequence of str
        Routers of each turn: ``"(0,0)->(1,0)->(1,1)"``.

    Raises
    ------
    RelationError
        If a turn is no three routers in a row; `NetworkError` if there is no such channel.

    References
    ----------
    C. J. Glass and L. M. Ni: The turn model for adaptive routing. Proceedings of the 19th Annual International
    Symposium on Computer Architecture, 1992, 278–287. doi:10.1145/139669.140384.

    Examples
    --------
    >>> from unknot.verify import check
    >>> turns = ["1->2->3", "1->0->3"]
    >>> check("ring(4)", routing="dimension_order").deadlock_free
    False
    >>> check(forbidding("ring(4)", inside="fully_adaptive", turns=turns)).deadlock_free
    True
    """
    relation = routing(network, inside, vcs)
    table, channel = relation.table or tabulate(relation), relation.vcs.channel.astype(np.int64)
    gone = [a * network.num_channels + b for text in turns for a, b in turn_channels(network, text)]
    at = np.repeat(table.input_vc, np.diff(table.start))
    to = table.value & VC_MASK
    on = np.flatnonzero((at < relation.num_vcs) & (to != EJECT))
    stays = np.ones(to.size, dtype=bool)
    stays[on] = ~np.isin(channel[at[on]] * network.num_channels + channel[to[on]], gone)
    name = f"{relation.name} without {count(len(turns), 'turn')}"
    left = table.kept(stays)
    return replace(relation, rule=lookup(left.kept(_arrives(left, relation))), name=name, published=Published())


def _arrives(table: Table, relation: Relation) -> Flags:
    """For each candidate whether packets that take the candidate can still leave at their destination."""
    places = relation.num_vcs + relation.network.num_terminals
    address = row_of(table.first)
    state = address * places + table.input_vc
    of, to = row_of(table.start), table.value & VC_MASK
    ejects = to == EJECT
    wanted = address[of] * places + np.where(ejects, 0, to)
    after = np.minimum(np.searchsorted(state, wanted), state.size - 1)
    known = state[after] == wanted
    alive, arrives = np.zeros(state.size, dtype=bool), ejects
    while True:
        alive[of[arrives]] = True
        further = ejects | (known & alive[after])
        if (further == arrives).all():
            return np.asarray(arrives)
        arrives = further


def turn_channels(network: Network, text: str) -> list[tuple[int, int]]:
    """The channels before and behind each turn that a text such as ``0->1->2`` names."""
    names = text.split(ARROW)
    if len(names) != ROUTERS:
        raise RelationError(f"forbidding: {text!r} is no turn; name its three routers, as in '(0,0)->(1,0)->(1,1)'")
    before, through, behind = map(network.router, names)
    into, out = network.between(before, through), network.between(through, behind)
    if not into or not out:
        network.channels_named(ARROW.join(names[:2] if not into else names[1:]))
    return [(a, b) for a in into for b in out]
