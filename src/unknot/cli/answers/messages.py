"""JSON forms of given messages in the simulator: replays of deadlocks, traces, collective operations."""

from __future__ import annotations

from typing import Annotated

from unknot.cli.answers.configuration_file import ConfigurationForm
from unknot.cli.answers.form import ChannelName, Form, Natural, Number, Positive, Words, form_of, key
from unknot.cli.answers.networks import RelationForm, WithUnits
from unknot.simulation.traces.closed_loop import ClosedLoop
from unknot.simulation.traces.replay import Replay
from unknot.simulation.traces.trace_run import TraceRun
from unknot.traffic.collectives.messages import Meeting, Message


class WaitForm(Form):
    """Whom a message waits for, by position in the configuration."""

    message: Natural
    others: list[Natural] = key(name="for")


@form_of(Replay, without=("found",))
class ReplayForm(Form):
    """Outcome of a configuration in the simulator."""

    waits: list[WaitForm]


class ReplayAnswer(RelationForm):
    """JSON answer of `unknot replay`."""

    table = (
        "network.name", "routing", "configuration.switching", "configuration.buffer_depth",
        "configuration.reachability", "accepted", "objection", "replay.injected", "replay.cycles", "replay.stuck",
    )  # fmt: skip

    configuration: ConfigurationForm
    accepted: bool = key("Whether the checker accepts it as a deadlock.")
    objection: str | None = key("Objection of the checker; null: none.")
    replay: ReplayForm | None = key("null when it cannot be put into the simulator.")


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


@form_of(TraceRun, without=("trace", "ready", "injected", "arrived"))
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


@form_of(Message)
class SendForm(Form):
    """One message of a schedule."""

    table = ("step", "source", "destination", "flits", "started", "arrived", "blocked")

    started: Natural | None = key("Cycle in which it entered the network.")
    arrived: Natural | None = key("Cycle in which its tail arrived.")
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
