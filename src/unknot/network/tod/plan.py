"""Graphs that are not made yet: their sizes are known, or bounded, before any memory is taken.

The evaluation of a text gives a plan. Every plan is charged to a `Budget` when it is drawn up, so that a network too
large, or the result of too much work, is refused while it is still a few numbers. The budget then makes the arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from unknot._base import memory
from unknot._base.errors import NetworkError
from unknot.network.tod.graph import Graph
from unknot.network.tod.syntax import MisfitError, Node

MAX_CHANNELS = 2**25
"""Most channels of a network, and of any graph on the way to it."""
MAX_DIMENSIONS = 64
WORK = 16
"""Most channels and entries of all graphs and values on the way together, in multiples of `max_channels`."""
MAX_STEPS = 1_000_000
"""Most expressions that are evaluated, repeated ones counted each time."""
MAX_GRAPHS = 20_000
"""Most graphs on the way."""


@dataclass(frozen=True)
class Shape:
    """Line or ring of `k` routers: the part of an operand that `step` and the directions use."""

    kind: str
    k: int
    latency: int
    directed: bool = False
    step: int = 1
    bandwidth: float = 1.0


@dataclass(frozen=True, eq=False)
class Plan:
    """A graph to be made from the graphs of other plans.

    Attributes
    ----------
    make : callable
        Takes the graphs of `operands`.
    operands : tuple of Plan
    routers, channels : int
        Upper bounds.
    dimensions : int
    place : Node
        Where it stands in the text.
    shape : Shape, optional
    """

    make: Callable[..., Graph]
    operands: tuple[Plan, ...]
    routers: int
    channels: int
    dimensions: int
    place: Node
    shape: Shape | None = None


@dataclass(frozen=True, eq=False)
class Replaced:
    """``H[G]`` before it is known which connections its routers have: products go to the skeleton H."""

    skeleton: Plan
    part: Plan
    place: Node


@dataclass(frozen=True, eq=False)
class Oriented:
    """A graph whose links are taken in one direction by products, and in both by everything else."""

    whole: Plan
    arcs: Plan
    place: Node


class Budget:
    """Budget of work and channels for the network of one text."""

    def __init__(self, max_channels: int) -> None:
        self.max_channels = max_channels
        self.left = WORK * max_channels
        self.steps = 0
        self.plans: list[Plan] = []

    def plan(
        self,
        place: Node,
        make: Callable[..., Graph],
        operands: tuple[Plan, ...],
        routers: int,
        channels: int,
        dimensions: int = 1,
        shape: Shape | None = None,
    ) -> Plan:
        """Draw up a plan, if what it makes is within the limits."""
        self.check(place, routers, channels, dimensions)
        if len(self.plans) >= MAX_GRAPHS:
            raise place.error(
                f"this text takes too much work: more than {MAX_GRAPHS} graphs on the way to the network"
            )
        self.plans.append(Plan(make, operands, routers, channels, dimensions, place, shape))
        return self.plans[-1]

    def made(self, place: Node, graph: Graph, shape: Shape | None = None) -> Plan:
        """The plan of a graph that is there already."""
        return self.plan(place, lambda: graph, (), graph.routers, graph.channels, len(graph.dimensions), shape)

    def build(self, plan: Plan) -> Graph:
        """Make the graph of a plan, each part once and after its own parts; parts are dropped after
        their last use.

        Raises
        ------
        TextError
            If the operands of an operation do not fit, with the place of the operation.
        """
        uses = Counter([plan])
        for at in reversed(self.plans):
            uses.update(at.operands if uses[at] else ())
        graphs: dict[Plan, Graph] = {}
        for at in (at for at in self.plans if uses[at]):
            try:
                graphs[at] = at.make(*(graphs[operand] for operand in at.operands))
            except (MisfitError, NetworkError) as error:
                raise at.place.error(f"{at.place.text}: {error}") from error
            uses.subtract(at.operands)
            for operand in at.operands:
                if not uses[operand]:
                    graphs.pop(operand, None)
        return graphs[plan]

    def check(self, place: Node, routers: int, channels: int, dimensions: int = 1) -> None:
        """Refuse a graph of this size, or charge it.

        Raises
        ------
        TextError
        """
        self.fits(place, routers, channels, dimensions)
        self.spend(place, max(channels, routers * dimensions, 1))

    def fits(self, place: Node, routers: int, channels: int, dimensions: int = 1) -> None:
        """Refuse a graph of this size if it is too large.

        Raises
        ------
        TextError
        """
        if dimensions > MAX_DIMENSIONS:
            raise place.error(f"{place.text} has {dimensions} dimensions; the limit is {MAX_DIMENSIONS}")
        for what, number in (("routers", routers), ("channels", channels), ("coordinates", routers * dimensions)):
            if number > self.max_channels:
                raise place.error(
                    f"{place.text} may have {amount(number)} {what}; the limit is {self.max_channels} (max_channels)"
                )
        try:
            memory.require(place.text, memory.of_network(routers, channels, routers, dimensions))
        except memory.SizeError as error:
            raise place.error(str(error)) from None

    def step(self, place: Node) -> None:
        """Count an expression that is evaluated.

        Raises
        ------
        TextError
        """
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise place.error(f"this text takes too much work: more than {MAX_STEPS} expressions are evaluated")

    def spend(self, place: Node, work: int) -> None:
        """Charge work, counted in channels, and refuse when nothing is left.

        Raises
        ------
        TextError
        """
        self.left -= work
        if self.left < 0:
            raise place.error(
                f"this text takes too much work: all the graphs and values on the way have more than "
                f"{WORK * self.max_channels} channels between them ({WORK} × max_channels)"
            )


def amount(number: int) -> str:
    """A number in words, short even if it is very long."""
    return str(number) if number < 10**18 else f"more than 10^{(number.bit_length() - 1) * 3 // 10}"
