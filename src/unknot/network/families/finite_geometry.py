"""Finite fields, and networks of points of a projective plane: PolarFly, and PolarStar, whose points are groups.

Parameters
----------
q : int
    A power of a prime.
"""

from __future__ import annotations

import itertools

import numpy as np

from unknot._base.arrays import columns
from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.families.links import Ints, affordable, linked, whole


def polarfly(q: int, concentration: int | None = None, *, latency: int = 1) -> Network:
    """The PolarFly of Lakhotia et al. (2022): q² + q + 1 routers of degree q + 1, any two at most 2 hops apart.

    Routers are the points of the projective plane over the field of q elements, (1, y, z) first, then (0, 1, z), then
    (0, 0, 1). Two are linked when the product of their coordinates is 0: the polarity graph of Erdős & Rényi. The
    q + 1 points whose product with themselves is 0 have one link less.

    Parameters
    ----------
    concentration : int, optional
        Terminals at each router; by default half the degree, rounded up.

    Raises
    ------
    NetworkError
        If q is no power of a prime.

    References
    ----------
    K. Lakhotia, M. Besta, L. Monroe, K. Isham, P. Iff, T. Hoefler, F. Petrini: PolarFly: a cost-effective and
    flexible low-diameter topology. SC 2022.

    Examples
    --------
    >>> polarfly(5)
    <Network polarfly(5): 31 routers, 180 channels, 93 terminals>
    """
    require_prime_power("polarfly", q)
    name = f"polarfly({q}{'' if concentration is None else f', {concentration}'})"
    concentration = whole(name, "the concentration", (q + 2) // 2 if concentration is None else concentration, 0)
    routers = q * q + q + 1
    affordable(name, routers, routers * (q + 1), routers * concentration, 2)
    u, v = _orthogonal(q)
    return linked(name, routers, (u[u < v], v[u < v]), latency=latency, concentration=concentration)


def polarstar(q: int, inner: int, concentration: int | None = None, *, latency: int = 1) -> Network:
    """The PolarStar of Lakhotia et al. (2024): (q² + q + 1)(2·inner + 2) routers of degree q + 1 + inner, diameter 3.

    The star product of the polarity graph of `polarfly(q)` and a group of 2·inner + 2 routers of degree `inner`.
    Router (p, r) has number (2·inner + 2)·p + r; its twin is (p, r ± 1), the other router of its pair. Where points
    p and p′ are linked, each router of p is linked to the twin of its like in p′; the q + 1 points that are
    orthogonal to themselves link twins. A group has what the diameter needs: for any routers x and y of two pairs,
    x is linked with y, or their twins are linked. The paper grows such groups four pairs at a time; here each two
    pairs select one router, which is linked to both routers of the other pair, and each router of a pair is selected
    equally often. That gives the same numbers of routers and links.

    Parameters
    ----------
    inner : int
        Links of a router within its group: 0 or 3 modulo 4.
    concentration : int, optional
        Terminals at each router; by default a third of the degree, rounded up.

    Raises
    ------
    NetworkError
        If q is no power of a prime, or there is no group of that degree.

    References
    ----------
    K. Lakhotia, L. Monroe, K. Isham, M. Besta, N. Blach, T. Hoefler, F. Petrini: PolarStar: expanding the horizon of
    diameter-3 networks. SPAA 2024.

    Examples
    --------
    >>> polarstar(3, 3)
    <Network polarstar(3, 3): 104 routers, 728 channels, 312 terminals>
    """
    require_prime_power("polarstar", q)
    whole("polarstar", "the number of links within a group", inner, 0)
    if inner % 4 not in (0, 3):
        below, above = max(k for k in range(inner) if k % 4 in (0, 3)), inner + (3 - inner % 4)
        raise NetworkError(
            f"polarstar({q}, {inner}): a router has a number of links in its group that is 0 or 3 modulo 4; near it "
            f"are {below} and {above}"
        )
    name = f"polarstar({q}, {inner}{'' if concentration is None else f', {concentration}'})"
    degree = q + 1 + inner
    concentration = whole(name, "the concentration", -(-degree // 3) if concentration is None else concentration, 0)
    points, group = q * q + q + 1, 2 * inner + 2
    affordable(name, points * group, points * group * degree, points * group * concentration, 2)
    within, between = _group(inner), _orthogonal(q)
    between = between[:, between[0] <= between[1]]
    router = np.arange(group)
    start = (between[0][:, None] * group + router).ravel()
    end = (between[1][:, None] * group + (router ^ 1)).ravel()
    # A point that is orthogonal to itself names the link between twins twice.
    once = (start // group != end // group) | (start < end)
    inside = np.arange(points)[:, None] * group
    return linked(
        name,
        points * group,
        ((inside + within[0]).ravel(), (inside + within[1]).ravel()),
        (start[once], end[once]),
        latency=latency,
        concentration=concentration,
        radices=(points, group),
        dimensions=("point", "router"),
    )


def _orthogonal(q: int) -> Ints:
    """Pairs of points of the projective plane whose product is 0, in both orders, shape (2, pairs)."""
    power, plus, log = field(q)
    product = np.zeros((q, q), dtype=np.int64)
    product[1:, 1:] = power[(log[1:, None] + log[None, 1:]) % (q - 1)]
    points = [(1, y, z) for y in range(q) for z in range(q)] + [(0, 1, z) for z in range(q)] + [(0, 0, 1)]
    x, y, z = np.array(points).T
    pairs = [
        (at, np.flatnonzero(plus[plus[product[x[at], x], product[y[at], y]], product[z[at], z]] == 0))
        for at in range(len(points))
    ]
    ends = np.concatenate([others for _, others in pairs])
    return np.stack([np.repeat(np.arange(len(points)), [others.size for _, others in pairs]), ends])


def _group(inner: int) -> Ints:
    """Links within a group of PolarStar, shape (2, links); routers 2i and 2i + 1 are a pair.

    Of pairs i < j, i selects, but for one choice between two pairs that would select an odd number of times: so each
    selects an even number of times, its routers in turn, and every router has one link for each other pair.
    """
    pairs = inner + 1
    odd = [i for i in range(pairs) if (pairs - 1 - i) % 2]
    given_away = set(zip(odd[::2], odd[1::2], strict=True))
    turns = [0] * pairs
    links = []
    for i in range(pairs):
        for j in range(i + 1, pairs):
            selecting, other = (j, i) if (i, j) in given_away else (i, j)
            router = 2 * selecting + turns[selecting]
            turns[selecting] ^= 1
            links += [(router, 2 * other), (router, 2 * other + 1)]
    return columns(links)


def field(q: int) -> tuple[Ints, Ints, Ints]:
    """The field of q elements, which are the numbers 0 … q − 1 read as polynomials by their digits in base p.

    Returns
    -------
    power : shape (q − 1,)
        The powers 1, ξ, ξ², … of a primitive element.
    plus : shape (q, q)
        Sums.
    log : shape (q,)
        The exponent of each element; that of 0 means nothing.
    """
    p = require_prime_power("field", q)
    size = next(k for k in range(1, 64) if p**k == q)
    for low in itertools.product(range(p), repeat=size):
        power = _powers(low, p, q)
        if power is not None:
            break
    digits = np.arange(q)[:, None] // p ** np.arange(size) % p
    plus = ((digits[:, None] + digits[None, :]) % p) @ p ** np.arange(size)
    powers = np.array(power)
    log = np.zeros(q, dtype=np.int64)
    log[powers] = np.arange(q - 1)
    return powers, plus, log


def _powers(low: tuple[int, ...], p: int, q: int) -> list[int] | None:
    """Powers of x modulo x^k + low_{k−1} x^(k−1) + … + low_0 over the integers modulo p, if these are all but 0."""
    one = [1] + [0] * (len(low) - 1)
    element = one
    powers: list[int] = []
    for _ in range(q - 1):
        powers.append(sum(c * p**i for i, c in enumerate(element)))
        top = element[-1]
        element = [(c - top * b) % p for c, b in zip([0, *element[:-1]], low, strict=True)]
        if element == one:
            break
    return powers if len(set(powers)) == q - 1 and 0 not in powers else None


def require_prime_power(family: str, q: int) -> int:
    """Return the prime of which q is a power; an error names the nearest prime powers."""
    whole(family, "q", q, 2, 2**12)
    p = prime_root(q)
    if p is None:
        near = [str(n) for n in range(max(2, q - 6), q + 7) if prime_root(n) is not None]
        raise NetworkError(f"{family}: q must be a power of a prime, got {q}; near it are {', '.join(near)}")
    return p


def prime_root(q: int) -> int | None:
    """The prime of which q is a power."""
    p = next((d for d in range(2, int(q**0.5) + 1) if q % d == 0), q)
    while q % p == 0:
        q //= p
    return p if q == 1 and p > 1 else None
