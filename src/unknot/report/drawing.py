"""Drawings of networks, plain or with the load of every channel in colours, whole or as a matrix, as SVG text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats
from unknot._base.errors import UnknotError, require_known, shortened
from unknot._base.units import Scale, Units
from unknot.fabrics.named import network as network_named
from unknot.network import Network
from unknot.report import labels, shapes
from unknot.report import sheet as paper
from unknot.report.link_kinds import LINE, legend, link_kinds
from unknot.report.picture import Drawing, night
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import COLOURS, INK, SOFT, Sheet

RAMP = ("#d7dee5", "#f2cf6b", "#e68a2e", "#c23b22", "#5c0f2e")
"""Colours from an idle channel to the busiest, ever darker, so that they also read in grey."""
NIGHT_RAMP = ("#2f3841", "#6b5524", "#b3661f", "#ea5a3d", "#ffb3a0")
"""Colours from an idle channel to the busiest on a dark page, ever brighter."""
SHADES = 51
STEPS = 48
View = Literal["auto", "whole", "matrix"]
MANY = 600
"""Routers from which on a network is drawn as a matrix unless the whole is asked for."""
OF_GRID = 1024
"""The same of grids of two dimensions, whose links lead to neighbours on the paper."""
FLAT = 2
"""Dimensions of paper."""
CELLS = 128
"""Most rows of a matrix; more routers share rows."""
LABELLED = 3
"""How many of the busiest channels have their load written beside them."""


def draw_network(network: Network | str, *, view: View = "auto", terminals: bool = False) -> Drawing:
    """Routers, links by their kind, and which routers have terminals.

    Parameters
    ----------
    network : Network or str
        Or a text such as ``"torus(8, 8)"``.
    view : {"auto", "whole", "matrix"}
        Every router, or a matrix of who is joined to whom. By default the whole of fewer than `MANY` routers, of
        grids of two dimensions `OF_GRID`, else the matrix.
    terminals : bool
        Whether terminals are drawn, as squares beside their routers; one square for all of a router that has no room
        for them side by side.

    Returns
    -------
    Drawing
        An SVG element with a legend of the kinds of links. Names of routers are left out where they find too little
        room, and the legend says so. The same network gives the same text. The whole of more than `MAX_DRAWN` routers
        is described instead of drawn.

    Examples
    --------
    >>> drawing = draw_network("torus(4, 4)")
    >>> drawing.text[:4], drawing.text.count("<circle")
    ('<svg', 16)
    """
    require_known("draw_network: unknown view", view, get_args(View))
    if isinstance(network, str):
        network = network_named(network)
    title = f"Network {network.name}: {shapes.summary(network)}"
    if is_matrix(network, view):
        ones = np.ones(network.num_channels)
        return draw_matrix(network, ones, title, lambda share: COLOURS[0], 1.0, "channels")
    if network.num_routers > MAX_DRAWN:
        return shapes.note(title, f"Too large to draw: {shapes.summary(network)}.")
    sheet, kinds = Sheet.of(network), link_kinds(network)
    everyone = range(network.num_routers)
    ends = labels.terminal_seats(sheet) if terminals else []
    seats = labels.beside(sheet, everyone, more=[at for at, _ in ends])
    lines, rates = shapes.drawn_links(sheet, [(kind.colour, kind.dashes, kind.channels) for kind in kinds])
    side = min(7.0, 0.5 * sheet.radius)
    marks = [shapes.area(_square(at - side * (0.5 + 0.5j), side), COLOURS[3], name) for at, name in ends]
    discs = shapes.routers(sheet, set(everyone), faint=False, seats=seats)
    remarks = ["Squares are terminals."] if ends else []
    if not labels.small(sheet, everyone).keys() <= seats.keys():
        remarks.append("Names of routers are left out" + (" within the grid." if seats else ": too many to be read."))
    told, height = legend(sheet, kinds, rates, remarks)
    parts = [lines, shapes.arrows(sheet, LINE), *marks, *discs, *told]
    return shapes.svg(sheet.width, height, title, parts, (network.name, shapes.summary(network)))


def draw_load(
    network: Network | str,
    utilisation: npt.ArrayLike,
    *,
    note: str = "",
    view: View = "auto",
    units: Units | str | None = None,
    quantity: Literal["Load", "Power"] = "Load",
) -> Drawing:
    """The network with every channel coloured by its utilisation, or by its power, and a legend.

    The two channels of a link run side by side, each to the right of its direction. The scale ends at the busiest
    channel, rounded up.

    Parameters
    ----------
    network : Network or str
        The network.
    utilisation : array_like of float, shape (channels,)
        Flits per cycle, such as `Run.utilisation`. Where not all channels have a bandwidth of 1, shares of their
        bandwidths are drawn.
    note : str
        A line below the legend.
    view : {"auto", "whole", "matrix"}
        As for `draw_network`.
    units : Units or str, optional
        Clock and width of a flit, such as ``2 GHz, 16 B``: draws GB/s.
    quantity : {"Load", "Power"}
        With ``Power`` the numbers are milliwatts, such as `EnergyRun.channel_dynamic_mw`.

    Returns
    -------
    Drawing
        An SVG element. The whole of more than `MAX_DRAWN` routers is described instead of drawn. The busiest channels
        have their loads beside them where there is room.

    Raises
    ------
    UnknotError
        If there is not one number for each channel.

    Examples
    --------
    >>> from unknot.verify import loads
    >>> split = loads("mesh(4, 4)", routing="dimension_order", traffic="transpose")
    >>> draw_load("mesh(4, 4)", split.channel / split.highest, note="transpose").text[:4]
    '<svg'
    """
    if isinstance(network, str):
        network = network_named(network)
    loads = np.asarray(utilisation, dtype=np.float64)
    if loads.shape != (network.num_channels,):
        raise UnknotError(
            f"one utilisation for each of the {network.num_channels} channels of {network.name} is needed, got an "
            f"array of shape {loads.shape}"
        )
    scale = Scale.of(units)
    loads, unit = loads * scale.load(1.0), scale.channel_name
    if quantity == "Power":
        loads, unit = np.asarray(utilisation, dtype=np.float64), "mW"
    elif (network.bandwidth != 1).any():
        loads, unit = np.asarray(utilisation) / network.bandwidth, "of its bandwidth"
    highest = float(loads.max(initial=0.0))
    caption = f"busiest channel {highest:.3g} {unit}, mean {loads.mean() if loads.size else 0.0:.3g}"
    title = f"{quantity} of {network.name}: {caption}"
    top = _round_up(highest)
    if is_matrix(network, view):
        return draw_matrix(network, loads, title, colour, top, f"{unit}, at most")
    if network.num_routers > MAX_DRAWN:
        return shapes.note(title, f"Too large to draw: {shapes.summary(network)}; {caption}.")
    sheet, parts = _whole(network, loads, top, unit)
    parts = [DARK_RAMP, *parts, *_legend(sheet.height, top, caption)]
    height = sheet.height + 46
    if note:
        parts.append(shapes.text(complex(20, height + 8), note, size=12, anchor="start", colour=SOFT))
        height += 20
    width = max(sheet.width, 560.0, 40 + 6.4 * len(note))
    return shapes.svg(width, height, title, parts, (f"{quantity} of {network.name}", shapes.summary(network)))


def is_matrix(network: Network, view: View) -> bool:
    """Whether a network is drawn as a matrix."""
    if view != "auto" or network.num_routers < MANY:
        return view == "matrix"
    at = network.coordinates
    is_flat = at is not None and len(network.radices) <= FLAT
    is_grid = at is not None and is_flat and bool(((at[network.source] != at[network.target]).sum(axis=1) == 1).all())
    return not is_grid or network.num_channels > 2 * FLAT * network.num_routers or network.num_routers >= OF_GRID


def _whole(network: Network, loads: Floats, top: float, unit: str) -> tuple[Sheet, list[str]]:
    """Every channel in its colour, with its name and load to hover."""
    sheet = Sheet.of(network)
    both = set(network.ends)
    width = min(4.5, max(0.6, 0.06 * sheet.gap))
    parts = []
    for c in np.argsort(loads, kind="stable").tolist():
        twin = (int(network.target[c]), int(network.source[c])) in both
        line = sheet.lane(c, 0.62 * width if twin else 0.0)
        words = f"{network.channel_name(c)}: {loads[c]:.3g} {unit}"
        parts.append(shapes.stroke(paper.path(line), colour(loads[c] / top), width, words))
    parts += shapes.routers(sheet, set(range(network.num_routers)), faint=False)
    for c in np.argsort(-loads, kind="stable")[:LABELLED].tolist():
        if loads[c] > 0:
            line = sheet.centre(c)
            middle = line[len(line) // 2] if len(line) > 2 else (line[0] + line[-1]) / 2
            if labels.clear(sheet, middle - 3j, words := f"{loads[c]:.2f}"):
                parts.append(shapes.text(middle - 3j, words, size=10.5, bold=True, halo=True))
    return sheet, parts


def colour(share: float) -> str:
    """The colour of a share of the scale, 0 to 1, in `SHADES` steps."""
    return _mixed(RAMP, round(min(max(share, 0.0), 1.0) * (SHADES - 1)) / (SHADES - 1))


def _mixed(ramp: Sequence[str], share: float) -> str:
    at = share * (len(ramp) - 1)
    low = min(int(at), len(ramp) - 2)
    ends = [[int(ramp[i][k : k + 2], 16) for k in (1, 3, 5)] for i in (low, low + 1)]
    mixed = [round(a + (b - a) * (at - low)) for a, b in zip(*ends, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _legend(y: float, top: float, caption: str) -> list[str]:
    left, long = 20.0, 180.0
    parts = []
    for k in range(STEPS):
        ends = [complex(left + long * (k + d) / STEPS, y + 8) for d in (0.0, 1.15)]
        parts.append(shapes.stroke(paper.path(ends), colour((k + 0.5) / STEPS), 10.0))
    for share in (0.0, 0.5, 1.0):
        at = complex(left + long * share, y + 26)
        parts.append(shapes.text(at, f"{top * share:g}", size=11, colour=INK))
    parts.append(shapes.text(complex(left + long + 22, y + 12), caption, size=12, anchor="start", colour=SOFT))
    return parts


DARK_RAMP = night({_mixed(RAMP, i / (SHADES - 1)): _mixed(NIGHT_RAMP, i / (SHADES - 1)) for i in range(SHADES)})


def _round_up(figure: float) -> float:
    """The end of a scale: 1, 2, 4, 5 or 8 times a power of ten, at least the value; 1 for nothing."""
    if figure <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(figure))
    return next(round(step * unit, 12) for step in (1, 2, 4, 5, 8, 10) if step * unit >= figure * (1 - 1e-12))


def draw_matrix(
    network: Network, values: Floats, title: str, ink: Callable[[float], str], top: float, what: str
) -> Drawing:
    """Adjacency matrix: a row for each router the channels leave, a column for each they enter.

    More than `CELLS` routers share rows and columns, in their order; a cell has the highest value of its channels.
    """
    per = -(-network.num_routers // CELLS)
    cells = -(-network.num_routers // per)
    grid = np.full((cells, cells), -1.0)
    np.maximum.at(grid, (network.source // per, network.target // per), values)
    left, above, size = 58.0, 34.0, round(560.0 / cells, 2)
    parts = [shapes.stroke(_square(complex(left, above), cells * size), SOFT, 0.6)]
    for row, column in np.argwhere(grid >= 0).tolist():
        load = grid[row, column]
        words = f"{_rows(network, row, per)} → {_rows(network, column, per)}: {what} {load:.3g}"
        place = _square(complex(left + column * size, above + row * size), size)
        parts.append(shapes.area(place, ink(load / top), words))
    for cell in sorted({0, cells // 4, cells // 2, 3 * cells // 4, cells - 1}):
        name = shortened(paper.short_name(network, cell * per), 9)
        parts.append(shapes.text(complex(left - 6, above + (cell + 0.5) * size + 3), name, size=9, anchor="end"))
        parts.append(shapes.text(complex(left + (cell + 0.5) * size, above - 7), name, size=9))
    foot = "rows: where channels begin; columns: where they end" + (f"; {per} routers to a row" if per > 1 else "")
    parts.append(shapes.text(complex(left, above + 560 + 22), foot, size=12, anchor="start", colour=SOFT))
    return shapes.svg(left + 580, above + 560 + 36, title, parts, (title.partition(":")[0], shapes.summary(network)))


def _rows(network: Network, cell: int, per: int) -> str:
    first, last = cell * per, min((cell + 1) * per, network.num_routers) - 1
    name = network.router_name(first)
    return name if first == last else f"{name}…{network.router_name(last)}"


def _square(at: complex, side: float) -> str:
    return paper.path([at, at + side, at + side * (1 + 1j), at + side * 1j]) + "Z"
