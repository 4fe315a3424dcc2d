"""The functions of the language, by name, and what can be checked of a text without evaluating it.

Each function takes a `Caller` and values, and gives a value.

The annotation of a parameter is a kind of `values`; it says what is checked before the function is called and how the
parameter is called in messages. Everything in `FUNCTIONS` can be called in a text under its key. Names, numbers of
values and options are checked first, so that all errors that show without computing are reported at once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, get_args

import numpy as np

from unknot._base.errors import TextError, UnknotError, near
from unknot._base.extensions import Catalogue
from unknot._base.phrases import count
from unknot.network.tod import named_changes as changes
from unknot.network.tod import named_graphs as graphs
from unknot.network.tod import values
from unknot.network.tod.graph import from_network
from unknot.network.tod.plan import Plan
from unknot.network.tod.syntax import Definition, Edges, Name, Node, OperatorCall, children
from unknot.network.tod.values import Caller, Value, is_network, is_number, kind

if TYPE_CHECKING:
    from unknot.network import Network


def _words(module: ModuleType, **renamed: str) -> dict[str, Callable[..., Value]]:
    """The public functions of a module, by name, or by another one where that is a word of Python."""
    return {
        renamed.get(name, name): function
        for name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
    }


FUNCTIONS: dict[str, Callable[..., Value]] = {
    **_words(graphs, least="min", greatest="max", absolute="abs"),
    **changes.OPERATIONS,
    **_words(changes, replaced_by="replace"),
}


def call(name: str, c: Caller, arguments: Sequence[Value], options: Sequence[tuple[str, Value, Node]]) -> Value:
    """Call a function by name with values that are checked first; its arity has been checked before.

    Raises
    ------
    TextError
        If a value is not of the kind its parameter wants.
    """
    rates = [(value, place) for key, value, place in options if key == "bandwidth"]
    if rates and "bandwidth" not in _own_signature(name).parameters:  # it is of whatever network the others make
        rate = _checked("Rate", *rates[0], f"{name}: bandwidth")
        rest = [option for option in options if option[0] != "bandwidth"]
        return changes.bandwidth(c, call(name, c, arguments, rest), rate)
    if name not in FUNCTIONS:
        return _foreign(name, c, arguments, options)
    function = FUNCTIONS[name]
    listed = list(signature(name).parameters.values())
    checked = []
    for i, (value, place) in enumerate(zip(arguments, c.values, strict=True)):
        parameter = next((p for p in listed[: i + 1] if p.kind is p.VAR_POSITIONAL), None) or listed[i]
        checked.append(_checked(str(parameter.annotation), value, place, f"{name}: {parameter.name}"))
    named = {
        key: _checked(str(signature(name).parameters[key].annotation), value, place, f"{name}: {key}")
        for key, value, place in options
    }
    return function(c, *checked, **named)


@cache
def signature(name: str) -> inspect.Signature:
    """The parameters a function of the language can be called with."""
    whole = _own_signature(name)
    parameters = list(whole.parameters.values())[name in FUNCTIONS :]
    if "latency" in whole.parameters and "bandwidth" not in whole.parameters:
        last = len(parameters) - (parameters[-1].kind is inspect.Parameter.VAR_KEYWORD)
        parameters.insert(last, inspect.Parameter("bandwidth", inspect.Parameter.KEYWORD_ONLY, default=1))
    return whole.replace(parameters=parameters)


def _own_signature(name: str) -> inspect.Signature:
    return inspect.signature(FUNCTIONS[name] if name in FUNCTIONS else foreign()[name])


@cache
def foreign() -> Catalogue[Callable[..., Network]]:
    """Families of `unknot.network.families` that the language has no word of its own for, and those of extensions."""
    from unknot.network import families as topologies

    names = [n for n in topologies.__all__ if not n.startswith("from_")]
    return Catalogue("topologies", {name: getattr(topologies, name) for name in names})


def _foreign(name: str, c: Caller, arguments: Sequence[Value], options: Sequence[tuple[str, Value, Node]]) -> Plan:
    for value, place in [*zip(arguments, c.values, strict=True), *((v, p) for _, v, p in options)]:
        if is_network(value) or isinstance(value, np.ndarray):
            raise place.error(f"{name} takes plain values, but this is {kind(value)}")
    try:
        made = from_network(foreign()[name](*arguments, **{key: value for key, value, _ in options}))
    except UnknotError as error:
        raise c.place.error(str(error)) from error
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise c.place.error(f"no such network can be made: {error}") from error
    return c.budget.made(c.place, made)


def _checked(annotation: str, value: Value, place: Node, what: str) -> Value:
    _, words, test = get_args(vars(values)[annotation])
    if not test(value):
        described = _described(value)
        # a number that stands there itself is not explained by itself
        subject = "got" if described.endswith(f" {place.text}") else f"but {place.text} is"
        raise place.error(f"{what} must be {words}, {subject} {described}")
    return value


def _described(value: Value) -> str:
    if is_number(value) and not isinstance(value, np.ndarray):
        return f"the number {value}"
    return kind(value)


def problems_of(roots: Mapping[Node, frozenset[str]], known: Mapping[str, Definition]) -> list[TextError]:
    """Return all problems of some expressions.

    Parameters
    ----------
    roots : mapping of Node to set of str
        Expressions with the parameters they may use.
    known : mapping of str to Definition
        Definitions they may use.
    """
    errors: list[TextError] = []
    stack = list(roots.items())
    while stack:
        node, names = stack.pop()
        match node:
            case Name(name=name):
                errors += _name(node, name, names, known)
            case OperatorCall():
                errors += _call(node, names, known)
            case Edges(clauses=None):  # its routers are named, not looked up
                stack += [(edge.latency, names) for edge in node.edges if edge.latency is not None]
                continue
        clauses = node.clauses if isinstance(node, (OperatorCall, Edges)) else None
        inner = names
        if clauses is not None:
            bound = [part.name for part in clauses.ranges]
            inner = names | set(bound)
            if len(set(bound)) < len(bound):
                errors.append(clauses.error("two variables of this rule have the same name"))
            stack += [(part, names) for part in clauses.ranges]
            stack += [(clauses.condition, inner)] if clauses.condition is not None else []
        outer = node.options if isinstance(node, OperatorCall) else ()
        stack += [(child, names if child in outer else inner) for child in children(node) if child is not clauses]
    return errors


def _name(node: Node, name: str, names: frozenset[str], known: Mapping[str, Definition]) -> list[TextError]:
    if name in names or (name in known and known[name].parameters is None):
        return []
    if name in known:
        values = len(known[name].parameters or ())
        return [node.error(f"{name} takes {count(values, 'value')} in parentheses")]
    if _callable(name):
        return [node.error(f"{name} needs parentheses, as in {name}{_parameters(name)}")]
    words = {*names, *known, *FUNCTIONS, *foreign()}
    return [node.error(f"{name} is not defined; {near(name, words)}")]


def _call(node: OperatorCall, names: frozenset[str], known: Mapping[str, Definition]) -> list[TextError]:
    name = node.name
    if name in known:
        parameters = known[name].parameters
        if parameters is None:
            return [node.error(f"{name} is defined without parameters; write it without parentheses")]
        if node.options:
            return [node.options[0].error(f"{name} takes values in their order, none by name")]
        if node.clauses is None and len(node.arguments) != len(parameters):
            words = f"{name} takes {count(len(parameters), 'value')}, but here are {len(node.arguments)}"
            return [node.error(words)]
        return []
    if name in names:
        return [node.error(f"{name} is a value here and cannot be called")]
    if not _callable(name):
        return [node.error(f"{name} is not defined; {near(name, {*known, *FUNCTIONS, *foreign()})}")]
    return _against_signature(node)


def _against_signature(node: OperatorCall) -> list[TextError]:
    name, parameters = node.name, list(signature(node.name).parameters.values())
    by_name = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    hint = "" if by_name else "it has none"
    errors = [
        option.error(f"{name} has no option {option.name}; {hint or near(option.name, by_name)}")
        for option in node.options
        if option.name not in by_name
    ]
    options = [option.name for option in node.options]
    errors += [
        option.error(f"{option.name} is given twice")
        for i, option in enumerate(node.options)
        if option.name in options[:i]
    ]
    if errors:
        return errors
    try:
        if node.clauses is None:
            signature(name).bind(*node.arguments, **dict.fromkeys(options))
        elif not any(p.kind is p.VAR_POSITIONAL for p in parameters):
            return [node.error(f"{name} takes a fixed number of values, so none can be spread with for")]
    except TypeError as error:
        return [node.error(f"{name}{_parameters(name)} is how it is called: {error}")]
    return []


def _callable(name: str) -> bool:
    return name in FUNCTIONS or name in foreign()


def _parameters(name: str) -> str:
    words = []
    for p in signature(name).parameters.values():
        star = "…" if p.kind is p.VAR_POSITIONAL else ""
        default = "" if p.default is inspect.Parameter.empty else f"={str(p.default).lower()}"
        words.append(p.name + star + default)
    return f"({', '.join(words)})"
