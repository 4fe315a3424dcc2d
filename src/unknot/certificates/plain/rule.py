"""Rules for meshes of every size, free of deadlock."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from unknot.certificates.plain.flow import technique
from unknot.certificates.plain.free import require_kind
from unknot.certificates.plain.reading import (
    KEPT_STATE,
    MOST_LANES,
    Rejected,
    at_most,
    field,
    integers,
    lists,
    numbers,
    pay,
)
from unknot.certificates.plain.refuted import MOST_CLAUSES
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import closure

Signs = tuple[int, ...]
Hop = tuple[int, Signs, int]
"""The type of the VC that a header is in, or -1 at its injection port; the signs of what remains; the next type."""


class Family:
    """The VCs of the meshes of all sizes in some dimensions, or of hypercubes, and where a rule for them may lead.

    VCs are of types: the one with an index on channels that lead up, or down, a dimension. A rule says which hops
    there are, by the type that a header is in and the signs of what remains; each leads towards the destination.
    """

    def __init__(self, claim: Any) -> None:
        counts = [integers(pair, "counts", 1, 65) for pair in lists(claim.get("counts"), "counts", 2)]
        self.types = [(i, sign, k) for i, pair in enumerate(counts) for sign, n in zip((1, -1), pair, strict=True)
                      for k in range(n)]  # fmt: skip
        self.sides, self.short = len(counts), field(claim, "short", bool)
        if not counts:
            raise Rejected("counts: a dimension at least is expected")
        at_most(self.sides, MOST_LANES, "dimensions")
        at_most(len(self.types) ** 2 * 3**self.sides, MOST_CLAUSES, "hops of a rule")
        pay(KEPT_STATE * 3**self.sides)
        self.name = f"{'hypercubes' if self.short else 'meshes of all sizes'}, VCs {counts}"
        self.starts = [(-1, signs) for signs in product((1, 0, -1), repeat=self.sides) if any(signs)]

    def outs(self, held: int, signs: Signs) -> list[int]:
        """Types that lead towards the destination."""
        pay(1 + (len(self.types) >> 1))
        return [out for out, (i, sign, _) in enumerate(self.types) if signs[i] == sign]

    def comes(self, hop: Hop) -> list[tuple[int, Signs]]:
        """States after a hop in which something remains: as much, or nothing in its dimension."""
        i = self.types[hop[2]][0]
        done = (*hop[1][:i], 0, *hop[1][i + 1 :])
        return [(hop[2], signs) for signs in ((done,) if self.short else (hop[1], done)) if any(signs)]

    def entries(self, rows: Any, what: str) -> dict[tuple[int, Signs], list[int]]:
        """Read rows [type or -1 for injection, a sign for each dimension, type, …]; -t - 2 is t, never waited for."""
        read: dict[tuple[int, Signs], list[int]] = {}
        for row in rows if isinstance(rows, list) else [rows]:
            held, *rest = integers(row, what, -len(self.types) - 1, len(self.types)) or [-2]
            at, chosen = (held, tuple(rest[: self.sides])), rest[self.sides :]
            if held < -1 or len(at[1]) < self.sides or at in read:
                raise Rejected(f"{what}: {row} is of no state, or there twice"[:200])
            if not {max(out, -out - 2) for out in chosen} <= {*self.outs(*at)}:
                raise Rejected(f"{what}: {row} has a type that leads elsewhere"[:200])
            read[at] = chosen
        return read


def class_of(signs: Signs) -> Signs:
    """The class of packets with this to go."""
    return tuple(sign or 1 for sign in signs)


def _towards(here: Sequence[int], there: Sequence[int]) -> Signs:
    """The signs of what remains."""
    return tuple((b > a) - (b < a) for a, b in zip(here, there, strict=True))


class Ranks:
    """Ranks of VCs on meshes of every size: levels, each with linear functions of the coordinates, a type each.

    The first level on which two VCs differ decides; where their functions are no parallels, nothing is decided.
    """

    def __init__(self, family: Family, levels: list[Any]) -> None:
        self.family, kinds = family, len(family.types)
        self.levels = [
            ([integers(row, "gradient", -(2**60), 2**60, family.sides) for row in field(level, "gradient", list)],
             numbers(level, "offset", -(2**60), 2**60, kinds))
            for level in levels
        ]  # fmt: skip
        if any(len(gradient) != kinds for gradient, _ in self.levels):
            raise Rejected(f"a level has a function for each of {kinds} types")

    def rises(self, a: Sequence[int], b: Sequence[int], *, strict: bool) -> bool:
        """Whether a VC may rank higher than another, or if `strict` as high.

        The types that packets take one after the other, from the same router, lead to each of the two.
        """
        pay(self.family.sides * (4 + len(self.levels)))
        ends = [[sum(self.family.types[t][1] for t in way if self.family.types[t][0] == i)
                 for i in range(self.family.sides)] for way in (a, b)]  # fmt: skip
        for gradient, offset in self.levels:
            if gradient[a[-1]] != gradient[b[-1]]:
                return True
            far = sum(g * (x - y) for g, x, y in zip(gradient[a[-1]], *ends, strict=True))
            difference = far + offset[a[-1]] - offset[b[-1]]
            if difference:
                return bool(difference > 0)
        return strict


@checks("rule", "")
def check_rule(claim: Any, proof: Any) -> str:
    """Check that a rule for meshes of every size cannot deadlock, and brings packets home on shortest paths.

    `order`: every hop leads to a lower rank. `escape`: in each state a blocked header waits for one VC, its escape,
    that ranks lower than the one it is in. `drain`: besides, after every hop this VC, or the next escape, ranks no
    higher than the escape did; so a worm waits for a VC that ranks lower than all that it holds. Of a deadlock, the
    lowest VC would be held by a packet that waits for a lower one.

    Claim: `counts`, `short`, `switching` as for `rules`; `rule`, rows [type, or -1 for injection, a sign for
    each dimension of what remains, candidate, …]; a candidate is a type *t*, counted dimension by dimension, up
    before down, or -*t* - 2 if never waited for
    Proof: `kind`; `levels`, each with a `gradient` and an `offset` for each type; `escapes`, rows as in `rule`,
    each with one type
    """
    family, switching = Family(claim), technique(claim)
    kind = require_kind(switching, proof)
    if kind not in ("order", "escape", "drain"):
        raise Rejected(f"a proof of kind {kind!r} shows nothing about rules")
    ranks = Ranks(family, field(proof, "levels", list))
    rule, escapes = family.entries(claim.get("rule"), "rule"), family.entries(proof.get("escapes"), "escapes")

    if any(len(chosen) != 1 or chosen[0] < 0 for chosen in escapes.values()):
        raise Rejected("an escape is one type, for which packets wait")

    def after(at: tuple[int, Signs]) -> list[tuple[int, Signs]]:
        if max(rule.get(at, []), default=-1) < 0:
            raise Rejected(f"packets may come to {at}, where they wait for nothing")
        return [then for out in rule[at] for then in family.comes((*at, max(out, -out - 2)))]

    for at in closure(family.starts, after):
        if at[0] < 0:
            continue
        held, offered = at[0], [max(out, -out - 2) for out in rule[at]]
        if kind == "order":
            if any(ranks.rises((held, out), (held,), strict=True) for out in offered):
                raise Rejected(f"order: a hop at {at} leads to no lower rank")
            continue
        escape = escapes.get(at)
        if escape is None or escape[0] not in rule[at] or ranks.rises((held, *escape), (held,), strict=True):
            raise Rejected(f"escape: packets at {at} do not wait for an escape that ranks lower")
        for out in offered if kind == "drain" else ():
            if ranks.rises((held, out), (held, *escape), strict=False):
                for then in family.comes((*at, out)):
                    if ranks.rises((held, out, *escapes.get(then, [held])), (held, *escape), strict=False):
                        raise Rejected(f"drain: the escape rises after the hop {out} at {at}")
    return f"{family.name}: this rule of {len(rule)} states is free of deadlock under {switching}"
