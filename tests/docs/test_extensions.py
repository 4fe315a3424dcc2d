"""What the documentation site is made of: public names, their docstrings, colours, pictures, commands, searches."""

from __future__ import annotations

import importlib
import inspect
import re
import runpy
from pathlib import Path

import pytest
from numpydoc.validate import Validator, get_doc_object, validate
from pygments.token import Error

import api_pages
import command_pages
import console
import inventories
import tod_lexer
import tried
from unknot.cli.program import ALL

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


PLAIN = {"SA01", "ES01", "GL01"}
"""Checks of numpydoc that are not asked for."""


def test_every_module_with_public_names_has_a_page() -> None:
    files = [path for path in (ROOT / "src").rglob("*.py") if re.search(r"^__all__", path.read_text(), re.M)]
    modules = {
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__") for path in files
    }
    modules = {module for module in modules if not module.startswith("unknot_papers")} | {"unknot_papers.wormhole"}
    assert modules - {"unknot.cli", "unknot._base"} == set(api_pages.MODULES) - {"unknot.certificates.plain"}


def test_every_public_name_has_one_page_and_a_docstring() -> None:
    names = api_pages.public_names()
    pages = [f"{home}.{name}" for module, pairs in names.items() for name, home in pairs if home == module]
    assert len(pages) == len(set(pages)) > 200
    for module, pairs in names.items():
        for name, home in pairs:
            assert name in {known for known, its_home in names[home] if its_home == home}, f"{module}.{name}"
            assert api_pages.kind_of(module, name) == "data" or inspect.getdoc(
                getattr(importlib.import_module(home), name)
            )


class Public(Validator):
    """A public name; where a module is called like it, the name that the package exports."""

    def __init__(self, obj_name: str) -> None:
        package, _, name = obj_name.rpartition(".")
        super().__init__(get_doc_object(getattr(importlib.import_module(package), name)))


def fields_are_attributes(name: str) -> bool:
    """Whether all that a class is made of stands in its section of attributes, as that of frozen records does."""
    shown = Public(name)
    attributes = {
        part.strip()
        for base in inspect.getmro(shown.obj)[:-1]
        for entry in get_doc_object(base)["Attributes"]
        for part in entry.name.split(",")
    }
    return set(shown.signature_parameters) <= attributes | set(shown.doc_all_parameters)


def test_docstrings_have_what_numpydoc_asks_for() -> None:
    wrong: dict[str, set[str]] = {}
    for module, pairs in api_pages.public_names().items():
        for name, home in pairs:
            kind, full = api_pages.kind_of(module, name), f"{module}.{name}"
            if home == module and kind in ("function", "class", "exception"):
                codes = {code for code, _ in validate(full, Public)["errors"]} - PLAIN
                if kind == "exception" or ("PR01" in codes and kind == "class" and fields_are_attributes(full)):
                    codes -= {"EX01", "PR01"} if kind == "exception" else {"PR01"}
                if codes:
                    wrong[full] = codes
    assert not wrong


def test_few_names_are_left_unresolved() -> None:
    settings = runpy.run_path(str(DOCS / "conf.py"))
    assert len(settings["nitpick_ignore"]) <= 10


def test_inventories_are_those_of_the_names() -> None:
    for project in inventories.NAMES:
        assert (DOCS / "inventories" / f"{project}.inv").read_bytes() == inventories.inventory(project)


@pytest.mark.parametrize("page", ["tod.md", "topologies.md"])
def test_descriptions_have_their_colours(page: str) -> None:
    for text in re.findall(r"```tod\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.S):
        tokens = list(tod_lexer.TodLexer().get_tokens(text))
        assert "".join(part for _, part in tokens).rstrip() == text.rstrip()
        assert not [part for kind, part in tokens if kind is Error]


def test_every_command_has_a_page_of_its_help() -> None:
    for name in ALL:
        assert command_pages.help_of(name).startswith("Usage: ")


def test_pictures_are_twenty_five_and_short() -> None:
    scripts = sorted((DOCS / "_pictures").glob("plot_*.py"))
    assert len(scripts) == 25
    for script in scripts:
        code = script.read_text(encoding="utf-8").split('"""\n', 1)[1]
        assert len([line for line in code.splitlines() if line.strip()]) <= 25, script.name


def test_a_command_that_ends_otherwise_is_an_error(tmp_path: Path) -> None:
    assert console.run(["echo one", "false    # exit code 1"], str(tmp_path)) == "one"
    with pytest.raises(ValueError, match="exit code 1 of false"):
        console.run(["false"], str(tmp_path))
    with pytest.raises(ValueError, match="exit code 0 of true"):
        console.run(["true  # exit code 1"], str(tmp_path))


def test_the_search_is_ranked_by_titles() -> None:
    index = {
        "docnames": ["a", "b", "c"],
        "terms": {"credit": [0, 1], "loop": [1, 2]},
        "titleterms": {"credit": 1},
        "alltitles": {"Credit": [[1, None]]},
        "indexentries": {"up/down": [[2, "index-0", False]]},
    }
    assert tried.ranking(index, "credit loops") == ["b"]
    assert tried.ranking(index, "credit") == ["b", "a"]
    assert tried.ranking(index, "up/down") == ["c"]
    assert tried.ranking(index, "nothing") == []


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<p id="x"><a href="b.html#y">y</a><a href="#x">x</a><a href="c.html">c</a>')
    (tmp_path / "b.html").write_text('<p id="z">')
    assert sorted(tried.dead_links(tmp_path)) == ["a.html: b.html#y", "a.html: c.html"]
