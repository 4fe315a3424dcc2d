"""State tables of controllers as subjects of `unknot protocol`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from unknot._base.deadline import Deadline
from unknot._base.errors import TextError
from unknot.cli.commands.answered import Answered, AnswerFiles, give
from unknot.cli.commands.options import Options

if TYPE_CHECKING:
    from unknot.cli.commands.answered import OnNetwork
    from unknot.verify.controllers import StateTable


class SizesAsked(TypedDict):
    """What a question about a table is limited to."""

    caches: int
    addresses: int
    states: int | None


@dataclass(frozen=True)
class Tables(Options):
    """How state tables are judged.

    Attributes
    ----------
    caches : NODES
        Nodes of the kind that is many, 1 to 3.
    addresses : ADDRESSES
        Most addresses of a deadlock that is looked for, 1 to 3.
    unordered
        No virtual network keeps the order of messages between two nodes, whatever the file says.
    states : STATES
        Most states of an address, by default 10 million or what fits the memory; beyond them the answer is open
        unless a deadlock is found.
    idle : KIND
        A kind of nodes whose cores begin nothing, as DMA; may be repeated.
    rooms : MESSAGES
        Find the least rooms of queues, by virtual network, up to so many messages each, with a deadlock for each
        cheaper choice.
    entries : ENTRIES
        With --rooms, find the least limits of entries too, up to so many for each kind of nodes, and the least rooms
        for each.
    """

    heading = "State tables"
    caches: int = 3
    addresses: int = 2
    unordered: bool = False
    states: int | None = None
    idle: list[str] | None = None
    rooms: int | None = None
    entries: int | None = None


def table_in(subject: str) -> StateTable | None:
    """The state table in a file; None of a protocol of message classes."""
    from unknot._base.toml_places import read_toml
    from unknot.verify.controllers.table_file import is_table, load_table, table_of_toml

    file = subject.strip()
    if file.endswith((".sm", ".slicc")):
        from unknot.verify.controllers.slicc.reader import load_slicc

        return load_slicc(file)
    if file.endswith(".csv"):
        return load_table(file)
    if not file.endswith(".toml"):
        return None
    toml = read_toml(file, "a protocol")
    if not any(isinstance(one, dict) for one in toml.document.values()):
        words = "message classes, [classes.NAME], nor kinds of nodes, [cache] with start and its states"
        raise TextError(
            f"a file with neither {words}, says nothing to judge; docs/protocols.md has both", toml.where, 1
        )
    return table_of_toml(toml) if is_table(toml.document) else None


def of_controllers(
    table: StateTable, tables: Tables, deadline: Deadline, output: AnswerFiles, routed: OnNetwork | None = None
) -> int:
    """Decide whether controllers can deadlock on their virtual networks, or where a routing carries their messages,
    and print the answer.
    """
    from dataclasses import replace

    from unknot.cli.answers.messages import ProtocolTableAnswer
    from unknot.cli.commands import activity
    from unknot.verify.controllers import check_on_network, check_table, least_rooms
    from unknot.verify.controllers.evidence import claims, holds
    from unknot.verify.controllers.expressions import TableError
    from unknot.verify.controllers.words import front_in_words, rooms_in_words, stalled, steps, virtual_networks
    from unknot.verify.delivery import answer_claims

    if tables.entries is not None and tables.rooms is None:
        raise TableError("--entries: limits are tried beside rooms; give --rooms too")
    began = time.monotonic()
    if tables.unordered:
        table = replace(table, ordered=())
    table = table.idle(tables.idle or ())
    asked: SizesAsked = {"caches": tables.caches, "addresses": tables.addresses, "states": tables.states}
    relation, alone, replayed = None, [], None
    with activity.working("exploring"):
        if routed is None:
            verdict = check_table(table, **asked, time_limit=deadline)
        else:
            relation, technique = routed.relation(), routed.technique("PROTOCOL")
            verdict, one = check_on_network(table, relation, technique, **asked, time_limit=deadline)
            alone = [one]
    if relation is not None and verdict.deadlock_free is False:
        from unknot.simulation.controller_replay import replayed_on_network

        with activity.working("replaying"):
            replayed = replayed_on_network(verdict, relation, technique)
    least = None
    if tables.rooms is not None:
        with activity.working("looking for the least rooms"):
            least = least_rooms(table, **asked, most=tables.rooms, entries=tables.entries, time_limit=deadline)
    keys = {
        "protocol": table.name,
        "least_rooms": rooms_in_words(least),
        "front": front_in_words(least),
        "network": None if relation is None else relation.network.name,
        "routing": None if relation is None else relation.name,
        "replayed": None if replayed is None else REPLAYED[replayed],
        "virtual_networks": virtual_networks(verdict) if relation is None else "not asked",
        "steps": steps(verdict),
        "stalled": stalled(verdict),
        "certificate_holds": deadline.closing.unless_over(lambda: holds(verdict)),
        "assumptions": assumptions(verdict.table, carried=relation is not None),
        "merged": list(table.merged),
        "unknown": list(table.unknown),
        "seconds": time.monotonic() - began,
    }
    answered = Answered(
        ProtocolTableAnswer,
        (verdict,),
        keys,
        holds=(verdict.deadlock_free,),
        claims=lambda: [*(answer_claims(relation, alone, None) if relation else ()), *claims(verdict)],
        relation=relation,
    )
    return give(answered, output.evidence, output.json)


CARRIED = [
    "a message may wait in its node for any time before it enters the network",
    "a receive queue of a node, for each message class of the routing, holds 1 message or more",
]
"""What is taken of nodes at a network."""
REPLAYED = {True: "nothing moves in 1,000 cycles after the run", False: "the run does not end in a deadlock"}


def assumptions(table: StateTable, *, carried: bool = False) -> list[str]:
    """What is taken of nodes and networks, beside what a table says."""
    ordered = [name for name in table.ordered if name not in table.inside]
    order = "no network keeps the order of messages"
    if ordered:
        names = ", ".join(ordered)
        order = f"messages from one node to another keep their order on {names}, and no others do"
    sizes = [f"a queue of {name} holds {number}" for name, number in table.rooms.items()]
    entries = {name: "1 entry" if number == 1 else f"{number} entries" for name, number in table.limits.items()}
    sizes += [f"a {name} has {words}" for name, words in entries.items()]
    rest = "all other queues and tables" if sizes else "queues, tables of transactions and caches"
    if carried and not sizes:
        rest = "tables of transactions and caches"
    return [
        *sizes,
        f"{rest} hold any number of entries",
        order,
        "cores may begin any request at any time, and need not",
        "a message set aside is looked at again whenever the state of its address changes",
        *(CARRIED if carried and not table.rooms else ()),
    ]
