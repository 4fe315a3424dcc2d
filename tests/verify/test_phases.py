"""Chunks in phases against an exploration of its own, and against the claims of docs/why-does-it-hang.md."""

from __future__ import annotations

import copy
import itertools
import json
from dataclasses import replace

import pytest

from unknot.certificates import Rejected, accept, document
from unknot.verify.explorer import explored
from unknot.verify.phases import Advance, PhasedChunks, PhaseError, check_phases, replayed

ALL_REDUCE = {1: "0", 2: "010", 3: "01210"}


class Twin:
    """The same nodes again, as mutable lists: who sits where, and who waits since when."""

    def __init__(self, shape: tuple[int, ...], chunks: int, slots: int, together: bool) -> None:
        self.nodes = list(itertools.product(*map(range, shape)))
        self.order = [int(d) for d in ALL_REDUCE[len(shape)]]
        self.chunks, self.slots, self.together = chunks, slots, together

    def states_after(self, run: tuple[Advance, ...] | None) -> bool:
        """Follow a run, or all runs: whether there is a deadlock at its end, or anywhere."""
        started: frozenset[tuple[int, int, int]] = frozenset()  # node, chunk, phase
        ended = started
        arrived: tuple[tuple[int, int, int], ...] = ()
        if self.together:
            arrived = tuple((n, c, 0) for n in range(len(self.nodes)) for c in range(self.chunks))
        state = self.settled(arrived, started, ended)
        if run is not None:
            for step in run:
                choices = self.following(*state)
                assert (step.node, step.chunk) in choices
                state = choices[step.node, step.chunk]
            return self.stuck(state)
        seen, stack = {state}, [state]
        while stack:
            state = stack.pop()
            if self.stuck(state):
                return True
            new = set(self.following(*state).values()) - seen
            seen |= new
            stack += new
        return False

    def stuck(self, state: tuple) -> bool:
        return not self.following(*state) and len(state[2]) < len(self.nodes) * self.chunks * len(self.order)

    def settled(self, arrived: tuple, started: frozenset, ended: frozenset) -> tuple:
        """Let waiting chunks take free slots, oldest first."""
        use: dict[tuple[int, int], int] = {}
        for n, _, p in started - ended:
            use[n, self.order[p]] = use.get((n, self.order[p]), 0) + 1
        for n, c, p in arrived:
            if (n, c, p) not in started and use.get((n, self.order[p]), 0) < self.slots:
                started |= {(n, c, p)}
                use[n, self.order[p]] = use.get((n, self.order[p]), 0) + 1
        waiting = tuple(sorted((x for x in arrived if x not in started), key=lambda x: (x[0], self.order[x[2]])))
        return waiting, started, ended

    def following(self, waiting: tuple, started: frozenset, ended: frozenset) -> dict[tuple[int, int], tuple]:
        choices = {}
        issued = {(n, c) for n, c, p in (*waiting, *started) if p == 0}
        for n in range(len(self.nodes)):
            fresh = next((c for c in range(self.chunks) if (n, c) not in issued), None)
            if fresh is not None:
                choices[n, fresh] = self.settled((*waiting, (n, fresh, 0)), started, ended)
        for n, c, p in started - ended:
            at = self.nodes[n]
            line = [
                m
                for m, other in enumerate(self.nodes)
                if all(x == y for d, (x, y) in enumerate(zip(at, other, strict=True)) if d != self.order[p])
            ]
            if all((m, c, p) in started for m in line):
                more = ((n, c, p + 1),) if p + 1 < len(self.order) else ()
                choices[n, c] = self.settled((*waiting, *more), started, ended | {(n, c, p)})
        return choices


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(
    ("shape", "chunks", "slots", "together"),
    [
        ((2, 2), 2, 1, False),
        ((2, 2), 2, 1, True),
        ((2, 2), 3, 1, True),
        ((2, 1), 2, 1, False),
        ((2, 1), 3, 2, False),
        ((1, 2, 2), 2, 1, True),
        ((3, 1), 2, 1, True),
        ((3,), 2, 1, False),
    ],
)
def test_small_systems_as_explored(shape: tuple[int, ...], chunks: int, slots: int, together: bool) -> None:
    system = PhasedChunks(shape, chunks, slots, together=together)
    verdict, twin = check_phases(system), Twin(shape, chunks, slots, together)
    assert verdict.deadlock_free is not twin.states_after(None)
    if verdict.run:
        assert twin.states_after(verdict.run)


