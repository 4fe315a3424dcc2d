"""A triangular mesh inside a network: its boundary as a circle, its inner links, and the links beside it."""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.phrases import count
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import COLOURS, SOFT, Sheet
from unknot_papers.itm.topology import TriangularMesh

BESIDE = "#d3d9df"


def draw_mesh(network: Network, mesh: TriangularMesh | None) -> str:
    """A network with a spanning triangular mesh in colour; without a mesh, the network alone.

    Routers stand on a circle in the circular order, if the mesh has one.

    Returns
    -------
    str
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
    for channel, pair in enumerate(zip(network.source.tolist(), network.target.tolist(), strict=True)):
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
