"""Forms of verdicts and runs with the end points of a protocol."""

from __future__ import annotations

from unknot._base.switching import Switching
from unknot.cli.answers.form import Form, Natural, Number, Positive, form_of, key
from unknot.cli.answers.networks import RelationForm
from unknot.cli.answers.runs import RouterOptions
from unknot.simulation.protocol_run import ProtocolRun
from unknot.verify.protocols.decision import ProtocolVerdict
from unknot.verify.protocols.remedies import ProtocolRemedy
from unknot.verify.protocols.words import Blocked


@form_of(Blocked)
class BlockedForm(Form):
    """A message that can never move."""


@form_of(ProtocolRemedy)
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


@form_of(ProtocolRun)
class ProtocolRunAnswer(RelationForm):
    """JSON answer of `unknot simulate --protocol`."""

    table = (
        "network.name", "routing", "vcs", "protocol", "switching", "offered_load", "accepted_load", "deadlock",
        "cycles", "created", "begun", "done", "latency_mean", "latency_p50", "latency_p95", "latency_p99",
        "latency_max", "consumed", "packet_length", "buffer_depth", "seed", "blocked",
    )  # fmt: skip

    protocol: str
    switching: Switching
    packet_length: Positive
    buffer_depth: Positive
    router: RouterOptions
    seed: Natural
    blocked: list[BlockedForm] = key("The messages that can never move.")


@form_of(ProtocolVerdict, without=("run", "certificate", "system", "ample", "states", "empties"))
class ProtocolReplayAnswer(RelationForm):
    """JSON answer of `unknot simulate --protocol` without a load."""

    table = (
        "network.name", "routing", "vcs", "protocol", "switching", "deadlock_free", "established", "replayed",
        "steps", "blocked",
    )  # fmt: skip

    protocol: str
    replayed: bool | None = key("Whether messages of a flit made the same moves and nothing moved for 1,000 cycles.")
    steps: list[str] = key("The run from the empty network to a deadlock, in words.")
    blocked: list[BlockedForm] = key("The messages that are left when nothing moves.")
