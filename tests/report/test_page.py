"""Elements escape plain text and leave HTML alone."""

from __future__ import annotations

from html.parser import HTMLParser

from unknot.report.page import Html, answer, element, items, page, table


def test_plain_text_is_escaped_and_html_is_not() -> None:
    inner = element("b", "<script>")
    assert inner == "<b>&lt;script&gt;</b>"
    assert element("p", inner, " & ") == "<p><b>&lt;script&gt;</b> &amp; </p>"


def test_attributes() -> None:
    assert element("td", "x", class_=None, title='"quoted"') == '<td title="&quot;quoted&quot;">x</td>'
    assert element("meta", http_equiv="x") == '<meta http-equiv="x">'


def test_a_table_names_its_columns() -> None:
    made = table(("Design", "Load"), [("a<b", "0.1")], numbers=[1])
    assert made.count('<th scope="col">Design</th>') == 1
    assert '<td>a&lt;b</td><td class="n">0.1</td>' in made


def test_answers_are_told_by_sign_as_well_as_colour() -> None:
    assert [str(answer(value, "yes", "no"))[-12:-7] for value in (True, False, None)] == ["✓ yes", ">✗ no", " open"]


def test_lists() -> None:
    assert items(["a < b", Html("<b>b</b>")]) == "<ul><li>a &lt; b</li><li><b>b</b></li></ul>"


class Checker(HTMLParser):
    """Notices elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_page_is_closed_in_order() -> None:
    checker = Checker()
    checker.feed(page("A & B", "lead", element("section", "x")))
    assert checker.open == []
    assert [tag for tag, _ in checker.found][:2] == ["html", "head"]
