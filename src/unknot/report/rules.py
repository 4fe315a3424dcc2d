"""Position-independent rules as pictures: for each quadrant, from which VC to which."""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING

from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.phrases import escape
from unknot.report.picture import Drawing
from unknot.report.sheet import COLOURS, INK, PALE, SOFT

if TYPE_CHECKING:
    from unknot.synthesis import Rule

PANEL, TOP, COLUMNS, RADIUS = 220.0, 50.0, 4, 68.0
MOST = 64
"""Panels that are drawn."""


def draw_rule(rule: Rule) -> Drawing:
    """A panel for each set of remaining directions: VCs in a circle, an arrow to each that may be taken.

    Injection stands in the middle. VCs of one dimension have one colour.

    Parameters
    ----------
    rule : Rule
        The rule.

    Returns
    -------
    Drawing
        An SVG element, always the same for the same rule.

    Examples
    --------
    >>> from unknot.synthesis import design
    >>> draw_rule(design("mesh(2)", "vct").best.rule).text[:4]
    '<svg'
    """
    space = rule.space
    panels: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for held, signs in rule.states:
        for out in rule.outs((held, signs)):
            panels.setdefault(signs, []).append((held, out))
    title = f"{rule.name}: {space.text}"
    parts = [shapes.text(complex(20, 28), title, size=14, anchor="start", bold=True)]
    shown = list(panels.items())[:MOST]
    for k, (signs, arrows) in enumerate(shown):
        centre = complex(PANEL * (k % COLUMNS + 0.5), TOP + PANEL * (k // COLUMNS) + 0.54 * PANEL)
        left = " ".join(f"{'xyzwvu'[i]}{'0+-'[sign]}" for i, sign in enumerate(signs) if sign)
        parts.append(shapes.text(centre - 1j * (RADIUS + 34), f"left: {left}", size=11, colour=SOFT))
        seats = {space.injection: centre}
        for kind in range(space.injection):
            seats[kind] = centre + cmath.rect(RADIUS, 2 * math.pi * kind / space.injection - math.pi / 2)
        for held, out in arrows:
            parts.append(_arrow(centre, seats[held], seats[out], COLOURS[space.types[out].dimension % len(COLOURS)]))
        used = {kind for pair in arrows for kind in pair}
        for kind, at in seats.items():
            parts += _seat(space.name(kind), at, kind in used)
    rows = -(-len(shown) // COLUMNS)
    if len(panels) > MOST:
        parts.append(shapes.text(complex(20, 42), f"{MOST} of {len(panels)} panels", size=10, anchor="start"))
    return shapes.svg(PANEL * COLUMNS, TOP + PANEL * rows + 10, title, parts)


def _seat(name: str, at: complex, used: bool) -> list[str]:
    fill, ink = ("#e3eef8", INK) if used else ("#f6f7f8", PALE)
    word = "inj" if name == "injection" else name
    return [
        shapes.disc(at, 13.0, fill, ink, 0.8, escape(name, quote=False)),
        shapes.text(at + 3.5j, word, size=10, colour=INK if used else SOFT),
    ]


def _arrow(centre: complex, tail: complex, head: complex, colour: str) -> str:
    """A straight arrow shifted to the side, so that an opposite arrow stays visible; a loop outside a disc."""
    if tail == head:
        out = (head - centre) / abs(head - centre)
        points = [head + out * (19 + cmath.rect(8, math.pi * (0.75 - 1.5 * k / 12))) for k in range(13)]
        ahead = points[-1] - points[-2]
    else:
        ahead = (head - tail) / abs(head - tail)
        points = [tail + ahead * (12 + 4j), head + ahead * (-13 + 4j)]
    arrow = shapes.area(paper.arrowhead(points[-1], ahead, 6.5), colour)
    return shapes.stroke(paper.path(points), colour, 1.4) + arrow
