"""Tables judged by states of one address, beside the naive twin that explores two addresses together."""

from __future__ import annotations

from collections import Counter

from tests.reference.controllers import TooLargeError, Twin, replayed
from tests.verify.controllers.drawn import table
from unknot.verify.controllers import StateTable, check_table


def found(drawn: StateTable, caches: int, most: int) -> tuple[bool | None, int]:
    """Whether two addresses can deadlock, with one home or two; None for too many states."""
    answer: bool | None = False
    states = 0
    for shared in (True, False):
        twin = Twin(drawn, caches, 2, shared=shared, most=most)
        try:
            if twin.deadlock() is not None:
                return True, max(states, twin.states)
        except TooLargeError:
            answer = None
        states = max(states, twin.states)
    return answer, states


def compare(seeds: range, most: int, caches: int) -> Counter[str]:
    """Compare answers of drawn tables; count answers, and what the twin says of them."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        drawn, many = table(seed), 2 + seed % (caches - 1)
        verdict = check_table(drawn, caches=many)
        truth, states = found(drawn, many, most)
        seen[f"{verdict.answer} {truth}"] += 1
        seen["large"] += states >= 10_000
        assert not (verdict.answer == "yes" and truth), seed
        assert verdict.answer != "no" or replayed(drawn, many, verdict.deadlock), seed
        assert not (verdict.answer == "no" and truth is False), seed
        if verdict.answer == "open":
            assert verdict.lacking, seed
    return seen
