"""Names of caches exchanged: states that differ in these alone are one."""

from __future__ import annotations

from itertools import permutations

from unknot.verify.controllers.steps import ASIDE, Controllers, Message, MessageLine, State, members

Order = tuple[int, ...]
"""The new number of each cache."""


class Renaming:
    """Exchanges of the names of caches."""

    def __init__(self, controllers: Controllers) -> None:
        self.controllers, table = controllers, controllers.table
        self.sets = [
            [i for i, name in enumerate(table.remembered[kind.name], 1) if table.sorts[name] == "nodes"]
            for kind in controllers.kinds
        ]
        self.carried = [
            [i for i, name in enumerate(table.carried[name], 1) if table.sorts[name] == "nodes"]
            for name in table.messages
        ]
        caches, count = controllers.caches, len(controllers.kinds)
        rest = tuple(range(caches, count))
        self.renamed = {order: order + rest for order in permutations(range(caches))}
        self.masks = {
            order: [sum(1 << to[i] for i in members(mask)) for mask in range(1 << count)]
            for order, to in self.renamed.items()
        }

    def row(self, node: int, row: Message, order: Order) -> Message:
        """What a row of a node becomes."""
        return _replaced(row, self.sets[node], self.masks[order])

    def message(self, message: Message, order: Order) -> Message:
        """What a message becomes."""
        return _replaced(message, self.carried[message[0]], self.masks[order])

    def line(self, line: MessageLine, order: Order) -> MessageLine:
        """What a line becomes."""
        to = self.renamed[order]
        return MessageLine(to[line.target], line.group, to[line.source])

    def exchanged(self, state: State, order: Order) -> State:
        """The state with cache `i` called `order[i]`."""
        nodes = list(state[0])
        for i, row in enumerate(state[0]):
            nodes[self.renamed[order][i]] = self.row(i, row, order)
        channels = []
        for line, messages in state[1]:
            renamed = tuple(self.message(message, order) for message in messages)
            kept = line.group != ASIDE and self.controllers.ordered[line.group]
            channels.append((self.line(line, order), renamed if kept else tuple(sorted(renamed))))
        return tuple(nodes), tuple(sorted(channels))


def _replaced(values: Message, places: list[int], masks: list[int]) -> Message:
    if not places:
        return values
    changed = list(values)
    for place in places:
        changed[place] = masks[values[place]]
    return tuple(changed)
