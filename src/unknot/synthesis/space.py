"""The space of position-independent rules on meshes: types of virtual channels, states and permissions.

What a header may take depends on the type of the virtual channel (VC) it is in and on the signs of what remains in
each dimension. A type is a dimension, a direction and an index; before its first hop a header is at injection. A
permission is a state with a type that a header in that state may take. A rule is a set of permissions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

import numpy as np

from unknot._base.arrays import Flags as Flags
from unknot._base.errors import RelationError
from unknot.network.graph import reached_from

Signs = tuple[int, ...]
State = tuple[int, Signs]
LETTERS = "xyzwvu"
MOST_PERMISSIONS = 200_000
"""Most permissions of a space."""


@dataclass(frozen=True)
class VcType:
    """A type of virtual channels: all VCs with one index on the channels of one direction."""

    dimension: int
    sign: int
    index: int


@dataclass(frozen=True)
class Space:
    """Position-independent rules with given numbers of VCs.

    Parameters
    ----------
    counts : tuple of pairs of int
        For each dimension the VCs of a channel that leads up, and of one that leads down; each at least 1.
    short : bool
        Every side has two routers: a hypercube. After a hop nothing remains in its dimension.

    Raises
    ------
    RelationError
        If a direction has no VC, or there are more than `MOST_PERMISSIONS` permissions.

    Examples
    --------
    >>> space = Space(((1, 1), (1, 2)))
    >>> space.vcs, len(space.permissions)
    (5, 60)
    """

    counts: tuple[tuple[int, int], ...]
    short: bool = False

    def __post_init__(self) -> None:
        if not self.counts or any(len(pair) != 2 or min(pair) < 1 for pair in self.counts):
            raise RelationError(f"a mesh has dimensions, and at least 1 VC each way in each; got {self.counts}")
        about = (self.vcs + 1) * self.vcs * 3 ** (self.dimensions - 1)
        if about > 4 * MOST_PERMISSIONS:
            raise RelationError(f"{self.text} make about {about:,} permissions; the limit is {MOST_PERMISSIONS:,}")

    @property
    def dimensions(self) -> int:
        return len(self.counts)

    @property
    def vcs(self) -> int:
        """VCs per router, of all directions together."""
        return sum(map(sum, self.counts))

    @property
    def text(self) -> str:
        """The numbers of VCs in words."""
        each = ", ".join(f"{letter(i)}+ {up}, {letter(i)}- {down}" for i, (up, down) in enumerate(self.counts))
        return f"{self.vcs} VCs per router ({each})"

    @cached_property
    def types(self) -> tuple[VcType, ...]:
        """Types of VCs, in order; injection has the number after the last."""
        return tuple(
            VcType(i, sign, k)
            for i, pair in enumerate(self.counts)
            for sign, count in zip((1, -1), pair, strict=True)
            for k in range(count)
        )

    @property
    def injection(self) -> int:
        return len(self.types)

    @cached_property
    def remaining(self) -> tuple[Signs, ...]:
        """Signs of the directions that may remain, at least one."""
        return tuple(signs for signs in product((1, 0, -1), repeat=self.dimensions) if any(signs))

    def legal(self, held: int, signs: Signs) -> bool:
        """Whether a header in a VC of a type may have this left: never back where it came from."""
        if held == self.injection:
            return True
        kind = self.types[held]
        return signs[kind.dimension] in ((0,) if self.short else (0, kind.sign))

    @cached_property
    def states(self) -> tuple[State, ...]:
        """Pairs of held type and remaining signs, injection first."""
        return tuple(
            (held, signs)
            for held in (self.injection, *range(self.injection))
            for signs in self.remaining
            if self.legal(held, signs)
        )

    @cached_property
    def permissions(self) -> tuple[tuple[int, Signs, int], ...]:
        """Triples of held type, remaining signs and type that may be taken."""
        every = tuple(
            (held, signs, out)
            for held, signs in self.states
            for out, kind in enumerate(self.types)
            if signs[kind.dimension] == kind.sign
        )
        if len(every) > MOST_PERMISSIONS:
            raise RelationError(f"{self.text} make {len(every):,} permissions; the limit is {MOST_PERMISSIONS:,}")
        return every

    @cached_property
    def number(self) -> dict[tuple[int, Signs, int], int]:
        """Positions in `permissions`."""
        return {permission: i for i, permission in enumerate(self.permissions)}

    @cached_property
    def outs(self) -> dict[State, tuple[int, ...]]:
        """Types that lead towards the destination, for each state."""
        types: dict[State, list[int]] = {state: [] for state in self.states}
        for held, signs, out in self.permissions:
            types[held, signs].append(out)
        return {state: tuple(outs) for state, outs in types.items()}

    def after(self, signs: Signs, out: int) -> tuple[Signs, ...]:
        """Return the directions that may remain after a hop: the same, or nothing more in that dimension."""
        i = self.types[out].dimension
        done = (*signs[:i], 0, *signs[i + 1 :])
        return (done,) if self.short else (signs, done)

    def reachable(self, offers: Flags, injected: Iterable[Signs] | None = None) -> set[State]:
        """States that packets come to under a rule, in meshes that are large enough.

        Parameters
        ----------
        offers : bool array, shape (permissions,)
        injected : iterable of signs, optional
            What may remain when packets are injected; by default anything.
        """

        def onward(state: State) -> Iterator[State]:
            for out in self.outs[state]:
                if offers[self.number[(*state, out)]]:
                    yield from ((out, then) for then in self.after(state[1], out) if any(then))

        every = self.remaining if injected is None else injected
        return {*reached_from([(self.injection, signs) for signs in every], onward)}

    def trimmed(self, offers: Flags) -> Flags:
        """A rule without the permissions in states that no packet comes to."""
        alive = self.reachable(offers)
        kept: Flags = offers & np.array([(held, signs) in alive for held, signs, _ in self.permissions], dtype=bool)
        return kept

    @property
    def names(self) -> list[str]:
        """Names of all types."""
        return [self.name(kind) for kind in range(self.injection)]

    def name(self, held: int) -> str:
        """A type in a few letters, such as ``x+`` or, of several VCs, ``y-1``."""
        if held == self.injection:
            return "injection"
        kind = self.types[held]
        many = self.counts[kind.dimension][kind.sign < 0] > 1
        return f"{letter(kind.dimension)}{'+' if kind.sign > 0 else '-'}{kind.index if many else ''}"


def unit(dimension: int, sign: int, dimensions: int) -> tuple[int, ...]:
    """The way of one hop, as a change of coordinates."""
    return tuple(sign if i == dimension else 0 for i in range(dimensions))


def letter(dimension: int) -> str:
    """The name of a dimension."""
    return LETTERS[dimension] if dimension < len(LETTERS) else f"d{dimension}_"


def shown(signs: Signs) -> str:
    """Remaining signs in a few letters, such as ``+0-``."""
    return "".join("0+-"[sign] for sign in signs)


Symmetry = tuple[int, ...]
"""Image of each type under a symmetry; dimensions and directions follow from it."""


def symmetries(space: Space) -> Iterator[Symmetry]:
    """Symmetries of a space: dimensions and directions with as many VCs exchanged, VCs of a direction renamed.

    The identity comes first.
    """
    n = space.dimensions
    for order in permutations(range(n)):
        for flips in product((1, -1), repeat=n):
            if any(
                space.counts[i][::flip] != space.counts[order[i]] for i, flip in zip(range(n), flips, strict=True)
            ):
                continue
            for renamed in product(*(permutations(range(c)) for pair in space.counts for c in pair)):
                yield tuple(
                    space.types.index(
                        VcType(
                            order[t.dimension],
                            t.sign * flips[t.dimension],
                            renamed[2 * t.dimension + (t.sign < 0)][t.index],
                        )
                    )
                    for t in space.types
                )


def moved_signs(space: Space, image: Symmetry, signs: Signs) -> Signs:
    """Remaining signs under a symmetry."""
    turned = [0] * space.dimensions
    for t, k in zip(space.types, image, strict=True):
        u = space.types[k]
        turned[u.dimension] = signs[t.dimension] * t.sign * u.sign
    return tuple(turned)


def moved(space: Space, image: Symmetry, permission: tuple[int, Signs, int]) -> tuple[int, Signs, int]:
    """A permission under a symmetry."""
    held, signs, out = permission
    return (held if held == space.injection else image[held], moved_signs(space, image, signs), image[out])
