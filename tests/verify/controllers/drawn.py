"""State tables that are drawn: textbook protocols with choices, some of whose cells are then changed."""

from __future__ import annotations

import random
from dataclasses import replace

from unknot.verify.controllers import Assign, Kind, Send, StateTable, TableCell

SORTS = {"owner": "nodes", "next": "nodes", "sharers": "nodes", "acks": "number", "due": "number"}


def table(seed: int) -> StateTable:
    """A table, and the constructs in it, by a number."""
    draw = random.Random(seed)
    wait = ["stall", "set aside", "set aside"]
    blocking = draw.random() < 0.4
    cache = [
        TableCell("I", "store", does=(Send("GetM", "directory"),), becomes="IM"),
        TableCell("IM", "store", "stall"),
        TableCell("IM", "Data", does=tuple([Send("Done", "directory")] * blocking), becomes="M"),
        TableCell("M", "Fwd", does=(Send("Data", "requestor"),), becomes="I"),
    ]
    match draw.choice(["stall", "set aside", "set aside", "save", "save"]):
        case "save":
            cache += [
                TableCell("IM", "Fwd", does=(Assign("next", "requestor"),), becomes="IMI"),
                TableCell(
                    "IMI",
                    "Data",
                    does=(Send("Data", "next", {"requestor": "next"}), Assign("next", "none")),
                    becomes="I",
                ),
            ]
        case answer:
            cache += [TableCell("IM", "Fwd", answer)]
    given = "B" if blocking else "M"
    joins = Assign("sharers", "sharers + requestor")
    home = [
        TableCell(
            "I",
            "GetM",
            does=(Send("Data", "requestor"), Assign("owner", "requestor")),
            becomes=given,
        ),
        TableCell("M", "GetM", does=(Send("Fwd", "owner"), Assign("owner", "requestor")), becomes=given),
    ]
    if blocking:
        home += [TableCell("B", "Done", becomes="M"), TableCell("B", "GetM", draw.choice(wait))]
    kinds = [Kind("cache", "I", (), ("store",), many=True), Kind("directory", "I", ())]
    core = ["store"]
    if draw.random() < 0.5:
        core.append("evict")
        cache += [
            TableCell("M", "evict", does=(Send("PutM", "directory"),), becomes="MI"),
            TableCell("MI", "Ack", becomes="I"),
            TableCell("MI", "Fwd", does=(Send("Data", "requestor"),), becomes="II"),
            TableCell("II", "Ack", becomes="I"),
        ]
        home += [
            TableCell(
                "M",
                "PutM",
                does=(Send("Ack", "requestor"), Assign("owner", "none")),
                becomes="I",
                guard="requestor in owner",
            ),
            TableCell("M", "PutM", does=(Send("Ack", "requestor"),)),
            TableCell("I", "PutM", does=(Send("Ack", "requestor"),)),
        ]
        if blocking:
            home += [TableCell("B", "PutM", draw.choice(wait))]
    if draw.random() < 0.5:
        moved = (Assign("due", "count(sharers)"), Assign("sharers", "none"), Assign("owner", "requestor"))
        last = Send("Data", "owner", {"requestor": "owner"})
        core.append("load")
        cache += [
            TableCell("I", "load", does=(Send("GetS", "directory"),), becomes="IS"),
            TableCell("IS", "Copy", becomes="S"),
            TableCell("IS", "Inv", draw.choice(wait)),
            TableCell("S", "Inv", does=(Send("InvAck", "sender"),), becomes="I"),
        ]
        home += [
            TableCell("I", "GetS", does=(Send("Copy", "requestor"), joins), becomes="S"),
            TableCell("S", "GetS", does=(Send("Copy", "requestor"), joins)),
            TableCell("S", "GetM", does=(Send("Inv", "sharers"), *moved), becomes="A"),
            TableCell("A", "InvAck", does=(Assign("due", "due - 1"),), guard="due > 1"),
            TableCell("A", "InvAck", does=(Assign("due", "0"), last), becomes=given),
            TableCell("A", "GetM", draw.choice(wait)), TableCell("A", "GetS", draw.choice(wait)),
            TableCell("M", "GetS", draw.choice(wait)), TableCell("B", "GetS", draw.choice(wait)),
            TableCell("A", "PutM", "stall"),
        ]  # fmt: skip
    cache, home = changed(cache, draw), changed(home, draw)
    kinds = [replace(kinds[0], rules=tuple(cache), core=tuple(core)), replace(kinds[1], rules=tuple(home))]
    if draw.random() < 0.5:
        kinds = completed(kinds)
    first = StateTable("drawn", tuple(kinds), SORTS)
    names = draw.choice([1, 2, 5, 20, 20])
    networks = {name: f"network {draw.randrange(names)}" for name in first.messages}
    ordered = tuple(name for name in dict.fromkeys(networks.values()) if draw.random() < 0.5)
    return replace(first, networks=networks, ordered=ordered)


def changed(rules: list[TableCell], draw: random.Random) -> list[TableCell]:
    """Rules some of which answer otherwise or are gone."""
    if draw.random() < 0.7:
        return rules
    rules = list(rules)
    i = draw.randrange(len(rules))
    if rules[i].answer == "take" and i:
        rules[i] = replace(rules[i], answer=draw.choice(["stall", "set aside"]), does=(), becomes="")
    elif i:
        rules[i] = replace(rules[i], answer=draw.choice(["stall", "set aside"]))
    return rules


def completed(kinds: list[Kind]) -> list[Kind]:
    """Kinds that stall what they would have no cell for."""
    to = {"cache": {"Data", "Fwd", "Ack", "Copy", "Inv"}, "directory": {"GetM", "GetS", "PutM", "Done", "InvAck"}}
    sent = {one.message for kind in kinds for rule in kind.rules for one in rule.does if isinstance(one, Send)}
    more = []
    for kind in kinds:
        there = {(rule.state, rule.event) for rule in kind.rules}
        missing = [(state, event) for state in kind.states for event in sorted(sent & to[kind.name])]
        rules = [TableCell(state, event, "stall") for state, event in missing if (state, event) not in there]
        more.append(replace(kind, rules=(*kind.rules, *rules)))
    return more


def constructs(drawn: StateTable) -> set[str]:
    """What a table makes use of."""
    rules = [rule for _, rule in drawn.rules()]
    does = [one for rule in rules for one in rule.does]
    used = {rule.answer for rule in rules} | {event for kind in drawn.kinds for event in kind.core}
    used |= {"condition"} if any(rule.guard for rule in rules) else set()
    used |= {one.register for one in does if isinstance(one, Assign)}
    used |= {"carried"} if any(isinstance(one, Send) and one.carries for one in does) else set()
    used |= {"ordered network"} if drawn.ordered else set()
    return used | ({"shared network"} if len(drawn.designed) < len(drawn.messages) else set())
