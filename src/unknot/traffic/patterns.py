"""The patterns that interconnection networks are measured with (Dally & Towles 2004, section 3.2).

Patterns on bits number the terminals in binary; those on digits go by the coordinates of the routers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, IntArray, Ints
from unknot._base.calls import apply, chosen, parse_call
from unknot._base.extensions import Catalogue
from unknot._base.numbers import is_number, is_whole, require_whole
from unknot.network import Network
from unknot.network.metrics import distances_from
from unknot.traffic.pattern import Pattern, TrafficError, to, weighted

MOST_TERMINALS = 8192
"""Terminals up to which rates between each two are taken."""


def uniform(network: Network) -> Pattern:
    """Send to every terminal equally often, the sender included if the routing serves a packet to the sender."""
    return Pattern("uniform")


def uniform_others(network: Network) -> Pattern:
    """Send to every other terminal equally often."""
    return Pattern("uniform_others", itself=False)


def transpose(network: Network) -> Pattern:
    """Send from (x, y) to (y, x) on square grids; elsewhere exchange the two halves of the bits of a terminal."""
    digits = _digits(network)
    if digits is not None and len(network.radices) == 2 and network.radices[0] == network.radices[1]:
        return to(network, "transpose", _ids(network, digits[:, ::-1]))
    ids, bits = _bits(network, "transpose")
    if bits % 2:
        raise TrafficError(f"transpose: {ids.size} terminals have {bits} bits, which do not fall into two halves")
    half = bits // 2
    return to(network, "transpose", (ids >> half) | (ids & ((1 << half) - 1)) << half)


def bit_complement(network: Network) -> Pattern:
    """Send to the terminal whose number has every bit inverted."""
    ids, _ = _bits(network, "bit_complement")
    return to(network, "bit_complement", ids.size - 1 - ids)


def bit_reverse(network: Network) -> Pattern:
    """Send to the terminal whose number has the bits in reverse order."""
    ids, bits = _bits(network, "bit_reverse")
    reversed_ids = np.zeros_like(ids)
    for i in range(bits):
        reversed_ids |= ((ids >> i) & 1) << (bits - 1 - i)
    return to(network, "bit_reverse", reversed_ids)


def shuffle(network: Network) -> Pattern:
    """Send to the terminal whose number has the bits rotated to the left by one."""
    ids, bits = _bits(network, "shuffle")
    return to(network, "shuffle", ((ids << 1) & (ids.size - 1)) | (ids >> max(bits - 1, 0)))


def tornado(network: Network) -> Pattern:
    """Send ⌈k / 2⌉ − 1 positions further in every dimension of k positions, round the ring."""
    return _turned(network, "tornado", lambda k: ceil(k / 2) - 1)


def neighbour(network: Network) -> Pattern:
    """Send one position further in every dimension, round the ring."""
    return _turned(network, "neighbour", lambda k: 1)


def permutation(network: Network, seed: int = 1) -> Pattern:
    """Send to one random partner, which stays for the whole run."""
    require_whole("permutation: the seed", seed, 0, error=TrafficError)
    chosen = np.random.default_rng(seed).permutation(network.num_terminals)
    return to(network, f"permutation(seed={seed})", chosen)


def next_group(network: Network) -> Pattern:
    """Send to the terminal at the same seat of the next group, the worst traffic of a dragonfly with direct routes.

    J. Kim, W. J. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology. ISCA 2008.
    """
    seats, destination = _seats(network, "next_group"), np.full(network.num_terminals, -1)
    for here, there in zip(seats, [*seats[1:], *seats[:1]], strict=True):
        destination[here] = there[np.arange(here.size) % there.size]
    return to(network, "next_group", destination)


def bad_dragon(network: Network) -> Pattern:
    """Send to every terminal of the next group equally often, as BookSim's `bad_dragon`."""
    seats, count = _seats(network, "bad_dragon"), network.num_terminals
    require_matrix("bad_dragon", count)
    weight = np.zeros((count, count))
    for here, there in zip(seats, [*seats[1:], *seats[:1]], strict=True):
        weight[np.ix_(here, there)] = 1 / there.size
    return weighted(network, "bad_dragon", weight)


def longest_matching(network: Network) -> Pattern:
    """Send by a permutation with the longest paths in sum (Jyothi et al. 2016), near the worst for any routing.

    An assignment, O(terminals³) time. S. A. Jyothi, A. Singla, P. B. Godfrey, A. Kolla: Measuring and understanding
    throughput of network topologies. SC 2016.
    """
    return matching(network, "longest_matching")


def matching(network: Network, name: str, side: Flags | None = None) -> Pattern:
    """Send by a permutation with the longest paths in sum; with a side, by one with most paths across the split.

    Parameters
    ----------
    side : bool array, shape (routers,), optional
        Routers on one side of a split.
    """
    from scipy.optimize import linear_sum_assignment

    require_matrix(name, network.num_terminals)
    routers, row = np.unique(network.inject, return_inverse=True)
    hops = np.array([distances_from(network, router) for router in routers.tolist()])[:, network.eject]
    if (hops < 0).any():
        raise TrafficError(f"{name}: {network.name} has terminals that others cannot reach")
    if side is not None:
        hops = hops + (side[routers][:, None] != side[network.eject]) * (
            network.num_terminals * (int(hops.max()) + 1)
        )
    return to(network, name, linear_sum_assignment(hops[row], maximize=True)[1])


