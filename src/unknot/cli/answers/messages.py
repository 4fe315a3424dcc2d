"""Forms of what messages do: traces, collective operations, protocols of end points."""

from __future__ import annotations

from typing import Annotated

from unknot._base.quantities import By, ChannelNumber
from unknot._base.switching import Switching
from unknot.cli.answers.configuration_file import ConfigurationForm
from unknot.cli.answers.form import Form, Natural, Number, Positive, Words, of
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


class ClosedLoopForm(Form, of=ClosedLoop, without="finished run"):
    """Times that terminals took for requests and replies, in cycles."""


class ClassForm(Form):
    """The messages of one class; times in cycles."""

    messages: Natural
    arrived: Natural
    latency_mean: Number
    latency_max: Natural | None
    network_latency_mean: Number


class TraceAnswer(RelationForm, WithUnits, of=TraceRun, without="trace ready injected arrived carried"):
    """JSON answer of `unknot trace`."""

    table = """
        network.name routing vcs switching buffer_depth messages flits makespan latency_mean latency_p50
        latency_p95 latency_p99 latency_max network_latency_mean closed_loop.* unfinished reason cycles
        flit_hops classes
    """

    messages: Natural
    flits: Natural
    deadlock: ConfigurationForm | None
    closed_loop: ClosedLoopForm | None
    """Only with --requests."""
    classes: dict[str, ClassForm]


Cycle = Annotated[Natural | None, By(lambda cycle, _: None if cycle < 0 else cycle)]
"""A cycle, or a negative number where there was none."""


class SendForm(Form, of=Message):
    """One message of a schedule."""

    table = "step source destination flits started arrived blocked"

    started: Cycle
    """Cycle in which it entered the network."""
    arrived: Cycle
    """Cycle in which its tail arrived."""
    blocked: int | None
    """Cycles it took longer than in an empty network."""


class MeetingForm(Form, of=Meeting):
    """Two messages, by position, and a channel that both may use at a time."""

    table = "messages channel same_step"

    channel: ChannelNumber
    messages: Annotated[list[str], Words(lambda messages, _: " and ".join(messages))]
    """Source and destination of both."""


class MulticastAnswer(RelationForm, WithUnits):
    """JSON answer of `unknot multicast`."""

    table = "network.name routing operation members steps switching block latency sends meetings"

    operation: str
    root: Natural
    """Terminal from which data spread, or at which they meet."""
    members: list[Natural]
    """Terminals that take part, in their order."""
    steps: Natural
    switching: str
    block: Positive
    """Flits of a block of data."""
    overhead: Natural
    """Cycles a terminal needs before it sends a message."""
    latency: Annotated[Natural | None, Words(lambda cycles, _: "none: DEADLOCK" if cycles is None else cycles)]
    sends: list[SendForm]
    meetings: list[MeetingForm]
    deadlock: ConfigurationForm | None


class TimedForm(Form, of=Timed, without="schedule"):
    """An algorithm for a size; times in cycles."""

    table = "size algorithm pieces steps time measured ratio limit"

    time: Number
    bound: Number
    ratio: Number


OnRouting = Annotated[bool | None, Words(lambda truth, answer: "" if answer["routing"] is None else truth)]
"""An answer about a routing, which the terminal leaves out where none is named."""


class CollectiveAnswer(WithUnits):
    """JSON answer of `unknot collective`."""

    table = """
        network.name routing deadlock_free delivers operation members groups size algorithm pieces bound
        time measured ratio bound_by limit complete algorithms sizes
    """

    network: NetworkForm
    routing: str | None
    """null: not run flit by flit."""
    deadlock_free: OnRouting
    """Whether the routing, of the messages of this schedule alone, cannot deadlock; null: not run, or not decided."""
    delivers: OnRouting
    """Whether it brings each of them to its end, by routes that end; null as before."""
    operation: str
    members: Positive
    groups: Positive
    """Groups of members that each do the operation at the same time."""
    size: Positive
    """Flits of the vector, of a message, or of the largest block."""
    algorithm: str | None = None
    """null: no schedule was made in the time given."""
    pieces: Positive | None = None
    bound: Number
    """Cycles that no schedule can be below."""
    time: Number | None = None
    """Cycles by the model of steps."""
    measured: Natural | None = None
    """Cycles flit by flit."""
    ratio: Number | None = None
    """Measured time, or else that of the model, over the bound."""
    bound_by: str
    """Channels that the bound counts."""
    limit: str = ""
    """What the run flit by flit spends its time on; empty: not run."""
    complete: bool
    """Whether the bound is the best and all algorithms are compared; not where the time was up."""
    algorithms: list[TimedForm]
    """Each for that size, the fastest first."""
    sizes: list[TimedForm]
    """The best for each size, where several are named."""


class CollectiveProgramAnswer(Form, of=ProgramRun, without="waits races is_right"):
    """JSON answer of `unknot collective FILE.xml`."""

    table = """
        file operation ranks right steps steps_done least_slots num_races num_wrong known in_place waits
        races wrong
    """

    file: str
    operation: str
    ranks: Positive
    right: bool = of("is_right")
    """Whether it ends, no two steps race, and every rank has what the operation demands."""
    waits: list[str]
    """Steps that are never done, and why."""
    races: list[str]
    """Steps that use a chunk, one of them to write it, and nothing orders them."""


class BlockedForm(Form, of=Blocked):
    """A message that can never move."""


class RemedyForm(Form, of=ProtocolRemedy, without="relation protocol"):
    """A change with which messages no longer wait for each other for ever."""


class CheckProtocolAnswer(RelationForm, of=ProtocolVerdict, without="run certificate system"):
    """JSON answer of `unknot check --protocol`."""

    table = """
        network.name routing vcs protocol switching deadlock_free method seconds established assumptions
        certificate_holds ample states steps blocked remedies
    """

    protocol: str
    ample: list[str]
    assumptions: list[str]
    """What is taken of terminals and messages, beside what the protocol says."""
    certificate_holds: bool | None
    """Whether the separate checker accepts the evidence; null: there is none, or it is too large."""
    transactions: Natural
    """Transactions of the run to a deadlock; 0 without one."""
    steps: list[str]
    """The run from the empty network to a deadlock, in words."""
    blocked: list[BlockedForm]
    """The messages that are left when nothing moves."""
    remedies: list[RemedyForm]
    """Changes that are proved to be enough, the cheapest of each kind."""
    seconds: Number


class SimulateProtocolAnswer(RelationForm, of=ProtocolRun):
    """JSON answer of `unknot simulate --protocol`."""

    table = """
        network.name routing vcs protocol switching offered_load accepted_load deadlock cycles created begun
        done latency_mean latency_p50 latency_p95 latency_p99 latency_max consumed packet_length
        buffer_depth seed blocked
    """

    protocol: str
    switching: Switching
    packet_length: Positive
    buffer_depth: Positive
    router: RouterOptions
    seed: Natural
    blocked: list[BlockedForm]
    """The messages that can never move."""


class SimulateProtocolReplayAnswer(
    RelationForm, of=ProtocolVerdict, without="run certificate system ample states empties smallest"
):
    """JSON answer of `unknot simulate --protocol` without a load."""

    table = "network.name routing vcs protocol switching deadlock_free established replayed steps blocked"

    protocol: str
    replayed: bool | None
    """Whether messages of a flit made the same moves and nothing moved for 1,000 cycles."""
    steps: list[str]
    """The run from the empty network to a deadlock, in words."""
    blocked: list[BlockedForm]
    """The messages that are left when nothing moves."""
