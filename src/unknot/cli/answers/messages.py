"""Forms of what messages do: traces, protocols of end points."""

from __future__ import annotations

from unknot._base.quantities import Cycles
from unknot._base.switching import Switching
from unknot.cli.answers.form import CycleCount, FlitCount, Form, Natural, Number
from unknot.cli.answers.networks import RelationForm, WithUnits
from unknot.cli.answers.runs import RouterForm
from unknot.simulation.protocol_run import ProtocolRun
from unknot.simulation.traces.closed_loop import ClosedLoop
from unknot.simulation.traces.trace_run import TraceRun
from unknot.verify.controllers.decision import TableVerdict
from unknot.verify.controllers.words import StalledMessage
from unknot.verify.protocols.evidence import Blocked
from unknot.verify.protocols.remedies import ProtocolRemedy
from unknot.verify.protocols.verdict import ProtocolVerdict


class ClosedLoopForm(Form, of=ClosedLoop, without="finished run"):
    """Times that terminals took for requests and replies, in cycles."""


class ClassForm(Form):
    """The messages of one class; times in cycles."""

    messages: Natural
    arrived: Natural
    latency_mean: Cycles
    latency_max: CycleCount | None
    network_latency_mean: Cycles


class TraceAnswer(RelationForm, WithUnits, of=TraceRun, without="trace ready injected arrived carried"):
    """JSON answer of `unknot trace`."""

    table = """
        network.name routing vcs switching buffer_depth messages flits makespan latency_mean latency_p50
        latency_p95 latency_p99 latency_max network_latency_mean closed_loop.* unfinished reason cycles
        flit_hops classes
    """

    messages: Natural
    flits: Natural
    closed_loop: ClosedLoopForm | None
    """Only with --requests."""
    classes: dict[str, ClassForm]


class BlockedForm(Form, of=Blocked):
    """A message that can never move."""


class ProtocolRemedyForm(Form, of=ProtocolRemedy, without="relation protocol"):
    """A change with which messages no longer wait for each other for ever."""


class ProtocolAnswer(RelationForm, of=ProtocolVerdict, without="run certificate system"):
    """JSON answer of `unknot protocol`."""

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
    remedies: list[ProtocolRemedyForm]
    """Changes that are proved to be enough, the cheapest of each kind."""
    seconds: Number


class StalledMessageForm(Form, of=StalledMessage):
    """A message that stands at the head of a queue for ever."""


class ProtocolTableAnswer(Form, of=TableVerdict, without="table deadlock missing"):
    """JSON answer of `unknot protocol` about a state table."""

    table = """
        protocol network routing deadlock_free seconds established networks virtual_networks mapping by_causes
        least_rooms front assumptions merged unknown lacking caches addresses states whole certificate_holds replayed
        steps stalled
    """

    protocol: str
    network: str | None
    """The network that carries the messages; null: none was named."""
    routing: str | None
    replayed: str | None
    """What simulated end points with the table did on the network, led along the run."""
    certificate_holds: bool | None
    """Whether the separate checker accepts the evidence; null: there is none, or it is too large."""
    virtual_networks: str
    """How many virtual networks are needed, in words."""
    least_rooms: str | None
    """With --rooms, the least rooms of queues, in words."""
    front: list[str]
    """With --entries, the least rooms for each limit of entries, in words."""
    steps: list[str]
    """The run to a deadlock, in words; without one, to a cell that is missing."""
    stalled: list[StalledMessageForm]
    """Heads of the queues that stand still in the deadlock."""
    assumptions: list[str]
    """What is taken of nodes and networks, beside what the table says."""
    merged: list[str]
    """What was simplified, such that more may happen than in the protocol."""
    unknown: list[str]
    """What was not understood, which leaves the answer open."""
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
    packet_length: FlitCount
    buffer_depth: FlitCount
    router: RouterForm
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
