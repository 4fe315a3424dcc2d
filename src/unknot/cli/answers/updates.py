"""Form of an update from one routing to another."""

from __future__ import annotations

from typing import Annotated, Any

from unknot.cli.answers.configuration_file import ConfigurationForm
from unknot.cli.answers.form import AddressName, Form, Number, RouterName, VcName, Words, form_of, key
from unknot.cli.answers.networks import RelationForm
from unknot.cli.answers.verdicts import LoopForm
from unknot.verify.update import Update
from unknot.verify.update_order import Order


def _batches_words(batches: list[list[str]], _: Any) -> str:
    return "\n".join(f"{number}: {', '.join(batch)}" for number, batch in enumerate(batches, start=1))


def _lasts_words(lasts: bool, beside: Any) -> str:
    if beside["configuration"] is None:
        return ""
    return "also when all routers have been updated" if lasts else "until more routers are updated"


def _complete_words(complete: bool, beside: Any) -> str:
    if beside["batches"]:
        return "packets of before have to leave the network before the next batch begins; traffic goes on"
    return "no order is safe: all were tried" if complete else "no safe order was found in the time given"


def _lost_words(lost: list[Any], _: Any) -> str:
    if not lost:
        return ""
    return f"packets for {lost[0]['address']} at {lost[0]['at']}" + (
        f", and {len(lost) - 1} more" if lost[1:] else ""
    )


def _loops_words(loops: list[Any], _: Any) -> str:
    if not loops:
        return ""
    return f"packets for {loops[0]['address']} by {' → '.join(loops[0]['places'])}"


class LostForm(Form):
    """Where packets can come to a router that has no way for them, before or after its update."""

    at: VcName
    address: AddressName


@form_of(Order, without=("proofs",))
class OrderForm(Form):
    """Batches of routers to update one after the other."""

    batches: Annotated[list[list[RouterName]], Words(_batches_words)] = key(
        "Routers that are updated in any order, batch after batch; empty: no safe order, or none was found."
    )
    complete: Annotated[bool, Words(_complete_words)]
    drained: list[AddressName]


@form_of(Update, without=("mixture", "proofs"))
class UpdateForm(Form):
    """What can happen while routers change from one routing to another."""

    configuration: ConfigurationForm | None
    updated: list[RouterName]
    lasts: Annotated[bool, Words(_lasts_words)]
    lost: Annotated[list[LostForm], Words(_lost_words)]
    loops: Annotated[list[LoopForm], Words(_loops_words)]
    order: OrderForm | None
    evidence_holds: bool | None = key("Whether the separate checker accepts the evidence; null: none, or too large.")


class UpdateAnswer(UpdateForm, RelationForm):
    """JSON answer of `unknot check --to`."""

    table = (
        "network.name", "routing", "to", "vcs", "switching", "deadlock_free", "established", "updated", "lasts",
        "seconds", "evidence_holds", "lost", "loops", "order.complete", "order.batches", "order.drained",
    )  # fmt: skip

    to: str = key("The routing that it becomes; `routing` is the one before.")
    seconds: Number
