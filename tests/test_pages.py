"""The code on the front page and in the docs runs and says what it says there."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^\$ unknot (.*?)\s+# exit code (\d)$", README, re.M)
DOCS = ROOT / "docs"
BUILT = {
    DOCS / "_build",
    DOCS / "pictures",
    DOCS / "schemas",
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


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        place = DOCS / f"{target[1:]}.md" if target.startswith("/") else page.parent / target
        built = {place.resolve(), *place.resolve().parents} & {*BUILT, MADE}
        assert place.exists() or built, target
