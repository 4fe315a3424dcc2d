"""`unknot faults --repair` of routings of Ethernet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unknot.network import Network
    from unknot.verify.failures import Parts


def repaired_queues(
    network: Network, routing: str, kind: Parts, at_once: int, budget: int, evidence: Path | None, *, json: bool
) -> bool | None:
    """Find the fewest lossless queues for all routes after failures; whether every state is free in them."""
    from unknot.cli.answers.ethernet import FaultQueuesAnswer, fault_queues_answer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import put
    from unknot.cli.commands.shared import write_evidence
    from unknot.repair.fault_queues import fault_queues
    from unknot.routing.named import routing as routing_from

    with activity.working("faults") as progress:
        after = fault_queues(
            network, lambda left: routing_from(left, routing, None, where="--routing"), kind, at_once,
            budget=budget, progress=progress,
        )  # fmt: skip
    claim = after.queues.claim
    if evidence is not None:
        write_evidence(evidence, network, None, [] if claim is None else [claim])
    put(json, FaultQueuesAnswer, fault_queues_answer(after))
    return after.free
