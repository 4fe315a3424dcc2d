"""Load curves of one network: a study made of arguments, one design for each routing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from pydantic import ValidationError

from unknot._base.calls import Piece
from unknot._base.deadline import NEVER, Deadline
from unknot._base.errors import UnknotError, bare, shown
from unknot._base.progress import Progress, with_bar
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING
from unknot.fabrics.named import network as network_named
from unknot.network import Network
from unknot.routing.named import relation_of
from unknot.routing.relation import Relation
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.run.difference import LatencyDifference, difference
from unknot.simulation.run.records import PointOptions, records
from unknot.simulation.run.scenario import MEASUREMENT, Measurement, Scenario
from unknot.studies.loads import EVERY, FINE, Ramp
from unknot.studies.result import StudyResult
from unknot.studies.run import run_study
from unknot.studies.store import Note
from unknot.studies.study import Design, Simulation, Study
from unknot.traffic import PatternLike, Traffic, pattern
from unknot.traffic.workload import PATTERN

Loads = str | Sequence[float] | Ramp


class StudyOptions(TypedDict, total=False):
    """How a study is run, as `run_study` takes it."""

    jobs: int | None
    executor: Executor | None
    store: str | Path | None
    time_limit: float | Deadline
    progress: Progress | None
    note: Note | None


class CurveFields(PointOptions, StudyOptions):
    """What `curve` takes beside its own arguments."""


@with_bar
def curve(
    network: Network | str | Relation | Mapping[str, Relation],
    *,
    routing: str | Sequence[str] | None = None,
    loads: Loads | None = None,
    vcs: int | None = None,
    switching: str = DEFAULT_SWITCHING,
    buffer_depth: int = BUFFER_DEPTH,
    router: Router = DEFAULT,
    traffic: PatternLike | Traffic = PATTERN,
    measurement: Measurement = MEASUREMENT,
    beyond: bool = False,
    saturation: bool = False,
    differences: bool = False,
    seeds: Sequence[int] = (1,),
    **options: Unpack[CurveFields],
) -> StudyResult:
    """Latency and accepted load against offered load, for one or several routings; each is proved first.

    Parameters
    ----------
    network : Network, str, Relation or mapping of str to Relation
        With `routing`, a network, as an object, a description such as ``"mesh(8, 8)"`` or the name of a file; else a
        relation, or several by name.
    routing : str or sequence of str
        Name of the routing, where a network is given.
    loads : str, sequence of float or Ramp, optional
        Flits per terminal and cycle: ``"0.05:0.6:0.05"``, ``"0.1, 0.2"``, or numbers; by default ``"0.05:1:0.05"``.
    vcs, switching, buffer_depth, router, traffic, measurement : optional
        As `unknot.simulate` takes them; a workload has no classes, and a measurement neither intervals nor pairs.
    beyond : bool
        Whether loads go on past the first at which a run is not stable; they do past one that is too short to tell.
    saturation : bool
        Whether each routing runs only at the loads that find its saturation, `DesignResult.saturation`, within ± 1 %
        or among `loads`.
    differences : bool
        Whether both of the first design and each other one run again under the same packets, at each load that both
        carry: `StudyResult.differences`.
    seeds : sequence of int
        Each load is run with each of them.
    **options
        `packet_length`, `bursts`, `warmup`, `measure`, `precision` and `energy`, fields of `Traffic` and
        `Measurement`; and `jobs`, `executor`, `store`, `time_limit`, `progress` and `note` of
        `unknot.studies.run_study`: without `store` nothing is kept. In a script, processes need the usual
        ``if __name__ == "__main__":``.

    Returns
    -------
    StudyResult
        A design for each routing, under its name: `to_frame` has a line for each run, `plot` draws them.

    Raises
    ------
    UnknotError
        If an argument makes no sense.

    Examples
    --------
    >>> curves = curve("mesh(3, 3)", routing=["dimension_order", "duato"], loads="0.1:0.2:0.1", measure=500)
    >>> [(design.design.name, len(design.runs)) for design in curves.designs]
    [('dimension_order', 2), ('duato', 2)]
    """
    workload, measurement = records("curve", CurveFields, options, traffic, measurement)
    if workload.classes or measurement.interval is not None or measurement.by_pair:
        raise UnknotError("curve: traffic classes, interval and by_pair are for single runs, as simulate makes them")
    of_study: dict[str, Any] = {
        name: option for name, option in options.items() if name in StudyOptions.__annotations__
    }
    of_study["time_limit"] = Deadline.of(options.get("time_limit", NEVER), "curve", UnknotError)
    named = _relations(network, routing, vcs)
    relations = tuple(named.values())
    if differences and len(named) == 1:
        raise UnknotError(f"curve: differences are of two routings or more, got {next(iter(named))} alone")
    first = relations[0]
    scenario = Scenario(first, 0.0, workload, switching, buffer_depth, router)
    lengths = scenario.traffic.lengths
    design = Design.model_construct(
        network=first.network.name,
        vcs=vcs,
        switching=switching,
        packet_length=lengths[0][0] if len(lengths) == 1 else dict(lengths),
        buffer_depth=buffer_depth,
        traffic=scenario.traffic.pattern_name,
        router=scenario.router,
        bursts=workload.bursts,
    )
    texts = {name: made.made_by[0] if made.made_by else made.name for name, made in named.items()}
    designs = [design.model_copy(update={"name": name, "routing": text}) for name, text in texts.items()]
    try:
        study = Study(
            title=first.network.name,
            designs=tuple(designs),
            simulation=Simulation(
                loads=FINE if saturation and loads is None else _loads(loads),
                search="saturation" if saturation else "every load",
                stop_at_saturation=not beyond,
                seeds=_several(seeds),
                warmup=measurement.warmup,
                measure=measurement.measure,
                precision=measurement.precision,
                energy=measurement.given_energy,
            ),
        )
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        got = str(wrong["input"]) if isinstance(wrong["input"], Ramp) else shown(wrong["input"])
        raise UnknotError(f"curve: {wrong['loc'][0]}: {bare(wrong['msg'])}, got {got}") from None
    found = run_study(
        study,
        relations=relations,
        traffic=None if isinstance(workload.pattern, str) else pattern(first.network, scenario.traffic.pattern),
        **of_study,
    )
    return replace(found, differences=_differences(found, scenario, named)) if differences else found


def _differences(
    found: StudyResult, scenario: Scenario, named: Mapping[str, Relation]
) -> tuple[LatencyDifference, ...]:
    """Return by how much each design differs from the first one, at each load at which both were stable."""
    stable = [{run.offered_load: run for run in design.runs if run.stable} for design in found.designs]
    names, made = list(named), list(named.values())
    return tuple(
        difference(
            made[0],
            other,
            load,
            names=(names[0], name),
            traffic=scenario.traffic,
            switching=scenario.switching,
            buffer_depth=scenario.buffer_depth,
            router=scenario.router,
            seed=run.seed,
        )
        for name, other, runs in zip(names[1:], made[1:], stable[1:], strict=True)
        for load, run in runs.items()
        if load in stable[0]
    )


def _relations(
    network: Network | str | Relation | Mapping[str, Relation], routing: str | Sequence[str] | None, vcs: int | None
) -> dict[str, Relation]:
    """The relations by the names of their curves."""
    if isinstance(network, Mapping):
        relations = {str(name): relation_of(each, None, vcs, what="curve") for name, each in network.items()}
    elif isinstance(routing, str) or not isinstance(routing, Iterable):
        made = relation_of(network, routing, vcs, what="curve", simulated=True)
        relations = {routing or made.name: made}
    else:
        whole = network_named(network) if isinstance(network, str) else network
        relations = {text: relation_of(whole, text, vcs, what="curve", simulated=True) for text in routing}
    networks = [made.network for made in relations.values()]
    if not networks or any(other != networks[0] for other in networks):
        raise UnknotError("curve: one routing at least is needed, and all of one network")
    return relations


def _several(numbers: Any) -> Any:
    """Several numbers as a study has them; what is none is left for the study to refuse."""
    plain = numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
    return tuple(plain) if isinstance(plain, Iterable) and not isinstance(plain, str) else plain


def _loads(loads: Loads | None) -> Any:
    """Loads as a study has them.

    Raises
    ------
    UnknotError
        If a text is no ``FROM:TO:STEP`` and no list of numbers.
    """
    if not isinstance(loads, str):
        return EVERY if loads is None else loads if isinstance(loads, Ramp) else _several(loads)
    ends = loads.split(":")
    try:
        numbers = tuple(map(float, ends if len(ends) == 3 else loads.split(",")))
    except ValueError:
        raise Piece(loads, "<loads>").error("loads are FROM:TO:STEP, such as 0.05:0.6:0.05, or 0.1, 0.2") from None
    return Ramp.model_validate(dict(zip(("from", "to", "step"), numbers, strict=True))) if len(ends) == 3 else numbers
