"""ARCHITECTURE.md says what is so: rooms import only from those above them, and the files it names exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "unknot"
PAPERS = ROOT / "src" / "unknot_papers"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def room_of(source: Path) -> str:
    inside = source.relative_to(PACKAGE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imported(source: Path) -> set[str]:
    """Rooms that a file imports when it runs; names for type checkers do not count."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    typing = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in typing:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "unknot":
            parts = (node.module or "").split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("unknot.")}
    return found - {room_of(source), "__version__"}


def test_imports_only_go_down():
    (block,) = re.findall(r"```rooms\n(.*?)```", PAGE, re.S)
    floor = {name.rstrip("*"): i for i, line in enumerate(block.splitlines()) for name in line.split()}
    sources = [path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or not path.stem.startswith("__")]
    assert {room_of(path) for path in sources} == set(floor), "the list of rooms in ARCHITECTURE.md"
    upward = [
        f"{path.relative_to(PACKAGE)} imports {room}"
        for path in sources
        for room in sorted(imported(path))
        if floor[room] >= floor[room_of(path)]
    ]
    assert not upward


CHECKERS_NEED = {"errors", "lazy_kernel", "network", "output", "routing", "shown", "switching"}


def test_the_checkers_need_nothing_of_those_who_search() -> None:
    for source in (PACKAGE / "certificates").glob("*.py"):
        text = source.read_text(encoding="utf-8")
        assert imported(source) <= CHECKERS_NEED, source.name
        assert set(re.findall(r"^ *from unknot\.routing(\S*) import", text, re.M)) <= {".relation", ".tabulate"}
        assert not re.search("import_module|__import__", text), source.name


def test_the_core_knows_no_paper():
    """Not even by `import_module`: a text that names the package stands in the table of old import paths alone."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [node.value]
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value
                else []
            )
            assert path.name == "moved.py" or not any("unknot_papers" in name for name in named), path


def test_papers_stand_apart_and_use_what_is_public():
    """Folders of papers import each other in one direction, and no underscored name of Unknot."""
    uses: dict[str, set[str]] = {path.name: set() for path in PAPERS.iterdir() if (path / "__init__.py").exists()}
    assert set(uses) == {"bnr", "commands", "itm", "multistage", "rcbn"}
    for path in PAPERS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("unknot"):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                assert not any(name.startswith("_") for name in names), f"{path}: {names}"
                if names[0] == "unknot_papers" and names[1] in uses:
                    uses[path.parent.name].add(names[1])
    own = {paper: used - {paper} for paper, used in uses.items() if used - {paper}}
    assert own == {"multistage": {"rcbn"}, "commands": {"bnr", "itm", "multistage"}}


def test_the_files_it_names_exist():
    named = set(re.findall(r"`((?:src|tests)/[\w/.]+\.py)`", PAGE))
    inside = set(re.findall(r"`((?:routing|topologies|simulation|fabrics|verify)/[\w/]+\.py)`", PAGE))
    assert len(named) > 5
    assert len(inside) > 5
    for path in sorted(named | {f"src/unknot/{path}" for path in inside}):
        assert (ROOT / path).exists() or "NAME" in path, path
