"""`unknot itm`."""

from __future__ import annotations

from typing import Any

from unknot.cli.commands.options import MINUTE, Json, NetworkText, TimeLimit
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import exit_code
from unknot.cli.commands.written import draw


def itm(
    network: NetworkText,
    kind: str = "exterior",
    deadline: TimeLimit = MINUTE,
    compared: int = 500,
    json: Json = False,
) -> int:
    """Look for a triangular mesh in a network, an escape layer for adaptive routing, and show its cost.

    Exit code 0: the network contains a mesh; 1: the network contains no mesh; 3: the question is undecided in time.

    Parameters
    ----------
    kind
        Kind of mesh: exterior or general.
    compared
        Most routers of a network for which the answer has verdicts and routes.
    out : svg|png|pdf
        pictures of the mesh

    Examples
    --------
    >>> import unknot
    >>> unknot.itm("itm(24, extra=12, seed=3)").holds
    True
    """
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.fabrics.named import network as named
    from unknot.routing.named import require_connected
    from unknot_papers.itm.answer import ItmAnswer
    from unknot_papers.itm.escape_layer import draw_mesh, escape_layer

    built = named(network, where="NETWORK")
    require_connected(built)
    with activity.working("itm") as progress:
        layer = escape_layer(built, kind, time_limit=deadline, compared=compared, progress=progress)
    draw(lambda: draw_mesh(built, layer.spanning.mesh))
    mesh = layer.spanning.mesh
    links = None if mesh is None else [(u, v) for u, v in mesh.edges.tolist()]
    circle = None if mesh is None or mesh.circle is None else mesh.circle.tolist()
    keys: dict[str, Any] = {"found": mesh is not None, "links": links, "circle": circle}
    tell(json, ItmAnswer, layer, layer.spanning, of=layer.network, **keys)
    if not layer.routes:
        notify(f"{built.num_routers} routers: verdicts and routes only with --compared of that many or more")
    return exit_code(layer.spanning.found)
