"""Forms: what an answer says, key by key, described once for JSON, its schema and the table on the terminal.

A form is a class whose annotations are keys. `form_of` gives it the fields of dataclasses too, with their types and
descriptions, so that only what stands otherwise in JSON is written down. `unknot.cli.answers.filling` fills a form
from objects, `model` makes a pydantic model of it to check what is read, and `unknot.cli.commands.display` prints it.
Terminals, addresses, virtual channels (VCs), channels and routers are numbers in objects and names in answers.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from unknot._base.docstrings import entries

MISSING: Any = object()
"""The default of a key that has none."""


class Form:
    """Base of all forms.

    Attributes
    ----------
    kinds : tuple of type
        Classes of the objects that fill the keys of this form.
    without : tuple of str
        Fields of these classes that are no keys.
    parts : tuple of str
        Attributes of the source that are sources too; its relation is what numbers belong to.
    table : tuple of str
        Keys that the terminal shows, in this order, ``form.*`` for those of a form within; empty: all.
    """

    kinds: ClassVar[tuple[type, ...]] = ()
    without: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[tuple[str, ...]] = ()
    table: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __get_pydantic_core_schema__(cls, hint: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(model(cls))  # type: ignore[arg-type]  # classes are hashable


F = TypeVar("F", bound=Form)
_forms: dict[type, type[Form]] = {}


@dataclass(frozen=True)
class Key:
    """A key of a form.

    Attributes
    ----------
    doc : str or None
        Its description in the schema.
    of : str
        The attribute that fills it, where that is named otherwise; dots lead to attributes of attributes, and where
        one on the way is None, the key is null.
    default : object
        What stands there if nothing fills it; `MISSING` if something must.
    fixed : bool
        Nothing may fill it: a form has it as a plain value.
    name : str
        Its name in JSON, where Python keeps that for itself.
    hint : type
        What it holds in JSON.
    home : tuple of type
        Classes whose attributes may fill it; empty: any.
    """

    doc: str | None = None
    of: str = ""
    default: Any = field(default=MISSING)
    name: str = ""
    fixed: bool = False
    hint: Any = None
    home: tuple[type, ...] = ()

    def description(self, name: str) -> str | None:
        """Its description, or that of the attribute of this name in the docstring of a class that may fill it."""
        return self.doc or next(filter(None, (_descriptions(kind).get(name) for kind in self.home)), None)


key: Callable[..., Any] = Key
"""Describes a key of a form."""


@dataclass(frozen=True)
class By:
    """Marks a type: `write`, given a value and the network or relation it belongs to, makes what JSON holds of it."""

    write: Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Words:
    """Marks a type: `write`, given a value and the filled form around it, makes what the terminal shows of it."""

    write: Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Bounds:
    """Marks a type: the least and the greatest number, or number of items, named as pydantic names them."""

    ge: int | None = None
    le: int | None = None
    min_length: int | None = None
    max_length: int | None = None

    def __get_pydantic_core_schema__(self, hint: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(hint) | {name: bound for name, bound in vars(self).items() if bound is not None}


def form_of(*kinds: type, without: tuple[str, ...] = ()) -> Callable[[type[F]], type[F]]:
    """Give a form the fields of dataclasses, beside the keys it declares, which take precedence.

    Parameters
    ----------
    *kinds : type
        Dataclasses; where others have a field of the type of the first one, it takes this form.
    without : tuple of str
        Fields that are left out of the JSON.
    """

    def made(form: type[F]) -> type[F]:
        form.kinds, form.without = kinds, without
        _forms[kinds[0]] = form
        return form

    return made


def _keys_of(form: type[Form]) -> Mapping[str, Key]:
    line = [kind for kind in reversed(form.__mro__) if issubclass(kind, Form)][1:]
    hints = get_type_hints(form, include_extras=True)
    keys: dict[str, Key] = {}
    for base in line:
        heirs = [kind.__dict__.get("kinds") for kind in line if issubclass(kind, base)]
        home = next(filter(None, heirs), ())
        for kind in base.__dict__.get("kinds", ()):
            types_of = get_type_hints(kind)
            for name in (one.name for one in _fields(kind) if one.name not in base.without):
                keys[name] = replace(keys.get(name) or Key(hint=_in_json(types_of[name])), home=(kind,))
        for name in inspect.get_annotations(base):
            if get_origin(hints[name]) is not ClassVar:
                said = base.__dict__.get(name, Key())
                said = said if isinstance(said, Key) else Key(default=said, fixed=True)
                keys[name] = replace(said, hint=hints[name], home=keys[name].home if name in keys else home)
    return keys


def _fields(kind: Any) -> tuple[Field[Any], ...]:
    return fields(kind) if is_dataclass(kind) else ()


keys_of: Callable[[Any], Mapping[str, Key]] = cache(_keys_of)
"""The keys of a form by their names in Python, those of its bases first."""


def is_form(hint: Any) -> bool:
    """Whether a type is a form."""
    return isinstance(hint, type) and issubclass(hint, Form)


def _name(function: Callable[[Any, int], str]) -> By:
    """Turn a number into a name."""
    return By(lambda value, subject: function(subject, value) if isinstance(value, int) else value)


Number = float | None
"""A number; null if it is not finite."""
VcName = Annotated[str, _name(lambda subject, vc: subject.of.vcs.name(vc))]
AddressName = Annotated[str, _name(lambda subject, address: subject.of.address_name(address))]
TerminalName = Annotated[str, _name(lambda subject, terminal: subject.network.terminal_name(terminal))]
ChannelName = Annotated[str, _name(lambda subject, channel: subject.network.channel_name(channel))]
RouterName = Annotated[str, _name(lambda subject, router: subject.network.router_name(router))]
Natural = Annotated[int, Bounds(0, 2**63 - 1)]
Positive = Annotated[int, Bounds(1, 2**63 - 1)]


def _in_json(hint: Any) -> Any:
    """The type of a field in JSON, of its type in a dataclass."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is float:
        return Number
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
    return dict[str, _in_json(inner[1])] if origin in (dict, Mapping) else hint  # type: ignore[misc]


