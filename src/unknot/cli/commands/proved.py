"""Verdict, delivery and evidence of routes that a search has found, in the time that is left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unknot._base.switching import DEFAULT_SWITCHING
from unknot.cli.commands.guard import SPARED
from unknot.cli.commands.shared import exit_code
from unknot.cli.exit_codes import FAILS

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot.certificates import Document, Verdict
    from unknot.network import Network
    from unknot.routing.relation import Relation
    from unknot.verify import Delivery

EACH, PER_STATE = 0.5, 2e-6
"""Seconds that are kept to prove what a search finds: for each proof, and for each channel and destination router."""
LAST = 0.5
"""Seconds for that after Ctrl-C."""
SHARE = 0.35
"""Most of the time that is kept for that."""


@dataclass(frozen=True)
class Proved:
    """Verdict and delivery of routes, each open where there was no time; `holds`: whether the checker accepts it."""

    verdict: Verdict
    delivery: Delivery
    holds: bool | None

    @property
    def code(self) -> int:
        """The exit code."""
        return FAILS if self.holds is False else exit_code(self.verdict.deadlock_free, self.delivery.delivered)

    def claims(self, relation: Relation) -> list[Document]:
        """What is not open, as claims of a document."""
        from unknot.certificates import answer_claims

        return answer_claims(relation, [self.verdict], self.delivery)


def searching(network: Network, deadline: Deadline, times: int = 1) -> Deadline:
    """The deadline of a search that leaves time for the proof of what it finds, several times."""
    states = network.num_channels * min(network.num_routers, network.num_terminals)
    return replace(deadline, end=deadline.end - min(SHARE * deadline.left, times * (EACH + PER_STATE * states)))


def proved(relation: Relation, deadline: Deadline, switching: str = DEFAULT_SWITCHING) -> Proved:
    """Judge a relation until a deadline, or soon after Ctrl-C; what is not known then is open."""
    from unknot._base.deadline import Deadline
    from unknot.certificates import evidence_holds
    from unknot.verify import check, deliver
    from unknot.verify.delivery import NOT_FOLLOWED

    ending = deadline.closing.closing
    if SPARED.is_set():
        deadline = ending = Deadline.after(LAST)
    verdict = check(relation, switching, time_limit=deadline)
    delivery = ending.unless_over(lambda: deliver(relation))
    return Proved(verdict, delivery or NOT_FOLLOWED, ending.unless_over(lambda: evidence_holds(relation, verdict)))
