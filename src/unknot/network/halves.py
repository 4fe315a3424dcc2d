"""Bounds on the bisection: what every split of the terminals into halves cuts, and a split that cuts little."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Floats, Ints
from unknot._base.errors import NetworkError
from unknot.network.cuts_by_flows import cuts_by_flows
from unknot.network.graph import components, pairs
from unknot.network.grid import whole_grid
from unknot.network.model import Network

MOST_ROUTERS = 4_000
"""Routers up to which bounds are computed: eigenvalues take 60 s of processor time there, and 2 s at 1,000."""


@dataclass(frozen=True)
class Bisection:
    """Bounds on the fewest channels, both ways, between two halves of the terminals.

    Routers stay whole, so the halves are as even as the terminals at routers allow.

    Attributes
    ----------
    lower : int
        No split cuts fewer channels.
    upper : int
        The split `side` cuts this number.
    side : bool array, shape (routers,), or None
        Routers of one half; None where the bounds come from a closed form and no split in order is as good.

    Examples
    --------
    >>> from unknot.network.families import fat_tree, petersen
    >>> bisection_bounds(fat_tree(4, 2)).lower, bisection_bounds(fat_tree(4, 2)).upper
    (16, 16)
    >>> bisection_bounds(petersen()).upper
    10
    """

    lower: int
    upper: int
    side: Flags | None = None


def bisection(network: Network) -> int | None:
    """Directed channels cut by the best known split into two halves, for the regular families.

    Exact for complete graphs, and for complete meshes, tori and hypercubes whose longest side is even, where the cut
    across the longest side is a minimum bisection; other networks give None.
    """
    routers = network.num_routers
    if network.num_channels == routers * (routers - 1) and _all_pairs(network):
        return 2 * (routers // 2) * (routers - routers // 2)
    product = whole_grid(network)
    if product is None or not product.radices.size or (product.directions[product.wraps] != 3).any():
        return None
    longest = int(np.argmax(product.radices))
    side = int(product.radices[longest])
    if side % 2:
        return None
    return 2 * routers // side * (2 if product.wraps[longest] else 1)


def _all_pairs(network: Network) -> bool:
    """Whether as many channels as ordered pairs of routers join every pair, none of them a loop or a twin."""
    return np.unique(pairs(network)).size == network.num_channels and not (network.source == network.target).any()


def bisection_bounds(network: Network, *, seed: int = 1) -> Bisection:
    """Bound the bisection from below and above.

    Below: the second eigenvalue of the Laplacian, weighted by terminals (Fiedler 1973), and the busiest channel when
    terminals send along all shortest paths evenly, to all others (Leighton & Rao 1999) or each to one. Above: the
    best of several splits, by the Fiedler vector, by coordinates and at random, each improved by moves of routers
    (Fiduccia & Mattheyses 1982). Time is O(routers³ + routers · channels), and routers² · channels where that is at
    most 3·10⁸.

    Parameters
    ----------
    network : Network
        The network.
    seed : int
        Seeds the random splits.

    Returns
    -------
    Bisection
        Bounds, with a best split.

    Raises
    ------
    NetworkError
        If there are more than 4,000 routers, or no terminals at two of them.

    Examples
    --------
    >>> from unknot.network.families import slim_fly
    >>> bounds = bisection_bounds(slim_fly(5))
    >>> bounds.lower <= bounds.upper
    True
    """
    weight = network.terminals_at
    if np.count_nonzero(weight) < 2:
        raise NetworkError(f"{network.name}: a bisection needs terminals at two routers or more")
    if not _same_ends(network):
        raise NetworkError(f"{network.name}: terminals send and receive at different routers, so they have no halves")
    known = bisection(network) if np.unique(weight).size == 1 else None
    if known is not None:
        return Bisection(known, known, _split_in_order(network, weight, known))
    if network.num_routers > MOST_ROUTERS:
        raise NetworkError(
            f"{network.name}: {network.num_routers} routers; the bisection is bounded for up to {MOST_ROUTERS}"
        )
    joined, half, total = _joined(network), _largest_half(weight), int(weight.sum())
    if components(network)[1] > 1:
        bounds, fiedler = [0.0], np.zeros(network.num_routers)
    else:
        eigenvalue, fiedler = _fiedler(joined, weight)
        bounds = [eigenvalue * half * (total - half) / total, *cuts_by_flows(network, weight, half)]
    lower = math.ceil(max(bounds) - 1e-6)
    # Links are a channel each way, so a network of links alone cuts an even number.
    if not (joined % 2).any():
        lower += lower % 2
    best: Bisection | None = None
    for order in _orders(network, fiedler, np.random.default_rng(seed)):
        side = _improved(joined, weight, _split(order, weight, half), half)
        cut = int(joined[side][:, ~side].sum())
        if best is None or cut < best.upper:
            best = Bisection(min(lower, cut), cut, side)
        if best.upper <= lower:
            break
    assert best is not None
    return best


def can_be_halved(network: Network) -> bool:
    """Whether `bisection_bounds` takes the network, and seconds rather than a minute."""
    return network.num_routers <= MOST_ROUTERS // 2 and np.unique(network.inject).size > 1 and _same_ends(network)


def _same_ends(network: Network) -> bool:
    return np.array_equal(network.inject, network.eject)


def _joined(network: Network) -> Ints:
    """Channels between each two routers, both ways together, shape (routers, routers)."""
    joined = np.zeros((network.num_routers, network.num_routers), dtype=np.int64)
    np.add.at(joined, (network.source, network.target), 1)
    joined += joined.T
    np.fill_diagonal(joined, 0)
    return joined


def _largest_half(weight: Ints) -> int:
    """Terminals of the smaller half in the most even split that whole routers allow."""
    total = int(weight.sum())
    sums = 1
    for count in weight[weight > 0].tolist():
        sums |= sums << count
    return next(half for half in range(total // 2, -1, -1) if sums >> half & 1)


def _fiedler(joined: Ints, weight: Ints) -> tuple[float, Floats]:
    """The least x·Lx / Σ weight·(x − mean)², and the vector that has it.

    Routers without terminals take the position that is best for the others, so they are eliminated (Schur
    complement); the rest is an eigenvalue problem with the weights as masses.
    """
    from scipy.linalg import eigh

    laplacian = np.diag(joined.sum(axis=1)) - joined.astype(np.float64)
    heavy, light = np.flatnonzero(weight), np.flatnonzero(weight == 0)
    inner = laplacian[np.ix_(heavy, heavy)]
    follow = np.zeros((light.size, heavy.size))
    if light.size:
        follow = -np.linalg.solve(laplacian[np.ix_(light, light)], laplacian[np.ix_(light, heavy)])
        inner = inner + laplacian[np.ix_(heavy, light)] @ follow
    mass = 1 / np.sqrt(weight[heavy])
    values, vectors = eigh(inner * mass[:, None] * mass[None, :], subset_by_index=[1, 1])
    vector = np.empty(weight.size)
    vector[heavy] = vectors[:, 0] * mass
    vector[light] = follow @ vector[heavy]
    return float(values[0]), vector


def _orders(network: Network, fiedler: Floats, random: np.random.Generator) -> Iterator[npt.NDArray[np.intp]]:
    """Orders of the routers whose first half may be a good side."""
    yield np.argsort(fiedler, kind="stable")
    yield from _natural_orders(network)
    for _ in range(4):
        yield random.permutation(network.num_routers)


def _natural_orders(network: Network) -> Iterator[npt.NDArray[np.intp]]:
    """Orders of the routers by each coordinate, and by number."""
    if network.coordinates is not None:
        for dimension in range(network.coordinates.shape[1]):
            yield np.argsort(network.coordinates[:, dimension], kind="stable")
    yield np.arange(network.num_routers)


def _split_in_order(network: Network, weight: Ints, cut: int) -> Flags | None:
    """Split of a natural order with the given number of cut channels; None without any."""
    half = _largest_half(weight)
    for order in _natural_orders(network):
        side = _split(order, weight, half)
        if np.count_nonzero(side[network.source] != side[network.target]) == cut:
            return side
    return None


def _split(order: npt.NDArray[np.intp], weight: Ints, half: int) -> Flags:
    """Routers with `half` terminals in all, the first of an order wherever later ones can make up the rest."""
    sums = [1]
    for router in order[::-1].tolist():
        sums.append(sums[-1] | sums[-1] << int(weight[router]))
    side = np.zeros(order.size, dtype=bool)
    left = half
    for router, later in zip(order.tolist(), sums[-2::-1], strict=True):
        if weight[router] <= left and later >> left - int(weight[router]) & 1:
            side[router] = True
            left -= int(weight[router])
    return side


def _improved(joined: Ints, weight: Ints, side: Flags, half: int) -> Flags:
    """A split after moves of routers and exchanges, as long as a round of them lowers the cut."""
    side = side.copy()
    while True:
        moves, kept = _round(joined, weight, side.copy(), half)
        if not kept:
            return side
        side[moves[:kept]] ^= True


def _round(joined: Ints, weight: Ints, side: Flags, half: int) -> tuple[list[int], int]:
    """Move each router once, the best first, from the side with more terminals; how many moves to keep."""
    gain = np.where(side, joined @ ~side - joined @ side, joined @ side - joined @ ~side).astype(np.float64)
    total, inside = int(weight.sum()), int(weight[side].sum())
    free = np.ones(side.size, dtype=bool)
    moves: list[int] = []
    lowered, best, kept = 0.0, 0.0, 0
    for _ in range(side.size):
        least = min(inside, total - inside)
        # Balanced: routers without terminals may move, or any as the first of an exchange. Else the exchange ends.
        if least >= half:
            allowed = free
        else:
            heavier = inside > total - inside
            allowed = free & ((side == heavier) | (weight == 0))
        candidates = np.flatnonzero(allowed)
        if not candidates.size:
            break
        router = int(candidates[np.argmax(gain[candidates])])
        lowered += gain[router]
        inside += int(-weight[router] if side[router] else weight[router])
        free[router] = False
        same = side == side[router]
        gain += np.where(same, 2, -2) * joined[router]
        side[router] ^= True
        moves.append(router)
        if min(inside, total - inside) >= half and lowered > best + 0.5:
            best, kept = lowered, len(moves)
    return moves, kept
