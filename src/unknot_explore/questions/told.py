"""The verdict in words, the knot step by step, and the order or the dependencies behind the answer."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.errors import UnknotError
from unknot_explore.design import Design
from unknot_explore.questions import Tell
from unknot_explore.questions.pictured import asked, numbers_in_whole

if TYPE_CHECKING:
    from unknot.routing.relation import Relation
    from unknot.verify.examination import Examination

SECONDS = 60.0
"""Seconds for a verdict."""
MOST_DEPENDENCIES = 40_000
"""Most dependencies that are sent to the page."""
WORDS = {
    (True, True): "It cannot deadlock, and every packet arrives.",
    (True, False): "It cannot deadlock, but some packets never arrive.",
    (True, None): "It cannot deadlock; whether every packet arrives is open.",
    (False, True): "It can deadlock.",
    (False, False): "It can deadlock, and some packets never arrive.",
    (False, None): "It can deadlock.",
}
EARLY = {True: "It cannot deadlock. Does every packet arrive?", False: "It can deadlock. Does every packet arrive?"}
QUIET = 0.3
"""Seconds between two words of progress."""
WARMING = Design.of({"network": "torus(16, 16)", "vcs": 1})
"""Large enough for compiled kernels, small enough for an answer in a second; with a deadlock to replay."""
OPEN = "The question is open: there was no answer in time."


def verdict(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Whether the design can deadlock and delivers; then the knot or the proof's order; then who depends on whom."""
    from unknot._base.deadline import Deadline
    from unknot.cli.commands.flows import flow_of
    from unknot.report.explanation import explain
    from unknot.simulation import replay
    from unknot.verify.examination import FurtherAnswers, examine

    relation = design.relation()
    technique, flow = flow_of(relation, design.switching)
    further = FurtherAnswers(flow is None, flow)
    limit = Deadline.of(SECONDS, "verdict")
    going = _Going(tell)
    examined = examine(
        relation, technique, further, deadline=limit, buffer_depth=design.buffer_depth, report=going.told,
        first=going.decided,
    )  # fmt: skip
    found, delivery = examined.verdict, examined.delivery
    knot = found.configuration
    outcome = replay(relation, knot) if knot is not None else None
    # Under a flow control of the relation there is no explanation in steps, as with `unknot check`.
    sections = explain(relation, found, delivery, holds=examined.holds, replay=outcome) if flow is None else ()
    tell(
        {
            "free": found.deadlock_free,
            "delivered": delivery.delivered,
            "words": OPEN if found.deadlock_free is None else WORDS[found.deadlock_free, delivery.delivered],
            "established": found.established,
            "routing": relation.name,
            "vcs": relation.vcs.counts.tolist()[:1],
            "techniques": {name: each.deadlock_free for name, each in examined.verdicts.items()},
            "sections": [[section.title, [*section.paragraphs]] for section in sections],
            "undelivered": [delivery.undelivered_pairs, delivery.pairs],
            **asked(design, "check"),
        }
    )
    _tell_evidence(design, relation, examined, tell)


def warm(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Have the kernels of the prover compiled, or read from the disk, ahead of questions."""
    if hasattr(os, "nice"):
        os.nice(10)  # questions go first
    verdict(WARMING, given, lambda _: None)


class _Going:
    """What goes on, told from time to time, and the verdict as soon as decided."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._words, self._quiet = tell, "", time.monotonic() + QUIET
        self._next = self._quiet

    def told(self, stage: str, done: int, total: int) -> None:
        """Tell how far a stage is."""
        if time.monotonic() >= self._next:
            of = f" of {total:,}" if total else ""
            self._tell({"progress": f"{self._words or 'Asking the prover …'} {stage} {done:,}{of}"})
            self._next = time.monotonic() + QUIET

    def decided(self, examined: Examination) -> None:
        """Tell the verdict, and after delivery that the proof is being checked."""
        free, delivered = examined.verdict.deadlock_free, examined.delivery.delivered
        if free is None:
            return
        self._words = EARLY[free] if delivered is None else f"{WORDS[free, delivered]} The proof is checked again …"
        if time.monotonic() > self._quiet:  # an answer that comes at once needs no word before
            self._tell({"progress": self._words})


def _tell_evidence(design: Design, relation: Relation, examined: Examination, tell: Tell) -> None:
    """The knot as a story, ranks of channels in the proof, and dependencies folded onto pairs of channels."""
    from unknot.report.story import order, story
    from unknot.simulation.traces.recording import record
    from unknot.verify.states import dependencies

    channels = numbers_in_whole(design.whole(), relation.network)
    knot, proof = examined.verdict.configuration, examined.verdict.certificate
    if knot is not None:
        told = story(relation, knot, record(relation, knot), channels)
        tell({"story": told})
    if proof is not None and proof.rank.size:
        tell(order(relation.vcs, proof, channels))
    graph = dependencies(relation)
    source, inner = relation.vcs.channel[graph.source], graph.inner
    pairs = np.unique(np.stack([source, relation.vcs.channel[graph.target], inner]), axis=1).T
    pairs = pairs[np.argsort(~pairs[:, 2].astype(bool), kind="stable")]
    rows = [[channels[a], channels[b], int(on)] for a, b, on in pairs[:MOST_DEPENDENCIES].tolist()]
    tell({"dependencies": rows, "of": len(pairs)})


def protocol(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Whether messages of a protocol can block each other through terminals and the network."""
    import unknot

    name, text = str(given["protocol"]), design.network_text(design.whole())
    options: dict[str, Any] = {"vcs": design.vcs, "switching": design.switching, "buffer_depth": design.buffer_depth}
    found = unknot.protocol(name, network=text, routing=design.routing_text, **options)
    blocked = "cannot block each other" if found.holds else "can block each other for ever"
    tell(
        {
            "free": found.holds,
            "words": OPEN if found.holds is None else f"Its messages {blocked}.",
            "command": f"unknot protocol {name} --network {text!r}",
        }
    )


def exercise(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Whether a design solves an exercise of the course, and what is still missing."""
    from unknot_explore.course import course, missing

    parts: list[dict[str, Any]] = []
    number, tasks = given["number"], course()
    if number not in range(len(tasks)):
        raise UnknotError(f"there is no exercise {number!r}; the first of the {len(tasks)} has number 0")
    verdict(design, given, parts.append)
    task = tasks[number]
    safe = None
    if "protocol" in task:
        protocol(design, {"protocol": task["protocol"]}, parts.append)
        safe = parts[-1]["free"]
    told = next(part for part in parts if "sections" in part)
    left = missing(task, design, told, stepped=bool(given.get("stepped")), safe=safe)
    tell({"solved": not left, "missing": left})
