"""Running a study, or load curves of one network: proofs and runs in parallel, the same result whatever the order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from pydantic import ValidationError

from unknot._base.calls import Piece
from unknot._base.deadline import NEVER, Deadline, NoAnswerError
from unknot._base.errors import UnknotError, bare, shown
from unknot._base.progress import Progress, with_bar
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING
from unknot._base.threads import processors
from unknot.fabrics.named import network as network_named
from unknot.network import Network
from unknot.routing.named import relation_of
from unknot.routing.own import is_code
from unknot.routing.relation import Relation
from unknot.routing.tabulate import FEW
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.run.difference import LatencyDifference, difference
from unknot.simulation.run.records import PointOptions, records
from unknot.simulation.run.scenario import MEASUREMENT, Measurement, Scenario
from unknot.studies.load import load_study
from unknot.studies.loads import EVERY, FINE, Ramp
from unknot.studies.result import StudyResult
from unknot.studies.store import Note, Store
from unknot.studies.study import Design, Simulation, Study, builder
from unknot.studies.sweep import Sweep
from unknot.studies.workers import workers
from unknot.traffic import Pattern, PatternLike, Traffic, pattern
from unknot.traffic.workload import PATTERN

SMALL_POINTS = 64
"""Points of a study that one process computes, on threads; a process takes as long to start as a few of them."""
SMALL_CYCLES = 20_000
"""Measured cycles up to which a run takes tenths of a second, with up to `FEW` pairs of input VC and address."""


@with_bar
def run_study(
    study: Study | str | Path,
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: str | Path | None = None,
    note: Note | None = None,
    relations: Sequence[Relation] | None = None,
    traffic: Pattern | None = None,
    time_limit: float | Deadline = NEVER,
) -> StudyResult:
    """Prove and simulate every design of a study; points found in the store are not computed again.

    Parameters
    ----------
    study : Study or path
        The study, or its file.
    executor : concurrent.futures.Executor, optional
        Computes the points; by default a pool of processes that lives as long as this call, or of threads for a small
        study. In a script, processes need the usual ``if __name__ == "__main__":``.
    jobs : int, optional
        Points computed at a time; by default the number of cores.
    progress : callable, optional
        Called with what was done, points done, and points known to be needed; see `unknot._base.progress`.
    store : path, optional
        The SQLite file; by default the study's path with the suffix ``.sqlite``, and memory for a study without path.
    note : callable, optional
        Called with one sentence about damage found in the store, and about evidence in it that does not hold, whose
        points are computed again; by default the sentence is logged as a warning.
    relations : sequence of Relation, optional
        The relation of each design, where its texts do not say which.
    traffic : Pattern, optional
        The traffic of all designs, in place of what their texts say.
    time_limit : float
        Seconds for all of it; then points that are not done are left out, and `StudyResult.cut_short` says so.

    Returns
    -------
    StudyResult
        Does not depend on executor, jobs, order of completion, or on what was in the store. A design whose packets do
        not all arrive has no runs.

    Raises
    ------
    UnknotError
        If the study is wrong, the store is unusable, or a rule or run fails.
    KeyboardInterrupt
        When interrupted, by SIGINT or SIGTERM; processes of the default pool are stopped, finished points are in the
        store.

    Examples
    --------
    >>> from unknot.studies import Design, Simulation, Study
    >>> ring = Design(name="ring", network="ring(4)", routing="dimension_order", vcs=2)
    >>> study = Study(designs=(ring,), simulation=Simulation(loads=(0.1, 0.2), warmup=50, measure=100))
    >>> (outcome,) = run_study(study).designs
    >>> [(run.offered_load, run.stable) for run in outcome.runs]
    [(0.1, True), (0.2, True)]
    """
    study = study if isinstance(study, Study) else load_study(study)
    if jobs is not None and not (isinstance(jobs, int) and jobs >= 1):
        raise UnknotError(f"at least 1 job is needed, got {jobs!r}")
    jobs = jobs or processors()
    deadline = Deadline.of(time_limit, "study", UnknotError)
    if store is None and study.path is not None:
        store = default_store(study.path)
    if relations is None:
        relations = list(map(builder(study.folder, simulated=study.simulation is not None), study.designs))
    small = _is_small(study, relations)
    with Store(store, note=note) as kept:
        sweep = Sweep(study, relations, traffic, kept, progress, deadline)
        with suppress(NoAnswerError), workers(executor, jobs, threads=small) as pool:
            sweep.run(pool, jobs)
        return sweep.result()


def _is_small(study: Study, relations: Sequence[Relation]) -> bool:
    """Whether a study is done sooner than processes have started that help.

    Code of a user and runs to a precision, which may last, are left to processes, which can be stopped.
    """
    settings = study.simulation
    points = len(study.designs) * (1 if settings is None else 1 + len(settings.load_values()) * len(settings.seeds))
    short = settings is None or (settings.precision is None and (settings.measure or 0) <= SMALL_CYCLES)
    few = all(relation.vcs.router.size * relation.num_addresses <= FEW for relation in relations)
    return (
        points <= SMALL_POINTS
        and short
        and few
        and not any(is_code(text) for d in study.designs for text in (d.routing, d.switching))
    )


def default_store(path: str | Path) -> Path:
    """The store beside a study file."""
    return Path(path).with_suffix(".sqlite")


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
