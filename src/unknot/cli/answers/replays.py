"""Forms of replays: a configuration put into the simulator."""

from __future__ import annotations

from unknot.cli.answers.configuration_file import ConfigurationForm
from unknot.cli.answers.form import Form, Natural, of
from unknot.cli.answers.networks import RelationForm
from unknot.simulation.traces.replay import Replay


class WaitForm(Form):
    """Whom a message waits for, by position in the configuration."""

    message: Natural
    others: list[Natural] = of(name="for")


class ReplayForm(Form, of=Replay, without="knot"):
    """Outcome of a configuration in the simulator."""

    waits: list[WaitForm]


class ReplayAnswer(RelationForm):
    """JSON answer of `unknot replay`."""

    table = """
        network.name routing configuration.switching configuration.buffer_depth configuration.reachability
        accepted objection replay.injected replay.cycles replay.stuck
    """

    configuration: ConfigurationForm
    accepted: bool
    """Whether the checker accepts it as a deadlock."""
    objection: str | None
    """Objection of the checker; null: none."""
    replay: ReplayForm | None
    """null when it cannot be put into the simulator."""
