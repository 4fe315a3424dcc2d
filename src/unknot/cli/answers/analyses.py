"""Forms of analyses beside deadlock: properties, faults, and updates from one routing to another."""

from __future__ import annotations

from typing import Annotated, Any

from unknot._base.quantities import AddressNumber, ChannelNumber, RouterNumber, TerminalNumber, VcNumber
from unknot.cli.answers.form import Form, Number, Words
from unknot.cli.answers.networks import RelationForm, WithUnits
from unknot.cli.answers.verdicts import DeliveryForm, LoopForm
from unknot.cli.answers.words import PAIR
from unknot.verify.adaptivity import Adaptivity
from unknot.verify.as_plans import PlanSweep
from unknot.verify.failures import FailureCase
from unknot.verify.fault_sweep import FaultSweep
from unknot.verify.managed_faults import ManagedFaults
from unknot.verify.minimal_paths import ForbiddenPath
from unknot.verify.properties import Properties, VcUse
from unknot.verify.table_faults import TableFaults
from unknot.verify.update import Update
from unknot.verify.update_search import BatchOrder


def _forbidden_words(path: Any, _: Any) -> str:
    if path is None:
        return ""
    channels, refused = path["channels"], path["refused"]
    return f"{path['source']} to {path['destination']} by {', '.join(channels)}: {channels[refused]} is not offered"


class ForbiddenPathForm(Form, of=ForbiddenPath, said=_forbidden_words):
    """A shortest path that is not permitted."""


class AdaptivityForm(Form, of=Adaptivity):
    """Permitted shortest paths over all shortest paths."""

    worst_pair: Annotated[tuple[TerminalNumber, TerminalNumber] | None, PAIR]


class VcUseForm(Form, of=VcUse):
    """Virtual channels of a relation, and those that are never used."""

    unused: list[VcNumber]
    idle_channels: list[ChannelNumber]
    """All of whose VCs are unused."""


class LivelockForm(Form):
    """Whether every route ends."""

    free: bool
    cycles: list[str]
    """The first cycles of states, in words."""


class AnalyseAnswer(DeliveryForm, RelationForm, WithUnits, of=Properties, without="delivery"):
    """JSON answer of `unknot analyse`."""

    livelock: LivelockForm
    table = """
        network.name routing vcs num_vcs delivered minimal longest_route longest_pair livelock.free
        livelock.cycles adaptivity.fully_adaptive adaptivity.mean adaptivity.worst adaptivity.worst_pair
        adaptivity.forbidden vc_use.total vc_use.per_channel vc_use.per_router vc_use.unused loads.highest
        loads.busiest loads.throughput best.highest best.busiest best.throughput left_out
    """


def _proved(never: bool | None, _: Any) -> str:
    return "yes" if never else ""


def _if_known(free: bool | None, _: Any) -> bool | str:
    return "" if free is None else free


class FailureCaseForm(Form, of=FailureCase):
    """A set of failures."""

    spraying_free: Annotated[bool | None, Words(_if_known)]
    adaptive_free: Annotated[bool | None, Words(_if_known)]


class FaultsAnswer(
    Form, of=FaultSweep, without="claims", also="survives counts spraying_deadlocks adaptive_deadlocks"
):
    """JSON answer of `unknot faults`."""

    frame = "tried"
    table = """
        network routing switching kind faults possible counts spraying_deadlocks adaptive_deadlocks survives
        never_deadlocks tried unread
    """

    tried: list[FailureCaseForm]
    never_deadlocks: Annotated[bool | None, Words(_proved)]


class PlanForm(Form, of=PlanSweep, also="counts=sweep.counts survives=sweep.survives"):
    """Faults of a folder of Ethernet switches under one AS plan."""

    table = "routing same_routes compared_routes counts survives"


class FaultsPlansAnswer(Form):
    """JSON answer of `unknot faults FOLDER --routing bgp` where the folder does not tell the AS plan."""

    frame = "plans"
    table = "fabric survives plans"

    fabric: str
    survives: bool | None
    """False: under none of these plans; else null: the plan is not known, and others may do otherwise."""
    plans: list[PlanForm]
    """AS plans that have a name, each with its result."""


class FaultsFabricAnswer(
    Form,
    of=TableFaults,
    without="fabric _routes _failed",
    also="survives counts fabric=fabric.name tables_file=fabric.tables_file",
):
    """JSON answer of `unknot faults FABRIC`: faults with the forwarding tables as they are."""

    frame = "tried"
    table = """
        fabric tables_file kind faults possible pairs undelivered_before counts survives unknown_because
        tried
    """


class FaultsManagedAnswer(Form, of=ManagedFaults, also="survives counts"):
    """JSON answer of `unknot faults FABRIC --opensm PATH`: new tables of OpenSM after each fault."""

    frame = "tried"
    table = """
        network opensm engine free_before kind faults possible counts survives cut_short tried
    """


def _batches_words(batches: list[list[str]], _: Any) -> str:
    return "\n".join(f"{number}: {', '.join(batch)}" for number, batch in enumerate(batches, start=1))


def _lasts_words(lasts: bool, beside: Any) -> str:
    if beside["configuration"] is None:
        return ""
    return (
        "the deadlock lasts when all routers are updated"
        if lasts
        else "the deadlock lasts until more routers are updated"
    )


def _complete_words(complete: bool, beside: Any) -> str:
    if beside["batches"]:
        return "before each batch, packets sent before the last batch must leave the network; traffic need not stop"
    return "no order is safe: all were tried" if complete else "no safe order was found in the time given"


def _drained_words(addresses: list[str], _: Any) -> str:
    if not addresses:
        return ""
    return (
        f"{', '.join(addresses)}\nStop sending to these addresses, and begin when all their packets have arrived, "
        "since the proof leaves such packets out. Then any order is safe; resume when all routers are updated."
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

    at: VcNumber
    address: AddressNumber


class OrderForm(Form, of=BatchOrder, without="proofs"):
    """Batches of routers to update one after the other."""

    batches: Annotated[list[list[RouterNumber]], Words(_batches_words)]
    """Routers that are updated in any order, batch after batch; empty: no safe order, or none was found."""
    complete: Annotated[bool, Words(_complete_words)]
    drained: Annotated[list[AddressNumber], Words(_drained_words)]


class UpdateForm(Form, of=Update, without="mixture proofs", also="evidence_holds"):
    """What can happen while routers change from one routing to another."""

    lasts: Annotated[bool, Words(_lasts_words)]
    lost: Annotated[list[LostForm], Words(_lost_words)]
    loops: Annotated[list[LoopForm], Words(_loops_words)]


class ReconfigureAnswer(UpdateForm, RelationForm):
    """JSON answer of `unknot reconfigure`."""

    table = """
        network.name routing to vcs switching deadlock_free established updated lasts seconds evidence_holds
        lost loops order.complete order.batches order.drained
    """

    to: str
    """The routing that it becomes; `routing` is the one before."""
    seconds: Number
