"""Rules of the space as relations on meshes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot.design.space import Flags, Signs, Space
from unknot.network import Network, grid
from unknot.network.families import mesh
from unknot.routing.relation import EJECT, NO_WAIT, Relation
from unknot.routing.tabulate import Table, lookup
from unknot.routing.virtual_channels import VirtualChannels

Ints = npt.NDArray[np.int64]
STATE_BYTES = 400
"""Bytes of a state of a frame while it is built."""


def types_of(space: Space, network: Network, virtual: VirtualChannels) -> list[int]:
    """Return the type of each VC of a mesh."""
    product = grid(network)
    along, down = product.dimension[virtual.channel].tolist(), product.down[virtual.channel].tolist()
    first: dict[tuple[int, int], int] = {}
    for number, kind in enumerate(space.types):
        first.setdefault((kind.dimension, kind.sign), number)
    return [first[i, -1 if d else 1] + k for i, d, k in zip(along, down, virtual.index.tolist(), strict=True)]


@dataclass(frozen=True, eq=False)
class Frame:
    """A mesh with the VCs of a space, on which every rule becomes a relation in no time.

    Parameters
    ----------
    space : Space
    sides : tuple of int
        Routers along each dimension.
    given : Network, optional
        A mesh of these sides; by default one with a terminal at each router.

    Raises
    ------
    SizeError
        If its table does not fit into memory.
    """

    space: Space
    sides: tuple[int, ...]
    given: Network | None = None

    @cached_property
    def network(self) -> Network:
        return mesh(*self.sides) if self.given is None else self.given

    @cached_property
    def homes(self) -> list[int]:
        """Router of each terminal."""
        return [int(router) for router in self.network.eject]

    @cached_property
    def virtual(self) -> VirtualChannels:
        product = grid(self.network)
        counts = np.array(self.space.counts)[product.dimension, product.down.astype(int)]
        return VirtualChannels(self.network, counts)

    @cached_property
    def type_of(self) -> list[int]:
        """Type of each VC."""
        return types_of(self.space, self.network, self.virtual)

    @cached_property
    def vc_at(self) -> dict[tuple[int, int], int]:
        """The VC of a type that leaves a router."""
        tail = self.network.source[self.virtual.channel].tolist()
        return {(router, kind): vc for vc, (router, kind) in enumerate(zip(tail, self.type_of, strict=True))}

    @cached_property
    def positions(self) -> list[tuple[int, ...]]:
        """Coordinates of each router."""
        return [tuple(at) for at in grid(self.network).coordinates.tolist()]

    def held(self, at: int) -> int:
        """The type of an input VC; injection at a terminal."""
        return self.type_of[at] if at < self.virtual.total else self.space.injection

    def signs(self, at: int, address: int) -> Signs:
        """Return the remaining directions of a header in an input VC, a sign in each dimension."""
        here, there = self.positions[int(self.virtual.router[at])], self.positions[self.homes[address]]
        return tuple((b > a) - (b < a) for a, b in zip(here, there, strict=True))

    @cached_property
    def _everything(self) -> tuple[Table, Ints]:
        """All that may be offered in legal states, and the permission of each candidate (ejection: −1)."""
        space, virtual = self.space, self.virtual
        routers = virtual.router.tolist()
        memory.require(f"a table on {self.network.name}", STATE_BYTES * len(routers) * self.network.num_routers)
        first, input_vc, start = [0], [], [0]
        permission: list[int] = []
        value: list[int] = []
        for address in range(self.network.num_terminals):
            for at, router in enumerate(routers):
                signs = self.signs(at, address)
                held = self.held(at)
                if not space.legal(held, signs):
                    continue
                input_vc.append(at)
                if not any(signs):
                    permission.append(-1)
                    value.append(EJECT)
                for out in space.outs.get((held, signs), ()):
                    permission.append(space.number[held, signs, out])
                    value.append(self.vc_at[router, out])
                start.append(len(value))
            first.append(len(input_vc))
        *columns, allowed = (np.array(x, dtype=np.int64) for x in (first, input_vc, start, value, permission))
        return Table(*columns), allowed

    def table(self, offers: Flags, waits: Flags | None = None) -> Table:
        """Return the table of a rule's answers everywhere."""
        every, permission = self._everything
        kept = np.append(offers, True)[permission]
        value = every.value[kept]
        if waits is not None:
            value = value + np.where(np.append(waits, True)[permission[kept]], 0, NO_WAIT)
        return replace(every, start=np.concatenate([[0], np.cumsum(kept)])[every.start], value=value)

    def relation(self, offers: Flags, waits: Flags | None = None, *, name: str = "rule") -> Relation:
        """The relation of a rule.

        Parameters
        ----------
        offers : bool array, shape (permissions,)
        waits : bool array, shape (permissions,), optional
            Permissions that a blocked header waits for; by default all that it has.
        """
        rule = lookup(self.table(offers, waits))
        return Relation(self.network, self.virtual, rule, name=name, claims_minimal=True)
