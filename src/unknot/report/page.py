"""Building blocks of a page: elements whose plain text is always escaped, and one style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from unknot.output import write_text

VOID = ("meta",)


class Html(str):
    """Text that already is HTML; any other string is escaped where it enters an element."""

    __slots__ = ()


def element(name: str, /, *children: str | Html, **attributes: str | int | None) -> Html:
    """An element; a trailing underscore in an attribute's name is dropped, None leaves the attribute out.

    Examples
    --------
    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(child if isinstance(child, Html) else escape(child, quote=False) for child in children)
    return Html(f"<{name}{shown}>" if name in VOID else f"<{name}{shown}>{inside}</{name}>")


def section(heading: str, *children: str | Html) -> Html:
    return element("section", element("h2", heading), *children)


def table(head: Sequence[str | Html], rows: Iterable[Sequence[str | Html]], *, numbers: Sequence[int] = ()) -> Html:
    """A table; the columns in `numbers` are set flush right."""
    kinds = ["n" if i in numbers else None for i in range(len(head))]
    first = element(
        "tr", *(element("th", cell, class_=kind, scope="col") for cell, kind in zip(head, kinds, strict=True))
    )
    body = [
        element("tr", *(element("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    return element("div", element("table", element("thead", first), element("tbody", *body)), class_="wide")


def figure(drawing: str, caption: str | Html) -> Html:
    """A drawing (SVG text, trusted) with a caption."""
    return element("figure", Html(drawing), element("figcaption", caption))


def code(text: str) -> Html:
    return element("pre", element("code", text))


def items(lines: Iterable[str | Html]) -> Html:
    return element("ul", *(element("li", line) for line in lines))


def answer(value: bool | None, yes: str, no: str, unknown: str = "open") -> Html:
    """A coloured word with a sign, so that it can be told without colours."""
    word, sign, kind = {True: (yes, "✓", "yes"), False: (no, "✗", "no"), None: (unknown, "?", "open")}[value]
    return element("span", f"{sign} {word}", class_=f"answer {kind}")


def page(title: str, lead: str | Html, *sections: Html) -> Html:
    """A whole document that needs nothing beside itself."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Html(Path(__file__).with_name("style.css").read_text(encoding="utf-8"))),
    )
    header = element("header", element("h1", title), element("p", lead, class_="lead"))
    body = element("body", element("main", header, *sections))
    return Html(f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n")


def write(text: Html, path: str | Path) -> None:
    """Write a page, making its folder; other names in the folder stay as they are."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
