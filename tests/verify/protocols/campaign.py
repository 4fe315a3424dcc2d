"""Random small systems decided and explored, with counts by answer, technique and rule.

``python -m tests.verify.protocols.campaign FIRST LAST [TECHNIQUE…]`` compares systems by seed and prints the counts.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from tests.verify.protocols.exploration import Exploration, TooLarge
from tests.verify.protocols.systems import NETWORKS, PAIRS, random_system
from tests.verify.protocols.worms import QueueingWorms, Worms
from unknot._base.errors import RelationError
from unknot.routing import Relation
from unknot.verify.protocols import Protocol, check_protocol
from unknot.verify.protocols.evidence import holds
from unknot.verify.protocols.machine import events
from unknot.verify.protocols.runs import replayed, search, stuck

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
    *("shared send queue", "shared receive queue", "unordered", "deep queue"),
)
"""Rules of relations and protocols, each of which a campaign meets often enough."""


def agrees(seed: int, switching: str, states: int = STATES) -> tuple[str, set[str]]:
    """Compare one random system: the answer, or why there is none, and the rules in it."""
    worms = {"wormhole": Worms, "wormhole-nonatomic": QueueingWorms}.get(switching)
    relation, described = random_system(random.Random(seed), PAIRS if worms else NETWORKS)
    rules = set(rules_of(relation, described))
    try:
        truth = (worms or Exploration)(relation, described, (3 if worms else 1) * states).deadlocks()
        verdict = check_protocol(relation, described, switching, time_limit=10 if worms else 30)
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
