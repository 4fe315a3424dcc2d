"""Runs of controllers to a deadlock, repeated by end points with their state tables in a simulated network.

Each end point has a queue for each virtual network, in the order of arrivals. A message enters the network when the
run is about to take the message. After the run all others enter, stalled ones first; then no node can take any.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot.routing.relation import Relation
from unknot.simulation.traces.messages import Messages
from unknot.traffic.trace import Trace
from unknot.verify.controllers.decision import TableVerdict
from unknot.verify.controllers.joined import Deadlock, Joints, JointStep, Place, Queue
from unknot.verify.controllers.mapping import numbered
from unknot.verify.controllers.network import at_terminals
from unknot.verify.controllers.steps import ASIDE, Controllers, ControllerStep, Message, MessageLine, Outcome, moves

CYCLES = 1000
"""Cycles in which nothing may move after the run."""


class Letter(NamedTuple):
    """A message of an address on its line."""

    address: int
    line: MessageLine
    message: Message


class TableNodes:
    """Nodes of some addresses, their queues, and what they have sent.

    Attributes
    ----------
    letters : list of Letter
        All messages so far.
    kept : list of int
        Numbers of those that were not consumed, the oldest first.
    queues : dict of list of int
        Those that have arrived, by queue.
    aside : list of int
        Those set aside.
    """

    def __init__(self, controllers: Controllers, deadlock: Deadlock) -> None:
        self.controllers, self.homes = controllers, deadlock.homes
        self.joints = Joints(controllers, None, numbered(controllers.table))
        self.rows = [list(controllers.start[0]) for _ in deadlock.states]
        self.letters: list[Letter] = []
        self.kept: list[int] = []
        self.queues: dict[Queue, list[int]] = {}
        self.aside: list[int] = []

    def awaited(self, move: JointStep) -> int | None:
        """The letter that a step takes; None for a core."""
        step = move.step
        if step.channel is None:
            return None
        beside = step.channel.group == ASIDE
        want = Letter(move.address, step.channel, step.message)
        for number in self.aside if beside else self.firsts():
            letter = self.letters[number]
            if letter._replace(line=letter.line._replace(group=ASIDE)) == want if beside else letter == want:
                return number
        raise ValueError(f"no message {step.event} for node {step.node} can be the next")

    def firsts(self) -> Iterator[int]:
        """Letters that may be, or come, at the head of their queues next."""
        lines = set()
        for number in self.kept:
            address, line, _ = self.letters[number]
            if number in self.aside:
                continue
            key = self.joints.line(line, address, self.homes) if self.controllers.ordered[line.group] else number
            if key not in lines:
                lines.add(key)
                yield number

    def queue(self, letter: Letter) -> Queue:
        """Where a letter arrives."""
        return self.joints.queue(letter.line.target, letter.line.group, letter.address, self.homes)

    def arrive(self, number: int) -> None:
        """Put a letter at the end of its queue."""
        self.queues.setdefault(self.queue(self.letters[number]), []).append(number)

    def outcomes(self, address: int, node: int, event: str, number: int | None) -> list[Outcome]:
        """What a node may do, with a letter or by itself, and what has room."""
        letter = None if number is None else self.letters[number]
        source, message = (node, ()) if letter is None else (letter.line.source, letter.message)
        found = self.controllers.outcomes(node, self.rows[address][node], event, source, message)
        return [one for one in found if one.answer != "stall" and self.fits(address, node, one, number)]

    def fits(self, address: int, node: int, outcome: Outcome, number: int | None) -> bool:
        """Whether queues have room for what is sent, and the node an entry."""
        table, kind = self.controllers.table, self.controllers.kinds[node]
        gone = number if outcome.answer == "take" else None
        sent = [Letter(address, line, message) for line, message in outcome.sends]
        after = [self.queue(one) for one in (*(self.letters[i] for i in self.kept if i != gone), *sent)]
        networks = [*table.designed]
        for queue in map(self.queue, sent):
            if after.count(queue) > table.rooms.get(networks[queue[1]], len(after)):
                return False
        names, place = self.controllers.states[kind.name], self.joints.place(node, address, self.homes)
        if names[self.rows[address][node][0]] in kind.entries or names[outcome.row[0]] not in kind.entries:
            return True
        used = sum(
            names[rows[node][0]] in kind.entries
            for at, rows in enumerate(self.rows)
            if self.joints.place(node, at, self.homes) == place
        )
        return used < table.limits.get(kind.name, used + 1)

    def do(self, address: int, node: int, event: str, number: int | None) -> None:
        """Let a node do what its table says."""
        outcome = self.outcomes(address, node, event, number)[0]
        if number is not None and outcome.answer != "act":
            for row in (self.aside, self.queues.get(self.queue(self.letters[number]), [])):
                if number in row:
                    row.remove(number)
            if outcome.answer == "set aside":
                self.aside.append(number)
            else:
                self.kept.remove(number)
        self.rows[address][node] = outcome.row
        for line, message in outcome.sends:
            self.kept.append(len(self.letters))
            self.letters.append(Letter(address, line, message))

    def stuck(self, number: int) -> bool:
        """Whether a node can do nothing with a letter."""
        address, line, message = self.letters[number]
        event = self.controllers.table.messages[message[0]]
        beside = line._replace(group=ASIDE) if number in self.aside else line
        step = ControllerStep(line.target, event, beside, message)
        return not any(moves(step, one) for one in self.outcomes(address, line.target, event, number))

    def still(self) -> bool:
        """Whether something waits and nothing but cores can move."""
        heads = [row[0] for row in self.queues.values() if row]
        timed = (
            self.outcomes(address, node, event, None)
            for address in range(len(self.rows))
            for node, kind in enumerate(self.controllers.kinds)
            for event in kind.timers
        )
        return not any(timed) and all(self.stuck(number) for number in (*heads, *self.aside))


class TableEnds(Messages):
    """End points with a state table that take the steps of a run, and then receive all other messages.

    Attributes
    ----------
    nodes : TableNodes
    moves : deque of JointStep
        Steps of the run to come.
    """

    def __init__(
        self,
        controllers: Controllers,
        deadlock: Deadlock,
        relation: Relation,
        terminals: Mapping[Place, int],
        switching: Switching,
    ) -> None:
        dry = TableNodes(controllers, deadlock)
        for move in deadlock.moves:
            dry.do(move.address, move.step.node, move.step.event, dry.awaited(move))
        self.nodes, self.moves = TableNodes(controllers, deadlock), deque(deadlock.moves)
        ends = [
            [
                terminals[dry.joints.place(node, one.address, deadlock.homes)]
                for node in (one.line.source, one.line.target)
            ]
            for one in dry.letters
        ]
        table, zeros = controllers.table, np.zeros(len(ends), dtype=np.int64)
        names = [table.network(table.messages[one.message[0]]) for one in dry.letters]
        self.own = [name in table.inside for name in names]
        classes = tuple(name if name in relation.classes else "" for name in names) if relation.classes else ()
        trace = Trace(
            cycle=zeros, source=np.array([one[0] for one in ends]), destination=np.array([one[1] for one in ends]),
            flits=zeros + 1, delay=zeros, need_first=np.zeros(len(ends) + 1, dtype=np.int64),
            needs=np.zeros(0, dtype=np.int64), classes=classes,
        )  # fmt: skip
        super().__init__(relation, trace, switching=switching, buffer_depth=None)
        self.sent: set[int] = set()
        self.enter(self.onward(), 0)

    def enter(self, numbers: Iterable[int], cycle: int) -> None:
        """Let letters enter the network, and those of networks inside a node arrive."""
        for number in numbers:
            self.sent.add(number)
            if self.own[number]:
                self.left -= 1
                self.unready -= 1
                self.nodes.arrive(number)
                self.enter(self.onward(), cycle)
            else:
                self.release(number, cycle)

    def onward(self) -> list[int]:
        """Make steps of the run as far as possible; return letters that are to enter the network."""
        nodes = self.nodes
        while self.moves:
            move = self.moves[0]
            number = nodes.awaited(move)
            heads = {row[0] for row in nodes.queues.values() if row}
            if number is not None and number not in heads.union(nodes.aside):
                return [] if number in self.sent else [number]
            nodes.do(move.address, move.step.node, move.step.event, number)
            self.moves.popleft()
        if not self.sent.intersection(nodes.kept) <= {*nodes.aside, *chain(*nodes.queues.values())}:
            return []
        stalled: dict[Queue, int] = {}
        for number in nodes.firsts():
            queue = nodes.queue(nodes.letters[number])
            if not nodes.queues.get(queue) and nodes.stuck(number):
                stalled.setdefault(queue, number)
        return [*stalled.values()] or [one for one in nodes.kept if one not in self.sent]

    def follow(self, message: int, cycle: int) -> list[tuple[int, int]]:
        """Let a letter arrive, and the run go on."""
        self.nodes.arrive(message)
        self.enter(self.onward(), cycle)
        return []


def replayed_on_network(
    verdict: TableVerdict, relation: Relation, switching: str = DEFAULT_SWITCHING, cycles: int = CYCLES
) -> bool | None:
    """Repeat the run of a verdict in the simulator; return whether nothing moves after the last step.

    Parameters
    ----------
    verdict : TableVerdict
        With a deadlock; otherwise the answer is None.
    relation : Relation
        The routing, whose message classes are the virtual networks of the table if it has some.
    switching : Switching
        The switching technique.
    cycles : int
        Cycles to go on after the last step.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.routing import dimension_order
    >>> from unknot.verify.controllers import check_on_network, load_table
    >>> stalls, routing = load_table("examples/hangs/mi-stalls.toml"), dimension_order(ring(8), 2)
    >>> replayed_on_network(check_on_network(stalls, routing)[0], routing)
    True
    """
    found = verdict.deadlock
    if found is None or verdict.deadlock_free is not False:
        return None
    controllers = Controllers(verdict.table, verdict.caches)
    terminals = at_terminals(controllers, len(found.states), found.homes, relation)
    ends = TableEnds(controllers, found, relation, terminals, switching_named(switching))
    ends.play()
    before = ends.engine.count("flit_hops")
    ends.engine.advance(ends.engine.now + cycles)
    arrived = not ends.left and not ends.moves
    return arrived and ends.nodes.still() and before == ends.engine.count("flit_hops")
