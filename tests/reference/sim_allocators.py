"""Allocators of the plain simulator: who gets what, when inputs ask for outputs.

`requests` gives for each pair (input, output) the age that counts for it, the smallest first; without priority all
are alike. Among equals a rank of the other end decides, the smallest first. Answers are matched pairs, round
by round.
"""

from __future__ import annotations

from collections.abc import Callable

Pair = tuple[int, int]
Rank = Callable[[int, int], int]


def in_turn(pointer: list[int], many: int) -> Rank:
    """Round robin: how far a requester is from the pointer of an end."""
    return lambda end, other: (other - pointer[end]) % many


def islip(requests: dict[Pair, int], grant: Rank, accept: Rank, rounds: int) -> list[list[Pair]]:
    """In each round every free output grants one request of a free input, every input accepts one grant."""
    answer: list[list[Pair]] = []
    left = requests
    for _ in range(rounds):
        accepted = choose_by_input(choose_by_output(left, grant), accept)
        answer.append(sorted(accepted))
        inputs, outputs = {i for i, _ in accepted}, {o for _, o in accepted}
        left = {(i, o): age for (i, o), age in left.items() if i not in inputs and o not in outputs}
    return answer


def separable_input_first(requests: dict[Pair, int], grant: Rank, accept: Rank) -> list[list[Pair]]:
    """Every input puts forward one request, every output grants one of those put forward for it."""
    return [sorted(choose_by_output(choose_by_input(requests, accept), grant))]


def choose_by_output(requests: dict[Pair, int], turn: Rank) -> dict[Pair, int]:
    """The best request of each output."""
    best: dict[int, tuple[int, int, Pair]] = {}
    for (i, o), age in requests.items():
        rank = (age, turn(o, i), (i, o))
        best[o] = min(best.get(o, rank), rank)
    return {pair: age for age, _, pair in best.values()}


def choose_by_input(requests: dict[Pair, int], turn: Rank) -> dict[Pair, int]:
    """The best request of each input."""
    best: dict[int, tuple[int, int, Pair]] = {}
    for (i, o), age in requests.items():
        rank = (age, turn(i, o), (i, o))
        best[i] = min(best.get(i, rank), rank)
    return {pair: age for age, _, pair in best.values()}


def wavefront(requests: dict[Pair, int], inputs: int, outputs: int, turn: int) -> tuple[list[Pair], int]:
    """Diagonal by diagonal from `turn` on, the best ages first; also the diagonal of the first match."""
    square, matched, first = max(inputs, outputs), {}, None
    for age in sorted(set(requests.values())):
        for step in range(square):
            for o in range(square):
                i = (turn + step - o) % square
                if requests.get((i, o)) == age and i not in matched and o not in matched.values():
                    matched[i] = o
                    first = i + o if first is None else first
    assert first is not None
    return sorted(matched.items()), first


def pim(requests: dict[Pair, int], inputs: int, outputs: int, rounds: int, start) -> list[Pair]:
    """`start(number, of_input, end)` is where an end begins to look in a round."""
    matched: dict[int, int] = {}
    for number in range(rounds):
        granted: dict[int, list[int]] = {}
        for o in sorted({o for _, o in requests} - set(matched.values())):
            begin = start(number, False, o) % inputs
            asking = [
                i for i in ((begin + k) % inputs for k in range(inputs)) if (i, o) in requests and i not in matched
            ]
            if asking:
                granted.setdefault(asking[0], []).append(o)
        for i, offers in granted.items():
            begin = start(number, True, i) % outputs
            matched[i] = min(offers, key=lambda o: (o - begin) % outputs)
    return sorted(matched.items())


def loa(requests: dict[Pair, int], grant: list[int], accept: list[int]) -> list[Pair]:
    """Every input requests the loneliest output, every output grants one of those."""
    inputs, outputs = len(accept), len(grant)
    many = [sum(out == o for _, out in requests) for o in range(outputs)]
    lonely = {
        i: min((o for into, o in requests if into == i), key=lambda o: (many[o], (o - accept[i]) % outputs))
        for i in {into for into, _ in requests}
    }
    return sorted(
        (min((i for i in lonely if lonely[i] == o), key=lambda i: (i - grant[o]) % inputs), o)
        for o in set(lonely.values())
    )


def max_size(requests: dict[Pair, int], inputs: int, turn: int) -> list[Pair]:
    """Paths from inputs that are free, as short as they come, until there is none."""
    mate: dict[int, int] = {}
    while True:
        queue = [(i,) for i in ((turn + k) % inputs for k in range(inputs)) if i not in mate]
        seen: set[int] = set()
        path = None
        for way in queue:
            for o in sorted(o for i, o in requests if i == way[-1]):
                if o in seen or mate.get(way[-1]) == o:
                    continue
                seen.add(o)
                owner = next((i for i in mate if mate[i] == o), None)
                if owner is None:
                    path = (*way, o)
                    break
                queue.append((*way, o, owner))
            if path:
                break
        if path is None:
            return sorted(mate.items())
        for k in range(0, len(path), 2):
            mate[path[k]] = path[k + 1]