@pytest.mark.long
def test_a_slot_less_than_chunks_deadlocks_a_torus_as_published() -> None:
    torus = PhasedChunks((4, 4, 4), chunks=3, slots=2, together=True)
    verdict = check_phases(torus)
    assert verdict.deadlock_free is False
    end = replayed(torus, verdict.run)
    assert not any(torus.moves(end))
    assert not torus.done(end)
    assert check_phases(replace(torus, slots=3)).deadlock_free
    assert check_phases(replace(torus, slots=1, fixed_order=True)).deadlock_free


@pytest.mark.parametrize(("shape", "slots"), [((2, 2), 1), ((2, 1), 2)])
def test_one_order_for_all_is_free_in_every_state(shape: tuple[int, ...], slots: int) -> None:
    system = PhasedChunks(shape, chunks=slots + 1, slots=slots, fixed_order=True)
    seen, stack = {system.initial()}, [system.initial()]
    while stack:
        state = stack.pop()
        following = {after for _, after in system.moves(state)}
        assert following or system.done(state)
        stack += following - seen
        seen |= following


def test_the_limit_of_a_search_counts_nodes_and_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state holds the phases of all nodes and chunks: a system of many states is left open, one of few is not."""
    system = PhasedChunks((2,), chunks=2, slots=1)
    assert check_phases(system).deadlock_free is not None
    states = explored(system.initial(), system.moves, lambda state: False, 10**6).states
    each = len(system.nodes) * system.chunks
    monkeypatch.setattr("unknot.verify.phases.SEARCH_LIMIT", states * each)
    assert explored(system.initial(), system.moves, lambda state: False, states).complete
    assert check_phases(system).kind == "states"
    monkeypatch.setattr("unknot.verify.phases.SEARCH_LIMIT", (states - 1) * each)
    assert check_phases(system).kind == ""


def test_bad_descriptions_and_runs() -> None:
    for words in ({"shape": ()}, {"shape": (2, 0)}, {"shape": (2,), "slots": 0}, {"shape": (2,), "phases": (1,)}):
        with pytest.raises(PhaseError):
            PhasedChunks(**{"chunks": 2, **words})
    system = PhasedChunks((2, 2), 2)
    for run in ((Advance(0, 1),), (Advance(4, 0),), (Advance(0, 0),) * 2, check_phases(system).run[1:]):
        with pytest.raises(PhaseError, match="is not possible there"):
            replayed(system, run)


def test_the_checker_accepts_each_kind_of_evidence_and_no_other() -> None:
    ring = PhasedChunks((2, 2), 2)
    shown = []
    for system in (
        ring,
        replace(ring, slots=2),
        replace(ring, fixed_order=True),
        PhasedChunks((3,), 3, phases=(0, 0)),
    ):
        verdict = check_phases(system)
        good = json.loads(json.dumps(document(None, None, [verdict.claim(system)])))
        shown += accept(good)
        kinds = {"slots", "order", "states", "run"} - {verdict.kind}
        for change in (
            {"deadlock_free": not verdict.deadlock_free},
            *({"proof": {"kind": kind, "run": []}} for kind in kinds - {"states"}),
            {"shape": []},
            {"phases": [7]},
            {"slots": 0},
            {"chunks": True},
            {"proof": {"kind": "run", "run": [[0, 0]]}},
        ):
            changed = copy.deepcopy(good)
            changed["claims"][0] |= change
            with pytest.raises(Rejected):
                accept(changed)
    assert [line.split(": ")[1].split()[0] for line in shown] == ["after", "free", "free", "after"]
    free = PhasedChunks((1,), 2)
    assert check_phases(free).kind == "states"
    assert "in each of" in accept(document(None, None, [check_phases(free).claim(free)]))[0]


@pytest.mark.parametrize("phases", [(0, 1), (0, 1, 0), (0, 0), (1, 0)])
def test_every_answer_is_accepted(phases: tuple[int, ...]) -> None:
    for shape, chunks, slots, together in itertools.product([(2, 1), (1, 2), (2, 2)], [1, 2], [1], [False, True]):
        system = PhasedChunks(shape, chunks, slots, phases, together)
        verdict = check_phases(system)
        assert accept(document(None, None, [verdict.claim(system)]))
