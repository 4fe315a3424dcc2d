"""Proofs for every size: a rule with a ranking by which it cannot deadlock on any mesh.

Three kinds, as the certificates of the prover have them, but about types in place of VCs:

- `order` (every technique): every permitted hop leads to a lower rank.
- `escape` (saf, vct): in every state one of the VCs that a blocked header waits for, the escape, ranks lower than
  the one it is in.
- `drain` (wormhole): the same, and after every permitted hop either the new escape ranks at most as high as the
  escape was, or so does the VC itself. So a worm whose lowest VC is c waits for something lower than c wherever its
  header stands, and of a set of blocked worms the one that holds the lowest VC is not blocked.

Which escape each state has is for a SAT solver to choose, with the rule or for a given one; closed walks of its
choices that come back to the same router become clauses, until a linear program finds the ranking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from unknot._base.switching import Switching
from unknot.flow_control.techniques import technique
from unknot.search.effort import SearchEffort
from unknot.synthesis.ranking import Kind, Proof, RankEdge, closed_walks, minus, ranked
from unknot.synthesis.requirements import Request, Word
from unknot.synthesis.search import Proposals, images
from unknot.synthesis.space import Flags, Space, State, Symmetry, moved_signs, symmetries, unit

IMAGES = 128
"""Most images of a closed walk that are forbidden with it."""


def kind_of(switching: Switching) -> Kind:
    """Return the weakest kind of proof for a technique."""
    flow = technique(switching)
    return "order" if flow.keeps else "escape" if flow.alone else "drain"


class _Choice(Proposals):
    """Variables for a rule, escapes and edges; closed walks are forbidden as they are met.

    With `plain` the escape depends on what remains only, and not on the VC that a header is in: fewer choices.
    """

    def __init__(
        self,
        space: Space,
        request: Request,
        kind: Kind,
        *,
        plain: bool = False,
        offers: Flags | None = None,
        waits: Flags | None = None,
    ) -> None:
        super().__init__(space, request)
        self.kind, self.plain = kind, plain
        self.walks: list[tuple[RankEdge, ...]] = []
        self.exact = True
        self.images = list(islice(symmetries(space), IMAGES))
        self.edges: dict[int, RankEdge] = {}
        self._edge: dict[RankEdge, int] = {}
        if kind == "order":
            self.solver.append_formula(self.requirements.dependencies())
        if offers is not None:
            self.solver.append_formula([[1 + i if offered else -1 - i] for i, offered in enumerate(offers.tolist())])
        self.solver.append_formula(self._clauses(waits))

    def escape(self, state: State, out: int) -> int:
        return self.requirements("escape", state[1] if self.plain else state, out)

    def edge(self, high: int, low: int, way: tuple[int, ...], *, strict: bool) -> int:
        edge = RankEdge(high, low, way, strict)
        if edge not in self._edge:
            what = ("depends", high, low) if self.kind == "order" else ("edge", edge)
            self._edge[edge] = self.requirements(*what)
            self.edges[self._edge[edge]] = edge
        return self._edge[edge]

    def _clauses(self, waits: Flags | None) -> Iterator[tuple[int, ...]]:
        space, hop = self.space, [unit(t.dimension, t.sign, self.space.dimensions) for t in self.space.types]
        for state in space.states:
            held, signs = state
            reach = self.requirements("reach", None, state)
            permitted = {out: 1 + space.number[held, signs, out] for out in space.outs[state]}
            if held == space.injection:
                continue
            if self.kind == "order":
                for out in permitted:
                    self.edge(held, out, hop[out], strict=True)
                continue
            escapes = [out for out in permitted if waits is None or waits[permitted[out] - 1]]
            yield -reach, *(self.escape(state, out) for out in escapes)
            for out in escapes:
                yield -reach, -self.escape(state, out), permitted[out]
                yield -reach, -self.escape(state, out), self.edge(held, out, hop[out], strict=True)
            if self.kind == "drain":
                yield from self._onward(state, reach, permitted, escapes, hop)

    def _onward(
        self, state: State, reach: int, permitted: dict[int, int], escapes: list[int], hop: list[tuple[int, ...]]
    ) -> Iterator[tuple[int, ...]]:
        space = self.space
        for out, permission in permitted.items():
            for then in space.after(state[1], out):
                if not any(then):
                    continue
                for old in escapes:
                    if old == out:
                        continue
                    stays = self.edge(old, out, minus(hop[out], hop[old]), strict=False)
                    for new in space.outs[out, then]:
                        way = minus(tuple(a + b for a, b in zip(hop[out], hop[new], strict=True)), hop[old])
                        if new == old and not any(way):
                            continue
                        yield (
                            -reach, -permission, -self.escape(state, old), -self.escape((out, then), new),
                            stays, self.edge(old, new, way, strict=False),
                        )  # fmt: skip

    def solve(self, effort: SearchEffort) -> tuple[Flags, Proof] | None:
        space = self.space
        rounds = 0
        while (proposal := self.propose(effort)) is not None:
            offers, true = proposal.offers, proposal.true
            rounds += 1
            effort.report(f"{space.text}: ranking, {rounds} rules tried")
            chosen = [self.edges[x] for x in true if x in self.edges]
            walks = closed_walks(chosen, space.dimensions)
            if not walks:
                levels = ranked(chosen, space.injection, space.dimensions)
                if isinstance(levels, tuple):
                    return offers, Proof(space, self.kind, levels, self._escapes(space.reachable(offers), true))
                self.exact = False
                walks = [tuple(levels)]
            self.walks += walks
            for walk in walks:
                self._forbid(walk)
        return None

    def _forbid(self, walk: tuple[RankEdge, ...]) -> None:
        """Forbid a closed walk and its images; an edge that nothing asks for is never taken."""
        for image in self.images:
            edges = [self._moved(image, edge) for edge in walk]
            if all(edge in self._edge for edge in edges):
                self.solver.add_clause(sorted({-self._edge[edge] for edge in edges}))

    def _moved(self, image: Symmetry, edge: RankEdge) -> RankEdge:
        return RankEdge(image[edge.high], image[edge.low], moved_signs(self.space, image, edge.way), edge.strict)

    def exclude(self, offers: Flags) -> None:
        """Forbid a rule and its images: what is offered in the states that packets come to."""
        alive = self.space.reachable(offers)
        literals = [-1 - i if offers[i] else 1 + i for i, p in enumerate(self.space.permissions) if p[:2] in alive]
        self.solver.append_formula(images(self.space, tuple(literals), self.images))

    def _escapes(self, alive: set[State], true: frozenset[int]) -> tuple[tuple[State, int], ...]:
        if self.kind == "order":
            return ()
        return tuple(
            (state, next(out for out in self.space.outs[state] if self.escape(state, out) in true))
            for state in self.space.states
            if state in alive and state[0] != self.space.injection
        )


@dataclass(frozen=True)
class NoProof:
    """Impossibility: no rule that fulfils a request has a proof of the kind that was looked for.

    Attributes
    ----------
    paths : tuple of words
        Shortest paths that rules had lost.
    walks : tuple of tuples of types, or None
        For proofs of kind `order`, the closed walks of dependencies of all rules that were tried; None if some were
        not found step by step, or the kind is another.
    """

    paths: tuple[Word, ...]
    walks: tuple[tuple[int, ...], ...] | None


def proved_rule(
    space: Space, request: Request, switching: Switching, effort: SearchEffort
) -> tuple[Flags, Proof] | NoProof:
    """A rule that fulfils a request, with a proof for every size.

    That no rule has such a proof does not mean that there is no rule, but for `order`: a closed walk of dependencies
    is a cycle in every mesh that is large enough.

    Raises
    ------
    TimeoutError
        If time runs out.
    """
    kind = kind_of(switching)
    if kind != "order":
        plain = _Choice(space, request, kind, plain=True).solve(effort)
        if plain is not None:
            return plain
    choice = _Choice(space, request, kind)
    proved = choice.solve(effort)
    if proved is not None:
        return proved
    exact = choice.exact and choice.kind == "order"
    walks = tuple(tuple(edge.high for edge in walk) for walk in choice.walks) if exact else None
    return NoProof(tuple(choice.paths), walks)


def proved_rules(
    space: Space, request: Request, switching: Switching, effort: SearchEffort | None = None
) -> Iterator[tuple[Flags, Proof]]:
    """Yield all rules that fulfil a request and have a proof for every size, one of each kind under symmetries.

    Parameters
    ----------
    space : Space
        VCs of each direction.
    request : Request
        Requirements on the rules.
    switching : {"vct", "saf", "wormhole"}
        The switching technique.
    effort : SearchEffort, optional
        Limits of the search; by default none.

    Yields
    ------
    tuple of (bool array, Proof)
        Permissions of a rule, in the order of `space.permissions`, and its proof.

    Raises
    ------
    TimeoutError
        If time runs out.

    Examples
    --------
    >>> from unknot.synthesis import Request, Space, proved_rules
    >>> len(list(proved_rules(Space(((1, 1), (1, 2))), Request(), "vct")))
    52
    """
    choice = _Choice(space, request, kind_of(switching))
    while (proved := choice.solve(effort or SearchEffort())) is not None:
        yield proved
        choice.exclude(proved[0])


def proof_of(
    space: Space,
    offers: Flags,
    switching: Switching,
    effort: SearchEffort | None = None,
    *,
    waits: Flags | None = None,
) -> Proof | None:
    """A proof for every size of a given rule, the simplest kind first; None if there is none of these kinds.

    Parameters
    ----------
    waits : bool array, shape (permissions,), optional
        Permissions that blocked headers wait for; by default all.
    """
    kinds: tuple[Kind, ...] = ("order",) if kind_of(switching) == "order" else ("order", kind_of(switching))
    for kind in kinds:
        for plain in (True, False) if kind != "order" else (False,):
            choice = _Choice(space, Request(least=0), kind, plain=plain, offers=offers, waits=waits)
            proved = choice.solve(effort or SearchEffort())
            if proved is not None:
                return proved[1]
    return None
