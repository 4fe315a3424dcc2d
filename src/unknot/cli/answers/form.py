"""Forms: the keys of an answer, each described once for JSON, its schema and the table on the terminal.

A form is a class whose annotations are keys, with their texts below them. It takes over the fields of dataclasses and
the properties that it names, with types and texts, so that only what stands otherwise in JSON is written down; a
dataclass of which nothing does needs no form. `unknot.cli.answers.filling` fills forms from objects, `model` makes a
pydantic model to check what is read, and `unknot.cli.commands.display` prints them. `unknot._base.quantities` has the
types of numbers.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from unknot._base.docstrings import below, entries
from unknot._base.quantities import CYCLES, FLITS, HOPS, By

MISSING: Any = object()
"""The default of a key that has none."""


class Form:
    """Base of all forms, declared as in ``class NAME(Form, of=DATACLASS, without="FIELD FIELD", also="PROPERTY")``.

    Attributes
    ----------
    kinds : tuple of type
        Classes of the objects that fill the keys of this form. Where results have a field of the first class, it
        takes this form.
    without : str
        Fields of these classes that are no keys; ``*``: none is.
    also : str
        Properties of these classes that are keys; ``KEY=FIELD.FIELD`` are attributes of attributes.
    said : Words, optional
        How the terminal says the whole of it; else its keys are shown.
    parts : tuple of str
        Attributes of the source that are sources too; its relation is what numbers belong to.
    table : str
        Keys that the terminal shows, in this order, ``form.*`` for those of a form within; empty: all.
    frame : str
        The key whose forms are lines of a data frame; empty: the answer is one line.
    """

    kinds: ClassVar[tuple[type, ...]] = ()
    without: ClassVar[str] = ""
    also: ClassVar[str] = ""
    parts: ClassVar[tuple[str, ...]] = ()
    table: ClassVar[str] = ""
    frame: ClassVar[str] = ""
    said: ClassVar[Words | None] = None

    def __init_subclass__(
        cls,
        of: type | tuple[type, ...] = (),
        without: str = "",
        also: str = "",
        said: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        cls.without, cls.also = without, also
        if said:
            cls.said = Words(said)
        if of:
            cls.kinds = of if isinstance(of, tuple) else (of,)
            _forms[cls.kinds[0]] = cls

    @classmethod
    def __get_pydantic_core_schema__(cls, hint: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(model(cls))  # type: ignore[arg-type]  # classes are hashable


_forms: dict[type, type[Form]] = {}


@dataclass(frozen=True)
class Words:
    """Mark of a type: `write` makes the terminal's text from a value and its filled form."""

    write: Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Bounds:
    """Mark of a type: the least and the greatest number, or number of items, named as pydantic names them."""

    ge: int | None = None
    le: int | None = None
    min_length: int | None = None
    max_length: int | None = None

    def __get_pydantic_core_schema__(self, hint: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(hint) | {name: bound for name, bound in vars(self).items() if bound is not None}


@dataclass(frozen=True)
class Key:
    """A key of a form.

    Attributes
    ----------
    of : str
        The attribute that fills it, where that is named otherwise; dots lead to attributes of attributes, and where
        one on the way is None, the key is null.
    default : object
        What stands there if nothing fills it; `MISSING` if something must.
    name : str
        Its name in JSON, where Python keeps that for itself.
    hint : type
        What it holds in JSON.
    home : tuple of type
        Classes whose attributes may fill it; empty: any.
    told : (type, str), optional
        Class and attribute whose text describes the key, where the form has none.
    """

    of: str = ""
    default: Any = MISSING
    name: str = ""
    hint: Any = None
    home: tuple[type, ...] = ()
    told: tuple[type, str] | None = None

    @cached_property
    def types(self) -> tuple[Any, ...]:
        """Its type, all types within, and their marks."""
        return tuple(_within(self.hint))

    def mark(self, kind: Any) -> Any:
        """The first mark of a kind; None without."""
        return next((mark for mark in self.types if isinstance(mark, kind)), None)

    @cached_property
    def words(self) -> Words | None:
        """How the terminal shows it as a whole, if not as its type."""
        hint = _bare(self.hint)
        marks = [mark for mark in getattr(self.hint, "__metadata__", ()) if isinstance(mark, Words)]
        alone = () if get_origin(hint) in (list, dict) else (hint, *get_args(hint))
        return next((said for said in (*marks, *(form.said for form in alone if is_form(form))) if said), None)

    @cached_property
    def form(self) -> type[Form] | None:
        """The form held by this key, single or in a list."""
        return next(filter(is_form, self.types), None)

    @cached_property
    def truth(self) -> bool:
        """Whether it says yes or no, or leaves that open."""
        hint = _bare(self.hint)
        return bool in (hint, *get_args(hint))

    @cached_property
    def several(self) -> bool:
        """Whether it holds a list or dictionary of forms, which the terminal shows as a table."""
        of_forms = (kind for kind in self.types if any(map(is_form, map(_bare, get_args(kind)))))
        return self.words is None and any(get_origin(kind) in (list, dict) for kind in of_forms)


of: Callable[..., Any] = Key
"""Says what fills a key of a form."""


def _within(hint: Any) -> Iterator[Any]:
    yield hint
    for part in (*get_args(hint)[:1], *hint.__metadata__) if get_origin(hint) is Annotated else get_args(hint):
        yield from _within(part)


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _keys_of(form: type[Form]) -> Mapping[str, Key]:
    line = [kind for kind in reversed(form.__mro__) if issubclass(kind, Form)][1:]
    hints = get_type_hints(form, include_extras=True)
    keys: dict[str, Key] = {}
    for base in line:
        heirs = [kind.__dict__.get("kinds") for kind in line if issubclass(kind, base)]
        home = next(filter(None, heirs), ())
        for kind in base.__dict__.get("kinds", ()):
            whole = is_dataclass(kind) and base.without != "*"
            types_of = get_type_hints(kind, include_extras=True) if whole else {}
            names = (one.name for one in fields(kind)) if whole else ()
            for name in [name for name in names if name not in base.without.split()]:
                keys[name] = replace(
                    keys.get(name) or Key(hint=_in_json(types_of[name])), home=(kind,), told=(kind, name)
                )
            for name, _, path in (entry.partition("=") for entry in base.also.split()):
                hint, told = _stated(kind, path or name)
                keys[name] = Key(path, hint=_in_json(hint), home=(kind,), told=told)
        for name in inspect.get_annotations(base):
            if get_origin(hints[name]) is not ClassVar:
                said = base.__dict__.get(name, MISSING)
                said = said if isinstance(said, Key) else Key(default=said)
                before = keys.get(name) or Key(home=home)
                keys[name] = replace(said, hint=_in_json(hints[name]), home=before.home, told=before.told)
    return keys


def _stated(kind: Any, path: str) -> tuple[Any, tuple[type, str]]:
    """Find the type of a path of attributes, null where a part may be, and the class that states the last."""
    hint, null = kind, False
    for name in path.split("."):
        null |= type(None) in get_args(hint)
        kind = next(filter(inspect.isclass, (*get_args(hint), hint)))
        member = inspect.getattr_static(kind, name, None)
        function = getattr(member, "fget", None) or getattr(member, "func", None)
        hint = get_type_hints(function or kind, include_extras=True)["return" if function else name]
    return hint | None if null else hint, (kind, name)


keys_of: Callable[[Any], Mapping[str, Key]] = cache(_keys_of)
"""The keys of a form by their names in Python, those of its bases first."""


@cache
def texts_of(kind: type) -> Mapping[str, str]:
    """The texts of the fields of a form or dataclass, and of its bases: those below them, else of the docstring."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if is_dataclass(base):
            texts |= {name: words for name, (_, words) in entries(base.__doc__ or "").items()}
        read = {name: one for name, one in vars(base).items() if isinstance(one, (property, cached_property))}
        texts |= {name: (inspect.getdoc(one) or "").partition("\n\n")[0] for name, one in read.items()}
        if base is not Form and (is_form(base) or is_dataclass(base)):
            texts |= below(base)
    return texts


def is_form(hint: Any) -> bool:
    """Whether a type is a form."""
    return isinstance(hint, type) and issubclass(hint, Form)


Number = float | None
"""A number; null if it is not finite."""
Natural = Annotated[int, Bounds(0, 2**63 - 1)]
Positive = Annotated[int, Bounds(1, 2**63 - 1)]


def _in_json(hint: Any) -> Any:
    """The type in JSON of a field, given its type in Python."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is float:
        return Number
    if origin is Annotated:
        gives = next((mark.gives for mark in inner[1:] if isinstance(mark, By) and mark.gives), None)
        return Annotated[(gives or _in_json(inner[0]), *inner[1:])]
    if isinstance(hint, type) and is_dataclass(hint):
        return _forms.get(hint) or _form(hint)
    if origin in (Union, types.UnionType):
        return Union[tuple(_in_json(option) for option in inner)]  # noqa: UP007 made at run time
    if origin in (np.ndarray, npt.NDArray):
        kind = inner[0] if origin is npt.NDArray else get_args(inner[1])[0]
        return list[Number if issubclass(kind, np.floating) else bool if issubclass(kind, np.bool_) else int]  # type: ignore[misc]
    if origin is list or (origin is tuple and inner[1:] == (...,)):
        return list[_in_json(inner[0])]  # type: ignore[misc]
    if origin is tuple:
        return tuple[tuple(_in_json(part) for part in inner)]  # type: ignore[misc]
    if origin in (dict, Mapping):
        return dict[inner[0] if get_origin(inner[0]) is Literal else str, _in_json(inner[1])]  # type: ignore[misc]
    return hint


@cache
def _form(kind: type) -> type[Form]:
    """The form of a dataclass that differs in nothing from it."""
    doc = (inspect.getdoc(kind) or kind.__name__).split("\n\n")[0]
    names = {"__doc__": doc, "__module__": __name__}
    return types.new_class(f"{kind.__name__}Form", (Form,), {"of": kind}, lambda space: space.update(names))


FlitCount = Annotated[Positive, FLITS]
CycleCount = Annotated[Natural, CYCLES]
HopCount = Annotated[Natural, HOPS]
"""Numbers of flits, cycles and hops."""


@cache
def model(form: Any, **more: Any) -> Any:
    """A pydantic model of a form, to check what is read, and with the schema of the form; `more` are columns."""
    from pydantic import ConfigDict, create_model
    from pydantic import Field as Column

    columns: dict[str, Any] = {}
    for name, key in keys_of(form).items():
        default = ... if key.default is MISSING else key.default
        places = ((form, name), *filter(None, (key.told,)), *((kind, name) for kind in key.home))
        text = next(filter(None, (texts_of(kind).get(named) for kind, named in places)), "").replace("None", "null")
        columns[name] = key.hint, Column(default, alias=key.name or None, description=text or None)
    config = ConfigDict(extra="forbid", frozen=True)
    return create_model(form.__name__, __config__=config, __doc__=form.__doc__, **columns, **more)
