"""JSON forms of analyses beside deadlock: properties and faults."""

from __future__ import annotations

from typing import Annotated, Any

from unknot.cli.answers.form import PAIR, ChannelName, Form, TerminalName, VcName, Words, form_of, key
from unknot.cli.answers.networks import RelationForm, WithUnits
from unknot.cli.answers.verdicts import DeliveryForm
from unknot.verify.adaptivity import Adaptivity
from unknot.verify.failures import FaultSweep
from unknot.verify.loads import Loads
from unknot.verify.minimal_paths import ForbiddenPath
from unknot.verify.properties import Properties, VcUse
from unknot.verify.table_faults import TableFaults


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
        "tried",
    )  # fmt: skip

    survives: bool | None = key(
        "Nothing but `holds`, `settled` and `disconnected` came about; null: some are `undecided` or `free`."
    )
    counts: dict[str, int] = key("Sets of faults by outcome.")
    never_deadlocks: Annotated[bool | None, Words(_proved)]


@form_of(TableFaults, without=("fabric", "_routes", "_failed"))
class TableFaultsAnswer(Form):
    """JSON answer of `unknot faults FABRIC`: faults with the forwarding tables as they are."""

    table = (
        "fabric", "tables_file", "kind", "faults", "possible", "pairs", "undelivered_before", "counts", "survives",
        "tried",
    )  # fmt: skip

    fabric: str
    tables_file: str
    survives: bool = key("No fault cuts off a pair of surviving hosts.")
    counts: dict[str, int] = key("Sets of faults by outcome.")
