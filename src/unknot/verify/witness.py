"""From blocked worms to a deadlock configuration: cut down, led back to the terminals, graded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from unknot._base.deadline import clock
from unknot._base.errors import RelationError
from unknot._base.numbers import require_whole
from unknot._base.switching import Switching
from unknot.certificates.verdict import Configuration, Message, Reachability
from unknot.flow_control.techniques import technique
from unknot.routing.relation import Relation
from unknot.verify.closed_sets import own_terminals, reduce
from unknot.verify.exact import Surroundings
from unknot.verify.exact_model import Model, Worm, fewest, solver_for
from unknot.verify.explorer import Ways
from unknot.verify.remainder import among

SECONDS = 5.0
"""Time limit of each question to the solver, in seconds, beside a limit that no machine changes."""
FEW = 4
"""Messages below which no smaller set is looked for."""
STATES = 30_000
"""States on some VCs up to which worms on them are chosen anew."""
KNOTS = 50
"""Sets of worms that block each other, to none of which a way is found, after which the question is left open."""
EDGES = 100_000
"""Steps of all lead-ins together up to which the solver is asked."""


class LeadIns:
    """Ways from injection to the tails of worms; `limited` when a limit ended a search for them."""

    def __init__(self, relation: Relation, end: float = inf) -> None:
        self.relation, self.end = relation, end
        self.ways = Ways(relation)
        self.limited = False

    @property
    def seconds(self) -> float:
        """Time in seconds that the solver may take for a question."""
        return min(SECONDS, self.end - clock())

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return clock() > self.end

    def leads(self, worm: Worm, banned: Iterable[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield terminals with a shortest way to the tail of a worm, past some VCs and its own."""
        closed = {*banned, *worm.path}
        for port, *way in self.ways.to(worm.path[0], worm.address, lambda at, _: at not in closed):
            yield port - self.relation.num_vcs, tuple(way[:-1])


def configuration(
    relation: Relation,
    worms: Sequence[Worm],
    switching: Switching,
    buffer_depth: int,
    *,
    as_it_is: bool = False,
    end: float = inf,
) -> Configuration:
    """The configuration of a set of blocked worms, made smaller where that is easy, and graded.

    `injected` is preferred to `scheduled`, and that to `not-established`. For the worms that are returned the grades
    are decided, unless the way back to the terminals is beyond `EDGES` or takes the solver more than seconds.

    Parameters
    ----------
    as_it_is : bool
        Keep the worms, and hold no VC but theirs.
    end : float
        When to stop looking for something better, on `unknot._base.deadline.clock`; the grade may then be open.
    """
    lead_ins = LeadIns(relation, end)
    worms = reduce(worms)
    flow = technique(switching)
    stretch = flow.exclusive and not as_it_is
    injected = _injected(lead_ins, worms, stretch)
    choices = [worms]
    if not as_it_is and not flow.queueing and (injected is None or len(worms) > FEW):
        choices = [*_smaller(lead_ins, worms, switching, injected is not None), worms]
        led = (_injected(lead_ins, choice, stretch) for choice in choices[:-1])
        injected = next((led_back for led_back in led if led_back is not None), injected)
    made = partial(_configuration, lead_ins, switching, buffer_depth)
    if injected is not None:
        return made("injected", injected)
    for choice in choices:
        scheduled = _scheduled(lead_ins, choice)
        if scheduled is not None:
            return made("scheduled", scheduled)
    tails = [(worm, replace(worm, path=worm.path[:1])) for worm in choices[0]]
    return made("not-established", [(worm, *next(lead_ins.leads(tail, banned=()))) for worm, tail in tails])


def require_depth(buffer_depth: int, function: str) -> None:
    """Refuse what is no number of flits; RelationError."""
    require_whole(f"{function}: the buffer depth", buffer_depth, 1, unit="flits", error=RelationError)


def reachable_configuration(
    relation: Relation, switching: Switching, buffer_depth: int, end: float = inf
) -> Configuration | None:
    """A configuration with a way into it, among the first `KNOTS` that the solver finds on all VCs; None if none has.

    The solver proposes those of few messages first, and never the same again.
    """
    lead_ins = LeadIns(relation, end)
    part = among(relation, range(relation.num_vcs), switching, limit=STATES)
    if part is None:
        return None
    model = Model(part.pruned())
    model.model.add_bool_or(model.stay)
    model.model.minimize(sum(model.stay))
    for _ in range(KNOTS):
        worms = model.solve(lead_ins.seconds, work=2.0)
        if isinstance(worms, bool) or lead_ins.late:
            return None
        worms = reduce(worms)
        injected = _injected(lead_ins, worms, technique(switching).exclusive)
        led = injected or _scheduled(lead_ins, worms)
        if led:
            return _configuration(lead_ins, switching, buffer_depth, "injected" if injected else "scheduled", led)
        model.forbid(worms)
    return None


def _smaller(lead_ins: LeadIns, worms: Sequence[Worm], switching: Switching, injected: bool) -> Iterator[list[Worm]]:
    """Other worms instead, the better first: on the same VCs, straight from their terminals if possible; else around.

    The first is as good as it gets when it comes straight from terminals, and then it is the only one.
    """
    relation = lead_ins.relation
    held = np.array(sorted(vc for worm in worms for vc in worm.path))
    source = relation.network.source[relation.vcs.channel[held]].tolist()
    for size, injecting, work in ((0, relation, 0.2), (0, None, 0.2), (3, relation, 0.5), (8, relation, 0.5)):
        if (size and injected) or lead_ins.late:
            return
        vcs = held
        if size:
            everything = Surroundings(relation, np.arange(relation.num_vcs))
            vcs = everything.window(everything.around(source, size * len(set(source)))).vcs
        part = among(relation, vcs.tolist(), switching, limit=STATES)
        if part is None:
            return
        smaller, _ = fewest(part.pruned().merged(), lead_ins.seconds, injected=injecting, work=work)
        if isinstance(smaller, list):
            yield reduce(smaller)
            if injecting is not None:
                return


