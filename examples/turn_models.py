"""Turn models: which turns must be prohibited on a mesh so that nothing can deadlock, counted and judged.

``python examples/turn_models.py`` prints the table of docs/design.md, in two and three dimensions, or in those named.

A turn leads from one direction into another of another dimension. Turns that follow each other round a square are an
abstract cycle; each turn belongs to one. At least one turn of each has to be prohibited, and whether that is enough
is judged for meshes of every size: the ranking is linear in the coordinates, or a closed walk of permitted turns
returns to its router (C. J. Glass, L. M. Ni: The turn model for adaptive routing. ISCA 1992, 278–287).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations, product

import numpy as np

from unknot import RelationError
from unknot.synthesis.ranking import Level, RankEdge, ranked
from unknot.synthesis.rule import Rule, rule_from
from unknot.synthesis.space import Signs, Space, State, unit

Direction = tuple[int, int]
"""Dimension and sign."""
Turn = tuple[Direction, Direction]
MOST_DIMENSIONS = 3


@dataclass(frozen=True)
class TurnModel:
    """Prohibitions of turns that are the same up to the symmetries of the mesh.

    Attributes
    ----------
    dimensions : int
    prohibited : tuple of turns
        The first of them.
    alike : int
        How many there are.
    levels : tuple of Level, or None
        The ranking that proves the permitted turns deadlock-free; None if they are not.

    Examples
    --------
    >>> model = turn_models(2)[0]
    >>> model.prohibited, model.alike
    ((((0, 1), (1, 1)), ((0, 1), (1, -1))), 4)
    """

    dimensions: int
    prohibited: tuple[Turn, ...]
    alike: int
    levels: tuple[Level, ...] | None

    @property
    def deadlock_free(self) -> bool:
        """On meshes of every size, under every technique."""
        return self.levels is not None

    @property
    def rule(self) -> Rule | None:
        """Minimal adaptive routing by the permitted turns; None if some packets cannot arrive by them."""
        return turn_rule(self.dimensions, frozenset(self.prohibited))


def turn_models(dimensions: int) -> list[TurnModel]:
    """Return the ways to prohibit one turn of each abstract cycle, one for each kind under the mesh's symmetries.

    Complexity: 4^(n (n − 1)) ways; linear programs for each kind.

    Raises
    ------
    RelationError
        If there are more than `MOST_DIMENSIONS` dimensions.

    Examples
    --------
    >>> models = turn_models(2)
    >>> sum(model.alike for model in models), sum(model.alike for model in models if model.deadlock_free)
    (16, 12)
    """
    if not 2 <= dimensions <= MOST_DIMENSIONS:
        raise RelationError(f"turn models are counted for 2 to {MOST_DIMENSIONS} dimensions, not {dimensions}")
    turned = [
        {turn: (_moved(turn[0], order, flips), _moved(turn[1], order, flips)) for turn in turns(dimensions)}
        for order in permutations(range(dimensions))
        for flips in product((1, -1), repeat=dimensions)
    ]
    left = {frozenset(chosen): tuple(chosen) for chosen in product(*cycles(dimensions))}
    models = []
    for key, chosen in list(left.items()):
        if key in left:
            same = {frozenset(image[turn] for turn in chosen) for image in turned}
            for other in same:
                del left[other]
            models.append(TurnModel(dimensions, chosen, len(same), ranking_of(dimensions, key)))
    return models


def turns(dimensions: int) -> list[Turn]:
    """Return all turns from one dimension to another."""
    every = [(i, sign) for i in range(dimensions) for sign in (1, -1)]
    return [(a, b) for a in every for b in every if a[0] != b[0]]


def cycles(dimensions: int) -> list[tuple[Turn, ...]]:
    """Abstract cycles: the four turns round a square, both ways round."""
    squares = []
    for i, j in combinations(range(dimensions), 2):
        for sense in (1, -1):
            directions = [(i, 1), (j, sense), (i, -1), (j, -sense)]
            squares.append(tuple(zip(directions, [*directions[1:], directions[0]], strict=True)))
    return squares


def ranking_of(dimensions: int, prohibited: frozenset[Turn]) -> tuple[Level, ...] | None:
    """A ranking that every permitted turn and every way straight on lowers; None if there is none.

    There is none just if permitted turns close a cycle on meshes that are large enough.
    """
    every = [(i, sign) for i in range(dimensions) for sign in (1, -1)]
    number = {direction: k for k, direction in enumerate(every)}
    edges = [RankEdge(number[a], number[a], unit(*a, dimensions), True) for a in every]
    edges += [
        RankEdge(number[a], number[b], unit(*b, dimensions), True)
        for a, b in turns(dimensions)
        if (a, b) not in prohibited
    ]
    ranking = ranked(edges, len(every), dimensions)
    return ranking if isinstance(ranking, tuple) else None


def turn_rule(dimensions: int, prohibited: frozenset[Turn]) -> Rule | None:
    """Minimal adaptive routing with 1 VC each way by permitted turns; None if some packets cannot arrive.

    A header may take each direction that brings it nearer, by a permitted turn, if it can go on from there.
    """
    space = Space(((1, 1),) * dimensions)

    def permitted(held: int, out: int) -> bool:
        if held == space.injection:
            return True
        a, b = space.types[held], space.types[out]
        return ((a.dimension, a.sign), (b.dimension, b.sign)) not in prohibited

    viable = {*space.states}

    def good(state: State, out: int) -> bool:
        after: tuple[Signs, ...] = space.after(state[1], out)
        return permitted(state[0], out) and all(not any(then) or (out, then) in viable for then in after)

    while lost := {state for state in viable if not any(good(state, out) for out in space.outs[state])}:
        viable -= lost
    if any((space.injection, signs) not in viable for signs in space.remaining):
        return None
    offers = np.array([good((held, signs), out) for held, signs, out in space.permissions], dtype=bool)
    return rule_from(space, offers)


def names(prohibited: tuple[Turn, ...]) -> Iterator[str]:
    """Turns in a few letters, such as ``x+y-``."""
    for (i, s), (j, t) in prohibited:
        yield f"{'xyz'[i]}{'0+-'[s]}{'xyz'[j]}{'0+-'[t]}"


def _moved(direction: Direction, order: tuple[int, ...], flips: tuple[int, ...]) -> Direction:
    return order[direction[0]], direction[1] * flips[direction[0]]


def main(words: list[str]) -> None:
    """Print the models of some dimensions."""
    began = time.process_time()
    for dimensions in map(int, words or ["2", "3"]):
        models = turn_models(dimensions)
        free = [model for model in models if model.deadlock_free]
        print(
            f"{dimensions} dimensions: {sum(model.alike for model in models)} ways to prohibit a turn of each cycle, "
            f"{len(models)} kinds; deadlock-free {sum(model.alike for model in free)}, {len(free)} kinds"
        )
        for model in free:
            rule = model.rule
            provided = "some packets cannot arrive" if rule is None else f"{len(rule.provided(states=True))} BNRs"
            print(f"    {model.alike:3} like {' '.join(names(model.prohibited))}: {provided}")
    print(f"{time.process_time() - began:.1f} s")


if __name__ == "__main__":
    main([word for word in sys.argv[1:] if word.isdecimal()])
