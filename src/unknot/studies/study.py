"""The study file: designs × loads × seeds, checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from unknot._base.deadline import MINUTE
from unknot._base.errors import UnknotError
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING
from unknot.fabrics.named import network as network_named
from unknot.flow_control.model import FlowControl
from unknot.routing.flow_controls.named import flow_given
from unknot.routing.named import routing as routing_from
from unknot.routing.named import routing_to_simulate
from unknot.routing.own import rooted
from unknot.routing.relation import Relation
from unknot.simulation.energy.option import Energy
from unknot.simulation.engine.pairs import nobody
from unknot.simulation.engine.router import Router
from unknot.simulation.faults.steps import steps
from unknot.simulation.run.admission import require_fit
from unknot.simulation.run.scenario import Scenario
from unknot.studies import entries
from unknot.studies.entries import VALUE
from unknot.studies.loads import EVERY, FINE, Load, Ramp, StudyTable, ramp_or_list, rising
from unknot.traffic.workload import PACKET_LENGTH, PATTERN, Bursts, length_shares


class Design(StudyTable):
    """A network with a routing and the options of its runs.

    Attributes
    ----------
    name : str
    network, routing : str
        As `unknot.fabrics.named.network` and `unknot.routing.named.routing` read them.
    vcs : int or None
        Virtual channels per channel; None: what the routing takes by itself, but at least 4 in a study that
        simulates, if the routing can use them.
    switching : str
        A technique, or a call that makes a flow control of the relation; drives proof and simulation alike.
    packet_length : int or dict
        Flits, or the share of each length among the packets.
    buffer_depth : int
        Flits per virtual channel.
    traffic : str
    router : Router
    bursts : Bursts or None
    faults : tuple of str
        Texts of what dies during each run, such as ``2000: (1,1)->(1,2)``.

    Examples
    --------
    >>> Design(name="small", network="mesh(4, 4)", routing="duato", vcs=3).switching
    'vct'
    """

    name: str = Field(min_length=1)
    network: Annotated[str, AfterValidator(entries.known_network)]
    routing: Annotated[str, AfterValidator(entries.known_routing)]
    vcs: int | None = Field(default=None, ge=1)
    switching: Annotated[str, AfterValidator(entries.known_switching)] = DEFAULT_SWITCHING
    packet_length: Annotated[
        Annotated[int, Field(ge=1, le=1 << 20), Tag("number")]
        | Annotated[dict[int, float], Tag("shares"), WithJsonSchema(entries.SHARES)],
        Discriminator(entries.number_or_shares),
        BeforeValidator(entries.lengths),
    ] = PACKET_LENGTH
    buffer_depth: int = Field(default=BUFFER_DEPTH, ge=1, le=1 << 20)
    traffic: Annotated[str, AfterValidator(entries.known_traffic)] = PATTERN
    router: Annotated[Router, BeforeValidator(entries.router)] = Router()
    bursts: Annotated[Bursts | None, BeforeValidator(entries.bursts)] = None
    faults: tuple[str, ...] = ()

    @property
    def longest_packet(self) -> int:
        """Flits of the longest packets."""
        return length_shares(self.packet_length)[-1][0]

    def relation(self, folder: str | Path = ".") -> Relation:
        """Build the relation; relative paths of networks start at `folder`."""
        return builder(folder)(self)

    def check_faults(self, relation: Relation, flow: FlowControl | None) -> None:
        """Refuse faults that cannot come up in a run of the relation.

        Raises
        ------
        UnknotError
            Says why.
        """
        if self.faults:
            scenario = Scenario(
                relation, 0.0, buffer_depth=self.buffer_depth, router=self.router, flow=flow, faults=self.faults
            )
            steps(relation, scenario.failing, nobody(relation.network.num_terminals))

    def flow(self, relation: Relation, folder: str | Path = ".") -> FlowControl | None:
        """Make the flow control of the relation, for as many packets as fit into its buffers; None: a technique."""
        fitting = max(1, self.buffer_depth // self.longest_packet)
        _, flow = flow_given(relation, rooted(self.switching, folder), where=VALUE, packets=fitting)
        if flow is not None:
            require_fit(flow, self.buffer_depth, self.longest_packet)
        return flow


def builder(folder: str | Path = ".", *, simulated: bool = False) -> Callable[[Design], Relation]:
    """Return a builder of relations; designs with the same text share a network, equal designs a relation.

    Parameters
    ----------
    folder : path
        Where relative paths of networks start.
    simulated : bool
        Whether they are simulated too, and so get at least 4 VCs per channel where they say nothing and can use them.
    """
    route = routing_to_simulate if simulated else routing_from
    network = cache(partial(network_named, folder=folder, where=VALUE))

    @cache
    def relation(text: str, routing: str, vcs: int | None) -> Relation:
        return route(network(text), rooted(routing, folder), vcs, where=VALUE)

    return lambda design: relation(design.network, design.routing, design.vcs)


def _distinct(seeds: tuple[int, ...]) -> tuple[int, ...]:
    if not seeds:
        raise UnknotError("at least one seed is needed")
    if len(set(seeds)) < len(seeds):
        raise UnknotError("a seed stands here twice")
    return seeds


class Simulation(StudyTable):
    """Settings that every design is simulated with: loads, seeds, warm-up and measurement.

    Attributes
    ----------
    loads : tuple of float or Ramp
        Offered loads in flits per terminal per cycle.
    stop_at_saturation : bool
        Whether a design's loads, taken in rising order, end with the first at which a run is not stable;
        one that was too short to tell does not end them.
    search : {"every load", "saturation"}
        With "saturation" a design runs only at the loads that bisection needs to find the first at which some seed is
        not stable: about log2 of their number, with the first seed; the others run at the highest that is stable.
        Without `loads` they are `FINE`, and `DesignResult.saturation` is an interval of ± 1 %.
    seeds : tuple of int
    warmup, measure : int or None
        Cycles; None: what `unknot.simulate` chooses.
    precision : float or None
        Half-width of the confidence interval of the mean latency over the mean, up to which runs go on.
    energy : Energy or None
        Technology and design by which the energy of runs is computed, see `unknot.simulation.Energy`; a relative file
        is in the folder of the study.

    Examples
    --------
    >>> plan = Simulation(loads=(0.1, 0.2), seeds=(1, 2), measure=100)
    >>> plan.loads, plan.stop_at_saturation
    ((0.1, 0.2), True)
    """

    loads: Annotated[
        Annotated[tuple[Load, ...], Tag("list")] | Annotated[Ramp, Tag("ramp")],
        Discriminator(ramp_or_list),
        AfterValidator(rising),
    ] = EVERY
    stop_at_saturation: bool = True
    search: Literal["every load", "saturation"] = "every load"
    seeds: Annotated[tuple[Annotated[int, Field(ge=0, lt=2**64)], ...], AfterValidator(_distinct)] = (1,)
    warmup: int | None = Field(default=None, ge=0)
    measure: int | None = Field(default=None, ge=1)
    precision: float | None = Field(default=None, gt=0, lt=1)
    energy: Annotated[Energy | None, BeforeValidator(entries.energy), WithJsonSchema({"type": "string"})] = None

    @field_validator("precision")
    @classmethod
    def _not_both(cls, value: float | None, validation: ValidationInfo) -> float | None:
        if value is not None and validation.data.get("measure") is not None:
            raise UnknotError("precision chooses how long to measure: give either it or measure")
        return value

    def load_values(self) -> tuple[float, ...]:
        """The loads in rising order."""
        if self.search == "saturation" and "loads" not in self.model_fields_set:
            return FINE
        return tuple(sorted(self.loads.values() if isinstance(self.loads, Ramp) else self.loads))


class ProofLimit(StudyTable):
    """Limit of a proof in seconds of work, after which its question is left open on every machine."""

    time_limit: float = Field(default=MINUTE, gt=0, allow_inf_nan=False)


def _some(designs: tuple[Design, ...]) -> tuple[Design, ...]:
    if not designs:
        raise UnknotError("a study needs at least one [[design]]")
    return designs


class Study(StudyTable):
    """A checked study.

    Attributes
    ----------
    title : str
    designs : tuple of Design
        In file order, lists multiplied out.
    simulation : Simulation or None
        None when nothing is to be simulated, only proved.
    proof : Proof
    path : str or None
        The file, as it was named.
    text : str
        What stands in it.

    Examples
    --------
    >>> ring = Design(name="ring", network="ring(4)", routing="dimension_order", vcs=2)
    >>> study = Study(title="A ring", designs=(ring,))
    >>> [design.name for design in study.designs], study.simulation
    (['ring'], None)
    """

    title: str = Field(default="", max_length=1000)
    designs: Annotated[tuple[Design, ...], AfterValidator(_some)]
    simulation: Simulation | None = None
    proof: ProofLimit = ProofLimit()
    path: str | None = None
    text: str = ""

    @property
    def folder(self) -> Path:
        """Folder where relative paths in the study start."""
        return Path(self.path).parent if self.path is not None else Path()
