"""A small, separate checker of proofs for every size: exact whole numbers, no search, no solver.

It works out for itself which states a rule leads to, and compares ranks as linear functions: the first level in
which two differ decides, and if their gradients are unequal there, nothing is decided.
"""

from __future__ import annotations

from unknot._base.switching import SWITCHINGS
from unknot.certificates import Rejected
from unknot.design.proofs import Proof
from unknot.design.space import Flags, Space, State, shown

PROVES = {"order": SWITCHINGS, "escape": ("saf", "vct"), "drain": ("wormhole",)}


def accept(space: Space, offers: Flags, proof: Proof, switching: str, waits: Flags | None = None) -> None:
    """Return quietly if the proof holds; raise `Rejected` if not.

    Parameters
    ----------
    offers, waits : bool arrays, shape (permissions,)
        The rule, and what blocked headers wait for; by default all that is offered.
    """
    if switching not in PROVES.get(proof.kind, ()):
        raise Rejected(f"a proof of kind {proof.kind!r} says nothing about {switching}")
    for level in proof.levels:
        if len(level.gradient) != space.injection or len(level.offset) != space.injection:
            raise Rejected(f"a level has a function for each of the {space.injection} types")
    escapes = dict(proof.escapes)
    for state in reached(space, offers):
        held, signs = state
        offered = [out for out in space.outs[state] if offers[space.number[held, signs, out]]]
        waited = [out for out in offered if waits is None or waits[space.number[held, signs, out]]]
        if not waited:
            raise Rejected(f"nothing to wait for in {space.name(held)} with {shown(signs)} left")
        if held == space.injection:
            continue
        at = (0,) * space.dimensions
        if proof.kind == "order":
            for out in offered:
                _lower(space, proof, state, out, held, at, strict=True)
            continue
        escape = escapes.get(state)
        if escape not in waited:
            raise Rejected(f"the escape from {space.name(held)} with {shown(signs)} left is not waited for")
        _lower(space, proof, state, escape, held, at, strict=True)
        if proof.kind == "drain":
            for out in offered:
                _onward(space, proof, state, out, escapes)


def _onward(space: Space, proof: Proof, state: State, out: int, escapes: dict[State, int]) -> None:
    """After a hop the new escape, or the VC itself, ranks at most as high as the old escape."""
    old, here = escapes[state], (0,) * space.dimensions
    there, old_at = step(space, here, out), step(space, here, escapes[state])
    if compare(proof, out, there, old, old_at) in (-1, 0):
        return
    for then in space.after(state[1], out):
        if any(then):
            new = escapes.get((out, then))
            if new is None or compare(proof, new, step(space, there, new), old, old_at) not in (-1, 0):
                raise Rejected(
                    f"in {space.name(state[0])} with {shown(state[1])} left, over {space.name(out)}: the escape rises"
                )


def _lower(
    space: Space, proof: Proof, state: State, low: int, high: int, at: tuple[int, ...], *, strict: bool
) -> None:
    found = compare(proof, low, step(space, at, low), high, at)
    if found != -1 and (strict or found != 0):
        raise Rejected(f"{space.name(low)} does not rank lower in {space.name(state[0])} with {shown(state[1])} left")


def step(space: Space, at: tuple[int, ...], out: int) -> tuple[int, ...]:
    """Router to which a VC of a type leads from a router."""
    kind = space.types[out]
    return tuple(x + kind.sign * (i == kind.dimension) for i, x in enumerate(at))


def compare(proof: Proof, a: int, a_at: tuple[int, ...], b: int, b_at: tuple[int, ...]) -> int | None:
    """−1, 0 or 1: how VC a ranks beside VC b, wherever the two routers are that far apart; None: not decided."""
    for level in proof.levels:
        if level.gradient[a] != level.gradient[b]:
            return None
        far = sum(g * (x - y) for g, x, y in zip(level.gradient[a], a_at, b_at, strict=True))
        difference = far + level.offset[a] - level.offset[b]
        if difference:
            return -1 if difference < 0 else 1
    return 0


def reached(space: Space, offers: Flags) -> set[State]:
    """States that a rule leads to, from injection with anything left."""
    found: set[State] = set()
    todo = [(space.injection, signs) for signs in space.remaining]
    while todo:
        state = todo.pop()
        if state in found or not any(state[1]):
            continue
        found.add(state)
        for out in space.outs[state]:
            if offers[space.number[(*state, out)]]:
                todo += [(out, then) for then in space.after(state[1], out)]
    return found
