"""Searches for worms that hold all that they wait for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from unknot.certificates.plain.flow import Technique
from unknot.certificates.plain.reading import EJECT, KEPT_STATE, MOST_STATES, MOST_VCS, Rejected, Unchecked, pay
from unknot.certificates.plain.tables import Table, closure, reaching

SEARCH_STEPS = 10_000_000
"""Steps after which a search for worms gives up: about a minute."""


class Steps:
    """The steps of a search, which are limited."""

    def __init__(self) -> None:
        self.left = SEARCH_STEPS

    def take(self, count: int = 1) -> None:
        """Count some steps."""
        pay(EACH_STEP * count)
        self.left -= count
        if self.left < 0:
            raise Unchecked(f"what takes more than {SEARCH_STEPS} steps is too large to be searched here")


EACH_STEP = 8
"""Units for a step of a search."""
KEEPING = 4
"""Steps that count for each worm that is kept, since memory is limited too: to about 1 GiB."""
States = dict[int, tuple[set[int], list[set[int]]]]
"""For each VC: the VCs that a worm may go on to, and the sets of VCs that its header may wait for."""


def waiting_states(table: Table, switching: Technique, within: Callable[[int, int], bool]) -> list[States]:
    """How packets of each address go on or wait from VCs `at` with within(at, at), over VCs v with within(at, v)."""
    states: list[States] = [{} for _ in table.may]
    for address, candidates in enumerate(table.may):
        for at in (at for at in candidates if at < table.vcs and within(at, at)):
            pay(KEPT_STATE * (2 + len(candidates[at])))
            onward = {v for v in candidates[at] if v != EJECT and within(at, v)}
            choices = [{*choice} for choice in table.choices(at, address, switching) if onward.issuperset(choice)]
            states[address][at] = set() if switching.alone else onward, choices
    return states


def heads(states: States, left: set[int]) -> set[int]:
    """VCs from which a worm of an address can go on, within `left`, to a header that waits for VCs of `left` only."""
    pay(sum(KEPT_STATE + len(follows) + sum(map(len, choices)) for follows, choices in states.values()))
    good = {at for at, (_, choices) in states.items() if at in left and any(choice <= left for choice in choices)}
    return reaching(good, {at: follows for at, (follows, _) in states.items() if at in left}) & left


def still_holdable(states: list[States], left: set[int]) -> set[int]:
    """Strike out, until nothing changes, VCs from which no header of any address comes to wait for what is left."""
    while True:
        kept = {v for of_address in states for v in heads(of_address, left)}
        if kept == left:
            return left
        left = kept


Worm = tuple[frozenset[int], frozenset[int]]
"""The VCs of a window that a worm holds, and those that its header waits for."""


def worms_inside(
    states: list[States], left: set[int], window: set[int], steps: Steps, longest: int = MOST_VCS
) -> dict[int, set[Worm]]:
    """The worms inside the window by each VC they hold; a worm that continues outside waits for nothing inside."""
    worms: dict[int, set[Worm]] = {v: set() for v in window}
    for of_address in states:
        alive = heads(of_address, left)
        paths: list[tuple[int, ...]] = [(v,) for v in sorted(alive & window)]
        while paths:
            path = paths.pop()
            follows, choices = of_address[path[-1]]
            pay(len(path) * (1 + len(follows)) + sum(map(len, choices)))
            ends = {frozenset(choice & window) for choice in choices if choice <= left}
            if follows & alive - window:
                ends.add(frozenset())
            steps.take(1 + KEEPING * len(path) * len(ends))
            held = frozenset(path)
            for v in path:
                worms[v] |= {(held, end) for end in ends}
            if len(path) < longest:
                paths += [(*path, v) for v in follows & alive & window if v not in path]
    return worms


def holdable(goal: int, worms: dict[int, set[Worm]], steps: Steps) -> bool:
    """Whether disjoint worms, which hold every VC they wait for, can hold a given VC of the window."""
    first = frozenset[int](), frozenset({goal})
    stack, seen = [first], {first}
    while stack:
        steps.take()
        held, missing = stack.pop()
        if not missing:
            return True
        pay(len(missing))
        for path, waited in min((worms[v] for v in missing), key=len):
            pay(1 + (len(held) + len(missing) + len(path) + len(waited) >> 1))
            after = held | path, (missing | waited) - held - path
            if not path & held and after not in seen:
                steps.take(KEEPING)
                seen.add(after)
                stack.append(after)
    return False


Held = tuple[int, tuple[int, ...]]
"""The address of a worm, and the VCs that it holds, its tail first."""


def check_worm_states(table: Table) -> None:
    """Visit all that worms may hold together; nowhere do some of them wait for each other for good.

    A deadlock loses nothing where each of its worms reaches back just to a VC that one of them waits for, enters all
    at once when it last could, and no others are sent: what holds less is in nobody's way. So worms here come in
    whole, go on by a VC each time, and never leave. Worms that share no VC with others, and wait for none of theirs,
    neither block nor free these: such parts are visited one after the other.
    """

    def moved(worm: Held, tail: int) -> list[Held]:
        address, path = worm
        pay(len(path))
        return [(address, (*path[tail:], v)) for v in table.may[address][path[-1]] if v != EJECT and v not in path]

    doors = {
        (a, v) for a, row in enumerate(table.may) for at in row if at >= table.vcs for v in row[at] if v != EJECT
    }
    entered: list[Held] = closure([(a, (v,)) for a, v in doors], lambda worm: moved(worm, 0), MOST_STATES)
    after = {worm: moved(worm, 1) for worm in closure(entered, lambda worm: moved(worm, 1), MOST_STATES)}
    ends = {(a, path): [{*c} for c in table.choices(path[-1], a) if EJECT not in c] for a, path in after}
    many = -1
    while many != len(ends):
        many, held = len(ends), {v for _, path in ends for v in path}
        waited = {v for sets in ends.values() for choice in sets for v in choice}
        pay(sum(len(path) + sum(map(len, sets)) for (_, path), sets in ends.items()))
        ends = {
            (a, path): sets for (a, path), sets in ends.items()
            if path[0] in waited and any(choice <= held for choice in sets)
        }  # fmt: skip
    useful = reaching(ends, after)
    onward = {worm: [on for on in after[worm] if on in useful] for worm in useful}
    enters = [worm for worm in entered if worm in useful]
    near = ({*worm[1]}.union(*(on[1] for on in onward[worm]), *ends.get(worm, ())) for worm in useful)
    for part in apart(near):
        visit_together([worm for worm in enters if worm[1][0] in part], onward, ends)


def apart(groups: Iterable[set[int]]) -> list[set[int]]:
    """Unite sets with common members until all are disjoint."""
    parts: list[set[int]] = []
    for group in groups:
        pay(len(parts) + len(group))
        meet = [part for part in parts if not part.isdisjoint(group)]
        parts = [*(part for part in parts if part.isdisjoint(group)), group.union(*meet)]
    return parts


def visit_together(
    enters: list[Held], onward: Mapping[Held, list[Held]], ends: Mapping[Held, list[set[int]]]
) -> None:
    """Visit all states of worms; `ends` has the VCs for which a header may wait in a deadlock."""

    def moves(state: frozenset[Held]) -> Iterator[frozenset[Held]]:
        held = {v for _, path in state for v in path}
        pay(len(held) + sum(len(path) for _, path in enters))
        blocked, before = {*state}, -1
        while len(blocked) != before:
            before, kept = len(blocked), {v for _, path in blocked for v in path}
            blocked = {worm for worm in blocked if any(choice <= kept for choice in ends.get(worm, ()))}
        if blocked:
            raise Rejected("states: worms may come to wait for each other")
        yield from (state | {worm} for worm in enters if held.isdisjoint(worm[1]))
        for worm in state:
            yield from (state - {worm} | {on} for on in onward[worm] if on[1][-1] not in held)

    closure([frozenset[Held]()], moves, MOST_STATES)
