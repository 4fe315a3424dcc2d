"""Forms of what messages do: traces, collective operations, protocols of end points."""

from __future__ import annotations

from typing import Annotated

from unknot._base.switching import Switching
from unknot.cli.answers.configuration_file import ConfigurationForm
from unknot.cli.answers.form import By, ChannelName, Form, Natural, Number, Positive, Words, form_of, key
from unknot.cli.answers.networks import NetworkForm, RelationForm, WithUnits
from unknot.cli.answers.runs import RouterOptions
from unknot.simulation.collectives import Timed
from unknot.simulation.protocol_run import ProtocolRun
from unknot.simulation.traces.closed_loop import ClosedLoop
from unknot.simulation.traces.trace_run import TraceRun
from unknot.traffic.collectives.messages import Meeting, Message
from unknot.traffic.collectives.msccl import ProgramRun
from unknot.verify.protocols.decision import ProtocolVerdict
from unknot.verify.protocols.evidence import Blocked
from unknot.verify.protocols.remedies import ProtocolRemedy


@form_of(ClosedLoop, without=("finished", "run"))
class ClosedLoopForm(Form):
    """Times that terminals took for requests and replies, in cycles."""


class ClassForm(Form):
    """The messages of one class; times in cycles."""

    messages: Natural
    arrived: Natural
    latency_mean: Number
    latency_max: Natural | None
    network_latency_mean: Number


@form_of(TraceRun, without=("trace", "ready", "injected", "arrived", "carried"))
class TraceAnswer(RelationForm, WithUnits):
    """JSON answer of `unknot trace`."""

    table = (
        "network.name", "routing", "vcs", "switching", "buffer_depth", "messages", "flits", "makespan",
        "latency_mean", "latency_p50", "latency_p95", "latency_p99", "latency_max", "network_latency_mean",
        "closed_loop.*", "unfinished", "reason", "cycles", "flit_hops", "classes",
    )  # fmt: skip

    messages: Natural
    flits: Natural
    deadlock: ConfigurationForm | None
    closed_loop: ClosedLoopForm | None = key("Only with --requests.")
    classes: dict[str, ClassForm]


Cycle = Annotated[Natural | None, By(lambda cycle, _: None if cycle < 0 else cycle)]
"""A cycle, or a negative number where there was none."""


@form_of(Message)
class SendForm(Form):
    """One message of a schedule."""

    table = ("step", "source", "destination", "flits", "started", "arrived", "blocked")

    started: Cycle = key("Cycle in which it entered the network.")
    arrived: Cycle = key("Cycle in which its tail arrived.")
    blocked: int | None = key("Cycles it took longer than in an empty network.")


@form_of(Meeting)
class MeetingForm(Form):
    """Two messages, by position, and a channel that both may use at a time."""

    table = ("messages", "channel", "same_step")

    channel: ChannelName
    messages: Annotated[list[str], Words(lambda messages, _: " and ".join(messages))] = key(
        "Source and destination of both."
    )


class MulticastAnswer(RelationForm, WithUnits):
    """JSON answer of `unknot multicast`."""

    table = (
        "network.name", "routing", "operation", "members", "steps", "switching", "block", "latency", "sends",
        "meetings",
    )  # fmt: skip

    operation: str
    root: Natural = key("Terminal from which data spread, or at which they meet.")
    members: list[Natural] = key("Terminals that take part, in their order.")
    steps: Natural
    switching: str
    block: Positive = key("Flits of a block of data.")
    overhead: Natural = key("Cycles a terminal needs before it sends a message.")
    latency: Annotated[Natural | None, Words(lambda cycles, _: "none: DEADLOCK" if cycles is None else cycles)]
    sends: list[SendForm]
    meetings: list[MeetingForm]
    deadlock: ConfigurationForm | None


@form_of(Timed, without=("schedule",))
class TimedForm(Form):
    """An algorithm for a size; times in cycles."""

    table = ("size", "algorithm", "pieces", "steps", "time", "measured", "ratio", "limit")

    time: Number
    bound: Number
    ratio: Number


OnRouting = Annotated[bool | None, Words(lambda truth, answer: "" if answer["routing"] is None else truth)]
"""An answer about a routing, which the terminal leaves out where none is named."""


