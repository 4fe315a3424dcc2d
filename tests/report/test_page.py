"""Templates escape what enters them, and leave drawings alone."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

import unknot.report.page
from unknot.report.rendering import page, templates


class Checker(HTMLParser):
    """Notices elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_page_is_closed_in_order_and_escapes_what_enters_it() -> None:
    checker = Checker()
    made = page("page.html", title="A & B", lead="<script>")
    checker.feed(made)
    assert checker.open == []
    assert [tag for tag, _ in checker.found][:2] == ["html", "head"]
    assert "<title>A &amp; B</title>" in made
    assert '<p class="lead">&lt;script&gt;</p>' in made


def rendered(text: str, **values: object) -> str:
    return templates().from_string('{% import "parts.html" as parts %}' + text).render(values)


@pytest.mark.parametrize(
    ("value", "said"), [(True, 'yes">✓ &lt;y&gt;</span>'), (False, 'no">✗ n</span>'), (None, 'open">? open</span>')]
)
def test_answers_have_a_sign_beside_their_colour(value: bool | None, said: str) -> None:
    found = rendered('{{ parts.answer(value, "<y>", "n") }}', value=value)
    assert found == f'<span class="answer {said}'


def test_tables_escape_their_cells_and_name_their_columns() -> None:
    made = rendered(
        '{% call parts.table(["Design", "a < b"], [1]) %}{{ parts.row(cells, [1]) }}{% endcall %}',
        cells=["<b>", Markup("<b>bold</b>")],
    )
    assert '<th scope="col">Design</th><th scope="col" class="n">a &lt; b</th>' in made
    assert '<tr><td>&lt;b&gt;</td><td class="n"><b>bold</b></td></tr>' in made


def test_lists_escape_their_items() -> None:
    made = rendered("{{ parts.items(lines) }}", lines=["a < b", Markup("<b>b</b>")])
    assert "<li>a &lt; b</li>" in made
    assert "<li><b>b</b></li>" in made


def test_a_template_that_lacks_a_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        page("page.html", title="no lead")


def test_no_template_lets_text_through_unescaped() -> None:
    """Marked as safe is nothing but a line break between the parts of a switching technique, made in Python."""
    for template in (Path(unknot.report.page.__file__).parent / "templates").glob("*.html"):
        assert not re.search(r"\|\s*safe|autoescape", template.read_text(encoding="utf-8")), template.name
