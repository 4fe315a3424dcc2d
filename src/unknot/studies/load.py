"""Reading a study file, with every problem shown where it stands."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from unknot._base.errors import TextError, UnknotError, bare, near
from unknot._base.phrases import count
from unknot._base.toml_places import EntryError, KeyPath, Toml, read_toml
from unknot.flow_control.techniques import technique
from unknot.simulation.faults.fault import fault_of
from unknot.studies.entries import VALUE, points_of, require_few
from unknot.studies.loads import Ramp
from unknot.studies.study import Design, ProofLimit, Simulation, Study, builder


class StudyError(UnknotError):
    """Everything that is wrong with a study file, each with file, line and column."""

    def __init__(self, problems: Iterable[TextError]) -> None:
        distinct = {str(problem): problem for problem in problems}
        self.problems = tuple(sorted(distinct.values(), key=lambda problem: (problem.line, problem.column)))
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return UnknotError, (str(self),)


def load_study(path: str | Path, *, outside_files: bool = False, allow_code: bool = False) -> Study:
    """Read and check a study file.

    Parameters
    ----------
    path : str or Path
        The file.
    outside_files : bool
        Whether the networks of the study may be files outside its folder.
    allow_code : bool
        Whether its routings may be functions in Python files, such as ``my_routing.py:greedy``, which are run.

    Returns
    -------
    Study
        The study, checked.

    Raises
    ------
    StudyError
        Lists every problem found, each with file, line, column and the line itself.

    Examples
    --------
    >>> study = load_study("examples/torus.toml")
    >>> study.title
    'Routing on an 8×8 torus'
    >>> len(study.designs)
    3
    """
    path = Path(path)
    if not path.exists():
        names = [p.name for p in path.parent.glob("*.toml")]
        hint = near(path.name, names) if names else f"there is no .toml file in {path.parent}"
        raise UnknotError(f"{path}: no such study file; {hint}")
    toml = read_toml(path, "a study")
    if not toml.text.strip():
        raise StudyError([TextError("this file is empty; a study needs a [[design]]", path)])
    try:
        document = toml.document
    except TextError as error:
        raise StudyError([error]) from error
    entries, common = document.get("design"), document.get("common", {})
    origins: list[tuple[int, dict[str, int]]] = []
    content: dict[str, Any] = {key: value for key, value in document.items() if key not in ("design", "common")}
    if isinstance(entries, list) and isinstance(common, dict):
        content["designs"] = []
        numbers = [_combinations({**common, **entry}) if isinstance(entry, dict) else 1 for entry in entries]
        try:
            require_few(sum(numbers), points_of(sum(numbers), document.get("simulation")))
        except UnknotError as error:
            largest = ("design", numbers.index(max(numbers)))
            raise StudyError([_Locator(toml, [])(largest, str(error), key=True)]) from None
        for index, entry in enumerate(entries):
            for row, picked in _multiplied({**common, **entry} if isinstance(entry, dict) else entry):
                content["designs"].append(row)
                origins.append((index, picked))
    elif entries is not None:
        content["designs"] = entries
    problem = _Locator(toml, origins)
    stray = [
        problem((key,), f"unknown key {key!r}; {near(key, _TOP)}", key=True)
        for key in content
        if key not in (*_TOP, "designs")
    ]
    for key in [key for key in content if key not in (*_TOP, "designs")]:
        del content[key]
    if not isinstance(common, dict):
        stray.append(problem(("common",), "[common] is a table of keys for all designs"))
    try:
        study = Study.model_validate(
            {**_tuples(content), "path": str(path), "text": toml.text},
            context={"folder": path.parent, "confined": not outside_files, "code": allow_code, "known": set()},
        )
    except ValidationError as error:
        raise StudyError([*stray, *(problem.of(detail) for detail in error.errors())]) from None
    stray += list(_misfits(study, problem))
    if stray:
        raise StudyError(stray)
    return study


_TOP = ("title", "design", "common", "simulation", "proof")
LISTS = ("network", "routing", "vcs", "switching", "packet_length", "buffer_depth", "traffic", "router", "bursts")
"""Keys of a design whose values may stand in a list, a design for each."""


def _lists(entry: dict[str, Any]) -> dict[str, list[Any]]:
    lists = {key: entry[key] for key in LISTS if isinstance(entry.get(key), list) and entry[key]}
    faults = entry.get("faults")  # a list already; several of them are lists in a list
    if isinstance(faults, list) and faults and all(isinstance(each, list) for each in faults):
        lists["faults"] = faults
    return lists


def _combinations(entry: dict[str, Any]) -> int:
    return math.prod(len(values) for values in _lists(entry).values())


def _multiplied(entry: Any) -> Iterable[tuple[Any, dict[str, int]]]:
    """An entry once for each combination of the values in its lists, with the position taken in each list."""
    if not isinstance(entry, dict):
        return [(entry, {})]
    lists = _lists(entry)
    rows = []
    for picks in itertools.product(*(range(len(values)) for values in lists.values())):
        picked = dict(zip(lists, picks, strict=True))
        row = {**entry, **{key: lists[key][at] for key, at in picked.items()}}
        varied = [_spoken(key, row[key]) for key in lists if len(lists[key]) > 1]
        if "name" not in row:
            naming = [_spoken(key, row[key]) for key in ("network", "routing", "vcs") if key in row]
            row["name"] = ", ".join([*naming, *(word for word in varied if word not in naming)])
        elif varied and isinstance(row["name"], str):
            row["name"] = f"{row['name']}: {', '.join(varied)}"
        rows.append((row, picked))
    return rows


def _spoken(key: str, entry: Any) -> str:
    if key == "vcs" and isinstance(entry, int):
        return count(entry, "VC")
    if key == "faults":
        return f"faults {'; '.join(map(str, entry))}" if entry else "no faults"
    if isinstance(entry, dict):
        inner = ", ".join(f"{name} {part}" for name, part in entry.items())
        return f"packets of {inner}" if key == "packet_length" else f"{key} {inner}"
    words = {"packet_length": f"{entry} flits", "buffer_depth": f"buffers of {entry}"}
    return words.get(key, str(entry))


def _misfits(study: Study, problem: _Locator) -> Iterable[TextError]:
    """Designs that are well written but cannot be: a routing not for that network, a packet longer than a buffer."""
    seen: set[str] = set()
    build = builder(study.folder, simulated=study.simulation is not None)
    for index, design in enumerate(study.designs):
        if design.name in seen:
            yield problem(("designs", index, "name"), f"a second design is called {design.name!r}")
        seen.add(design.name)
        control, place = None, list[str | int](["routing"])
        try:
            relation, place = build(design), ["switching"]
            flow = design.flow(relation, study.folder)
            control = flow or technique(design.switching)
            for number, text in enumerate(design.faults):
                place = ["faults", number]
                fault_of(text, relation.network, VALUE)
            place = ["faults"]
            design.check_faults(relation, flow)
        except TextError as error:
            yield problem(("designs", index, *place), error.message, inner=error.column)
        except UnknotError as error:
            yield problem(("designs", index, *place), str(error))
        if control is not None and control.whole and design.longest_packet > design.buffer_depth:
            yield problem(
                ("designs", index, "packet_length"),
                f"a packet of {design.longest_packet} flits does not fit a buffer of {design.buffer_depth} flits, as "
                f"{design.switching} demands",
            )


class _Locator:
    """Maker of errors at the place in the file that a path into the checked document stands for."""

    def __init__(self, toml: Toml, origins: list[tuple[int, dict[str, int]]]) -> None:
        self.toml, self.origins = toml, origins

    def __call__(self, loc: KeyPath, message: str, *, inner: int = 0, key: bool = False) -> TextError:
        return self.toml.error(self._origin(loc), message, at_key=key, inner=inner)

    def of(self, detail: ErrorDetails) -> TextError:
        """One problem that pydantic found."""
        loc, kind = tuple(detail["loc"]), detail["type"]
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, TextError) and cause.where == VALUE:
            return self(loc, cause.message, inner=cause.column)
        if isinstance(cause, EntryError):
            return self((*loc, *cause.path), str(cause), key=cause.at_key)
        if isinstance(cause, Exception):
            return self(loc, str(cause))
        if kind == "extra_forbidden":
            return self(loc, f"unknown key {loc[-1]!r}; {near(str(loc[-1]), _keys(loc))}", key=True)
        if kind == "missing":
            name = "[[design]]" if loc == ("designs",) else str(loc[-1])
            return self(loc[:-1], f"{name} is missing here", key=True)
        message = bare(detail["msg"]).replace("valid tuple", "list")
        return self(loc, f"{message}, got {_written(detail['input'])}")

    def _origin(self, loc: KeyPath) -> KeyPath:
        """The path in the file: designs back to the entry and list item they came from, union tags left out."""
        loc = tuple(part for part in loc if part not in ("ramp", "list", "number", "shares"))
        if loc[:1] == ("designs",):
            if len(loc) == 1 or not isinstance(loc[1], int) or loc[1] >= len(self.origins):
                return ("design", *loc[1:])
            index, picked = self.origins[loc[1]]
            key = loc[2] if len(loc) > 2 else None
            base: KeyPath = ("design", index)
            if key is None:
                return base
            entry = self.toml.document["design"][index]
            if isinstance(entry, dict) and key not in entry and key in self.toml.document.get("common", {}):
                base = ("common",)
            return (*base, key, picked[str(key)], *loc[3:]) if key in picked else (*base, *loc[2:])
        return loc


def _keys(loc: tuple[str | int, ...]) -> list[str]:
    models: dict[str | int, type[BaseModel]] = {"designs": Design, "simulation": Simulation, "proof": ProofLimit}
    model = Ramp if "ramp" in loc else models[loc[0]]
    return [field.alias or name for name, field in model.model_fields.items()]


def _written(entry: Any) -> str:
    text = {True: "true", False: "false"}.get(entry, repr(entry)) if isinstance(entry, bool) else repr(entry)
    return text if len(text) <= 60 else text[:57] + "…"


def _tuples(entry: Any) -> Any:
    """Lists as tuples, all the way down, as strict validation wants them."""
    if isinstance(entry, dict):
        return {key: _tuples(item) for key, item in entry.items()}
    return tuple(_tuples(item) for item in entry) if isinstance(entry, list) else entry
