"""Allocators of the plain simulator: who gets what, when inputs ask for outputs.

`requests` gives for each pair (input, output) the age that counts for it, the smallest first; without priority all
are alike. Pointers decide among equals: the first at or after. Answers are matched pairs, round by round.
"""

from __future__ import annotations

Pair = tuple[int, int]


def islip(requests: dict[Pair, int], grant: list[int], accept: list[int], rounds: int) -> list[list[Pair]]:
    """In each round every free output grants one request of a free input, every input accepts one grant."""
    answer: list[list[Pair]] = []
    left = requests
    for _ in range(rounds):
        granted = choose_by_output(left, grant, len(accept))
        accepted = choose_by_input(granted, accept, len(grant))
        answer.append(sorted(accepted))
        inputs, outputs = {i for i, _ in accepted}, {o for _, o in accepted}
        left = {(i, o): age for (i, o), age in left.items() if i not in inputs and o not in outputs}
    return answer


def separable_input_first(requests: dict[Pair, int], grant: list[int], accept: list[int]) -> list[list[Pair]]:
    """Every input puts forward one request, every output grants one of those put forward for it."""
    return [sorted(choose_by_output(choose_by_input(requests, accept, len(grant)), grant, len(accept)))]


def choose_by_output(requests: dict[Pair, int], pointer: list[int], inputs: int) -> dict[Pair, int]:
    """The best request of each output."""
    best: dict[int, tuple[int, int, Pair]] = {}
    for (i, o), age in requests.items():
        rank = (age, (i - pointer[o]) % inputs, (i, o))
        best[o] = min(best.get(o, rank), rank)
    return {pair: age for age, _, pair in best.values()}


def choose_by_input(requests: dict[Pair, int], pointer: list[int], outputs: int) -> dict[Pair, int]:
    """The best request of each input."""
    best: dict[int, tuple[int, int, Pair]] = {}
    for (i, o), age in requests.items():
        rank = (age, (o - pointer[i]) % outputs, (i, o))
        best[i] = min(best.get(i, rank), rank)
    return {pair: age for age, _, pair in best.values()}
