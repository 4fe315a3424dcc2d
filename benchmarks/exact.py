"""What is decided by search: seconds for exact decisions, for smallest counterexamples with proof, and for witnesses.

Everything is compiled beforehand; a time is the median of several runs of the whole question, states included, in
seconds of one processor, which on an idle machine are those of the clock.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TypeVar

from tests.verify.constructions import FREE_FOUR_WIDE, FREE_THREE_WIDE, by_signs

from unknot.network.families import mesh, torus
from unknot.routing import Relation, dimension_order, fully_adaptive, lcfaa
from unknot.verify import check, smallest

Answer = TypeVar("Answer")
Case = Callable[[], Relation]

DECIDED: list[tuple[str, Case, float | None, int]] = [
    ("LCFAA, mesh 8×8", lambda: lcfaa(mesh(8, 8)), 10, 5),
    ("LCFAA, mesh 16×16", lambda: lcfaa(mesh(16, 16)), 60, 5),
    ("LCFAA, mesh 32×32", lambda: lcfaa(mesh(32, 32)), None, 3),
    *(
        (f"free three wide, mesh 3×{n}", lambda n=n: by_signs(mesh(3, n), FREE_THREE_WIDE), None, 3)  # type: ignore[misc]
        for n in (16, 32, 64)
    ),
    *(
        (f"free four wide, mesh 4×{n}", lambda n=n: by_signs(mesh(4, n), FREE_FOUR_WIDE), None, 3)  # type: ignore[misc]
        for n in (16, 32, 64)
    ),
]
"""Free under store-and-forward, undecided by the fixpoints of worms; with a goal in seconds, and runs."""

SMALLEST: list[tuple[str, Case, float | None]] = [
    ("fully adaptive, mesh 12×12", lambda: fully_adaptive(mesh(12, 12)), 5),
    ("fully adaptive, mesh 16×16", lambda: fully_adaptive(mesh(16, 16)), 10),
    ("fully adaptive, mesh 32×32", lambda: fully_adaptive(mesh(32, 32)), None),
    ("dimension order, torus 13×13 without dateline", lambda: dimension_order(torus(13, 13), dateline="none"), 5),
    ("fully adaptive, 2 VCs, mesh 4×4", lambda: fully_adaptive(mesh(4, 4), 2), None),
    ("LCFAA, mesh 4×4", lambda: lcfaa(mesh(4, 4)), None),
]

WITNESSES: list[tuple[str, Case, float | None]] = [
    ("fully adaptive, mesh 32×32", lambda: fully_adaptive(mesh(32, 32)), 1),
    ("dimension order, torus 32×32 without dateline", lambda: dimension_order(torus(32, 32), dateline="none"), None),
]


def timed(ask: Callable[[], Answer], runs: int) -> tuple[Answer, float]:
    """An answer and the median of the processor seconds it took."""
    spent = []
    for _ in range(runs):
        begin = time.process_time()
        answer = ask()
        spent.append(time.process_time() - begin)
    return answer, statistics.median(spent)


def line(name: str, relation: Relation, seconds: float, runs: int, goal: float | None, answer: str) -> None:
    aim = f", goal {goal:g} s" if goal is not None else ""
    print(f"{name}: {relation.num_vcs} VCs, {seconds:.2f} s (median of {runs}{aim}); {answer}", flush=True)


def main(runs: int = 5) -> None:
    for make in (lambda: lcfaa(mesh(3, 3)), lambda: by_signs(mesh(3, 10), FREE_THREE_WIDE)):
        check(make(), "wormhole")
        smallest(make(), time_limit=1.0, switching="wormhole")
    for name, case, goal, times in DECIDED:
        relation = case()
        _ = relation.compiled
        verdict, seconds = timed(lambda relation=relation: check(relation, time_limit=600.0), times)  # type: ignore[misc]
        outcome = f"deadlock of {len(verdict.configuration.messages)}" if verdict.configuration else "free"
        answer = "open" if verdict.deadlock_free is None else outcome
        line(name, relation, seconds, times, goal, f"{answer}, {verdict.reachability or verdict.established}")
    print("smallest")
    for name, case, goal in SMALLEST:
        relation = case()
        _ = relation.compiled
        least, seconds = timed(
            lambda relation=relation: smallest(relation, switching="wormhole"), runs if goal else 1
        )  # type: ignore[misc]
        messages = least.configuration.messages if least.configuration is not None else ()
        held = sum(len(message.held) for message in messages)
        answer = f"{len(messages)} messages on {held} VCs ({'proved' if least.proved else 'not proved'})"
        line(name, relation, seconds, runs if goal else 1, goal, answer)
    print("counterexamples of check")
    for name, case, goal in WITNESSES:
        relation = case()
        _ = relation.compiled
        verdict, seconds = timed(lambda relation=relation: check(relation, "wormhole"), runs)  # type: ignore[misc]
        assert verdict.configuration is not None
        count = len(verdict.configuration.messages)
        line(name, relation, seconds, runs, goal, f"{count} messages, {verdict.reachability}")


if __name__ == "__main__":
    main()
