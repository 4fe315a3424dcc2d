"""Decision on a state table: deadlock-free on its virtual networks, and the fewest networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.memory import require
from unknot._base.numbers import require_whole
from unknot._base.shown import Brief
from unknot._base.three_valued import ThreeValued
from unknot.verify.controllers.causes import acyclic
from unknot.verify.controllers.expressions import TableError
from unknot.verify.controllers.finite import together
from unknot.verify.controllers.joined import AddressRun, Deadlock, Joints, each_alone, stands_apart
from unknot.verify.controllers.lasting import lasts
from unknot.verify.controllers.mapping import Fewest, Judge, numbered
from unknot.verify.controllers.packed import Packed
from unknot.verify.controllers.reachable import MOST_STATES, TIME, Reached, explore
from unknot.verify.controllers.steps import Controllers
from unknot.verify.controllers.table import StateTable

MOST_CACHES, MOST_ADDRESSES = 3, 3


@dataclass(frozen=True, repr=False)
class TableVerdict(ThreeValued, Brief, asks="deadlock_free"):
    """Whether the controllers of a state table can deadlock on their virtual networks, and the fewest networks.

    Attributes
    ----------
    deadlock_free : bool or None
        On the virtual networks of the design; None: undecided.
    established : str
        What is shown, in words.
    table : StateTable
        The controllers.
    caches : int
        Nodes of the kind that is many.
    networks : list of list of str
        Messages of each virtual network of the design.
    fewest : int or None
        Least number of virtual networks without deadlock; 0: no number is enough; None: not known.
    fewest_proved : bool
        Whether it is shown that fewer are not enough, or that no number is.
    mapping : list of list of str
        Messages of each of them.
    by_causes : list of list of str
        Messages of the fewest networks by causes, stalls and waits, where states do not decide.
    states : int
        States of an address that were found.
    whole : bool
        Whether these are all.
    lacking : list of str
        Cells that are needed and that the table lacks.
    deadlock : Deadlock or None
        A run of some addresses to a deadlock.
    lasting : bool or None
        Whether the deadlock is shown to last whatever cores begin later.
    missing : list of (step, state)
        A run of one address to a state in which the first cell that is missing is needed.
    addresses : int or None
        With rooms or limits, how many addresses were explored together; None: any number.
    carried : bool
        Whether messages may wait behind each other in channels too, as in `check_on_network`.

    Examples
    --------
    >>> from unknot.verify.controllers import check_table, load_table
    >>> verdict = check_table(load_table("examples/hangs/mi-stalls.toml"))
    >>> verdict.answer, verdict.fewest, len(verdict.deadlock.moves)
    ('no', 0, 14)
    """

    deadlock_free: bool | None
    established: str
    table: StateTable
    caches: int
    networks: list[list[str]]
    fewest: int | None
    fewest_proved: bool
    mapping: list[list[str]]
    by_causes: list[list[str]]
    states: int
    whole: bool
    lacking: list[str]
    deadlock: Deadlock | None = None
    lasting: bool | None = None
    missing: AddressRun = field(default_factory=list)
    addresses: int | None = None
    carried: bool = False


@counts_work
def check_table(
    table: StateTable,
    *,
    caches: int = MOST_CACHES,
    addresses: int = 2,
    states: int | None = None,
    time_limit: float | Deadline = MINUTE,
) -> TableVerdict:
    """Decide whether controllers can deadlock on their virtual networks, and find the fewest networks.

    Queues hold any number of messages. The answer *free* is of any number of addresses, with any homes.

    Parameters
    ----------
    table : StateTable
        The controllers.
    caches : int
        Nodes of the kind that is many, 1 to 3.
    addresses : int
        Most addresses of a deadlock that is looked for, 1 to 3.
    states : int, optional
        Most states of an address, by default 10 million or what fits the memory; beyond them the answer is open
        unless a deadlock is found.
    time_limit : float
        Seconds, or a running `Deadline`.

    Returns
    -------
    TableVerdict
        The answer.

    Raises
    ------
    TableError
        If the table or a number cannot be.
    SizeError
        If so many `states` are estimated to take more memory than there may be used.

    Examples
    --------
    >>> from unknot.verify.controllers import load_table
    >>> check_table(load_table("examples/hangs/mi-saves.toml")).answer
    'yes'
    """
    require_whole("caches", caches, 1, MOST_CACHES, error=TableError)
    require_whole("addresses", addresses, 1, MOST_ADDRESSES, error=TableError)
    require_whole("states", MOST_STATES if states is None else states, 1, 10**9, error=TableError)
    deadline = Deadline.of(time_limit)
    most = MOST_STATES if states is None else states
    if table.sized:
        return _with_sizes(table, caches, addresses, most, deadline)
    controllers = Controllers(table, caches)
    reached = Reached(Packed(controllers))
    for some in sorted({min(most, some) for some in (*FIRST, most)}):
        if states is not None and reached.limit:
            require(f"{states:,} states of an address", int(states * reached.bytes_each))
        explore(reached, deadline.part(EXPLORING), some)
        judge = Judge(controllers, reached, addresses)
        free, deadlock = judge(numbered(table))
        joints = judge.joints(numbered(table))
        if reached.whole or reached.limit == TIME or (deadlock is not None and not _merged(joints, deadlock)):
            break
    certain = reached.whole and not reached.lacking and not table.unknown
    lasting, fewest, proved, rows = None, None, False, list[list[int]]()
    if deadlock is not None:
        lasting = lasts(joints, deadlock)
        free = None if _merged(joints, deadlock) else False
        apart = free is False and stands_apart(controllers, deadlock)
        if apart or (free is False and _deadlocks_apart(table, caches, addresses, deadline)):
            fewest, proved = 0, True
    unless_lacking = bool(free and reached.whole and not table.unknown)
    if free and not certain:
        free = None
    mapped = [i for i, name in enumerate(table.groups) if name not in table.inside]
    if fewest is None and certain:
        search = Fewest(len(table.groups), mapped, lambda network: judge(network)[0])
        rows, proved = search.found(lambda: deadline.over)
        fewest = len(rows) or None
    verdict = TableVerdict(
        free, "", table, caches, list(table.designed.values()), fewest, proved and fewest is not None,
        _named(table, rows), [], reached.count, reached.whole,
        _lacking(reached), deadlock, lasting,
        reached.alone(min(reached.lacking.values())) if reached.lacking else [],
    )  # fmt: skip
    if free is None:
        causes = Fewest(len(table.groups), mapped, lambda network: acyclic(table, network) or None)
        verdict = replace(verdict, by_causes=_named(table, causes.found(lambda: deadline.over)[0]))
    return replace(verdict, established=_established(verdict, reached.limit, unless_lacking))


def _with_sizes(table: StateTable, caches: int, addresses: int, most: int, deadline: Deadline) -> TableVerdict:
    """Decide on rooms and limits, with all addresses at one home and each at its own."""
    verdict = TableVerdict(
        True, "", table, caches, list(table.designed.values()), None, False, [], [], 0, True, [], addresses=addresses
    )
    for homes in sorted({1, addresses}):
        reached, deadlock = together(table, caches, addresses, homes, most, deadline)
        lacking = _lacking(reached)
        free = bool(reached.whole and not lacking and not table.unknown)
        whole = verdict.whole and (reached.whole or deadlock is not None)
        states = max(verdict.states, reached.count)
        verdict = replace(verdict, states=states, whole=whole, lacking=lacking, deadlock=deadlock)
        if not free:
            answer = False if deadlock is not None and deadlock.sure else None
            verdict = replace(verdict, deadlock_free=answer)
            return replace(verdict, established=_established(verdict, reached.limit, False))
    return replace(verdict, established=_established(verdict, "", False))


def _lacking(reached: Reached) -> list[str]:
    """Cells that the table lacks, in words."""
    return [f"{kind} in {state}: {message}" for kind, state, message in reached.lacking]


FIRST = (2_000, 20_000)
"""States among which a deadlock is looked for first."""
EXPLORING = 0.6
"""Share of the time for states; the rest is for deadlocks and mappings."""


def _deadlocks_apart(table: StateTable, caches: int, addresses: int, deadline: Deadline) -> bool:
    """Whether a deadlock with a network for each message is found among the first states."""
    controllers = Controllers(each_alone(table), caches)
    for most in FIRST:
        reached = Reached(Packed(controllers))
        explore(reached, deadline, most)
        judge = Judge(controllers, reached, addresses)
        network = range(len(controllers.groups))
        deadlock = judge(network)[1]
        if deadlock is not None:
            return not _merged(judge.joints(network), deadlock)
    return False


def _named(table: StateTable, rows: Sequence[Sequence[int]]) -> list[list[str]]:
    """Messages of each row of groups."""
    return [[name for name in table.messages if table.groups.index(table.group(name)) in row] for row in rows]


def _merged(joints: Joints, deadlock: Deadlock) -> bool:
    """Whether a run depends on conditions that were left out, and may be no run of the protocol.

    So does a node that acts on a message and takes another one of the same network before it.
    """
    if not joints.stands(deadlock.states, dict(deadlock.order), deadlock.homes, surely=True):
        return True
    left: dict[tuple[int, int, int], tuple[int, object]] = {}
    for move in deadlock.moves:
        step = move.step
        if step.merged:
            return True
        if step.channel is not None:
            queue = (move.address if deadlock.homes > 1 else 0, step.node, step.channel.group)
            if left.get(queue, (move.address, step.message)) != (move.address, step.message):
                return True
            if step.leaves:
                left[queue] = (move.address, step.message)
            else:
                left.pop(queue, None)
    return False


def _established(verdict: TableVerdict, limit: str, unless_lacking: bool) -> str:
    """What is shown, in words."""
    table = verdict.table
    caches = f"{verdict.caches} nodes of kind {next(kind.name for kind in table.kinds if kind.many)}"
    number = len([name for name in table.designed if name not in table.inside])
    if verdict.deadlock_free and verdict.addresses is not None:
        return f"no messages can block each other with {caches} and {verdict.addresses} addresses, in their rooms"
    if verdict.deadlock_free:
        return f"no messages can block each other on {number} networks, with {caches}, any addresses and any homes"
    if verdict.deadlock is not None and verdict.deadlock_free is False:
        steps, addresses = len(verdict.deadlock.moves), len(verdict.deadlock.states)
        later = "whatever cores begin later" if verdict.lasting else "while cores begin nothing more"
        return f"after {steps} steps with {caches} and {addresses} addresses no message moves, {later}"
    if verdict.deadlock is not None:
        return "undecided: the deadlock that was found takes conditions that were left out"
    if table.unknown:
        return f"undecided: not all was understood, {table.unknown[0]} first"
    if verdict.lacking:
        cells = f"{len(verdict.lacking)} cells that are needed, {verdict.lacking[0]} first"
        rest = "; while none is, no messages can block each other" if unless_lacking else ""
        return f"undecided: the table lacks {cells} after {len(verdict.missing)} steps{rest}"
    if not verdict.whole:
        return f"undecided: not all states of an address were found; the search ended at {limit}"
    return "undecided: messages could block each other, and no run to that was found"
