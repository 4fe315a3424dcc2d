"""The dragonfly, with the arrangements of global links found in the literature."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unknot._base.errors import NetworkError, near
from unknot.network import Network
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
    g = whole("dragonfly", "the number of groups", a * h + 1 if groups is None else groups, 1)
    more = "" if arrangement == "absolute" else f", arrangement='{arrangement}'"
    name = (
        f"dragonfly({a}, {p}, {h}{'' if groups is None else f', {g}'}{more}{f', seed={seed}' if seed != 1 else ''})"
    )
    if g > a * h + 1:
        raise NetworkError(f"{name}: {a * h} global links of a group reach {a * h + 1} groups at most, not {g}")
    affordable(name, g * a, g * a * (a - 1 + h), g * a * p, 2)
    low, high = np.triu_indices(a, 1)
    local = (np.arange(g)[:, None] * a + low).ravel(), (np.arange(g)[:, None] * a + high).ravel()
    u, v = _global_links(a, h, g, arrangement, seed)
    return linked(
        name,
        g * a,
        np.concatenate([local[0], u]),
        np.concatenate([local[1], v]),
        latency=np.repeat([latency, latency if global_latency is None else global_latency], [local[0].size, u.size]),
        inject=np.repeat(np.arange(g * a), p),
        coordinates=np.stack(np.divmod(np.arange(g * a), a), axis=1),
        radices=(g, a),
        dimensions=("group", "router"),
    )


def _global_links(a: int, h: int, groups: int, arrangement: str, seed: int) -> tuple[Ints, Ints]:
    """Global links between routers: the ports of each two groups that lead to each other, joined."""
    known = (*ARRANGEMENTS, "random")
    if arrangement not in known:
        raise NetworkError(f"dragonfly: unknown arrangement {arrangement!r}; {near(str(arrangement), known)}")
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
