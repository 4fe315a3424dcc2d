"""Decorators for public functions of a network or a relation, which then take text as well."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from unknot._base.docstrings import complete
from unknot._base.later import Later
from unknot.network import Network
from unknot.routing.relation import Relation

NETWORK = """
Parameters
----------
network : Network, str or networkx.Graph
    The network, or a text or file that describes it.
"""
"""What docstrings of functions of a network share; those that return a relation also have `ROUTING`."""
ROUTING = """
Parameters
----------
vcs : int
    VCs per channel, all candidates alike.

Returns
-------
Relation
    The routing.
"""
RELATION = """
Parameters
----------
relation : Relation
    The routing; or a network, with its `routing`.
routing : str, callable or None
    Where the first argument is a network: name of the routing, function that makes its relation, or rule.
vcs : int or None
    VCs per channel"""
SIMULATED = f"{RELATION}; by default at least 4 where the routing can use them."
relation_reader = Later[Callable[..., Relation]]("unknot.routing")
"""`named.relation_of`, which reads relations from text: it names the algorithms, and they import this file."""

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


def takes_network(function: Callable[Concatenate[Network, P], R]) -> Callable[Concatenate[Network | str, P], R]:
    """Let the first argument, a network, be a description such as ``torus(8, 8)`` or the name of a file.

    Examples
    --------
    >>> from unknot.routing import duato
    >>> duato("mesh(4, 4)").network.name
    'mesh(4, 4)'
    """
    first = next(iter(inspect.signature(function).parameters))

    @wraps(function)
    def call(*args: Any, **options: Any) -> R:
        if (args or first in options) and not isinstance(given := args[0] if args else options[first], Network):
            from unknot.fabrics.named import network

            if args:
                args = (network(given), *args[1:])
            else:
                options[first] = network(given)
        return function(*args, **options)

    complete(call, sys.modules[function.__module__].__doc__)
    complete(call, NETWORK)
    if function.__annotations__.get("return") == "Relation":
        complete(call, ROUTING)
    return call


class TakesRelation(Protocol[P, R_co]):
    """A function of a relation, or of a network, as an object or text, with the name of a routing."""

    @overload
    def __call__(self, relation: Relation, *args: P.args, **options: P.kwargs) -> R_co: ...
    @overload
    def __call__(
        self,
        relation: Network | str,
        *args: Any,
        routing: str | Callable[..., Any],
        vcs: int | None = None,
        **options: Any,
    ) -> R_co: ...


def takes_simulated(function: Callable[Concatenate[Relation, P], R]) -> TakesRelation[P, R]:
    """As `takes_relation`; without `vcs` at least 4 VCs where the routing can use them."""
    return takes_relation(function, simulated=True)


def takes_relation(
    function: Callable[Concatenate[Relation, P], R], *, simulated: bool = False
) -> TakesRelation[P, R]:
    """Let the first argument, a relation, be a network with the keywords `routing` and `vcs`, as on the command line.

    Examples
    --------
    >>> from unknot.verify import vc_use
    >>> vc_use("ring(4)", routing="dimension_order", vcs=2).total
    16
    """
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    keyword = inspect.Parameter.KEYWORD_ONLY
    text = [
        inspect.Parameter("routing", keyword, default=None, annotation="str | Callable[..., Any] | None"),
        inspect.Parameter("vcs", keyword, default=None, annotation="int | None"),
    ]
    at = next((i for i, each in enumerate(parameters) if each.kind >= keyword), len(parameters))

    @wraps(function)
    def call_with(*args: Any, routing: Any = None, vcs: int | None = None, **options: Any) -> R:
        if not args and parameters[0].name in options:
            args = (options.pop(parameters[0].name),)
        if args and (not isinstance(args[0], Relation) or routing is not None or vcs is not None):
            read = relation_reader()
            args = (read(args[0], routing, vcs, what=function.__name__, simulated=simulated), *args[1:])
        return function(*args, **options)

    call: Any = call_with
    call.__signature__ = signature.replace(parameters=[*parameters[:at], *text, *parameters[at:]])
    complete(call, SIMULATED if simulated else f"{RELATION}.")
    taking: TakesRelation[P, R] = call
    return taking