Led = tuple[Worm, int, tuple[int, ...]]
"""A worm with its source terminal and the VCs from there to its tail."""


def _injected(lead_ins: LeadIns, worms: Sequence[Worm], stretch: bool) -> list[Led] | None:
    """Lead every worm back to a terminal of its own, holding all the way; unless `stretch`, it must start there."""
    if not stretch:
        return _at_terminals(lead_ins, worms)
    chosen: list[Led] = []
    held = {vc for worm in worms for vc in worm.path}
    for worm in worms:
        taken = {terminal for _, terminal, _ in chosen}
        way = next((way for way in lead_ins.leads(worm, held) if way[0] not in taken), None)
        if way is None:
            return _led_back(lead_ins, worms)
        chosen.append((worm, *way))
        held.update(way[1])
    return [(replace(w, path=lead + w.path), t, ()) for w, t, lead in chosen]


def _at_terminals(lead_ins: LeadIns, worms: Sequence[Worm]) -> list[Led] | None:
    """A terminal of its own for each worm, from which its tail is entered straight; decided by matching."""
    relation, doors = lead_ins.relation, []
    for worm in worms:
        graph, sources = lead_ins.ways.graph(worm.address), relation.sources(worm.address).tolist()
        doors.append([t for t in sources if worm.path[0] in graph[relation.num_vcs + t]])
    own = own_terminals(doors)
    return [(worm, terminal, ()) for worm, terminal in zip(worms, own, strict=True)] if own else None


def _led_back(lead_ins: LeadIns, worms: Sequence[Worm]) -> list[Led] | None:
    """Lead messages back by constraint solving, which finds any existing way within its limits.

    Every worm sends one unit of flow from a terminal to its tail, over VCs that nobody holds, each used by one.
    """
    from ortools.sat.python import cp_model

    vcs = lead_ins.relation.num_vcs
    held = {vc for worm in worms for vc in worm.path}
    model = cp_model.CpModel()
    users: dict[int, list[Any]] = {}
    steps: list[dict[tuple[int, int], Any]] = []
    for worm in worms:
        if lead_ins.late:
            lead_ins.limited = True
            return None
        graph = lead_ins.ways.graph(worm.address)
        flow: dict[tuple[int, int], Any] = {}
        out: dict[int, list[Any]] = {}
        into: dict[int, list[Any]] = {worm.path[0]: []}
        for at, candidates in graph.items():
            if at not in held:
                for vc in set(candidates):
                    if vc == worm.path[0] or vc not in held:
                        flow[at, vc] = model.new_bool_var("")
                        out.setdefault(at, []).append(flow[at, vc])
                        into.setdefault(vc, []).append(flow[at, vc])
        if sum(map(len, steps)) + len(flow) > EDGES:
            lead_ins.limited = True
            return None
        model.add_exactly_one(into[worm.path[0]])
        for at in out.keys() | into.keys():
            if at >= vcs:
                users.setdefault(at, []).extend(out[at])
            elif at != worm.path[0]:
                model.add(sum(into.get(at, ())) == sum(out.get(at, ())))
                users.setdefault(at, []).extend(into.get(at, ()))
        steps.append(flow)
    for using in users.values():
        model.add_at_most_one(using)
    solver = solver_for(lead_ins.seconds)
    solver.parameters.max_deterministic_time = 2.0
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        lead_ins.limited |= status != cp_model.INFEASIBLE
        return None
    led: list[Led] = []
    for worm, flow in zip(worms, steps, strict=True):
        before = {vc: at for (at, vc), y in flow.items() if solver.boolean_value(y)}
        way = [before[worm.path[0]]]
        while way[-1] < vcs:
            way.append(before[way[-1]])
        led.append((replace(worm, path=(*way[-2::-1], *worm.path)), way[-1] - vcs, ()))
    return led


def _scheduled(lead_ins: LeadIns, worms: Sequence[Worm]) -> list[Led] | None:
    """An order in which each worm reaches its place around those already standing.

    Taken apart from the end: a worm that has a way around all others may come last; taking it off only helps the
    rest, so the greedy choice finds an order whenever there is one.
    """
    standing = list(worms)
    order: list[Led] = []
    while standing:
        for worm in standing:
            if lead_ins.late:
                lead_ins.limited = True
                return None
            held = [vc for other in standing if other is not worm for vc in other.path]
            way = next(lead_ins.leads(worm, held), None)
            if way is not None:
                order.append((worm, *way))
                standing.remove(worm)
                break
        else:
            return None
    return order[::-1]


def _configuration(
    lead_ins: LeadIns, switching: Switching, buffer_depth: int, reachability: Reachability, led: Sequence[Led]
) -> Configuration:
    messages = (
        Message(terminal, worm.address, len(worm.path) * buffer_depth, lead, worm.path, worm.waits)
        for worm, terminal, lead in led
    )
    limited = reachability != "injected" and lead_ins.limited
    return Configuration(switching, buffer_depth, reachability, tuple(messages), limited)
