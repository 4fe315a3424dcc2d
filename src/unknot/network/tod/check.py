"""Checks of a text without evaluating it: names, numbers of values, options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from unknot._base.errors import TextError, near
from unknot.network.tod.functions import FUNCTIONS, foreign, signature
from unknot.network.tod.syntax import Call, Definition, Edges, Name, Node, children


def problems(roots: Mapping[Node, frozenset[str]], known: Mapping[str, Definition]) -> list[TextError]:
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
            case Call():
                errors += _call(node, names, known)
            case Edges(clauses=None):  # its routers are named, not looked up
                stack += [(edge.latency, names) for edge in node.edges if edge.latency is not None]
                continue
        clauses = node.clauses if isinstance(node, (Call, Edges)) else None
        inner = names
        if clauses is not None:
            bound = [part.name for part in clauses.ranges]
            inner = names | set(bound)
            if len(set(bound)) < len(bound):
                errors.append(clauses.error("two variables of this rule have the same name"))
            stack += [(part, names) for part in clauses.ranges]
            stack += [(clauses.condition, inner)] if clauses.condition is not None else []
        outer = node.options if isinstance(node, Call) else ()
        stack += [(child, names if child in outer else inner) for child in children(node) if child is not clauses]
    return errors


def _name(node: Node, name: str, names: frozenset[str], known: Mapping[str, Definition]) -> list[TextError]:
    if name in names or (name in known and known[name].parameters is None):
        return []
    if name in known:
        count = len(known[name].parameters or ())
        return [node.error(f"{name} takes {_values(count)} in parentheses")]
    if _callable(name):
        return [node.error(f"{name} needs parentheses, as in {name}{_parameters(name)}")]
    words = {*names, *known, *FUNCTIONS, *foreign()}
    return [node.error(f"{name} is not defined; {near(name, words)}")]


def _call(node: Call, names: frozenset[str], known: Mapping[str, Definition]) -> list[TextError]:
    name = node.name
    if name in known:
        parameters = known[name].parameters
        if parameters is None:
            return [node.error(f"{name} is defined without parameters; write it without parentheses")]
        if node.options:
            return [node.options[0].error(f"{name} takes values in their order, none by name")]
        if node.clauses is None and len(node.arguments) != len(parameters):
            words = f"{name} takes {_values(len(parameters))}, but here are {len(node.arguments)}"
            return [node.error(words)]
        return []
    if name in names:
        return [node.error(f"{name} is a value here and cannot be called")]
    if not _callable(name):
        return [node.error(f"{name} is not defined; {near(name, {*known, *FUNCTIONS, *foreign()})}")]
    return _against_signature(node)


def _against_signature(node: Call) -> list[TextError]:
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


def _values(count: int) -> str:
    return f"{count} value{'' if count == 1 else 's'}"
