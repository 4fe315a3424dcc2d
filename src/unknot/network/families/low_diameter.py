"""Networks of low diameter: dragonfly with the published arrangements of global links, Dragonfly+, Slim Fly."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unknot._base.errors import NetworkError, require_known
from unknot.network import Network
from unknot.network.families.finite_geometry import field, prime_root
from unknot.network.families.links import Ints, affordable, linked, whole

Peers = Callable[[Ints, Ints, int], Ints]

ARRANGEMENTS: dict[str, Peers] = {
    "absolute": lambda group, port, groups: port + (port >= group),
    "relative": lambda group, port, groups: (group + port + 1) % groups,
    "circulant": lambda group, port, groups: (
        (group + np.where(port % 2 == 0, port // 2 + 1, -(port // 2) - 1)) % groups
    ),
}
"""The group that a global port of a group leads to, the ports of a group being counted router by router."""


def dragonfly(
    a: int,
    p: int | None = None,
    h: int | None = None,
    groups: int | None = None,
    *,
    arrangement: str = "absolute",
    seed: int = 1,
    latency: int = 1,
    global_latency: int | None = None,
) -> Network:
    """The dragonfly of Kim, Dally, Scott & Abts (2008): completely linked groups, between which every two are linked.

    Router r of group g has number a·g + r and coordinates (g, r). Global port k of a group, k = 0 … a·h − 1, is at
    router k // h. `dragonfly(a)` with a even is the balanced one, a = 2p = 2h with a·h + 1 groups.

    Parameters
    ----------
    a : int
        Routers of a group.
    p : int, optional
        Terminals at each router; by default a / 2.
    h : int, optional
        Global links of each router; by default a / 2.
    groups : int, optional
        By default a·h + 1, the most there can be. With fewer, every two groups are linked ⌊a·h / (groups − 1)⌋
        times, and the last ports that do not suffice for all groups once more stay unused.
    arrangement : {"absolute", "relative", "circulant", "random"}
        Which group global port k of group g leads to. `absolute` (or consecutive): group k, itself left out.
        `relative` (or palmtree): group g + k + 1. `circulant`: g + 1, g − 1, g + 2, g − 2, … (Camarero, Vallejo &
        Beivide 2014; Hastings et al. 2015). `random`: any, by `seed`.
    seed : int
        For the random arrangement.
    latency, global_latency : int
        Cycles of links within a group and between groups; by default the same.

    Raises
    ------
    NetworkError
        If a size is no whole number, there are too many groups, or the arrangement is unknown.

    References
    ----------
    J. Kim, W. J. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology. ISCA 2008, 77–88.
    doi:10.1109/ISCA.2008.19.

    Examples
    --------
    >>> dragonfly(4)
    <Network dragonfly(4, 2, 2): 36 routers, 180 channels, 72 terminals>
    """
    whole("dragonfly", "the number a of routers of a group", a, 1)
    if (p is None or h is None) and a % 2:
        raise NetworkError(f"dragonfly({a}): with a odd, p and h must be given; by default both are a / 2")
    p = whole("dragonfly", "the number p of terminals of a router", a // 2 if p is None else p, 0)
    h = whole("dragonfly", "the number h of global links of a router", a // 2 if h is None else h, 0)
    start = f"dragonfly({a}, {p}, {h}{'' if groups is None else f', {groups}'}"
    name, g = _groups(start, a * h, groups, arrangement, seed)
    affordable(name, g * a, g * a * (a - 1 + h), g * a * p, 2)
    low, high = np.triu_indices(a, 1)
    local = (np.arange(g)[:, None] * a + low).ravel(), (np.arange(g)[:, None] * a + high).ravel()
    return linked(
        name,
        g * a,
        local,
        _global_links(a, h, g, arrangement, seed),
        latency=[latency, latency if global_latency is None else global_latency],
        concentration=p,
        radices=(g, a),
        dimensions=("group", "router"),
    )


def dragonfly_plus(
    leaves: int,
    p: int | None = None,
    h: int | None = None,
    groups: int | None = None,
    *,
    arrangement: str = "absolute",
    seed: int = 1,
    latency: int = 1,
    global_latency: int | None = None,
) -> Network:
    """The Dragonfly+ of Shpiner et al. (2017): groups of leaves and as many spines, spines of two groups linked.

    In a group every leaf is linked with every spine; terminals are at leaves, global links at spines. Leaf i of group
    g is router 2·leaves·g + i with coordinates (g, 0, i), spine i router 2·leaves·g + leaves + i with (g, 1, i). The
    spines of a group number its global ports as the routers of `dragonfly` do.

    Parameters
    ----------
    leaves : int
        Leaves, and spines, of a group.
    p : int, optional
        Terminals at each leaf; by default as many as there are spines.
    h : int, optional
        Global links of each spine; by default as many as there are leaves.
    groups : int, optional
        By default leaves·h + 1, the most there can be; with fewer, groups are linked several times.
    arrangement, seed, latency, global_latency : optional
        As for `dragonfly`.

    References
    ----------
    A. Shpiner, Z. Haramaty, S. Eliad, V. Zdornov, B. Gafni, E. Zahavi: Dragonfly+: low cost topology for scaling
    datacenters. HiPINEB 2017, 1–8.

    Examples
    --------
    >>> dragonfly_plus(2)
    <Network dragonfly_plus(2): 20 routers, 60 channels, 20 terminals>
    """
    whole("dragonfly_plus", "the number of leaves of a group", leaves, 1)
    sizes = [f", {key}={size}" for key, size in (("p", p), ("h", h), ("groups", groups)) if size is not None]
    p = whole("dragonfly_plus", "the number p of terminals of a leaf", leaves if p is None else p, 0)
    h = whole("dragonfly_plus", "the number h of global links of a spine", leaves if h is None else h, 0)
    name, g = _groups(f"dragonfly_plus({leaves}{''.join(sizes)}", leaves * h, groups, arrangement, seed)
    routers = 2 * leaves * g
    affordable(name, routers, 2 * g * leaves * (leaves + h), g * leaves * p, 3)
    first = 2 * leaves * np.arange(g)
    leaf, spine = (each.ravel() for each in np.divmod(np.arange(leaves * leaves), leaves))
    local = (first[:, None] + leaf).ravel(), (first[:, None] + leaves + spine).ravel()
    u, v = _global_links(leaves, h, g, arrangement, seed)  # numbers among the spines alone
    return linked(
        name,
        routers,
        local,
        (u + leaves * (u // leaves + 1), v + leaves * (v // leaves + 1)),
        latency=[latency, latency if global_latency is None else global_latency],
        inject=np.repeat((first[:, None] + np.arange(leaves)).ravel(), p),
        radices=(g, 2, leaves),
        dimensions=("group", "level", "switch"),
    )


def _groups(start: str, links: int, groups: int | None, arrangement: str, seed: int) -> tuple[str, int]:
    """Name of the network, which begins with `start`, and its number of groups, each with `links` global links."""
    count = whole(start.partition("(")[0], "the number of groups", links + 1 if groups is None else groups, 1)
    more = "" if arrangement == "absolute" else f", arrangement='{arrangement}'"
    name = f"{start}{more}{f', seed={seed}' if seed != 1 else ''})"
    if count > links + 1:
        raise NetworkError(f"{name}: {links} global links of a group reach {links + 1} groups at most, not {count}")
    return name, count


def _global_links(a: int, h: int, groups: int, arrangement: str, seed: int) -> tuple[Ints, Ints]:
    """Global links between routers: the ports of each two groups that lead to each other, joined."""
    known = (*ARRANGEMENTS, "random")
    require_known("dragonfly: unknown arrangement", arrangement, known, NetworkError)
    peers = groups - 1
    group, port = np.divmod(np.arange(groups * peers), max(peers, 1))
    peer: Ints
    if arrangement == "random":
        random = np.random.default_rng(whole("dragonfly", "the seed", seed, 0))
        mixed = np.argsort(random.random((groups, peers)), axis=1).ravel()
        peer = mixed + (mixed >= group)
    else:
        peer = ARRANGEMENTS[arrangement](group, port, groups)
    port_to = np.empty((groups, groups), dtype=np.int64)
    port_to[group, peer] = port
    rounds = a * h // peers if peers else 0
    low, high = np.nonzero(np.triu(np.ones((groups, groups), dtype=bool), 1))
    ends = [
        (side[0] * a + (port_to[side] + turn * peers) // h)
        for turn in range(rounds)
        for side in ((low, high), (high, low))
    ]
    empty = np.empty(0, dtype=np.int64)
    return np.concatenate([empty, *ends[0::2]]), np.concatenate([empty, *ends[1::2]])


def slim_fly(q: int, concentration: int | None = None, *, latency: int = 1) -> Network:
    """The Slim Fly of Besta & Hoefler (2014): 2q² routers of degree (3q − δ) / 2, any two at most 2 hops apart.

    q = 4w + δ, with δ −1, 0 or 1, is a power of a prime. Router (s, x, y) has number q²·s + q·x + y. With ξ a
    primitive element of the field of q elements, routers (0, x, y) and (0, x, y′) are linked when y − y′ is in X,
    routers (1, m, c) and (1, m, c′) when c − c′ is in X′, and (0, x, y) with (1, m, c) when y = m·x + c. X and X′ are
    the even and the odd powers of ξ, but for δ = −1, where the powers from 2w − 1 on change places (Hafner 2004).
    `slim_fly(5)` is the Hoffman–Singleton graph, the largest there can be of degree 7 and diameter 2.

    Parameters
    ----------
    q : int
        A prime power from 3 on that is not 2 modulo 4.
    concentration : int, optional
        Terminals at each router; by default half the degree, rounded up.

    References
    ----------
    M. Besta, T. Hoefler: Slim Fly: a cost effective low-diameter network topology. SC 2014, 348–359.

    Examples
    --------
    >>> slim_fly(5)
    <Network slim_fly(5): 50 routers, 350 channels, 200 terminals>
    """
    whole("slim_fly", "q", q, 3)
    delta = (q + 1) % 4 - 1
    if delta == 2 or prime_root(q) is None:
        good = [str(n) for n in range(max(3, q - 8), q + 9) if prime_root(n) is not None and n % 4 != 2]
        raise NetworkError(
            f"slim_fly({q}): q must be a prime power of the form 4w − 1, 4w or 4w + 1; near it are {', '.join(good)}"
        )
    degree = (3 * q - delta) // 2
    name = f"slim_fly({q}{'' if concentration is None else f', {concentration}'})"
    concentration = whole(name, "the concentration", -(-degree // 2) if concentration is None else concentration, 0)
    affordable(name, 2 * q * q, 2 * q * q * degree, 2 * q * q * concentration, 3)
    power, plus, log = field(q)
    exponents = np.arange(q - 1)
    first = exponents[exponents % 2 == 0]
    second = exponents[exponents % 2 == 1]
    if delta == 0:
        second = np.append(second, 0)
    elif delta == -1:
        turn = (q + 1) // 2 - 1
        first = exponents[(exponents % 2 == 0) == (exponents < turn)]
        second = np.append(exponents[(exponents > 0) & ((exponents % 2 == 1) == (exponents <= turn))], 0)
    return linked(
        name,
        2 * q * q,
        *_links(q, plus, power, log, first, second),
        latency=latency,
        concentration=concentration,
        radices=(2, q, q),
        dimensions=("side", "x", "y"),
    )


def _links(q: int, plus: Ints, power: Ints, log: Ints, first: Ints, second: Ints) -> list[tuple[Ints, Ints]]:
    """Links within the two sides, by differences that are certain powers, and between them, by y = m·x + c."""
    x, y = np.divmod(np.arange(q * q), q)
    ends: list[tuple[Ints, Ints]] = []
    for side, exponents in ((0, first), (1, second)):
        start = np.repeat(np.arange(q * q), exponents.size)
        end = q * x[start] + plus[y[start], np.tile(power[exponents], q * q)]
        once = start < end
        ends.append((start[once] + side * q * q, end[once] + side * q * q))
    m, c = x[:, None], y[:, None]
    at = np.arange(q)[None, :]
    product = np.where((m == 0) | (at == 0), 0, power[(log[m] + log[at]) % (q - 1)])
    ends.append(((q * at + plus[product, c]).ravel(), np.repeat(np.arange(q * q) + q * q, q)))
    return ends
