"""Faults in the clauses of searches and of checkers, as data, and what they are noticed by.

Rules have clauses of the search and others of the checker. A question is put to both: what the search excludes must
contradict the checker's clauses, and what it finds must fulfil them. Of lanes too, where brute force answers the
same question besides.
"""

from __future__ import annotations

import importlib
import inspect
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np
import pytest
from pysat.solvers import Solver

from tests.reference import climbing
from unknot._base.deadline import clock
from unknot.certificates import plain
from unknot.certificates.documents import network_of
from unknot.lane_assignment import second_opinion
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.evidence import accept
from unknot.lane_assignment.lane_refutation import Refutation
from unknot.lane_assignment.served_pairs import shortest_pairs
from unknot.network import Network, from_edges
from unknot.network.families import mesh, ring
from unknot.search.effort import SearchEffort
from unknot.synthesis import Request, Space
from unknot.synthesis import accept as accept_design
from unknot.synthesis.impossible import Impossible, refutation
from unknot.synthesis.proofs import NoProof, proved_rule
from unknot.synthesis.search import Search

ROOT = Path(__file__).parents[2]
SECONDS = 20.0
"""Processor time after which a fault is noticed because there is no answer."""


@dataclass(frozen=True)
class Fault:
    """A text in a function, and what stands there instead."""

    function: str
    old: str
    new: str


RULES = "unknot.synthesis."
NEEDS = RULES + "requirements:Requirements."
FAMILY = "unknot.certificates.plain.rule:Family."
ENCODER, CHECKER = "unknot.certificates.plain.encoder:Encoder.", "unknot.certificates.plain.rules:Rules."
FAULTS = (
    # The checker of lanes.
    Fault(ENCODER + "serve", "range(min(first_lanes, self.lanes))", "range(1)"),
    Fault(ENCODER + "serve", "for j in range(len(paths))))", "for j in range(1)))"),
    Fault(ENCODER + "serve", 'self._turn(("path", pair, j), pair, lanes, c, e)', "pass"),
    Fault(ENCODER + "serve", '(-self.variable("then", pair, c, e), self.variable("uses", pair, e))', "(1, -1)"),
    Fault(ENCODER + "begin", "== hops[pair[0]] - 1]", "== hops[pair[0]] - 1][:1]"),
    Fault(ENCODER + "after", "c % self.levels <= e % self.levels", "c % self.levels < e % self.levels"),
    Fault(ENCODER + "_turn", "-self.lane(pair, k), ", ""),
    Fault(ENCODER + "_turn", '("turn", k, c, e)', '("turn", 0, c, e)'),
    Fault(ENCODER + "lane", "self.ends(pair) if self.shared else pair", "pair"),
    Fault(
        ENCODER + "forbid",
        "turns = around(cycle)",
        "turns = [*zip(cycle, cycle[1:])]",
    ),
    Fault(ENCODER + "order", "circle, tuple(-x for x in circle)", "circle"),
    Fault(ENCODER + "_before", 'c < e else -self.variable("before", k, e, c)', "c < e else 1"),
    # The search for rules.
    Fault(NEEDS + "_reach", "self.clauses.append((here,))", "pass"),
    Fault(NEEDS + "_reach", 'self.clauses.append((-here, -permission, self("reach", kind, (out, then))))', "pass"),
    Fault(
        NEEDS + "_reach", "needed = list(by_dimension.values())", "needed = [p[:1] for p in by_dimension.values()]"
    ),
    Fault(NEEDS + "__init__", "request.bnrs(space) + 1", "request.bnrs(space)"),
    Fault(NEEDS + "provide", "(-self(*key), *steps)", "(-self(*key), *steps[:1])"),
    Fault(NEEDS + "provide", "self.clauses.append(tuple(last))", "self.clauses.append(tuple(last[:1]))"),
    Fault(RULES + "search:clause_of", "lacked.add(space.number[(*state, out)])", "pass"),
    Fault(RULES + "search:clause_of", "used.add(_permission(frame, at, message.address, vc))", "pass"),
    Fault(RULES + "search:images", "for x in clause:", "for x in clause[:-1]:"),
    Fault(RULES + "space:Space.after", "(signs, done)", "(done,)"),
    # The checker of rules.
    Fault(CHECKER + "__init__", "self._leave(at, (), None)", "pass"),
    Fault(CHECKER + "__init__", "2**self.sides - least + 1", "2**self.sides - least"),
    Fault(FAMILY + "comes", "(hop[1], done)", "(done,)"),
    Fault(CHECKER + "_leave", "self.types[out][0] if every else 0", "0"),
    Fault(
        CHECKER + "_leave",
        "[(*unless, *way) for way in onward.values()]",
        "[(*unless, *way[:1]) for way in onward.values()]",
    ),
    Fault(CHECKER + "_class", '-self("all", kind), taken), kind)', '-self("all", kind), taken), None)'),
    Fault(CHECKER + "path", '(*unless, *(self("on", key, k, out) for out in here))', "(1, -1)"),
    Fault(CHECKER + "deadlock", "literals.add((False, hop))", "pass"),
    Fault(CHECKER + "deadlock", " if (here, out) not in taken", ""),
    Fault(CHECKER + "moved", " * self.types[t][1] * self.types[u][1]", ""),
)


