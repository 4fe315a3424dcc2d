"""State tables that are drawn: textbook protocols with choices, some of whose cells are then changed."""

from __future__ import annotations

import random
from dataclasses import replace

from unknot.verify.controllers import Assign, Kind, Rule, Send, StateTable

SORTS = {"owner": "nodes", "next": "nodes", "sharers": "nodes", "acks": "number", "due": "number"}


def table(seed: int) -> StateTable:
    """A table, and the constructs in it, by a number."""
    draw = random.Random(seed)
    wait = ["stall", "set aside", "set aside"]
    blocking = draw.random() < 0.4
    cache = [
        Rule("I", "store", does=(Send("GetM", "directory"),), becomes="IM"),
        Rule("IM", "store", "stall"),
        Rule("IM", "Data", does=tuple([Send("Done", "directory")] * blocking), becomes="M"),
        Rule("M", "Fwd", does=(Send("Data", "requestor"),), becomes="I"),
    ]
    match draw.choice(["stall", "set aside", "set aside", "save", "save"]):
        case "save":
            cache += [
                Rule("IM", "Fwd", does=(Assign("next", "requestor"),), becomes="IMI"),
                Rule(
                    "IMI",
                    "Data",
                    does=(Send("Data", "next", {"requestor": "next"}), Assign("next", "none")),
                    becomes="I",
                ),
            ]
        case answer:
            cache += [Rule("IM", "Fwd", answer)]
    given = "B" if blocking else "M"
    joins = Assign("sharers", "sharers + requestor")
    home = [
        Rule(
            "I",
            "GetM",
            does=(Send("Data", "requestor"), Assign("owner", "requestor")),
            becomes=given,
        ),
        Rule("M", "GetM", does=(Send("Fwd", "owner"), Assign("owner", "requestor")), becomes=given),
    ]
    if blocking:
        home += [Rule("B", "Done", becomes="M"), Rule("B", "GetM", draw.choice(wait))]
    kinds = [Kind("cache", "I", (), ("store",), many=True), Kind("directory", "I", ())]
    core = ["store"]
    if draw.random() < 0.35:
        core.append("evict")
        cache += [
            Rule("M", "evict", does=(Send("PutM", "directory"),), becomes="MI"),
            Rule("MI", "Ack", becomes="I"),
            Rule("MI", "Fwd", does=(Send("Data", "requestor"),), becomes="II"),
            Rule("II", "Ack", becomes="I"),
        ]
        home += [
            Rule(
                "M",
                "PutM",
                does=(Send("Ack", "requestor"), Assign("owner", "none")),
                becomes="I",
                guard="requestor in owner",
            ),
            Rule("M", "PutM", does=(Send("Ack", "requestor"),)),
            Rule("I", "PutM", does=(Send("Ack", "requestor"),)),
        ]
        if blocking:
            home += [Rule("B", "PutM", draw.choice(wait))]
    if draw.random() < 0.35:
        moved = (Assign("sharers", "none"), Assign("owner", "requestor"))
        last = Send("Data", "owner", {"requestor": "owner"})
        core.append("load")
        cache += [
            Rule("I", "load", does=(Send("GetS", "directory"),), becomes="IS"),
            Rule("IS", "Copy", becomes="S"),
            Rule("IS", "Inv", draw.choice(wait)),
            Rule("S", "Inv", does=(Send("InvAck", "sender"),), becomes="I"),
        ]
        home += [
            Rule("I", "GetS", does=(Send("Copy", "requestor"), joins), becomes="S"),
            Rule("S", "GetS", does=(Send("Copy", "requestor"), joins)),
            Rule("S", "GetM", does=(Send("Inv", "sharers"), Assign("due", "count(sharers)"), *moved), becomes="A"),
            Rule("A", "InvAck", does=(Assign("due", "due - 1"),), guard="due > 1"),
            Rule("A", "InvAck", does=(Assign("due", "0"), last), becomes=given),
            Rule("A", "GetM", draw.choice(wait)), Rule("A", "GetS", draw.choice(wait)),
            Rule("M", "GetS", draw.choice(wait)), Rule("B", "GetS", draw.choice(wait)),
            Rule("A", "PutM", "stall"),
        ]  # fmt: skip
    cache, home = changed(cache, draw), changed(home, draw)
    kinds = [replace(kinds[0], rules=tuple(cache), core=tuple(core)), replace(kinds[1], rules=tuple(home))]
    first = StateTable("drawn", tuple(kinds), SORTS)
    names = draw.choice([1, 2, 5, 20, 20])
    networks = {name: f"network {draw.randrange(names)}" for name in first.messages}
    ordered = tuple(name for name in dict.fromkeys(networks.values()) if draw.random() < 0.5)
    return replace(first, networks=networks, ordered=ordered)


def changed(rules: list[Rule], draw: random.Random) -> list[Rule]:
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
