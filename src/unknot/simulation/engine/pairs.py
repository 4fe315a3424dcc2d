"""Who sends to whom: destinations of each terminal, how likely they are, and the addresses that it may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import offsets
from unknot._base.errors import SimulationError
from unknot.routing.relation import Relation
from unknot.traffic import Pattern

NONE, ZERO = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Pairs:
    """The destinations of each terminal, with their probabilities and permitted addresses.

    Attributes
    ----------
    everyone : int
        1: every terminal sends to all terminals, alike; 0: to all but itself. In both cases entry k is terminal k.
        There are no tables where address = terminal too. −1: the arrays say.
    rate : float64 array, shape (terminals,)
        What each terminal sends, as a part of the offered load; 0 for a silent one.
    pair_first : int64 array, shape (terminals + 1,)
        Destinations of terminal t are the entries ``pair_first[t]:pair_first[t + 1]`` of the next arrays.
    address_range : int64 array, shape (2 × pairs,)
        Addresses of destination entry k are ``addresses[address_range[2 k]:address_range[2 k + 1]]``; entries may
        share them.
    addresses : int32 array
    keep, other : int64 arrays, shape (pairs,) or empty
        When destinations are not alike: an entry drawn stays with probability keep / 2⁵³ and else becomes `other`
        (Walker 1977).
    """

    everyone: int
    rate: npt.NDArray[np.float64]
    pair_first: npt.NDArray[np.int64]
    address_range: npt.NDArray[np.int64]
    addresses: npt.NDArray[np.int32]
    keep: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]

    @property
    def tables(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays that kernels read, by their names in `state`."""
        return {name: getattr(self, name) for name in ("pair_first", "address_range", "addresses", "keep", "other")}


def nobody(terminals: int) -> Pairs:
    """Return pairs without any traffic."""
    return Pairs(1, np.zeros(terminals), ZERO, ZERO, NONE.astype(np.int32), NONE, NONE)


def pairs_of(relation: Relation, pattern: Pattern) -> Pairs:
    """The traffic of a pattern over the pairs the relation serves.

    A terminal sends to itself only where the rule offers such a packet a candidate.

    Raises
    ------
    SimulationError
        If nobody can send to anybody, or a terminal has no address for one that it shall send to.
    """
    terminals = relation.network.num_terminals
    may_be_own = pattern.itself or pattern.destination is not None or pattern.weight is not None
    own = _own_addresses(relation) if may_be_own else NONE
    identity = np.array_equal(relation.destination, np.arange(terminals))
    alike = pattern.destination is None and pattern.weight is None
    served = Served(relation, own)
    same = relation.may_use is None and served.ends.size == terminals and own.size in (0, relation.num_addresses)
    if alike and same and terminals - 1 + own.size:
        pairs = replace(nobody(terminals), everyone=int(own.size > 0), rate=np.ones(terminals))
        return (
            pairs
            if identity
            else replace(pairs, address_range=served.everyones.reshape(-1), addresses=served.addresses)
        )
    rows: list[npt.NDArray[np.int64]] = []
    shares: list[npt.NDArray[np.float64]] = []
    rate = np.zeros(terminals)
    for terminal in range(terminals):
        ranges, ends = served.rows(terminal)
        if alike:
            rate[terminal] = float(len(ranges) > 0)
        else:
            weights = _weights(pattern, terminal)
            ranges, ends = served.only(ranges, ends, terminal, np.flatnonzero(weights))
            weights = weights[ends]
            rate[terminal] = weights.sum()
            if pattern.weight is not None:
                shares.append(weights / rate[terminal] if ends.size else weights)
        rows.append(ranges)
    if not any(map(len, rows)):
        raise SimulationError(
            f"{relation.name} on {relation.network.name}: no terminal has another one to send to, so there is no "
            "traffic to simulate"
        )
    return pairs_in_rows(rate / rate.max(), rows, served.addresses, shares)


def pairs_in_rows(
    rate: npt.NDArray[np.float64],
    rows: Sequence[npt.NDArray[np.int64]],
    addresses: npt.NDArray[np.int32],
    shares: Sequence[npt.NDArray[np.float64]],
) -> Pairs:
    """Pairs from the ranges of addresses of each terminal's destinations, and their shares unless they are alike."""
    keep, other, used = [NONE], [NONE], 0
    for share in shares:
        if share.size:
            threshold, replacement = alias(share)
            keep.append(threshold)
            other.append(replacement + used)
        used += share.size
    first = offsets([len(ranges) for ranges in rows])
    ranges = np.concatenate(rows).reshape(-1).astype(np.int64)
    return Pairs(-1, rate, first, ranges, addresses, np.concatenate(keep), np.concatenate(other))


