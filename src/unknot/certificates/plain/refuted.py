"""Clauses that contradict each other."""

from __future__ import annotations

from typing import Any

from unknot.certificates.plain.reading import Clause, Rejected, integers, lists, pay

PARTS = 10**9
"""Denominator of the multipliers of facts about removed candidates, and of what changes of routes pay."""
MOST_CLAUSES = 3_000_000
"""Clauses up to which a refutation is checked."""


def check_refutation(clauses: list[Clause], variables: int, steps: Any) -> None:
    """Check steps [literals, hints] as LRAT has them: clauses 1, 2, … are given, each step adds the next.

    A step follows if its opposite contradicts the clauses that its hints name, in their order: each has one literal
    left, which must then hold, and the last has none. The last step is the empty clause. Time is linear in the steps.
    """
    known: list[Clause] = list(clauses)
    for step, (added, named) in enumerate(lists(steps, "steps", 2), start=1):
        literals = integers(added, "literals", -variables, variables + 1)
        hints = integers(named, "hints", 1, len(known) + 1)
        if 0 in literals:
            raise Rejected(f"step {step}: 0 is no literal")
        if not contradicted(known, literals, hints):
            raise Rejected(f"step {step} does not follow from its hints")
        if not literals:
            return
        known.append(tuple(literals))
    raise Rejected("the steps do not come to a contradiction")


def contradicted(known: list[Clause], literals: list[int], hints: list[int]) -> bool:
    """Whether the hints, one after the other, contradict the opposite of some literals."""
    false = {*literals}
    for hint in hints:
        pay(1 + (len(known[hint - 1]) >> 1))
        left = {x for x in known[hint - 1] if x not in false}
        if not left:
            return True
        if len(left) > 1:
            return False
        false.add(-left.pop())
    return False
