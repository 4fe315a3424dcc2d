"""The code on the front page and in the docs runs and says what it says there."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.ratchets import POINTING
from unknot.cli.program import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^\$ unknot (.*?)\s+# exit code (\d)$", README, re.M)
DOCS = ROOT / "docs"
BUILT = {
    DOCS / "_build",
    DOCS / "pictures",
    DOCS / "schemas",
    DOCS / "made",
    DOCS / "reference" / "api",
    DOCS / "reference" / "commands",
}
MADE = DOCS / "reference" / "booksim-keys.md"
PAGES = sorted(page for page in DOCS.rglob("*.md") if page != MADE and not BUILT & set(page.parents))
DOCTESTED = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize(("words", "code"), CONSOLE, ids=[words for words, _ in CONSOLE])
def test_commands_of_the_front_page_end_as_it_says(
    words: str, code: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.getbasetemp() / "front"  # one for all, since a command reads what another wrote
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    if words.startswith("accept"):
        CliRunner().invoke(app, shlex.split(CONSOLE[1][0]))
    assert CliRunner().invoke(app, shlex.split(words)).exit_code == int(code)


def test_the_front_page_shows_commands() -> None:
    assert len(CONSOLE) == 3


@pytest.mark.parametrize("page", DOCTESTED, ids=[page.name for page in DOCTESTED])
def test_examples_of_a_page(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0


def pointing(page: str) -> int:
    """Number of words that point elsewhere in a page's prose, without code."""
    prose = re.sub(r"^(`{3,}|:{3,}).*?^\1$", "", page, flags=re.S | re.M)
    return len(POINTING.findall(re.sub(r"`[^`]*`", "", prose).lower()))


def test_pages_seldom_point_elsewhere() -> None:
    """At most 2.5 words of a hundred: a sentence names its things."""
    texts = {page.relative_to(DOCS): page.read_text(encoding="utf-8") for page in PAGES}
    found = {page: pointing(text) for page, text in texts.items()}
    worst = sorted(found, key=lambda page: found[page] / len(texts[page].split()))[-5:]
    assert sum(found.values()) <= 0.025 * sum(len(text.split()) for text in texts.values()), worst
    assert pointing("One of those is `it`:\n\n```\nthat\n```\n") == 2


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        place = DOCS / f"{target[1:]}.md" if target.startswith("/") else page.parent / target
        built = {place.resolve(), *place.resolve().parents} & {*BUILT, MADE}
        assert place.exists() or built, target
