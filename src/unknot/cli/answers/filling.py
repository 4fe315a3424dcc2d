"""Answers: forms filled from objects in plain Python, read from JSON, and compared."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np

from unknot._base.errors import UnknotError, bare
from unknot.cli.answers.form import MISSING, By, Form, Key, is_form, keys_of, model
from unknot.network import Network
from unknot.routing.relation import Relation


class Answer(dict[str, Any]):
    """A filled form: what `json.dumps` takes."""


class Answers(Sequence[Answer]):
    """Forms filled from objects of one kind, each when it is looked at; `json.dumps` takes a list of them."""

    def __init__(self, form: type[Form], sources: Sequence[object], of: Relation | Network) -> None:
        self.form, self.sources, self.of = form, sources, of

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, at: Any) -> Any:
        return answer(self.form, self.sources[at], of=self.of)


def answer(
    form: type[Form],
    *sources: object,
    of: Relation | Network | None = None,
    **more: Any,
) -> Answer:
    """Fill a form from objects, and return it as plain values for JSON.

    Parameters
    ----------
    form : type
    *sources : object
        Their attributes fill keys: those of a form made of a dataclass from the source that is one, others from the
        only source. Of a form with `parts`, the first has the other sources, and the relation.
    of : Relation or Network, optional
        What the numbers in the sources belong to.
    **more : object
        Further keys, before the sources.

    Raises
    ------
    TypeError
        If nothing fills a key, or two sources do, or there is no such key.
    """
    if form.parts:
        whole: Any = sources[0]
        sources, of = (*sources, *(getattr(whole, part) for part in form.parts)), whole.relation
    subject = None if of is None else Subject(of)
    every = sources if subject is None else (*sources, subject)
    filled = Answer()
    for name, one in keys_of(form).items():
        if name in more:
            value = more.pop(name)
        else:
            path = (one.of or name).split(".")
            homes = () if one.fixed else one.home or object
            having = [source for source in every if isinstance(source, homes) and _has(source, path[0])]
            if len(having) > 1 or (not having and one.default is MISSING):
                who = " and ".join(type(source).__name__ for source in having) or "nothing"
                raise TypeError(f"{form.__name__}: {who} would fill {name}")
            value = reduce(_part, path, having[0]) if having else one.default
        filled[one.name or name] = _written(one.hint, value, subject)
    if more:
        raise TypeError(f"{form.__name__} has no keys {', '.join(more)}")
    return filled


def _has(source: object, name: str) -> bool:
    return name in getattr(source, "__dict__", ()) or hasattr(type(source), name)


def _part(source: Any, name: str) -> Any:
    return None if source is None else getattr(source, name)


class Subject:
    """Relation, or network alone, that an answer is about."""

    def __init__(self, of: Relation | Network) -> None:
        self.of, self.network = of, of.network if isinstance(of, Relation) else of
        if isinstance(of, Relation):
            self.routing, self.num_vcs, self.vcs = of.name, of.num_vcs, of.vcs.each


def _written(hint: Any, value: Any, subject: Subject | None) -> Any:
    """What JSON holds of a value whose type there is `hint`."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if get_origin(hint) is Annotated:
        hint, *marks = get_args(hint)
        for mark in reversed(marks):
            value = mark.write(value, subject) if isinstance(mark, By) else value
    if get_origin(hint) in (Union, types.UnionType):
        hint = next((option for option in get_args(hint) if _holds(option, value)), Any)
        if get_origin(hint) is Annotated:
            return _written(hint, value, subject)
    inner = get_args(hint)
    if value is None or isinstance(value, (str, Answer, Answers)):
        return value
    if is_form(hint):
        keys = keys_of(hint)
        if isinstance(value, tuple):
            value = dict(zip(keys, value, strict=True))
        if not isinstance(value, dict):
            return answer(hint, value, of=None if subject is None else subject.of)
        named = _by_names(hint, value)
        return {one.name or name: _written(one.hint, value.get(name, one.default), subject) for name, one in named}
    if isinstance(value, Mapping):
        return {str(name): _written(inner[1] if inner else Any, one, subject) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        of_each = inner if get_origin(hint) is tuple and inner[1:] != (...,) else (*inner[:1], Any)[:1] * len(value)
        return [_written(one, part, subject) for one, part in zip(of_each, value, strict=True)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _by_names(form: type, value: dict[str, Any]) -> list[tuple[str, Key]]:
    """The keys of a form with the names that a dictionary has for them, of Python or of JSON."""
    return [(one.name if one.name in value else name, one) for name, one in keys_of(form).items()]


def _holds(option: Any, value: Any) -> bool:
    """Whether a value may be of one of the types of a union."""
    if get_origin(option) is Annotated:
        option, *marks = get_args(option)
        if any(isinstance(mark, By) for mark in marks):
            return value is not None
    kind = get_origin(option) or option
    if is_form(kind):
        if isinstance(value, dict):
            return {name for name, _ in _by_names(kind, value)} == set(value)
        return type(value) in kind.kinds or not (kind.kinds or isinstance(value, (int, float, str, type(None))))
    if kind is Literal:
        return isinstance(value, str)
    kinds: dict[Any, Any] = {float: (float, int), list: (list, tuple), dict: Mapping}
    return isinstance(value, kinds.get(kind, kind))


def read_form(form: type, document: Any, where: str) -> Any:
    """Check what was read of JSON against a form, and return it with keys as attributes.

    Raises
    ------
    UnknotError
        With the place in the document.
    """
    from pydantic import ValidationError

    try:  # as JSON, of whose objects and arrays the messages then speak
        return model(form).model_validate_json(json.dumps(document), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
        place, said = "".join(parts).removeprefix(".") or "the whole", bare(first["msg"])
        more = f" (and {error.error_count() - 1} more such places)" if error.error_count() > 1 else ""
        raise UnknotError(f"{where}: {place}: {said[0].lower()}{said[1:]}{more}") from error


def differences(before: Any, now: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two answers differ, and what stands there in each."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*before, *now]):
            yield from differences(before.get(name), now.get(name), f"{place}.{name}".lstrip("."))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for i, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from differences(one, other, f"{place}[{i}]")
    elif before != now or type(before) is not type(now):
        yield place, before, now
