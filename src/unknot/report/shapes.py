"""Pieces of a drawing of a network, as SVG text."""

from __future__ import annotations

import math

from unknot._base.errors import shortened
from unknot.network import Network
from unknot.network.bandwidth import written
from unknot.network.stages import seated
from unknot.report import sheet as paper
from unknot.report.phrases import count, escape
from unknot.report.picture import Drawing, night
from unknot.report.sheet import COLOURS, INK, ON_COLOUR, PAPER, SOFT, Sheet, number

FONT = "font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\""

WIDEST = 5.0
"""How much wider than the narrowest a link is drawn at most; its width goes with the root of its bandwidth."""
MOST_INK = 0.35
"""Share of the paper that links may cover before they are drawn thinner."""

_NIGHT = {
    PAPER: "#15191e", INK: "#e6eaee", SOFT: "#a4aeb8", paper.PALE: "#39424c", "#8a96a3": "#73808d",
    "#e3eef8": "#22384d", "#f1f3f5": "#1f252b", "#aab3bd": "#56616c", "#8a939d": "#7b8792", "#333333": "#c4ccd4",
    "#332288": "#8f84e8", "#882255": "#c2588b",
}  # fmt: skip
"""Colours of a drawing and those that take their places on a dark page."""


DARK = night(_NIGHT)


def links(sheet: Sheet, colour: str) -> str:
    """Draw all links, the thinner and paler the more there are, the wider the more they carry.

    Opposite channels of the same bandwidth share a line; all lines of a bandwidth are one path.
    """
    network = sheet.network
    seen: set[tuple[int, int, float, float]] = set()
    lines: dict[float, list[str]] = {}
    run = 0.0
    for c, (a, b) in enumerate(zip(network.source.tolist(), network.target.tolist(), strict=True)):
        key = (min(a, b), max(a, b), float(sheet.bend[c]), float(network.bandwidth[c]))
        if key not in seen:
            seen.add(key)
            line = sheet.centre(c)
            lines.setdefault(key[-1], []).append(paper.path(line))
            run += paper.length(line)
    width = min(1.6, max(0.5, sheet.gap * 0.02))
    crowd = run / (sheet.width * sheet.height)
    width = max(0.25, min(width, MOST_INK / max(crowd, 1e-9)))
    strength = min(1.0, max(0.45, MOST_INK / max(crowd * width, 1e-9)))
    thin, several = min(lines, default=1.0), len(lines) > 1
    return "".join(
        stroke(
            "".join(paths),
            colour,
            width * min(WIDEST, math.sqrt(rate / thin)),
            f"{written(rate)} flits/cycle" if several else "",
            opacity=strength,
        )
        for rate, paths in sorted(lines.items()) or [(thin, [])]
    )


def arrows(sheet: Sheet, colour: str) -> str:
    """Arrowheads on the channels that no channel runs back along."""
    network = sheet.network
    ends = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    known = set(ends)
    size = min(9.0, max(2.0, 0.6 * sheet.radius))
    heads = []
    for c, (u, v) in enumerate(ends):
        if u != v and (v, u) not in known:
            line = sheet.lane(c, 0.0)
            heads.append(paper.arrowhead(line[-1], line[-1] - line[-2], size))
    return area("".join(heads), colour) if heads else ""


def _fine(width: float) -> str:
    return f"{width:.2f}".rstrip("0").rstrip(".")


def routers(sheet: Sheet, chosen: set[int], *, faint: bool, only: bool = False) -> list[str]:
    """Discs of the routers, filled for routers with terminals; `faint` also draws unchosen routers, `only` chosen
    ones alone.
    """
    network = sheet.network
    seats = seated(network)
    parts = []
    for router, z in enumerate(sheet.place.tolist()):
        if (faint and router in chosen) or (only and router not in chosen):
            continue
        edge, fill = ("#aab3bd", "#f1f3f5") if faint else (INK, "#e3eef8")
        fill = fill if seats[router] else PAPER
        name = network.router_name(router)
        thick = min(1.2, max(0.4, sheet.radius / 9))
        parts.append(disc(z, sheet.radius, fill, edge, thick, escape(name, quote=False)))
        parts += _name(sheet, z, paper.short_name(network, router), faint=faint, always=only and len(chosen) <= 40)
    return parts