class Served:
    """Terminals that each terminal may send to, and the addresses it may use for each."""

    def __init__(self, relation: Relation, own: npt.NDArray[np.int64]) -> None:
        self.relation, destination = relation, relation.destination
        self.usable_own = np.zeros(relation.num_addresses, dtype=bool)
        self.usable_own[own] = True
        self.by_destination = np.argsort(destination, kind="stable").astype(np.int32)
        self.everyones = _ranges(destination[self.by_destination], 0)
        self.ends = destination[self.by_destination[self.everyones[:, 0]]]
        self.parts = [self.by_destination] if relation.may_use is None else []
        self.used = sum(part.size for part in self.parts)

    @property
    def addresses(self) -> npt.NDArray[np.int32]:
        """Addresses that the rows point into."""
        return np.concatenate(self.parts)

    def rows(self, terminal: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Begin and end of the addresses for each terminal it may send to, and these terminals, ascending."""
        destination, usable, may_use = self.relation.destination, self.by_destination, self.relation.may_use
        usable = usable if may_use is None else usable[may_use[terminal, usable]]
        to_itself = destination[usable] == terminal
        kept = usable[~to_itself | self.usable_own[usable]]
        if may_use is None:
            # All share one table of addresses; only some of a terminal's own addresses take an entry more.
            ranges, here = self.everyones.copy(), self.ends == terminal
            own = kept[destination[kept] == terminal]
            if 0 < own.size < to_itself.sum():
                ranges[here] = self.used, self.used + own.size
                self.parts.append(own)
                self.used += own.size
            present = ~here | (own.size > 0)
            return ranges[present], self.ends[present]
        ranges = _ranges(destination[kept], self.used)
        self.parts.append(kept)
        self.used += kept.size
        return ranges, destination[kept[ranges[:, 0] + kept.size - self.used]]

    def only(
        self,
        rows: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int32],
        terminal: int,
        targets: npt.NDArray[np.int64],
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The rows that lead to some terminals; the row of the terminal itself may be missing."""
        lost = targets[~np.isin(targets, ends) & (targets != terminal)]
        if lost.size:
            name = self.relation.network.terminal_name
            missing = f"{name(terminal)} has no address for {name(int(lost[0]))}, to which it shall send"
            raise SimulationError(f"{self.relation.name}: {missing}")
        kept = np.isin(ends, targets)
        return rows[kept], ends[kept]


def _weights(pattern: Pattern, terminal: int) -> npt.NDArray[np.float64]:
    """Return a terminal's traffic to each other one at full load."""
    if pattern.weight is not None:
        return np.asarray(pattern.weight[terminal], dtype=np.float64)
    assert pattern.destination is not None
    weight = np.zeros(pattern.destination.size)
    if pattern.destination[terminal] >= 0:
        weight[pattern.destination[terminal]] = 1.0
    return weight


def alias(share: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Walker's tables for shares with sum 1: thresholds × 2⁵³, and the alias of each entry beyond its threshold."""
    count = share.size
    part = share * count
    other = np.arange(count, dtype=np.int64)
    small, large = [np.flatnonzero(part < 1).tolist(), np.flatnonzero(part >= 1).tolist()]
    while small and large:
        low, high = small.pop(), large[-1]
        other[low] = high
        part[high] -= 1 - part[low]
        if part[high] < 1:
            small.append(large.pop())
    part[[*small, *large]] = 1.0
    return np.round(part * 2.0**53).astype(np.int64), other


def _ranges(ascending: npt.NDArray[np.int32], start: int) -> npt.NDArray[np.int64]:
    """Begin and end of every run of equal values, counted from `start`: int64 array, shape (runs, 2)."""
    ends = np.flatnonzero(np.diff(ascending, append=-1)) + 1
    begins = np.concatenate([[0], ends])[: ends.size]
    return np.stack([begins, ends], axis=1).astype(np.int64) + start


def in_rows(pairs: Pairs) -> Pairs:
    """Return pairs with the destinations of each terminal in rows of its own, also where they are alike."""
    if pairs.everyone < 0:
        return pairs
    terminals = pairs.rate.size
    addresses = pairs.addresses if pairs.addresses.size else np.arange(terminals, dtype=np.int32)
    ranges = pairs.address_range if pairs.addresses.size else np.repeat(np.arange(terminals + 1), 2)[1:-1]
    ends = np.arange(terminals)
    rows = [ranges.reshape(-1, 2)[(ends != t) | (pairs.everyone == 1)] for t in range(terminals)]
    return pairs_in_rows(pairs.rate, rows, addresses, ())


def by_ports(pairs: Pairs, width: int) -> Pairs:
    """Return pairs of terminals as those of their ports, numbered port × terminals + terminal."""
    return pairs if width == 1 else joined([in_rows(pairs)] * width)


def joined(pairs: Sequence[Pairs]) -> Pairs:
    """Return several pairs joined, their terminals one after the other; pairs without tables have no entries."""
    first, ranges, addresses, keep, other = [ZERO], [], [], [NONE], [NONE]
    drawn = any(one.keep.size for one in pairs)
    entries = used = 0
    for one in pairs:
        table = one.pair_first if one.everyone < 0 else np.zeros(one.rate.size + 1, dtype=np.int64)
        many = int(table[-1])
        first.append(table[1:] + entries)
        ranges.append(one.address_range[: 2 * many] + used)
        addresses.append(one.addresses if one.everyone < 0 else one.addresses[:0])
        if drawn:
            keep.append(one.keep if one.keep.size else np.full(many, 2**53))
            other.append((one.other if one.other.size else np.arange(many)) + entries)
        entries, used = entries + many, used + addresses[-1].size
    return Pairs(
        -1,
        np.concatenate([one.rate for one in pairs]),
        np.concatenate(first),
        np.concatenate(ranges),
        np.concatenate(addresses),
        np.concatenate(keep),
        np.concatenate(other),
    )


def candidates_at(relation: Relation, place: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the number of candidates of each address at an input VC or injection port; −1 where the rule fails."""
    from unknot.simulation.engine.kernels import served

    count = np.zeros(relation.num_addresses, dtype=np.int64)
    served(relation.compiled.address, place, np.zeros(relation.max_candidates, dtype=np.int64), count)
    return count


def _own_addresses(relation: Relation) -> npt.NDArray[np.int64]:
    """Addresses with which their own terminal may send to itself."""
    place = (relation.num_vcs + relation.destination).astype(np.int64)
    count = candidates_at(relation, place)
    failed = np.flatnonzero(count < 0)
    if failed.size:
        relation.refuse(int(place[failed[0]]), int(failed[0]))
    if relation.may_use is not None:
        count *= relation.may_use[relation.destination, np.arange(relation.num_addresses)]
    return np.flatnonzero(count)
