"""What the paper on best networks for routing claims of algorithms, each claim with the machine's answer.

Examples 1.1 and 1.2 and section 4 of the paper; ``bnr.py`` has the concepts, and says how answers are made.

    python examples/papers/bnr_algorithms.py     the claims; counterexamples and tables are drawn into reports/bnr/
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from bnr import (
    BASES,
    NAMED,
    SIDES,
    Answer,
    ask_all,
    best_network,
    classes,
    free,
    network,
    over,
    provided,
    routed,
    table,
    word,
)

from unknot import replay
from unknot._base.switching import SWITCHINGS
from unknot.report import draw_configuration
from unknot.report.picture import Drawing, write_picture
from unknot.routing import duato, fully_adaptive, lcfaa, schwiebert, vba
from unknot.verify import check, deliver, smallest, vc_use
from unknot_papers.bnr import conclude
from unknot_papers.bnr.drawing import draw_bnr

REPORTS = Path("reports/bnr")


def par_provides_fewer() -> Answer:
    counts = {n: provided(routed("PAR", sides)) for n, sides in SIDES.items()}
    facts = [count < 2**n for n, count in counts.items()]
    said = "; ".join(f"n = {n}: {count} of {2**n}" for n, count in counts.items())
    return word(facts), f"from three dimensions on ({said}): on a plane PAR is fully adaptive"


def par_is_safe() -> Answer:
    facts = [free(routed("PAR", sides), s) for sides in SIDES.values() for s in NAMED]
    facts += [bool(deliver(routed("PAR", sides)).minimal) for sides in SIDES.values()]
    every = all(free(routed("PAR", sides), "wormhole-nonatomic") for sides in SIDES.values())
    more = "; non-atomic too, as no cycle of dependencies is left" if every else ""
    return word(facts), f"n = 2, 3, 4, under {', '.join(NAMED)}{more}"


def pbfaa_provides_all() -> Answer:
    facts, kept = [], []
    for n, returns in itertools.product((2, 3), (True, False)):
        for base in BASES[n]:
            relation = over(base, returns, SIDES[n])
            facts.append(provided(relation) == 2**n)
            kept.append((all(row.kept for row in table(relation)), returns))
    lost = sum(not k for k, returns in kept if not returns)
    return word(facts), (
        f"n = 2, 3, bases {', '.join(BASES[2])}; where messages may not return, {lost} of "
        f"{sum(not r for _, r in kept)} lose paths once they have entered the base"
    )


def pbfaa_is_safe() -> Answer:
    lines, facts = [], []
    for returns, n in itertools.product((True, False), (2, 3)):
        stuck = [base for base in BASES[n] if not free(over(base, returns, SIDES[n]), "wormhole")]
        facts += [free(over(base, returns, SIDES[n]), s) for base in BASES[n] for s in NAMED]
        whole = all(free(over(base, returns, SIDES[n]), s) for base in BASES[n] for s in ("saf", "vct"))
        lines.append(
            f"n = {n}, {'return allowed' if returns else 'no return'}: saf, vct {'yes' if whole else 'NO'}; wormhole "
            + (f"NO on {', '.join(stuck)}" if stuck else "yes on all bases")
        )
    return word(facts), "when messages do not come back from the base, or packets are kept whole. " + ". ".join(lines)


def overlay_is_safe() -> Answer:
    base = over("negative_first", True, SIDES[2])
    return "only when" if free(base, "vct") and not free(base, "wormhole") else "yes", (
        "as for PBFAA, its instance: negative-first alone is deadlock-free under all techniques, but detours through "
        "the network above join its channels into cycles that worms close (Duato's indirect dependencies)"
    )


def vba_cost() -> Answer:
    facts, said = [], []
    for n in (2, 3, 4):
        net = network(*[3] * n)
        use = vc_use(vba(net))
        facts += [
            use.per_channel == (2 ** (n - 1),) * 2,
            use.per_router[1] == 2 * n * 2 ** (n - 1),
            not use.unused.size,
        ]
        said.append(f"n = {n}: {use.per_channel[1]} per channel, {use.per_router[1]} per router")
    return word(facts), "; ".join(said) + "; all of them are used"


def vba_networks() -> Answer:
    """Each VC serves one class; the VCs of a class hold one of each channel of its BNR."""
    facts = []
    for sides in ((3, 3), (3, 3, 3)):
        net = network(*sides)
        relation = vba(net)
        owner: dict[int, set[tuple[int, ...]]] = {}
        for signs, messages in classes(net).items():
            for s, d in messages:
                todo = [relation.num_vcs + s]
                while todo:
                    for candidate in relation.candidates(todo.pop(), d):
                        if candidate.vc is not None:
                            owner.setdefault(candidate.vc, set()).add(signs)
                            todo.append(candidate.vc)
        facts.append(all(len(signs) == 1 for signs in owner.values()))
        for signs in classes(net):
            mine = [int(relation.vcs.channel[vc]) for vc, (only, *_) in owner.items() if only == signs]
            facts.append(sorted(mine) == sorted(best_network(net, signs)))
    return word(facts), "no VC serves two classes, and a class has one VC of each channel of its BNR (3×3, 3×3×3)"


def whole(name: str) -> Callable[[], Answer]:
    """Minimal, deadlock-free and fully adaptive, per technique, n = 2, 3, 4."""

    def ask() -> Answer:
        facts, lines = [], []
        for n, sides in SIDES.items():
            relation = routed(name, sides)
            delivery = deliver(relation)
            answers = {s: conclude(check(relation, s), delivery, table(relation)).holds for s in SWITCHINGS}
            facts += [bool(answers[s]) for s in NAMED]
            said = ", ".join(f"{s} {'yes' if held else 'NO'}" for s, held in answers.items())
            lines.append(f"n = {n} ({'×'.join(map(str, sides))}): {said}")
        return word(facts), "; ".join(lines)

    return ask


def lcfaa_cost() -> Answer:
    facts, said = [], []
    for n in (2, 3, 4):
        use = vc_use(lcfaa(network(*[3] * n)))
        facts.append(use.per_router[1] == 3 * n - 1)
        said.append(f"n = {n}: {use.per_router[1]}")
    return word(facts), f"per router inside the mesh, {', '.join(said)}; 1 or 2 per channel"


def lcfaa_provides_all() -> Answer:
    facts = [provided(routed("LCFAA", sides)) == 2**n for n, sides in SIDES.items()]
    facts += [all(row.kept for row in table(routed("LCFAA", sides))) for sides in SIDES.values()]
    return word(facts), "n = 2, 3, 4; and no choice made on the way takes a path away"


def lcfaa_wormhole() -> Answer:
    """The smallest knots, proved smallest, drawn."""
    said = []
    for sides in ((3, 3), (2, 2, 2)):
        relation = routed("LCFAA", sides)
        deadlock = smallest(relation, "wormhole", time_limit=30)
        assert deadlock.configuration is not None
        assert replay(relation, deadlock.configuration).stuck
        picture(f"lcfaa-{'x'.join(map(str, sides))}-wormhole", draw_configuration(relation, deadlock.configuration))
        messages = len(deadlock.configuration.messages)
        held = sum(len(m.held) for m in deadlock.configuration.messages)
        few = "no fewer do" if deadlock.proved else "fewer were not ruled out"
        said.append(f"{messages} messages on {held} VCs of {'×'.join(map(str, sides))} ({few})")
    sizes = [(k, 2) for k in (2, 3, 4)] + [(2, k) for k in (3, 4, 5)]
    safe = ["×".join(map(str, s)) for s in sizes if free(routed("LCFAA", s), "wormhole")]
    return "no", (
        f"{' and '.join(said)} block one another for good. A message that must still move in dimension 0 waits for "
        f"network 0, the only one it may use, while its tail holds VCs there that others wait for. Of "
        f"{', '.join('×'.join(map(str, s)) for s in sizes)} it cannot deadlock on {', '.join(safe)}"
    )


def lcfaa_is_cheapest() -> Answer:
    counts = {}
    for algorithm in (lcfaa, schwiebert, duato, vba):
        relation = algorithm(network(3, 3))
        safe = [s for s in NAMED if free(relation, s)]
        counts[relation.name] = (vc_use(relation).per_router[1], safe)
    alone = fully_adaptive(network(2, 2))
    needed = not any(free(alone, s) for s in NAMED)
    said = "; ".join(f"{name} {count}, free under {', '.join(safe)}" for name, (count, safe) in counts.items())
    cheapest = min(count for count, safe in counts.values() if "vct" in safe) == counts["lcfaa"][0]
    return "only when" if cheapest and "wormhole" not in counts["lcfaa"][1] and needed else "no", (
        f"for packets kept whole. VCs per router of 3×3: {said}. One VC per channel, 4 per router, is too few for "
        "any: already on 2×2 messages close a cycle"
    )


def method_1() -> Answer:
    lcfaa_stuck = not free(routed("LCFAA", SIDES[2]), "wormhole")
    return "only when" if lcfaa_stuck else "yes", (
        "for packets kept whole: LCFAA and PBFAA are made by it, and both can deadlock under wormhole switching. "
        "V1 and V2 must be judged together"
    )


CLAIMS: list[tuple[str, Callable[[], Answer]]] = [
    ("3, example 1.1: PAR forms fewer than 2^n BNRs and is partially adaptive", par_provides_fewer),
    ("3, example 1.1: PAR is minimal and deadlock-free", par_is_safe),
    ("3, example 1.2: PBFAA forms 2^n BNRs", pbfaa_provides_all),
    ("3, example 1.2: PBFAA is deadlock-free, thanks to VIN0", pbfaa_is_safe),
    ("4.1: VBA takes 2^(n−1) VCs per channel, 2n · 2^(n−1) per router", vba_cost),
    ("4.1: its 2^n virtual networks are independent, one for each BNR", vba_networks),
    ("4.1: VBA is minimal, deadlock-free and fully adaptive", whole("VBA")),
    ("4.2: adaptive virtual networks over a deadlock-free one (VNOF) stay deadlock-free", overlay_is_safe),
    ("4.2, method 1 makes minimal deadlock-free fully adaptive algorithms", method_1),
    ("4.2: LCFAA takes 3n − 1 VCs per router", lcfaa_cost),
    ("4.2: LCFAA provides 2^n BNRs", lcfaa_provides_all),
    ("4.2: LCFAA is minimal, deadlock-free and fully adaptive", whole("LCFAA")),
    ("4.2: LCFAA is deadlock-free under wormhole switching", lcfaa_wormhole),
    ("4.2: LCFAA takes the fewest VCs of all such algorithms", lcfaa_is_cheapest),
]


def picture(name: str, drawing: Drawing) -> None:
    write_picture(drawing, REPORTS / f"{name}.svg")


def main() -> None:
    REPORTS.mkdir(parents=True, exist_ok=True)
    ask_all(CLAIMS)
    par = routed("PAR", SIDES[3])
    picture("par-3x3x3-bnrs", draw_bnr(par, table(par)))
    back = over("negative_first", True, SIDES[2])
    knot = check(back, "wormhole").configuration
    assert knot is not None
    picture("pbfaa-4x4-wormhole", draw_configuration(back, knot))
    print(f"\nDrawn into {REPORTS}: {', '.join(sorted(path.name for path in REPORTS.glob('*.svg')))}")


if __name__ == "__main__":
    main()
