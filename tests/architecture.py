"""Imports between modules and rooms, and their picture; `python -m tests.architecture` draws it anew."""

from __future__ import annotations

import ast
import re
from collections.abc import Container
from functools import cache
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "unknot"


def module_of(source: Path) -> str:
    """Name of the module in a file below `src`, or below the root as tests are."""
    top = next((top for top in (ROOT / "src", ROOT / "docs" / "_ext") if source.is_relative_to(top)), ROOT)
    parts = source.relative_to(top).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@cache
def nodes(source: Path) -> list[ast.AST]:
    """All nodes of a file, parsed once for all tests."""
    return list(ast.walk(ast.parse(source.read_text(encoding="utf-8"))))


def imports_of(source: Path, modules: Container[str]) -> set[str]:
    """Names that a file imports, in functions too and by texts; a package from which only `modules` come is left out.

    Imports for type checkers do not count.
    """
    every = nodes(source)
    type_checking = {
        id(inner)
        for node in every
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    names: set[str] = set()
    for node in every:
        if id(node) in type_checking:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= inner if all(name in modules for name in inner) else {*inner, node.module}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in LOADERS:
            names |= {text.value.replace(":", ".") for text in node.args if isinstance(text, ast.Constant)}
    return names


LOADERS = {"import_module", "__import__", "resolve_name"}


@cache
def imported(module: str) -> set[str]:
    """Modules of the package that a module imports."""
    return {name for name in imports_of(SOURCES[module], SOURCES) if name in SOURCES} - {module, "unknot"}


@cache
def graph() -> nx.DiGraph:
    """Arrows from each module to those that it imports."""
    return nx.DiGraph({module: imported(module) for module in SOURCES})


def drawing() -> str:
    """The rooms in Mermaid: an arrow for each pair of rooms that import, unless a path of others says so already."""
    pairs = {(room_of(a), room_of(b)) for a, b in graph().edges if room_of(a) not in ("", "__main__")}
    rooms = nx.transitive_reduction(nx.DiGraph([(a, b) for a, b in pairs if a != b and b]))
    arrows = "".join(f"    {a} --> {b}\n" for a, b in sorted(rooms.edges))
    return f"```mermaid\nflowchart TD\n{arrows}```\n"


if __name__ == "__main__":
    page = ROOT / "ARCHITECTURE.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r"```mermaid\n.*?```\n", drawing(), text, flags=re.S), encoding="utf-8")
