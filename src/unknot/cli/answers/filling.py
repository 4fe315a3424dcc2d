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
from unknot._base.quantities import By
from unknot.cli.answers.form import MISSING, Form, Key, is_form, keys_of, model
from unknot.network import Network
from unknot.routing.relation import Relation


class Answer(dict[str, Any]):
    """A filled form: what `json.dumps` takes.

    Attributes
    ----------
    form : type
    sources : tuple
        Objects that filled it.
    given : dict
        Keys that no source has, as they were given.
    """

    form: type[Form]
    sources: tuple[object, ...] = ()
    given: Mapping[str, Any] = {}


class Answers(Sequence[Answer]):
    """A list of forms, each filled from its object when read; `json.dumps` accepts it."""

    def __init__(self, form: type[Form], sources: Sequence[object], of: Relation | Network) -> None:
        self.form, self.sources, self.of = form, sources, of

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, at: Any) -> Any:
        return answer(self.form, self.sources[at], of=self.of)


def answer(form: type[Form], *sources: object, of: Relation | Network | None = None, **more: Any) -> Answer:
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
    return _filled(form, sources, None if of is None else Subject(of), more)


def _filled(form: type[Form], sources: tuple[object, ...], subject: Subject | None, more: dict[str, Any]) -> Answer:
    keys = keys_of(form)
    if unknown := more.keys() - keys:
        raise TypeError(f"{form.__name__} has no keys {', '.join(sorted(unknown))}")
    if form.parts:
        whole: Any = sources[0]
        sources, subject = (*sources, *(getattr(whole, part) for part in form.parts)), Subject(whole.relation)
    every = sources if subject is None else (*sources, subject)
    filled = Answer()
    about = {} if subject is None or subject.of is subject.network else {"relation": subject.of}
    filled.form, filled.sources, filled.given = form, every, about | more
    for name, key in keys.items():
        value = more[name] if name in more else _found(form, name, key, every)
        filled[key.name or name] = _written(key.hint, value, subject)
    return filled


def _found(form: type[Form], name: str, key: Key, sources: tuple[object, ...]) -> Any:
    """What the sources have for a key, else its default."""
    first, *path = (key.of or name).split(".")
    constant = get_origin(key.hint) is Literal and key.default is not MISSING
    having = [s for s in sources if isinstance(s, key.home or object) and _has(s, first) and not constant]
    if len(having) > 1 or (not having and key.default is MISSING):
        who = " and ".join(type(source).__name__ for source in having) or "nothing"
        raise TypeError(f"{form.__name__}: {who} would fill {name}")
    return reduce(_part, (first, *path), having[0]) if having else key.default


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
    """The JSON form of a value with the declared type `hint`."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        for mark in reversed(inner[1:]):
            value = mark.write(value, subject) if isinstance(mark, By) else value
        return _written(inner[0], value, subject)
    if value is None or isinstance(value, (str, Answer, Answers)):
        return value
    if origin in (Union, types.UnionType):
        return _written(next((option for option in inner if _holds(option, value)), Any), value, subject)
    if is_form(hint):
        if isinstance(value, tuple):
            value = dict(zip(keys_of(hint), value, strict=True))
        return _filled(hint, (), subject, value) if isinstance(value, dict) else _filled(hint, (value,), subject, {})
    if isinstance(value, Mapping):
        return {str(name): _written(inner[1] if inner else Any, one, subject) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        of_each = inner if origin is tuple and inner[1:] != (...,) else (*inner[:1], Any)[:1] * len(value)
        return [_written(one, part, subject) for one, part in zip(of_each, value, strict=True)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _holds(option: Any, value: Any) -> bool:
    """Whether a value may be of one of the types of a union."""
    if get_origin(option) is Annotated:
        return any(isinstance(mark, By) for mark in get_args(option)) or _holds(get_args(option)[0], value)
    if is_form(option):
        whole = isinstance(value, (dict, tuple)) or type(value) in option.kinds
        return whole or not (option.kinds or isinstance(value, (int, float)))
    kinds: dict[Any, Any] = {float: (float, int), list: (list, tuple), dict: Mapping, Literal: str}
    kind = get_origin(option) or option
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
