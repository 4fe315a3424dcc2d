"""Files of answers: ``--out`` of every command and `Result.save`, where the ending tells the kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin

from unknot._base.errors import UnknotError, library
from unknot._base.frames import Tabular, columns_of, write_csv, write_parquet
from unknot._base.output import require_place, write_text
from unknot.cli.commands.asking import FOLDER, PICTURES, KeptAnswer
from unknot.cli.commands.printing import notify, wrote

if TYPE_CHECKING:
    from unknot.cli.answers.filling import Answer
    from unknot.report.picture import Drawing
    from unknot.report.scene import Scene

KINDS = (".json", ".csv", ".parquet")
"""Endings for every answer."""
PAGE = ".html"


def endings_of(metavar: str) -> tuple[str, ...]:
    """Endings of files of an answer by the metavar of ``--out`` in a docstring, such as ``FILE.svg|png``."""
    own = metavar.replace("FILE.", "").split("|") if metavar else []
    return KINDS + tuple(FOLDER if one == "DIR" else f".{one}" for one in own if f".{one}" not in KINDS)


def metavar_of(endings: Sequence[str]) -> str:
    """The metavar that names all endings."""
    return "|".join(["FILE." + "|".join(one[1:] for one in endings if one), *["DIR"] * (FOLDER in endings)])


def require_file(path: Path, endings: Sequence[str], exports: str = "") -> None:
    """Refuse a file of another kind, or one that could not be written.

    Parameters
    ----------
    endings : sequence of str
        Endings of the files that are written.
    exports : str
        Metavar of ``--export``, whose files are named where one of them is meant.
    """
    ending = path.suffix.lower()
    if ending not in endings:
        *most, last = [one or "a folder, without an ending" for one in endings]
        meant = ending[1:] in exports.partition(".")[2].split("|")
        raise UnknotError(
            f"{path}: the ending tells what is written of an answer: {', '.join(most)} or {last}"
            + f"; --export writes {ending}" * meant
        )
    if ending == ".parquet":
        library("pyarrow")
    if ending in PICTURES[1:]:
        library("matplotlib")
    require_place(path, makes_folders=ending in (PAGE, FOLDER))


def write_files(kept: KeptAnswer) -> None:
    """Write the remaining files of an answer; name on stderr each file without content."""
    for file in kept.files:
        ending = file.suffix.lower()
        made = kept.scene if ending == PAGE else kept.picture
        is_drawn = ending in (PAGE, *PICTURES)
        if (is_drawn and made is None) or (not is_drawn and ending != ".json" and kept.rows == []):
            what = "are no rows"
            if is_drawn:
                what = f"is no {'page' if ending == PAGE else 'picture'} of this answer"
            notify(f"{file} was not written: there {what}")
            continue
        write_answer(kept, file)
        wrote(file)
    kept.files = []


def write_answer(kept: KeptAnswer, file: Path) -> None:
    """Write an answer into a file: as JSON, as a table of its rows, or as its picture."""
    ending = file.suffix.lower()
    if ending == ".json":
        write_text(file, json_of(kept) + "\n")
    elif ending in PICTURES:
        picture_of(kept).save(file)
    elif ending == PAGE:
        from unknot.report.page import write_scene

        write_scene(scene_of(kept), file)
    elif ending == ".parquet":
        write_parquet(columns_of(rows_of(kept)) or _no_rows(kept), file)
    else:
        cells = [{name: _cell(value) for name, value in row.items()} for row in rows_of(kept)]
        write_csv(columns_of(cells) or _no_rows(kept), file)


def _cell(value: Any) -> Any:
    """A value as CSV has it: lists and objects as JSON."""
    nested = isinstance(value, (Mapping, Sequence)) and not isinstance(value, str)
    return json.dumps(value, ensure_ascii=False, default=list) if nested else value


def json_of(kept: KeptAnswer) -> str:
    """The JSON of an answer, as the command prints it with ``--json``."""
    return json.dumps(kept.filled, indent=2, ensure_ascii=False, default=list)


def picture_of(kept: KeptAnswer) -> Drawing:
    """The picture of an answer.

    Raises
    ------
    UnknotError
        If there is nothing to draw.
    """
    if kept.picture is None:
        raise UnknotError("there is no picture of this answer; to_frame() has its figures")
    drawing: Drawing = kept.picture()
    return drawing


def scene_of(kept: KeptAnswer) -> Scene:
    """The scene of an answer.

    Raises
    ------
    UnknotError
        If there is nothing to show.
    """
    if kept.scene is None:
        raise UnknotError("there is no page of this answer; to_frame() has its figures")
    scene: Scene = kept.scene()
    return scene


def rows_of(kept: KeptAnswer) -> list[dict[str, Any]]:
    """The rows of an answer: a line for each run, design or remedy, else one."""
    filled, units = kept.filled, None if kept.scale is None else kept.scale.units
    assert filled is not None
    rows = (
        kept.rows
        if kept.rows is not None
        else next((one.rows for one in filled.sources if isinstance(one, Tabular)), None)
    )
    if rows is not None:
        return [row if units is None else units.of_row(row) for row in rows]
    return [dict(_flat(row)) for row in (filled[filled.form.frame] if filled.form.frame else [filled])]


def _no_rows(kept: KeptAnswer) -> dict[str, list[Any]]:
    """The columns of an answer whose table is empty."""
    from unknot.cli.answers.form import keys_of

    def names(form: Any, before: str) -> Iterator[str]:
        for name, key in keys_of(form).items():
            if key.form is None or get_origin(key.hint) in (list, dict):
                yield f"{before}{name}"
            else:
                yield from names(key.form, f"{before}{name}.")

    assert kept.filled is not None
    form = kept.filled.form
    rows = keys_of(form)[form.frame].form if form.frame else None
    return {name: [] for name in (names(rows, "") if rows else ())}


def _flat(row: Answer, before: str = "") -> Iterator[tuple[str, Any]]:
    """The keys of a form and, behind dots, of the forms within."""
    from unknot.cli.answers.filling import Answer

    for name, value in row.items():
        if isinstance(value, Answer):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
