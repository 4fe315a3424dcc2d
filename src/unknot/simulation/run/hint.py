"""Changes of options that may make a run stable, tried by short runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from unknot._base.errors import UnknotError
from unknot._base.progress import Progress
from unknot.flow_control.techniques import technique
from unknot.routing.named import routing
from unknot.routing.relation import Relation
from unknot.simulation.run.driver import run_scenario
from unknot.simulation.run.outcome import FULL
from unknot.simulation.run.run import Run
from unknot.simulation.run.scenario import Measurement, Scenario
from unknot.traffic import PatternLike, Traffic, pattern
from unknot.traffic.workload import PATTERN

MOST_VCS = 32
LONGEST = 5000
"""Most cycles before measuring, and while measuring, of a run that tries a change."""


def hint(relation: Relation, run: Run, *, traffic: PatternLike = PATTERN, progress: Progress | None = None) -> str:
    """Name a change of options that makes a short run at the same load stable, or list the changes tried in vain.

    Twice and four times the VCs are tried where the routing takes a number of them, and cut-through in place of
    wormhole switching.

    Parameters
    ----------
    relation : Relation
        What was simulated.
    run : Run
        Its result.
    traffic : str, sequence of int, array, callable or Pattern
        As it was simulated with.

    Returns
    -------
    str
        Empty if the run is stable, or neither can help: it did not saturate, a channel or terminal is full, or it
        had a flow control of this relation.
    """
    received = pattern(relation.network, traffic).received
    full = received is not None and run.offered_load * float(received.max(initial=0.0)) > run.router.terminal_width
    busiest = float((run.utilisation / relation.network.bandwidth).max(initial=0.0)) if run.utilisation.size else 0.0
    if run.flow is not None or not run.reason.startswith("saturated") or full or busiest >= FULL:
        return ""
    workload = Traffic(traffic, dict(run.lengths) or run.packet_length, run.bursts)
    scenario = Scenario(relation, run.offered_load, workload, run.switching, run.buffer_depth, run.router, run.seed)
    measurement = Measurement(min(run.warmup, LONGEST), min(run.measured, LONGEST) or LONGEST)
    tried = []
    for words, change in _changes(relation, run):
        again = run_scenario(replace(scenario, **change), measurement, progress=progress)
        if again.stable:
            return f"with {words} a run of {again.measured} measured cycles is stable"
        tried.append(words)
    return f"runs with these options were not stable either: {', '.join(tried)}" if tried else ""


def _changes(relation: Relation, run: Run) -> Iterator[tuple[str, dict[str, Any]]]:
    """Options that may help, with the changes they make to the scenario."""
    larger = []
    for vcs in (2 * relation.vcs.widest, 4 * relation.vcs.widest):
        if relation.made_by is not None and vcs <= MOST_VCS:
            with contextlib.suppress(UnknotError):
                larger.append((f"--vcs {vcs} ", routing(relation.network, relation.made_by[0], vcs)))
    yield from ((words.strip(), {"relation": made}) for words, made in larger)
    if technique(run.switching).exclusive:
        depth = max(run.buffer_depth, run.packet_length)
        deeper = f" --buffer-depth {depth}" if depth > run.buffer_depth else ""
        for words, made in [("", relation), *larger]:
            change = {"relation": made, "switching": "vct", "buffer_depth": depth}
            yield f"{words}--switching vct{deeper}", change
