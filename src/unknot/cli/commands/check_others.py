"""What `unknot check` answers of an update, with end points, or of meshes of every size, in place of one routing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unknot._base.errors import RelationError
from unknot._base.manifest import was_written
from unknot.cli.commands.shared import RoutedNetwork

if TYPE_CHECKING:
    from unknot.certificates import Configuration
    from unknot.certificates.documents import Document
    from unknot.cli.answers.form import Form
    from unknot.network import Network
    from unknot.report.explanation import Section
    from unknot.routing.relation import Relation


@dataclass(frozen=True)
class Answered:
    """Answer to a question of `unknot check`, and what else is written and printed with it.

    Attributes
    ----------
    form, sources, keys
        The answer as `display.tell` takes it.
    holds
        What the exit code says.
    claims
        Makes the claims, where a file of evidence is to be written.
    relation, knot
        The routing, and its counterexample.
    network
        What the claims are about in place of the routing.
    drawn
        What is drawn with --out in place of the routing and its counterexample.
    explanation
        What is printed in place of the counterexample in sentences.
    """

    form: type[Form]
    sources: tuple[object, ...]
    keys: dict[str, Any]
    holds: tuple[bool | None, ...]
    claims: Callable[[], list[Document]]
    relation: Relation | None
    knot: Configuration | None = None
    network: Network | None = None
    drawn: tuple[Relation, Configuration | None] | None = None
    explanation: tuple[Section, ...] | None = None


def of_every_size(routed: RoutedNetwork) -> Answered:
    """Decide for all meshes of a family."""
    from unknot.cli.answers.design import CheckAllSizesAnswer
    from unknot.cli.commands import activity
    from unknot.synthesis import every_size

    family, routing, deadline = routed.network, routed.routing, routed.deadline
    if routed.vcs is not None:
        raise RelationError(f"--all-sizes: give VCs as an option of the routing, such as {routing}(vcs={routed.vcs})")
    with activity.working("looking for a proof"):
        verdict = every_size(family, routing, routed.technique("--all-sizes"), time_limit=deadline)
        holds = deadline.closing.closing.unless_over(lambda: verdict.holds)
    return Answered(
        CheckAllSizesAnswer,
        (verdict,),
        {"family": family, "holds": holds},
        holds=(verdict.deadlock_free,),
        claims=lambda: verdict.claims,
        relation=verdict.relation,
    )


def of_update(routed: RoutedNetwork, to: str) -> Answered:
    """Decide whether routers can be updated from one routing to another."""
    from unknot.cli.answers.analyses import CheckUpdateAnswer
    from unknot.cli.commands import activity
    from unknot.verify import update

    old, new = routed.relation(), routed.relation(to, "--to")
    began = time.monotonic()
    with activity.working("following packets of both routings") as progress:
        change = update(old, new, routed.technique("--to"), time_limit=routed.deadline, progress=progress)
        holds = routed.deadline.closing.closing.unless_over(lambda: change.evidence_holds)
    keys = {"routing": routed.routing, "to": to, "evidence_holds": holds, "seconds": time.monotonic() - began}
    return Answered(
        CheckUpdateAnswer,
        (change,),
        keys,
        holds=(change.deadlock_free, not change.lost),
        claims=lambda: change.claims,
        relation=change.relation,
        knot=change.configuration,
        network=old.network,
    )


def of_end_points(routed: RoutedNetwork, text: str, length: int | None) -> Answered:
    """Decide whether a routing can deadlock with a protocol whose messages have at most a length, with remedies."""
    from unknot._base.numbers import require_whole
    from unknot.cli.answers.messages import CheckProtocolAnswer
    from unknot.cli.commands import activity
    from unknot.verify.protocols import check_protocol, protocol
    from unknot.verify.protocols.decision import assumptions, for_any_room
    from unknot.verify.protocols.evidence import blocked, claims, holds, knot, steps
    from unknot.verify.protocols.remedies import remedies

    described, deadline = protocol(text, "--protocol"), routed.deadline
    relation, depth = routed.relation(), routed.buffer_depth
    require_whole("--packet-length", length or 1, 1, depth, unit="flits", error=RelationError)
    room = depth // length if length is not None else 1
    began = time.monotonic()
    with activity.working("proving"):
        verdict = check_protocol(relation, described, routed.technique("--protocol"), room=room, time_limit=deadline)
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
        CheckProtocolAnswer,
        (verdict,),
        keys,
        holds=(verdict.deadlock_free,),
        claims=lambda: claims(verdict),
        relation=relation,
        drawn=knot(verdict),
    )
