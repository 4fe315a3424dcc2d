"""The table of best networks for routing, drawn: a line for each class, a picture for each forbidden path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unknot._base.errors import shortened
from unknot._base.phrases import count
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.picture import Drawing
from unknot.report.sheet import COLOURS, INK, PALE, SOFT, Sheet
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.minimal_paths import ForbiddenPath
from unknot_papers.bnr.table import Bnr

WIDTH, ROW, TOP = 880.0, 22.0, 82.0
PANEL, MOST_PANELS, MOST_ROUTERS = (270.0, 236.0), 32, 1024
TAKEN, REFUSED = COLOURS[0], COLOURS[3]


@takes_relation
def draw_bnr(relation: Relation, table: Sequence[Bnr], reasons: Sequence[str] | None = None) -> Drawing:
    """The BNRs of a routing: which are provided, and for the others the shortest forbidden path, in words and drawn.

    Parameters
    ----------
    reasons : sequence of str, optional
        Why it is not minimal, deadlock-free and fully adaptive; empty if it is. Not mentioned when not given.

    Returns
    -------
    Drawing
        An SVG element, always the same for the same table. Up to `MOST_PANELS` paths are drawn, on networks of up to
        `MOST_ROUTERS` routers.
    """
    network = relation.network
    provided = sum(row.provided for row in table)
    title = f"{relation.name} on {network.name}: {provided} of {count(len(table), 'BNR')} provided"
    parts = [shapes.text(complex(20, 30), title, size=15, anchor="start", bold=True)]
    for x, heading in ((20, "class"), (96, "provided"), (200, "pairs"), (330, "shortest forbidden path")):
        parts.append(shapes.text(complex(x, TOP - 22), heading, size=11, anchor="start", colour=SOFT))
    y = TOP
    for row in table:
        parts += _line(relation, row, y)
        y += ROW
    for reason in _lines(reasons):
        parts.append(shapes.text(complex(20, y + 8), shortened(reason, 130), size=12, anchor="start"))
        y += ROW
    forbidden = [row for row in table if row.forbidden is not None]
    drawn = forbidden[:MOST_PANELS] if network.num_routers <= MOST_ROUTERS else []
    across = max(1, int(WIDTH // PANEL[0]))
    if drawn:
        key = "Of each path: solid what can be taken, dashed and red the step that is refused, grey the rest."
        parts.append(shapes.text(complex(20, y + 8), key, size=12, anchor="start", colour=SOFT))
        y += ROW
    for i, row in enumerate(drawn):
        parts += _panel(relation, row, complex(i % across * PANEL[0] + 12, y + i // across * PANEL[1]))
    y += -(-len(drawn) // across) * PANEL[1]
    if len(drawn) < len(forbidden):
        rest = f"{count(len(forbidden) - len(drawn), 'path')} not drawn"
        parts.append(shapes.text(complex(20, y + 8), rest, size=12, anchor="start", colour=SOFT))
        y += ROW
    return shapes.svg(WIDTH, y + 14, title, parts)


def _lines(reasons: Sequence[str] | None) -> list[str]:
    if reasons is None:
        return []
    if not reasons:
        return ["Minimal, deadlock-free and fully adaptive."]
    return ["Not shown to be minimal, deadlock-free and fully adaptive:", *(f"– {reason}" for reason in reasons)]


def _line(relation: Relation, row: Bnr, y: float) -> list[str]:
    word, colour = ("yes", COLOURS[2]) if row.provided else ("no", REFUSED)
    if row.provided and not row.pairs:
        word, colour = "no messages", SOFT
    cells = [
        shapes.text(complex(20, y), row.name, size=13, anchor="start", bold=True),
        shapes.text(complex(96, y), word, size=13, anchor="start", colour=colour, bold=True),
        shapes.text(complex(200, y), f"{row.full_pairs:,} of {row.pairs:,}", size=12, anchor="start"),
    ]
    if row.forbidden is not None:
        sentence = shortened(row.forbidden.describe(relation), 84)
        cells.append(shapes.text(complex(330, y), sentence, size=12, anchor="start"))
    elif row.refusal is not None:
        sentence = shortened(f"none; but {row.refusal.describe(relation)}", 98)
        cells.append(shapes.text(complex(330, y), sentence, size=11, anchor="start", colour=SOFT))
    return cells


def _panel(relation: Relation, row: Bnr, corner: complex) -> list[str]:
    """The network, pale, with the part of the path that can be taken, the channel refused, and the rest."""
    path = row.forbidden
    assert path is not None
    network = relation.network
    sheet = Sheet.of(network, width=PANEL[0] - 20, height=PANEL[1] - 36, margin=22.0)
    sheet = replace(sheet, place=sheet.place + corner + 18j)
    concerned = {int(r) for c in path.channels for r in (network.source[c], network.target[c])}
    return [
        shapes.text(corner + complex(4, 12), f"class {row.name}", size=12, anchor="start", colour=INK, bold=True),
        shapes.links(sheet, PALE),
        *shapes.routers(sheet, concerned, faint=True),
        *shapes.routers(sheet, concerned, faint=False, only=True),
        *(_step(sheet, path, i) for i in range(len(path.channels))),
    ]


def _step(sheet: Sheet, path: ForbiddenPath, i: int) -> str:
    colour = TAKEN if i < path.refused else REFUSED if i == path.refused else SOFT
    line = sheet.lane(path.channels[i], 0.0)
    width = min(3.0, max(1.2, 0.06 * sheet.gap))
    size = 3.2 * width
    shaft = paper.cut(line, 0.0, paper.length(line) - 0.8 * size)
    dashes = (2 * width, 1.6 * width) if i >= path.refused else ()
    head = shapes.area(paper.arrowhead(line[-1], line[-1] - line[-2], size), colour)
    return shapes.stroke(paper.path(shaft), colour, width, dashes=dashes) + head
