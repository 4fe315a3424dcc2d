"""Checkers by the subjects of claims; packages of others bring more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from unknot.certificates.plain.reading import field, word

Check = TypeVar("Check", bound=Callable[..., str])


class Checker(NamedTuple):
    """The checker of a subject: what its claims are about, the function, and the entries with the answer.

    The function gets a claim and its proof, after the network of a claim about a "network", or the table of a claim
    about a "relation". It returns in words what the claim shows, or raises `Rejected`. A question may leave answers
    open; all other entries say what the claim is about.
    """

    about: str
    check: Callable[..., str]
    answers: tuple[str, ...] = ()


CLAIMS: dict[str, Checker] = {}
"""By the subject of a claim, who checks it."""
ELSEWHERE: list[Callable[[str], Mapping[str, Checker]]] = []
"""Functions from a subject that is missing in `CLAIMS` to its checker, if other packages have one."""


def checks(subject: str, about: str, *answers: str) -> Callable[[Check], Check]:
    """Enter a function as the one that checks claims of a subject."""

    def enter(check: Check) -> Check:
        CLAIMS[subject] = Checker(about, check, answers)
        return check

    return enter


def subject_of(claim: Any) -> str:
    """The subject of a claim, one that is known."""
    subject = field(claim, "subject", str)
    for more in () if subject in CLAIMS else ELSEWHERE:
        CLAIMS.update(more(subject))
    return word(claim, "subject", sorted(CLAIMS))
