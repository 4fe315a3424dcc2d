"""A deadlock that ties itself: a page to step through its replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup

from unknot.certificates.verdict import Configuration
from unknot.report import shapes
from unknot.report.configuration_drawing import KnotSheet, draw_configuration, drawn_vcs, knot_sheet
from unknot.report.configuration_text import REACHED, journey, replayed
from unknot.report.page import page, write
from unknot.report.phrases import count
from unknot.report.sheet import COLOURS, ON_COLOUR, number
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.simulation.traces.replay import Recording, record


@takes_relation
def write_knot_page(relation: Relation, configuration: Configuration, path: str | Path) -> None:
    """Write a page that steps through the replay of a deadlock, forwards and backwards.

    It is one HTML file that needs nothing else: the network drawn, the flits in every buffer cycle by cycle as the
    simulator had them, and who waits for whom in words. Arrow keys, Home, End and the space bar work.

    Parameters
    ----------
    configuration : Configuration
        The packets that block each other.
    path : str or Path
        The file.

    Raises
    ------
    RelationError
        If the configuration is not one of this relation.
    WriteError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from unknot import check
    >>> configuration = check("ring(4)", routing="dimension_order").configuration
    >>> page = Path(mkdtemp()) / "knot.html"
    >>> write_knot_page("ring(4)", configuration, page, routing="dimension_order")
    >>> page.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    recording = record(relation, configuration)
    part = knot_sheet(relation, configuration, drawn_vcs(configuration))
    name = f"{relation.name} on {relation.network.name}"
    text = page(
        "knot.html",
        title=f"Why {name} deadlocks",
        lead=f"{count(len(configuration.messages), 'message')} under {configuration.switching}, step by step.",
        drawing=Markup(draw_configuration(relation, configuration, legend=False)),
        stage=Markup(_stage(part)) if isinstance(part, KnotSheet) else part,
        story=_story(relation, configuration, recording, part),
        messages=[(journey(relation, message), message.length) for message in configuration.messages],
        remarks=[REACHED[configuration.reachability], *replayed(recording.replay)],
    )
    write(text, path)


def _stage(part: KnotSheet) -> str:
    """The network, with empty groups for worms, arrows and discs."""
    sheet = part.sheet
    arrows = (f'<g class="arrows">{part.arrows(i)}</g>' for i in range(len(part.configuration.messages)))
    groups = ['<g id="worms"></g>', *arrows]
    inside = "".join([shapes.DARK, *part.around(groups), '<g id="discs"></g>', *part.notes()])
    size = f'viewBox="0 0 {number(sheet.width)} {number(sheet.height)}" {shapes.FONT}'
    return f'<svg class="unknot" id="stage" role="img" aria-labelledby="now" {size}>{inside}</svg>'


def _story(
    relation: Relation, configuration: Configuration, recording: Recording, part: KnotSheet | str
) -> dict[str, Any]:
    """What the page's script needs: lanes, messages, and the flits in each buffer, step by step."""
    lanes: dict[int, dict[str, Any]] = {}
    for vc in sorted(set(drawn_vcs(configuration))):
        lanes[vc] = {"name": relation.vcs.name(vc)}
        if isinstance(part, KnotSheet):
            head = part.to_header(vc)[-1]
            lanes[vc] |= {"d": part.filled(vc), "head": [round(head.real, 1), round(head.imag, 1)]}
    waits = dict(recording.replay.waits)
    messages = [
        {
            "length": m.length,
            "path": [*m.lead, *m.held],
            "wanted": [relation.vcs.name(vc) for vc in m.wanted],
            "waits": waits[i],
            "port": relation.network.terminal_name(m.source),
            "colour": COLOURS[i % len(COLOURS)],
            "on": ON_COLOUR[i % len(ON_COLOUR)],
        }
        for i, m in enumerate(configuration.messages)
    ]
    return {
        "depth": configuration.buffer_depth,
        "width": round(part.width, 2) if isinstance(part, KnotSheet) else 0,
        "disc": round(part.disc, 1) if isinstance(part, KnotSheet) else 0,
        "stuck": recording.replay.stuck,
        "until": recording.replay.cycles,
        "lanes": lanes,
        "messages": messages,
        "steps": [[f.cycle, [[m, vc, flits] for (m, vc), flits in f.flits.items()]] for f in recording.frames],
    }
