"""Relations of what headers are offered by what is left to go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product as pairs

import numpy as np

from unknot._base import memory
from unknot._base.arrays import Ints
from unknot._base.errors import RelationError
from unknot.network import Network, grid
from unknot.network.families import mesh
from unknot.routing.parts import Published
from unknot.routing.relation import EJECT, NO_WAIT, Out, Relation
from unknot.routing.table import Table, lookup
from unknot.routing.virtual_channels import VirtualChannels
from unknot.synthesis.space import Flags, Signs, Space

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
class MeshFrame:
    """A mesh with the VCs of a space, on which every rule becomes a relation in no time.

    Parameters
    ----------
    space : Space
    sides : tuple of int
        Routers along each dimension.

    Raises
    ------
    SizeError
        If its table does not fit into memory.
    """

    space: Space
    sides: tuple[int, ...]

    @cached_property
    def network(self) -> Network:
        return mesh(*self.sides)

    @cached_property
    def homes(self) -> list[int]:
        """Router of each terminal."""
        return [int(router) for router in self.network.eject]

    @cached_property
    def virtual(self) -> VirtualChannels:
        return _vcs_of(self.space, self.network)

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
        answers: list[dict[int, list[int]]] = []
        permission: list[int] = []
        for address in range(self.network.num_terminals):
            answers.append({})
            for at, router in enumerate(routers):
                signs = self.signs(at, address)
                held = self.held(at)
                if not space.legal(held, signs):
                    continue
                outs = space.outs.get((held, signs), ())
                answers[-1][at] = [*([] if any(signs) else [EJECT]), *(self.vc_at[router, out] for out in outs)]
                permission += [] if any(signs) else [-1]
                permission += [space.number[held, signs, out] for out in outs]
        return Table.of(answers), np.array(permission, dtype=np.int64)

    def relation(self, offers: Flags) -> Relation:
        """The relation of a rule that offers, in no time, some permissions of all."""
        every, permission = self._everything
        rule = lookup(every.kept(np.append(offers, True)[permission]))
        return Relation(self.network, self.virtual, rule, published=Published(claims_minimal=True))


def _vcs_of(space: Space, network: Network) -> VirtualChannels:
    product = grid(network)
    return VirtualChannels(network, np.array(space.counts)[product.dimension, product.down.astype(int)])


def relation_of_offers(
    network: Network, counts: Sequence[tuple[int, int]], offers: Mapping[str, Mapping[str, str]], name: str = "rule"
) -> Relation:
    """The relation of a rule on a mesh, from what it offers.

    Parameters
    ----------
    network : Network
        A mesh.
    counts : sequence of pairs of int
        VCs of a channel up and down each dimension.
    offers : mapping
        For what is left in each dimension, such as ``+-``: for headers in these VCs, such as ``injection x+``, what
        they may take, such as ``x+ y-1``; a blocked header does not wait for what stands in parentheses.
    name : str
        Name of the relation.

    Returns
    -------
    Relation
        The rule for this network, compiled or asked as any other.

    Raises
    ------
    RelationError
        If it is no mesh of as many dimensions.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> to_left_first = {"-": {"injection x-": "x-"}, "+": {"injection x+": "x+"}}
    >>> relation_of_offers(mesh(4), [(1, 1)], to_left_first)
    <Relation rule on mesh(4), 6 VCs>
    """
    space, product = Space(tuple(counts)), grid(network)
    dimensions, kinds = space.dimensions, len(space.types)
    if product.wraps.any() or product.radices.size != dimensions:
        raise RelationError(f"{name} needs a mesh of {dimensions} dimensions, not {network.name}")
    number = {kind: i for i, kind in enumerate((*space.names, space.name(space.injection)))}
    may = np.full((kinds + 1, 3**dimensions, kinds), -1, dtype=np.int64)
    for left, states in offers.items():
        code = sum("0+-".index(sign) * 3**i for i, sign in enumerate(left))
        for inputs, outputs in states.items():
            for held, out in pairs(inputs.split(), outputs.split()):
                may[number[held], code, number[out.strip("()")]] = NO_WAIT if out[0] == "(" else 0
    virtual = _vcs_of(space, network)
    held_at = np.array([*types_of(space, network, virtual), *[kinds] * network.num_terminals], dtype=np.int32)
    port_of = np.array([2 * kind.dimension + (kind.sign < 0) for kind in space.types])
    index = np.array([kind.index for kind in space.types])
    channel, coordinates, home = product.channel, product.coordinates, network.eject
    router, first = virtual.router, virtual.first

    def rule(at: int, address: int, out: Out) -> int:
        here, there, held = router[at], home[address], held_at[at]
        code, weight = 0, 1
        for i in range(dimensions):
            a, b = coordinates[here, i], coordinates[there, i]
            code += weight * (1 if a < b else 2 if a > b else 0)
            weight *= 3
        if code == 0:
            out[0] = EJECT
            return 1
        count = 0
        for kind in range(kinds):
            port = channel[here, port_of[kind]]
            if may[held, code, kind] >= 0 and port >= 0:
                out[count] = first[port] + index[kind] + may[held, code, kind]
                count += 1
        return count

    return Relation(network, virtual, rule, name=name, published=Published(claims_minimal=True))
