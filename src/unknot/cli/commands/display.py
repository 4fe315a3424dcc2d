"""Answers on the terminal: the table of an answer's form, by the same keys as its JSON."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

from rich.text import Text

from unknot._base.quantities import Unit
from unknot._base.units import Scale
from unknot.cli.answers.filling import Answer, answer
from unknot.cli.answers.form import Form, Key, keys_of
from unknot.cli.answers.words import CHECKER
from unknot.cli.commands.asking import current
from unknot.cli.commands.console import LONGEST, print_rows, print_table, sentences
from unknot.cli.commands.printing import show_json
from unknot.network import Network
from unknot.report.phrases import ANSWERS
from unknot.routing.relation import Relation

if TYPE_CHECKING:
    from unknot.certificates.verdict import Configuration

PLAIN = Scale()
DIGITS = 4
"""Digits of a measured number."""
MOST_ROWS, MOST_NAMES = 20, 8
"""Rows of a table, and names in a row, that are shown; JSON has all."""
_STYLES = {True: "green", False: "bold red", None: "yellow"}
LABELS = {
    "deadlock_free": "deadlock-free",
    "deadlock_free_before": "deadlock-free before",
    "widest_vcs": "VCs",
    "num_vcs": "VCs in all",
    "vcs": "VCs",
    "cyclic_vcs": "on cycles",
    "delivered": "delivers",
    "certificate_holds": "separate checker",
    "evidence_holds": "bound checked",
    "load_bound_holds": "load bound checked",
    "jain_index": "Jain's index",
    "structure.words": "structure",
    "capacity.gbps": "capacity per host",
}
"""Labels of keys, or of paths to keys, that are not the key itself in words."""


def tell(
    json: bool,
    form: type[Form],
    *sources: object,
    of: Relation | Network | None = None,
    scale: Scale = PLAIN,
    max_rows: int = MOST_ROWS,
    **more: Any,
) -> None:
    """Print an answer: as JSON, or the table of its form.

    Parameters
    ----------
    form, *sources, of, **more
        As of `unknot.cli.answers.form.answer`.
    scale : Scale
        What follows times and loads.
    max_rows : int
        Rows of a list that are shown.
    """
    put(json, form, answer(form, *sources, of=of, **more), scale, max_rows)


def put(json: bool, form: type[Form], filled: Answer, scale: Scale = PLAIN, max_rows: int = MOST_ROWS) -> None:
    """Print a filled form: as JSON, or a row for each key that it shows, and below a table for each list of forms."""
    if keep(filled, scale, max_rows):
        return
    if json:
        show_json(filled)
        return
    rows: list[tuple[str, Text]] = []
    lists: list[tuple[str, Any, Any]] = []
    for path in _shown(form):
        first, _, rest = path.partition(".")
        if rest and isinstance(filled.get(first), list):
            within = keys_of(form)[first].form
            parts = [(one["name"], *_at(within, one, rest)) for one in filled[first]]
            lists += [(title, key.form, value) for title, key, value, _ in parts if key and key.several and value]
            continue
        key, value, beside = _at(form, filled, path)
        if key and key.several and value:
            lists.append((label(path), key.form, value))
        else:
            rows.append((label(path), text(path, key, value, beside, scale, unit=True)))
    print_rows(rows)
    for title, inner, value in lists:
        print_forms(inner, value, title, scale, max_rows)


def keep(filled: Answer, scale: Scale = PLAIN, max_rows: int = MOST_ROWS) -> bool:
    """Keep an answer and write its files; return whether a caller in Python has it, so that nothing is printed."""
    kept = current()
    if kept is None:
        return False
    kept.filled, kept.scale, kept.max_rows = filled, scale, max_rows
    if kept.files:
        from unknot.cli.commands.answer_files import write_files

        write_files(kept)
    return kept.in_python


def _shown(form: Any) -> list[str]:
    """The keys that a form shows; behind ``.*`` those of the form within."""
    paths: list[str] = []
    for path in form.table.split() or keys_of(form):
        first = path.removesuffix(".*")
        paths += [path] if first == path else [f"{first}.{inner}" for inner in _shown(keys_of(form)[first].form)]
    return paths


def print_forms(form: type[Form], filled: Any, title: str, scale: Scale = PLAIN, max_rows: int = MOST_ROWS) -> None:
    """Print a table of filled forms: a list, or a dictionary by name."""
    named = list(filled.items()) if isinstance(filled, dict) else [("", one) for one in islice(filled, max_rows)]
    paths = _shown(form)
    lines = [
        [Text(name), *(text(path, *_at(form, one, path), scale) for path in paths)] for name, one in named[:max_rows]
    ]
    used = [i for i in range(len(paths) + 1) if any(line[i] for line in lines)]
    headings = ["", *(_heading(form, path) for path in paths)]
    numbers = [headings[i] for i in used if all(line[i].plain[:1] in "0123456789-–" for line in lines)]
    if len(filled) > max_rows:
        title = f"{title}: {max_rows} of {len(filled)}; --json prints all"
    print_table([headings[i] for i in used], [[line[i] for i in used] for line in lines], title=title, right=numbers)


def _heading(form: Any, path: str) -> str:
    """The last key of a path in words, and below its unit."""
    first, _, rest = path.partition(".")
    key = keys_of(form).get(first)
    if rest and key and key.form:
        return _heading(key.form, rest)
    unit = key.mark(Unit) if key else None
    named = label(path.rpartition(".")[2])
    return named if unit is None or unit.plural in named else f"{named}\n({unit.plural.replace(' per ', '/')})"


def _at(form: Any, filled: Any, path: str) -> tuple[Key | None, Any, dict[str, Any]]:
    """A key, its value, and the keys beside it; a dot leads into a form within."""
    first, _, rest = path.partition(".")
    key = keys_of(form).get(first)
    if key is None:  # a key of some heirs of the form whose table this is
        return None, None, {}
    value = filled.get(key.name or first)
    if rest and key.form:
        return (None, None, {}) if value is None else _at(key.form, value, rest)
    return key, value, filled


def label(path: str) -> str:
    """A key in words."""
    names = path.removesuffix(".name").split(".")
    return LABELS.get(path) or " ".join(LABELS.get(name, name.replace("_", " ")) for name in names)


def text(
    path: str, key: Key | None, value: Any, beside: dict[str, Any], scale: Scale = PLAIN, *, unit: bool = False
) -> Text:
    """The value of a key in words; with `unit`, of a number what it is in."""
    name = path.rpartition(".")[2]
    if key and key.words:
        value = key.words.write(value, beside)
    if key and key.truth and not isinstance(value, str):
        if name.endswith("_holds") and (unit or value is None):
            shown = name == "certificate_holds" and (beside.get("certificate") or beside.get("configuration"))
            return Text(CHECKER.get(value, "could not go through it again: too large" if shown else ""))
        return yes(value)
    if isinstance(value, (int, float)):
        half = beside.get(f"{name.removesuffix('_mean').removesuffix('_load')}_half_width")
        figure = number(value, half if name.endswith(("_mean", "_load")) else None)
        measure: Unit | None = key.mark(Unit) if key else None
        if measure is None:
            return Text(figure)
        named = unit and measure.plural not in name
        return Text(f"{figure}{f' {measure.of(value)}' if named else ''}{scale.after(measure, value)}")
    return Text(_words(value))


def _words(value: Any) -> str:
    """A value without its key: names with commas between them, of lists of forms their number."""
    if isinstance(value, dict):
        parts = ((label(name), _words(part)) for name, part in value.items())
        return ", ".join(f"{name} {part}" for name, part in parts if part)
    if isinstance(value, list):
        if any(isinstance(part, dict) for part in value):
            return f"{len(value)}"
        joint = "\n" if any(isinstance(part, str) and len(part) > LONGEST for part in value) else ", "
        more = [f"… ({len(value)} in all)"] if len(value) > MOST_NAMES else []
        return joint.join(
            [*(_words(tuple(part) if isinstance(part, list) else part) for part in value[:MOST_NAMES]), *more]
        )
    if isinstance(value, tuple):
        return f"({', '.join(map(_words, value))})"
    if isinstance(value, bool):
        return ANSWERS[value]
    return number(value) if isinstance(value, (int, float)) else value or ""


def number(figure: float | None, half: float | None = None) -> str:
    """A number in four digits, or with the half of its interval as far as two digits of that; thousands apart."""
    if figure is None:
        return "–"
    if half is not None:
        places = max(0, 1 - math.floor(math.log10(half))) if half else 0
        return f"{figure:,.{places}f} ± {half:,.{places}f}" if half else f"{number(figure)} ± 0"
    if isinstance(figure, int):
        return f"{figure:,}"
    if abs(figure) < 0.001:
        return f"{figure:.3g}"
    places = max(0, DIGITS - 1 - math.floor(math.log10(abs(figure))))
    return f"{figure:,.{places}f}".rstrip("0").rstrip(".") if places else f"{figure:,.0f}"


def yes(truth: bool | None) -> Text:
    """Yes, NO or undecided, coloured."""
    return Text(ANSWERS[truth], style=_STYLES[truth])


def describe(relation: Relation, configuration: Configuration | None, packet_length: int | None = None) -> None:
    """Print a deadlock in sentences, if there is one."""
    if configuration is not None:
        from unknot.report.configuration_text import describe as sentences_of

        print()
        sentences(sentences_of(relation, configuration, packet_length=packet_length))
