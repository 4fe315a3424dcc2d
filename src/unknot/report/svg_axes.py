"""SVG drawn onto axes of matplotlib, for PNG and PDF."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SCALE = 2
"""Pixels of a PNG for one pixel of the SVG."""
LINES = 500
"""Lines of a path that are drawn at a time; the library has room for a few million pixels of a path."""
_STEP = re.compile(r"([ML])(-?[\d.]+),(-?[\d.]+)|(Z)")
_PASSED_ON = ("fill", "stroke-linejoin", "stroke-linecap")


def figure_of(svg: str) -> Figure:
    """Draw an SVG of `report.shapes` on a figure of its size."""
    from matplotlib.figure import Figure

    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    figure = Figure(figsize=(width / 72, height / 72), dpi=72 * SCALE)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(**limits_of(root))
    axes.set_axis_off()
    draw_elements(axes, root, {})
    return figure


def draw_elements(axes: Axes, parent: Any, inherited: dict[str, str]) -> None:
    """Draw the elements within another, each above those before it."""
    from matplotlib.patches import Circle, PathPatch, Rectangle

    for element in parent:
        attributes = inherited | element.attrib
        name = element.tag.rpartition("}")[2]
        if name == "g":
            draw_elements(axes, element, {key: attributes[key] for key in _PASSED_ON if key in attributes})
        elif name == "rect":
            axes.add_patch(Rectangle((0, 0), 1, 1, transform=axes.transAxes, color=attributes["fill"]))
        elif name == "circle":
            centre = (float(attributes["cx"]), float(attributes["cy"]))
            axes.add_patch(Circle(centre, float(attributes["r"]), **_look(attributes)))
        elif name == "path" and attributes["d"]:
            for part in _parts(attributes):
                axes.add_patch(PathPatch(_path(part), **_look(attributes)))
        elif name == "text":
            _write(axes, element, attributes)
        elif name not in ("title", "path", "style"):
            raise UnknotError(f"a picture with <{name}> cannot be drawn as PNG or PDF; write it as SVG")


def limits_of(root: Any) -> dict[str, tuple[float, float]]:
    """The limits of axes that show a picture, y downward."""
    box = root.attrib.get("viewBox") or f"0 0 {root.attrib['width']} {root.attrib['height']}"
    left, top, width, height = map(float, box.split())
    return {"xlim": (left, left + width), "ylim": (top + height, top)}


def _look(attributes: dict[str, str]) -> dict[str, Any]:
    look: dict[str, Any] = {
        "facecolor": attributes.get("fill", "black"),
        "edgecolor": attributes.get("stroke", "none"),
        "linewidth": float(attributes.get("stroke-width", 1)),
        "joinstyle": attributes.get("stroke-linejoin", "miter"),
        "capstyle": attributes.get("stroke-linecap", "butt"),
    }
    if "stroke-opacity" in attributes:
        look["alpha"] = float(attributes["stroke-opacity"])
    if "stroke-dasharray" in attributes:
        look["linestyle"] = 0, [float(word) / look["linewidth"] for word in attributes["stroke-dasharray"].split()]
    return look


def _parts(attributes: dict[str, str]) -> list[str]:
    """A path in parts that are not too long to draw; whole, if it is filled."""
    lines = attributes["d"].split("M")[1:]
    if attributes.get("fill") != "none" or len(lines) <= LINES:
        return [attributes["d"]]
    return ["M" + "M".join(lines[i : i + LINES]) for i in range(0, len(lines), LINES)]


def _path(text: str) -> Any:
    from matplotlib.path import Path as Outline

    points, codes = [], []
    for letter, x, y, close in _STEP.findall(text):
        points.append((0.0, 0.0) if close else (float(x), float(y)))
        codes.append(Outline.CLOSEPOLY if close else Outline.MOVETO if letter == "M" else Outline.LINETO)
    return Outline(points, codes)


def _write(axes: Axes, element: Any, attributes: dict[str, str]) -> None:
    from matplotlib.patheffects import withStroke

    edge, width = attributes.get("stroke"), float(attributes.get("stroke-width", 1))
    axes.text(
        float(attributes["x"]),
        float(attributes["y"]),
        element.text or "",
        fontsize=float(attributes["font-size"]),
        color=attributes["fill"],
        ha={"middle": "center", "end": "right"}.get(attributes.get("text-anchor", "start"), "left"),
        va="baseline",
        weight="bold" if attributes.get("font-weight") == "700" else "normal",
        parse_math=False,
        path_effects=[withStroke(linewidth=width, foreground=edge)] if edge else None,
        zorder=1,  # as patches have: who comes later stands above
    )
