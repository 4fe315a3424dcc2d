"""Pools of slots as the checker reads them: against every state there is, and against the record of flow control."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import networkx as nx
import pytest

from tests.contract.drawing import draw
from tests.reference.brute_force import TooLargeError
from tests.reference.pools import Explorer, Move
from unknot._base.errors import RelationError
from unknot.certificates import Rejected, Unchecked, Verdict, document, plain, verdict_claim
from unknot.certificates.flow_words import flow_words
from unknot.flow_control import FlowControl, technique
from unknot.flow_control.pools import Keeps, Pool
from unknot.routing import Relation
from unknot.verify import check

KEEPS: tuple[Keeps, ...] = ("nothing", "slot of the buffer", "slot of the pool", "marked slot")
MANY, LIMIT = 400, 2_500
Claim = dict[str, Any]


def pool_system(seed: int, most_vcs: int = 10) -> tuple[Relation, FlowControl]:
    """A relation over the whole contract, with one to three pools that often meet: rings, and shared slots."""
    chance = random.Random(seed)
    while True:
        relation, _ = draw(chance.randrange(1 << 40), small=True)
        if not 2 <= relation.num_vcs <= most_vcs:
            continue
        network, first, packets = relation.network, relation.vcs.first, chance.choice((1, 1, 2, 2, 3))
        graph = nx.DiGraph(list(zip(network.source.tolist(), network.target.tolist(), strict=True)))
        circles = [circle for circle in nx.simple_cycles(graph) if len(circle) > 1]
        pools = []
        for _ in range(chance.choice((1, 1, 2, 3))):
            keeps, hops = chance.choice(KEEPS), frozenset[tuple[int, int]]()
            if circles and chance.random() < 0.5:
                circle = chance.choice(circles)
                channels = [chance.choice(network.between(a, b)) for a, b in pairwise([*circle, circle[0]])]
                vcs = tuple(chance.randrange(int(first[c]), int(first[c + 1])) for c in channels)
                hops, own = frozenset(pairwise((*vcs, vcs[0]))), 0
                slots = len(vcs) * packets - chance.choice((0, 0, 0, 1))
            else:
                vcs = tuple(chance.sample(range(relation.num_vcs), chance.randint(1, min(4, relation.num_vcs))))
                own, slots = chance.choice((0, 0, 1, 1, 2)), chance.randint(0, 3)
            loose = frozenset(chance.sample(vcs, 1)) if chance.random() < 0.25 else frozenset[int]()
            pools.append(Pool(vcs, max(slots, 1 - min(own, 1)), own, keeps, hops, loose))
            if not own and len(vcs) > 1 and chance.random() < 0.4:  # a pool within
                some = tuple(chance.sample(vcs, chance.randint(1, len(vcs) - 1)))
                pools.append(Pool(some, chance.randint(1, max(1, slots - 1))))
        return relation, replace(technique("vct"), name="drawn", packets=packets, pools=tuple(pools))


def claim_of(flow: FlowControl, free: bool, proof: Claim) -> Claim:
    return {"subject": "deadlock", "flow": flow_words(flow), "deadlock_free": free, "proof": proof}


def outcome(relation: Relation, claim: Claim) -> str:
    """Whether the checker accepts a claim, or what else it says."""
    try:
        plain.accept(document(relation.network, relation, [claim]))
    except Unchecked:
        return "not checked"
    except Rejected as error:
        return f"rejected: {error}"
    return "accepted"


def schedule(relation: Relation, flow: FlowControl, run: list[Move], explorer: Explorer) -> Claim:
    """A run as the schedule of a deadlock: packets that have left hold nothing."""
    queues: dict[int, list[int]] = {}
    ways: list[list[int]] = []
    sent: list[tuple[int, int]] = []
    order, state = list[int](), explorer.start
    for at, v, packet in run:
        if at >= relation.num_vcs:
            ways.append([])
            sent.append((at - relation.num_vcs, packet[0]))
        number = queues[at].pop(0) if at < relation.num_vcs else len(ways) - 1
        ways[number].append(v)
        order.append(number)
        queues.setdefault(v, []).append(number)
        state = explorer.moved(state, (at, v, packet))
    messages = []
    for number, ((source, address), way) in enumerate(zip(sent, ways, strict=True)):
        wanted: list[int] = []
        if way[-1] >= 0 and queues[way[-1]][0] == number:
            chosen = state[0][way[-1]][0][1]
            wanted = explorer.offers(way[-1], address)[1] if chosen is None else [chosen]
        inside = [v for v in way if v >= 0]
        cut = len(way) - 1
        messages.append({"source": source, "address": address, "length": 1, "lead": inside[:cut],
                         "held": inside[cut:], "wanted": wanted})  # fmt: skip
    if not any(state[0]) and (out := explorer.kept_out(state)) is not None:
        source, address, wanted = out
        messages += [{"source": source, "address": address, "length": 1, "lead": [], "held": [], "wanted": wanted}]
    proof = {"buffer_depth": flow.packets, "reachability": "scheduled", "messages": messages, "order": order}
    return claim_of(flow, False, proof)


def weaker(flow: FlowControl, chance: random.Random) -> Iterator[FlowControl]:
    """Flow control that keeps less free, or has fewer slots."""
    for number, pool in enumerate(flow.pools):
        others = [replace(pool, unguarded=pool.unguarded | {chance.choice(pool.vcs)}), replace(pool, keeps="nothing")]
        others += [replace(pool, slots=pool.slots - 1)] * (pool.slots > 0) + [replace(pool, own=0)]
        if not pool.own:
            others.append(replace(pool, hops=pool.hops | {(chance.choice(pool.vcs), chance.choice(pool.vcs))}))
        for other in others:
            if other != pool:
                yield replace(flow, pools=(*flow.pools[:number], other, *flow.pools[number + 1 :]))


def judge(seed: int, seen: Counter[str]) -> None:
    """Explore one system; the true claim is accepted wherever it is proved, and no false one is."""
    relation, flow = pool_system(seed)
    chance, explorer = random.Random(seed), Explorer(relation, flow)
    try:
        runs = explorer.runs(LIMIT)
    except TooLargeError:
        seen["too large"] += 1
        return
    state, run = list(runs.items())[-1]
    stuck = explorer.stuck(state)
    seen["stuck" if stuck else "free"] += 1
    seen["own slots"] += any(pool.own for pool in flow.pools)
    seen["rings"] += any(pool.hops for pool in flow.pools)
    try:
        verdict = check(relation, flow=flow)
    except RelationError:  # a pool that nobody can ever enter
        seen["refused"] += 1
        verdict = Verdict(None, "vct", "", "", "")
    assert verdict.deadlock_free in (None, not stuck), (seed, verdict)
    seen["open"] += verdict.deadlock_free is None
    if verdict.deadlock_free is not None:
        said = outcome(relation, verdict_claim(verdict))
        assert said in ("accepted", "not checked"), (seed, said)
    states = outcome(relation, claim_of(flow, True, {"kind": "states", "rank": []}))
    ranks = [[chance.randrange(relation.num_vcs) for _ in range(relation.num_vcs)] for _ in range(12)]
    if relation.num_vcs <= 4:
        ranks += [[*rank] for rank in product(range(3), repeat=relation.num_vcs)]
    by_rank = [
        rank
        for rank in ranks
        if outcome(relation, claim_of(flow, True, {"kind": "pools", "rank": rank})) == "accepted"
    ]
    if stuck:
        assert states != "accepted", seed
        assert not by_rank, (seed, by_rank)
        seen["false ranks"] += len(ranks)
        said = outcome(relation, schedule(relation, flow, run, explorer))
        assert said == "accepted", (seed, said)
        seen["left on the way"] += any(v < 0 for _, v, _ in run)
    else:
        seen["free by states"] += states == "accepted"
        seen["free by a drawn rank"] += bool(by_rank)
    tampered(seed, relation, flow, runs, seen)
    if not stuck and verdict.certificate is not None:
        proof = verdict_claim(verdict)["proof"]
        for other in weaker(flow, chance):
            accepted = outcome(relation, claim_of(other, True, proof)) == "accepted"
            try:
                deadlocks = Explorer(relation, other)
                last = list(deadlocks.runs(LIMIT))[-1]
            except TooLargeError:
                continue
            seen["weaker"] += 1
            seen["weaker, deadlocks"] += deadlocks.stuck(last)
            assert not (accepted and deadlocks.stuck(last)), (seed, other)


def tampered(
    seed: int, relation: Relation, flow: FlowControl, runs: dict[Any, list[Move]], seen: Counter[str]
) -> None:
    """Runs to other states, and moves left out or exchanged: accepted just where they lead to a deadlock."""
    chance, explorer = random.Random(seed), Explorer(relation, flow)
    every = [run for run in runs.values() if run]
    for _ in range(8 if every else 0):
        run = [*chance.choice([chance.choice(every), every[-1]])]
        for _ in range(chance.randrange(3)):
            i, j = chance.randrange(len(run)), chance.randrange(len(run))
            run[i], run[j] = run[j], run[i]
        if chance.random() < 0.5:
            del run[chance.randrange(len(run))]
        if relation.commits and possible(relation, run):
            run = as_they_go(explorer, run)
        state = explorer.follows(run)
        if not run or (state is None and not possible(relation, run)):
            continue
        claim = schedule(relation, flow, run, explorer)
        expected = state is not None and explorer.stuck(state)
        assert (outcome(relation, claim) == "accepted") is expected, (seed, run, outcome(relation, claim))
        seen["tampered, a deadlock" if expected else "tampered"] += 1


def as_they_go(explorer: Explorer, run: list[Move]) -> list[Move]:
    """A run whose packets have chosen where they go next: those of one address may have changed places."""
    queues: dict[int, list[int]] = {}
    made = [*run]
    for number, (at, v, _) in enumerate(run):
        if at in queues:
            before = queues[at].pop(0)
            source, here, (address, _) = run[before]
            if v in explorer.offers(here, address)[0]:
                made[before] = source, here, (address, v)
        queues.setdefault(v, []).append(number)
    return made


def possible(relation: Relation, run: list[Move]) -> bool:
    """Whether a run moves packets from where they are in front, so that a schedule can be written of it."""
    queues: dict[int, list[int]] = {}
    for at, v, (address, _) in run:
        if at < relation.num_vcs and (not queues.get(at) or queues[at].pop(0) != address):
            return False
        queues.setdefault(v, []).append(address)
    return True


def test_systems_of_pools_as_explored() -> None:
    seen: Counter[str] = Counter()
    first = random.randrange(1 << 40)
    for seed in range(first, first + 12):
        judge(seed, seen)
    assert seen["too large"] < 12, first


@pytest.mark.campaign
def test_many_systems_of_pools() -> None:
    seen: Counter[str] = Counter()
    first = random.randrange(1 << 40)
    for seed in range(first, first + MANY):
        judge(seed, seen)
    print(f"\nsystems of pools from {first} on: {dict(sorted(seen.items()))}")
    assert seen["stuck"] + seen["free"] >= 300
    assert min(seen[name] for name in ("stuck", "free", "own slots", "rings", "left on the way")) >= 20


def test_the_checker_lets_in_what_the_record_does() -> None:
    """Drawn pools, packets in VCs, marks and moves: two readings, of the record and of a claim."""
    chance, answers = random.Random(), Counter[bool]()
    for seed in (chance.randrange(1 << 40) for _ in range(15)):
        relation, flow = pool_system(seed)
        read = plain.flow_of({"flow": flow_words(flow)})
        vcs = relation.num_vcs
        pools = plain.Pools(vcs, read.packets, read.pools)
        each = [plain.pool_of(one) for one in flow_words(flow)["pools"]]
        sorted_by = sorted(range(len(each)), key=each.__getitem__)
        assert [each[number] for number in sorted_by] == [*read.pools]
        order = [sorted_by.index(number) for number in range(len(each))]
        for _ in range(60):
            held = [chance.randint(0, flow.packets) for _ in range(vcs)]
            marks = tuple(chance.choice(pool.vcs) if pool.keeps == "marked slot" else -1 for pool in flow.pools)
            at, v = chance.randrange(vcs + 2), chance.randrange(vcs)
            hops = [hop for pool in flow.pools for hop in pool.hops]
            if hops and chance.random() < 0.5:
                at, v = chance.choice(hops)
            if at < vcs:
                held[at] = max(1, held[at])
            pools.queues = {u: [0] * many for u, many in enumerate(held)}
            pools.marked = [-1] * len(marks)
            for mark, number in zip(marks, order, strict=True):
                pools.marked[number] = mark
            known = marks if flow.marks else ()
            takes = flow.takes(held, known, at, v)
            assert pools.room(at, v) is takes, (seed, held, marks, at, v)
            answers[takes] += 1
            if takes and at != v:
                pools.move(0, at, v)
                after = [many + (u == v) - (u == at) for u, many in enumerate(held)]
                moved = flow.marks_after(after, known, at, v)
                assert [pools.marked[number] for number in order] == [*(moved or (-1,) * len(marks))], (seed, at, v)
    assert min(answers.values()) > 50
