"""What helps a saturated design: changes that are tried in a short run before they are named."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from unknot._base.errors import UnknotError
from unknot._base.progress import Progress
from unknot.routing.named import routing
from unknot.routing.relation import Relation
from unknot.simulation.run.bottleneck import FULL
from unknot.simulation.run.driver import simulate
from unknot.simulation.run.run import Run
from unknot.traffic import PatternLike, pattern

MOST_VCS = 32
LONGEST = 5000
"""Most cycles before measuring, and while measuring, of a run that tries a change."""


def hint(relation: Relation, run: Run, *, traffic: PatternLike = "uniform", progress: Progress | None = None) -> str:
    """Name a change of options after which a short run at the same load is stable, or those that do not help.

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
        Empty if the run is stable, or neither can help: it did not saturate, or a channel or terminal is full.
    """
    received = pattern(relation.network, traffic).received
    full = received is not None and run.offered_load * float(received.max(initial=0.0)) > 1
    if not run.reason.startswith("saturated") or full or float(run.utilisation.max(initial=0.0)) >= FULL:
        return ""
    tried = []
    for words, made, more in _changes(relation, run):
        options: dict[str, Any] = {
            "switching": run.switching,
            "buffer_depth": run.buffer_depth,
            "packet_length": dict(run.lengths) or run.packet_length,
            "router": run.router,
            "bursts": run.bursts,
            "seed": run.seed,
            "traffic": traffic,
            "warmup": min(run.warmup, LONGEST),
            "measure": min(run.measured, LONGEST) or LONGEST,
            "progress": progress,
        }
        again = simulate(made, run.offered_load, **options | more)
        if again.stable:
            return f"with {words} a run of {again.measured} measured cycles is stable"
        tried.append(words)
    return f"tried, and not stable either: {', '.join(tried)}" if tried else ""


def _changes(relation: Relation, run: Run) -> Iterator[tuple[str, Relation, dict[str, Any]]]:
    """Options that may help, with the relation and the arguments they stand for."""
    larger = []
    for vcs in (2 * relation.vcs.widest, 4 * relation.vcs.widest):
        if relation.made_by is not None and vcs <= MOST_VCS:
            with contextlib.suppress(UnknotError):
                larger.append((f"--vcs {vcs} ", routing(relation.network, relation.made_by[0], vcs)))
    yield from ((words.strip(), made, {}) for words, made in larger)
    if run.switching == "wormhole":
        depth = max(run.buffer_depth, run.packet_length)
        deeper = f" --buffer-depth {depth}" if depth > run.buffer_depth else ""
        for words, made in [("", relation), *larger]:
            yield f"{words}--switching vct{deeper}", made, {"switching": "vct", "buffer_depth": depth}
