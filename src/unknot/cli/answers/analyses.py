"""Forms of analyses beside deadlock: properties, faults, and updates from one routing to another."""

from __future__ import annotations

from typing import Annotated, Any

from unknot.cli.answers.configuration_file import ConfigurationForm
from unknot.cli.answers.form import (
    PAIR,
    AddressName,
    ChannelName,
    Form,
    Natural,
    Number,
    RouterName,
    TerminalName,
    VcName,
    Words,
    form_of,
    key,
)
from unknot.cli.answers.networks import RelationForm, WithUnits
from unknot.cli.answers.verdicts import DeliveryForm, LoopForm
from unknot.verify.adaptivity import Adaptivity
from unknot.verify.fault_sweep import FaultSweep
from unknot.verify.loads import Loads
from unknot.verify.minimal_paths import ForbiddenPath
from unknot.verify.properties import Properties, VcUse
from unknot.verify.table_faults import TableFaults
from unknot.verify.update import Update
from unknot.verify.update_search import Order


@form_of(ForbiddenPath)
class ForbiddenPathForm(Form):
    """A shortest path that is not permitted."""

    source: TerminalName
    destination: TerminalName
    channels: list[ChannelName]


def _forbidden_words(path: Any, _: Any) -> str:
    if path is None:
        return ""
    channels, refused = path["channels"], path["refused"]
    return f"{path['source']} to {path['destination']} by {', '.join(channels)}: {channels[refused]} is not offered"


Forbidden = Annotated[ForbiddenPathForm | None, Words(_forbidden_words)]


@form_of(Adaptivity)
class AdaptivityForm(Form):
    """Permitted shortest paths over all shortest paths."""

    worst_pair: Annotated[tuple[TerminalName, TerminalName] | None, PAIR]
    forbidden: Forbidden


@form_of(VcUse)
class VcUseForm(Form):
    """Virtual channels of a relation, and those that are never used."""

    unused: list[VcName]
    idle_channels: list[ChannelName] = key("All of whose VCs are unused.")


@form_of(Loads)
class LoadsForm(Form):
    """Channel loads under some traffic."""

    busiest: ChannelName | None = key("null: no channel carries anything.")


class LivelockForm(Form):
    """Whether every route ends."""

    free: bool
    cycles: list[str] = key("The first cycles of states, in words.")


@form_of(Properties, without=("delivery",))
class AnalyseAnswer(DeliveryForm, RelationForm, WithUnits):
    """JSON answer of `unknot analyse`."""

    livelock: LivelockForm
    table = (
        "network.name", "routing", "vcs", "num_vcs", "delivered", "minimal", "longest_route", "longest_pair",
        "livelock.free", "livelock.cycles", "adaptivity.fully_adaptive",
        "adaptivity.mean", "adaptivity.worst", "adaptivity.worst_pair", "adaptivity.forbidden", "vc_use.total",
        "vc_use.per_channel", "vc_use.per_router", "vc_use.unused", "loads.highest", "loads.busiest",
        "loads.throughput", "best.highest", "best.busiest", "best.throughput", "left_out",
    )  # fmt: skip


def _proved(never: bool | None, _: Any) -> str:
    return "yes" if never else ""


@form_of(FaultSweep, without=("claims",))
class FaultsAnswer(Form):
    """JSON answer of `unknot faults`."""

    table = (
        "network", "routing", "switching", "kind", "faults", "possible", "counts", "survives", "never_deadlocks",
        "tried", "unread",
    )  # fmt: skip

    survives: bool | None = key(
        "Nothing but `holds` and `disconnected` came about; null: some are `undecided`, or not all is read."
    )
    counts: dict[str, int] = key("Sets of faults by outcome.")
    never_deadlocks: Annotated[bool | None, Words(_proved)]


class PlanForm(Form):
    """Faults of a folder of Ethernet switches under one AS plan."""

    table = ("routing", "same_routes", "compared_routes", "counts", "survives")

    routing: str = key("With the AS plan.")
    same_routes: Natural = key("Routes of the folder that are those computed with all cables up.")
    compared_routes: Natural = key("Routes that were compared.")
    counts: dict[str, int] = key("Sets of faults by outcome.", of="sweep.counts")
    survives: bool | None = key("As of `sweep`.", of="sweep.survives")
    sweep: FaultsAnswer = key("All faults.")


class FaultsPlansAnswer(Form):
    """JSON answer of `unknot faults FOLDER --routing bgp` where the folder does not tell the AS plan."""

    table = ("fabric", "survives", "plans")

    fabric: str
    survives: bool | None = key(
        "False: under none of these plans; else null: the plan is not known, and others may do otherwise."
    )
    plans: list[PlanForm] = key("AS plans that have a name, each with its result.")


@form_of(TableFaults, without=("fabric", "_routes", "_failed"))
class FaultsFabricAnswer(Form):
    """JSON answer of `unknot faults FABRIC`: faults with the forwarding tables as they are."""

    table = (
        "fabric", "tables_file", "kind", "faults", "possible", "pairs", "undelivered_before", "counts", "survives",
        "unknown_because", "tried",
    )  # fmt: skip

    fabric: str
    tables_file: str
    survives: bool | None = key("No fault cuts off a pair of surviving hosts; null: not all routes are known.")
    counts: dict[str, int] = key("Sets of faults by outcome.")


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


def _drained_words(addresses: list[str], _: Any) -> str:
    if not addresses:
        return ""
    return (
        f"{', '.join(addresses)}\nSend nothing to them, and begin when no packet to them is on its way, since the "
        "proof leaves such out. Then any order is safe; send to them again when all routers are updated."
    )


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
    drained: Annotated[list[AddressName], Words(_drained_words)]


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


class CheckUpdateAnswer(UpdateForm, RelationForm):
    """JSON answer of `unknot check --to`."""

    table = (
        "network.name", "routing", "to", "vcs", "switching", "deadlock_free", "established", "updated", "lasts",
        "seconds", "evidence_holds", "lost", "loops", "order.complete", "order.batches", "order.drained",
    )  # fmt: skip

    to: str = key("The routing that it becomes; `routing` is the one before.")
    seconds: Number
