"""`unknot itm`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from unknot.cli.commands.options import MINUTE, Json, NetworkText, Picture, TimeLimit
from unknot.cli.commands.printing import show, show_json
from unknot.cli.commands.shared import write
from unknot.cli.exit_codes import FAILS, HOLDS, UNDECIDED

if TYPE_CHECKING:
    from unknot_papers.itm.escape_layer import EscapeLayer


def itm(
    network: NetworkText,
    kind: str = "exterior",
    deadline: TimeLimit = MINUTE,
    compared: int = 500,
    out: Picture = None,
    json: Json = False,
) -> None:
    """Look for a triangular mesh in a network: is there an escape layer, what does it cost, what does it buy?

    Exit code 0: there is one; 1: there is none; 3: undecided in the time given.

    Parameters
    ----------
    kind
        exterior or general.
    compared
        Most routers with which verdicts and routes are worked out as well.
    """
    from unknot.cli.commands import activity
    from unknot.studies import design
    from unknot_papers.itm.escape_layer import escape_layer

    built = design.network(network, where="NETWORK")
    design.require_connected(built)
    with activity.working("itm", tenths=True) as progress:
        layer = escape_layer(built, kind, time_limit=deadline.seconds, compared=compared, progress=progress)
    if out is not None:
        from unknot_papers.itm.drawing import draw_mesh

        write(out, draw_mesh(built, layer.spanning.mesh))
    if json:
        show_json(_answer(layer))
    else:
        _print(layer)
    if layer.spanning.mesh is None:
        raise typer.Exit(FAILS if layer.spanning.proved else UNDECIDED)
    raise typer.Exit(HOLDS)


def _answer(layer: EscapeLayer) -> dict[str, Any]:
    from unknot.cli.answers.form import answer
    from unknot_papers.itm.answer import ItmAnswer

    mesh = layer.spanning.mesh
    links = None if mesh is None else [(u, v) for u, v in mesh.edges.tolist()]
    circle = None if mesh is None or mesh.circle is None else mesh.circle.tolist()
    more = {"found": mesh is not None, "links": links, "circle": circle}
    return answer(ItmAnswer, layer, layer.spanning, of=layer.network, **more)


def _print(layer: EscapeLayer) -> None:
    network, mesh = layer.network, layer.spanning.mesh
    show(f"{network.name}: {network.num_routers} routers, {network.num_channels} channels")
    show(f"  is a triangular mesh itself: {'yes, ' + layer.itself if layer.itself else 'no, ' + layer.why_not}")
    word = "yes: every shortest-path routing is deadlock-free on it" if layer.chordal else "no"
    show(f"  chordal: {word}")
    if mesh is None:
        certain = "no" if layer.spanning.proved else "not found"
        show(
            f"  contains a spanning mesh ({layer.kind}): {certain} ({layer.spanning.method}): {layer.spanning.reason}"
        )
        _compare(layer)
        return
    show(f"  contains a spanning mesh ({layer.kind}): yes ({layer.spanning.method}), {len(mesh.edges)} links")
    show(f"  escape layer: 2 VCs (VLs) instead of 1 on {layer.added_vcs} of {network.num_channels} channels")
    for switching, free in layer.verdicts.items():
        show(f"    {switching}: {'deadlock-free' if free else 'can deadlock' if free is False else 'undecided'}")
    _compare(layer)


def _compare(layer: EscapeLayer) -> None:
    if not layer.routes:
        show(f"  {layer.network.num_routers} routers: verdicts and routes only with --compared of that many or more")
        return
    show("  under uniform traffic    longest route  mean hops  adaptivity  ideal throughput")
    for route in layer.routes:
        longest = "endless" if route.longest is None else str(route.longest)
        figures = f"{longest:>13}  {route.mean_hops:9.3f}  {route.adaptivity:10.3f}  {route.throughput:16.3f}"
        show(f"    {route.routing:21s}{figures}")
