"""Docstrings in NumPy style: what they say of parameters, and what functions of one kind share."""

from __future__ import annotations

import ast
import inspect
import itertools
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

PARAMETERS = "Parameters"
ORDER = ("", PARAMETERS, "Returns", "Yields", "Raises", "Warns", "See Also", "Notes", "References", "Examples")
"""Sections in the order in which docstrings have them."""
SHARED = ("Returns", "Raises", "References")


def entries(doc: str) -> dict[str, tuple[str, str]]:
    """What stands behind the colon and below each name of the sections Parameters and Attributes.

    Examples
    --------
    >>> entries("Head.\\n\\nParameters\\n----------\\nfile : FILE.json\\n    Where it\\n    goes.")
    {'file': ('FILE.json', 'Where it goes.')}
    """
    described: dict[str, tuple[str, str]] = {}
    sections = _sections(doc)
    for title in ("Attributes", PARAMETERS):
        for name, (head, *lines) in _by_name(sections.get(title, ())).items():
            if lines:
                described[name] = head.partition(":")[2].strip(), " ".join(line.strip() for line in lines).strip()
    return described


def section(doc: str, title: str = "") -> str:
    """Return a section of a docstring with its title; without title the text in front of all sections.

    Examples
    --------
    >>> section("Head.\\n\\nExamples\\n--------\\n>>> 1 + 1")
    'Head.'
    """
    lines = _sections(doc).get(title, ())
    return "\n".join((title, "-" * len(title), *lines) if title and lines else lines)


def below(kind: type) -> dict[str, str]:
    """Texts that stand below the attributes of a class, by the names of these; read from its source."""
    return _below(kind.__module__).get(kind.__qualname__, {})


@cache
def _below(module: str) -> dict[str, dict[str, str]]:
    """Texts below the attributes of all classes of a module."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        node.name: {
            ast.unparse(one.target): " ".join(ast.literal_eval(text.value).split())
            for one, text in itertools.pairwise(node.body)
            if isinstance(one, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        }
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


def completed(doc: str, parameters: Iterable[str], shared: str) -> str:
    """Return a docstring completed from a shared one: its descriptions of parameters, and its missing sections.

    Parameters
    ----------
    doc : str
        The docstring.
    parameters : iterable of str
        Names of the function's parameters, in order.
    shared : str
        The other docstring.

    Returns
    -------
    str

    Examples
    --------
    >>> print(completed("A line.", ["k"], "\\nParameters\\n----------\\nk : int\\n    Routers."), end="")
    A line.
    <BLANKLINE>
    Parameters
    ----------
    k : int
        Routers.
    """
    sections, (more, others) = _sections(doc), _shared(shared)
    own = _by_name(sections.get(PARAMETERS, ()))
    order = [own.get(name) or more.get(name) for name in parameters]
    if blocks := dict.fromkeys(block for block in (*order, *own.values()) if block):
        sections[PARAMETERS] = tuple(line for block in blocks for line in block)
    if "Yields" in sections:
        others = {title: lines for title, lines in others.items() if title != "Returns"}
    sections = others | sections
    titles = sorted(sections, key=lambda title: ORDER.index(title) if title in ORDER else len(ORDER))
    parts = ["\n".join((title, "-" * len(title), *sections[title]) if title else sections[title]) for title in titles]
    return "\n\n".join(parts) + ("\n" if len(parts) > 1 else "")


def complete(function: Any, shared: str | None) -> None:
    """Complete the docstring of a function, in place."""
    if function.__doc__ and shared:
        parameters = inspect.signature(function).parameters.values()
        names = [f"*{one.name}" if one.kind == one.VAR_POSITIONAL else one.name for one in parameters]
        function.__doc__ = completed(function.__doc__, names, shared)


@cache
def _shared(doc: str) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The parameters that a docstring describes by name, and its sections that several functions may share."""
    sections = _sections(doc)
    return _by_name(sections.get(PARAMETERS, ())), {title: sections[title] for title in SHARED if title in sections}


def _sections(doc: str) -> dict[str, tuple[str, ...]]:
    """The lines of each section by its title; those in front of the first have none."""
    lines = inspect.cleandoc(doc).splitlines()
    heads = [i - 1 for i, line in enumerate(lines) if i and line and not line.strip("-") and lines[i - 1]]
    bounds = [*heads, len(lines)]
    sections = {"": _stripped(lines[: bounds[0]])}
    for head, end in itertools.pairwise(bounds):
        sections[lines[head]] = _stripped(lines[head + 2 : end])
    return sections


def _stripped(lines: list[str]) -> tuple[str, ...]:
    """Lines without blank ones at the end."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    return tuple(lines)


def _blocks(lines: Iterable[str]) -> list[tuple[str, ...]]:
    """The entries of a section: each a line with the indented lines below."""
    blocks: list[list[str]] = []
    for line in lines:
        if line and not line.startswith(" "):
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
    return [tuple(block) for block in blocks]


def _by_name(lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The entries of a section by each name that they describe."""
    return {name.strip(): block for block in _blocks(lines) for name in block[0].partition(":")[0].split(",")}
