"""A network on a sheet of paper: where routers and channels run, in pixels; points are complex numbers x + iy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unknot._base.arrays import Flags, Floats, Ints
from unknot.network import Network
from unknot.report.placement import Places, placement

Line = list[complex]

INK, SOFT, PALE, PAPER = "#1c2024", "#59626c", "#c9d0d8", "#ffffff"
COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#333333", "#332288", "#a65628", "#999933",
    "#882255", "#44aa99", "#aa4499", "#117733", "#cc6677", "#8a96a3",
)  # fmt: skip
"""Okabe & Ito's palette, which the colour-blind can tell apart (its yellow is too pale on paper); then Tol's."""
SMALLEST = 6.0
"""Font size below which a name does not go into its router."""
ROOMY = 60.0
"""Distance of neighbouring routers at which a part needs not be enlarged."""
WIDEST = 108.0
"""Most that neighbouring routers are apart."""
LOOP = 3.2
"""Height of a channel from a router to itself, in radii of the router."""
SIZE, GROWN, AMPLE = (760.0, 640.0), 1.6, 40
"""Pixels of a sheet of up to so many routers, and times that it grows at most."""
NARROWEST = 260.0
"""Width of the narrowest sheet, on which a title has room."""
LARGEST, LEAST, OF_GAP = 16.5, 1.2, 0.21
"""Radius of a router: largest, smallest, and as a part of the distance of neighbours."""
LETTER, LETTERS, COVERED = 5.6, 20, 38.0
"""Width of a letter beside its router, most letters, and what of their width lies within the margin."""
BORDER = 60.0
"""Least border around routers to which a sheet is cut."""
WORTHWHILE, ENLARGED = 0.7, 0.9
"""Part of a sheet below which, and least enlargement with which, a cut is worth its while."""
CUT_NARROWEST = 200.0
"""Width of the narrowest sheet that is cut."""
DARK_ON = ("#e69f00", "#56b4e9", "#cc79a7", "#999933", "#44aa99", "#cc6677", "#8a96a3")
ON_COLOUR = tuple("#000000" if c in DARK_ON else "#ffffff" if c == "#333333" else "white" for c in COLOURS)
"""Colours of numbers. On dark pages `#333333` becomes light and the `#ffffff` on it dark; `white` stays."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A network laid out for drawing.

    Attributes
    ----------
    network : Network
    place : complex128 array, shape (routers,)
        Centres of the routers.
    radius : float
        Of a router.
    width, height : float
    """

    network: Network
    place: Places
    radius: float
    width: float
    height: float

    @classmethod
    def of(cls, network: Network, *, width: float = 0.0, height: float = 0.0, margin: float = 46.0) -> Sheet:
        """Lay a network out; without a size the sheet grows with the fourth root of the routers."""
        grown = min(GROWN, max(1.0, float((network.num_routers / AMPLE) ** 0.25)))
        width, height = width or SIZE[0] * grown, height or SIZE[1] * grown
        z = placement(network)
        z = z - complex(z.real.min(), z.imag.min())
        gap = _nearest(z)
        extents = (width, float(z.real.max())), (height, float(z.imag.max()))
        room = [(side - 2 * margin) / extent for side, extent in extents if extent > 0]
        scale = min([WIDEST / gap, *room])
        z = np.round(z * scale, 1)
        wide, high = float(z.real.max()) + 2 * margin, float(z.imag.max()) + 2 * margin
        radius = min(LARGEST, max(LEAST, OF_GAP * gap * scale))
        wide += _sidewards(network, radius)
        loops = network.source[network.source == network.target]
        lift = max(0.0, LOOP * radius + 4 - margin - float(z.imag[loops].min())) if loops.size else 0.0
        place, wide = z + complex(margin, margin + lift), max(wide, NARROWEST)
        return cls(network, place, round(radius, 2), round(wide, 1), round(high + lift, 1))

    def around(self, routers: Ints) -> Sheet:
        """The sheet cut to some routers and enlarged; the same one if that gains little."""
        if not routers.size or self.gap >= ROOMY:
            return self
        z = self.place[routers]
        border = max(BORDER, 0.8 * self.gap)
        corner = complex(z.real.min() - border, z.imag.min() - border)
        wide, high = (float(part.max() - part.min()) + 2 * border for part in (z.real, z.imag))
        scale = min(self.width / wide, self.height / high, WIDEST / self.gap)
        if wide * high > WORTHWHILE * self.width * self.height or scale < ENLARGED:
            return self
        return Sheet(
            self.network,
            np.round((self.place - corner) * scale, 1),
            round(min(LARGEST, self.radius * scale), 2),
            round(max(wide * scale, CUT_NARROWEST), 1),
            round(high * scale, 1),
        )

    @property
    def visible(self) -> Flags:
        """Which routers lie within the sheet."""
        z = self.place
        inside = (z.real >= 0) & (z.real <= self.width) & (z.imag >= 0) & (z.imag <= self.height)
        return np.asarray(inside)

    @cached_property
    def gap(self) -> float:
        """Distance of neighbouring routers."""
        return _nearest(self.place)

    @cached_property
    def bend(self) -> Floats:
        """Bend of each channel to the right of the straight line from its lower to its higher router."""
        network = self.network
        low, high = np.minimum(network.source, network.target), np.maximum(network.source, network.target)
        pair, link = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)
        bends = np.array([self._detour(int(a), int(b)) for a, b in pair.tolist()])[link.ravel()]
        twin = np.zeros(network.num_channels)
        count: dict[tuple[int, int], int] = {}
        for c, ends in enumerate(network.ends):
            twin[c] = count[ends] = count.get(ends, -1) + 1
        spread = np.where(twin % 2 == 1, (twin + 1) / 2, -twin / 2) * self.radius * 0.9
        return np.asarray(bends + spread, dtype=np.float64)

    def _detour(self, a: int, b: int) -> float:
        """A swing round the routers that stand on the straight line, or none.

        Links that begin at every other router of a row swing to the other side.
        """
        start, way = self.place[a], self.place[b] - self.place[a]
        length = abs(way)
        if length < 1.2 * self.gap:
            return 0.0
        # Turned so that the line runs along the real axis: how far along it each router stands, and how far beside.
        rest = (self.place - start) * np.conj(way) / length
        on = (rest.real > 0.05 * length) & (rest.real < 0.95 * length) & (np.abs(rest.imag) < 1.3 * self.radius)
        on[[a, b]] = False
        if not on.any():
            return 0.0
        forward = float(way.real) > 0 or (way.real == 0 and way.imag > 0)
        ahead = rest.real if forward else length - rest.real
        in_row = np.abs(rest.imag) < 0.3 * self.radius
        before = int((in_row & (ahead < -0.5 * self.radius)).sum())
        side = -1.0 if forward == (before % 2 == 0) else 1.0
        # Just round one router or two; past more, as far as the next row leaves room.
        reach = {1: 1.75, 2: 2.1}.get(int(on.sum()), 0.0) * self.radius
        return side * (reach or max(min(0.46 * self.gap, 34.0), 2.1 * self.radius))

    def centre(self, channel: int) -> Line:
        """The line of a channel from source to target."""
        a, b = self.network.ends_of(channel)
        start, end = complex(self.place[a]), complex(self.place[b])
        if a == b:
            loop = self.radius * LOOP / 2
            turn = np.linspace(-0.5 * np.pi, 1.5 * np.pi, 17)
            middle = start - 1j * loop
            return [complex(p) for p in middle - loop * np.exp(1j * turn)]
        bend = float(self.bend[channel]) * (1 if a < b else -1)
        if not bend:
            return [start, end]
        way = end - start
        swing = 4 / 3 * bend * 1j * way / abs(way)
        run = min(0.25, 0.5 * self.gap / abs(way)) * way
        t = np.linspace(0.0, 1.0, 25)
        first, second = start + run + swing, end - run + swing
        curve = (1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t**2 * second + t**3 * end
        return [complex(p) for p in curve]

    def lane(self, channel: int, shift: float) -> Line:
        """The line beside a channel, `shift` to the right of its direction, from rim to rim of its routers."""
        line = self.centre(channel)
        beside = [p + shift * 1j * _direction(line, i) for i, p in enumerate(line)]
        rim = np.sqrt(max(self.radius**2 - shift**2, 0.0)) + 1.0
        return cut(beside, rim, length(beside) - rim)


def short_name(network: Network, router: int) -> str:
    """The name of a router in a drawing: coordinates without brackets, digits of three or more dimensions joined."""
    name = network.router_name(router)
    if network.router_labels is not None or network.coordinates is None:
        return name
    joined = len(network.radices) > 2 and max(network.radices) <= 10
    return name[1:-1].replace(",", "") if joined else name[1:-1]


def font_size(name: str, radius: float) -> float:
    """Font size at which a name fits a router of that radius."""
    return min(11.0, 1.9 * radius / (0.62 * max(len(name), 1)))


def _sidewards(network: Network, radius: float) -> float:
    """Room to the right of the last router for names that do not fit their routers."""
    longest = max((short_name(network, r) for r in range(network.num_routers)), key=len)
    return 0.0 if font_size(longest, radius) >= SMALLEST else max(0.0, LETTER * min(len(longest), LETTERS) - COVERED)


def cut(line: Sequence[complex], start: float, end: float) -> Line:
    """The piece of a line between two distances from its beginning."""
    steps = np.abs(np.diff(np.array(line)))
    reach = np.concatenate([[0.0], np.cumsum(steps)])
    start, end = max(0.0, min(start, reach[-1] / 2)), min(reach[-1], max(end, reach[-1] / 2))
    inner = [p for p, r in zip(line, reach, strict=True) if start < r < end]
    return [_at(line, reach, start), *inner, _at(line, reach, end)]


def around(centre: complex, start: complex, end: complex, radius: float) -> Line:
    """The shorter way round a circle between two points near its rim."""
    first, last = start - centre, end - centre
    turn = float(np.angle(last / first)) if first and last else 0.0
    part = np.linspace(0.0, 1.0, 9)
    reach = np.maximum(radius, abs(first) + (abs(last) - abs(first)) * part)
    arc = centre + reach * np.exp(1j * (np.angle(first) + turn * part)) if first else np.array([start])
    return [start, *(complex(p) for p in arc[1:])]


def length(line: Sequence[complex]) -> float:
    return float(np.abs(np.diff(np.array(line))).sum())


def path(line: Sequence[complex]) -> str:
    """The `d` of an SVG path through points."""
    return "M" + "L".join(f"{number(p.real)},{number(p.imag)}" for p in line)


def number(figure: float) -> str:
    """A coordinate with one decimal place at most."""
    text = f"{figure:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


def arrowhead(tip: complex, direction: complex, size: float) -> str:
    """The `d` of a triangle that points at `tip`."""
    way = direction / (abs(direction) or 1.0) * size
    return path([tip, tip - way + 0.5j * way, tip - way - 0.5j * way]) + "Z"


def _direction(line: Line, i: int) -> complex:
    way = line[min(i + 1, len(line) - 1)] - line[max(i - 1, 0)]
    return way / (abs(way) or 1.0)


def _at(line: Sequence[complex], reach: Floats, distance: float) -> complex:
    return complex(np.interp(distance, reach, line))


def _nearest(z: Places) -> float:
    """A typical distance of a router to the nearest other one, rather small."""
    from scipy.spatial import cKDTree

    if len(z) < 2:
        return 1.0
    points = np.stack([z.real, z.imag], axis=1)
    near = cKDTree(points).query(points, k=2)[0][:, 1]
    return max(float(np.quantile(near, 0.1)), 0.05 * float(np.median(near)), 1e-6)
