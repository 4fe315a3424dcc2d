"""The points of a study: what is computed once, in some process, from a description in plain values."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from unknot._base.compile_time import compiling
from unknot._base.deadline import Deadline
from unknot._base.errors import UnknotError
from unknot._base.manifest import code_digest
from unknot._base.work import counting_work
from unknot.certificates.flow_words import flow_words
from unknot.certificates.plain import Rejected
from unknot.flow_control.model import FlowControl
from unknot.flow_control.techniques import technique_of
from unknot.network.graph import digest
from unknot.routing.own import code_of, is_code, is_designed
from unknot.routing.pointer import rule_digest
from unknot.routing.relation import Relation
from unknot.simulation.run.driver import run_scenario, stated
from unknot.simulation.run.run import Run
from unknot.simulation.run.scenario import Measurement, Scenario
from unknot.studies.packed_results import decode, plain
from unknot.studies.result import Proven
from unknot.studies.study import Design
from unknot.traffic import Pattern, Traffic
from unknot.verify.delivery import NOT_FOLLOWED


@dataclass(frozen=True)
class Point:
    """A proof or a run of a study.

    Attributes
    ----------
    what : dict
        Everything that determines the result; its hash is the key in the store.
    design : Design
    relation : bytes
        The relation, pickled, for whatever process computes the point; `what` says by hashes which one it is.
    flow : FlowControl, optional
        The flow control of the relation, if there is any; its hash is in `what`.
    traffic : Pattern, optional
        Traffic that no text names; its hash is in `what`.
    """

    what: dict[str, Any]
    design: Design
    relation: bytes
    flow: FlowControl | None = None
    traffic: Pattern | None = None

    @cached_property
    def key(self) -> str:
        """Hash of the content."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def text(self) -> str:
        """The content as canonical JSON."""
        return json.dumps(self.what, default=plain, sort_keys=True, separators=(",", ":"))


def proof_point(
    design: Design, relation: Relation, folder: Path, time_limit: float, flow: FlowControl | None = None
) -> Point:
    """The proof of a design."""
    what = {**_relation(design, relation, "proof", folder, flow), "time_limit": time_limit}
    return Point(what, design, _packed(relation).pickled, flow)


def run_point(
    design: Design,
    relation: Relation,
    folder: Path,
    load: float,
    seed: int,
    measurement: Measurement,
    traffic: Pattern | None = None,
    flow: FlowControl | None = None,
) -> Point:
    """One simulation of a design."""
    what = {
        **_relation(design, relation, "run", folder, flow),
        **{name: getattr(design, name) for name in ("packet_length", "router", "bursts", "faults")},
        "traffic": design.traffic if traffic is None else traffic.digest,
        **vars(measurement),
        "load": load,
        "seed": seed,
    }
    return Point(what, design, _packed(relation).pickled, flow, traffic)


def compute(point: Point) -> str:
    """The result of a point as JSON text; runs in any process, and needs nothing but the point.

    Raises
    ------
    UnknotError
        Always this very class, whose text survives the way back from another process.
    """
    try:
        outcome = _prove(point) if point.what["kind"] == "proof" else _simulate(point)
        return json.dumps(outcome, default=plain, separators=(",", ":"))
    except UnknotError as error:
        raise UnknotError(str(error)) from None


@dataclass(frozen=True)
class Computed:
    """Results of points computed in turn, the error that ended the row, and seconds by the clock for each."""

    texts: tuple[str, ...]
    seconds: float
    error: UnknotError | None = None


def compute_in_turn(compute: Callable[[Point], str], points: Iterable[Point]) -> Computed:
    """Compute points up to the first failure, and keep the results before."""
    start, texts, error = compiling.clock(), [], None
    try:
        for point in points:
            texts.append(compute(point))
    except UnknotError as raised:
        error = raised
    return Computed(tuple(texts), (compiling.clock() - start) / max(1, len(texts)), error)


def read(point: Point, text: str) -> Any:
    """The `Proven` or `Run` that a JSON text of `compute` holds."""
    return decode(Proven if point.what["kind"] == "proof" else Run, json.loads(text))


def checked(point: Point, relation: Relation, text: str) -> Proven | Run:
    """The result in a text from a store, with its evidence accepted and all else that can be computed again compared.

    Raises
    ------
    UnknotError
        If it cannot be read, is of another point, or its evidence does not hold or cannot be checked.
    """
    try:
        return _checked(point, relation, read(point, text))
    except (UnknotError, Rejected) as error:
        raise UnknotError(str(error)) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise UnknotError(f"it cannot be read: {type(error).__name__}") from error


