"""Pieces of a drawing of a network, as SVG text."""

from __future__ import annotations

import math
from collections.abc import Iterable

from unknot._base.errors import shortened
from unknot._base.phrases import count
from unknot.network import Network
from unknot.network.bandwidth import written
from unknot.network.stages import seated
from unknot.report import labels
from unknot.report import sheet as paper
from unknot.report.labels import Seats
from unknot.report.phrases import escape
from unknot.report.picture import Drawing, night
from unknot.report.sheet import COLOURS, INK, ON_COLOUR, PAPER, SOFT, Sheet, number

FONT = "font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\""

WIDEST = 5.0
"""How much wider than the narrowest a link is drawn at most; its width goes with the root of its bandwidth."""
MOST_INK = 0.35
"""Share of the paper that links may cover before they are drawn thinner."""

HEAD = 42
"""Height of the head above a drawing."""

_NIGHT = {
    PAPER: "#15191e", INK: "#e6eaee", SOFT: "#a4aeb8", paper.PALE: "#39424c", "#8a96a3": "#73808d",
    "#e3eef8": "#22384d", "#f1f3f5": "#1f252b", "#aab3bd": "#56616c", "#8a939d": "#7b8792", "#333333": "#c4ccd4",
    "#332288": "#8f84e8", "#882255": "#c2588b",
}  # fmt: skip
"""Colours of a drawing and those that take their places on a dark page."""


DARK = night(_NIGHT)


def links(sheet: Sheet, colour: str) -> str:
    """Draw all links in a colour; see `drawn_links`."""
    return drawn_links(sheet, [(colour, (), range(sheet.network.num_channels))])[0]


def drawn_links(
    sheet: Sheet, kinds: Iterable[tuple[str, tuple[float, ...], Iterable[int]]]
) -> tuple[str, list[tuple[str, float]]]:
    """Draw all links, the thinner and paler the more there are, the wider the more they carry.

    Opposite channels of the same bandwidth share a line; all lines of a kind and bandwidth are one path.

    Parameters
    ----------
    sheet : Sheet
    kinds : iterable of tuple of colour, dashes, channels
        Looks of the channels.

    Returns
    -------
    str, list of tuple of str and float
        The paths, and for each bandwidth its name and line width.
    """
    network = sheet.network
    seen: set[tuple[int, int, float, float]] = set()
    lines: dict[tuple[float, str, tuple[float, ...]], list[str]] = {}
    run = 0.0
    for ink, dashes, channels in kinds:
        for c in map(int, channels):
            (a, b), rate = network.ends_of(c), float(network.bandwidth[c])
            key = (min(a, b), max(a, b), float(sheet.bend[c]), rate)
            if key not in seen:
                seen.add(key)
                line = sheet.centre(c)
                lines.setdefault((rate, ink, dashes), []).append(paper.path(line))
                run += paper.length(line)
    width = min(1.6, max(0.5, sheet.gap * 0.02))
    crowd = run / (sheet.width * sheet.height)
    width = max(0.25, min(width, MOST_INK / max(crowd, 1e-9)))
    strength = min(1.0, max(0.45, MOST_INK / max(crowd * width, 1e-9)))
    thin = min((rate for rate, *_ in lines), default=1.0)
    widths = {rate: width * min(WIDEST, math.sqrt(rate / thin)) for rate in sorted({rate for rate, *_ in lines})}
    names = {rate: f"{written(rate)} flits/cycle" for rate in widths}
    paths = (
        stroke("".join(d), ink, widths[rate], names[rate] if len(names) > 1 else "", dashes=dashes, opacity=strength)
        for rate in widths
        for (own, ink, dashes), d in lines.items()
        if own == rate
    )
    return "".join(paths), [(names[rate], widths[rate]) for rate in widths]


def arrows(sheet: Sheet, colour: str) -> str:
    """Arrowheads on the channels that no channel runs back along."""
    network = sheet.network
    ends = network.ends
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


def routers(
    sheet: Sheet, chosen: set[int], *, faint: bool, only: bool = False, seats: Seats | None = None
) -> list[str]:
    """Discs of the routers, filled for routers with terminals; `faint` also draws unchosen routers, `only` chosen
    ones alone. Names stand in their discs or at their seats; discs are empty where a name finds neither.
    """
    network = sheet.network
    filled = seated(network)
    drawn = [r for r in range(network.num_routers) if not ((faint and r in chosen) or (only and r not in chosen))]
    if seats is None:
        seats = {} if faint else labels.beside(sheet, drawn, must=only and len(chosen) <= 40)
    edge, paint, ink = ("#aab3bd", "#f1f3f5", "#8a939d") if faint else (INK, "#e3eef8", INK)
    thick = min(1.2, max(0.4, sheet.radius / 9))
    inside = faint or labels.small(sheet, drawn).keys() <= seats.keys()
    parts = []
    for router in drawn:
        z, name = complex(sheet.place[router]), paper.short_name(network, router)
        tip = escape(network.router_name(router), quote=False)
        parts.append(disc(z, sheet.radius, paint if filled[router] else PAPER, edge, thick, tip))
        size = paper.font_size(name, sheet.radius)
        if router in seats:
            at, anchor = seats[router]
            parts.append(text(at, shortened(name, 20), size=labels.SIZE, anchor=anchor, colour=ink, halo=True))
        elif inside and size >= paper.SMALLEST:
            parts.append(text(z + 0.36j * size, name, size=size, colour=ink))
    return parts


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


def svg(width: float, height: float, title: str, parts: list[str], head: tuple[str, str] | None = None) -> Drawing:
    """An SVG element on white paper, or on dark where the reader prefers that.

    A head, a name and what more there is to say of it, stands above the drawing, whose points keep their places.
    """
    top = HEAD if head else 0
    size = f'viewBox="0 {-top} {number(width)} {number(height + top)}" '
    size += f'width="{number(width)}" height="{number(height + top)}"'
    if head:
        name = shortened(head[0], int((width - 28) / 8.4))
        more = shortened(head[1], int((width - 28) / 6.2))
        more = text(14 - 5j, more, size=12, anchor="start", colour=SOFT)
        parts = [*parts, text(14 - 22j, name, size=14, anchor="start", bold=True), more]
    return Drawing(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="unknot" role="img" {size} {FONT}>'
        f"<title>{escape(title, quote=False)}</title>{DARK}"
        f'<rect y="{-top}" width="100%" height="100%" fill="{PAPER}"/>{"".join(parts)}</svg>'
    )
