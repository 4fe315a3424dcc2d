"""The figures of docs/design.md, made again: ``python examples/design_figures.py``, or with names of parts.

It takes some minutes, `hypercubes` alone some seconds. Parts:
fewest, pairs, bnrs, hypercubes, published, search, curves.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable

from unknot import deliver
from unknot._base.deadline import clock
from unknot.certificates import evidence_holds
from unknot.network.families import mesh
from unknot.routing import duato, lcfaa, vba, west_first
from unknot.search.effort import SearchEffort
from unknot.simulation import simulate
from unknot.synthesis import Design, Request, decide, design, every_size
from unknot.synthesis.requirements import Adaptive
from unknot.verify import check
from unknot.verify.adaptivity import adaptivity

TECHNIQUES = ("vct", "wormhole", "wormhole-nonatomic")
MEANINGS: tuple[Adaptive, ...] = ("states", "paths")


def fewest() -> None:
    """The fewest VCs per router for fully adaptive routing, by dimensions, technique and meaning."""
    for dimensions in (2, 3, 4):
        for switching in TECHNIQUES:
            for adaptive in MEANINGS:
                limit = 20.0 if (dimensions, switching) in HARD else 200.0
                _line(f"mesh({dimensions})", switching, adaptive, time_limit=limit, every=dimensions == 2)
    _line("mesh(5)", "vct", "states", time_limit=1000.0)


def pairs() -> None:
    """Two dimensions with one VC in a direction of each, under wormhole switching."""
    for adaptive in MEANINGS:
        one = decide(((1, 4), (1, 4)), "wormhole", Request(adaptive), effort=SearchEffort(clock() + 60))
        evidence = one.evidence
        steps = "" if evidence is None else f"{len(evidence.refuted)} deadlocks, {len(evidence.steps)} steps"
        print(f"mesh(2), 1/4 and 1/4, wormhole, {adaptive}: {one.outcome} ({one.holds}); {steps}", flush=True)


HARD = {(4, "wormhole"), (3, "wormhole-nonatomic"), (4, "wormhole-nonatomic")}
"""Questions whose upper bound the search does not reach in a reasonable time; see the page."""


def _line(family: str, switching: str, adaptive: Adaptive, **more: object) -> Design:
    began, cpu = time.monotonic(), time.process_time()
    designed = design(family, switching, adaptive=adaptive, **more)  # type: ignore[arg-type]
    wall, cpu = time.monotonic() - began, time.process_time() - cpu
    outcomes = Counter(one.outcome for one in designed.decisions)
    held = all(one.holds is not False for one in designed.decisions)
    evidence = {one.evidence.space.counts: one.evidence for one in designed.decisions if one.evidence is not None}
    text = f"{designed.vcs} VCs" if designed.vcs else "no rule found"
    print(
        f"{family:12} {switching:19} {adaptive:7} {text:14} fewest: {designed.fewest!s:5} "
        f"at least {designed.lower_bound}; {dict(outcomes)}; {len(evidence)} refutations with "
        f"{sum(len(e.refuted) for e in evidence.values())} deadlocks, {sum(len(e.walks) for e in evidence.values())} "
        f"cycles, {sum(len(e.steps) for e in evidence.values())} steps; checkers accept all: {held}; "
        f"{cpu:.1f} s of processor, {wall:.1f} s",
        flush=True,
    )
    best = designed.best
    if best is not None and best.proof is not None:
        print(f"    {best.space.text}; proof: {best.proof.kind}, {len(best.proof.levels)} levels")
    working = [one.space.text for one in designed.decisions if one.outcome == "found"]
    if more.get("every"):
        print(f"    distributions that work: {'; '.join(working)}", flush=True)
    return designed


def bnrs() -> None:
    """How many BNRs one VC in each direction can provide."""
    for dimensions in (2, 3):
        for switching in TECHNIQUES:
            for adaptive in MEANINGS:
                began = time.process_time()
                outcome = ""
                for least in range(1, 2**dimensions + 1):
                    one = decide(((1, 1),) * dimensions, switching, Request(adaptive, least))
                    outcome += f" {least}: {one.outcome} ({one.holds})"
                print(
                    f"mesh({dimensions}), 1 VC each way, {switching}, {adaptive}:{outcome}; "
                    f"{time.process_time() - began:.1f} s",
                    flush=True,
                )


def hypercubes() -> None:
    """The fewest VCs on hypercubes."""
    for dimensions in (2, 3):
        for switching in TECHNIQUES:
            _line(f"hypercube({dimensions})", switching, "states", time_limit=60.0)


def published() -> None:
    """Published algorithms on meshes of every size."""
    for family, routing, switching in (
        ("mesh(3)", "dimension_order", "wormhole-nonatomic"),
        ("mesh(2)", "west_first", "wormhole-nonatomic"),
        ("mesh(3)", "west_first", "wormhole-nonatomic"),
        ("mesh(3)", "north_last", "wormhole-nonatomic"),
        ("mesh(3)", "negative_first", "wormhole-nonatomic"),
        ("mesh(3)", "planar_adaptive", "wormhole-nonatomic"),
        ("mesh(3)", "vba", "wormhole-nonatomic"),
        ("mesh(2)", "duato", "vct"),
        ("mesh(3)", "duato", "vct"),
        ("mesh(2)", "duato", "wormhole"),
        ("mesh(3)", "duato", "wormhole"),
        ("mesh(2)", "lcfaa", "vct"),
        ("mesh(3)", "lcfaa", "vct"),
        ("mesh(4)", "lcfaa", "vct"),
        ("mesh(5)", "lcfaa", "vct"),
        ("mesh(2)", "lcfaa", "wormhole"),
        ("mesh(2)", "schwiebert", "wormhole"),
        ("mesh(3)", "schwiebert", "wormhole"),
        ("mesh(4)", "schwiebert", "wormhole"),
        ("mesh(5)", "schwiebert", "wormhole"),
        ("mesh(2)", "odd_even", "wormhole"),
    ):
        verdict = every_size(family, routing, switching, time_limit=600.0)
        proof = "" if verdict.proof is None else f"{verdict.proof.kind}, {len(verdict.proof.levels)} levels"
        print(
            f"{routing:16} {family} {switching:19} deadlock-free: {verdict.deadlock_free!s:5} {proof} "
            f"{verdict.reason[:60]} "
            f"refuted on {verdict.refuted_on}, decided up to {verdict.decided[-1:]}; checker: {verdict.holds}; "
            f"{verdict.seconds:.1f} s",
            flush=True,
        )


def search() -> None:
    """Found rules on larger meshes, by prover and checker."""
    for family, switching, sides in (
        ("mesh(2)", "vct", (8, 8)),
        ("mesh(2)", "wormhole", (8, 8)),
        ("mesh(2)", "wormhole-nonatomic", (8, 8)),
        ("mesh(3)", "vct", (4, 4, 4)),
        ("mesh(3)", "wormhole", (4, 4, 4)),
    ):
        one = design(family, switching, time_limit=200.0).best
        if one is not None and one.rule is not None:
            relation = one.rule.on(sides)
            verdict, delivery = check(relation, switching), deliver(relation)
            print(
                f"{family} {switching} on {relation.network.name}: deadlock-free {verdict.deadlock_free}, checker "
                f"{evidence_holds(relation, verdict)}, delivers {delivery.delivered}, minimal {delivery.minimal}"
            )
            print(one.rule.text, flush=True)


def curves() -> None:
    """Adaptivity, and latency of a found rule beside published algorithms, on an 8×8 mesh under cut-through."""
    one = design("mesh(2)", "vct").best
    if one is None or one.rule is None:
        return
    network = mesh(8, 8)
    for relation in (one.rule.on(network), lcfaa(network), west_first(network), vba(network), duato(network)):
        channels = max(1, network.num_channels)
        text = f"{relation.name:10} {relation.num_vcs / channels:.2f} VCs per channel, "
        text += f"adaptivity {adaptivity(relation).mean:.3f}; latency at load:"
        for load in (0.1, 0.2, 0.3, 0.35, 0.4):
            run = simulate(relation, load, packet_length=4, switching="vct", seed=1)
            text += f" {load}: {run.latency_mean:.1f}" if run.stable else f" {load}: saturated"
        print(text, flush=True)


PARTS: dict[str, Callable[[], None]] = {
    part.__name__: part for part in (fewest, pairs, bnrs, hypercubes, published, search, curves)
}

if __name__ == "__main__":
    if strange := set(sys.argv[1:]) - set(PARTS):
        sys.exit(f"usage: python examples/design_figures.py [{'|'.join(PARTS)}]...; got {', '.join(sorted(strange))}")
    for _name in sys.argv[1:] or PARTS:
        print(f"== {_name}: {PARTS[_name].__doc__}")
        PARTS[_name]()
