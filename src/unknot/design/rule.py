"""Rules of the space, as objects: relations on any mesh, and tables that a person can read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from unknot._base.errors import RelationError
from unknot.design.frames import Frame
from unknot.design.requirements import class_of, lost_path
from unknot.design.space import Flags, Signs, Space, State, Symmetry, moved, shown
from unknot.network import Network
from unknot.network.grid import whole_grid
from unknot.routing.relation import Relation


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
            return Frame(self.space, tuple(network)).relation(self.offers, self.waits, name=self.name)
        product = whole_grid(network)
        if product is None or product.wraps.any() or product.radices.size != self.space.dimensions:
            raise RelationError(f"{self.name} wants a mesh of {self.space.dimensions} dimensions, not {network.name}")
        frame = Frame(self.space, tuple(product.radices.tolist()), given=network)
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

    def rows(self) -> list[tuple[Signs, str, str]]:
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
        return [(signs, " ".join(held), choice) for (signs, choice), held in rows.items()]

    @property
    def text(self) -> str:
        """The table as lines of text."""
        lines = ["left".ljust(self.space.dimensions + 4) + "in: may take"]
        for signs, held, choice in self.rows():
            lines.append(f"{shown(signs).ljust(self.space.dimensions + 4)}{held}: {choice}")
        return "\n".join(lines)

    def provided(self, *, states: bool) -> list[Signs]:
        """BNRs that the rule provides on all meshes: path by path, or wherever a header may come."""
        kinds = list(product((1, -1), repeat=self.space.dimensions))
        if not states:
            return [kind for kind in kinds if lost_path(self.space, self.offers, [kind]) is None]
        return [kind for kind in kinds if self._kept(kind)]

    def same_under(self, symmetries: Iterable[Symmetry]) -> bool:
        """Whether the rule is the same after each of some symmetries, wherever packets come."""
        space, offered = self.space, np.flatnonzero(self.offers).tolist()
        alive = {space.permissions[i] for i in offered}
        return all({moved(space, image, permission) for permission in alive} == alive for image in symmetries)

    def _kept(self, kind: Signs) -> bool:
        space = self.space
        todo: list[State] = [(space.injection, signs) for signs in space.remaining if class_of(signs) == kind]
        seen = set(todo)
        for state in todo:
            outs = self.outs(state)
            if len({space.types[out].dimension for out in outs}) < sum(map(abs, state[1])):
                return False
            for out in outs:
                for then in space.after(state[1], out):
                    if any(then) and (out, then) not in seen:
                        seen.add((out, then))
                        todo.append((out, then))
        return True


def _first(rule: Rule, state: State) -> int:
    return -1 if state[0] == rule.space.injection else state[0]


def rule_from(space: Space, offers: Flags, name: str = "designed") -> Rule:
    """Return a rule without permissions in states that no packet comes to."""
    return Rule(space, space.trimmed(offers), None, name)
