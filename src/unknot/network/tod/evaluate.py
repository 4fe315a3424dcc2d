"""From syntax tree to plan: names are looked up, numbers computed, networks planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from unknot.network.tod import edges
from unknot.network.tod.functions import call
from unknot.network.tod.plan import MAX_DIMENSIONS, Budget, Place, Plan, Replaced
from unknot.network.tod.syntax import (
    Call,
    Chain,
    Conditional,
    Definition,
    Edges,
    Integer,
    Listing,
    MisfitError,
    Name,
    Node,
    Position,
    Power,
    Prefix,
    Replacement,
    Source,
    Text,
    Truth,
)
from unknot.network.tod.values import (
    At,
    Caller,
    Value,
    chosen,
    combined,
    is_network,
    is_number,
    is_truth,
    kind,
    negated,
    number,
    product,
    settle,
    truth,
    whole,
)

DEEPEST = 200
"""Most expressions inside one another, those of called definitions included."""

_SETS = {
    "UNION": "union",
    "INTERSECTION": "intersection",
    "MINUS": "difference",
    "RINGSUM": "ring_sum",
    "PLUS": "join",
}


@dataclass(frozen=True, eq=False)
class Scope:
    """The definitions that a text can see, each with the scope it was written in, and the values found so far."""

    source: Source
    definitions: dict[str, tuple[Definition, Scope]] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)


class Files(Protocol):
    """Reader of other files for a text."""

    def plan(self, path: str, place: Place, evaluator: Evaluator) -> Plan: ...


class Evaluator:
    """Evaluates expressions within one budget."""

    def __init__(self, budget: Budget, files: Files) -> None:
        self.budget = budget
        self.files = files
        self.depth = 0

    def value(self, node: Node, scope: Scope, env: Mapping[str, Value]) -> Value:
        """The value of an expression.

        Raises
        ------
        TextError
            With the place of what is wrong.
        """
        place = Place(scope.source, node)
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                raise place.error(
                    f"expressions and definitions are nested deeper than {DEEPEST} levels here; "
                    "does a definition call itself without end?"
                )
            self.budget.step(place)
            value = self._value(node, scope, env, place)
            if isinstance(value, np.ndarray) and not isinstance(node, Name):
                self.budget.spend(place, edges.ARRAY * value.size)
            return value
        except MisfitError as error:
            raise place.error(f"{place.text}: {error}") from error
        finally:
            self.depth -= 1

    def network(self, node: Node, scope: Scope) -> Plan:
        """The plan of an expression that must be a network."""
        value = self.value(node, scope, {})
        if not is_network(value):
            place = Place(scope.source, node)
            raise place.error(f"the last statement must be a network, but {place.text} is {kind(value)}")
        return settle(self.budget, value)

    def _value(self, node: Node, scope: Scope, env: Mapping[str, Value], place: Place) -> Value:
        match node:
            case Integer(value=value) | Text(value=value) | Truth(value=value):
                return value
            case Name(name=name):
                return env[name] if name in env else self._defined(name, scope)
            case Call():
                return self._call(node, scope, env, place)
            case Chain():
                return self._chain(node, scope, env)
            case Power():
                return self._power(node, scope, env, place)
            case Prefix():
                return self._prefix(node, scope, env)
            case Replacement():
                return self._replacement(node, scope, env)
            case Conditional():
                return self._conditional(node, scope, env)
            case Edges(clauses=None):
                return self._edge_list(node, scope, env, place)
            case Edges():
                return edges.rule(self, node, scope, env, place)
            case Position(items=items):
                return At(self.value(item, scope, env) for item in items)
            case Listing(items=items):
                return tuple(
                    item.value if isinstance(item, (Integer, Text)) else self.value(item, scope, env)
                    for item in items
                )
        raise place.error("this cannot stand here")

    def _defined(self, name: str, scope: Scope) -> Value:
        if name not in scope.values:
            definition, home = scope.definitions[name]
            scope.values[name] = self.value(definition.body, home, {})
        return scope.values[name]

    def _call(self, node: Call, scope: Scope, env: Mapping[str, Value], place: Place) -> Value:
        arguments = [
            (self.value(a, scope, env), Place(scope.source, a)) for a in node.arguments if node.clauses is None
        ]
        if node.clauses is not None:
            argument = node.arguments[0]
            for case in edges.cases(self, node.clauses, scope, env):
                arguments.append((self.value(argument, scope, case), Place(scope.source, argument)))
        if node.name in scope.definitions:
            definition, home = scope.definitions[node.name]
            if len(arguments) != len(definition.parameters or ()):
                raise place.error(
                    f"{node.name} takes {len(definition.parameters or ())} values, but here are {len(arguments)}"
                )
            inner = {p.name: value for p, (value, _) in zip(definition.parameters or (), arguments, strict=True)}
            return self.value(definition.body, home, inner)
        caller = Caller(
            place, tuple(at for _, at in arguments), self.budget, lambda path, at: self.files.plan(path, at, self)
        )
        options = [(o.name, self.value(o.value, scope, env), Place(scope.source, o.value)) for o in node.options]
        return call(node.name, caller, [value for value, _ in arguments], options)

    def _chain(self, node: Chain, scope: Scope, env: Mapping[str, Value]) -> Value:
        first = node.operands[0]
        left, left_place = self.value(first, scope, env), Place(scope.source, first)
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            if operator.kind in ("AND", "OR") and isinstance(left, bool) and left == (operator.kind == "OR"):
                continue
            right, right_place = self.value(operand, scope, env), Place(scope.source, operand)
            place = Place(scope.source, Node(node.at, operand.end))
            left = self._infix(operator.kind, operator.symbol, (left, left_place), (right, right_place), place)
            left_place = place
        return left

    def _infix(
        self, name: str, symbol: str, one: tuple[Value, Place], two: tuple[Value, Place], place: Place
    ) -> Value:
        (a, at_a), (b, at_b) = one, two
        self.budget.spend(place, max(np.size(a) if is_number(a) else 1, np.size(b) if is_number(b) else 1))
        try:
            if is_number(a) and is_number(b):
                return number(name, symbol, a, b)
            if is_truth(a) and is_truth(b):
                return truth(name, symbol, a, b)
        except MisfitError as error:
            raise place.error(f"{place.text}: {error}") from error
        if is_network(a) and is_network(b):
            if name in _SETS:
                return combined(self.budget, place, _SETS[name], a, b)
            if name.lower() in ("cartesian", "tensor", "strong", "lexicographic") or name.endswith(
                ("EQUAL", "ADJACENT")
            ):
                return product(self.budget, place, name.lower(), a, b)
            raise place.error(f"{symbol} is for numbers, but {at_a.text} and {at_b.text} are networks")
        expected = (
            "a truth value"
            if name in ("AND", "OR")
            else "a network"
            if is_network(a) or is_network(b)
            else "a number"
        )
        fits = {"a truth value": is_truth, "a network": is_network, "a number": is_number}[expected]
        side, value, at = ("right", b, at_b) if fits(a) else ("left", a, at_a)
        other = at_a if side == "right" else at_b
        also = f", as {other.text} is" if expected == "a network" else ""
        raise at.error(f"the {side} operand of {symbol} must be {expected}{also}, but {at.text} is {kind(value)}")

    def _power(self, node: Power, scope: Scope, env: Mapping[str, Value], place: Place) -> Value:
        exponent = self.value(node.exponents[-1], scope, env)
        for deeper in reversed(node.exponents[:-1]):
            at = Place(scope.source, Node(deeper.at, node.end))
            left = (self.value(deeper, scope, env), Place(scope.source, deeper))
            exponent = self._infix("POWER", "**", left, (exponent, at), at)
        base_value = self.value(node.base, scope, env)
        at = Place(scope.source, Node(node.exponents[0].at, node.end))
        if not is_network(base_value):
            return self._infix("POWER", "**", (base_value, Place(scope.source, node.base)), (exponent, at), place)
        times = whole(exponent, at, "the exponent of a network", 0)
        if times > MAX_DIMENSIONS:
            raise at.error(f"the power {times} of a network; the limit is {MAX_DIMENSIONS}")
        if times > 1 and isinstance(base_value, Replaced):
            raise place.error(
                f"{place.text}: a power multiplies operands whose routers are all replaced; replace the routers of "
                "the power instead, as in (line(2) ** 3)[ring(3)]"
            )
        if times == 0:
            return call("hypercube", Caller(place, (at,), self.budget, self._no_file), [0], [])
        power = base_value
        base = settle(self.budget, base_value)
        self.budget.fits(place, base.routers**times, times * base.channels * base.routers ** (times - 1))
        for _ in range(times - 1):
            power = product(self.budget, place, "cartesian", power, base_value)
        return power

    def _no_file(self, path: str, place: Place) -> Plan:
        raise place.error("no file is read here")

    def _prefix(self, node: Prefix, scope: Scope, env: Mapping[str, Value]) -> Value:
        value = self.value(node.operand, scope, env)
        at = Place(scope.source, node.operand)
        if node.kind == "MINUS":
            if not is_number(value):
                raise at.error(f"- before a value changes the sign of a number, but {at.text} is {kind(value)}")
            return negated(value) if node.times % 2 else value
        if not is_truth(value):
            raise at.error(f"not takes a truth value, but {at.text} is {kind(value)}")
        return (~value if isinstance(value, np.ndarray) else not value) if node.times % 2 else value

    def _replacement(self, node: Replacement, scope: Scope, env: Mapping[str, Value]) -> Value:
        replaced = self.value(node.graph, scope, env)
        at = Place(scope.source, node.graph)
        for part in node.parts:
            inner, inner_place = self.value(part, scope, env), Place(scope.source, part)
            place = Place(scope.source, Node(node.at, part.end + 1))
            if not is_network(replaced):
                raise at.error(f"H[G] replaces the routers of a network H, but {at.text} is {kind(replaced)}")
            if not is_network(inner):
                raise inner_place.error(
                    f"H[G] puts a network G in the place of routers, but {inner_place.text} is {kind(inner)}"
                )
            caller = Caller(place, (at, inner_place), self.budget, self._no_file)
            replaced, at = call("replace", caller, [replaced, inner], []), place
        return replaced

    def _conditional(self, node: Conditional, scope: Scope, env: Mapping[str, Value]) -> Value:
        condition = self.value(node.condition, scope, env)
        at = Place(scope.source, node.condition)
        if not is_truth(condition):
            raise at.error(f"if takes a truth value, but {at.text} is {kind(condition)}")
        if isinstance(condition, np.ndarray):
            return chosen(condition, self.value(node.then, scope, env), self.value(node.otherwise, scope, env))
        return self.value(node.then if condition else node.otherwise, scope, env)

    def _edge_list(self, node: Edges, scope: Scope, env: Mapping[str, Value], place: Place) -> Plan:
        made = edges.listed(
            node.edges, lambda time: self.value(time, scope, env), lambda part: Place(scope.source, part)
        )
        return self.budget.plan(place, lambda: made, (), made.routers, made.channels, len(made.dimensions))
