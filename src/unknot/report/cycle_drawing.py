"""Drawing of the proof that one lane is impossible: turns that have to be taken and close a cycle."""

from __future__ import annotations

from unknot.lanes import ForcedCycle, ForcedTurn, RouteCycle, RouteTurn
from unknot.network import Network
from unknot.report import shapes
from unknot.report import sheet as paper
from unknot.report.drawing import LEGEND_LINES, MAX_WHOLE, excerpt
from unknot.report.drawn import Drawing
from unknot.report.phrases import count, escape
from unknot.report.placement import MAX_DRAWN
from unknot.report.sheet import COLOURS, PALE, SOFT, Sheet, number
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation


@takes_relation
def draw_cycle(relation: Relation, cycle: ForcedCycle | RouteCycle) -> Drawing:
    """A cycle of turns that routes have to take, on its network: why one lane is impossible.

    The channels of the cycle are numbered. A coloured arrow leads from the middle of each to the middle of the next;
    below stands who has to turn there. The rest of the network is pale.

    Parameters
    ----------
    relation : Relation
        Whose network and addresses the cycle is about.
    cycle : ForcedCycle or RouteCycle
        The evidence of `unknot.lanes.lanes`.

    Returns
    -------
    Drawing
        An SVG element. Of a network of more than `MAX_WHOLE` routers only what the cycle touches is drawn.

    Examples
    --------
    >>> from unknot.lanes import lanes
    >>> found = lanes("ring(5)")
    >>> draw_cycle(found.relation, found.evidence).count("<circle") >= 10
    True
    """
    network = relation.network
    turns: tuple[ForcedTurn | RouteTurn, ...] = cycle.turns
    title = f"One lane is impossible on {network.name}: {count(len(turns), 'turn')} in a cycle"
    drawn, local, notes = network, {turn.channel: turn.channel for turn in turns}, [title]
    if network.num_routers > MAX_WHOLE:
        drawn, local = excerpt(network, sorted(local))
        notes.append(f"Only the {count(drawn.num_routers, 'router')} concerned; it has {shapes.summary(network)}.")
    if drawn.num_routers > MAX_DRAWN:
        return shapes.note(title, f"Too large to draw: {shapes.summary(network)}.")
    sheet = Sheet.of(drawn)
    label = [_who(relation, turn) for turn in turns]
    width = min(4.0, max(1.2, 0.05 * sheet.gap))
    disc = min(8.5, max(2.2, 0.115 * sheet.gap))
    concerned = {int(r) for c in local.values() for r in (drawn.source[c], drawn.target[c])}
    under, over, tips = [], [], []
    for i, (turn, who) in enumerate(zip(turns, label, strict=True)):
        words = escape(f"{i + 1} to {(i + 1) % len(turns) + 1}: {who}", quote=False)
        first, then = (sheet.lane(local[c], 0.9 * width) for c in (turn.channel, turn.following))
        line = [*paper.cut(first, paper.length(first) / 2, paper.length(first))]
        line += paper.cut(then, 0.0, paper.length(then) / 2)
        line = paper.cut(line, 0.0, paper.length(line) - 1.1 * disc)
        before, end = line[-2:]
        ink = COLOURS[i % len(COLOURS)]
        stroke = f'stroke="{ink}" stroke-width="{number(width)}"'
        under.append(f'<path d="{paper.path(line)}" {stroke}><title>{words}</title></path>')
        over.append(f'<path d="{paper.arrowhead(end, end - before, 2.6 * width)}" fill="{ink}"/>')
        tips.append(shapes.numbered(i, line[0], disc, words))
    parts = [
        shapes.links(sheet, PALE),
        *shapes.routers(sheet, concerned, faint=True),
        f'<g fill="none" stroke-linejoin="round" stroke-linecap="round">{"".join(under)}</g>',
        *shapes.routers(sheet, concerned, faint=False, only=True),
        *over,
        *tips,
    ]
    height = sheet.height
    for line_of_text in notes:
        parts.append(shapes.text(complex(24, height + 12), line_of_text, size=12, anchor="start", colour=SOFT))
        height += 20
    rows = [f"then {(i + 1) % len(turns) + 1}: {who}" for i, who in enumerate(label[:LEGEND_LINES])]
    for i, row in enumerate(rows):
        at = complex(24, height + 12)
        parts += [shapes.numbered(i, at, 8.5, ""), shapes.text(at + complex(15, 4), row, size=12, anchor="start")]
        height += 20
    if len(turns) > LEGEND_LINES:
        rest = f"and {count(len(turns) - LEGEND_LINES, 'more turn')}"
        parts.append(shapes.text(complex(24, height + 12), rest, size=12, anchor="start", colour=SOFT))
        height += 20
    longest = max(map(len, [*rows, *notes]))
    return shapes.svg(max(sheet.width, 60 + 6.4 * longest), height + 14, title, parts)


def _who(relation: Relation, turn: ForcedTurn | RouteTurn) -> str:
    """Pairs that have to turn from a channel to the next."""
    network: Network = relation.network
    if isinstance(turn, RouteTurn):
        return f"the route from {network.terminal_name(turn.source)} to {relation.address_name(turn.address)}"
    return f"all shortest paths from {network.router_name(turn.source)} to {network.router_name(turn.destination)}"
