"""The gallery: every routing on every small network it takes, its source's claims beside the verdicts.

Writes docs/gallery.csv and docs/gallery.md anew: ``python -m benchmarks.gallery [ROUTING …]`` takes some minutes for
all of them.
"""

from __future__ import annotations

import csv
import shlex
import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from unknot._base.errors import TextError, UnknotError
from unknot._base.phrases import count, listed
from unknot._base.switching import SWITCHINGS, Switching
from unknot.fabrics.named import network as network_named
from unknot.routing import named
from unknot.routing.relation import Relation
from unknot.studies.result import DesignResult
from unknot.studies.run import run_study
from unknot.studies.study import Design, ProofLimit, Study
from unknot.verify.adaptivity import Adaptivity
from unknot.verify.adaptivity import adaptivity as share_of_paths
from unknot.verify.delivery import Delivery
from unknot.verify.testing import NETWORKS

PAGE = Path(__file__).parents[1] / "docs/gallery.md"
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
MORE = ("mesh(4, 4)", "rcbn(8)", "composite_banyan(4)")
"""Networks beside the catalogue: the smallest on which another claim is refuted, and families that papers bring."""


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
        return share_of_paths(self.relation)

    def design_of(self, switching: Switching) -> DesignResult:
        """The result for one switching technique."""
        return next(judged for judged in self.results if judged.verdict.switching == switching)

    def agrees(self, switching: Switching) -> bool | None:
        """Whether the claim of the source and the verdict are the same; None when either is missing."""
        claim = self.relation.claims.get(switching)
        verdict = self.design_of(switching).verdict.deadlock_free
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


def gallery(
    routings: Sequence[str] | None = None,
    networks: Sequence[str] | None = None,
    *,
    switchings: Sequence[Switching] = SWITCHINGS,
    executor: Executor | None = None,
) -> Gallery:
    """Judge routings on small networks.

    Parameters
    ----------
    routings : sequence of str, optional
        Names or calls; by default every public routing with its default options, and `VARIANTS`.
    networks : sequence of str, optional
        By default `unknot.verify.testing.NETWORKS` and `MORE`.
    executor : concurrent.futures.Executor, optional
        Computes the proofs; by default processes.

    Raises
    ------
    UnknotError
        If a name or option is unknown, or no routing takes any of the networks.
    """
    networks = (*NETWORKS, *MORE) if networks is None else networks
    routings = sorted([*dict(named.routings().usable()), *VARIANTS]) if routings is None else list(routings)
    refusals: dict[tuple[str, str], str] = {}
    taken: list[tuple[str, str]] = []
    for routing in routings:
        named.routing_named(routing, "ROUTING")
        for network in networks:
            built = network_named(network, where="NETWORK")
            try:
                named.require_connected(built)
                named.routing(built, routing, where="ROUTING")
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
        proof=ProofLimit(time_limit=20.0),
    )
    done = run_study(study, executor=executor).designs
    width = len(switchings)
    return Gallery(
        tuple(Exhibit(*pair, done[i * width : (i + 1) * width]) for i, pair in enumerate(taken)),
        refusals,
        tuple(switchings),
    )


HEAD = ("routing", "source", "networks", "VCs", "minimal", "adaptivity", "verdict")


def rows(gallery: Gallery) -> list[tuple[str, ...]]:
    """Return a row for each routing: its source, figures, and verdicts."""
    return [
        (
            f"`{text}`",
            exhibits[0].relation.source or "–",
            str(len(exhibits)),
            vcs_per_channel(exhibits),
            minimal(exhibits),
            adaptivity(exhibits),
            verdicts(exhibits, gallery.switchings),
        )
        for text, exhibits in gallery.routings.items()
    ]


def gallery_text(gallery: Gallery) -> str:
    """The page: how to read the table, and every claim that does not hold with a counterexample in words."""
    lines = ["# Gallery of routings", "", lead(gallery), "", *READING, ""]
    lines += ["```{csv-table}", ":file: gallery.csv", ":header-rows: 1", "```"]
    apart = [line for where, techniques in refuted(gallery) for line in _difference(where, techniques)]
    if apart:
        lines += ["", "## Where source and verdict differ", "", *apart]
    return "\n".join(lines).rstrip() + "\n"


def _difference(where: list[Exhibit], switchings: list[Switching]) -> list[str]:
    """A claim of the source that does not hold, with the counterexample on the smallest network, in Markdown."""
    smallest = where[0]
    configuration = smallest.design_of(switchings[0]).verdict.configuration
    text = f"`{smallest.routing}`: {difference(where, switchings)}."
    if configuration is None:
        return [text, ""]
    command = (
        f'unknot check "{smallest.network}" --routing {shlex.quote(smallest.routing)} --switching {switchings[0]}'
    )
    shown = f"On {smallest.network} {len(configuration.messages)} messages block each other for ever:"
    return [text, shown, "", "```bash", f"{command}    # exit code 1", "```", ""]


