"""The checker as one file: the files of `plain`, joined in the order of their imports.

The standard library is enough, so that a build can join them: `python joining.py FILE` writes the file.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

PACKAGE = "unknot.certificates.plain"
FOLDER = Path(__file__).with_name("plain")
RULE = 118
"""Characters of a line between two parts."""


def joined(folder: Path = FOLDER) -> str:
    """The source of the checker in one file, which imports the standard library alone.

    Parameters
    ----------
    folder : Path
        The package.

    Returns
    -------
    str
        The text of a Python file.

    Examples
    --------
    >>> text = joined()
    >>> text.count("if __name__ =="), "\\nfrom unknot" in text
    (1, False)
    """
    sources = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.py"))}
    package = ast.parse(sources.pop("__init__"))
    after: dict[str, list[str]] = {}
    library: dict[str, set[str]] = {}
    for name, source in sources.items():
        after[name], last = [], 0
        for node in ast.parse(source).body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                last = node.end_lineno or 0
                module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
                names = [alias.name for alias in node.names]
                if not f"{module}.".startswith(f"{PACKAGE}."):
                    library.setdefault(module, set()).update(names)
                else:
                    after[name] += names if module == PACKAGE else [module.removeprefix(f"{PACKAGE}.")]
        sources[name] = "\n".join(source.splitlines()[last:]).strip()
    named = {module: ", ".join(sorted(names)) for module, names in sorted(library.items())}
    future, modules = named.pop("__future__"), named.pop("").split(", ")
    imports = [f"import {name}" for name in modules]
    imports += [f"from {module} import {names}" for module, names in named.items()]
    doc = ast.get_docstring(package, clean=False)
    parts = [f'"""{doc}"""\n\nfrom __future__ import {future}\n\n' + "\n".join(imports)]
    parts += [f"# {f' {name}':->{RULE - 2}}\n\n{sources[name]}" for name in in_order("documents", after)]
    return "\n\n\n".join([*parts, 'if __name__ == "__main__":\n    sys.exit(main(sys.argv[1:]))']) + "\n"


def in_order(last: str, after: dict[str, list[str]], done: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Names of files in the order of their imports: the imported files first, the named file last."""
    for name in after[last]:
        done = done if name in done else in_order(name, after, done)
    return (*done, last)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(joined(), encoding="utf-8")
