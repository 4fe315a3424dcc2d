"""Rules for meshes of every size, refuted."""

from __future__ import annotations

from itertools import combinations, product
from math import comb
from typing import Any

from unknot.certificates.plain.encoder import MOST_PATHS
from unknot.certificates.plain.flow import Technique, technique
from unknot.certificates.plain.packets import require_order
from unknot.certificates.plain.reading import (
    KEPT_STATE,
    Clause,
    Pair,
    Rejected,
    around,
    at_most,
    field,
    integers,
    lists,
    number,
    numbers,
    pay,
    word,
)
from unknot.certificates.plain.refuted import MOST_CLAUSES, check_refutation
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.rule import Family, Hop, Signs, _towards, class_of
from unknot.certificates.plain.tables import closure
from unknot.certificates.plain.worms import Steps


class Rules(Family):
    """Clauses that hold if a rule serves all packets on meshes of every size, adaptively, and without deadlock.

    Of a rule only hops that packets take are counted, so wherever a hop leads, packets come. A class of packets is
    written as a sign in each dimension: they need no other direction, and what a packet need not move counts as up.
    Variables are numbered from 1 as they are met:

    - ("hop", hop), ("of", class, hop): some packet takes the hop; some packet of the class does.
    - ("all", class): packets of the class may take all directions that lead on, or all paths.
    - ("on", path, k, type): a path that has to be possible takes the type with its k-th hop.
    - ("after", a, b): some packet goes from a VC of type a to one of type b.
    """

    def __init__(self, claim: Any) -> None:
        super().__init__(claim)
        self.adaptive = word(claim, "adaptive", ("states", "paths"))
        least = number(claim, "least", 0, 2**self.sides + 1)
        self.number: dict[tuple[Any, ...], int] = {}
        self.clauses: list[Clause] = []
        self.paths: dict[tuple[Pair, ...], int] = {}
        self.full = least == 2**self.sides
        count = 2**self.sides - least + 1  # classes of which one is to be adaptive
        pay((KEPT_STATE + count) * comb(2**self.sides, count) * (least < 2**self.sides))
        self.hops = [(*at, out) for at in closure(self.starts, self._after) for out in self.outs(*at)]
        for image in field(claim, "symmetric", list):
            self._symmetry(image)
            pay(len(image) * len(self.hops))
            self.clauses += [(-self("hop", hop), self("hop", self.moved(image, hop))) for hop in self.hops]
        for at in self.starts:
            self._leave(at, (), None)
        for hop in self.hops:
            for at in self.comes(hop):
                self._leave(at, (-self("hop", hop),), None)
        if not self.full:
            classes = [*product((1, -1), repeat=self.sides)]
            for kind in classes if self.adaptive == "states" else ():
                self._class(kind, [at for at in self.starts if class_of(at[1]) == kind])
            self.clauses += combinations([self("all", kind) for kind in classes], count)

    def __call__(self, *meaning: Any) -> int:
        """Number of a variable."""
        pay(5 if meaning in self.number else 20)
        return self.number.setdefault(meaning, len(self.number) + 1)

    def _after(self, at: tuple[int, Signs]) -> list[tuple[int, Signs]]:
        return [then for out in self.outs(*at) for then in self.comes((*at, out))]

    def _leave(self, at: tuple[int, Signs], unless: Clause, kind: Signs | None) -> None:
        """Add that packets go on from a state; adaptive packets in all remaining dimensions."""
        onward: dict[int, list[int]] = {}
        for out in self.outs(*at):
            every = self.adaptive == "states" and (self.full or kind is not None)
            onward.setdefault(self.types[out][0] if every else 0, []).append(self("hop", (*at, out)))
        self.clauses += [(*unless, *way) for way in onward.values()]

    def _class(self, kind: Signs, starts: list[tuple[int, Signs]]) -> None:
        """Add the hops of a class of packets, and the class's adaptivity if the rule is to be adaptive."""
        for at in starts:
            self._leave(at, (-self("all", kind),), kind)
            self.clauses += [(-self("hop", (*at, out)), self("of", kind, (*at, out))) for out in self.outs(*at)]
        for at in closure(starts, self._after):
            for hop in [(*at, out) for out in self.outs(*at)]:
                taken = -self("of", kind, hop)
                for then in self.comes(hop):
                    self._leave(then, (-self("all", kind), taken), kind)
                    for onward in [(*then, out) for out in self.outs(*then)]:
                        self.clauses.append((taken, -self("hop", onward), self("of", kind, onward)))

    def path(self, entries: Any) -> None:
        """Add that a shortest path, hops [dimension, sign], is possible."""
        hops = lists(entries, "paths", 2)
        path = [(i, sign) for i, sign in (integers(hop, "paths", -1, max(2, self.sides)) for hop in hops)]
        at_most(len(path), MOST_PATHS, "hops of a path")
        if self.adaptive != "paths" or not path or (self.short and len({*path}) < len(path)):
            raise Rejected(f"{path[:20]} is no path that has to be possible")
        if any(not 0 <= i < self.sides or sign not in (1, -1) or (i, -sign) in path for i, sign in path):
            raise Rejected(f"{path[:20]} is no shortest path of a mesh")
        ahead = [path[k:] for k in range(len(path))]
        left = [tuple(((i, 1) in onward) - ((i, -1) in onward) for i in range(self.sides)) for onward in ahead]
        unless = () if self.full else (-self("all", class_of(left[0])),)
        before = [-1]
        key = self.paths.setdefault(tuple(path), len(self.paths))
        for k, hop in enumerate(path):
            at_most(len(self.clauses), MOST_CLAUSES, "clauses")
            here = [out for out, kind in enumerate(self.types) if kind[:2] == hop]
            self.clauses.append((*unless, *(self("on", key, k, out) for out in here)))
            for held, out in product(before, here):
                earlier = () if k == 0 else (-self("on", key, k - 1, held),)
                self.clauses.append((*earlier, -self("on", key, k, out), self("hop", (held, left[k], out))))
            before = here

    def cycle(self, entries: Any) -> Clause:
        """The clause against types of hops that lead one after another back to the first router."""
        types = integers(entries, "cycles", 0, len(self.types))
        pay(len(types) * self.sides)
        moved = [sum(self.types[t][1] for t in types if self.types[t][0] == i) for i in range(self.sides)]
        if not types or any(moved) or self.short:
            raise Rejected(f"types {types[:20]} do not lead back to where they began")
        return tuple(sorted({-self("after", a, b) for a, b in around(types)}))

    def deadlock(self, switching: Technique, messages: list[Any]) -> set[tuple[bool, Hop]]:
        """The literals of packets that block each other, unless a hop is missing or leads past the others.

        Each has its `source` and `target`, as coordinates, its `way` of types, and holds the last `holds` of these.
        A header that queues behind tails has committed to a type that it `wants`.
        """
        literals: set[tuple[bool, Hop]] = set()
        ways: list[tuple[list[Any], list[tuple[Signs, int]]]] = []
        heads: list[tuple[Signs, int, Signs]] = []
        for message in messages:
            ends = [numbers(message, end, 0, 2 if self.short else 2**31, self.sides)
                    for end in ("source", "target")]  # fmt: skip
            way = numbers(message, "way", 0, len(self.types))
            holds = field(message, "holds", int)
            if not 1 <= holds <= (1 if switching.alone else len(way)) or holds > len(way):
                raise Rejected(f"a packet that comes over {len(way)} VCs holds {holds} under {switching}")
            at, target = ends
            before, places = -1, []
            for out in way:
                pay(2 * KEPT_STATE * (2 + self.sides))
                hop = before, _towards(at, target), out
                if out not in self.outs(*hop[:2]):
                    raise Rejected(f"type {out} does not lead from {at} to {target}")
                literals.add((False, hop))
                places.append((tuple(at), out))
                i, sign, _ = self.types[out]
                at = [x + sign * (i == j) for j, x in enumerate(at)]
                before = out
            ways.append((places[:-holds], places[-holds:]))
            heads.append((tuple(at), before, _towards(at, target)))
        held = [place for _, places in ways for place in places]
        if not held or len({*held}) < len(held) or any(not any(signs) for *_, signs in heads):
            raise Rejected("packets of a deadlock hold VCs of their own, and none has arrived")
        require_order(ways)
        if switching.queues:
            wants = [(*head, field(message, "wants", int)) for head, message in zip(heads, messages, strict=True)]
            if {(at, out) for at, *_, out in wants} != {places[0] for _, places in ways}:
                raise Rejected("each header queues for a VC that ends with a tail, no two for the same")
            return literals | {(False, (kind, signs, out)) for _, kind, signs, out in wants}
        taken = {*held}
        for here, kind, signs in heads:
            literals |= {(True, (kind, signs, out)) for out in self.outs(kind, signs) if (here, out) not in taken}
        return literals

    def _symmetry(self, image: Any) -> None:
        """Check a map of types that exchanges dimensions and directions as wholes."""
        integers(image, "symmetry", 0, len(self.types), len(self.types))
        turned = {(self.types[t][0], self.types[t][1] * s, self.types[u][0], self.types[u][1] * s)
                  for t, u in enumerate(image) for s in (1, -1)}  # fmt: skip
        if len({*image}) < len(image) or len(turned) != 2 * self.sides:
            raise Rejected(f"{image[:40]} is no symmetry")

    def moved(self, image: list[int], hop: Hop) -> Hop:
        """A hop under a symmetry."""
        pay(len(image))
        signs = [0] * self.sides
        for t, u in enumerate(image):
            signs[self.types[u][0]] = hop[1][self.types[t][0]] * self.types[t][1] * self.types[u][1]
        return -1 if hop[0] < 0 else image[hop[0]], tuple(signs), image[hop[2]]


