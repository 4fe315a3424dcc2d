"""Where the load of a run sits: the channels of a network coloured by their utilisation."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from unknot.errors import UnknotError
from unknot.network import Network
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import INK, SOFT, Sheet

RAMP = ("#d7dee5", "#f2cf6b", "#e68a2e", "#c23b22", "#5c0f2e")
"""From an idle channel to the busiest, ever darker, so that it also reads in grey."""
STEPS = 48


def draw_load(network: Network, utilisation: npt.ArrayLike, *, note: str = "") -> str:
    """The network with every channel coloured by its utilisation, and a legend.

    The two channels of a link run side by side, each to the right of its direction. The scale ends at the busiest
    channel, rounded up.

    Parameters
    ----------
    utilisation : array_like of float, shape (channels,)
        Flits per cycle, such as `Run.utilisation`.
    note : str
        A line below the legend.

    Returns
    -------
    str
        An SVG element. A network of more than `MAX_DRAWN` routers is described instead of drawn.

    Raises
    ------
    UnknotError
        If there is not one number for each channel.
    """
    given = np.asarray(utilisation, dtype=np.float64)
    if given.shape != (network.num_channels,):
        raise UnknotError(
            f"one utilisation for each of the {network.num_channels} channels of {network.name} is wanted, got an "
            f"array of shape {given.shape}"
        )
    highest = float(given.max(initial=0.0))
    told = f"busiest channel {highest:.3g} flits per cycle, mean {given.mean() if given.size else 0.0:.3g}"
    title = f"Load of {network.name}: {told}"
    if network.num_routers > MAX_DRAWN:
        return shapes.note(title, f"Too large to draw: {shapes.summary(network)}; {told}.")
    top = _round_up(highest)
    sheet = Sheet.of(network)
    both = set(zip(network.source.tolist(), network.target.tolist(), strict=True))
    width = min(4.5, max(0.6, 0.06 * sheet.gap))
    parts = []
    for c in np.argsort(given, kind="stable").tolist():
        twin = (int(network.target[c]), int(network.source[c])) in both
        line = sheet.lane(c, 0.62 * width if twin else 0.0)
        parts.append(_stroke(paper.path(line), colour(given[c] / top), width))
    parts += shapes.routers(sheet, set(range(network.num_routers)), faint=False)
    parts += _legend(sheet.height, top, told)
    height = sheet.height + 46
    if note:
        parts.append(shapes.text(complex(20, height + 8), note, size=12, anchor="start", colour=SOFT))
        height += 20
    return shapes.svg(max(sheet.width, 480.0, 40 + 6.4 * len(note)), height, title, parts)


def colour(share: float) -> str:
    """The colour of a share of the scale, 0 to 1."""
    at = min(max(share, 0.0), 1.0) * (len(RAMP) - 1)
    low = min(int(at), len(RAMP) - 2)
    ends = [[int(RAMP[i][k : k + 2], 16) for k in (1, 3, 5)] for i in (low, low + 1)]
    mixed = [round(a + (b - a) * (at - low)) for a, b in zip(*ends, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _legend(y: float, top: float, told: str) -> list[str]:
    left, long = 20.0, 180.0
    parts = []
    for k in range(STEPS):
        ends = [complex(left + long * (k + d) / STEPS, y + 8) for d in (0.0, 1.15)]
        parts.append(_stroke(paper.path(ends), colour((k + 0.5) / STEPS), 10.0))
    for share in (0.0, 0.5, 1.0):
        at = complex(left + long * share, y + 26)
        parts.append(shapes.text(at, f"{top * share:g}", size=11, colour=INK))
    parts.append(shapes.text(complex(left + long + 22, y + 12), told, size=12, anchor="start", colour=SOFT))
    return parts


def _stroke(d: str, ink: str, width: float) -> str:
    return f'<path d="{d}" fill="none" stroke="{ink}" stroke-width="{width:.2f}"/>'


def _round_up(value: float) -> float:
    """The end of a scale: 1, 2, 4, 5 or 8 times a power of ten, at least the value; 1 for nothing."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    return next(round(step * unit, 12) for step in (1, 2, 4, 5, 8, 10) if step * unit >= value * (1 - 1e-12))
