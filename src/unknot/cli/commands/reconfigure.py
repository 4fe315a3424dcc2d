"""`unknot reconfigure`."""

from __future__ import annotations

import time
from dataclasses import dataclass

from unknot.cli.commands.answered import Answered, AnswerFiles, OnNetwork, give


@dataclass(frozen=True, kw_only=True)
class Reconfiguration(OnNetwork):
    """Two routings on a network.

    Attributes
    ----------
    routing : argument OLD
        Present routing, as for --routing of `check`.
    to : argument NEW
        New routing.
    """

    heading = "Routing and technique"
    to: str


def reconfigure(asked: Reconfiguration, output: AnswerFiles) -> int:
    """Find an order in which routers change one by one to another routing, without deadlock and loss.

    Exit code 0: routers can change in any order, and no packet is lost; 1: a deadlock or a loss is possible; 3: the
    question is undecided in time.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.reconfigure("dimension_order", "west_first", network="mesh(3, 3)")
    >>> answer.holds, answer.deadlock_free
    (True, True)
    """
    from unknot.cli.answers.analyses import ReconfigureAnswer
    from unknot.cli.commands import activity
    from unknot.verify import update

    old, new = asked.relation(), asked.relation(asked.to, "NEW")
    began = time.monotonic()
    with activity.working("following packets of both routings") as progress:
        change = update(old, new, asked.technique("NEW"), time_limit=asked.deadline, progress=progress)
        holds = asked.deadline.closing.closing.unless_over(lambda: change.evidence_holds)
    keys = {"routing": asked.routing, "to": asked.to, "evidence_holds": holds, "seconds": time.monotonic() - began}
    answered = Answered(
        ReconfigureAnswer,
        (change,),
        keys,
        holds=(change.deadlock_free, not change.lost),
        claims=lambda: change.claims,
        relation=change.relation,
        knot=change.configuration,
        network=old.network,
    )
    return give(answered, output.evidence, output.json)
