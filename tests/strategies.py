"""Hypothesis strategies: small networks of every shape, well-formed relations over them, and relations by table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st

from unknot.network import Network, distances_from
from unknot.routing.parts import Addressing, Preference, Published
from unknot.routing.relation import EJECT, NO_WAIT, TIER, Relation
from unknot.routing.virtual_channels import VirtualChannels

Kind = Literal["single", "minimal", "loose", "ranked", "escape"]
KINDS: tuple[Kind, ...] = ("single", "minimal", "loose", "ranked", "escape")


@st.composite
def networks(
    draw: st.DrawFn,
    *,
    max_routers: int = 4,
    max_channels: int = 8,
    strongly_connected: bool | None = True,
    parallel: bool = True,
    loops: bool = False,
    latencies: bool = True,
    free_terminals: bool = True,
) -> Network:
    """Small networks: rings one way, trees both ways, and anything on top of them.

    Parameters
    ----------
    max_routers, max_channels : int
        Upper bounds; a spanning ring or tree is never cut short for `max_channels`.
    strongly_connected : bool or None
        True: every router reaches every other. None: as it comes.
    parallel, loops : bool
        Whether several channels may join the same routers, and whether a channel may lead back to its own router.
    latencies : bool
        Whether latencies differ; else all are 1.
    free_terminals : bool
        Whether terminals may be missing at some routers, several at others, and eject elsewhere than they inject;
        else one per router.
    """
    routers = draw(st.integers(1, max_routers))
    order = draw(st.permutations(range(routers)))
    frames = ["ring", "tree"] if strongly_connected else ["ring", "tree", "none"]
    frame = draw(st.sampled_from(frames)) if routers > 1 else "none"
    pairs: list[tuple[int, int]] = []
    if frame == "ring":
        pairs = [(order[i], order[(i + 1) % routers]) for i in range(routers)]
    elif frame == "tree":
        for i in range(1, routers):
            parent = order[draw(st.integers(0, i - 1))]
            pairs += [(parent, order[i]), (order[i], parent)]
    room = max(0, max_channels - len(pairs))
    possible = [(u, v) for u in range(routers) for v in range(routers) if loops or u != v]
    if possible and room:
        extra = draw(st.lists(st.sampled_from(possible), max_size=room))
        pairs += extra if parallel else [p for p in dict.fromkeys(extra) if p not in pairs]
    pairs = list(draw(st.permutations(pairs)))
    latency = [draw(st.integers(1, 3)) for _ in pairs] if latencies else 1
    inject = eject = list(range(routers))
    if free_terminals and draw(st.booleans()):
        place = st.integers(0, routers - 1)
        count = draw(st.integers(1, routers + 1))
        inject = [draw(place) for _ in range(count)]
        eject = [draw(place) for _ in range(count)] if draw(st.booleans()) else inject
    return Network(
        "random",
        routers,
        np.array([u for u, _ in pairs], dtype=np.int32),
        np.array([v for _, v in pairs], dtype=np.int32),
        latency,
        inject=inject,
        eject=eject,
    )


@st.composite
def relations(
    draw: st.DrawFn,
    network: Network | st.SearchStrategy[Network] | None = None,
    *,
    kinds: Sequence[Kind] = KINDS,
    max_vcs: int = 2,
    marks: bool = True,
    commits: bool | None = None,
    addresses: bool = True,
) -> Relation:
    """Well-formed relations backed by a random table over their reachable states.

    Candidates leave the right router, ejection is offered only where the address lives, and who has candidates waits
    for at least one. Delivery is not promised: dead ends and endless detours occur.

    Parameters
    ----------
    network : Network or strategy, optional
        By default `networks()`.
    kinds : sequence of str
        `single`: one candidate, one route per router and address. `minimal`: any VCs on shortest paths. `loose`: any
        VCs, detours and loops included. `ranked`: loose, but wherever possible some candidate that is waited for
        stands higher in a hidden order of the VCs, so that buffers can usually drain. `escape`: VC 0 of every
        channel is taken in ascending hidden order only and reaches home that way, the others lead anywhere from
        where that is possible; coming back from VC 0 to the others is allowed in some.
    max_vcs : int
        VCs per channel are drawn from 1 to this, differently for every channel.
    marks : bool
        Whether some candidates are not waited for and some have later tiers.
    commits : bool or None
        Whether headers commit to their choice; None draws it (rarely true).
    addresses : bool
        Whether some terminals may have several addresses, of which a source may use only some.
    """
    if network is None:
        network = networks()
    if not isinstance(network, Network):
        network = draw(network)
    kind = draw(st.sampled_from(kinds))
    counts = np.array([draw(st.integers(1, max_vcs)) for _ in range(network.num_channels)], dtype=np.int32)
    virtual = VirtualChannels(network, counts)
    options: dict[str, Any] = {"name": kind}
    destination = list(range(network.num_terminals))
    if addresses and draw(st.integers(0, 3)) == 3:
        terminal = st.integers(0, network.num_terminals - 1)
        destination = draw(st.lists(terminal, min_size=1, max_size=network.num_terminals + 1))
        options["destination"] = destination
        options["may_use"] = [[draw(st.booleans()) for _ in destination] for _ in range(network.num_terminals)]
    options["commits"] = draw(st.integers(0, 5)) == 5 if commits is None else commits
    writer = _Writer(draw, network, virtual, kind, marks)
    table: dict[tuple[int, int], list[int]] = {}
    for address, home in enumerate(destination):
        users = [
            t for t in range(network.num_terminals) if "may_use" not in options or options["may_use"][t][address]
        ]
        todo = [virtual.total + t for t in users]
        writer.turn_to(int(network.eject[home]))
        while todo:
            at = todo.pop()
            if (at, address) not in table:
                vcs, table[at, address] = writer.answer(at)
                todo += vcs
    return table_relation(network, virtual, table, **options)


class _Writer:
    """Draws the answers of one relation, address by address."""

    def __init__(self, draw: st.DrawFn, network: Network, virtual: VirtualChannels, kind: Kind, marks: bool) -> None:
        self.draw, self.network, self.virtual, self.kind = draw, network, virtual, kind
        self.marks = marks and draw(st.booleans())
        self.detours = kind == "single" and draw(st.booleans())
        self.rank = draw(st.permutations(range(virtual.total))) if kind in ("ranked", "escape") else []
        self.returns = kind == "escape" and draw(st.booleans())
        first, channels = network.outgoing
        self.leaving = [
            [int(c) for c in channels[first[router] : first[router + 1]]] for router in range(network.num_routers)
        ]

    def turn_to(self, home: int) -> None:
        """Begin an address that ejects at this router."""
        self.home = home
        self.distance = distances_from(self.network, home, reverse=True)
        self.route: dict[int, int] = {}
        self.homing: set[int] = set()
        if self.kind == "escape":
            for vc in sorted(self.virtual.first[:-1].tolist(), key=lambda vc: -self.rank[vc]):
                end = int(self.virtual.router[vc])
                if end == home or self._escapes(vc, end):
                    self.homing.add(vc)

    def _escapes(self, at: int, here: int) -> list[int]:
        """Escape VCs that leave a router, lead home and may follow the input VC in the hidden order."""
        bound = at < self.virtual.total and at == self.virtual.first[self.virtual.channel[at]]
        floor = self.rank[at] if bound else -1
        starts = [int(self.virtual.first[c]) for c in self.leaving[here]]
        return [vc for vc in starts if vc in self.homing and self.rank[vc] > floor]

    def answer(self, at: int) -> tuple[list[int], list[int]]:
        """The VCs that may be taken from an input VC, and the answer as a rule writes it."""
        here = int(self.virtual.router[at])
        if here == self.home and self.kind in ("single", "minimal", "escape"):
            return [], [EJECT]
        if self.kind == "single":
            chosen = self._next(here)
        elif self.kind == "escape":
            chosen = self._adaptive_and_escape(at, here)
        else:
            chosen = self._some(self._usable(here))
            if self.kind == "ranked":
                chosen = self._with_escape(at, here, chosen)
        leave = here == self.home and self.draw(st.integers(0, 7)) < 7
        return chosen, self._marked(at, chosen) + ([EJECT] if leave else [])

    def _usable(self, here: int) -> list[int]:
        channels = self.leaving[here]
        if self.kind == "minimal" or (self.kind == "single" and not self.detours):
            channels = [c for c in channels if self.distance[self.network.target[c]] == self.distance[here] - 1 >= 0]
        return [vc for c in channels for vc in range(int(self.virtual.first[c]), int(self.virtual.first[c + 1]))]

    def _next(self, here: int) -> list[int]:
        usable = self._usable(here)
        if not usable:
            return []
        if here not in self.route:
            self.route[here] = int(self.virtual.channel[self.draw(st.sampled_from(usable))])
        return [self.draw(st.sampled_from([vc for vc in usable if self.virtual.channel[vc] == self.route[here]]))]

    def _some(self, usable: list[int]) -> list[int]:
        mask = self.draw(st.integers(0, 2 ** len(usable) - 1))
        chosen = [vc for i, vc in enumerate(usable) if mask >> i & 1]
        if not chosen and usable and self.draw(st.integers(0, 7)) < 7:
            chosen = [self.draw(st.sampled_from(usable))]
        return chosen

    def _adaptive_and_escape(self, at: int, here: int) -> list[int]:
        escapes = self._escapes(at, here)
        if not escapes:
            return []
        firsts = set(self.virtual.first[:-1].tolist())
        free = [vc for vc in self._usable(here) if vc not in firsts]
        ends = {vc: int(self.virtual.router[vc]) for vc in free}
        free = [vc for vc in free if ends[vc] == self.home or self._escapes(vc, ends[vc])]
        adaptive = self._some(free) if self.returns or at not in firsts else []
        return [*adaptive, self.draw(st.sampled_from(escapes))]

    def _with_escape(self, at: int, here: int, chosen: list[int]) -> list[int]:
        floor = self.rank[at] if at < self.virtual.total else -1
        higher = [vc for vc in self._usable(here) if self.rank[vc] > floor]
        if higher and here != self.home and not any(vc in higher for vc in chosen):
            chosen = [*chosen, self.draw(st.sampled_from(higher))]
        return chosen

    def _marked(self, at: int, chosen: list[int]) -> list[int]:
        if not self.marks or not chosen:
            return list(chosen)
        must = chosen[-1]
        if self.kind == "ranked":
            must = max(chosen, key=lambda vc: self.rank[vc])
        mask = self.draw(st.integers(0, 4 ** len(chosen) - 1))
        return [
            vc + (NO_WAIT if mask >> 2 * i & 1 and vc != must else 0) + (TIER if mask >> 2 * i & 2 else 0)
            for i, vc in enumerate(chosen)
        ]


def table_relation(
    network: Network,
    vcs: Any,
    table: Mapping[tuple[int, int], Sequence[int]],
    *,
    addresses: int | None = None,
    **options: Any,
) -> Relation:
    """The relation that answers from a table.

    Parameters
    ----------
    network : Network
    vcs : int, array_like of int or VirtualChannels
        VCs per channel.
    table : mapping of (at, address) to candidates
        Candidates as a rule writes them: a VC or EJECT, plus ``tier * TIER``, plus NO_WAIT. States that are not
        there have no candidates.
    addresses : int, optional
        Number of addresses; by default that of the terminals, or of `destination` when it is among the options.
    options :
        Attributes of the `Relation`: name, destination, may_use, commits, claims, ….

    Examples
    --------
    >>> from unknot.network import from_edges
    >>> from unknot.routing import EJECT
    >>> pair = from_edges([(0, 1)], directed=True)
    >>> table_relation(pair, 1, {(1, 1): [0], (0, 1): [EJECT]}).candidates(0, 1)
    [Candidate(vc=None, tier=0, waits=True)]
    """
    virtual = vcs if isinstance(vcs, VirtualChannels) else VirtualChannels(network, vcs)
    destination = options.get("destination")
    if addresses is None:
        addresses = network.num_terminals if destination is None else len(destination)
    states = (virtual.total + network.num_terminals) * addresses
    rows: list[Sequence[int]] = [()] * states
    for (at, address), row in table.items():
        rows[at * addresses + address] = row
    start = np.zeros(states + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=start[1:])
    value = np.array([entry for row in rows for entry in row] or [0], dtype=np.int64)
    width = addresses

    def rule(at: int, address: int, out: Any) -> int:
        begin = start[at * width + address]
        count = start[at * width + address + 1] - begin
        for k in range(count):
            out[k] = value[begin + k]
        return count  # type: ignore[no-any-return]

    return Relation(network, virtual, rule, **{"name": "table", **in_parts(options)})


def in_parts(options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `Relation` that give it some attributes."""
    given = dict(options)
    for part, kind in (("addresses", Addressing), ("published", Published), ("preference", Preference)):
        own = {field.name: given.pop(field.name) for field in fields(kind) if field.name in given}
        if own:
            given[part] = kind(**own)
    return given
