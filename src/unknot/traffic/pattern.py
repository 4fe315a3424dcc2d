"""A traffic pattern: how often each terminal sends to each other one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from unknot._base.arrays import Floats
from unknot._base.errors import UnknotError
from unknot._base.shown import Brief
from unknot.network import Network
from unknot.network.model import IntArray


class TrafficError(UnknotError):
    """Traffic that does not fit the network, or makes no sense."""


@dataclass(frozen=True, eq=False, repr=False)
class Pattern(Brief):
    """Traffic pattern; at most one of `destination` and `weight` is set, and uniform traffic has neither.

    Attributes
    ----------
    name : str
    itself : bool
        Uniform traffic only: whether a terminal also sends to itself, where the routing serves it.
    destination : int32 array, shape (terminals,), or None
        The one terminal that each terminal sends to; −1 for one that is silent.
    weight : float64 array, shape (terminals, terminals), or None
        Flits per cycle from row to column; in a simulation only their proportions matter.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.traffic import pattern
    >>> transpose = pattern(mesh(3, 3), "transpose")
    >>> transpose.name, transpose.destination.tolist()
    ('transpose', [0, 3, 6, 1, 4, 7, 2, 5, 8])
    """

    name: str
    itself: bool = True
    destination: IntArray | None = None
    weight: Floats | None = None

    @property
    def digest(self) -> str:
        """A hash of who sends how much to whom."""
        rates = self.destination if self.weight is None else self.weight
        return hashlib.sha256(repr(self.itself).encode() if rates is None else rates.tobytes()).hexdigest()

    @property
    def received(self) -> Floats | None:
        """Load sent to each terminal if the busiest sends 1: float64, shape (terminals,); None of uniform traffic."""
        if self.destination is not None:
            silent = self.destination < 0
            return np.bincount(self.destination[~silent], minlength=self.destination.size).astype(np.float64)
        if self.weight is not None:
            return np.asarray(self.weight.sum(axis=0) / max(self.weight.sum(axis=1).max(initial=0.0), 1e-300))
        return None


def to(network: Network, name: str, destination: Any) -> Pattern:
    """The pattern in which each terminal sends to one other, −1 for none.

    Raises
    ------
    TrafficError
        If it is not one terminal of the network for each of its terminals.
    """
    terminals = network.num_terminals
    array = np.asarray(destination)
    if array.shape != (terminals,) or array.dtype.kind not in "iu":
        raise TrafficError(f"{name}: one destination for each of the {terminals} terminals is needed")
    if array.size and (array.min() < -1 or array.max() >= terminals):
        raise TrafficError(
            f"{name}: destinations are terminals 0 to {terminals - 1}, or −1 for none; got {int(array.min())} to "
            f"{int(array.max())}"
        )
    targets = array.astype(np.int32)
    targets.setflags(write=False)
    return Pattern(name, destination=targets)


def weighted(network: Network, name: str, weight: Any) -> Pattern:
    """Return the pattern in which terminals send by the rates of a matrix.

    Raises
    ------
    TrafficError
        If it is no square matrix over the terminals, or has an entry that is negative or not finite.
    """
    terminals = network.num_terminals
    array = np.asarray(weight)
    if array.shape != (terminals, terminals) or array.dtype.kind not in "iuf":
        raise TrafficError(
            f"{name}: a matrix of {terminals} × {terminals} numbers is needed, got shape {array.shape}"
        )
    if not np.isfinite(array).all() or (array < 0).any():
        raise TrafficError(f"{name}: rates are finite and not negative")
    rates = array.astype(np.float64)
    rates.setflags(write=False)
    return Pattern(name, weight=rates)
