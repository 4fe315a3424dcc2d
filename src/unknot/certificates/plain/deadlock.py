"""Deadlocks, and their sizes."""

from __future__ import annotations

from typing import Any

from unknot.certificates.plain.flow import Technique, flow_of, technique
from unknot.certificates.plain.free import check_free
from unknot.certificates.plain.packets import check_order, check_reachability, packets_of, require_blocked
from unknot.certificates.plain.pools import check_queued_deadlock
from unknot.certificates.plain.reading import Rejected, field, number, numbers, pay, word
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.slots import Pools
from unknot.certificates.plain.tables import Table, closure
from unknot.certificates.plain.worms import KEEPING, States, Steps, still_holdable, waiting_states, worms_inside


@checks("deadlock", "relation", "deadlock_free")
def check_verdict(table: Table, claim: Any, proof: Any) -> str:
    """Check that a relation is free of deadlock under a technique, or not, or that packets would block each other.

    Claim: `switching`, or `flow` in its place; `deadlock_free`
    Proof: if free `kind` and `rank` (`core` and `windows` if `exhausted`; `states` are visited anew, up to
    20,000), as in Verdicts; else, or if that is `null` and `reachability` is `not-established`, `buffer_depth`,
    `reachability` and `messages`, each with `source`, `address`, `length`, `lead`, `held`, `wanted`; perhaps
    `order`, the message that goes on, move by move: one that holds nothing in the end has left the network
    """
    switching, free = flow_of(claim), claim.get("deadlock_free", "missing")
    if free is True:
        check_free(table, switching, proof)
        return f"free of deadlock under {switching}"
    check_deadlock(table, switching, proof)
    reachability = proof["reachability"]
    if free is not (None if reachability == "not-established" else False):
        raise Rejected(f"packets whose reachability is {reachability} are no evidence for this answer")
    if free is None:
        return f"open under {switching}; packets would block each other, but no way there was shown"
    return f"deadlock under {switching}, reachability {reachability}"


def check_deadlock(table: Table, switching: Technique, proof: Any) -> None:
    """Check a filling of VCs by packets that can never move; raise `Rejected` if it is none."""
    depth = number(proof, "buffer_depth", 1)
    if proof.get("order") and switching.queues:
        raise Rejected(f"no order of moves is followed under {switching}")
    if switching.packets or ("order" in proof and switching.alone):
        longest = max((field(message, "length", int) for message in field(proof, "messages", list)), default=depth)
        room = switching.packets or depth // max(1, switching.taken(longest))
        check_queued_deadlock(table, Pools(table.vcs, room, switching.pools), switching, proof)
        return
    reachability = word(proof, "reachability", ("injected", "scheduled", "not-established"))
    packets = packets_of(table, switching, proof)
    targets: list[int] = []
    for i, packet in enumerate(packets, start=1):
        if field(packet.message, "length", int) != depth * len(packet.held) or switching.taken(depth) != depth:
            raise Rejected(f"packet {i} does not fill its VCs exactly")
        targets += packet.waited_for(i, table.choices(packet.at, packet.address, switching))
    require_blocked(switching, packets, targets)
    if proof.get("order"):
        check_order(reachability, packets, numbers(proof, "order", 0, len(packets)))
    else:
        check_reachability(reachability, packets)


@checks("size", "relation", "least", "held")
def check_size(table: Table, claim: Any, proof: Any) -> str:
    """Check that no deadlock has fewer packets than `least`, nor, with just as many, fewer VCs than `held`.

    Claim: `switching`, `least`: no deadlock has fewer packets; perhaps `held`: none of `least` packets holds
    fewer VCs
    Proof: nothing
    """
    switching, least = technique(claim), field(claim, "least", int)
    held = field({"held": least, **claim}, "held", int)
    if held < least:
        raise Rejected(f"{least} packets hold {least} VCs at least, and not {held}")
    fewest = fewest_packets(table, switching)
    if fewest is not None and fewest < least:
        raise Rejected(f"{fewest} packets may wait for each other, and not {least} at least")
    if fewest == least < held and may_hold(table, switching, least, held - 1):
        raise Rejected(f"{least} packets may wait for each other on {held - 1} VCs or fewer")
    more = f", nor one of {least} packets fewer than {held} VCs" if held > least else ""
    return f"no deadlock under {switching} has fewer than {least} packets{more}"


def holdable_states(table: Table, switching: Technique) -> tuple[list[States], set[int]]:
    """How packets of each address go on from each VC, and wait; and the VCs that can be held in a deadlock."""
    states = waiting_states(table, switching, lambda at, v: True)
    return states, still_holdable(states, {*range(table.vcs)})


def fewest_packets(table: Table, switching: Technique) -> int | None:
    """A number than which no deadlock has fewer packets; None: no VC can be held in a deadlock.

    From a VC that a packet holds, go on to its header, and to a VC that it waits for, which another packet holds.
    Some packets come back to the first: a closed walk with at most as many steps as there are packets.
    """
    states, left = holdable_states(table, switching)
    after: dict[int, set[int]] = {v: set() for v in left}
    steps = Steps()
    for of_address in states:
        onward_from = {at: of_address[at][0] & left for at in of_address.keys() & left}
        waits = {at: [v for choice in of_address[at][1] if choice <= left for v in choice] for at in onward_from}
        for v in onward_from:
            for at in closure([v], onward_from.__getitem__):
                steps.take(1 + len(waits[at]))
                after[v].update(waits[at])
    fewest = len(left) + 1
    for v in left:
        reached, ends, length = set[int](), {v}, 0
        while ends and v not in reached and length + 1 < fewest:
            pay(sum(1 + len(after[at]) for at in ends))
            ends = set[int]().union(*(after[at] for at in ends)) - reached
            reached |= ends
            length += 1
        fewest = length if v in reached else fewest
    return fewest if left else None


def may_hold(table: Table, switching: Technique, packets: int, most: int) -> bool:
    """Whether as many packets as a shortest closed walk has steps may hold all that they wait for, on `most` VCs.

    The closed walk meets every packet, where the one before waits for it. It is followed from its lowest VC on, from
    worm to worm, while what is held and waited for, and what is held and the shortest way back, are no more VCs.
    """
    states, left = holdable_states(table, switching)
    steps = Steps()
    worms = worms_inside(states, left, left, steps, most - packets + 1)
    before: dict[int, dict[int, int]] = {v: {} for v in left}
    for v in left:
        for size, w in ((len(path), w) for path, end in worms[v] for w in end):
            before[w][v] = min(size, before[w].get(v, most))
    for goal in sorted(left):
        back = [{goal: 0}]
        for _ in range(packets):
            farther: dict[int, int] = {}
            for w, way in back[-1].items():
                steps.take(len(before[w]))
                for v, length in before[w].items():
                    if v >= goal and way + length <= most:
                        farther[v] = min(way + length, farther.get(v, most))
            back.append(farther)
        walks = {(goal, frozenset[int](), frozenset[int]())}
        for to_go in reversed(range(packets)):
            longer = set()
            for v, held, waited in walks:
                steps.take(len(worms[v]))
                for path, end in worms[v]:
                    pay(1 + (len(held) + len(path) + len(waited) + len(end) >> 1))
                    holds, waits = held | path, waited | end
                    if not held & path and len(holds | waits) <= most:
                        longer |= {(w, holds, waits) for w in end if len(holds) + back[to_go].get(w, most) <= most}
            steps.take(KEEPING * len(longer))
            walks = longer
        if any(waited <= held for _, held, waited in walks):
            return True
    return False
