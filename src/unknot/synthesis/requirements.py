"""Requirements on a rule, as clauses: built from the space and the request alone, by the searches.

The checker of impossibility has others, see `unknot.certificates.plain.Rules`.
Numbers stand for variables, negative ones for their opposites, as in DIMACS; permission i is variable i + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal

from unknot._base.errors import RelationError
from unknot.synthesis.space import Flags, Signs, Space, State

Clause = tuple[int, ...]
Word = tuple[tuple[int, int], ...]
"""A shortest path: dimension and direction of each hop."""
Adaptive = Literal["states", "paths"]


@dataclass(frozen=True)
class Request:
    """Requirements on a rule, besides being minimal and delivering every packet.

    Attributes
    ----------
    adaptive : {"states", "paths"}
        What it is to provide a BNR (best network for routing: a direction in each dimension, with all messages that
        need no other direction). `states`: wherever such a message may come, every direction towards its destination
        is offered. `paths`: it may take every shortest path with some VCs.
    least : int, optional
        BNRs to be provided, at least; by default all 2^n, which is fully adaptive.

    Examples
    --------
    >>> from unknot.synthesis import decide
    >>> decide(((1, 1), (1, 1)), "vct", request=Request(least=2)).outcome
    'found'
    """

    adaptive: Adaptive = "states"
    least: int | None = None

    def bnrs(self, space: Space) -> int:
        """BNRs that are asked for, at least."""
        every = 2**space.dimensions
        if self.least is not None and not 0 <= self.least <= every:
            raise RelationError(f"{space.dimensions} dimensions have {every} BNRs; {self.least} cannot be asked for")
        return every if self.least is None else self.least


class Requirements:
    """The clauses of a request.

    Parameters
    ----------
    space : Space
    request : Request

    Attributes
    ----------
    given : list of tuples of int
        Clauses so far; `provide` adds those of a path.
    """

    def __init__(self, space: Space, request: Request) -> None:
        self.space, self.request = space, request
        self.clauses: list[Clause] = []
        self._number: dict[tuple[object, ...], int] = {}
        self.full = request.bnrs(space) == 2**space.dimensions
        classes: list[Signs | None] = [None]
        if not self.full:
            classes += list(product((1, -1), repeat=space.dimensions))
        for kind in classes:
            self._reach(kind, request.adaptive == "states" and (kind is not None or self.full))
        if not self.full:
            every = [self("bnr", kind) for kind in classes if kind is not None]
            few = len(every) - request.bnrs(space) + 1
            self.clauses += combinations(every, few)

    def __call__(self, *what: object) -> int:
        """The number of a variable other than a permission."""
        return self._number.setdefault(what, len(self.space.permissions) + len(self._number) + 1)

    def adaptive_classes(self, model: Sequence[int]) -> list[Signs]:
        """The classes whose BNR a model of the clauses provides."""
        every, true = product((1, -1), repeat=self.space.dimensions), set(model)
        return [kind for kind in every if self.full or self("bnr", kind) in true]

    def _reach(self, kind: Signs | None, adaptive: bool) -> None:
        """Add clauses on the states that messages of a class, or all, come to, and on their candidates there."""
        space = self.space
        for state in space.states:
            held, signs = state
            if kind is not None and not _within(space, state, kind):
                continue
            here = self("reach", kind, state)
            if held == space.injection:
                self.clauses.append((here,))
            by_dimension: dict[int, list[int]] = {}
            for out in space.outs[state]:
                permission = 1 + space.number[held, signs, out]
                by_dimension.setdefault(space.types[out].dimension, []).append(permission)
                for then in space.after(signs, out):
                    if any(then):
                        self.clauses.append((-here, -permission, self("reach", kind, (out, then))))
            needed = list(by_dimension.values())
            needed = needed if adaptive else [[permission for one in needed for permission in one]]
            unless = [-here] if kind is None else [-here, -self("bnr", kind)]
            if adaptive or kind is None:
                self.clauses += [(*unless, *permissions) for permissions in needed]

    def dependencies(self) -> list[Clause]:
        """Clauses by which the variable "depends", a, b says that some packet goes from type a to type b."""
        space, before = self.space, len(self.clauses)
        for held, signs, out in space.permissions:
            if held != space.injection:
                permission = 1 + space.number[held, signs, out]
                reach = self("reach", None, (held, signs))
                self.clauses.append((-reach, -permission, self("depends", held, out)))
        return self.clauses[before:]

    def provide(self, path: Word) -> list[Clause]:
        """Clauses that a shortest path is possible; new ones only. It ends where its last hop leads."""
        space, before = self.space, len(self.clauses)
        remaining = _remaining(space, path)
        for k in range(len(path)):
            held_before = [space.injection] if k == 0 else _types(space, path[k - 1])
            for out in _types(space, path[k]):
                key = ("taken", path, k + 1, out)
                if key in self._number:
                    continue
                steps = []
                for held in held_before:
                    step = self("step", path, k + 1, held, out)
                    steps.append(step)
                    self.clauses.append((-step, 1 + space.number[held, remaining[k], out]))
                    if k:
                        self.clauses.append((-step, self("taken", path, k, held)))
                self.clauses.append((-self(*key), *steps))
        last = [self("taken", path, len(path), out) for out in _types(space, path[-1])]
        if self.full:
            self.clauses.append(tuple(last))
        else:
            self.clauses.append((-self("bnr", class_of(remaining[0])), *last))
        return self.clauses[before:]


def lost_path(space: Space, offers: Flags, kinds: Sequence[Signs]) -> Word | None:
    """A shortest path of some class that a rule does not permit, as short as may be; None if it permits all.

    Follows the set of types that a header may be in after each hop; these sets are finitely many, so the answer holds
    for paths of any length.
    """
    start: tuple[frozenset[int], Signs]
    todo: list[tuple[tuple[frozenset[int], Signs], Word]] = []
    seen: set[tuple[frozenset[int], Signs]] = set()
    for signs in space.remaining:
        if class_of(signs) in kinds:
            start = frozenset([space.injection]), signs
            seen.add(start)
            todo.append((start, ()))
    for (held, signs), path in todo:
        for i, sign in enumerate(signs):
            if not sign:
                continue
            outs = frozenset(
                out
                for out in _types(space, (i, sign))
                if any(offers[space.number[h, signs, out]] for h in held if space.legal(h, signs))
            )
            hops = (*path, (i, sign))
            if not outs:
                return (*hops, *[(k, s) for k, s in enumerate(signs) if s and k != i])
            for then in space.after(signs, next(iter(outs))):
                state = outs, then
                if any(then) and state not in seen:
                    seen.add(state)
                    todo.append((state, hops))
    return None


def class_of(signs: Signs) -> Signs:
    """The class of a message: its directions, where it need not move upwards."""
    return tuple(sign or 1 for sign in signs)


def _types(space: Space, hop: tuple[int, int]) -> list[int]:
    return [k for k, t in enumerate(space.types) if (t.dimension, t.sign) == hop]


def _within(space: Space, state: State, kind: Signs) -> bool:
    """Whether a message of a class may be in a state."""
    held, signs = state
    if held == space.injection:
        return class_of(signs) == kind
    if space.types[held].sign != kind[space.types[held].dimension]:
        return False
    return all(s in (0, k) for s, k in zip(signs, kind, strict=True))


def _remaining(space: Space, path: Word) -> list[Signs]:
    """Return the remaining directions before each hop of a path."""
    remaining = []
    for k in range(len(path)):
        signs = [0] * space.dimensions
        for i, sign in path[k:]:
            signs[i] = sign
        remaining.append(tuple(signs))
    return remaining
