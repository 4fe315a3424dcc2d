"""A deadlock that ties itself: an SVG that moves by CSS, and a page to step through its replay."""

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
from unknot.report.picture import Drawing
from unknot.report.sheet import COLOURS, ON_COLOUR, number
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.simulation.traces.recording import Frame, Recording, record

TIED = 60.0
"""Share of the time, in percent, after which the messages stand still."""
STEP = 0.35
"""Seconds for each step until then."""


@takes_relation
def animate_configuration(relation: Relation, configuration: Configuration) -> Drawing:
    """Draw the replay of a deadlock as a moving picture, over and over.

    Flits fill the buffers as they did in the simulator; then every header shows what it waits for. It is an SVG whose
    movement is CSS, so it moves on web pages and in READMEs too; where the reader prefers that nothing moves, and in
    PNG and PDF, it shows the standstill.

    Parameters
    ----------
    configuration : Configuration
        The packets that block each other.

    Returns
    -------
    Drawing
        An SVG element, always the same for the same configuration.

    Examples
    --------
    >>> from unknot import check
    >>> configuration = check("ring(4)", routing="dimension_order").configuration
    >>> svg = animate_configuration("ring(4)", configuration, routing="dimension_order")
    >>> svg, svg.count("@keyframes")
    (<Drawing: 4 messages on ring(4) come to a standstill>, 9)
    """
    title = f"{count(len(configuration.messages), 'message')} on {relation.network.name} come to a standstill"
    part = knot_sheet(relation, configuration, drawn_vcs(configuration))
    if isinstance(part, str):
        return shapes.note(title, part)
    frames = record(relation, configuration).frames
    worms, rules = _worms(part, frames)
    discs, moves = _discs(part, frames)
    waits = [f'<g class="wait">{part.arrows(i)}</g>' for i in range(len(configuration.messages))]
    appear = f".wait{{animation:wait {_seconds(frames)}s infinite}}@keyframes wait{{0%,{_percent(TIED)}%{{opacity:0}}"
    appear += f"{_percent(TIED + 4)}%,100%{{opacity:1}}}}"
    still = "@media (prefers-reduced-motion:reduce){*{animation:none !important}}"
    style = f"<style>{appear}{''.join([*rules, *moves])}{still}</style>"
    parts = [style, *part.around([*worms, *waits]), *discs, *part.notes()]
    return shapes.svg(part.sheet.width, part.sheet.height, title, parts)


def _worms(part: KnotSheet, frames: tuple[Frame, ...]) -> tuple[list[str], list[str]]:
    """A line for each message and VC, and how the flits on it change."""
    depth = part.configuration.buffer_depth
    keys = sorted({key for frame in frames for key in frame.flits})
    lines, rules = [], []
    for number_, (m, vc) in enumerate(keys):
        steps = []
        for frame in frames:
            others = list(frame.flits)
            ahead = sum(n for key, n in frame.flits.items() if key[1] == vc and _before(others, key, (m, vc)))
            dash = f"stroke-dasharray:{frame.flits.get((m, vc), 0)} {2 * depth};stroke-dashoffset:{-ahead}"
            steps.append(f"{dash};stroke-opacity:1")
        look = f'class="w{number_}" pathLength="{depth}" fill="none" stroke="{COLOURS[m % len(COLOURS)]}"'
        # In the end a buffer is full or empty, so what does not move needs no dashes.
        full = 1 if (m, vc) in frames[-1].flits else 0
        look += f' stroke-width="{number(part.width)}" stroke-opacity="{full}"'
        lines.append(f'<path d="{part.filled(vc)}" {look}/>')
        rules.append(_keyframes(f"w{number_}", steps, frames))
    return lines, rules


def _before(others: list[tuple[int, int]], key: tuple[int, int], own: tuple[int, int]) -> bool:
    """Whether flits stand in front of others in their buffer."""
    return key != own and own in others and others.index(key) < others.index(own)


def _discs(part: KnotSheet, frames: tuple[Frame, ...]) -> tuple[list[str], list[str]]:
    """A disc for the header of each message, and how it moves."""
    discs, rules = [], []
    for m, message in enumerate(part.configuration.messages):
        path, steps = [*message.lead, *message.held], []
        end = part.to_header(path[-1])[-1]
        for frame in frames:
            reached = [i for i, vc in enumerate(path) if (m, vc) in frame.flits]
            off = part.to_header(path[max(reached, default=0)])[-1] - end
            place = f"transform:translate({number(off.real)}px,{number(off.imag)}px)"
            steps.append(f"{place};opacity:{1 if reached else 0}")
        discs.append(f'<g class="d{m}">{shapes.numbered(m, end, part.disc, "")}</g>')
        rules.append(_keyframes(f"d{m}", steps, frames))
    return discs, rules


def _keyframes(name: str, steps: list[str], frames: tuple[Frame, ...]) -> str:
    """The rule of one element: its look at each frame, and the last one until the end."""
    each = TIED / max(len(steps) - 1, 1)
    looks = "".join(f"{_percent(i * each)}%{{{look}}}" for i, look in enumerate(steps))
    rule = f".{name}{{animation:{name} {_seconds(frames)}s linear infinite}}"
    return f"{rule}@keyframes {name}{{{looks}100%{{{steps[-1]}}}}}"


def _seconds(frames: tuple[Frame, ...]) -> str:
    return _percent(STEP * len(frames) * 100 / TIED)


def _percent(share: float) -> str:
    return f"{share:.2f}".rstrip("0").rstrip(".")


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
