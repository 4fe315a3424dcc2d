"""Seeded random networks: regular ones, and irregular networks of switches with hosts."""

from __future__ import annotations

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network, components
from unknot.network.families.links import Ints, affordable, linked, simple, whole

TRIES = 100
"""Attempts at a connected random regular network; from degree 3 on the first one nearly always is."""


def random_regular(n: int, degree: int, seed: int = 1, *, concentration: int = 1, latency: int = 1) -> Network:
    """A connected random network of `n` routers with `degree` links each (as of Jellyfish, Singla et al. 2012).

    Link ends are paired at random; pairs that make a loop or a double link change partners with random others. The
    same seed gives the same network. A Jellyfish of switches with k ports, r of them to other switches, is
    `random_regular(n, r, seed, concentration=k - r)`.

    Parameters
    ----------
    n : int
        Number of routers.
    degree : int
        Links of each router.
    seed : int
        Seed of the random choices.
    concentration : int
        Terminals at each router.

    Raises
    ------
    NetworkError
        If there is no such network: n · degree odd, degree ≥ n, or degree too small to be connected.

    References
    ----------
    A. Singla, C.-Y. Hong, L. Popa, P. B. Godfrey: Jellyfish: networking data centers randomly. NSDI 2012.

    Examples
    --------
    >>> random_regular(12, 3, seed=1)
    <Network random_regular(12, 3, seed=1): 12 routers, 36 channels, 12 terminals>
    """
    more = "" if concentration == 1 else f", concentration={concentration}"
    name = f"random_regular({n}, {degree}, seed={seed}{more})"
    whole(name, "the number of routers", n, 1)
    whole(name, "the degree", degree, 0)
    whole(name, "the seed", seed, 0)
    whole(name, "the concentration", concentration, 0)
    affordable(name, n, n * degree, n * concentration)
    if n * degree % 2 or degree >= n or (degree < 2 and n > degree + 1):
        raise NetworkError(
            f"{name}: no connected network has {n} routers with {degree} links each; the degree is at least 2 (1 for "
            "two routers) and less than the number of routers, and one of both is even"
        )
    random = np.random.default_rng(seed)
    for _ in range(TRIES):
        if 2 * degree < n:
            u, v = _paired(np.repeat(np.arange(n), degree), n, random)
        else:
            u, v = _others(n, *_paired(np.repeat(np.arange(n), n - 1 - degree), n, random))
        network = linked(name, n, (u, v), latency=latency, concentration=concentration)
        if components(network)[1] == 1:
            return network
    raise NetworkError(f"{name}: no connected network in {TRIES} attempts; try another seed or a higher degree")


def irregular(
    switches: int, degree: int = 4, hosts: int = 4, seed: int = 1, *, links: int | None = None, latency: int = 1
) -> Network:
    """A connected irregular network of switches with at most `degree` links and exactly `hosts` hosts each.

    The network on which up*/down* and its successors were compared (Silla & Duato 1997): a random tree, then random
    links, at most one between two switches, as long as two switches that are not linked have free ports.

    Parameters
    ----------
    switches : int
        Number of switches.
    degree : int
        Most links of a switch to others.
    hosts : int
        Terminals at each switch.
    seed : int
        The same seed gives the same network.
    links : int, optional
        How many links there are in all; by default as many as the ports allow.

    Raises
    ------
    NetworkError
        If the switches cannot be connected, or the links cannot be placed.

    Examples
    --------
    >>> irregular(12, 4, 2, seed=1)
    <Network irregular(12, 4, 2, seed=1): 12 routers, 46 channels, 24 terminals>
    """
    more = "" if links is None else f", links={links}"
    name = f"irregular({switches}, {degree}, {hosts}, seed={seed}{more})"
    whole(name, "the number of switches", switches, 1)
    whole(name, "the degree", degree, 0)
    whole(name, "the number of hosts", hosts, 0)
    whole(name, "the seed", seed, 0)
    affordable(name, switches, switches * min(degree, switches), switches * hosts)
    if (degree == 0 and switches > 1) or (degree == 1 and switches > 2):
        raise NetworkError(f"{name}: {switches} switches with at most {degree} links each cannot be connected")
    random = np.random.default_rng(seed)
    tree = _random_tree(switches, degree, random)
    u, v = _filled(*tree, switches, degree, random)
    if links is not None:
        whole(name, "the number of links", links, switches - 1)
        if links > u.size:
            raise NetworkError(f"{name}: only {u.size} links could be placed; ask for fewer, or give a higher degree")
        extra = np.sort(random.permutation(u.size - tree[0].size)[: links - tree[0].size]) + tree[0].size
        kept = np.concatenate([np.arange(tree[0].size), extra]).astype(np.int64)
        u, v = u[kept], v[kept]
    return linked(name, switches, simple(u, v), latency=latency, concentration=hosts)


