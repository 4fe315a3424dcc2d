"""`unknot simulate --protocol`: terminals with finite queues under a load, and deadlocks that are made again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.deadline import MINUTE, Deadline
from unknot._base.errors import SimulationError
from unknot.cli.commands.answered import AnswerFiles, OnNetwork
from unknot.cli.commands.controllers import Tables, of_controllers, table_in
from unknot.cli.commands.flows import technique_alone
from unknot.cli.commands.shared import relation_of
from unknot.cli.commands.simulated import common, refuse_pictures

if TYPE_CHECKING:
    from unknot.cli.commands.simulate import SimulateCommandOptions


def with_protocol(options: SimulateCommandOptions, text: str) -> None:
    """Simulate a routing with a protocol, or without a load replay the deadlock that the prover finds; print it."""
    from unknot.cli.answers.messages import SimulateProtocolAnswer, SimulateProtocolReplayAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.simulation.protocol_replay import replayed_in_flits
    from unknot.simulation.protocol_run import CYCLES, simulate_protocol
    from unknot.verify.protocols import check_protocol, protocol
    from unknot.verify.protocols.evidence import blocked, steps

    refuse_pictures("--protocol")
    technique = technique_alone(options.switching, "--protocol")
    table = table_in(text)
    if table is not None:
        if options.load is not None:
            raise SimulationError(
                "--load: state tables are replayed, a run to a deadlock step by step, without a load"
            )
        files, limit = AnswerFiles(json=options.json), Deadline.of(options.deadline or MINUTE)
        routed = OnNetwork(options.network, options.routing, options.vcs, technique, limit, options.flows)
        of_controllers(table, Tables(), limit, files, routed)
        return
    described = protocol(text, "--protocol")
    relation = relation_of(options.network, options.routing, options.vcs, flows=options.flows, proved=True)
    if options.load is None:
        with activity.working("proving"):
            verdict = check_protocol(relation, described, technique)
        with activity.working("replaying"):
            run = verdict.run
            replayed = None if run is None else replayed_in_flits(verdict.system, verdict.switching, run)
        tell(
            options.json, SimulateProtocolReplayAnswer, verdict, of=relation, protocol=described.name,
            replayed=replayed, steps=steps(verdict), blocked=blocked(verdict),
        )  # fmt: skip
        return
    point = common(options) | {"switching": technique}
    if not isinstance(point["packet_length"], int):
        raise SimulationError("--protocol takes one --packet-length for all messages")
    cycles = CYCLES if options.measure is None else options.measure
    with activity.working("simulating") as progress:
        outcome = simulate_protocol(relation, described, options.load, cycles=cycles, **point, progress=progress)
    tell(options.json, SimulateProtocolAnswer, outcome, of=relation, protocol=described.name, **point)
