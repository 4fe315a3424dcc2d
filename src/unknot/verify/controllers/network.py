"""Controllers at the terminals of a network that carries their messages.

A node has a receive queue of any finite size for each message class of the routing. What it sends waits in the node
for any time, and then in the channels of its class, perhaps behind messages to other nodes. So a deadlock is a set of
states of single addresses, each of whose messages has a class with a stalled head somewhere, or is stalled itself;
else a routing that is free of deadlock would deliver it. Other addresses only delay messages of an address.

Where all queues have rooms, messages have their places before they are sent, and never wait in channels.
"""

from __future__ import annotations

from dataclasses import replace

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.certificates.verdict import Verdict
from unknot.routing.classes import base_of
from unknot.routing.relation import Relation
from unknot.traffic.trace import addresses
from unknot.verify.check import check
from unknot.verify.controllers.blocking import blocked, pattern
from unknot.verify.controllers.decision import EXPLORING, TableVerdict, check_table
from unknot.verify.controllers.expressions import TableError
from unknot.verify.controllers.joined import Place
from unknot.verify.controllers.mapping import numbered
from unknot.verify.controllers.packed import Packed
from unknot.verify.controllers.reachable import MOST_STATES, Reached, explore
from unknot.verify.controllers.steps import Controllers
from unknot.verify.controllers.table import StateTable


@counts_work
def check_on_network(
    table: StateTable,
    relation: Relation,
    switching: str = DEFAULT_SWITCHING,
    *,
    caches: int = 3,
    addresses: int = 2,
    states: int | None = None,
    time_limit: float | Deadline = MINUTE,
) -> tuple[TableVerdict, Verdict]:
    """Decide whether controllers can deadlock where a routing carries their messages.

    Parameters
    ----------
    table : StateTable
        The controllers. Message classes of the routing are called as virtual networks of the table; a routing
        without classes carries all on all VCs.
    relation : Relation
        The routing on its network.
    switching : Switching
        The switching technique.
    caches, addresses : int
        As for `check_table`.
    states : int, optional
        Most states of an address.
    time_limit : float
        Seconds, or a running `Deadline`.

    Returns
    -------
    tuple of TableVerdict and Verdict
        The answer, whose table has the message classes as virtual networks, and that of the routing alone.

    Raises
    ------
    TableError
        If the table or a number cannot be, a virtual network has no message class, or a node no terminal.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.routing import dimension_order
    >>> from unknot.verify.controllers import load_table
    >>> saves = load_table("examples/hangs/mi-saves.toml")
    >>> check_on_network(saves, dimension_order(ring(6), 2))[0].answer
    'yes'
    """
    deadline = Deadline.of(time_limit)
    carried = as_carried(table, relation, caches, addresses)
    alone = check(relation, switching, time_limit=deadline.part(0.3))
    verdict = check_table(
        carried, caches=caches, addresses=addresses, states=states, time_limit=deadline.part(EXPLORING)
    )
    verdict = replace(verdict, fewest=None, fewest_proved=False, mapping=[], by_causes=[])
    where = f"on {relation.network.name} with {relation.name}"
    if not verdict.deadlock_free:
        return replace(verdict, established=f"{verdict.established}, {where}"), alone
    roomy, doubt = {*table.designed} - {*table.inside} <= {*table.rooms}, ""
    if not alone.deadlock_free:
        doubt = f"controllers do not block each other, and {relation.name} alone is not free of deadlock"
    elif table.sized and not roomy:
        doubt = "rooms or limits leave some queues without a size, in front of which channels may fill"
    elif not table.sized and not _free(carried, caches, states or MOST_STATES, deadline):
        doubt = "messages of nodes that do not block each other may wait behind each other in channels"
    if doubt:
        return replace(verdict, deadlock_free=None, established=f"undecided: {doubt}"), alone
    number = f" and {addresses} addresses" if table.sized else ""
    words = f"no messages can block each other in nodes or channels {where}, with {caches} caches{number}"
    return replace(verdict, established=words, carried=not roomy), alone


def _free(table: StateTable, caches: int, states: int, deadline: Deadline) -> bool:
    """Whether no set of states has a stalled head for the class of each message that waits."""
    controllers, network = Controllers(table, caches), numbered(table)
    reached = Reached(Packed(controllers, anywhere=True))
    explore(reached, deadline, states)
    if not reached.whole or reached.lacking:
        return False
    return not blocked(controllers, {pattern(one, network) for one in reached.waiting()}, anywhere=True)


def as_carried(table: StateTable, relation: Relation, caches: int, addresses: int) -> StateTable:
    """The table with the message classes of a routing as virtual networks, in the order that the routing keeps.

    With rooms or limits its own networks stay.
    """
    carried = table if table.sized else _in_classes(table, relation)
    terminals = at_terminals(Controllers(carried, caches), addresses, 1 + (addresses > 1), relation)
    if carried.ordered and not keeps_order(relation, [*terminals.values()]):
        return replace(carried, ordered=())
    return carried


def _in_classes(table: StateTable, relation: Relation) -> StateTable:
    if relation.classes and base_of(relation) is not None:
        for name in table.designed:
            if name not in relation.classes and name not in table.inside:
                quoted = ", ".join(f"'{one}'" for one in table.designed if one not in table.inside)
                raise TableError(
                    f"{table.name}: no message class of {relation.name} is called {name}; a routing with a class for "
                    f"each virtual network is message_classes(names=[{quoted}])"
                )
        return table
    merged = [name for name in table.messages if table.network(name) not in table.inside]
    shared = {table.network(name) for name in merged}
    ordered = tuple(name for name in table.ordered if name in table.inside)
    ordered += ("all",) if shared <= {*table.ordered} else ()
    return replace(table, networks={**table.networks, **dict.fromkeys(merged, "all")}, ordered=ordered)


def at_terminals(controllers: Controllers, addresses: int, homes: int, relation: Relation) -> dict[Place, int]:
    """The terminal of each node, and of the home of each address where `homes` is more than 1."""
    places: list[tuple[Place, tuple[int, ...], int]] = []
    seen = dict.fromkeys([kind.name for kind in controllers.kinds], 0)
    for node, kind in enumerate(controllers.kinds):
        for address in range(addresses if homes > 1 and not kind.many else 1):
            places.append(((node, address), kind.at, seen[kind.name]))
            seen[kind.name] += 1
    count, said = relation.network.num_terminals, {one for kind in controllers.kinds for one in kind.at}
    free = iter([one for one in range(count) if one not in said])
    found: dict[Place, int] = {}
    for place, at, turn in places:
        terminal = at[turn] if turn < len(at) else next(free, count)
        if not 0 <= terminal < count or terminal in found.values():
            name = f"{controllers.names[place[0]]} needs a terminal of its own"
            raise TableError(f"{name}, and {relation.network.name} has {count}: give more, or others in at = […]")
        found[place] = terminal
    return found


def keeps_order(relation: Relation, terminals: list[int]) -> bool:
    """Whether all packets of a class from one of some terminals to another take the same VCs."""
    for source in terminals:
        for target in terminals:
            for kind in range(max(1, len(relation.classes))) if source != target else ():
                choices = addresses(relation, source, target, kind if relation.classes else -1)
                at, seen = relation.num_vcs + source, set[int]()
                while len(choices) == 1 and at not in seen:
                    seen.add(at)
                    ways = list(relation.candidates(at, int(choices[0])))
                    if len(ways) != 1:
                        return False
                    if ways[0].vc is None:
                        break
                    at = ways[0].vc
                else:
                    return False
    return True
