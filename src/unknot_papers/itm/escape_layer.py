"""Escape layer along a triangular mesh of a network: whether there is one, its cost, its gain; and the mesh drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import NetworkError, UnknotError
from unknot._base.phrases import count
from unknot._base.progress import Progress, with_bar
from unknot._base.switching import SWITCHINGS
from unknot.network import Network
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.picture import Drawing
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import COLOURS, SOFT, Sheet
from unknot.routing import fully_adaptive, up_down
from unknot.routing.relation import Relation
from unknot.verify.adaptivity import adaptivity
from unknot.verify.check import check
from unknot.verify.delivery import deliver
from unknot.verify.loads import loads
from unknot_papers.itm.recognise import chordal, recognise
from unknot_papers.itm.routing import itm_escape
from unknot_papers.itm.spanning import Spanning, spanning
from unknot_papers.itm.topology import TriangularMesh

LAYERS = "two layers"


@dataclass(frozen=True)
class RouteFigures:
    """Figures of one routing under uniform traffic.

    Attributes
    ----------
    routing : str
    longest : int or None
        Hops of the longest route; None if routes may be endless.
    mean_hops : float
    adaptivity : float
        Permitted minimal paths over all minimal paths, mean over pairs.
    throughput : float
        Flits per terminal and cycle at which the busiest channel, or a terminal, is full, without contention.
    """

    routing: str
    longest: int | None
    mean_hops: float
    adaptivity: float
    throughput: float


@dataclass(frozen=True, eq=False)
class EscapeLayer:
    """The answer of `escape_layer`.

    Attributes
    ----------
    network : Network
    kind : {"exterior", "general"}
        Kind of mesh that was looked for.
    itself : str
        The kind of the network if it is a triangular mesh; empty if it is none.
    why_not : str
        Reason why it is none.
    chordal : bool
        Whether any shortest-path routing is deadlock-free on it with one VC.
    spanning : Spanning
    added_vcs : int
        Virtual channels that the layer adds: one for each channel of the mesh.
    verdicts : dict of str to bool or None
        Whether the two layers are deadlock-free, for each switching technique, when a header that has escaped stays.
    routes : tuple of RouteFigures
        The two layers; up*/down* routing from its best root, deterministic and adaptive; all shortest paths, which
        are the bound, and deadlock-free only on chordal networks. Empty if the network has too many routers.
    """

    network: Network
    kind: str
    itself: str
    why_not: str
    chordal: bool
    spanning: Spanning
    added_vcs: int
    verdicts: dict[str, bool | None]
    routes: tuple[RouteFigures, ...]


@with_bar
@counts_work
def escape_layer(
    network: Network,
    kind: str = "exterior",
    *,
    time_limit: float | Deadline = MINUTE,
    compared: int = 500,
    progress: Progress | None = None,
) -> EscapeLayer:
    """Look for a spanning triangular mesh and compare the escape layer along it with up*/down* routing.

    Parameters
    ----------
    kind : {"exterior", "general"}
    time_limit : float or Deadline
        Seconds, for the search and all verdicts.
    compared : int
        Most routers with which the layers are judged and compared; both take routers² · links and more.
    progress : callable, optional
        Called with what comes next and the parts done, see `unknot._base.progress`.

    Raises
    ------
    UnknotError
        If an argument makes no sense, or the network is too large for the tables of the routings.
    """
    report = progress or (lambda stage, done, total: None)
    report("looking for a mesh", 0, 1)
    known = recognise(network)
    deadline = Deadline.of(time_limit, "itm", NetworkError)
    mesh = spanning(network, kind, time_limit=deadline)
    verdicts: dict[str, bool | None] = {}
    routes: list[RouteFigures] = []
    if network.num_routers <= compared:
        candidates = _candidates(network, mesh, kind)
        techniques = SWITCHINGS if mesh.mesh is not None else ()
        parts = len(techniques) + len(candidates)
        for k, switching in enumerate(techniques):
            report(f"verdict, {switching}", k, parts)
            verdicts[switching] = check(candidates[LAYERS](), switching, time_limit=deadline).deadlock_free
        for k, (name, build) in enumerate(candidates.items()):
            report(name, len(techniques) + k, parts)
            try:
                routes.append(_figures(name, build()))
            except UnknotError:
                continue  # up*/down* where links go one way
        report("", parts, parts)
    return EscapeLayer(
        network=network,
        kind=kind,
        itself=known.mesh.kind if known.mesh is not None else "",
        why_not=known.reason,
        chordal=chordal(network),
        spanning=mesh,
        added_vcs=0 if mesh.mesh is None else int(mesh.mesh.carries(network).sum()),
        verdicts=verdicts,
        routes=tuple(routes),
    )


def _candidates(network: Network, mesh: Spanning, kind: str) -> dict[str, Callable[[], Relation]]:
    """The routings to compare; the two layers once, since they are judged as well."""
    candidates: dict[str, Callable[[], Relation]] = {}
    if mesh.mesh is not None:
        layers = itm_escape(network, kind=kind, mesh=mesh.mesh)
        candidates[LAYERS] = lambda: layers
    return candidates | {
        "up*/down*, one path": lambda: up_down(network, choice="first"),
        "up*/down*, adaptive": lambda: up_down(network, choice="shortest"),
        "all shortest paths": lambda: fully_adaptive(network),
    }


def _figures(name: str, relation: Relation) -> RouteFigures:
    load = loads(relation)
    return RouteFigures(
        name, deliver(relation).longest_route, load.mean_hops, adaptivity(relation).mean, load.throughput
    )


BESIDE = "#d3d9df"


def draw_mesh(network: Network, mesh: TriangularMesh | None) -> Drawing:
    """A network with a spanning triangular mesh in colour; without a mesh, the network alone.

    Routers stand on a circle in the circular order, if the mesh has one.

    Returns
    -------
    Drawing
        An SVG element.
    """
    if mesh is None or network.num_routers > MAX_DRAWN:
        from unknot.report.drawing import draw_network

        return draw_network(network)
    sheet = Sheet.of(network) if mesh.circle is None else _on_a_circle(network, mesh.circle)
    width = min(2.4, max(0.8, 0.05 * sheet.gap))
    ends = {frozenset(edge): bool(outer) for edge, outer in zip(mesh.edges.tolist(), mesh.exterior, strict=True)}
    beside: list[str] = []
    inner: list[str] = []
    rim: list[str] = []
    seen: set[frozenset[int]] = set()
    for channel, pair in enumerate(network.ends):
        link = frozenset(pair)
        if link not in seen:
            seen.add(link)
            line = paper.path([complex(sheet.place[pair[0]]), complex(sheet.place[pair[1]])])
            group = beside if link not in ends else rim if ends[link] else inner
            group.append(line if mesh.circle is not None else paper.path(sheet.centre(channel)))
    shown = (
        (beside, BESIDE, 0.6 * width, "links beside it"),
        (inner, COLOURS[0], width, "inner links"),
        (rim, COLOURS[3], 1.3 * width, "boundary"),
    )
    parts, at = [], 16.0
    legend = sheet.height + 6
    for lines, colour, thick, words in shown:
        parts.append(shapes.stroke("".join(lines), colour, thick) if lines else "")
        label = f"{words}: {len(lines)}"
        parts.append(shapes.stroke(paper.path([complex(at, legend), complex(at + 22, legend)]), colour, thick))
        parts.append(shapes.text(complex(at + 28, legend + 4), label, size=12, anchor="start", colour=SOFT))
        at += 46 + 7 * len(label)
    parts += shapes.routers(sheet, set(range(network.num_routers)), faint=False)
    title = f"Triangular mesh in {network.name}: {count(len(mesh.edges), 'link')}"
    return shapes.svg(max(sheet.width, at), sheet.height + 22, title, parts)


def _on_a_circle(network: Network, circle: np.ndarray[tuple[int], np.dtype[np.int32]]) -> Sheet:
    """A sheet with the routers on a circle, as far apart as fits."""
    n = circle.size
    reach = float(min(290.0, max(90.0, 9.0 * n)))
    place = np.empty(n, dtype=np.complex128)
    place[circle] = reach * np.exp(1j * (2 * np.pi * np.arange(n) / n - np.pi / 2))
    radius = float(min(16.5, max(1.5, 0.27 * 2 * reach * np.sin(np.pi / n))))
    margin = radius + 16
    size = 2 * (reach + margin)
    return Sheet(
        network, np.round(place + complex(size / 2, size / 2), 1), round(radius, 2), round(size, 1), round(size, 1)
    )
