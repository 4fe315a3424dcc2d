"""The tables of an empty network about to begin cycle 0; what they are is said in `layout`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.routing.relation import Relation
from unknot.simulation.ends import ends_of_buffers
from unknot.simulation.injection import Bursts, Lengths, length_shares
from unknot.simulation.layout import (
    AGED,
    ALLOCATION,
    BEGIN,
    CHANCE,
    COMMITS,
    COMPARES,
    COUNTERS,
    CREDIT,
    DEPTH,
    END,
    ENTRIES,
    EVERYONE,
    FIRST_END,
    FIRST_ROUTER,
    FIRST_TABLE,
    FIRST_WORD,
    HIGH,
    HOLDS,
    LARGE,
    LAST,
    LAST_ROUTER,
    LAST_WORD,
    LOCAL,
    MASK,
    MEASURE_FROM,
    MEASURE_TO,
    NO_CYCLE,
    NUM_VCS,
    ON,
    PACKET,
    PART,
    PARTS,
    PATIENCE,
    PLANES,
    RING,
    ROUNDS,
    ROUTING,
    SALT,
    SELECT,
    SEPARABLE,
    SIMPLE,
    SPAN,
    SPECULATIVE,
    SWITCHED,
    TABLES,
    TECHNIQUE,
    TRAVERSAL,
    VC,
    WORDS,
    State,
)
from unknot.simulation.router import ALLOCATORS, SELECTIONS, Router
from unknot.simulation.size import packets_in_a_buffer, wheel
from unknot.simulation.traffic import Pairs, scramble, streams
from unknot.switching import SWITCHINGS, Switching

Numbers = npt.NDArray[np.int64]
LINE = 64
"""Bytes of a cache line, on which tables begin."""
IN_CACHE = 10_000
"""Most input buffers whose tables stay in a second-level cache, about."""


def empty_network(
    relation: Relation,
    switching: Switching,
    *,
    packet_length: Lengths,
    buffer_depth: int,
    chance: float,
    seed: int,
    pairs: Pairs,
    router: Router,
    bursts: Bursts | None,
    threads: int,
) -> list[State]:
    """An empty network about to begin cycle 0, in as many parts as it has threads.

    Parameters
    ----------
    chance : float
        Probability that a terminal that sends at full rate creates a packet in a cycle, on average.
    pairs : Pairs
        Who sends to whom.
    """
    network = relation.network
    terminals, num_vcs = network.num_terminals, relation.num_vcs
    shares = length_shares(packet_length)
    held = packets_in_a_buffer(switching, buffer_depth, shares[0][0])
    tables = ends_of_buffers(relation, buffer_depth)
    words, frames = tables["words"], tables["frames"]
    num_words = len(frames) - 1
    inboxes = wheel(int(network.latency.max(initial=1)), router, threads)
    starts = streams(seed, terminals)
    by_router = np.argsort(network.inject, kind="stable")
    first = np.searchsorted(network.inject[by_router], np.arange(network.num_routers + 1))
    cuts = _cuts(frames, words, threads)
    many = terminals * SPAN if threads > 1 else 0
    slots = len(tables["inputs"]) * held + terminals + many
    local = (len(tables["inputs"]) - num_vcs) // terminals if terminals else 1
    rows = _terminal_rows(chance, pairs, bursts, starts, local)
    rows[:, FIRST_END] = tables["out_row"][num_vcs + local * np.arange(terminals)]
    tables |= {
        "ring": len(tables["inputs"]) * held,
        "inbox": inboxes * num_words,
        "outside": inboxes * num_words if threads > 1 else 0,
        "planes": 2 * buffer_depth.bit_length() * num_words,
        "progress": np.zeros((threads, 16), dtype=np.int64),
        "place_class": 0,
        "decided": 0,
        "first_decision": 0,
        "decisions": 0,
        "packets": slots * threads,
        "terminals": rows,
        "local_terminals": by_router,
        "terminal_first": first,
        "random": starts,
        "lengths": _length_limits(shares),
        "destination": relation.destination,
        "pair_first": pairs.pair_first,
        "address_range": pairs.address_range,
        "addresses": pairs.addresses,
        "keep": pairs.keep,
        "other": pairs.other,
        "direct": np.array(() if relation.direct is None else relation.direct).reshape(-1),
        "script": np.full(1, -1),
    }
    shared = {name: aligned(name, table) for name, table in tables.items()}
    setup = _setup(relation, switching, buffer_depth, seed, pairs, router, bursts)
    setup[[LOCAL, MASK, PARTS, WORDS, RING, PATIENCE]] = local, inboxes - 1, threads, num_words, held, inboxes + 7
    setup[SIMPLE] = is_simple(relation, router)
    setup[PLANES] = buffer_depth.bit_length()
    setup[LARGE] = len(tables["inputs"]) > IN_CACHE
    cells = 64 * int(np.diff(words).max(initial=1))
    parts = []
    for k in range(threads):
        setup[[FIRST_ROUTER, LAST_ROUTER, PART]] = cuts[k], cuts[k + 1], k
        setup[[FIRST_WORD, LAST_WORD]] = words[cuts[k]], words[cuts[k + 1]]
        own = {
            "free": 2 * slots,
            "latencies": 4096 + terminals + many,
            "offered": np.zeros(relation.max_candidates),
            "wanted": np.zeros(relation.max_candidates + local),
            "best": np.full((cells, 2), -1),
            "asked": cells * (relation.max_candidates + local),
        }
        part = state_of(setup, shared | {name: aligned(name, table) for name, table in own.items()})
        part.count[HIGH] = k * slots
        parts.append(part)
    return parts


def state_of(setup: Numbers, tables: dict[str, Any], count: Numbers | None = None) -> State:
    """A state over tables that `aligned` made, with addresses for the kernels; counters are 0, or copied."""
    raw = np.zeros(FIRST_TABLE + 2 * len(TABLES), dtype=np.int64)
    raw[:ENTRIES] = setup
    if count is not None:
        raw[ENTRIES:FIRST_TABLE] = count
    for k, name in enumerate(TABLES):
        raw[FIRST_TABLE + 2 * k : FIRST_TABLE + 2 * k + 2] = tables[name].ctypes.data, len(tables[name])
    return State(raw=raw, setup=raw[:ENTRIES], count=raw[ENTRIES : ENTRIES + COUNTERS], **tables)


def replaced(state: State, **tables: Any) -> State:
    """The state with some tables replaced."""
    fields = state._asdict()
    kept = {name: fields[name] for name in TABLES}
    return state_of(state.setup, kept | {name: aligned(name, table) for name, table in tables.items()}, state.count)


def aligned(name: str, values: Any) -> Any:
    """The values of a table as numbers of its width, on cache lines of their own; of a number: rows of zeros."""
    width, columns = TABLES[name]
    given = None if isinstance(values, int) else np.asarray(values)
    kind = np.dtype(np.uint64 if given is not None and given.dtype == np.uint64 else f"int{width}")
    rows = values if given is None else len(given)
    size = kind.itemsize * rows * max(1, columns)
    room = np.zeros(size + LINE, dtype=np.uint8)
    start = -room.ctypes.data % LINE
    table = room[start : start + size].view(kind).reshape((rows, columns) if columns else rows)
    if given is not None and size:
        table[...] = given
    return table


def is_simple(relation: Relation, router: Router) -> bool:
    """Whether routers can do with `simple_kernel`, if they have one word each."""
    return router.is_default and not relation.commits and relation.direct is None


def _cuts(frames: Numbers, words: Numbers, parts: int) -> Numbers:
    """First router of each part, and the end: parts of about as many buffers."""
    upto = frames[words[:-1], 0]
    last = int(upto[-1]) if upto.size else 0
    wanted = np.arange(1, parts) * (last / parts)
    return np.concatenate([[0], np.searchsorted(upto, wanted), [upto.size]]).astype(np.int64)


def _terminal_rows(
    chance: float, pairs: Pairs, bursts: Bursts | None, starts: npt.NDArray[np.uint64], local: int
) -> Numbers:
    rows = np.zeros((starts.size, 8), dtype=np.int64)
    rows[:, [PACKET, VC]] = -1
    rows[:, LAST] = local - 1
    share = 1.0 if bursts is None else bursts.share_on
    rows[:, CHANCE] = (chance * pairs.rate / share * 2**53).astype(np.int64)
    if bursts is not None:
        rows[:, ON] = [scramble(int(start) + 1) >> 11 < int(share * 2**53) for start in starts]
    return rows


def _length_limits(shares: tuple[tuple[int, float], ...]) -> Numbers:
    """For each packet length the end of its share × 2⁵³, and itself: int64 array, shape (lengths, 2)."""
    limits = np.round(np.cumsum([share for _, share in shares]) * 2.0**53).astype(np.int64)
    limits[-1] = 2**53
    return np.stack([limits, [length for length, _ in shares]], axis=1)


def _setup(
    relation: Relation,
    switching: Switching,
    depth: int,
    seed: int,
    pairs: Pairs,
    router: Router,
    bursts: Bursts | None,
) -> Numbers:
    setup = np.zeros(ENTRIES, dtype=np.int64)
    setup[[TECHNIQUE, DEPTH, NUM_VCS]] = SWITCHINGS.index(switching), depth, relation.num_vcs
    setup[[COMMITS, COMPARES]] = relation.commits, relation.comparison
    setup[[MEASURE_FROM, MEASURE_TO, EVERYONE]] = NO_CYCLE, NO_CYCLE, pairs.everyone
    setup[[ROUTING, ALLOCATION]] = router.routing_delay, router.vc_allocation_delay
    setup[[SWITCHED, TRAVERSAL, CREDIT]] = router.switch_allocation_delay, router.traversal_delay, router.credit_delay
    setup[[SEPARABLE, ROUNDS, AGED]] = ALLOCATORS.index(router.allocator), router.iterations, router.priority == "age"
    setup[[SPECULATIVE, HOLDS, SELECT]] = (
        router.speculative,
        router.hold_switch,
        SELECTIONS.index(router.selection or "all"),
    )
    setup[SALT] = np.array(scramble(seed + 0x5851F42D4C957F2D), dtype=np.uint64).view(np.int64)
    setup[[BEGIN, END]] = -1 if bursts is None else [int(bursts.begin * 2**53), int(bursts.end * 2**53)]
    return setup
