"""The gallery: every routing on every small network it takes, its source's claims beside the verdicts.

It is a study that nobody has to write: what runs it, keeps its results and goes on after an interruption is what runs
any study.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import TextError, UnknotError
from unknot._base.progress import Progress, with_bar
from unknot._base.switching import SWITCHINGS, Switching
from unknot.routing.relation import Relation
from unknot.studies import design as designs
from unknot.studies.result import DesignResult
from unknot.studies.run import run_study
from unknot.studies.study import Design, Proof, Study

if TYPE_CHECKING:
    from unknot.verify.adaptivity import Adaptivity
    from unknot.verify.delivery import Delivery

VARIANTS = (
    'de_bruijn(paths="single_root")',
    "de_bruijn(bypass=True)",
    "dimension_order(vcs=2)",
    'dimension_order(vcs=2, dateline="entry")',
    'dimension_order(vcs=2, dateline="none")',
    'hop_number(choice="all")',
    'nca(up="modulo")',
    "p_cube(minimal=False)",
    "pbfaa(returns=False)",
    'shuffle_exchange(vcs=2, simulates="B")',
    "two_trees(bypass=True)",
    'up_down(choice="any")',
    'up_down(levels="dfs")',
    'valiant(base="hop_number")',
)
"""Options beside the defaults that differ in paths, in VCs or in verdicts."""
MORE = ("mesh(4, 4)",)
"""Networks beside the catalogue: the smallest on which another claim is refuted."""


@dataclass(frozen=True, eq=False)
class Exhibit:
    """One routing on one network.

    Attributes
    ----------
    routing, network : str
        The texts that name them.
    results : tuple of DesignResult
        One for each switching technique asked for.
    """

    routing: str
    network: str
    results: tuple[DesignResult, ...]

    @property
    def relation(self) -> Relation:
        return self.results[0].relation

    @property
    def delivery(self) -> Delivery:
        return self.results[0].delivery

    @cached_property
    def adaptivity(self) -> Adaptivity:
        """Permitted minimal paths over all minimal paths; found when first asked for."""
        from unknot.verify.adaptivity import adaptivity

        return adaptivity(self.relation)

    def result(self, switching: Switching) -> DesignResult:
        """The result for one switching technique."""
        return next(judged for judged in self.results if judged.verdict.switching == switching)

    def agrees(self, switching: Switching) -> bool | None:
        """Whether the claim of the source and the verdict are the same; None when either is missing."""
        claim = self.relation.claims.get(switching)
        verdict = self.result(switching).verdict.deadlock_free
        return None if claim is None or verdict is None else claim == verdict


@dataclass(frozen=True, eq=False)
class Gallery:
    """Exhibits of a gallery, and the networks that routings refuse.

    Attributes
    ----------
    exhibits : tuple of Exhibit
        Ordered by routing, then network, as they were asked for.
    refusals : dict of (routing, network) to str
        Why a routing does not take a network.
    switchings : tuple of str
    """

    exhibits: tuple[Exhibit, ...]
    refusals: dict[tuple[str, str], str]
    switchings: tuple[Switching, ...]

    @property
    def routings(self) -> dict[str, list[Exhibit]]:
        """The exhibits of each routing that takes any of the networks."""
        exhibits: dict[str, list[Exhibit]] = {}
        for exhibit in self.exhibits:
            exhibits.setdefault(exhibit.routing, []).append(exhibit)
        return exhibits


@with_bar
def gallery(
    routings: Sequence[str] | None = None,
    networks: Sequence[str] | None = None,
    *,
    switchings: Sequence[Switching] = SWITCHINGS,
    time_limit: float = 20.0,
    jobs: int | None = None,
    store: str | Path | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    note: Callable[[str], None] | None = None,
) -> Gallery:
    """Judge routings on small networks.

    Parameters
    ----------
    routings : sequence of str, optional
        Names or calls; by default every public routing with its default options, and `VARIANTS`.
    networks : sequence of str, optional
        By default `unknot.verify.testing.NETWORKS` and `MORE`.
    time_limit : float
        Seconds for each proof.
    jobs, store, executor, progress, note
        As in `unknot.studies.run_study`.

    Raises
    ------
    UnknotError
        If a name or option is unknown, no routing takes any of the networks, or there is no time.
    """
    if not 0 < time_limit < float("inf"):
        raise UnknotError(f"gallery: the time limit must be a positive number of seconds, got {time_limit!r}")
    if networks is None:
        from unknot.verify.testing import NETWORKS

        networks = (*NETWORKS, *MORE)
    routings = sorted([*dict(designs.routings().usable()), *VARIANTS]) if routings is None else list(routings)
    refusals: dict[tuple[str, str], str] = {}
    taken: list[tuple[str, str]] = []
    for routing in routings:
        designs.routing_named(routing, "ROUTING")
        for network in networks:
            built = designs.network(network, where="NETWORK")
            try:
                designs.require_connected(built)
                designs.routing(built, routing, where="ROUTING")
            except TextError:
                raise
            except UnknotError as error:
                refusals[routing, network] = str(error)
            else:
                taken.append((routing, network))
    if not taken:
        raise UnknotError(f"none of these routings takes any of these networks; {next(iter(refusals.values()))}")
    study = Study(
        title="Gallery",
        designs=tuple(
            Design(name=f"{routing} on {network}, {switching}", network=network, routing=routing, switching=switching)
            for routing, network in taken
            for switching in switchings
        ),
        proof=Proof(time_limit=time_limit),
    )
    done = run_study(study, jobs=jobs, store=store, executor=executor, progress=progress, note=note).designs
    width = len(switchings)
    return Gallery(
        tuple(Exhibit(*pair, done[i * width : (i + 1) * width]) for i, pair in enumerate(taken)),
        refusals,
        tuple(switchings),
    )
