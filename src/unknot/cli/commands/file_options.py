"""Options that name files: those that a command writes, and those of its answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from unknot._base.errors import UnknotError
from unknot.cli.commands.printing import notify

OLD_TABLES = ("csv", "parquet")
"""Options of before, each the same as ``--out`` with such a file, where a docstring names them."""
WRITTEN = {"csv", "evidence", "export", "out", "pairs", "parquet", "results", "sarif", "standalone", "store"}
"""Options that name what is written."""


def check_of(name: str, metavar: str) -> Callable[[Any], Any] | None:
    """The check of a file option's value; unwritable files are found before the command begins."""
    if name not in WRITTEN:
        return None

    def check(named: Path | list[Path] | None) -> Any:
        for path in paths(named):
            from unknot._base.output import require_place

            ending = path.suffix.lower()
            require_place(path, makes_folders=metavar == "DIR" or ("DIR" in metavar and not ending))
            if (name, metavar) == ("evidence", "FILE.json") and path.suffix == ".v":
                raise UnknotError(f"{path}: `check` and `lanes` write files for Coq; here --evidence is a FILE.json")
        return named

    return check


def files_of_answer(options: dict[str, Any], endings: tuple[str, ...], exports: str) -> list[Path]:
    """Take the files of the answer out of the options, those of old spellings with a remark; refuse other kinds."""
    from unknot.cli.commands.answer_files import require_file

    files: list[Path] = [*(options.pop("out") or ())]
    for file in files:
        require_file(file, endings, exports)
    for name in OLD_TABLES:
        if name in options and (file := options.pop(name)) is not None:
            notify(f"--{name} FILE is --out FILE.{name} now; the old spelling ends with version 0.2")
            files.append(file)
    return files


def paths(named: Path | list[Path] | None) -> list[Path]:
    return named if isinstance(named, list) else [] if named is None else [named]
