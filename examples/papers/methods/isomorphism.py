"""Topological equivalence of multistage networks, shown by a mapping of their switches that is checked.

Networks are compared by colour refinement: switches that a colouring cannot tell apart are mapped onto each other one
by one, and what follows from that is coloured anew. Where all switches of a stage are alike, as in equivalents of the
baseline network, any first choice is right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError
from unknot._base.shown import Brief
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages

Numbers = npt.NDArray[np.int64]

MAX_TRIES = 900
"""Most guesses of a search; each is a call within the one before it, and Python allows about 1,000."""


@dataclass(frozen=True, eq=False, repr=False)
class Isomorphism(Brief):
    """A mapping of one network onto another that keeps channels, inputs and outputs.

    Attributes
    ----------
    routers : int32 array, shape (routers,)
        The switch of the second network for each of the first.
    inputs, outputs : int32 arrays, shape (terminals,)
        The terminal of the second network whose injection (ejection) takes the place of each of the first.
    """

    routers: IntArray
    inputs: IntArray
    outputs: IntArray


def isomorphism(network: Network, other: Network) -> Isomorphism | None:
    """A mapping of one multistage network onto another, or None if there is none.

    Raises
    ------
    NetworkError
        If the search takes more than `MAX_TRIES` guesses.

    Notes
    -----
    A guess takes O(stages × channels). Equivalents of the baseline network take a guess for each terminal, so
    they are compared up to 512 terminals: 4 s.
    """
    sizes = [(n.num_routers, n.num_channels, n.num_terminals, n.radices) for n in (network, other)]
    if sizes[0] != sizes[1]:
        return None
    routers = _searched(network, other)
    mapping = None if routers is None else _with_terminals(network, other, routers)
    if mapping is not None and holds(network, other, mapping):
        return mapping
    return None


def holds(network: Network, other: Network, candidate: Isomorphism) -> bool:
    """Check a mapping: one to one, and it takes channels to channels, inputs to inputs and outputs to outputs."""
    for mapping, count in (
        (candidate.routers, network.num_routers),
        (candidate.inputs, network.num_terminals),
        (candidate.outputs, network.num_terminals),
    ):
        if not np.array_equal(np.sort(mapping), np.arange(count)):
            return False
    base = np.int64(network.num_routers)
    mapped = candidate.routers[network.source] * base + candidate.routers[network.target]
    there = other.source * base + other.target
    return bool(
        np.array_equal(np.sort(mapped), np.sort(there))
        and np.array_equal(candidate.routers[network.inject], other.inject[candidate.inputs])
        and np.array_equal(candidate.routers[network.eject], other.eject[candidate.outputs])
    )


def _with_terminals(network: Network, other: Network, routers: IntArray) -> Isomorphism | None:
    """Return the isomorphism that maps terminals of a switch in order, or None if their numbers differ."""
    ends = []
    for mine, theirs in ((network.inject, other.inject), (network.eject, other.eject)):
        a, b = np.argsort(routers[mine], kind="stable"), np.argsort(theirs, kind="stable")
        if not np.array_equal(routers[mine][a], theirs[b]):
            return None
        mapping = np.empty(mine.size, dtype=np.int32)
        mapping[a] = b
        ends.append(mapping)
    return Isomorphism(routers, ends[0], ends[1])


def _searched(network: Network, other: Network) -> IntArray | None:
    """A mapping of switches that keeps stages, terminals and channels, by refinement and guesses."""
    n = network.num_routers
    source = np.concatenate([network.source, other.source + n])
    target = np.concatenate([network.target, other.target + n])
    kinds = np.stack(
        [
            np.concatenate([f(network), f(other)])
            for f in (
                lambda net: stages(net).stage,
                lambda net: np.bincount(net.inject, minlength=n),
                lambda net: np.bincount(net.eject, minlength=n),
            )
        ]
    )
    start = np.unique(kinds, axis=1, return_inverse=True)[1].ravel()
    tries = 0

    def solve(colour: Numbers) -> IntArray | None:
        nonlocal tries
        colour = _refined(colour, source, target)
        counts = [np.bincount(half, minlength=2 * n) for half in (colour[:n], colour[n:])]
        if not np.array_equal(counts[0], counts[1]):
            return None
        several = np.flatnonzero(counts[0] > 1)
        if not several.size:
            routers = np.empty(n, dtype=np.int32)
            routers[np.argsort(colour[:n])] = np.argsort(colour[n:])
            return routers
        chosen = int(several[np.argmin(counts[0][several])])
        one = int(np.argmax(colour[:n] == chosen))
        for twin in np.flatnonzero(colour[n:] == chosen).tolist():
            tries += 1
            if tries > MAX_TRIES:
                raise NetworkError(
                    f"{network.name} and {other.name}: neither equivalent nor different after {MAX_TRIES} guesses"
                )
            guessed = colour.copy()
            guessed[[one, n + twin]] = 2 * n
            routers_of_guess = solve(guessed)
            if routers_of_guess is not None:
                return routers_of_guess
        return None

    return solve(start)


def _refined(colour: Numbers, source: Numbers, target: Numbers) -> Numbers:
    """The coarsest finer colouring in which switches of one colour have the same colours before and after them."""
    coarse = np.unique(colour, return_inverse=True)[1].ravel()
    while True:
        keys = np.random.default_rng(1).integers(1, 2**62, int(coarse.max()) + 1).astype(np.uint64)[coarse]
        after, before = np.zeros(coarse.size, dtype=np.uint64), np.zeros(coarse.size, dtype=np.uint64)
        np.add.at(after, source, keys[target])
        np.add.at(before, target, keys[source])
        signature = np.stack([coarse.astype(np.uint64), after, before])
        finer = np.unique(signature, axis=1, return_inverse=True)[1].ravel()
        if finer.max() == coarse.max():
            return np.asarray(finer, dtype=np.int64)
        coarse = finer
