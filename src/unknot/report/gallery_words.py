"""The gallery in words: what page and text table both say of a routing."""

from __future__ import annotations

from collections.abc import Sequence

from unknot.report.words import count
from unknot.studies.gallery import Exhibit
from unknot.switching import Switching


def span(low: float, high: float, form: str = "g") -> str:
    """A number, or a range where there are several."""
    first, last = format(low, form), format(high, form)
    return first if first == last else f"{first} to {last}"


def vcs_per_channel(exhibits: Sequence[Exhibit]) -> str:
    """Fewest and most virtual channels of a channel."""
    counts = [found.relation.vcs.counts for found in exhibits if found.relation.vcs.counts.size]
    return span(min(int(c.min()) for c in counts), max(int(c.max()) for c in counts)) if counts else "none"


def minimal(exhibits: Sequence[Exhibit]) -> tuple[bool | None, str]:
    """Whether all routes are shortest paths, on all networks, on none, or on some."""
    found = [exhibit.delivery.minimal is True for exhibit in exhibits]
    if all(found):
        return True, "yes"
    return False, "no" if not any(found) else f"on {sum(found)} of {len(found)}"


def adaptivity(exhibits: Sequence[Exhibit]) -> str:
    """Mean share of the minimal paths that are permitted, lowest and highest over the networks."""
    means = [exhibit.adaptivity.mean for exhibit in exhibits]
    return span(min(means), max(means), ".2f")


def judged(exhibits: Sequence[Exhibit], switching: Switching) -> tuple[bool | None, str, str]:
    """The verdicts of one technique over all networks, and how they compare with the claim of the source.

    Returns
    -------
    answer, verdict, comparison : bool or None, str, str
        The answer is None when all that is not free is undecided.
    """
    verdicts = [found.result(switching).verdict.deadlock_free for found in exhibits]
    stuck, open_ = verdicts.count(False), verdicts.count(None)
    if stuck:
        verdict = "can deadlock" if stuck == len(verdicts) else f"can deadlock on {stuck} of {len(verdicts)}"
    elif open_:
        verdict = f"open on {open_} of {len(verdicts)}"
    else:
        verdict = "free"
    against = sum(found.agrees(switching) is False for found in exhibits)
    claims = {found.relation.claims.get(switching) for found in exhibits}
    if against:
        comparison = f"the source claims otherwise on {count(against, 'network')}"
    elif claims == {None}:
        comparison = "no claim"
    else:
        comparison = "as claimed" if None not in claims else "as claimed where it is"
    return (False if stuck else None if open_ else True), verdict, comparison


def differing(exhibits: Sequence[Exhibit], switchings: Sequence[Switching]) -> list[tuple[Exhibit, Switching]]:
    """Where verdict and claim of the source differ, the smallest network of each technique first."""
    ordered = sorted(exhibits, key=lambda found: found.relation.network.num_channels)
    return [(found, s) for s in switchings for found in ordered if found.agrees(s) is False]