READING = (
    "- VCs: fewest and most of a channel.",
    "- Minimal: on how many of the networks all routes are shortest paths.",
    "- Adaptivity: share of permitted shortest paths, the mean over pairs, lowest and highest over the networks.",
    "- Verdict: under all four techniques, then those with another. *Free* means no deadlock on any network, "
    "**3/12** a deadlock on 3 of 12.",
    "- Marks: ° the source makes no claim about some of the networks; ✗ the source claims otherwise.",
)


def lead(gallery: Gallery) -> str:
    """Return the introduction to the gallery: its size, and how many claims of sources fail."""
    against = sum(e.agrees(s) is False for e in gallery.exhibits for s in gallery.switchings)
    judged = sum(e.agrees(s) is not None for e in gallery.exhibits for s in gallery.switchings)
    networks = len({exhibit.network for exhibit in gallery.exhibits})
    texts = gallery.routings
    names = len({text.split("(")[0] for text in texts})
    versions = f" in {len(texts)} versions" if len(texts) > names else ""
    held = "all hold" if not against else f"{against:,} {'does' if against == 1 else 'do'} not hold"
    return (
        f"{count(names, 'routing')}{versions} were run on {count(networks, 'network')}. The sources of these "
        f"routings make {count(judged, 'claim')} about deadlock on these networks; {held}."
    )


def span(low: object, high: object) -> str:
    """A range, or one number where both ends are written alike."""
    return str(low) if str(low) == str(high) else f"{low}–{high}"


def verdicts(exhibits: Sequence[Exhibit], switchings: Sequence[Switching]) -> str:
    """The verdict under most techniques, then the techniques with another verdict."""
    cells = {switching: judged(exhibits, switching) for switching in switchings}
    common = max(cells.values(), key=list(cells.values()).count)
    return "; ".join([common, *(f"{switching} {cell}" for switching, cell in cells.items() if cell != common)])


def vcs_per_channel(exhibits: Sequence[Exhibit]) -> str:
    """Fewest and most virtual channels of a channel."""
    counts = [exhibit.relation.vcs.counts for exhibit in exhibits if exhibit.relation.vcs.counts.size]
    return span(min(int(c.min()) for c in counts), max(int(c.max()) for c in counts)) if counts else "none"


def minimal(exhibits: Sequence[Exhibit]) -> str:
    """Whether all routes are shortest paths, on all networks, on none, or on some."""
    answers = [exhibit.delivery.minimal is True for exhibit in exhibits]
    return "yes" if all(answers) else "no" if not any(answers) else f"{sum(answers)}/{len(answers)}"


def adaptivity(exhibits: Sequence[Exhibit]) -> str:
    """Mean share of the shortest paths that are permitted, lowest and highest over the networks."""
    means = [exhibit.adaptivity.mean for exhibit in exhibits]
    return span(f"{min(means):.2f}", f"{max(means):.2f}")


def judged(exhibits: Sequence[Exhibit], switching: Switching) -> str:
    """The verdicts of one technique over some networks, marked where they differ from the claim of the source."""
    verdicts = [exhibit.design_of(switching).verdict.deadlock_free for exhibit in exhibits]
    deadlocks, undecided = verdicts.count(False), verdicts.count(None)
    word = (
        f"**{deadlocks}/{len(verdicts)}**"
        if deadlocks
        else f"{undecided}/{len(verdicts)} open"
        if undecided
        else "free"
    )
    if any(exhibit.agrees(switching) is False for exhibit in exhibits):
        return word + "✗"
    return word + ("°" if any(switching not in exhibit.relation.claims for exhibit in exhibits) else "")


def differing(exhibits: Sequence[Exhibit], switchings: Sequence[Switching]) -> list[tuple[Exhibit, Switching]]:
    """Verdicts that differ from the claim of the source, the smallest network of each technique first."""
    ordered = sorted(exhibits, key=lambda exhibit: exhibit.relation.network.num_channels)
    return [(exhibit, s) for s in switchings for exhibit in ordered if exhibit.agrees(s) is False]


def refuted(gallery: Gallery) -> list[tuple[list[Exhibit], list[Switching]]]:
    """Claims that do not hold: the networks of each, smallest first, and the techniques that share these networks."""
    groups: dict[tuple[Exhibit, ...], list[Switching]] = {}
    for exhibits in gallery.routings.values():
        for switching in gallery.switchings:
            where = tuple(exhibit for exhibit, _ in differing(exhibits, [switching]))
            if where:
                groups.setdefault(where, []).append(switching)
    return [(list(where), techniques) for where, techniques in groups.items()]


def difference(where: Sequence[Exhibit], switchings: Sequence[Switching]) -> str:
    """Describe the claim of a routing's source, and the networks on which it fails."""
    says, is_so = ("cannot", "can") if where[0].relation.claims[switchings[0]] else ("can", "cannot")
    source, networks = where[0].relation.source, listed([exhibit.network for exhibit in where])
    who = f"the source ({source})" if source else "the source"
    return f"{who} says that it {says} deadlock under {listed(list(switchings))}; it {is_so} on {networks}"


if __name__ == "__main__":
    made = gallery(sys.argv[1:] or None)
    PAGE.write_text(gallery_text(made), encoding="utf-8")
    with PAGE.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *rows(made)])
