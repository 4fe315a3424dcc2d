"""JSON form of collective operations: algorithms compared, and the best schedule."""

from __future__ import annotations

from unknot.cli.answers.form import Form, Natural, Number, Positive, form_of, key
from unknot.cli.answers.networks import NetworkForm, WithUnits
from unknot.simulation.collectives import Timed
from unknot.traffic.collectives.msccl import ProgramRun


@form_of(Timed, without=("schedule",))
class TimedForm(Form):
    """An algorithm for a size; times in cycles."""

    table = ("size", "algorithm", "pieces", "steps", "time", "measured", "ratio")

    time: Number
    bound: Number
    ratio: Number


class CollectiveAnswer(WithUnits):
    """JSON answer of `unknot collective`."""

    table = (
        "network.name", "routing", "operation", "members", "size", "algorithm", "pieces", "bound", "time", "measured",
        "ratio", "algorithms", "sizes",
    )  # fmt: skip

    network: NetworkForm
    routing: str | None = key("null: not run flit by flit.")
    operation: str
    members: Positive
    size: Positive = key("Flits of the vector, or of a block.")
    algorithm: str
    pieces: Positive
    bound: Number = key("Cycles that no schedule can be below.")
    time: Number = key("Cycles by the model of steps.")
    measured: Natural | None = key("Cycles flit by flit.")
    ratio: Number = key("Measured time, or else that of the model, over the bound.")
    algorithms: list[TimedForm] = key("Each for that size, the fastest first.")
    sizes: list[TimedForm] = key("The best for each size, where several are named.")


@form_of(ProgramRun, without=("waits", "races", "is_right"))
class ProgramAnswer(Form):
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
