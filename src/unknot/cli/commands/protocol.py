"""`unknot protocol`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from unknot._base.errors import RelationError
from unknot._base.manifest import was_written
from unknot._base.switching import BUFFER_DEPTH
from unknot.cli.commands.answered import Answered, AnswerFiles, OnNetwork, give
from unknot.cli.commands.controllers import Tables, of_controllers, table_in

if TYPE_CHECKING:
    from unknot.report.scene import Scene
    from unknot.verify.protocols.verdict import ProtocolVerdict


@dataclass(frozen=True)
class Carrier(OnNetwork):
    """The network that carries messages of classes, or of state tables, which need none."""

    network: str | None = None  # type: ignore[assignment]  # see `routed`
    routing: str | None = None  # type: ignore[assignment]

    def routed(self) -> OnNetwork:
        """The routing on the network, where both are given."""
        if self.network is None or self.routing is None:
            text = "a protocol of message classes is judged on a network: give --network and --routing"
            raise RelationError(f"{text}; a file with state tables needs both or neither")
        return self


def protocol(
    subject: str,
    system: Carrier,
    tables: Tables,
    output: AnswerFiles,
    buffer_depth: int = BUFFER_DEPTH,
    packet_length: int | None = None,
) -> int:
    """Say whether messages of a protocol can block each other through terminals and the network.

    State tables of controllers are judged with queues that hold any number of messages, and the fewest virtual
    networks are found. Exit code 0: messages cannot block each other; 1: a printed run ends in a deadlock; 3: the
    question is undecided in time, or not all was understood.

    Parameters
    ----------
    subject : argument PROTOCOL
        Protocol: request_reply, coherence, 'axi(…)' and others, with options if needed; or FILE.toml, with message
        classes or state tables; or FILE.csv, a state table; or gem5's FILE.slicc, or its .sm files with commas
        between them.
    packet_length : FLITS
        Length of the longest message in flits; a VC holds as many messages as fit into --buffer-depth.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.protocol("request_reply", network="ring(4)", routing="dimension_order", vcs=2)
    >>> answer.holds, answer.remedies[0].change
    (False, 'VCs of their own for request, reply')
    >>> unknot.protocol("examples/hangs/mi-saves.toml").fewest
    1
    """
    table = table_in(subject)
    if table is not None:
        routed = system.routed() if system.network or system.routing else None
        return of_controllers(table, tables, system.deadline, output, routed)
    answered = of_end_points(system.routed(), subject, buffer_depth, packet_length)
    return give(answered, output.evidence, output.json)


def of_end_points(routed: OnNetwork, text: str, depth: int, length: int | None) -> Answered:
    """Decide whether a routing can deadlock with a protocol whose messages have at most a length, with remedies.

    `depth` is that of a VC, in flits.
    """
    from unknot._base.numbers import require_whole
    from unknot.cli.answers.messages import ProtocolAnswer
    from unknot.cli.commands import activity
    from unknot.verify.protocols import check_protocol
    from unknot.verify.protocols import protocol as protocol_named
    from unknot.verify.protocols.evidence import blocked, claims, holds, knot, steps
    from unknot.verify.protocols.remedies import remedies
    from unknot.verify.protocols.verdict import assumptions, for_any_room

    described, deadline = protocol_named(text, "PROTOCOL"), routed.deadline
    relation = routed.relation()
    require_whole("--packet-length", length or 1, 1, depth, unit="flits", error=RelationError)
    messages = depth // length if length is not None else 1
    began = time.monotonic()
    with activity.working("proving"):
        verdict = check_protocol(
            relation, described, routed.technique("PROTOCOL"), room=messages, time_limit=deadline
        )
        if length is None and was_written("--buffer-depth"):
            verdict = for_any_room(verdict, depth)
        seconds = time.monotonic() - began
        accepted = deadline.closing.closing.unless_over(lambda: holds(verdict))
    with activity.working("looking for remedies"):
        cures = deadline.closing.unless_over(lambda: remedies(verdict, deadline)) or []
    keys = {
        "protocol": described.name, "certificate_holds": accepted, "steps": steps(verdict), "seconds": seconds,
        "transactions": sum(event.act == "begin" for event in verdict.run or ()), "remedies": cures,
        "blocked": blocked(verdict), "assumptions": assumptions(verdict.system, verdict.switching),
    }  # fmt: skip
    return Answered(
        ProtocolAnswer,
        (verdict,),
        keys,
        holds=(verdict.deadlock_free,),
        claims=lambda: claims(verdict),
        relation=relation,
        drawn=knot(verdict),
        scene=partial(_scene, verdict),
    )


def _scene(verdict: ProtocolVerdict) -> Scene:
    from unknot.report.scenes import protocol_scene

    return protocol_scene(verdict)
