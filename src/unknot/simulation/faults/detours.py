"""Relations and traffic after a fault: what is left of them, and relations that take the place of others."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints
from unknot._base.errors import NetworkError, SimulationError
from unknot.network import Network
from unknot.network.graph import survivors
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.simulation.engine.pairs import Pairs, candidates_at, in_rows, pairs_in_rows


def surviving(relation: Relation, dead: Flags, gone: Flags) -> Relation:
    """A relation without its dead candidates.

    Where none that may be waited for is left, and for terminals that are gone, it has no candidate at all. An answer
    that breaks the contract stays as it is, so that a run ends there.

    Parameters
    ----------
    dead : bool array, shape (buffers,)
        VCs of the network first.
    gone : bool array, shape (terminals,)
    """
    rule, commits, lost = relation.rule, relation.commits, np.ascontiguousarray(gone[relation.destination])

    def left(at: int, address: int, out: Any) -> int:
        if lost[address]:
            return 0
        count, kept, waits = rule(at, address, out), 0, commits
        if count < 0 or count > out.size:
            return count
        for k in range(count):
            vc = out[k] & VC_MASK
            if vc == EJECT or vc >= dead.size or not dead[vc]:
                out[kept] = out[k]
                kept += 1
                waits = waits or out[k] & NO_WAIT == 0
        return kept if waits else 0

    return replace(relation, rule=left)


def translated(relation: Relation, base: Relation) -> Relation:
    """A relation of what is left of a network, for the input VCs and terminals of the whole one.

    Parameters
    ----------
    relation : Relation
        On the network of `base`, or ``network.without(…)`` of it; no channel has more VCs than there.

    Raises
    ------
    SimulationError
        If it is on another network, or has other VCs.
    """
    network, small = base.network, relation.network
    channels, terminals = _kept(network, small)
    whole = channels.size == network.num_channels
    most = base.vcs.counts[channels]
    if (relation.vcs.counts > most).any() or (whole and (relation.vcs.counts != most).any()):
        raise SimulationError(
            f"{relation.name} has {int(relation.vcs.counts.max())} VCs on a channel, and {base.name}, whose "
            f"place it takes, has {int(base.vcs.counts.max())}; give the first relation as many"
        )
    here = base.vcs.first[channels[relation.vcs.channel]] + relation.vcs.index
    place = np.full(base.num_vcs + network.num_terminals, -1, dtype=np.int64)
    place[here] = np.arange(here.size)
    place[base.num_vcs + terminals] = relation.num_vcs + np.arange(terminals.size)
    rule = relation.rule

    def there(at: int, address: int, out: Any) -> int:
        if place[at] < 0:
            return 0
        count = rule(place[at], address, out)
        for k in range(min(count, out.size)):
            vc = out[k] & VC_MASK
            if vc < here.size:
                out[k] += here[vc] - vc
        return count

    may_use = np.zeros((network.num_terminals, relation.num_addresses), dtype=bool)
    may_use[terminals] = relation.usable()
    direct = None
    if relation.direct is not None:
        direct = np.full((network.num_terminals, network.num_terminals), -1)
        ends = np.arange(terminals.size)
        direct[np.ix_(terminals, terminals)] = relation.direct_addresses(ends[:, None], ends)
    destination = terminals[relation.destination].astype(np.int32)
    addresses = replace(relation.addresses, destination=destination, may_use=may_use)
    preference = replace(relation.preference, direct=direct, hops=None)
    return replace(relation, network=network, vcs=base.vcs, rule=there, addresses=addresses, preference=preference)


def _kept(network: Network, small: Network) -> tuple[Ints, Ints]:
    """Channels and terminals of a network that are left in a smaller network."""
    with suppress(NetworkError):
        kept = survivors(network, small)
        failed = np.ones(network.num_routers, dtype=bool), np.ones(network.num_channels, dtype=bool)
        failed[0][kept.routers], failed[1][kept.channels] = False, False
        if network.without(*(np.flatnonzero(each) for each in failed)) == small:
            return kept.channels.astype(np.int64), kept.terminals.astype(np.int64)
    raise SimulationError(
        f"{small.name} is neither {network.name} nor what is left of it; make the relation on "
        "network.without(…) of the network that is simulated"
    )


def usable_addresses(relation: Relation, gone: Flags) -> Flags:
    """Return a mask of addresses with a candidate at each injection port: shape (terminals, addresses).

    Those at which the rule fails are among them: packets are created, and the run ends at the first.
    """
    usable = np.zeros((gone.size, relation.num_addresses), dtype=bool)
    for terminal in np.flatnonzero(~gone).tolist():
        place = np.full(relation.num_addresses, relation.num_vcs + terminal, dtype=np.int64)
        usable[terminal] = candidates_at(relation, place) != 0
    return usable & relation.usable()


def thinned(pairs: Pairs, destination: npt.NDArray[np.int32], relation: Relation, may: Flags) -> Pairs:
    """The remaining traffic: terminals create their still possible packets as often as before, and no others.

    Parameters
    ----------
    pairs : Pairs
        The traffic before, and `destination` of its addresses.
    relation : Relation
        From now on.
    may : bool array, shape (terminals, addresses)
        Which of its addresses each terminal may use.
    """
    order = np.argsort(relation.destination, kind="stable")
    addresses, rows, shares = list[npt.NDArray[np.int32]](), list[Ints](), list[npt.NDArray[np.float64]]()
    before, rate, used = in_rows(pairs), np.zeros(len(may)), 0
    for terminal in range(len(may)):
        ends, share = _shares(before, destination, terminal)
        usable = order[may[terminal, order]].astype(np.int32)
        low, high = (np.searchsorted(relation.destination[usable], ends, side=side) for side in ("left", "right"))
        left = high > low
        total = float(share[left].sum())
        rate[terminal] = pairs.rate[terminal] * total
        addresses.append(usable)
        rows.append(np.stack([low[left], high[left]], axis=1) + used)
        shares.append(share[left] / total if left.any() else share[left])
        used += usable.size
    return pairs_in_rows(rate, rows, np.concatenate(addresses), shares)


def _shares(pairs: Pairs, destination: npt.NDArray[np.int32], terminal: int) -> tuple[Ints, npt.NDArray[np.float64]]:
    """Destinations of a terminal, and the share of each in its traffic."""
    first, last = int(pairs.pair_first[terminal]), int(pairs.pair_first[terminal + 1])
    ends = destination[pairs.addresses[pairs.address_range[2 * first : 2 * last : 2]]].astype(np.int64)
    if not pairs.keep.size:
        return ends, np.full(ends.size, 1 / max(1, ends.size))
    stays = pairs.keep[first:last] / 2.0**53
    share = stays.copy()
    np.add.at(share, pairs.other[first:last] - first, 1 - stays)
    return ends, share / ends.size