@cache
def _form(kind: type) -> type[Form]:
    """The form of a dataclass that differs in nothing from it."""
    doc = inspect.getdoc(kind) or kind.__name__
    bare = type(f"{kind.__name__}Form", (Form,), {"__doc__": doc.split("\n\n")[0], "__module__": __name__})
    return form_of(kind)(bare)


def _descriptions(kind: type) -> dict[str, str]:
    """Return the descriptions of fields in the docstrings of a dataclass and its bases, without names and types."""
    inherited: dict[str, str] = {}
    for base in reversed(kind.__mro__[1:]):
        inherited |= _descriptions(base) if is_dataclass(base) else {}
    return inherited | {name: words for name, (_, words) in entries(kind.__doc__ or "").items()}


def _pair_words(pair: list[str] | None, _: Any) -> str:
    return " to ".join(pair or ())


PAIR = Words(_pair_words)
"""Source and destination on the terminal."""
CIRCLE = Words(lambda names, _: " → ".join([*names, *names[:1]]) if names else "")
"""Names around a circle on the terminal, back to the first."""
SIZE = By(lambda several, _: len(several))
"""A number of things."""
NONZERO = Words(lambda number, _: number or None)
"""A number on the terminal, where 0 goes without saying."""
CHECKER: dict[bool | None, str] = {True: "accepts it", False: "REJECTS it"}
CHECKED = Words(lambda holds, _: "" if holds is None else f"the separate checker {CHECKER[holds]}")
"""Outcome of the separate checker on the terminal, where the key does not name it."""


@cache
def model(form: Any, **more: Any) -> Any:
    """A pydantic model of a form, to check what is read, and with the schema of the form; `more` are columns."""
    from pydantic import ConfigDict, create_model
    from pydantic import Field as Column

    columns: dict[str, Any] = {}
    for name, one in keys_of(form).items():
        default = ... if one.default is MISSING else one.default
        columns[name] = one.hint, Column(default, alias=one.name or None, description=one.description(name))
    config = ConfigDict(extra="forbid", frozen=True)
    return create_model(form.__name__, __config__=config, __doc__=form.__doc__, **columns, **more)