def _paired(ends: Ints, n: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Pair the ends of links at random, then change partners until no loop and no double link is left."""
    if not ends.size:
        return ends, ends
    wrong = ends
    while 4 * wrong.size > ends.size:
        u, v = random.permutation(ends).reshape(2, -1)
        key = np.minimum(u, v).astype(np.int64) * n + np.maximum(u, v)
        first = np.zeros(u.size, dtype=bool)
        first[np.unique(key, return_index=True)[1]] = True
        wrong = np.flatnonzero(~first | (u == v))
    while wrong.size:
        partner = random.choice(u.size, size=min(wrong.size, u.size // 2 + 1), replace=False)
        tried = random.permutation(wrong)[: partner.size]
        apart = ~np.isin(partner, wrong)
        tried, partner = tried[apart], partner[apart]
        pairs = (u[tried], u[partner]), (v[tried], v[partner])
        keys = np.concatenate([np.minimum(*pair).astype(np.int64) * n + np.maximum(*pair) for pair in pairs])
        known, back, counts = np.unique(keys, return_inverse=True, return_counts=True)
        if keys.size:
            near = known[np.minimum(np.searchsorted(known, key), known.size - 1)]
            counts[np.searchsorted(known, key[near == key])] = 2
        fits = (counts[back] == 1) & np.concatenate([i != j for i, j in pairs])
        good = fits[: tried.size] & fits[tried.size :]
        tried, partner = tried[good], partner[good]
        v[tried], u[partner] = u[partner], v[tried]
        key[tried], key[partner] = keys[: good.size][good], keys[good.size :][good]
        wrong = np.setdiff1d(wrong, tried)
    return simple(u, v)


def _others(n: int, u: Ints, v: Ints) -> tuple[Ints, Ints]:
    """The links that are not there."""
    apart = np.triu(np.ones((n, n), dtype=bool), 1)
    apart[u, v] = False
    low, high = np.nonzero(apart)
    return low, high


def _random_tree(switches: int, degree: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Each switch, in random order, linked to a random earlier one that has a free port."""
    order = random.permutation(switches)
    draws = random.random(switches).tolist()
    free = [degree] * switches
    able = [0] if degree > 0 else []
    parent = np.zeros(switches, dtype=np.int64)
    for i in range(1, switches):
        slot = int(draws[i] * len(able))
        j = able[slot]
        parent[i] = j
        free[j] -= 1
        free[i] -= 1
        if not free[j]:
            able[slot] = able[-1]
            able.pop()
        if free[i]:
            able.append(i)
    return order[1:], order[parent[1:]]


def _filled(u: Ints, v: Ints, switches: int, degree: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Add random links between free ports until none fits between two switches that are not linked yet."""
    while True:
        used = np.bincount(np.concatenate([u, v]), minlength=switches)
        ends = random.permutation(np.repeat(np.arange(switches), np.maximum(degree - used, 0)))
        half = ends.size // 2
        a, b = ends[:half], ends[half : 2 * half]
        if np.unique(ends).size <= 64:
            return _last_links(u, v, np.unique(ends), degree - used, random)
        key = np.minimum(a, b) * switches + np.maximum(a, b)
        there = np.minimum(u, v) * switches + np.maximum(u, v)
        first = np.zeros(half, dtype=bool)
        first[np.unique(key, return_index=True)[1]] = True
        new = first & (a != b) & ~np.isin(key, there)
        u, v = np.concatenate([u, a[new]]), np.concatenate([v, b[new]])


def _last_links(u: Ints, v: Ints, open_: Ints, free: Ints, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Every pair of the few switches with free ports once, in random order."""
    there = set(zip(np.minimum(u, v).tolist(), np.maximum(u, v).tolist(), strict=True))
    low, high = np.triu_indices(open_.size, 1)
    added: list[tuple[int, int]] = []
    for k in random.permutation(low.size).tolist():
        pair = int(open_[low[k]]), int(open_[high[k]])
        if free[pair[0]] and free[pair[1]] and pair not in there:
            free[list(pair)] -= 1
            added.append(pair)
    if not added:
        return u, v
    a, b = np.array(added).T
    return np.concatenate([u, a]), np.concatenate([v, b])
