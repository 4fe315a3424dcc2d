"""Fewest lanes of named networks: processor seconds, lanes found and proved, loads.

``python -m benchmarks.lanes`` prints the table of docs/lanes.md; ``python -m benchmarks.lanes large`` (or ``huge``)
lets larger ones run for 300 seconds each, or as many as follow, shows when how many lanes were found, and draws
docs/images/lanes-over-time.svg of the huge ones. ``--only NAME`` takes one of them, and draws nothing.
Seconds are of the processor, after compilation; a time limit is of the clock, which other work lengthens, or with
``--processor`` of the processor too.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path

import networkx as nx

from unknot._base import deadline
from unknot.lane_assignment import ChangingLanes, Lanes, lanes
from unknot.network import Network, from_networkx, tod

NAMED = (
    "torus(8, 8)", "regular(4, 64)", "torus(4, 4, 4)", "hypercube(7)", "torus(10, 10)", "torus(16, 16)",
    "regular(4, 128)", "torus(6, 6, 6)",
)  # fmt: skip
LARGE = ("regular(4, 256)", "regular(6, 256)", "torus(8, 8, 8)")
HUGE = ("torus(32, 32)", "regular(4, 1024)", "slim_fly(19)", "dragonfly(8, 4, 4)")
OPENSM = {
    "torus(8, 8)": "DFSSSP over 8, LASH 6 (180)",
    "torus(10, 10)": "DFSSSP over 8, LASH 6",
    "torus(16, 16)": "DFSSSP and LASH give up",
    "torus(6, 6)": "DFSSSP 6, LASH 4",
    "torus(4, 4, 4)": "DFSSSP 8, LASH 1",
    "regular(4, 64)": "DFSSSP 7 (80), LASH 7 (93)",
    "regular(4, 128)": "DFSSSP and LASH give up",
}
"""Lanes (and highest loads) of OpenSM 3.3.23, measured with one host for each switch."""


def network(text: str) -> Network:
    """A topology, or ``regular(degree, routers)``: the random regular graph of networkx of seed 1."""
    if text.startswith("regular("):
        degree, routers = (int(x) for x in text[8:-1].split(","))
        return from_networkx(nx.random_regular_graph(degree, routers, seed=1), name=text)
    return tod.network(text)


def measured(built: Network, paths: str, limit: float) -> tuple[Lanes, float]:
    """The lanes, and the processor seconds they took."""
    began = time.process_time()
    routes = lanes(built, paths, time_limit=limit)
    return routes, time.process_time() - began


def kind(routes: Lanes | ChangingLanes) -> str:
    """Kind of the evidence, in parentheses; marked if the checker rejects it."""
    if routes.evidence is None:
        return ""
    name = {"ForcedCycle": "cycle", "Refutation": "refutation"}[type(routes.evidence).__name__]
    return f" ({name}{'' if routes.evidence_holds else ', REJECTED'})"


def line(built: Network, paths: str, limit: float) -> str:
    """A row of a table."""
    routes, seconds = measured(built, paths, limit)
    bound = f"{routes.lower_bound}{kind(routes)}"
    row = f"| {built.name} | {built.num_routers} | {paths} | {routes.count} | {bound} | {routes.highest_load:g} "
    return row + f"| {routes.mean_load:.1f} | {seconds:.1f} | {OPENSM.get(built.name, '')} |"


def draw(results: dict[str, Lanes], limit: float, path: Path) -> None:
    """Draw the lanes of the best result so far over the seconds of the search, up to its limit."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "lanes", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 3.6), layout="constrained")
        axes = figure.add_subplot()
        for name, routes in results.items():
            after, count = zip(*routes.history, strict=True)
            (line,) = axes.step([*after, limit], [*count, count[-1]], where="post", label=name)
            axes.plot(after, count, "o", color=line.get_color(), markersize=4)
        axes.set(xscale="log", xlabel="seconds", ylabel="lanes", ylim=(0, None))
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.grid(alpha=0.3)
        axes.legend()
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print a table."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("large", "huge"))
    parser.add_argument("limit", nargs="?", type=float, default=300.0, help="seconds for each of the larger networks")
    parser.add_argument("--only", metavar="NAME", help="one of the larger networks")
    parser.add_argument("--processor", action="store_true", help="limits are of the processor's time")
    options = parser.parse_args()
    if options.processor:
        deadline.compiling.clock = time.process_time
    lanes("torus(5, 5)")
    lanes("torus(5, 5)", "table")
    print("| network | routers | paths | lanes | lower bound | highest load | mean load | seconds | OpenSM |")
    print("|---|---|---|---|---|---|---|---|---|")
    if options.what:
        results = {}
        chosen = LARGE if options.what == "large" else HUGE
        for text in chosen if options.only is None else [options.only]:
            routes, seconds = measured(network(text), "free", options.limit)
            results[text] = routes
            steps = ", ".join(f"{lanes} after {after:.0f} s" for after, lanes in routes.history)
            print(
                f"{text}: at least {routes.lower_bound}; {steps}; highest load {routes.highest_load:g}, mean "
                f"{routes.mean_load:.1f}; {seconds:.0f} s of the processor; {routes.tried}",
                flush=True,
            )
        if options.what == "huge" and options.only is None:
            draw(results, options.limit, Path("docs/images/lanes-over-time.svg"))
        return
    for text in NAMED:
        for paths in ("free", "table"):
            print(line(network(text), paths, 120.0), flush=True)


if __name__ == "__main__":
    main()
