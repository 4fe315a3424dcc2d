# mypy: ignore-errors
"""Random numbers of searches, and the temperature of annealing."""

import numpy as np

from unknot._base.kernels.types_kernel import inlined
from unknot._base.kernels.words_kernel import mixed
from unknot._base.splitmix import STEP


@inlined
def draw(state):
    """The next 64 random bits (SplitMix64)."""
    state[0] += STEP
    return mixed(state[0])


@inlined
def unit(state):
    """A random number from 0 up to 1: 53 bits, as many as a float holds, over 2⁵³."""
    return np.float64(draw(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inlined
def below(state, n):
    """A random whole number from 0 up to n.

    Where options are met one after the other, the k-th is taken in place of the one before if this is 0 of k: each is
    then as likely as any other, and none need be stored.
    """
    # 32 random bits over 2³², times n, without the fraction: no division, and n is far below 2³².
    return np.int64(((draw(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inlined
def cooled(heat, step, move):
    """The temperature of a move; it falls now and then, since a power costs as much as a small move."""
    return step.hot * (step.cold / step.hot) ** (move / step.moves) if move & 255 == 0 else heat
