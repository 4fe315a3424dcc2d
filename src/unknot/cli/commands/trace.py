"""`unknot trace`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import (
    SEED,
    Json,
    NetworkText,
    Options,
    Seed,
)
from unknot.cli.commands.printing import wrote
from unknot.cli.commands.shared import exit_code, relation_of

if TYPE_CHECKING:
    from unknot.routing.relation import Relation
    from unknot.simulation.traces.trace_run import TraceRun


@dataclass(frozen=True)
class TraceOptions(Options):
    """All options of `unknot trace`.

    Attributes
    ----------
    file : argument [FILE]
        Messages, as CSV; or see --requests.
    buffer_depth
        Flits per virtual channel; by default 8, or the longest message under vct, saf.
    overhead
        Cycles of work of a terminal before it sends a message.
    in_order
        Send strictly in the order of the file.
    requests
        Number of requests of each terminal in a closed loop, in place of a file.
    window
        Most outstanding requests of a terminal.
    request_flits
        Flits of a request.
    reply_flits
        Flits of a reply; 0: no replies.
    service
        Cycles from the arrival of a request to its reply.
    think
        Cycles from the arrival of a reply to the next request.
    traffic
        Pattern of the requests of a closed loop.
    classes : NAMES
        Classes of messages with VCs of their own, such as request,reply.
    limit
        Cycle in which to stop.
    results : FILE
        CSV file with the times of each message.
    """

    network: NetworkText
    routing: str
    file: Path | None = None
    vcs: int | None = None
    switching: Switching = DEFAULT_SWITCHING
    buffer_depth: int | None = None
    overhead: int = 0
    in_order: bool = False
    requests: int | None = None
    window: int = 4
    request_flits: int = 1
    reply_flits: int = 4
    service: int = 0
    think: int = 0
    traffic: str = "uniform_others"
    classes: str = ""
    limit: int | None = None
    seed: Seed = SEED
    results: Path | None = None
    units: str | None = None
    json: Json = False


def trace(options: TraceOptions) -> int:
    """Run given messages, or requests and replies, flit by flit.

    Exit code 0: all messages arrived; 1: some messages never arrive; 3: the run reached --limit.
    """
    from unknot._base.errors import UnknotError
    from unknot._base.units import Scale
    from unknot.cli.answers.messages import TraceAnswer
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import describe, tell
    from unknot.simulation.traces.closed_loop import closed_loop
    from unknot.simulation.traces.trace_file import read_trace, write_trace
    from unknot.simulation.traces.trace_run import run_trace

    scale, file, requests = Scale.of(options.units), options.file, options.requests
    if (file is None) == (requests is None):
        raise UnknotError("either a file of messages is needed, or --requests with a number")
    if requests is not None and (options.overhead or options.in_order):
        raise UnknotError("--overhead and --in-order are for files of messages, not for --requests")
    relation = _relation(options.network, options.routing, options.vcs, options.classes)
    of_run = options.some("switching", "buffer_depth", "limit", "seed")
    loop = None
    with activity.working("simulating"):
        if file is not None:
            run = run_trace(
                relation,
                read_trace(file, relation.network, classes=relation.classes),
                **options.some("overhead", "in_order"),
                **of_run,
            )
        else:
            loop = closed_loop(
                relation,
                requests=requests or 0,
                **options.some("window", "request_flits", "reply_flits", "traffic", "service", "think"),
                **of_run,
            )
            run = loop.run
    if options.results is not None:
        write_trace(options.results, run.trace, relation.network, run, units=scale.units)
        wrote(options.results)
    figures = vars(run) | (vars(loop) if loop is not None else {})
    by_class = {name: _of_class(run, name) for name in sorted(set(run.trace.classes))}
    tell(
        options.json, TraceAnswer, run, of=relation, scale=scale, closed_loop=loop, classes=by_class,
        units=in_units(scale.units, [figures]), messages=len(run.trace), flits=int(run.trace.flits.sum()),
    )  # fmt: skip
    if not options.json:
        describe(relation, run.deadlock)
    return exit_code(run.finished)


def _relation(network: str, routing: str, vcs: int | None, classes: str) -> Relation:
    """The routing, once for each class of messages if there are any."""
    if not classes:
        return relation_of(network, routing, vcs, simulated=True)
    from unknot.routing.classes import in_classes, share

    names = [name.strip() for name in classes.split(",")]
    return in_classes(relation_of(network, routing, share(vcs, names)), names)


def _of_class(run: TraceRun, name: str) -> dict[str, Any]:
    latency, network = run.of_class(name), run.of_class(name, network=True)
    return {
        "messages": run.trace.classes.count(name),
        "arrived": latency.size,
        "latency_mean": float(latency.mean()) if latency.size else None,
        "latency_max": int(latency.max()) if latency.size else None,
        "network_latency_mean": float(network.mean()) if network.size else None,
    }
