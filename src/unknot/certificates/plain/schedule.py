"""Schedules of collective operations."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import accumulate, product
from typing import Any

from unknot.certificates.plain.amounts import added, fraction, in_units, paid, pay_sorting
from unknot.certificates.plain.collective import Collective
from unknot.certificates.plain.reading import KEPT_STATE, Rejected, field, integers, lists, pay
from unknot.certificates.plain.registry import checks

TRANSFER = "chunk, source, target, reduces and path"
"""Entries of a transfer in a document."""


class Transfer:
    """A chunk that goes from node to node, over channels that follow each other, from a time to another."""

    def __init__(self, operation: Collective, sizes: list[Fraction], send: list[Any], where: str) -> None:
        self.chunk, self.source, self.target = integers(send[:3], where, 0, 2**40)
        self.reduces, self.path = send[3], integers(send[4], where, 0, len(operation.channels))
        over = [operation.channels[channel] for channel in self.path]
        ends = [self.source, *(target for _, target, _ in over)]
        if not over or ends[:-1] != [source for source, _, _ in over] or ends[-1] != self.target:
            raise Rejected(f"{where}: channels {self.path} do not lead from {self.source} to {self.target}")
        if type(self.reduces) is not bool:
            raise Rejected(f"{where}: {TRANSFER} are expected, the fourth true or false")
        if self.chunk >= len(sizes):
            raise Rejected(f"{where}: there is no chunk {self.chunk}")
        self.where, self.size, self.rate = where, sizes[self.chunk], min(rate for _, _, rate in over)
        self.latency = added(operation.latency[channel] for channel in self.path)
        self.cost = paid(operation.overhead * self.rate)
        self.begins = self.ends = Fraction(0)

    def pace(self, rate: Any) -> None:
        """Take a rate below that of the slowest channel."""
        slower = fraction(rate, f"{self.where}: rate")
        if slower > self.rate:
            raise Rejected(f"{self.where}: rate {slower} is above {self.rate}, that of its slowest channel")
        self.rate = slower


@checks("schedule", "", "time")
def check_schedule(claim: Any, proof: Any) -> str:
    """Replay a schedule chunk by chunk: who has what after each transfer, and how long all take.

    A chunk has a size, the member that has it at first (none: each member has its own, to be added up), the one
    that must have it at the end (none: each), and where there are groups the number of its own.

    Claim: as `collective`, each channel with its latency as two more numbers: the schedule is whole and takes
    this time; with `overhead`, a time, each message is longer at both ends of its path by what its slowest channel
    carries in it, and other channels wait for as long
    Proof: `chunks` as [numerator and denominator of the size, source, target], `null` for every member;
    `steps`, each a list of [chunk, source, target, whether it is added, channels]; or `sends`, the same with a start
    (two numbers more), and `rates`, one for each where some are below those of their slowest channels
    """
    operation = Collective(claim)
    amounts = dict.fromkeys(operation.due, Fraction(0))
    wide = 1 + (len(operation.members) >> 8)  # units for bits of all members
    pay(len(operation.members) * wide)
    place = {member: 1 << bit for bit, member in enumerate(operation.members)}
    sizes: list[Fraction] = []
    holds: dict[tuple[int, int], int] = {}
    expected: list[tuple[tuple[int, int], int]] = []
    for number, chunk in enumerate(lists(proof.get("chunks"), "chunks", 4 + operation.grouped)):
        source, target, group = ends = (*chunk[2:], 0)[:3]
        if not {type(end) for end in ends} <= {int, type(None)} or ends not in amounts:
            raise Rejected(f"chunk {number}: a size, and a source and a target of {operation.kind}, are expected")
        sizes.append(fraction(chunk[:2], "size of a chunk"))
        amounts[ends] = paid(amounts[ends] + sizes[-1])
        sources, targets = (operation.parts[group] if end is None else [end] for end in (source, target))
        pay((KEPT_STATE + wide) * (len(sources) + len(targets)))
        holds.update({(number, member): place[member] for member in sources})
        expected += product([(number, member) for member in targets], [sum(map(place.__getitem__, sources))])
    for ends, amount in amounts.items():
        if amount != operation.due[ends]:
            raise Rejected(
                f"chunks from {ends[0]} to {ends[1]} have {amount} bytes together, not {operation.due[ends]}"
            )
    if "sends" in proof:
        transfers = by_starts(operation, sizes, proof["sends"], proof.get("rates"))
    else:
        transfers = by_steps(operation, sizes, field(proof, "steps", list))
    replay(operation, transfers, holds)
    for (number, member), whole in expected:
        if holds.get((number, member), 0) != whole:
            raise Rejected(f"member {member} does not end with all of chunk {number}")
    time = max((transfer.ends for transfer in transfers), default=Fraction(0))
    if time != operation.time:
        raise Rejected(f"the transfers take {time}, not {operation.time}")
    return f"{operation.shown}: done in {time}"


def by_steps(operation: Collective, sizes: list[Fraction], steps: list[Any]) -> list[Transfer]:
    """Transfers of steps: all transfers of a step begin at once and send the parts held when the step began.

    A step takes the longest latency of its paths, and what its busiest channel carries over the bandwidth of that;
    transfers over one path are one message. It costs its end channels what the overhead says, and all the overhead.
    """
    transfers, time = list[Transfer](), Fraction(0)
    for number, sends in enumerate(steps):
        where = f"step {number}"
        step = [Transfer(operation, sizes, send, where) for send in lists(sends, f"{where}: {TRANSFER}", 5)]
        loads, messages = defaultdict[int, Fraction](Fraction), dict[tuple[int, ...], Fraction]()
        for transfer in step:
            transfer.begins, messages[*transfer.path,] = time, transfer.cost
            for channel in transfer.path:
                loads[channel] = paid(loads[channel] + transfer.size)
        busiest = slowest(operation, loads) + (operation.overhead if step else 0)
        for path, cost in messages.items():
            for channel in {path[0], path[-1]}:
                loads[channel] = paid(loads[channel] + cost)
        busiest = max(busiest, slowest(operation, loads))
        time = paid(time + busiest) + max((transfer.latency for transfer in step), default=Fraction(0))
        for transfer in step:
            transfer.ends = time
        transfers += step
    return transfers


def slowest(operation: Collective, loads: dict[int, Fraction]) -> Fraction:
    """Return the longest time in which a channel carries its load."""
    return max((paid(load / operation.channels[c][2]) for c, load in loads.items()), default=Fraction(0))


def by_starts(operation: Collective, sizes: list[Fraction], sends: Any, rates: Any = None) -> list[Transfer]:
    """Transfers with a start each, which send the parts held at their start, including those just arrived.

    One passes all channels of its path at the rate of the slowest, or at its own, each from when the first byte has
    come; what passes a channel at a time has no larger rate together than its bandwidth.
    """
    transfers, times = list[Transfer](), list[list[Fraction]]()
    if rates is not None and (not isinstance(rates, list) or len(rates) != len(sends)):
        raise Rejected("rates: null or [numerator, denominator] is expected for each transfer")
    for number, send in enumerate(lists(sends, f"{TRANSFER}, and a start", 7)):
        transfer = Transfer(operation, sizes, send, f"transfer {number}")
        if rates is not None and rates[number] is not None:
            transfer.pace(rates[number])
        costs, alone = paid(transfer.cost / transfer.rate), paid(transfer.size / transfer.rate)
        transfers.append(transfer)
        times.append([fraction(send[5:], "start", 0), costs, paid(costs + alone)])
    numbers, unit = in_units([*operation.latency, *(time for some in times for time in some)])
    many = len(operation.channels)
    widths, _ = in_units([*(rate for _, _, rate in operation.channels), *(transfer.rate for transfer in transfers)])
    are_whole, busy = type(widths[0]) is int, dict[int, list[tuple[Any, Any]]]()
    for place, transfer in enumerate(transfers):
        at, costs, lasts = numbers[many + 3 * place : many + 3 * place + 3]
        transfer.begins, rate, last = at * unit, widths[many + place], len(transfer.path) - 1
        for step, channel in enumerate(transfer.path):
            begins = at if step in (0, last) else at + costs
            busy.setdefault(channel, []).extend(((begins, rate), (at + lasts, -rate)))
            at = paid(at + numbers[channel])
        transfer.ends = (at + lasts) * unit
    for channel, changes in busy.items():
        pay_sorting([at for at, _ in changes])
        changes.sort()  # what ends comes before what begins at the same time
        used = accumulate((change for _, change in changes), None if are_whole else lambda a, b: paid(a + b))
        if max(used) > widths[channel]:
            raise Rejected(f"channel {channel} carries more at a time than its bandwidth")
    return transfers


def replay(operation: Collective, transfers: list[Transfer], holds: dict[tuple[int, int], int]) -> None:
    """Follow the parts of each chunk at each node, as bits of the members that contributed.

    Parts are added to what is there, none twice but in a barrier; or take its place, and then none may be lost.
    """
    sent, members = dict[int, int](), {*operation.members}
    wide = 1 + (len(members) >> 7)  # units for bits of all members, which are kept
    times, _ = in_units([time for transfer in transfers for time in (transfer.begins, transfer.ends)])
    pay_sorting(times)
    events = [(time, not place % 2, place // 2) for place, time in enumerate(times)]
    for _, begins, number in sorted(events):  # what arrives comes before what begins at the same time
        one = transfers[number]
        pay(KEPT_STATE + wide)
        if begins:
            if one.target not in members or (one.chunk, one.source) not in holds:
                raise Rejected(f"{one.where}: node {one.source} cannot send chunk {one.chunk} to node {one.target}")
            sent[number] = holds[one.chunk, one.source]
            continue
        there = holds.get((one.chunk, one.target), 0)
        if (there & sent[number] and operation.kind != "barrier") if one.reduces else (there & ~sent[number]):
            verb = "add" if one.reduces else "lose"
            raise Rejected(f"{one.where}: node {one.target} would {verb} a part of chunk {one.chunk}")
        holds[one.chunk, one.target] = there | sent[number]