def hotspot(network: Network, terminals: int | tuple[int, ...] = 0, share: float = 0.2) -> Pattern:
    """Send a share of every terminal's traffic to the listed terminals, and the rest to all equally often.

    Parameters
    ----------
    terminals : int or sequence of int
        The hot ones.
    share : float
        Part of the traffic that goes to them, above what they get of the rest; 0 to 1.
    """
    count = network.num_terminals
    chosen = list(terminals) if isinstance(terminals, Iterable) else [terminals]
    wrong = [t for t in chosen if not is_whole(t) or not 0 <= t < count]
    if not chosen or wrong:
        raise TrafficError(f"hotspot: terminals are numbers from 0 to {count - 1}, got {terminals!r}")
    if not is_number(share) or not 0 <= share <= 1:
        raise TrafficError(f"hotspot: the share is a number from 0 to 1, got {share!r}")
    require_matrix("hotspot", count)
    weight = np.full((count, count), (1 - share) / count)
    weight[:, sorted(set(chosen))] += share / len(set(chosen))
    return weighted(network, f"hotspot({terminals!r}, share={share:g})", weight)


PatternLike = str | Pattern | Sequence[int] | npt.NDArray[Any] | Callable[[int], Any]
"""What `pattern` makes a pattern of."""


def patterns() -> Catalogue[Callable[..., Pattern]]:
    """The public patterns by name, and those of extensions.

    Returns
    -------
    Catalogue
        Functions of a network, by name.

    Examples
    --------
    >>> "hotspot" in patterns()
    True
    """
    core = (
        uniform, uniform_others, transpose, bit_complement, bit_reverse, shuffle, tornado, neighbour, permutation,
        next_group, bad_dragon, longest_matching, hotspot,
    )  # fmt: skip
    return Catalogue("patterns", {function.__name__: function for function in core})


def pattern(
    network: Network, traffic: PatternLike = "uniform", *, where: str = "<traffic>", also: Iterable[str] = ()
) -> Pattern:
    """Return the pattern that a name, text, array or function stands for.

    Parameters
    ----------
    network : Network
        The network, whose terminals send.
    traffic : str, Pattern, sequence of int, array or callable
        A name or call such as ``transpose`` or ``hotspot(3, share=0.1)``; one destination for each terminal, −1 for
        none; a matrix of rates, terminals × terminals; or a function from a source terminal to its destination or
        to a row of such a matrix.
    where : str
        What an error calls the text.
    also : iterable of str
        Further names that its caller takes, for the same error.

    Returns
    -------
    Pattern
        The pattern on this network.

    Raises
    ------
    TrafficError
        If it does not fit the network; `TextError` if no pattern is named so.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> pattern(ring(4), [1, 2, 3, 0]).destination.tolist()
    [1, 2, 3, 0]
    """
    if isinstance(traffic, Pattern):
        return traffic
    if isinstance(traffic, str):
        call = parse_call(traffic, where)
        return apply(call, chosen(call, patterns(), "traffic", also), network)
    if callable(traffic):
        return _from_array(network, [traffic(terminal) for terminal in range(network.num_terminals)])
    return _from_array(network, traffic)


def _from_array(network: Network, destinations: Any) -> Pattern:
    try:
        array = np.asarray(destinations)
    except ValueError as error:
        raise TrafficError("traffic: destinations, or rows of one length, are needed") from error
    if array.ndim == 2:
        return weighted(network, "traffic", array)
    return to(network, "traffic", array)


def require_matrix(name: str, count: int) -> None:
    """Refuse so many terminals that rates between each two of them are too many."""
    if count > MOST_TERMINALS:
        words = f"{count:,} terminals have too many rates between them; the most is {MOST_TERMINALS:,}"
        raise TrafficError(f"{name}: {words}")


def _seats(network: Network, name: str) -> list[Ints]:
    """The terminals of each group, of those that have some."""
    if network.coordinates is None or "group" not in network.dimensions:
        raise TrafficError(f"{name}: {network.name} has no groups, as dragonfly and dragonfly_plus have")
    group = network.coordinates[:, network.dimensions.index("group")][network.inject]
    return [np.flatnonzero(group == number) for number in np.unique(group)]


def _bits(network: Network, name: str) -> tuple[Ints, int]:
    """The numbers of the terminals, and how many bits they have."""
    count = network.num_terminals
    bits = max(count - 1, 0).bit_length()
    if count != 1 << bits:
        raise TrafficError(
            f"{name}: a number of terminals that is a power of two is needed; {network.name} has {count}"
        )
    return np.arange(count, dtype=np.int64), bits


def _digits(network: Network) -> IntArray | None:
    """Coordinates of the router of each terminal, if every router of a whole grid has one terminal."""
    if network.coordinates is None or not np.array_equal(network.inject, network.eject):
        return None
    if network.num_routers != np.prod(network.radices, dtype=np.int64):
        return None
    if not np.array_equal(np.sort(network.inject), np.arange(network.num_routers)):
        return None
    return network.coordinates[network.inject]


def _ids(network: Network, digits: IntArray) -> Ints:
    """The terminals at some coordinates."""
    own = _digits(network)
    if own is None:
        raise TrafficError(f"{network.name} has no terminal at every coordinate")
    rank = np.ravel_multi_index(tuple(own.T), network.radices)
    return np.asarray(np.argsort(rank)[np.ravel_multi_index(tuple(digits.T), network.radices)])


def _turned(network: Network, name: str, step: Callable[[int], int]) -> Pattern:
    """Every coordinate moved round by a step that depends on the positions of its dimension."""
    digits = _digits(network)
    if digits is None:
        count = network.num_terminals
        return to(network, name, (np.arange(count) + step(count)) % max(count, 1))
    steps = np.array([step(k) for k in network.radices], dtype=np.int64)
    return to(network, name, _ids(network, ((digits + steps) % np.array(network.radices)).astype(np.int32)))
