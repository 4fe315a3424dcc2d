"""ARCHITECTURE.md says what is so: rooms import only from those above them, and the files it names exist."""

from __future__ import annotations

import ast
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import networkx as nx
import pytest

from tests.architecture import PACKAGE, SOURCES, drawing, graph, imported, nodes, room_of
from tests.declared import BESIDE

ROOT = Path(__file__).parent.parent
PAPERS = ROOT / "src" / "unknot_papers"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_there_are_sixteen_rooms_and_no_loose_file():
    (block,) = re.findall(r"```rooms\n(.*?)```", PAGE, re.S)
    rooms = block.split()
    assert len(rooms) == 16
    loose = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"} - set(rooms)
    assert loose == {"__init__.py", "__main__.py", "py.typed"}
    for room in rooms:
        tree = ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))
        docstring = ast.get_docstring(tree) or ""
        assert docstring, room
        assert re.search(r"^__all__\b", ast.unparse(tree), re.M), room


def test_imports_only_go_down():
    (block,) = re.findall(r"```rooms\n(.*?)```", PAGE, re.S)
    floor = {room: i for i, room in enumerate(block.split())}
    edges = [(a, b) for a, b in graph().edges if room_of(a) in floor]
    upward = [(a, b) for a, b in edges if floor[room_of(a)] < floor[room_of(b)]]
    assert not upward


def test_the_picture_is_that_of_the_code() -> None:
    """Written anew with `python -m tests.architecture`."""
    assert drawing() in PAGE


def test_no_module_imports_itself_through_others():
    """The rooms' `__init__` included: no file imports its own room by name."""
    assert [sorted(circle) for circle in nx.strongly_connected_components(graph()) if len(circle) > 1] == []


CHECKERS_NEED = {"_base", "flow_control", "network", "routing"}
OF_FLOW_CONTROL = {"unknot.flow_control.model", "unknot.flow_control.pools"}
HOLD_FLOW_CONTROL = {"unknot.certificates.verdict", "unknot.certificates.flow_words"}
"""Those that keep the record or write it down; `plain`, which judges, has a reading of its own."""
OF_ROUTING = {
    "unknot.routing",
    "unknot.routing.contract",
    "unknot.routing.relation",
    "unknot.routing.tabulate",
}


OF_ONE_NAME = {"Bound", "Configuration", "Design", "Message", "Network", "Pool", "Space", "Table", "Transfer"}
"""Four are the reading of `certificates/plain`, which imports nothing, of what the package has."""


def test_few_classes_share_a_name() -> None:
    places: dict[str, set[Path]] = {}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, set()).add(path)
    assert {name for name, where in places.items() if len(where) > 1} == OF_ONE_NAME


def test_the_checkers_need_nothing_of_those_who_search() -> None:
    for module, source in SOURCES.items():
        if room_of(module) == "certificates":
            others = {name for name in imported(module) if room_of(name) != "certificates"}
            assert {room_of(name) for name in others} <= CHECKERS_NEED, module
            assert {name for name in others if room_of(name) == "routing"} <= OF_ROUTING, module
            records = {name for name in others if room_of(name) == "flow_control"}
            assert records <= (OF_FLOW_CONTROL if module in HOLD_FLOW_CONTROL else set()), module
            assert not re.search("import_module|__import__", source.read_text(encoding="utf-8")), module


def test_the_core_knows_no_package_beside_it() -> None:
    """Not even by `import_module`."""
    assert {path.parent.name for path in (ROOT / "src").glob("*/__init__.py")} == {"unknot", "unknot_start", *BESIDE}
    for path in PACKAGE.rglob("*.py"):
        for node in nodes(path):
            named = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [node.value]
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value
                else []
            )
            assert not any(package in name for name in named for package in BESIDE), path


def test_papers_stand_apart_and_use_what_is_public():
    """Folders of papers import each other in one direction, and no underscored name of Unknot."""
    uses: dict[str, set[str]] = {path.name: set() for path in PAPERS.iterdir() if (path / "__init__.py").exists()}
    assert set(uses) == {"bnr", "commands", "itm", "multistage", "rcbn", "wormhole"}
    for path in PAPERS.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("unknot"):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                names = [name for name in names if name != "_base"]
                assert not any(name.startswith("_") for name in names), f"{path}: {names}"
                if names[0] == "unknot_papers" and names[1] in uses:
                    uses[path.parent.name].add(names[1])
    own = {paper: used - {paper} for paper, used in uses.items() if used - {paper}}
    assert own == {"multistage": {"rcbn"}, "commands": {"bnr", "itm", "multistage"}}


def test_the_command_starts_without_the_package() -> None:
    """At the top of its file it imports what the interpreter has anyway, and `signal`."""
    top = ast.parse((ROOT / "src" / "unknot_start" / "__init__.py").read_text(encoding="utf-8"))
    inside = {id(node) for part in top.body if isinstance(part, ast.FunctionDef) for node in ast.walk(part)}
    imports = [
        node for node in ast.walk(top) if isinstance(node, (ast.Import, ast.ImportFrom)) and id(node) not in inside
    ]
    assert [alias.name for node in imports for alias in node.names] == ["os", "signal"]


def test_the_files_it_names_exist():
    named = set(re.findall(r"`((?:src|tests)/[\w/.]+\.py)`", PAGE))
    inside = set(re.findall(r"`((?:routing|topologies|simulation|fabrics|verify)/[\w/]+\.py)`", PAGE))
    assert len(named) > 5
    assert len(inside) > 5
    for path in sorted(named | {f"src/unknot/{path}" for path in inside}):
        assert (ROOT / path).exists() or "NAME" in path, path
    known = {path.name for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")}
    alone = set(re.findall(r"`(\w+\.py)`", PAGE))
    assert len(alone) > 5
    assert alone <= known


def test_nothing_of_a_library_is_replaced() -> None:
    """Of the standard library its hooks are set, as its documentation says."""
    own = {"unknot", "unknot_start", *BESIDE, *sys.stdlib_module_names}
    replaced = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        every = nodes(path)
        foreign = {
            alias.asname or alias.name.split(".")[0]
            for node in every
            if isinstance(node, (ast.Import, ast.ImportFrom))
            and (getattr(node, "module", None) or node.names[0].name).split(".")[0] not in own
            for alias in node.names
        }
        for node in every:
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in (each for each in targets if isinstance(each, ast.Attribute)):
                root: ast.expr = target
                while isinstance(root, ast.Attribute):
                    root = root.value
                if isinstance(root, ast.Name) and root.id in foreign:
                    replaced.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not replaced


@pytest.mark.parametrize("folder", ["benchmarks", "examples", "docs/_ext"])
def test_what_scripts_import_exists(folder: str) -> None:
    """No test runs all of them, so a name that moved would be missed."""
    missing = [
        f"{script}: {node.module}.{alias.name}"
        for script in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0].startswith("unknot")
        for alias in node.names
        if not hasattr(import_module(node.module or ""), alias.name) and not find_spec(f"{node.module}.{alias.name}")
    ]
    assert not missing