def lanes_agree(
    network: Network,
    count: int,
    changes: str,
    most_paths: int = plain.MOST_PATHS,
    most_ordered: int = second_opinion.MOST_ORDERED,
) -> None:
    """Compare what the clauses of lanes exclude with brute force; of networks too large to be ordered by cycles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unknot.certificates.plain.encoder.MOST_PATHS", most_paths)
        patch.setattr(second_opinion, "MOST_ORDERED", most_ordered)
        effort = SearchEffort(clock() + 600)
        answer = refute(shortest_pairs(network, None), count, effort, changes=changes, conflicts=10_000)
        if isinstance(answer, Refutation):
            assert accept(network, answer) == count
    assert not effort.disagreements, "search and checker disagree"
    if changes in plain.KEPT:
        fewest = climbing.fewest_lanes(network, count, both_ways=changes == "shared")
    else:
        fewest = climbing.fewest_changing(network, count, changes)
    assert isinstance(answer, Refutation) == (fewest > count), "the clauses exclude something else than brute force"


def possible_in_a_lane() -> None:
    """Routes that take all turns of a cycle but one need no second lane, and no clause may say so."""
    encoder = plain.Encoder(
        plain.Network(network_of(from_edges([(i, (i + 1) % 4) for i in range(4)], directed=True))), 1, "none"
    )
    for pair in ((0, 3), (1, 0)):
        encoder.serve(pair, 1)
    encoder.limit()
    encoder.forbid(range(4))
    with Solver(name="glucose4", bootstrap_with=encoder.clauses) as solver:
        assert solver.solve(), "the clauses exclude routes without a cycle"


def rules_agree(counts: Any, switching: Any, request: Request, *, walks: bool = False) -> None:
    """Compare what the search for rules says with the checker's clauses."""
    space, effort = Space(counts), SearchEffort(clock() + 600)
    if walks:
        proved = proved_rule(space, request, switching, effort)
        none = proved if isinstance(proved, NoProof) else NoProof((), ())
        refuted, paths, cycles = [], list(none.paths), none.walks
        offers = None if proved is none else proved[0]
    else:
        search = Search(space, request, switching)
        offers = search.survive((3,) * len(counts), effort)
        refuted, paths, cycles = search.refuted, search.paths, ()
    if offers is None:
        evidence = refutation(space, request, switching, refuted, paths, cycles, effort)
        assert evidence is not None
        accept_design(evidence)
        return
    claim = Impossible(space, request, switching, tuple(refuted), tuple(paths), cycles, ()).claim
    rules = plain.rule_clauses(claim, claim["proof"])
    injection = space.injection
    chosen = [
        rules("hop", hop) * (1 if offers[space.number[injection if hop[0] < 0 else hop[0], hop[1], hop[2]]] else -1)
        for hop in rules.hops
    ]
    with Solver(name="glucose4", bootstrap_with=rules.clauses) as solver:
        assert solver.solve(assumptions=chosen), "the checker's clauses exclude the rule that the search found"


def drawn(seed: int) -> Network:
    """A small network in which every router can reach every other: a one-way ring and more channels."""
    draw = np.random.default_rng(seed)
    routers = int(draw.integers(4, 7))
    ring_of = {(i, (i + 1) % routers) for i in range(routers)}
    more = {(int(u), int(v)) for u, v in draw.integers(routers, size=(routers, 2)) if u != v}
    return from_edges(sorted(ring_of | more), directed=True)