def rule_clauses(claim: Any, proof: Any) -> Rules:
    """The clauses of a claim and of the deadlocks, cycles and paths that a proof names, each under its symmetries."""
    rules, switching = Rules(claim), technique(claim)
    for path in field(proof, "paths", list):
        rules.path(path)
    symmetries, cycles = field(proof, "symmetries", list), field(proof, "cycles", list)
    for image in symmetries:
        rules._symmetry(image)
    deadlocks = field(proof, "deadlocks", list)
    if cycles and not switching.queues:
        raise Rejected(f"cycles do not block packets under {switching}")
    for hop in rules.hops if cycles else ():
        if hop[0] >= 0:
            rules.clauses.append((-rules("hop", hop), rules("after", hop[0], hop[2])))
    added: dict[Clause, None] = {}
    work = Steps()  # each symmetry writes all literals again
    for cycle in cycles:
        rules.cycle(cycle)
        work.take(len(cycle) * len(symmetries))
        added |= dict.fromkeys(rules.cycle([image[t] for t in cycle]) for image in symmetries)
    for messages in deadlocks:
        literals = sorted(rules.deadlock(switching, messages))
        work.take(len(literals) * len(symmetries))
        for image in symmetries:
            moved = (rules("hop", rules.moved(image, hop)) * (1 if offered else -1) for offered, hop in literals)
            added[tuple(sorted(moved))] = None
    rules.clauses += added
    return rules


@checks("rules", "")
def check_rules(claim: Any, proof: Any) -> str:
    """Check by contradictory clauses that no rule for meshes of every size has the claimed properties.

    Claim: `counts`, VCs up and down each dimension; `short` (hypercubes), `switching`, `adaptive` (`states`,
    `paths`), `least` adaptive classes, `symmetric`, maps of the types
    Proof: `deadlocks`, each messages with `source`, `target`, `way`, `holds`, `wants`; `cycles`; `paths`;
    `symmetries`; `steps`
    """
    rules = rule_clauses(claim, proof)
    check_refutation(rules.clauses, len(rules.number), field(proof, "steps", list))
    return (
        f"{rules.name}: no {'symmetric ' * bool(claim['symmetric'])}rule is free of deadlock under "
        f"{claim['switching']} and adaptive in {rules.adaptive} of at least {claim['least']} classes"
    )
