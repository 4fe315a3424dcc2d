"""`unknot check --protocol` and `simulate --protocol`: a routing with the end points of a protocol."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import SimulationError, UnknotError
from unknot._base.switching import Switching
from unknot.cli.commands.shared import exit_code, relation_of, write_evidence

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot.traffic.workload import Lengths


def check_end_points(
    network: str,
    routing: str,
    text: str,
    vcs: int | None,
    switching: Switching,
    deadline: Deadline,
    flows: Path | None,
    evidence: Path | None,
    *,
    json: bool,
) -> int:
    """Decide whether a routing can deadlock with a protocol, print it with remedies, and return the exit code."""
    from unknot.cli.answers.protocols import ProtocolAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.verify.protocols import check_protocol, protocol
    from unknot.verify.protocols.evidence import claims, holds
    from unknot.verify.protocols.remedies import remedies
    from unknot.verify.protocols.words import blocked, steps

    if evidence is not None and evidence.suffix == ".v":
        raise UnknotError(f"{evidence}: files for Coq are about a routing alone; with --protocol it is a FILE.json")
    described = protocol(text, "--protocol")
    relation = relation_of(network, routing, vcs, flows=flows, proved=True)
    began = time.monotonic()
    with activity.working("proving"):
        verdict = check_protocol(relation, described, switching, time_limit=deadline)
    seconds = time.monotonic() - began
    with activity.working("looking at the evidence"):
        accepted = deadline.closing.closing.unless_over(lambda: holds(verdict))
    with activity.working("looking for remedies"):
        cures = deadline.closing.unless_over(lambda: remedies(verdict, deadline)) or []
    if evidence is not None:
        write_evidence(evidence, relation.network, relation, claims(verdict))
    tell(
        json, ProtocolAnswer, verdict, of=relation, protocol=described.name, certificate_holds=accepted,
        transactions=sum(event.act == "begin" for event in verdict.run or ()), steps=steps(verdict),
        blocked=blocked(verdict), remedies=cures, seconds=seconds,
    )  # fmt: skip
    return exit_code(verdict.deadlock_free)


def simulate_end_points(
    network: str,
    routing: str,
    text: str,
    vcs: int | None,
    flows: Path | None,
    load: float | None,
    flits: Lengths,
    cycles: int | None,
    *,
    json: bool,
    **point: Any,
) -> None:
    """Simulate a routing with a protocol, or without a load replay the deadlock that the prover finds; print it."""
    from unknot.cli.answers.protocols import ProtocolReplayAnswer, ProtocolRunAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.simulation.protocol_run import CYCLES, replayed_in_flits, simulate_protocol
    from unknot.verify.protocols import check_protocol, protocol
    from unknot.verify.protocols.words import blocked, steps

    if not isinstance(flits, int):
        raise SimulationError("--protocol takes one --packet-length for all messages")
    described = protocol(text, "--protocol")
    relation = relation_of(network, routing, vcs, flows=flows, proved=True)
    if load is None:
        with activity.working("proving"):
            verdict = check_protocol(relation, described, point["switching"])
        with activity.working("replaying"):
            run = verdict.run
            replayed = None if run is None else replayed_in_flits(verdict.system, verdict.switching, run)
        tell(
            json, ProtocolReplayAnswer, verdict, of=relation, protocol=described.name, replayed=replayed,
            steps=steps(verdict), blocked=blocked(verdict),
        )  # fmt: skip
        return
    point["packet_length"] = flits
    with activity.working("simulating") as progress:
        outcome = simulate_protocol(
            relation, described, load, cycles=CYCLES if cycles is None else cycles, **point, progress=progress
        )
    tell(json, ProtocolRunAnswer, outcome, of=relation, protocol=described.name, **point)
