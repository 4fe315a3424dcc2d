"""Rules of a space: as relations on any mesh, and as tables that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as pairs

from unknot.network import Network
from unknot.network.families import mesh
from unknot.routing.relation import Relation
from unknot.synthesis.offers import relation_of_offers
from unknot.synthesis.requirements import class_of, lost_path
from unknot.synthesis.space import Flags, Signs, Space, State, shown


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
    >>> from unknot.verify import check
    >>> from unknot.synthesis import decide
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
        whole = network if isinstance(network, Network) else mesh(*network)
        return relation_of_offers(whole, self.space.counts, self.table, self.name)

    @property
    def table(self) -> dict[str, dict[str, str]]:
        """The rows as `relation_of_offers` takes them."""
        table: dict[str, dict[str, str]] = {}
        for left, held, choice in self.rows():
            table.setdefault(left, {})[held] = choice
        return table

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
        """The rule in words: for each set of remaining signs and each choice, its owners and its text.

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
        kinds = list(pairs((1, -1), repeat=self.space.dimensions))
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


def rule_from(space: Space, offers: Flags) -> Rule:
    """Return a rule without permissions in states that no packet comes to."""
    return Rule(space, space.trimmed(offers))
