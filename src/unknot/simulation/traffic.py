"""Who sends to whom, and the random numbers that decide it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot.errors import SimulationError
from unknot.routing.relation import Relation

_WORD = 2**64 - 1


@dataclass(frozen=True, eq=False)
class Pairs:
    """The destinations of each terminal, every one of them equally likely, and the addresses it may use for them.

    Attributes
    ----------
    everyone : int
        1: every terminal sends to all terminals; 0: to all but itself; in both cases address = terminal and there
        are no tables. −1: the arrays say.
    pair_first : int64 array, shape (terminals + 1,)
        Destinations of terminal t are the entries ``pair_first[t]:pair_first[t + 1]`` of the next array.
    address_range : int64 array, shape (2 × pairs,)
        Addresses of destination entry k are ``addresses[address_range[2 k]:address_range[2 k + 1]]``; entries may
        share them.
    addresses : int32 array
    silent : int
        Terminals that send to nobody.
    """

    everyone: int
    pair_first: npt.NDArray[np.int64]
    address_range: npt.NDArray[np.int64]
    addresses: npt.NDArray[np.int32]
    silent: int


def uniform(relation: Relation, *, self_traffic: bool = True) -> Pairs:
    """Uniform traffic over the pairs the relation serves.

    With `self_traffic` a terminal also sends to itself, wherever the rule offers such a packet a candidate.

    Raises
    ------
    SimulationError
        If nobody can send to anybody.
    """
    terminals = relation.network.num_terminals
    own = _own_addresses(relation) if self_traffic else np.zeros(0, dtype=np.int64)
    identity = np.array_equal(relation.destination, np.arange(terminals))
    if identity and relation.may_use is None and own.size in (0, terminals) and terminals - 1 + own.size:
        none, zero = np.zeros(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
        return Pairs(int(own.size > 0), zero, zero, none, 0)
    destination = relation.destination
    usable_own = np.zeros(relation.num_addresses, dtype=bool)
    usable_own[own] = True
    by_destination = np.argsort(destination, kind="stable").astype(np.int32)
    everyones = _ranges(destination[by_destination], 0)
    addresses = [by_destination] if relation.may_use is None else []
    rows, used = [], sum(array.size for array in addresses)
    for terminal in range(terminals):
        if relation.may_use is None:
            kept = np.flatnonzero(usable_own & (destination == terminal)).astype(np.int32)
            others = everyones[destination[by_destination[everyones[:, 0]]] != terminal]
            at = int(np.searchsorted(destination[by_destination[others[:, 0]]], terminal))
            rows.append(np.insert(others, at, [[used, used + kept.size]] if kept.size else others[:0], axis=0))
        else:
            kept = by_destination[relation.may_use[terminal, by_destination]]
            kept = kept[(destination[kept] != terminal) | usable_own[kept]]
            rows.append(_ranges(destination[kept], used))
        addresses.append(kept)
        used += kept.size
    pairs = np.array([len(row) for row in rows], dtype=np.int64)
    if not pairs.any():
        raise SimulationError(
            f"{relation.name} on {relation.network.name}: no terminal has another one to send to, so there is no "
            "traffic to simulate"
        )
    return Pairs(
        -1,
        np.concatenate([[0], np.cumsum(pairs)]).astype(np.int64),
        np.concatenate(rows).reshape(-1),
        np.concatenate(addresses),
        int(np.count_nonzero(pairs == 0)),
    )


def _ranges(ascending: npt.NDArray[np.int32], start: int) -> npt.NDArray[np.int64]:
    """Begin and end of every run of equal values, counted from `start`: int64 array, shape (runs, 2)."""
    ends = np.flatnonzero(np.diff(ascending, append=-1)) + 1
    begins = np.concatenate([[0], ends])[: ends.size]
    return np.stack([begins, ends], axis=1).astype(np.int64) + start


def _own_addresses(relation: Relation) -> npt.NDArray[np.int64]:
    """Addresses with which their own terminal may send to itself."""
    from unknot.simulation.state_kernel import served

    count = np.zeros(relation.num_addresses, dtype=np.int64)
    place = (relation.num_vcs + relation.destination).astype(np.int64)
    served(relation.compiled.function, place, np.zeros(relation.max_candidates, dtype=np.int64), count)
    failed = np.flatnonzero(count < 0)
    if failed.size:
        from unknot.routing.relation_kernel import ask

        ask(relation, int(place[failed[0]]), int(failed[0]))
    if relation.may_use is not None:
        count *= relation.may_use[relation.destination, np.arange(relation.num_addresses)]
    return np.flatnonzero(count)


def streams(seed: int, terminals: int) -> npt.NDArray[np.uint64]:
    """Start values of the random numbers (SplitMix64) of each terminal, all different for every seed."""
    base = scramble(seed + 0x9E3779B97F4A7C15)
    return np.array([scramble(base + t * 0xD1342543DE82EF95) for t in range(terminals)], dtype=np.uint64)


def scramble(value: int) -> int:
    """The output function of SplitMix64 (Steele, Lea & Flood 2014): a bijection of 64-bit words."""
    value &= _WORD
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _WORD
    return value ^ (value >> 31)
