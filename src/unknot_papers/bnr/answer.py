"""JSON form of `unknot bnr`."""

from __future__ import annotations

from unknot.cli.answers.analyses import ForbiddenPathForm
from unknot.cli.answers.form import AddressName, ChannelName, Form, TerminalName, VcName, form_of, key
from unknot.cli.answers.networks import RelationForm
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot_papers.bnr.table import Bnr, Conclusion, Refusal


@form_of(Refusal)
class RefusalForm(Form):
    """A header that has lost a shortest path by what it chose before."""

    source: TerminalName
    address: AddressName
    walk: list[VcName]
    channel: ChannelName


@form_of(Bnr)
class BnrForm(Form):
    """One class of messages and its best network for routing."""

    table = ("name", "provided", "full_pairs", "pairs", "forbidden", "refusal")
    forbidden: ForbiddenPathForm | None = key("A shortest path that is not permitted, as short as may be.")
    name: str


@form_of(Conclusion, without=("verdict", "delivery", "table"))
class BnrAnswer(VerdictForm, DeliveryForm, RelationForm):
    """JSON answer of `unknot bnr`."""

    table = (
        "network.name", "routing", "vcs", "switching", "deadlock_free", "established", "certificate_holds", "minimal",
        "delivered", "holds", "reasons", "bnrs",
    )  # fmt: skip

    bnrs: list[BnrForm]
