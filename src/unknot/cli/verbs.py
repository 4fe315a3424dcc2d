"""Verbs: functions of the package that ask what commands ask, with their names, options and defaults."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path
from textwrap import fill, indent
from typing import Any, Literal, get_args, get_origin

import numpy as np
import typer

from unknot._base.docstrings import section
from unknot._base.errors import RelationError, UnknotError, require_known, shown
from unknot._base.lent import lend, lending
from unknot.cli.commands.asking import asking
from unknot.cli.commands.options import prepared
from unknot.cli.exit_codes import FAILS, HOLDS, INTERRUPTED, UNDECIDED
from unknot.cli.result import Result
from unknot.routing.relation import Relation

HOLD = {HOLDS: True, FAILS: False, UNDECIDED: None}
"""What exit codes say."""
NETWORKS, ROUTINGS = {"network", "source"}, {"routing", "to"}
"""Parameters that take objects of a session."""
WIDTH, TAB = 100, "    "
"""Columns of a docstring, and the indent of its lines about a parameter."""
OF_SESSION = NETWORKS | ROUTINGS | {"designs"}
"""The same, and designs, which may be of both."""
ROUTED = 2
"""Arguments by position of a verb about a routing."""
RETURNS = "The answer, with the keys of the command's JSON; `holds` is True for exit code 0, False for 1, None for 3."
KINDS = {bool: "True or False", int: "a whole number", float: "a number", str: "a text", Path: "the name of a file"}
"""Types of options in words."""
TAKEN: tuple[tuple[Any, tuple[type, ...]], ...] = (
    ((bool, np.bool_), (bool,)),
    (Integral, (int, float, str)),
    (Real, (float, str)),
    ((str, Path), (str, Path)),
)
"""The types of options that a value of Python may stand for, the nearest first."""
_OPTION = re.compile(r"--([a-z][a-z0-9-]*[a-z0-9])")


def verb(name: str, command: Callable[..., int | None] | None = None, *, second: str = "") -> Callable[..., Result]:
    """Make the function of a command.

    A network is a text, the name of a file, a `Network` or a graph of NetworkX; a routing is a text, a `Relation`, or
    a function: of the network, or a rule.

    Parameters
    ----------
    name : str
        Name of the command, and of the file in `unknot.cli.commands` that has it.
    command : callable, optional
        The command, where it stands elsewhere.
    second : str, optional
        Option that stands second behind a `Relation`, which has a routing already.
    """
    command = command or _command(name, name)
    run = prepared(command)
    options = inspect.signature(run).parameters.values()
    fields = {_named(one): one for one in options if one.name != "json" and not _is_hidden(one)}
    hidden = {one.name: one.default for one in options if _is_hidden(one)}
    parameters = sorted((_parameter(*item) for item in fields.items()), key=lambda one: one.kind)
    signature = inspect.Signature(parameters, return_annotation="Result")
    fields = {one.name: fields[one.name] for one in parameters}

    def ask(*given: Any, **named: Any) -> Result:
        if second and second not in named and len(given) == ROUTED and isinstance(given[0], Relation):
            given, named = given[:1], {second: given[1], **named}
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        with lending(), asking() as kept:
            values = hidden | _values(bound.arguments, fields)
            code = _code(run, values)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if kept.filled is None or code not in HOLD:
            raise UnknotError(f"{name}: {'; '.join(kept.remarks) or 'there is no answer'}")
        return Result(kept, HOLD[code])

    ask.__name__ = ask.__qualname__ = name
    ask.__module__ = __name__ if command.__module__.startswith("unknot.") else command.__module__
    ask.__doc__ = _doc(command, run, fields)
    ask.__signature__ = signature  # type: ignore[attr-defined]
    return ask


def _command(file: str, name: str) -> Callable[..., int | None]:
    command: Callable[..., int | None] = getattr(import_module(f"unknot.cli.commands.{file}"), name)
    return command


def _is_hidden(option: inspect.Parameter) -> bool:
    return bool(getattr(_info(option), "hidden", False))


def _named(parameter: inspect.Parameter) -> str:
    """The name of an option in Python: as it is spelled, unless Python keeps the word for itself."""
    spelled = getattr(_info(parameter), "default", None)  # where typer has the first name that is declared
    name = spelled.partition("/")[0].lstrip("-").replace("-", "_") if isinstance(spelled, str) else parameter.name
    return parameter.name if keyword.iskeyword(name) else name


def _info(parameter: inspect.Parameter) -> Any:
    return next(iter(getattr(parameter.annotation, "__metadata__", ())), None)


def _type(parameter: inspect.Parameter) -> Any:
    hint = parameter.annotation
    return get_args(hint)[0] if hasattr(hint, "__metadata__") else hint


def _parameter(name: str, option: inspect.Parameter) -> inspect.Parameter:
    """A parameter of a verb: arguments, and the routing behind them, also by position."""
    argument = isinstance(_info(option), typer.models.ArgumentInfo)
    places = inspect.Parameter
    kind = places.POSITIONAL_OR_KEYWORD if argument or name == "routing" else places.KEYWORD_ONLY
    default: Any = option.default if argument or name != "routing" else None
    return inspect.Parameter(name, kind, default=default, annotation=_type(option))


def _code(run: Callable[..., None], values: dict[str, Any]) -> int:
    """Run a command for its exit code."""
    try:
        run(json=True, **values)
    except typer.Exit as ended:
        return ended.exit_code
    return HOLDS


def _values(given: dict[str, Any], fields: dict[str, inspect.Parameter]) -> dict[str, Any]:
    """Options as a command takes them; objects under names."""
    values = {fields[name].name: value for name, value in given.items()}
    for name, parameter in fields.items():
        hint, value = _type(parameter), values[parameter.name]
        kinds = {hint, *get_args(hint)}
        if value is None:
            continue
        if any(get_origin(kind) is list for kind in kinds):
            value = [value] if isinstance(value, (str, Path)) or not isinstance(value, Iterable) else list(value)
            of_items = {item for kind in kinds for item in get_args(kind)}
            if name not in OF_SESSION:
                value = [spelled(name, one, of_items) for one in value]
        elif name not in OF_SESSION:
            value = spelled(name, value, kinds)
        elif name in ROUTINGS and isinstance(value, list):
            raise UnknotError(f"{name}: one alone is expected, got {shown(value)}")
        for literal in (kind for kind in kinds if get_origin(kind) is Literal):
            require_known(f"{name}: unknown word", value, get_args(literal))
        if name in NETWORKS and isinstance(value, Relation):
            if values.get("routing") is not None:
                raise UnknotError(f"{value.name} is a routing already; leave out `routing`")
            values["routing"] = value
            value = value.network
        values[parameter.name] = value
    if values.get("routing", "") is None and fields["routing"].default is not None:
        raise RelationError("a network has no routing by itself; name it, as in routing='dimension_order'")
    return {name: _lent(name, value) for name, value in values.items()}


def spelled(name: str, value: Any, kinds: Collection[Any]) -> Any:
    """Return the value of an option as its command takes values; of a number where words are asked, its text."""
    known = [kind for kind in KINDS if kind in kinds]
    if not known or (str in known and not isinstance(value, (Real, Path, np.bool_))):
        return value  # words of a list, and what some commands take in place of a text, as a mapping of lengths
    takes = next((takes for given, takes in TAKEN if isinstance(value, given)), ())
    kind = next((kind for kind in takes if kind in known), None)
    if kind is None:
        raise UnknotError(f"{name}: {' or '.join(KINDS[kind] for kind in known)} is expected, got {shown(value)}")
    return kind(value)


def _lent(name: str, value: Any) -> Any:
    """An option whose objects of a session have names."""
    if name == "designs":
        return [_design(one) for one in value]
    if name in NETWORKS and value is not None:
        return _network(value)
    if name in ROUTINGS and value is not None:
        return [_routing(one, value) for one in value] if isinstance(value, list) else _routing(value)
    return value


def _network(given: Any) -> str:
    if isinstance(given, (str, Path)):
        return str(given)
    from unknot.fabrics.named import network

    built = network(given)
    return lend("network", built.name or "network", built)


def _routing(given: Any, beside: Collection[Any] = ()) -> str:
    """The text of a routing; of an object a name that stands where names of algorithms do."""
    if isinstance(given, (str, Path)):
        return str(given)
    if not callable(given) and not isinstance(given, Relation):
        raise UnknotError(f"routing: a name, a Relation or a function is expected, got {shown(given)}")
    name = str(getattr(given, "name", None) or getattr(given, "__name__", type(given).__name__))
    return lend("routing", re.sub(r"\W+", "_", name).strip("_") or "routing", given, beside)


def _design(design: Any) -> str:
    """A design in words: a network, a relation, or a network and its routing."""
    if isinstance(design, str):
        return design
    network, *routings = (design.network, design) if isinstance(design, Relation) else _pair(design)
    return " by ".join([_network(network), *map(_routing, routings)])


def _pair(design: Any) -> tuple[Any, ...]:
    return design if isinstance(design, tuple) else (design,)


def _doc(command: Callable[..., Any], run: Any, fields: dict[str, inspect.Parameter]) -> str:
    """The docstring of a verb: that of the command, whose options have their names in Python."""
    lines = ["\n\n".join(fill(part, WIDTH) for part in run.__doc__.split("\n\n")), "", "Parameters", "----------"]
    for name, parameter in fields.items():
        words = getattr(_info(parameter), "help", None) or name
        lines += [f"{name} : {_kind(name, parameter)}", indent(fill(words, WIDTH), TAB)]
    lines += ["", "Returns", "-------", "Result", indent(RETURNS, TAB)]
    text = _OPTION.sub(lambda match: f"``{match[1].replace('-', '_')}``", "\n".join(lines))
    return f"{text}\n\n{section(inspect.getdoc(command) or '', 'Examples')}".rstrip() + "\n"


def _kind(name: str, parameter: inspect.Parameter) -> str:
    """The type of a parameter in words."""
    if name in NETWORKS | ROUTINGS:
        return "str, Path, Network or networkx.Graph" if name in NETWORKS else "str, Relation or callable"
    kind = _type(parameter)
    text = re.sub(r"Literal\[(.*?)\]", r"{\1}", kind.__name__ if isinstance(kind, type) else str(kind))
    return text.replace("typing.", "").replace("pathlib.", "").replace(" | ", " or ")


audit = verb("audit")
diagnose = verb("diagnose")
check = verb("check", second="switching")
compare = verb("compare")
curve = verb("curve")
design_routing = verb("design_routing")
design_topology = verb("design_topology")
every_size = verb("every_size")
faults = verb("faults")
lanes = verb("lanes")
line_rate = verb("line_rate")
protocol = verb("protocol")
reconfigure = verb("reconfigure")
repair = verb("repair")
show = verb("show")
simulate = verb("simulate", second="load")
