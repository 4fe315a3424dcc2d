"""State tables of controllers: what a node does with a message or a request of its core, in each state.

docs/protocols.md says what the parts of a table mean. A `StateTable` is checked when it is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from unknot._base.errors import near, shown
from unknot.verify.controllers.cells import Assign, Kind, Send, TableCell
from unknot.verify.controllers.expressions import Sort, TableError, mentioned

IMPLIED = ("self", "sender")
"""Names in every expression: the node itself, and who sent the message."""
MOST_KINDS, MOST_RULES = 8, 4000


@dataclass(frozen=True)
class StateTable:
    """Controllers of a protocol.

    Parameters
    ----------
    name : str
        How it is called.
    kinds : sequence of Kind
        Kinds of nodes.
    sorts : mapping of str to {"nodes", "number"}
        Sort of each register and of what messages carry.
    networks : mapping of str to str
        Virtual network of each message in the design; its own where nothing is said.
    ordered : sequence of str
        Networks on which messages from one node to another keep their order.
    inside : sequence of str
        Networks that lead from a node to itself or to its memory, which need no virtual network.
    merged, unknown : sequence of str
        What a reader simplified, and what it did not understand.
    rooms : mapping of str to int
        Messages that the queue of a node holds, by network, with those under way to it and set aside; any number
        where nothing is said.
    limits : mapping of str to int
        Entries of each node, by kind, for addresses in states that take one; any number where nothing is said.

    Raises
    ------
    TableError
        If a name or an expression cannot be; its `path` says where.

    Examples
    --------
    >>> cache = Kind("cache", "I", (TableCell("I", "load", does=(Send("Get", "home"),), becomes="W"),
    ...     TableCell("W", "Data", becomes="I")), core=("load",), many=True)
    >>> home = Kind("home", "H", (TableCell("H", "Get", does=(Send("Data", "requestor"),)),))
    >>> StateTable("reads", (cache, home)).messages
    ('Data', 'Get')
    """

    name: str
    kinds: tuple[Kind, ...]
    sorts: Mapping[str, Sort] = field(default_factory=dict)
    networks: Mapping[str, str] = field(default_factory=dict)
    ordered: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    rooms: Mapping[str, int] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sorts", {"requestor": "nodes", **self.sorts})
        if not 1 <= len(self.kinds) <= MOST_KINDS:
            raise TableError(f"a table has 1 to {MOST_KINDS} kinds of nodes, not {len(self.kinds)}", ("kinds",))
        if sum(kind.many for kind in self.kinds) != 1:
            raise TableError("one kind of nodes, the caches, has many = true", ("kinds",))
        for name in {*self.sorts, *(kind.name for kind in self.kinds)}:
            if not name.isidentifier() or name in (*IMPLIED, "none", "count"):
                raise TableError(f"{shown(name)} is no name of a kind of nodes, a register or a field", ("kinds",))
        if not any(kind.core for kind in self.kinds):
            raise TableError("no node has a request of a core: core = ['load'], or nothing ever begins", ("kinds",))
        for kind in self.kinds:
            self._check_kind(kind)
        named = list(self.designed)
        holding = [kind.name for kind in self.kinds if kind.entries]
        sides = {"networks": self.messages, "ordered": named, "inside": named, "rooms": named, "limits": holding}
        for side, known in sides.items():
            for name in getattr(self, side):
                if name not in known:
                    raise TableError(f"{side}: {name!r} is unknown; {near(name, known)}", (side, name))
        for side in ("rooms", "limits"):
            for name, number in getattr(self, side).items():
                if number < 1:
                    raise TableError(f"{side}: {name} = {number}; a node needs room for 1 at least", (side, name))

    def _check_kind(self, kind: Kind) -> None:
        if len(kind.rules) > MOST_RULES:
            raise TableError(f"a kind has at most {MOST_RULES} cells, {kind.name} {len(kind.rules)}", (kind.name,))
        for rule in kind.rules:
            path = (kind.name, rule.state, rule.event)
            for name in {one.register for one in rule.does if isinstance(one, Assign)}:
                if name not in self.sorts:
                    message = f"register {name!r} has no sort: name it in nodes or numbers; {near(name, self.sorts)}"
                    raise TableError(message, path)
        if kind.start not in kind.states:
            message = f"{kind.name} begins in {kind.start!r}, which has no row; {near(kind.start, kind.states)}"
            raise TableError(message, (kind.name, "start"))

        for name in kind.entries:
            if name not in kind.states:
                message = f"entries: {kind.name} has no state {name!r}; {near(name, kind.states)}"
                raise TableError(message, (kind.name, "entries"))

    @property
    def sized(self) -> bool:
        """Whether some queue has rooms, or some kind of nodes a limit of entries."""
        return bool(self.rooms or self.limits)

    def idle(self, names: Collection[str]) -> StateTable:
        """The table without requests of the cores of some kinds of nodes."""
        known = [kind.name for kind in self.kinds if kind.core]
        for name in names:
            if name not in known:
                raise TableError(f"idle: {name!r} has no core; {near(name, known)}")
        kept = (replace(kind, core=() if kind.name in names else kind.core) for kind in self.kinds)
        return replace(self, kinds=tuple(kept)) if names else self

    def rules(self) -> Iterator[tuple[Kind, TableCell]]:
        """All rules with their kinds."""
        return ((kind, rule) for kind in self.kinds for rule in kind.rules)

    @cached_property
    def messages(self) -> tuple[str, ...]:
        """Names of messages."""
        return tuple(sorted({one.message for _, rule in self.rules() for one in rule.does if isinstance(one, Send)}))

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """What no mapping to networks takes apart: ordered networks of the design, and other messages alone."""
        return tuple(dict.fromkeys(self.group(name) for name in self.messages))

    def group(self, message: str) -> str:
        """The ordered network of a message in the design, or the message itself."""
        network = self.network(message)
        return network if network in self.ordered else message

    @property
    def designed(self) -> dict[str, list[str]]:
        """Messages of each virtual network of the design."""
        networks: dict[str, list[str]] = {}
        for name in self.messages:
            networks.setdefault(self.network(name), []).append(name)
        return networks

    def network(self, message: str) -> str:
        """Virtual network of a message in the design."""
        return self.networks.get(message, message)

    @cached_property
    def carried(self) -> Mapping[str, tuple[str, ...]]:
        """What messages of each name carry that anybody ever needs."""
        return {name: tuple(sorted(f for m, f in self._needed if m == name)) for name in self.messages}

    @cached_property
    def remembered(self) -> Mapping[str, tuple[str, ...]]:
        """Registers of each kind that anybody ever needs; conditions and recipients are needed, all else for them."""
        return {kind.name: tuple(r for r in kind.registers if (kind.name, r) in self._needed) for kind in self.kinds}

    @cached_property
    def _needed(self) -> frozenset[tuple[str, str]]:
        needed: set[tuple[str, str]] = set()
        size = -1
        while size < len(needed):
            size = len(needed)
            for kind, rule in self.rules():
                for name in self._used(kind, rule, needed):
                    needed.add((kind.name if name in kind.registers else rule.event, name))
        return frozenset(needed)

    def _used(self, kind: Kind, rule: TableCell, needed: set[tuple[str, str]]) -> set[str]:
        """Names in a rule whose values matter."""
        texts = [rule.guard] if rule.guard else []
        used: set[str] = set()
        for one in rule.does:
            if isinstance(one, Assign):
                texts += [one.value] if (kind.name, one.register) in needed else []
                continue
            texts.append(one.to)
            texts += [text for name, text in one.carries.items() if (one.message, name) in needed]
            passed = "requestor" not in one.carries and (one.message, "requestor") in needed
            if passed and rule.event not in kind.begun:
                used.add("requestor")
        return used.union(*map(mentioned, texts)) & self.sorts.keys()
