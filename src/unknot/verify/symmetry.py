"""Translation symmetry: one address stands for all that translations of the network turn it into.

A translation adds a vector to the coordinates of every router, modulo the radices of some dimensions. Two things must
hold before one address may stand for its orbit. The network must be left as it is by every such translation, with its
VCs, terminals and addresses: that is seen from its arrays. And the relation must commute with the translations: the
reachable states of an address, and what the rule answers in each, must be those of its representative moved along.
That is checked state by state, for nothing else is known of a rule; so each state is still visited once, but only the
states of the representatives are kept, and fixpoints work on them alone.

What is decided on the representatives holds for all. A greatest fixpoint is unique, and a translation turns the whole
system of states into itself, so it turns the fixpoint into itself: an orbit of VCs is left over as a whole or not at
all, and the states of an orbit of addresses at an orbit of VCs live and die with those of the representative.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints, ranks
from unknot.network.graph import pairs
from unknot.network.model import IntArray
from unknot.routing.relation import Relation
from unknot.verify.effort import Effort, step
from unknot.verify.explorer import Explorer


@dataclass(frozen=True, eq=False)
class Positions:
    """What translations move: each thing has an orbit and a position in it; a translation adds to the position.

    Attributes
    ----------
    radices : int32 array, shape (dimensions,)
    kind : int32 array, shape (things,)
        Orbit of each.
    digit : int32 array, shape (dimensions, things)
        Position of each.
    """

    radices: IntArray
    kind: IntArray
    digit: IntArray

    @property
    def order(self) -> int:
        """Number of translations."""
        return int(np.prod(self.radices, dtype=np.int64))

    @cached_property
    def at(self) -> IntArray:
        """The thing of each orbit at each position: int32 array, shape (orbits × order,)."""
        things = np.zeros(self.kind.size, dtype=np.int32)
        things[self._number(self.kind, self.digit)] = np.arange(self.kind.size)
        return things

    def moved(self, things: npt.NDArray[Any], by: npt.NDArray[Any]) -> IntArray:
        """Things shifted by vectors: arrays of shape (n,) and (dimensions, n)."""
        return np.asarray(
            self.at[self._number(self.kind[things], (self.digit[:, things] + by) % self.radices[:, None])]
        )

    def _number(self, kind: IntArray, digit: npt.NDArray[Any]) -> Ints:
        weights = np.cumprod([1, *self.radices[:-1]], dtype=np.int64)
        return np.asarray(kind * self.order + weights @ digit)


@dataclass(frozen=True, eq=False)
class Translations:
    """A group of translations under which a network, its VCs, terminals and addresses stay as they are.

    Attributes
    ----------
    dimensions : tuple of int
        Along which the network can be shifted.
    places : Positions
        Input VCs, at the coordinates of the router at which a header there stands.
    addresses : Positions
    """

    dimensions: tuple[int, ...]
    places: Positions
    addresses: Positions

    @property
    def order(self) -> int:
        """Number of translations."""
        return self.places.order

    @property
    def representatives(self) -> IntArray:
        """The address at position 0 of each orbit of addresses."""
        return self.addresses.at[:: self.order]


def translations(relation: Relation) -> Translations | None:
    """The translations that preserve the network of a relation; None if only the identity does."""
    network = relation.network
    if network.coordinates is None or relation.num_vcs == 0 or network.num_terminals == 0:
        return None
    able = [i for i, k in enumerate(network.radices) if k > 1 and _group(relation, (i,)) is not None]
    return _group(relation, tuple(able)) if able else None


def _group(relation: Relation, dimensions: tuple[int, ...]) -> Translations | None:
    """The group along some dimensions, if every orbit is whole."""
    network, vcs = relation.network, relation.vcs
    assert network.coordinates is not None
    at = network.coordinates.astype(np.int64)
    along = list(dimensions)
    radices = np.array(network.radices, dtype=np.int64)
    order = int(np.prod(radices[along]))
    weights = np.cumprod([1, *radices[:-1]], dtype=np.int64)

    def shifted(router: IntArray, back: IntArray) -> Ints:
        """Position of routers, as one number, after the shift that takes routers `back` to position 0."""
        where = at[router].copy()
        where[:, along] = (where[:, along] - at[back][:, along]) % radices[along]
        return np.asarray(where @ weights)

    source, target = network.source[vcs.channel], network.target[vcs.channel]
    twin = ranks(pairs(network))[vcs.channel]
    place_kind = _orbits(np.stack([shifted(source, target), shifted(target, target), twin, vcs.index]), order)
    inject, eject = network.inject, network.eject
    twin = ranks(inject.astype(np.int64) * network.num_routers + eject)
    terminal_kind = _orbits(np.stack([shifted(inject, inject), shifted(eject, inject), twin]), order)
    if place_kind is None or terminal_kind is None:
        return None
    home = relation.destination
    address_kind = _orbits(np.stack([terminal_kind[home], ranks(home)]), order)
    if address_kind is None:
        return None
    span = radices[along].astype(np.int32)
    kind = np.concatenate([place_kind, place_kind.max() + 1 + terminal_kind]).astype(np.int32)
    group = Translations(
        dimensions,
        Positions(span, kind, np.ascontiguousarray(at[vcs.router][:, along].T, dtype=np.int32)),
        Positions(span, address_kind, np.ascontiguousarray(at[inject[home]][:, along].T, dtype=np.int32)),
    )
    uses = np.bincount(group.places.at), np.bincount(group.addresses.at)
    return group if all((count == 1).all() for count in uses) else None


def commutes(relation: Relation, group: Translations, effort: Effort) -> bool:
    """Whether the reachable states of every address are those of its representative, moved along.

    One visit to every state; a relation without the symmetry is mostly found out at the first address.
    """
    from unknot.verify.symmetry_kernel import commutes as compare

    places, addresses = group.places, group.addresses
    columns = (
        places.radices, places.at, places.kind, places.digit.reshape(-1), addresses.at, addresses.digit.reshape(-1),
        group.representatives.copy(),
    )  # fmt: skip

    def block(explorer: Explorer, start: int, stop: int) -> None:
        agreed = compare(explorer.traversal, start, stop, columns)
        if agreed < stop - start:
            raise _DiffersError

    try:
        block(Explorer(relation), 0, min(2, relation.num_addresses))
        explorers, input_vcs = partial(Explorer, relation), relation.vcs.router.size
        effort.over("symmetry", relation.num_addresses, step(input_vcs), explorers, block, input_vcs=input_vcs)
    except _DiffersError:
        return False
    return True


class _DiffersError(Exception):
    """An address that does not look like its representative."""


def _orbits(keys: npt.NDArray[Any], order: int) -> IntArray | None:
    """Number the distinct columns; None unless each occurs `order` times."""
    kind = np.zeros(keys.shape[1], dtype=np.int64)
    for row in keys:
        kind = np.unique(kind * (row.max(initial=0) + 1) + row, return_inverse=True)[1].reshape(-1)
    return kind.astype(np.int32) if (np.bincount(kind) == order).all() else None
