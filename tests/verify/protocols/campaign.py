"""Random small systems decided and explored, with counts by answer, technique and rule.

``python -m tests.verify.protocols.campaign FIRST LAST [TECHNIQUE…]`` compares systems by seed and prints the counts.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tests.verify.protocols.exploration import Exploration, TooLarge
from tests.verify.protocols.systems import NETWORKS, PAIRS, random_system
from tests.verify.protocols.worms import QueueingWorms, Worms
from unknot._base.deadline import Deadline
from unknot._base.errors import RelationError
from unknot._base.switching import Switching
from unknot.routing import Relation
from unknot.verify.protocols import Protocol, check_protocol
from unknot.verify.protocols.decision import by_ranks, by_search, methods_for
from unknot.verify.protocols.evidence import holds
from unknot.verify.protocols.machine import events
from unknot.verify.protocols.runs import replayed, search, stuck
from unknot.verify.protocols.system import System

STATES = 800
RULES = (
    *(
        "adaptive",
        "one candidate",
        "commits",
        "classes on VCs of their own",
        "limit",
        "reserved",
        "together",
        "carries",
    ),
    *("to sender", "to origin", "to any", "at once", "one by one", "several followers"),
    *("shared send queue", "shared receive queue", "unordered", "deep queue", "deep VCs"),
)
"""Rules of relations and protocols, each of which a campaign meets often enough."""


def agrees(seed: int, switching: str, states: int = STATES) -> tuple[str, set[str]]:
    """Compare one random system: the answer, or why there is none, and the rules in it."""
    worms = {"wormhole": Worms, "wormhole-nonatomic": QueueingWorms}.get(switching)
    relation, described = random_system(random.Random(seed), PAIRS if worms else NETWORKS)
    rules = set(rules_of(relation, described))
    room = 1 if worms or "carries" in rules else seed % 5 // 3 + 1
    rules |= {"deep VCs"} if room > 1 else set()
    try:
        truth = (worms or Exploration)(relation, described, (3 if worms else 1) * states, room).deadlocks()
        verdict = check_protocol(relation, described, switching, room=room, time_limit=10 if worms else 30)
    except TooLarge:
        return "large", rules
    except RelationError:  # the flows hold no answer
        return "refused", rules
    assert verdict.deadlock_free is None or verdict.deadlock_free is not truth, (seed, switching, described)
    assert holds(verdict) in (True, None)
    if verdict.states and verdict.deadlock_free and not relation.commits:
        assert verdict.empties
        assert holds(verdict) or verdict.states > 5000
    if verdict.smallest and not truth:
        fewer = sum(event.act == "begin" for event in verdict.run or ()) - 1
        assert search(verdict.system, transactions=fewer, most_states=STATES).run is None
    if verdict.run is not None:
        assert holds(verdict)
        state = replayed(verdict.system, verdict.run)
        assert state
        assert stuck(verdict.system, state)
        assert relation.commits or not list(events(verdict.system, state, ()))
    return "open" if verdict.deadlock_free is None else "deadlock" if truth else "free", rules


def methods_agree(seed: int, switching: Switching, seconds: float = 2.0) -> set[tuple[str, bool]]:
    """Answer one random system by each method that applies, now and then with three messages at once in a queue."""
    chance = random.Random(seed)
    relation, described = random_system(chance, PAIRS if switching.startswith("worm") else NETWORKS)
    if chance.random() < 0.4:
        classes = tuple(
            replace(one, follows=tuple(replace(f, count=3) for f in one.follows), at_once=True)
            for one in described.classes
        )
        depth = dict.fromkeys((one.send for one in classes), 3)
        described = replace(described, classes=classes, send=depth)
    system = System(relation, described, switching == "wormhole-nonatomic")
    try:
        by = {method: by_search(system, switching, Deadline.of(seconds, "search"), [method])
              for method in methods_for(described, switching)}  # fmt: skip
        ranked = by_ranks(system, switching, Deadline.of(seconds, "ranks"))
    except RelationError:  # the flows hold no answer
        return set()
    answers = {(method, verdict.deadlock_free) for method, verdict in by.items()}
    answers |= {("ranks", True)} if ranked is not None else set()
    decided = {(method, free) for method, free in answers if free is not None}
    assert len({free for _, free in decided}) < 2, (seed, switching, described, decided)
    return decided


def rules_of(relation: Relation, protocol: Protocol) -> Iterator[str]:
    """Names of the rules in a system."""
    choices = [relation.candidates(at, a) for at in range(relation.num_vcs) for a in range(relation.num_addresses)]
    yield "adaptive" if any(len(one) > 1 for one in choices) else "one candidate"
    if relation.commits:
        yield "commits"
    if relation.classes:
        yield "classes on VCs of their own"
    if protocol.outstanding is not None:
        yield "limit"
    for one in protocol.classes:
        for follow in one.follows:
            yield f"to {follow.to}"
            yield "at once" if one.at_once else "one by one"
            if follow.count > 1:
                yield "several followers"
        yield from ("together",) * bool(one.together)
        yield from ("carries",) * bool(one.carries)
        yield from ("reserved",) * one.reserved
    if len(protocol.send_queues) < len(protocol.classes):
        yield "shared send queue"
    if len(protocol.receive_queues) < len(protocol.classes):
        yield "shared receive queue"
    if not all(protocol.room(name).ordered for name in protocol.receive_queues):
        yield "unordered"
    if max(protocol.send_depth(name) for name in protocol.send_queues) > 1:
        yield "deep queue"


def compare(first: int, last: int, techniques: Sequence[str] = ("saf", "vct")) -> Counter[str]:
    """Counts of the answers to the systems of some seeds, also by technique and by rule."""
    seen: Counter[str] = Counter()
    for seed in range(first, last):
        switching = techniques[seed % len(techniques)]
        answer, rules = agrees(seed, switching)
        seen[answer] += 1
        if answer in ("free", "deadlock", "open"):
            limited = ", limited" if "limit" in rules else ""
            seen.update([f"{switching} {answer}{limited}", "decided", *rules])
    return seen


if __name__ == "__main__":
    for name, count in sorted(compare(*map(int, sys.argv[1:3]), sys.argv[3:] or ("saf", "vct")).items()):
        print(f"{count:6d} {name}")
