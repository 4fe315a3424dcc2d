"""Load curves of one network in one call: a study that nobody has to write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from unknot._base.calls import Piece
from unknot._base.deadline import NEVER, Deadline
from unknot._base.errors import UnknotError, bare, shown
from unknot._base.progress import Progress, with_bar
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, switching_named
from unknot.fabrics.named import network as network_named
from unknot.network import Network
from unknot.routing.named import relation_of
from unknot.routing.relation import Relation
from unknot.simulation.engine.router import Router
from unknot.simulation.run.scenario import Scenario
from unknot.studies.result import StudyResult
from unknot.studies.run import run_study
from unknot.studies.store import Note
from unknot.studies.study import EVERY, Design, Ramp, Simulation, Study
from unknot.traffic import Bursts, PatternLike, Traffic, pattern
from unknot.traffic.workload import PACKET_LENGTH, PATTERN, Lengths

Loads = str | Sequence[float] | Ramp


@with_bar
def curve(
    network: Network | str | Relation | Mapping[str, Relation],
    *,
    routing: str | Sequence[str] | None = None,
    loads: Loads | None = None,
    vcs: int | None = None,
    switching: str = DEFAULT_SWITCHING,
    buffer_depth: int = BUFFER_DEPTH,
    router: Router | None = None,
    traffic: PatternLike = PATTERN,
    packet_length: Lengths = PACKET_LENGTH,
    bursts: Bursts | None = None,
    warmup: int | None = None,
    measure: int | None = None,
    precision: float | None = None,
    beyond: bool = False,
    seeds: Sequence[int] = (1,),
    jobs: int | None = None,
    executor: Executor | None = None,
    store: str | Path | None = None,
    time_limit: float | Deadline = NEVER,
    progress: Progress | None = None,
    note: Note | None = None,
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
    vcs, switching, buffer_depth, router, traffic, packet_length, bursts, warmup, measure, precision : optional
        As `unknot.simulate` takes them.
    beyond : bool
        Whether loads go on past the first at which a run is not stable; they do past one that is too short to tell.
    seeds : sequence of int
        Each load is run with each of them.
    jobs, executor, store, time_limit, progress, note : optional
        As of `unknot.studies.run_study`; without `store` nothing is kept. In a script, processes need the usual
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
    >>> found = curve("mesh(3, 3)", routing=["dimension_order", "duato"], loads="0.1:0.2:0.1", measure=500)
    >>> [(design.design.name, len(design.runs)) for design in found.designs]
    [('dimension_order', 2), ('duato', 2)]
    """
    deadline = Deadline.of(time_limit, "curve", UnknotError)
    named = _relations(network, routing, vcs)
    relations = tuple(named.values())
    first = relations[0]
    workload = Traffic(traffic, packet_length, bursts)
    scenario = Scenario(first, 0.0, workload, switching_named(switching), buffer_depth, router or Router())
    lengths = scenario.traffic.lengths
    design = Design.model_construct(
        network=first.network.name,
        vcs=vcs,
        switching=scenario.switching,
        packet_length=lengths[0][0] if len(lengths) == 1 else dict(lengths),
        buffer_depth=buffer_depth,
        traffic=scenario.traffic.pattern_name,
        router=scenario.router,
        bursts=bursts,
    )
    texts = {name: made.made_by[0] if made.made_by else made.name for name, made in named.items()}
    designs = [design.model_copy(update={"name": name, "routing": text}) for name, text in texts.items()]
    try:
        study = Study(
            title=first.network.name,
            designs=tuple(designs),
            simulation=Simulation(
                loads=_loads(loads),
                stop_at_saturation=not beyond,
                seeds=_several(seeds),
                warmup=warmup,
                measure=measure,
                precision=precision,
            ),
        )
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        got = str(wrong["input"]) if isinstance(wrong["input"], Ramp) else shown(wrong["input"])
        raise UnknotError(f"curve: {wrong['loc'][0]}: {bare(wrong['msg'])}, got {got}") from None
    return run_study(
        study,
        relations=relations,
        traffic=None if isinstance(traffic, str) else pattern(first.network, scenario.traffic.pattern),
        executor=executor,
        jobs=jobs,
        store=store,
        time_limit=deadline,
        progress=progress,
        note=note,
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
        raise UnknotError("curve: one routing at least is wanted, and all of one network")
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
