"""The Slim Fly: graphs of McKay, Miller & Širáň, of diameter 2 and nearly as many routers as there can be."""

from __future__ import annotations

import itertools

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.families.links import Ints, affordable, linked, whole


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
    if delta == 2 or _prime_root(q) is None:
        good = [str(n) for n in range(max(3, q - 8), q + 9) if _prime_root(n) is not None and n % 4 != 2]
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
        inject=np.repeat(np.arange(2 * q * q), concentration),
        coordinates=np.stack(np.unravel_index(np.arange(2 * q * q), (2, q, q)), axis=1),
        radices=(2, q, q),
        dimensions=("side", "x", "y"),
    )


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
    p = _prime_root(q)
    if p is None:
        raise NetworkError(f"a field has a power of a prime of elements, and {q} is none")
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


def _prime_root(q: int) -> int | None:
    """The prime of which q is a power."""
    p = next((d for d in range(2, int(q**0.5) + 1) if q % d == 0), q)
    while q % p == 0:
        q //= p
    return p if q == 1 and p > 1 else None


def _links(q: int, plus: Ints, power: Ints, log: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Links within the two sides, by differences that are certain powers, and between them, by y = m·x + c."""
    x, y = np.divmod(np.arange(q * q), q)
    ends = []
    for side, exponents in ((0, first), (1, second)):
        start = np.repeat(np.arange(q * q), exponents.size)
        end = q * x[start] + plus[y[start], np.tile(power[exponents], q * q)]
        once = start < end
        ends.append((start[once] + side * q * q, end[once] + side * q * q))
    m, c = x[:, None], y[:, None]
    at = np.arange(q)[None, :]
    product = np.where((m == 0) | (at == 0), 0, power[(log[m] + log[at]) % (q - 1)])
    ends.append(((q * at + plus[product, c]).ravel(), np.repeat(np.arange(q * q) + q * q, q)))
    return np.concatenate([u for u, _ in ends]), np.concatenate([v for _, v in ends])
