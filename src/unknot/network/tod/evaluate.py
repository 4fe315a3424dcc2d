"""From syntax tree to plan: names are looked up, numbers computed, networks planned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from unknot.network.tod import edges
from unknot.network.tod.functions import call
from unknot.network.tod.plan import MAX_DIMENSIONS, Budget, Plan, Replaced
from unknot.network.tod.syntax import (
    Chain,
    Conditional,
    Definition,
    Edges,
    Listing,
    Literal,
    MisfitError,
    Name,
    Node,
    OperatorCall,
    Position,
    Power,
    Prefix,
    Replacement,
)
from unknot.network.tod.values import (
    GRAPH_OPERATIONS,
    At,
    Caller,
    Value,
    chosen,
    condition_of,
    is_network,
    is_number,
    is_truth,
    kind,
    number,
    product,
    settle,
    truth,
    whole,
)

DEEPEST = 200
"""Most expressions inside one another, those of called definitions included."""

_SETS = {"MINUS": "difference", "RINGSUM": "ring_sum", "PLUS": "join"}
"""Operations on graphs whose operator has another name, that of the operation on numbers."""


@dataclass(frozen=True, eq=False)
class Scope:
    """The definitions that a text can see, each with its own scope; their values so far; variables and parameters."""

    definitions: dict[str, tuple[Definition, Scope]] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    variables: Mapping[str, Value] = field(default_factory=dict)

    def having(self, variables: Mapping[str, Value]) -> Scope:
        """The scope with these variables and parameters."""
        return replace(self, variables=variables)


class Evaluator:
    """Evaluates expressions within one budget; `plan_of` gives the plan of another file, named at a node."""

    def __init__(self, budget: Budget, plan_of: Callable[[str, Node, Evaluator], Plan]) -> None:
        self.budget = budget
        self.plan_of = plan_of
        self.depth = 0

    def value(self, node: Node, scope: Scope) -> Value:
        """The value of an expression.

        Raises
        ------
        TextError
            With the place of what is wrong.
        """
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                raise node.error(
                    f"expressions and definitions are nested deeper than {DEEPEST} levels here; "
                    "does a definition call itself without end?"
                )
            self.budget.step(node)
            value = self._value(node, scope)
            if isinstance(value, np.ndarray) and not isinstance(node, Name):
                self.budget.spend(node, edges.ARRAY * value.size)
            return value
        except MisfitError as error:
            raise node.error(f"{node.text}: {error}") from error
        finally:
            self.depth -= 1

    def network(self, node: Node, scope: Scope) -> Plan:
        """The plan of an expression that must be a network."""
        value = self.value(node, scope)
        if not is_network(value):
            raise node.error(f"the last statement must be a network, but {node.text} is {kind(value)}")
        return settle(self.budget, value)

    def _among(self, scope: Scope) -> edges.Evaluate:
        """What evaluates expressions in a scope, with variables of their own."""
        return lambda node, variables: self.value(node, scope.having(variables))

    def _value(self, node: Node, scope: Scope) -> Value:
        match node:
            case Literal(value=value):
                return value
            case Name(name=name):
                return scope.variables[name] if name in scope.variables else self._defined(name, scope)
            case OperatorCall():
                return self._call(node, scope)
            case Chain():
                return self._chain(node, scope)
            case Power():
                return self._power(node, scope)
            case Prefix():
                return self._prefix(node, scope)
            case Replacement():
                return self._replacement(node, scope)
            case Conditional():
                condition = condition_of(self.value(node.condition, scope), node.condition)
                if isinstance(condition, np.ndarray):
                    return chosen(condition, self.value(node.then, scope), self.value(node.otherwise, scope))
                return self.value(node.then if condition else node.otherwise, scope)
            case Edges(clauses=None):
                return self.budget.made(node, edges.listed(node.edges, lambda time: self.value(time, scope)))
            case Edges():
                return edges.rule(self.budget, node, scope.variables, self._among(scope))
            case Position(items=items):
                return At(self.value(item, scope) for item in items)
            case Listing(items=items):
                return tuple(item.value if isinstance(item, Literal) else self.value(item, scope) for item in items)
        raise node.error("this cannot stand here")

    def _defined(self, name: str, scope: Scope) -> Value:
        if name not in scope.values:
            definition, home = scope.definitions[name]
            scope.values[name] = self.value(definition.body, home)
        return scope.values[name]

    def _call(self, node: OperatorCall, scope: Scope) -> Value:
        known, clauses = scope.variables, node.clauses
        spread = [known] if clauses is None else edges.cases(clauses, known, self._among(scope))
        scopes = [scope.having(variables) for variables in spread]
        arguments = [(self.value(part, case), part) for case in scopes for part in node.arguments]
        if node.name in scope.definitions:
            definition, home = scope.definitions[node.name]
            parameters = definition.parameters or ()
            if len(arguments) != len(parameters):
                raise node.error(f"{node.name} takes {len(parameters)} values, but here are {len(arguments)}")
            inner = {name: value for name, (value, _) in zip(parameters, arguments, strict=True)}
            return self.value(definition.body, home.having(inner))
        options = [(option.name, self.value(option.value, scope), option.value) for option in node.options]
        return self._function(node.name, node, arguments, options)

    def _function(
        self, name: str, node: Node, arguments: list[tuple[Value, Node]], options: list[tuple[str, Value, Node]]
    ) -> Value:
        """The value of a function of the language."""
        places = tuple(place for _, place in arguments)
        caller = Caller(node, places, self.budget, lambda path, place: self.plan_of(path, place, self))
        return call(name, caller, [value for value, _ in arguments], options)

    def _chain(self, node: Chain, scope: Scope) -> Value:
        left, place = self.value(node.operands[0], scope), node.operands[0]
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            if operator.type in ("AND", "OR") and isinstance(left, bool) and left == (operator.type == "OR"):
                continue
            right = self.value(operand, scope), operand
            whole_place = node.up_to(operand)
            left = self._infix(operator.type, operator, (left, place), right, whole_place)
            place = whole_place
        return left

    def _infix(self, name: str, symbol: str, one: tuple[Value, Node], two: tuple[Value, Node], place: Node) -> Value:
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
            operation = _SETS.get(name, name.lower())
            if operation in GRAPH_OPERATIONS:
                return GRAPH_OPERATIONS[operation](self.budget, place, operation, a, b)
            raise place.error(f"{symbol} is for numbers, but {at_a.text} and {at_b.text} are networks")
        expected, fits, also = "a number", is_number, False
        if name in ("AND", "OR"):
            expected, fits = "a truth value", is_truth
        elif is_network(a) or is_network(b):
            expected, fits, also = "a network", is_network, True
        side, value, at, other = ("right", b, at_b, at_a) if fits(a) else ("left", a, at_a, at_b)
        like = f", as {other.text} is" if also else ""
        raise at.error(f"the {side} operand of {symbol} must be {expected}{like}, but {at.text} is {kind(value)}")

    def _power(self, node: Power, scope: Scope) -> Value:
        *deeper, last = node.exponents
        exponent, at = self.value(last, scope), last
        for part in reversed(deeper):
            at = part.up_to(node)
            exponent = self._infix("POWER", "**", (self.value(part, scope), part), (exponent, at), at)
        base = self.value(node.base, scope)
        if not is_network(base):
            return self._infix("POWER", "**", (base, node.base), (exponent, at), node)
        times = whole(exponent, at, "the exponent of a network", 0)
        if times > MAX_DIMENSIONS:
            raise at.error(f"the power {times} of a network; the limit is {MAX_DIMENSIONS}")
        if times > 1 and isinstance(base, Replaced):
            raise node.error(
                f"{node.text}: a power multiplies operands whose routers are all replaced; replace the routers of "
                "the power instead, as in (line(2) ** 3)[ring(3)]"
            )
        if times == 0:
            return self._function("hypercube", node, [(0, at)], [])
        power, one = base, settle(self.budget, base)
        self.budget.fits(node, one.routers**times, times * one.channels * one.routers ** (times - 1))
        for _ in range(times - 1):
            power = product(self.budget, node, "cartesian", power, base)
        return power

    def _prefix(self, node: Prefix, scope: Scope) -> Value:
        value, at = self.value(node.operand, scope), node.operand
        if node.kind == "MINUS":
            if not is_number(value):
                raise at.error(f"- before a value changes the sign of a number, but {at.text} is {kind(value)}")
            return -value if node.times % 2 else value  # −2**63 cannot arise: numbers are kept above it
        if not is_truth(value):
            raise at.error(f"not takes a truth value, but {at.text} is {kind(value)}")
        return (~value if isinstance(value, np.ndarray) else not value) if node.times % 2 else value

    def _replacement(self, node: Replacement, scope: Scope) -> Value:
        replaced, at = self.value(node.graph, scope), node.graph
        for part in node.parts:
            inner = self.value(part, scope)
            if not is_network(replaced):
                raise at.error(f"H[G] replaces the routers of a network H, but {at.text} is {kind(replaced)}")
            if not is_network(inner):
                raise part.error(f"H[G] puts a network G in the place of routers, but {part.text} is {kind(inner)}")
            place = Node(node.source, node.at, part.end + 1)
            replaced = self._function("replace", place, [(replaced, at), (inner, part)], [])
            at = place
        return replaced