def _checked(point: Point, relation: Relation, outcome: Proven | Run) -> Proven | Run:
    from unknot.certificates import accept_configuration, accept_verdict
    from unknot.simulation import replay
    from unknot.verify import deliver

    if isinstance(outcome, Run):
        scenario = _scenario(point, relation)
        about = {**stated(scenario), "network": relation.network.name, "routing": relation.name}
        shape = outcome.utilisation.shape, outcome.occupancy.shape
        if any(getattr(outcome, name) != said for name, said in about.items()):
            raise UnknotError("it is the run of another point")
        if min(outcome.packets, outcome.cycles, outcome.flit_hops, outcome.dropped, outcome.measured) < 0:
            raise UnknotError("it has a count below 0")
        if shape != ((relation.network.num_channels,), (relation.num_vcs,)):
            raise UnknotError("it is of other channels")
        struck = [str(fault) for fault in scenario.failing[: len(outcome.faults)]]
        if [each.fault for each in outcome.faults] != struck:
            raise UnknotError("it is a run with other faults")
        if outcome.deadlock is not None and not outcome.faults:  # after a fault it is one of several routings
            if outcome.deadlock.switching != outcome.switching:
                raise UnknotError("its deadlock is one under another switching technique")
            accept_configuration(relation, outcome.deadlock)
        return outcome
    verdict, knot = outcome.verdict, outcome.verdict.configuration
    known = _technique(point.what["switching"], point.flow), point.flow
    if (verdict.switching, verdict.flow) != known or outcome.delivery != deliver(relation):
        raise UnknotError("it is the proof of another design")
    evident = verdict.certificate is not None or knot is not None
    if evident or verdict.deadlock_free is not None:
        accept_verdict(relation, verdict)
    if outcome.replay != (replay(relation, knot) if knot is not None else None):
        raise UnknotError("its replay is another one")
    return replace(outcome, certificate_holds=True if evident else None)


def _relation(
    design: Design, relation: Relation, kind: str, folder: Path, flow: FlowControl | None
) -> dict[str, Any]:
    return {
        "kind": kind,
        "code": code_digest(),
        "network": design.network,
        "network_digest": _packed(relation).network,
        "routing": design.routing,
        "vcs": design.vcs if design.vcs or relation.made_by is None else relation.made_by[1],
        "switching": design.switching,
        "buffer_depth": design.buffer_depth,
        **({"routing_code": code_of(design.routing, folder)} if is_code(design.routing) else {}),
        **({"flow": _flow_digest(flow)} if flow is not None else {}),
        **({"routes": routes} if (routes := _packed(relation).routes) else {}),
    }


@dataclass(frozen=True)
class _Packed:
    """A relation for other processes, hashes of its network, and of its routes if no algorithm makes them again."""

    pickled: bytes
    network: str
    routes: str


_known: WeakKeyDictionary[Relation, _Packed] = WeakKeyDictionary()


def _packed(relation: Relation) -> _Packed:
    if relation not in _known:
        pickled, routes = pickle.dumps(relation), ""
        if relation.made_by is None or is_designed(relation.made_by[0]):
            use = b"" if relation.may_use is None else relation.may_use.tobytes()
            rule = rule_digest(relation.rule) or hashlib.sha256(pickled).hexdigest()
            rest = relation.vcs.counts.tobytes() + relation.destination.tobytes() + use
            routes = hashlib.sha256(rule.encode() + rest).hexdigest()
        _known[relation] = _Packed(pickled, digest(relation.network), routes)
    return _known[relation]


@lru_cache(maxsize=4)
def _unpacked(pickled: bytes) -> Relation:
    """The relation of a point, kept for the points of the same design that follow."""
    relation: Relation = pickle.loads(pickled)
    return relation


@lru_cache(maxsize=16)
def _flow_digest(flow: FlowControl) -> str:
    return hashlib.sha256(json.dumps(flow_words(flow)).encode()).hexdigest()


def _technique(switching: str, flow: FlowControl | None) -> str:
    """The technique in which packets of a design wait alike."""
    return switching if flow is None else technique_of(flow)


def open_proof(design: Design, relation: Relation, seconds: float, flow: FlowControl | None) -> Proven:
    """What is known of a design whose proof was not done within some seconds."""
    from unknot.verify import check

    verdict = check(relation, _technique(design.switching, flow), time_limit=Deadline(seconds, 0.0), flow=flow)
    return Proven(verdict, NOT_FOLLOWED, None, None)


def _prove(point: Point) -> Proven:
    from unknot.certificates import evidence_holds
    from unknot.simulation import replay
    from unknot.verify import check, deliver

    relation, what = _unpacked(point.relation), point.what
    with counting_work():  # so that a row is the same on each machine
        technique, limits = (
            _technique(point.what["switching"], point.flow),
            (what["time_limit"], what["buffer_depth"]),
        )
        verdict = check(relation, technique, time_limit=limits[0], buffer_depth=limits[1], flow=point.flow)
    shown = replay(relation, verdict.configuration) if verdict.configuration is not None else None
    return Proven(verdict, deliver(relation), evidence_holds(relation, verdict), shown)


def _scenario(point: Point, relation: Relation) -> Scenario:
    what, design = point.what, point.design
    workload = Traffic(point.traffic or design.traffic, design.packet_length, design.bursts)
    routers = _technique(what["switching"], point.flow), design.buffer_depth, design.router
    return Scenario(relation, what["load"], workload, *routers, what["seed"], flow=point.flow, faults=design.faults)


def _simulate(point: Point) -> Run:
    measurement = Measurement(**{part.name: point.what[part.name] for part in fields(Measurement)})
    return run_scenario(_scenario(point, _unpacked(point.relation)), measurement)
