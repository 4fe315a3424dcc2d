"""Forms: pydantic models for JSON whose fields are those of dataclasses, with names where those have numbers.

`form_of` makes a model of a dataclass: fields, types and descriptions come from it and its docstring, and only what
stands otherwise in JSON is written down. `answer` fills a model from objects. Terminals, addresses, virtual channels
(VCs), channels and routers are numbers in objects and names in JSON; the relation or network they belong to is the
context of the validation.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, create_model, model_validator

from unknot.cli.docstrings import entries
from unknot.network import Network
from unknot.routing.relation import Relation


class Form(BaseModel):
    """Base of all forms."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    homes: ClassVar[dict[str, type]] = {}
    """The classes of the sources of some fields, where other sources may have attributes of these names too."""

    @model_validator(mode="before")
    @classmethod
    def _of_tuple(cls, value: Any) -> Any:
        """Fields in their order, where an object has a tuple for what JSON has keys for."""
        names = [field.alias or name for name, field in cls.model_fields.items()]
        return dict(zip(names, value, strict=True)) if isinstance(value, tuple) else value


Answer = dict[str, Any]
F = TypeVar("F", bound=Form)
_forms: dict[type, type[Form]] = {}


def form_of(*kinds: type, without: tuple[str, ...] = ()) -> Callable[[type[F]], type[F]]:
    """Give a form the fields of dataclasses, beside those it declares, which take precedence.

    Parameters
    ----------
    *kinds : type
        Dataclasses; where others have a field of the type of the first one, it takes this form.
    without : tuple of str
        Fields that are left out of the JSON.
    """

    def made(form: type[F]) -> type[F]:
        own = get_type_hints(form, include_extras=True)
        columns: dict[str, Any] = {}
        homes: dict[str, type] = {}
        for kind in kinds:
            words = _descriptions(kind)
            for name, hint in get_type_hints(kind).items():
                if name in without or name not in {field.name for field in fields(kind)}:
                    continue
                homes[name] = kind
                if name in form.model_fields:
                    columns[name] = (own[name], form.model_fields[name])
                else:
                    columns[name] = (_in_json(hint), Field(description=words.get(name)))
        columns |= {name: (own[name], field) for name, field in form.model_fields.items() if name not in columns}
        model: Any = create_model(
            form.__name__, __base__=_bases(form), __module__=form.__module__, __doc__=form.__doc__, **columns
        )
        model.homes = homes
        if kinds:
            _forms[kinds[0]] = model
        filled: type[F] = model
        return filled

    return made


def answer(form: type[Form], *sources: object, of: Relation | Network | None = None, **more: object) -> Answer:
    """Fill a form as `fill` does, and return it as plain values for JSON."""
    return fill(form, *sources, of=of, **more).model_dump(mode="json", by_alias=True)


def fill(form: type[F], *sources: object, of: Relation | Network | None = None, **more: object) -> F:
    """Fill a form from objects.

    Parameters
    ----------
    form : type
    *sources : object
        Their attributes fill the fields of the same names: a field of a dataclass from the source that is one, any
        other from the only source that has such an attribute.
    of : Relation or Network, optional
        What the numbers in the sources belong to.
    **more : object
        Further fields, before the sources. A form that was filled stays as it is.
    """
    relation = of if isinstance(of, Relation) else None
    network = of.network if isinstance(of, Relation) else of
    subject = () if of is None else (Subject(of),)
    homes = {name: kind for base in reversed(form.__mro__) for name, kind in vars(base).get("homes", {}).items()}
    return form.model_validate(
        _Sources(homes, more, (*sources, *subject)),
        from_attributes=True,
        context={"relation": relation, "network": network},
    )


class _Sources:
    """Attributes of several objects; a name that two of them have is an error, lest a new attribute change a key."""

    def __init__(self, homes: dict[str, type], more: Mapping[str, object], sources: tuple[object, ...]) -> None:
        self._homes, self._more, self._sources = homes, more, sources

    def __getattr__(self, name: str) -> object:
        if name in self._more:
            return self._more[name]
        home = self._homes.get(name, object)
        having = [
            s for s in self._sources if isinstance(s, home) and inspect.getattr_static(s, name, self) is not self
        ]
        if len(having) > 1:
            raise TypeError(f"{name} is an attribute of {' and '.join(type(source).__name__ for source in having)}")
        if not having:
            raise AttributeError(name)
        return getattr(having[0], name)


class Subject:
    """Relation, or network alone, that an answer is about."""

    def __init__(self, of: Relation | Network) -> None:
        self.network = of.network if isinstance(of, Relation) else of
        if isinstance(of, Relation):
            self.routing, self.num_vcs, self.vcs = of.name, of.num_vcs, of.vcs.each


def _plain(value: Any) -> Any:
    """Numbers and lists of Python for those of NumPy, lists for tuples."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _finite(value: Any) -> Any:
    value = _plain(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _name(function: Callable[[Any, int], str], of: Literal["relation", "network"]) -> BeforeValidator:
    """Turn a number into a name; a name, as in a file that is read, stays as it is."""

    def named(value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, (int, np.integer)) and info.context is not None:
            return function(info.context[of], int(value))
        return value

    return BeforeValidator(named)


Plain = BeforeValidator(_plain)
Number = Annotated[float | None, BeforeValidator(_finite)]
VcName = Annotated[str, _name(lambda relation, vc: relation.vcs.name(vc), "relation")]
AddressName = Annotated[str, _name(lambda relation, address: relation.address_name(address), "relation")]
TerminalName = Annotated[str, _name(lambda network, terminal: network.terminal_name(terminal), "network")]
ChannelName = Annotated[str, _name(lambda network, channel: network.channel_name(channel), "network")]
RouterName = Annotated[str, _name(lambda network, router: network.router_name(router), "network")]


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
        item = Number if issubclass(kind, np.floating) else bool if issubclass(kind, np.bool_) else int
        return Annotated[list[item], Plain]  # type: ignore[valid-type]
    if origin in (tuple, list):
        if origin is list or inner[1:] == (...,):
            return Annotated[list[_in_json(inner[0])], Plain]  # type: ignore[misc]
        return tuple[tuple(_in_json(part) for part in inner)]  # type: ignore[misc]
    if origin is dict or origin is Mapping or getattr(origin, "__name__", "") == "Mapping":
        return dict[str, _in_json(inner[1])]  # type: ignore[misc]
    return Annotated[hint, Plain] if hint in (int, bool) else hint


@cache
def _form(kind: type) -> type[Form]:
    """The form of a dataclass that differs in nothing from it."""
    doc = inspect.getdoc(kind) or kind.__name__
    bare = type(f"{kind.__name__}Form", (Form,), {"__doc__": doc.split("\n\n")[0], "__module__": __name__})
    return form_of(kind)(bare)


def _bases(form: type[F]) -> Any:
    bases = tuple(base for base in form.__bases__ if issubclass(base, Form))
    return bases if len(bases) > 1 else bases[0]


def _descriptions(kind: type) -> dict[str, str]:
    """Return the descriptions of fields in the docstrings of a dataclass and its bases, without names and types."""
    inherited: dict[str, str] = {}
    for base in reversed(kind.__mro__[1:]):
        inherited |= _descriptions(base) if is_dataclass(base) else {}
    return inherited | {name: words for name, (_, words) in entries(kind.__doc__ or "").items()}