class CollectiveAnswer(WithUnits):
    """JSON answer of `unknot collective`."""

    table = (
        "network.name", "routing", "deadlock_free", "delivers", "operation", "members", "groups", "size", "algorithm",
        "pieces", "bound", "time", "measured", "ratio", "bound_by", "limit", "complete", "algorithms", "sizes",
    )  # fmt: skip

    network: NetworkForm
    routing: str | None = key("null: not run flit by flit.")
    deadlock_free: OnRouting = key(
        "Whether the routing, of the messages of this schedule alone, cannot deadlock; null: not run, or not decided."
    )
    delivers: OnRouting = key("Whether it brings each of them to its end, by routes that end; null as before.")
    operation: str
    members: Positive
    groups: Positive = key("Groups of members that each do the operation at the same time.")
    size: Positive = key("Flits of the vector, of a message, or of the largest block.")
    algorithm: str | None = key("null: no schedule was made in the time given.", default=None)
    pieces: Positive | None = key(default=None)
    bound: Number = key("Cycles that no schedule can be below.")
    time: Number | None = key("Cycles by the model of steps.", default=None)
    measured: Natural | None = key("Cycles flit by flit.", default=None)
    ratio: Number | None = key("Measured time, or else that of the model, over the bound.", default=None)
    bound_by: str = key("Channels that the bound counts.")
    limit: str = key("What the run flit by flit spends its time on; empty: not run.", default="")
    complete: bool = key("Whether the bound is the best and all algorithms are compared; not where the time was up.")
    algorithms: list[TimedForm] = key("Each for that size, the fastest first.")
    sizes: list[TimedForm] = key("The best for each size, where several are named.")


@form_of(ProgramRun, without=("waits", "races", "is_right"))
class CollectiveProgramAnswer(Form):
    """JSON answer of `unknot collective FILE.xml`."""

    table = (
        "file", "operation", "ranks", "right", "steps", "steps_done", "least_slots", "num_races", "num_wrong",
        "known", "in_place", "waits", "races", "wrong",
    )  # fmt: skip

    file: str
    operation: str
    ranks: Positive
    right: bool = key(
        "Whether it ends, no two steps race, and every rank has what the operation demands.", of="is_right"
    )
    waits: list[str] = key("Steps that are never done, and why.")
    races: list[str] = key("Steps that use a chunk, one of them to write it, and nothing orders them.")


@form_of(Blocked)
class BlockedForm(Form):
    """A message that can never move."""


@form_of(ProtocolRemedy, without=("relation", "protocol"))
class RemedyForm(Form):
    """A change with which messages no longer wait for each other for ever."""


@form_of(ProtocolVerdict, without=("run", "certificate", "system"))
class CheckProtocolAnswer(RelationForm):
    """JSON answer of `unknot check --protocol`."""

    table = (
        "network.name", "routing", "vcs", "protocol", "switching", "deadlock_free", "method", "seconds",
        "established", "assumptions", "certificate_holds", "ample", "states", "steps", "blocked", "remedies",
    )  # fmt: skip

    protocol: str
    ample: list[str]
    assumptions: list[str] = key("What is taken of terminals and messages, beside what the protocol says.")
    certificate_holds: bool | None = key(
        "Whether the separate checker accepts the evidence; null: there is none, or it is too large."
    )
    transactions: Natural = key("Transactions of the run to a deadlock; 0 without one.")
    steps: list[str] = key("The run from the empty network to a deadlock, in words.")
    blocked: list[BlockedForm] = key("The messages that are left when nothing moves.")
    remedies: list[RemedyForm] = key("Changes that are proved to be enough, the cheapest of each kind.")
    seconds: Number


@form_of(ProtocolRun)
class SimulateProtocolAnswer(RelationForm):
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


@form_of(ProtocolVerdict, without=("run", "certificate", "system", "ample", "states", "empties", "smallest"))
class SimulateProtocolReplayAnswer(RelationForm):
    """JSON answer of `unknot simulate --protocol` without a load."""

    table = (
        "network.name", "routing", "vcs", "protocol", "switching", "deadlock_free", "established", "replayed",
        "steps", "blocked",
    )  # fmt: skip

    protocol: str
    replayed: bool | None = key("Whether messages of a flit made the same moves and nothing moved for 1,000 cycles.")
    steps: list[str] = key("The run from the empty network to a deadlock, in words.")
    blocked: list[BlockedForm] = key("The messages that are left when nothing moves.")