def _name(sheet: Sheet, z: complex, name: str, *, faint: bool, always: bool) -> list[str]:
    """The name of a router inside its disc if it fits, else beside the disc if required or possible."""
    size = paper.font_size(name, sheet.radius)
    colour = "#8a939d" if faint else INK
    if size >= paper.SMALLEST:
        return [text(z + 0.36j * size, name, size=size, colour=colour)]
    if always or (not faint and sheet.names_fit_between):
        at = z + complex(sheet.radius + 2, sheet.radius + 7)
        return [text(at, shortened(name, 20), size=9.5, anchor="start", colour=colour, halo=True)]
    return []


def disc(at: complex, radius: float, fill: str, edge: str, width: float, tip: str = "") -> str:
    """A disc with its rim; `tip`, escaped, is shown by a pointer that rests on it."""
    title = f"<title>{tip}</title>" if tip else ""
    return (
        f'<circle cx="{number(at.real)}" cy="{number(at.imag)}" r="{number(radius)}" fill="{fill}" '
        f'stroke="{edge}" stroke-width="{number(width)}">{title}</circle>'
    )


def stroke(
    d: str, ink: str, width: float, words: str = "", *, dashes: tuple[float, ...] = (), opacity: float = 1.0
) -> str:
    """A line; `words` are shown by a pointer that rests on it."""
    more = f' stroke-dasharray="{" ".join(map(number, dashes))}"' if dashes else ""
    more += f' stroke-opacity="{opacity:.2f}"' if opacity < 1 else ""
    return _path(f'd="{d}" fill="none" stroke="{ink}" stroke-width="{_fine(width)}"{more}', words)


def area(d: str, ink: str, words: str = "") -> str:
    """The inside of a closed line; a pointer resting on the area shows `words`."""
    return _path(f'd="{d}" fill="{ink}"', words)


def _path(attributes: str, words: str) -> str:
    return (
        f"<path {attributes}><title>{escape(words, quote=False)}</title></path>" if words else f"<path {attributes}/>"
    )


def numbered(index: int, at: complex, radius: float, label: str) -> str:
    """A disc with the number of a message."""
    colour, on = COLOURS[index % len(COLOURS)], ON_COLOUR[index % len(COLOURS)]
    size = radius * (1.35 if index < 9 else 1.1 if index < 99 else 0.8)
    seat = disc(at, radius, colour, PAPER, 1.0, label)
    return seat + (text(at + 0.36j * size, str(index + 1), size=size, colour=on, bold=True) if size >= 4.5 else "")


def text(
    at: complex,
    words: str,
    *,
    size: float,
    anchor: str = "middle",
    colour: str = INK,
    bold: bool = False,
    halo: bool = False,
) -> str:
    extra = ' font-weight="700"' if bold else ""
    if halo:
        extra += f' stroke="{PAPER}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"'
    return (
        f'<text x="{number(at.real)}" y="{number(at.imag)}" font-size="{number(size)}" text-anchor="{anchor}" '
        f'fill="{colour}"{extra}>{escape(words, quote=False)}</text>'
    )


def summary(network: Network) -> str:
    parts = ((network.num_routers, "router"), (network.num_channels, "channel"), (network.num_terminals, "terminal"))
    return ", ".join(count(number, noun) for number, noun in parts)


def note(title: str, words: str) -> Drawing:
    return svg(640.0, 64.0, title, [text(complex(20, 38), words, size=14, anchor="start", colour=SOFT)])


def svg(width: float, height: float, title: str, parts: list[str]) -> Drawing:
    """An SVG element on white paper, or on dark where the reader prefers that."""
    size = f'viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" height="{number(height)}"'
    return Drawing(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="unknot" role="img" {size} {FONT}>'
        f"<title>{escape(title, quote=False)}</title>{DARK}"
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{"".join(parts)}</svg>'
    )