ONE_WAY = from_edges([(i, (i + 1) % 5) for i in range(5)], directed=True)
FOUR, FIVE = ((1, 1), (1, 1)), ((1, 1), (1, 2))
LANES = (
    possible_in_a_lane,
    *(partial(lanes_agree, mesh(3, 3), 1, changes) for changes in ("none", "any")),
    *(partial(lanes_agree, mesh(3, 3), 1, changes, 0) for changes in ("none", "any")),
    *(partial(lanes_agree, ONE_WAY, count, "none") for count in (1, 2, 3)),
    *(partial(lanes_agree, mesh(3, 3), 1, changes, most_ordered=0) for changes in ("none", "any")),
    *(partial(lanes_agree, drawn(seed), count, "none", most_ordered=0) for seed in range(6) for count in (1, 2)),
    *(partial(lanes_agree, ring(5), 1, changes, most_ordered=0) for changes in ("none", "shared", "rising")),
    *(partial(lanes_agree, ring(5), count, changes) for changes in ("none", "shared", "rising") for count in (1, 2)),
    *(
        partial(lanes_agree, drawn(seed), count, changes, 1000 * (seed % 2))
        for seed in range(12)
        for count in (1, 2)
        for changes in ("none", "shared", "rising", "any")
    ),
)
DESIGNS = (
    *(
        partial(rules_agree, counts, switching, Request(adaptive, least))
        for switching in ("vct", "wormhole", "wormhole-nonatomic")
        for adaptive in ("states", "paths")
        for counts, least in ((FOUR, 1), (FOUR, 2), (FOUR, 3), (FOUR, None), (FIVE, 3), (FIVE, None))
    ),
    partial(rules_agree, ((1, 2), (1, 2)), "wormhole", Request()),
    *(partial(rules_agree, ((1, 1),) * 3, "vct", Request("states", least)) for least in (3, 6)),
    *(
        partial(rules_agree, counts, "wormhole-nonatomic", Request(adaptive), walks=True)
        for counts in (FOUR, FIVE, ((1, 2), (1, 2)), ((1, 2), (1, 3)))
        for adaptive in ("states", "paths")
    ),
)


def noticed(function: str, code: CodeType, questions: Sequence[Callable[[], None]] = ()) -> str:
    """How a fault in a function is noticed by the other encoder; empty if it is not."""
    encoders = (*DESIGNS, *LANES) if "ules" in function else (*LANES, *DESIGNS)
    with planted(function, code):
        for question in questions or encoders:
            try:
                question()
            except Exception as error:  # mostly disagreement or rejection, but a fault may end in any way
                return f"{type(error).__name__}: {error}"[:80]
    return ""


ENCODERS = {
    "synthesis/requirements.py": ("Requirements.", "class_of"),
    "synthesis/search.py": ("clause_of", "images"),
    "certificates/plain/encoder.py": ("Encoder.", "lane_clauses", "copied"),
    "certificates/plain/lanes.py": ("RouteEncoder.",),
    "certificates/plain/rule.py": ("Family.outs", "Family.comes", "class_of"),
    "certificates/plain/rules.py": ("Rules.", "rule_clauses"),
}
"""Functions that make clauses, by file."""


def drawn_faults(count: int, seed: int) -> list[tuple[str, str, str]]:
    """Faults drawn from all single ones in the encoders, each with its function and how it is noticed, if it is."""
    from tests.mutation.sites import mutants

    every = [
        (f"unknot.{path.removesuffix('.py').replace('/', '.')}:{mutant.function}", mutant)
        for path, names in ENCODERS.items()
        for mutant in mutants(ROOT, ROOT / "src" / "unknot" / path)
        if mutant.function.startswith(names)
    ]
    chosen = random.Random(seed).sample(every, count)
    return [(function, mutant.key, noticed(function, mutant.code())) for function, mutant in chosen]


def source_of(fault: Fault) -> str:
    """The source of a function; the line that its fault changes is there, once."""
    part = inspect.getsource(_function(fault.function))
    assert part.count(fault.old) == 1, fault
    return part


def code_of(fault: Fault) -> CodeType:
    """The code of a function with a fault."""
    from tests.mutation.sites import _within

    module, _, name = fault.function.partition(":")
    part, whole = source_of(fault), inspect.getsource(importlib.import_module(module))
    whole = whole.replace(part, part.replace(fault.old, fault.new))
    code = _within(compile(whole, module, "exec"), name.split("."))
    assert code is not None
    return code


@contextmanager
def planted(function: str, code: CodeType) -> Iterator[None]:
    """Give a function other code for a while, and no more than `SECONDS` of processor time."""

    def too_long(_: int, frame: FrameType | None) -> None:
        raise TimeoutError("no answer")

    target = _function(function)
    before, target.__code__ = target.__code__, code
    handler = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        target.__code__ = before


def _function(path: str) -> FunctionType:
    module, _, name = path.partition(":")
    owner: Any = importlib.import_module(module)
    for part in name.split("."):
        owner = getattr(owner, part)
    assert isinstance(owner, FunctionType)
    return owner
