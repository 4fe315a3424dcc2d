"""Forms of answers about collective operations: schedules as messages and as chunks, and MSCCL programs."""

from __future__ import annotations

from typing import Annotated

from unknot._base.quantities import By, ChannelNumber, Cycles, Flits, WholeCycles
from unknot.cli.answers.configuration_file import ConfigurationForm
from unknot.cli.answers.form import CycleCount, FlitCount, Form, Natural, Number, Positive, Words, of
from unknot.cli.answers.networks import NetworkForm, RelationForm, WithUnits
from unknot_collectives.comparison import Timed
from unknot_collectives.messages import Meeting, Message
from unknot_collectives.msccl import ProgramRun
from unknot_collectives.nccl.choice import LibraryChoice

Cycle = Annotated[CycleCount | None, By(lambda cycle, _: None if cycle < 0 else cycle)]
"""A cycle, or a negative number where there was none."""


class SendForm(Form, of=Message):
    """One message of a schedule."""

    table = "step source destination flits started arrived blocked"

    started: Cycle
    """Cycle in which it entered the network."""
    arrived: Cycle
    """Cycle in which its tail arrived."""
    blocked: WholeCycles | None
    """Cycles it took longer than in an empty network."""


class MeetingForm(Form, of=Meeting):
    """Two messages, by position, and a channel that both may use at a time."""

    table = "messages channel same_step"

    channel: ChannelNumber
    messages: Annotated[list[str], Words(lambda messages, _: " and ".join(messages))]
    """Source and destination of both."""


class MulticastAnswer(RelationForm, WithUnits):
    """JSON answer of `unknot multicast`."""

    frame = "sends"
    table = "network.name routing operation members steps switching block latency sends meetings"

    operation: str
    root: Natural
    """Terminal at the root of the operation."""
    members: list[Natural]
    """Terminals that take part, in their order."""
    steps: Natural
    switching: str
    block: FlitCount
    """Flits of a block of data."""
    overhead: CycleCount
    """Cycles a terminal needs before it sends a message."""
    latency: Annotated[CycleCount | None, Words(lambda cycles, _: "none: DEADLOCK" if cycles is None else cycles)]
    sends: list[SendForm]
    meetings: list[MeetingForm]
    deadlock: ConfigurationForm | None


class TimedForm(Form, of=Timed, without="schedule"):
    """An algorithm for a size; times in cycles."""

    table = "size algorithm pieces steps time measured ratio limit"

    size: Flits
    time: Cycles
    bound: Cycles
    measured: WholeCycles | None


class LibraryChoiceForm(Form, of=LibraryChoice):
    """An algorithm of NCCL or RCCL with a protocol; times in cycles, which are nanoseconds."""

    table = "size algorithm protocol channels time bus_bandwidth of_bound"

    size: Flits
    time: Cycles


OnRouting = Annotated[bool | None, Words(lambda truth, answer: "" if answer["routing"] is None else truth)]
"""An answer about a routing, which the terminal leaves out where none is named."""


class CollectiveAnswer(WithUnits):
    """JSON answer of `unknot collective`."""

    frame = "algorithms"
    table = """
        network.name routing deadlock_free delivers operation members groups size algorithm pieces bound
        time measured ratio your_library bound_by limit complete algorithms sizes library
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
    size: FlitCount
    """Flits of the vector, of a message, or of the largest block."""
    overhead: CycleCount
    """Cycles that each message costs."""
    algorithm: str | None = None
    """null: no schedule was made in the time given."""
    pieces: Positive | None = None
    bound: Cycles
    """Cycles that no schedule can be below."""
    time: Cycles | None = None
    """Cycles by the model of steps."""
    measured: CycleCount | None = None
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
    your_library: str = ""
    """The library's choice and its share of the bound; empty without --library."""
    library: list[LibraryChoiceForm]
    """The library's algorithms, its choice first; of several sizes the choice for each."""
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
