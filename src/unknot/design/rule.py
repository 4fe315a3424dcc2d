"""Rules of a space: as relations on any mesh, and as tables that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from unknot._base import memory
from unknot._base.arrays import Ints
from unknot._base.compressed_rows import offsets
from unknot._base.errors import RelationError
from unknot.design.requirements import class_of, lost_path
from unknot.design.space import Flags, Signs, Space, State, shown
from unknot.network import Network, grid
from unknot.network.families import mesh
from unknot.network.grid import whole_grid
from unknot.routing.relation import EJECT, NO_WAIT, Relation
from unknot.routing.tabulate import Table, lookup
from unknot.routing.virtual_channels import VirtualChannels

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
    existing : Network, optional
        A mesh of these sides; by default one with a terminal at each router.

    Raises
    ------
    SizeError
        If its table does not fit into memory.
    """

    space: Space
    sides: tuple[int, ...]
    existing: Network | None = None

    @cached_property
    def network(self) -> Network:
        return mesh(*self.sides) if self.existing is None else self.existing

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

    def table(self, offers: Flags, waits: Flags | None = None) -> Table:
        """Return the table of a rule's answers everywhere."""
        every, permission = self._everything
        kept = np.append(offers, True)[permission]
        offered = every.value[kept]
        if waits is not None:
            offered = offered + np.where(np.append(waits, True)[permission[kept]], 0, NO_WAIT)
        return replace(every, start=offsets(kept)[every.start], value=offered)

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


@dataclass(frozen=True, eq=False)
class Rule:
    """A position-independent rule.

    Attributes
    ----------
    space : Space
    offers : bool array, shape (permissions,)
        What a header may take.
    waits : bool array, shape (permissions,), or None
        Of these, what a blocked header waits for; None: all.
    name : str

    Examples
    --------
    >>> from unknot import check
    >>> from unknot.design import decide
    >>> rule = decide(((1, 1), (1, 2)), "vct").rule
    >>> rule.on((4, 4))
    <Relation designed on mesh(4, 4), 60 VCs>
    >>> check(rule.on((4, 4))).deadlock_free
    True
    """

    space: Space
    offers: Flags
    waits: Flags | None = None
    name: str = "designed"

    def on(self, network: Network | Sequence[int]) -> Relation:
        """The relation on a mesh, or on the mesh of given sides.

        Raises
        ------
        RelationError
            If it is no mesh of as many dimensions.
        """
        if not isinstance(network, Network):
            return MeshFrame(self.space, tuple(network)).relation(self.offers, self.waits, name=self.name)
        product = whole_grid(network)
        if product is None or product.wraps.any() or product.radices.size != self.space.dimensions:
            raise RelationError(f"{self.name} needs a mesh of {self.space.dimensions} dimensions, not {network.name}")
        frame = MeshFrame(self.space, tuple(product.radices.tolist()), existing=network)
        return frame.relation(self.offers, self.waits, name=self.name)

    @property
    def states(self) -> list[State]:
        """States that packets come to, those with most left first."""
        reachable = self.space.reachable(self.offers)
        return sorted(
            reachable, key=lambda state: (-sum(map(abs, state[1])), [1 - s for s in state[1]], _first(self, state))
        )

    def outs(self, state: State) -> tuple[int, ...]:
        """Types that a header in a state may take."""
        return tuple(out for out in self.space.outs[state] if self.offers[self.space.number[(*state, out)]])

    def waited(self, state: State, out: int) -> bool:
        """Whether a blocked header waits for a type that it may take."""
        return self.waits is None or bool(self.waits[self.space.number[(*state, out)]])

    def rows(self) -> list[tuple[str, str, str]]:
        """The rule for a person: for each remaining signs and each choice, who has it, and what it is.

        A choice that is not waited for stands in parentheses.
        """
        rows: dict[tuple[Signs, str], list[str]] = {}
        for state in self.states:
            outs = self.outs(state)
            names = [self.space.name(out) for out in outs]
            outputs = [
                name if self.waited(state, out) else f"({name})" for name, out in zip(names, outs, strict=True)
            ]
            rows.setdefault((state[1], " ".join(outputs)), []).append(self.space.name(state[0]))
        return [(shown(signs), " ".join(held), choice) for (signs, choice), held in rows.items()]

    @property
    def text(self) -> str:
        """The table as lines of text."""
        lines = ["left".ljust(self.space.dimensions + 4) + "in: may take"]
        for left, held, choice in self.rows():
            lines.append(f"{left.ljust(self.space.dimensions + 4)}{held}: {choice}")
        return "\n".join(lines)

    def provided(self, *, states: bool) -> list[Signs]:
        """BNRs that the rule provides on all meshes: path by path, or wherever a header may come."""
        kinds = list(product((1, -1), repeat=self.space.dimensions))
        if not states:
            return [kind for kind in kinds if lost_path(self.space, self.offers, [kind]) is None]
        return [kind for kind in kinds if self._kept(kind)]

    def _kept(self, kind: Signs) -> bool:
        space = self.space
        states = space.reachable(self.offers, [signs for signs in space.remaining if class_of(signs) == kind])
        return all(
            len({space.types[out].dimension for out in self.outs(state)}) == sum(map(abs, state[1]))
            for state in states
        )


def _first(rule: Rule, state: State) -> int:
    return -1 if state[0] == rule.space.injection else state[0]


def rule_from(space: Space, offers: Flags, name: str = "designed") -> Rule:
    """Return a rule without permissions in states that no packet comes to."""
    return Rule(space, space.trimmed(offers), None, name)
