"""What docstrings in NumPy style say of parameters and attributes."""

from __future__ import annotations

import inspect
import re

_ENTRY = re.compile(r"([a-z_][\w, ]*?)(?: ?: ?(.*))?")


def entries(doc: str) -> dict[str, tuple[str, str]]:
    """What stands behind the colon and below each name of the sections Parameters and Attributes.

    Examples
    --------
    >>> entries("Head.\\n\\nParameters\\n----------\\nfile : FILE.json\\n    Where it\\n    goes.")
    {'file': ('FILE.json', 'Where it goes.')}
    """
    described: dict[str, tuple[str, list[str]]] = {}
    names: list[str] = []
    section = ""
    lines = inspect.cleandoc(doc).splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if after and set(after) == {"-"}:
            section, names = line, []
        elif section in ("Attributes", "Parameters") and line and set(line) != {"-"}:
            if not line.startswith(" ") and (match := _ENTRY.fullmatch(line)):
                names = [name.strip() for name in match[1].split(",")]
                described |= {name: (match[2] or "", []) for name in names}
            else:
                for name in names:
                    described[name][1].append(line.strip())
    return {name: (kind, " ".join(words)) for name, (kind, words) in described.items() if words}
