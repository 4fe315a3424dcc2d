"""Forms of verdicts with the end points of a protocol."""

from __future__ import annotations

from unknot.cli.answers.form import Form, Natural, Number, form_of, key
from unknot.cli.answers.networks import RelationForm
from unknot.verify.protocols.decision import ProtocolVerdict
from unknot.verify.protocols.remedies import Remedy
from unknot.verify.protocols.words import Blocked


@form_of(Blocked)
class BlockedForm(Form):
    """A message that can never move."""


@form_of(Remedy)
class RemedyForm(Form):
    """A change with which messages no longer wait for each other for ever."""


@form_of(ProtocolVerdict, without=("run", "certificate", "system"))
class ProtocolAnswer(RelationForm):
    """JSON answer of `unknot check --protocol`."""

    table = (
        "network.name", "routing", "vcs", "protocol", "switching", "deadlock_free", "method", "seconds",
        "established", "certificate_holds", "ample", "states", "steps", "blocked", "remedies",
    )  # fmt: skip

    protocol: str
    ample: list[str]
    certificate_holds: bool | None = key(
        "Whether the separate checker accepts the evidence; null: there is none, or it is too large."
    )
    transactions: Natural = key("Transactions of the run to a deadlock; 0 without one.")
    steps: list[str] = key("The run from the empty network to a deadlock, in words.")
    blocked: list[BlockedForm] = key("The messages that are left when nothing moves.")
    remedies: list[RemedyForm] = key("Changes that are proved to be enough, the cheapest of each kind.")
    seconds: Number
