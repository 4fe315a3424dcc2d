"""Finite fields, of which Slim Fly, PolarFly and PolarStar are made."""

from __future__ import annotations

import itertools

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network.families.links import Ints, whole


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
    """The prime of which q is a power, or an error that names the powers near it."""
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
