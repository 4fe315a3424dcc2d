"""The fewest VCs with which a request can be fulfilled, over all ways to distribute them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from unknot._base.deadline import Deadline, NoAnswerError, begun, counts_work
from unknot._base.errors import RelationError
from unknot._base.progress import Progress, found
from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot._base.three_valued import ThreeValued
from unknot.search.effort import SearchEffort
from unknot.synthesis.decision import Counts, Decision, decide
from unknot.synthesis.requirements import Adaptive, Request
from unknot.synthesis.space import Space


@dataclass(frozen=True, eq=False, repr=False)
class Design(ThreeValued, Brief, asks="found"):
    """The answer to a question of design.

    Attributes
    ----------
    dimensions : int
    short : bool
        Whether it is about hypercubes.
    switching : str
    request : Request
    decisions : tuple of Decision
        On distributions, in the order in which they were looked at, fewest VCs first.
    complete : bool
        Whether the search ended by itself, not by the time limit or Ctrl-C.

    Examples
    --------
    >>> answer = design("mesh(2)", "saf")
    >>> answer.vcs, answer.fewest, len(answer.decisions)
    (5, True, 2)
    """

    dimensions: int
    short: bool
    switching: Switching
    request: Request
    decisions: tuple[Decision, ...]
    complete: bool

    @property
    def best(self) -> Decision | None:
        """The first distribution with a rule."""
        return next((one for one in self.decisions if one.outcome == "found"), None)

    @property
    def found(self) -> bool | None:
        """Whether there is a rule with so many VCs; None: open."""
        if self.best is not None:
            return True
        refuted = self.complete and bool(self.decisions) and self.decisions[-1].outcome == "impossible"
        return False if refuted else None

    @property
    def vcs(self) -> int | None:
        """VCs per router of the rule."""
        return None if self.best is None else self.best.space.vcs

    @property
    def fewest(self) -> bool:
        """Whether every distribution of fewer VCs is shown to be impossible."""
        return self.best is not None and self.lower_bound == self.vcs

    @property
    def lower_bound(self) -> int:
        """Lower bound on the VCs per router of any rule."""
        bound = 2 * self.dimensions
        while True:
            there = {one.space.counts: one.outcome for one in self.decisions if one.space.vcs == bound}
            if any(there.get(counts) != "impossible" for counts in distributions(self.dimensions, bound)):
                return bound
            bound += 1


def distributions(dimensions: int, vcs: int) -> list[Counts]:
    """All ways to distribute VCs over the directions, one of each kind under exchange of dimensions and directions.

    Parameters
    ----------
    dimensions : int
        Dimensions of the mesh.
    vcs : int
        VCs of a router, over all directions.

    Returns
    -------
    list[Counts]
        VCs of each direction, a distribution each.

    Examples
    --------
    >>> distributions(2, 6)
    [((1, 1), (1, 3)), ((1, 1), (2, 2)), ((1, 2), (1, 2))]
    """
    pairs = [(a, b) for a in range(1, vcs) for b in range(a, vcs)]

    def filled(count: int, left: int, first: int) -> Iterator[Counts]:
        """Yield the ways to give all that is left to a number of dimensions, by pairs from one on."""
        for number in range(first, len(pairs) if count else 0):
            rest = left - sum(pairs[number])
            if count > 1 and rest >= 2 * (count - 1):
                yield from ((pairs[number], *others) for others in filled(count - 1, rest, number))
            elif count == 1 and rest == 0:
                yield (pairs[number],)

    return list(filled(dimensions, vcs, 0))


@counts_work
def design(
    family: str | int,
    switching: str = DEFAULT_SWITCHING,
    *,
    adaptive: Adaptive = "states",
    least: int | None = None,
    counts: Counts | None = None,
    every: bool = False,
    time_limit: float | Deadline | None = None,
    progress: Progress | None = None,
) -> Design:
    """Find a minimal deadlock-free rule with the fewest VCs per router, and show that fewer are impossible.

    Parameters
    ----------
    family : str or int
        Meshes with this number of dimensions, ``"mesh(3)"`` or 3; or a hypercube, ``"hypercube(3)"``.
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
    adaptive : {"states", "paths"}
        What it is to provide a BNR: every direction towards the destination wherever a header may come, or every
        shortest path with some VCs.
    least : int, optional
        BNRs to be provided at least; by default all, which is fully adaptive.
    counts : tuple of pairs of int, optional
        VCs up and down each dimension; by default the fewest are looked for.
    every : bool
        Decide on all distributions of the fewest VCs, not only until a rule is found.
    time_limit : float or Deadline, optional
        Seconds; by default work is limited, to about a minute's. Ctrl-C ends the search as well and keeps what was
        found.
    progress : callable, optional
        Called with the stage and how far it is, see `unknot._base.progress`.

    Returns
    -------
    Design
        The best rule, and what is shown of fewer VCs.

    Raises
    ------
    RelationError
        If an argument makes no sense.

    Examples
    --------
    >>> answer = design("mesh(2)", "vct")
    >>> answer.vcs, answer.fewest, answer.best.proof.kind
    (5, True, 'escape')
    """
    dimensions, short = family_of(family)
    request, technique = Request(adaptive, least), switching_named(switching)
    if adaptive not in ("states", "paths"):
        raise RelationError(f"adaptive is 'states' or 'paths', not {adaptive!r}")
    deadline = begun(time_limit)
    if counts is not None and len(counts) != dimensions:
        raise RelationError(f"{len(counts)} pairs of VCs were given for {dimensions} dimensions")
    request.bnrs(Space(((1, 1),) * dimensions, short))
    effort = SearchEffort(deadline.end, progress=progress)
    decisions: list[Decision] = []
    known: dict[Counts, Decision] = {}
    complete = True
    try:
        for distribution in [counts] if counts is not None else _growing(dimensions):
            more = bool(decisions) and sum(map(sum, distribution)) > decisions[-1].space.vcs
            if any(one.outcome == "found" for one in decisions) and (more or not every):
                break
            work = partial(decide, distribution, technique, request, short=short, effort=effort, known=known)
            decisions.append(deadline.within(work))
            last = decisions[-1]
            found(f"{last.space.text}: {last.outcome}")
            if effort.over:
                complete = False
                break
    except (KeyboardInterrupt, NoAnswerError):
        complete = False
    return Design(dimensions, short, technique, request, tuple(decisions), complete)


def _growing(dimensions: int) -> Iterator[Counts]:
    """Yield all distributions, the fewest VCs first and of these the evenest last."""
    vcs = 2 * dimensions
    while True:
        yield from distributions(dimensions, vcs)
        vcs += 1


_LETTER = re.compile(r"\s*(mesh|hypercube)\s*\(\s*[^\W\d]")
"""A family with a letter where its number of dimensions should be."""


def family_of(text: str | int) -> tuple[int, bool]:
    """Dimensions of a family of networks, and whether its sides are short.

    Raises
    ------
    RelationError
        If it is none.
    """
    from unknot._base.calls import parse_call

    number: object = text
    short = False
    if isinstance(text, str):
        if _LETTER.match(text):
            raise RelationError(
                f"{text}: a number of dimensions is needed in parentheses, such as mesh(2) for all meshes n × m "
                "or mesh(3) for those of three dimensions"
            )
        call = parse_call(text, "FAMILY")
        if call.name in ("torus", "ring"):
            raise RelationError(
                f"{text}: tori are no family that can be asked about as a whole, since rules of the space do not "
                "know whether a wrap link is ahead; mesh(3) and hypercube(3) are families, and unknot check decides "
                "a routing on one torus of given sides, such as torus(8, 8)"
            )
        if call.name not in ("mesh", "hypercube") or len(call.args) != 1 or call.options:
            raise RelationError(
                f"{text}: a family is needed, mesh(3) for all meshes of three dimensions or hypercube(3); "
                "with several numbers it would be one network"
            )
        number, short = call.args[0], call.name == "hypercube"
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 6:
        raise RelationError(f"1 to 6 dimensions can be designed for, not {number!r}")
    return number, short
