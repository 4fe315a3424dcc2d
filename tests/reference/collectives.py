"""What each member of a collective operation has at the end, by following the transfers of its chunks."""

from __future__ import annotations

from fractions import Fraction

from unknot._base.errors import NetworkError
from unknot_collectives import Schedule


def holdings(schedule: Schedule) -> dict[int, dict[int, frozenset[int]]]:
    """For each member its chunks, and whose contributions are in each, all transfers done in order.

    Raises
    ------
    NetworkError
        If a chunk is sent by a member that does not have it, or a contribution would be added twice.
    """
    members = schedule.operation.members
    held: dict[int, dict[int, frozenset[int]]] = {member: {} for member in members}
    for number, chunk in enumerate(schedule.chunks):
        for member in members if chunk.source is None else (chunk.source,):
            held[member][number] = frozenset([member])
    for sent in schedule.transfers:
        if sent.chunk not in held[sent.source]:
            raise NetworkError(f"in step {sent.step} {sent.source} sends chunk {sent.chunk}, which it does not have")
        there, own = held[sent.source][sent.chunk], held[sent.target].get(sent.chunk, frozenset())
        if sent.reduces and there & own:
            raise NetworkError(f"contributions of {sorted(there & own)} to chunk {sent.chunk} would be added twice")
        held[sent.target][sent.chunk] = there | own if sent.reduces else there
    return held


def replayed(schedule: Schedule) -> Fraction:
    """The time of a schedule, followed anew: who has what when, what channels carry, and what members have at last.

    Raises
    ------
    NetworkError
        For what cannot be, or is not the operation.
    """
    on, operation = schedule.platform.channels, schedule.operation
    barrier = operation.kind == "barrier"
    cost, sends, time = schedule.platform.overhead, schedule.transfers, Fraction(0)
    if schedule.starts:
        spans, used = list[tuple[Fraction, Fraction]](), dict[int, list[tuple[Fraction, Fraction, Fraction]]]()
        for sent, start in zip(sends, schedule.starts, strict=True):
            slowest = min(on[c].bandwidth for c in sent.path)
            rate, at = sent.rate or slowest, start
            lasts = (schedule.chunks[sent.chunk].size + cost * slowest) / rate
            for c in sent.path:
                waits = cost * slowest / rate if c not in (sent.path[0], sent.path[-1]) else 0
                used.setdefault(c, []).append((at + waits, at + lasts, rate))
                at += on[c].latency
            spans.append((start, at + lasts))
        for c, some in used.items():
            for at, _, _ in some:
                if sum(rate for begins, ends, rate in some if begins <= at < ends) > on[c].bandwidth:
                    raise NetworkError(f"channel {c} carries too much at {at}")
        time = max(ends for _, ends in spans)
    else:
        spans = [(Fraction(0), Fraction(0)) for _ in sends]
        for step in range(schedule.steps):
            now = [i for i, sent in enumerate(sends) if sent.step == step]
            loads = [Fraction(0) for _ in on]
            for i in now:
                for c in sends[i].path:
                    loads[c] += schedule.chunks[sends[i].chunk].size
            least = cost + max(load / c.bandwidth for load, c in zip(loads, on, strict=True))
            for path in {sends[i].path for i in now}:
                for c in {path[0], path[-1]}:
                    loads[c] += cost * min(on[k].bandwidth for k in path)
            late = max((sum(on[c].latency for c in sends[i].path) for i in now), default=Fraction(0))
            least = max(least, *(load / c.bandwidth for load, c in zip(loads, on, strict=True)))
            begins, time = time, time + late + least
            for i in now:
                spans[i] = begins, time
    parts = operation.parts
    held = {
        (number, member): {member}
        for number, chunk in enumerate(schedule.chunks)
        for member in (parts[chunk.group] if chunk.source is None else [chunk.source])
    }
    events = sorted((span[1 - kind], kind, i) for i, span in enumerate(spans) for kind in (0, 1))
    under_way = dict[int, set[int]]()
    for _, begins, i in events:
        sent = sends[i]
        if begins:
            if (sent.chunk, sent.source) not in held:
                raise NetworkError(f"{sent.source} does not have chunk {sent.chunk}")
            under_way[i] = set(held[sent.chunk, sent.source])
            continue
        own = held.get((sent.chunk, sent.target), set())
        if (own & under_way[i] and not barrier) if sent.reduces else own - under_way[i]:
            raise NetworkError(f"chunk {sent.chunk} comes to {sent.target} wrongly")
        held[sent.chunk, sent.target] = own | under_way[i]
    amounts = dict[tuple[int | None, int | None, int], Fraction]()
    for number, chunk in enumerate(schedule.chunks):
        part = parts[chunk.group]
        whole = set(part) if chunk.source is None else {chunk.source}
        for member in part if chunk.target is None else [chunk.target]:
            if held.get((number, member), set()) != whole:
                raise NetworkError(f"{member} lacks a part of chunk {number}")
        key = chunk.source, chunk.target, chunk.group
        amounts[key] = amounts.get(key, Fraction(0)) + chunk.size
    if set(amounts.values()) != {operation.size} and not operation.blocks:
        raise NetworkError("chunks are not the operation")
    return time
