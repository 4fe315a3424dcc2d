"""Classes of messages by the directions of their shortest paths."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from unknot.network import Network
from unknot.network.grid import Grid, whole_grid
from unknot.network.model import IntArray

Signs = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Directions:
    """The classes of messages of a network.

    Attributes
    ----------
    network : Network
    product : Grid or None
        The network as a product of lines and rings with nothing missing; None if it is none: one class for all.
    choices : tuple of tuple of int
        For each dimension the directions that a class may have there: +1, −1, or 0 for either way round a ring.
    """

    network: Network
    product: Grid | None
    choices: tuple[Signs, ...]

    @property
    def signs(self) -> list[Signs]:
        """The classes, dimension 0 changing fastest; the empty tuple if all messages are one class."""
        return [order[::-1] for order in itertools.product(*self.choices[::-1])]

    def of_sources(self, home: int) -> IntArray:
        """Class of the messages of each terminal to one of them, by position: int32 array, shape (terminals,)."""
        classes = np.zeros(self.network.num_terminals, dtype=np.int32)
        if self.product is None:
            return classes
        at, weight = self.product.coordinates, 1
        for i, signs in enumerate(self.choices):
            up = at[self.network.eject[home], i] - at[self.network.inject, i]
            k = int(self.product.radices[i])
            if self.product.wraps[i]:
                up = up % k
                up = np.where(2 * up == k, k, np.where(2 * up > k, up - k, up))
            sign = np.where(up == k, 0, np.where(up < 0, -1, 1)) if len(signs) > 1 else np.full(up.size, signs[0])
            classes += (weight * np.argmax(sign[:, None] == np.array(signs), axis=1)).astype(np.int32)
            weight *= len(signs)
        return classes


def directions(network: Network) -> Directions:
    """Classify messages by the directions of their shortest paths.

    On a line a message that need not move counts as going up (Deng & Yang). On a ring both ways round may be equally
    short, which is a direction of its own. A network without dimensions, or one that lacks routers or channels of a
    product of lines and rings, has one class.

    Examples
    --------
    >>> from unknot.network.families import mesh, torus
    >>> directions(mesh(3, 3)).signs
    [(1, 1), (-1, 1), (1, -1), (-1, -1)]
    >>> len(directions(torus(4, 3)).signs)
    6
    """
    product = whole_grid(network)
    if product is None:
        return Directions(network, None, ())
    choices: list[Signs] = []
    for k, wraps, open_directions in zip(
        product.radices.tolist(), product.wraps, product.directions.tolist(), strict=True
    ):
        if not wraps:
            choices.append((1, -1))
        elif open_directions != 3:
            choices.append((1,) if open_directions == 1 else (-1,))
        elif k == 2:
            choices.append((1, 0))
        else:
            choices.append((1, -1, 0) if k % 2 == 0 else (1, -1))
    return Directions(network, product, tuple(choices))
