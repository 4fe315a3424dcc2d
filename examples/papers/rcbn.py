"""What the paper on RCBN claims, each claim with the machine's answer.

Ren Kaixin, Gu Naijie, Pan Wei, Liu Gang: The Recursively Constructed Composite Banyan Network. Acta Electronica
Sinica, 2003, vol. 31, no. 2, pp. 228–231.

    python examples/papers/rcbn.py                     the claims
    python examples/papers/rcbn_figures.py reports     the smallest counterexamples, drawn into a folder

n stands for log2 N. Where the print is damaged, the reading that agrees with the recursion and the worked example is
taken, and said.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from methods.disjoint import disjoint_paths
from methods.exhaustive import realisable
from methods.fault_sweeps import (
    fewest_that_block_all,
    sample_faults,
    single_faults,
    unreachable_pairs,
    worst_faults,
)
from methods.fraction import cost, realisable_fraction
from methods.isomorphism import isomorphism
from methods.level_by_level import level_by_level
from methods.tags import alternate_tags, number_of_paths, primary_tags, rows_of, tags_avoiding

from unknot.network import Network
from unknot.network.families import (
    banyan,
    baseline,
    benes,
    data_manipulator,
    dilated_banyan,
    flip_network,
    indirect_cube,
    omega,
)
from unknot.network.stages import stages
from unknot_papers.multistage import (
    Marks,
    count_paths,
    marked,
    permute,
)
from unknot_papers.multistage.search import cut
from unknot_papers.rcbn import augmented_composite_banyan, composite_banyan, rcbn

Answer = tuple[bool | None, str]
EIGHT = np.array(list(itertools.permutations(range(8))))


def flips(network: Network, stage: int) -> list[list[int]]:
    """What each output port of each switch of a stage adds to the row."""
    view = stages(network)
    here = view.stage[network.source] == stage
    change = view.row[network.source[here]] ^ view.row[network.target[here]]
    return [[int(x) for x in row] for row in change.reshape(-1, 3)]


def equivalent_banyans() -> Answer:
    others = [omega, indirect_cube, baseline, flip_network]
    held = all(isomorphism(banyan(size), other(size)) is not None for size in (8, 16, 64) for other in others)
    return (
        held,
        "banyan, omega, indirect cube, baseline and flip networks of 8, 16, 64, by mappings that were checked",
    )


def banyans_block() -> Answer:
    fraction = realisable_fraction(omega(8))
    one = bool((count_paths(omega(16)) == 1).all())
    return one and fraction.realised < fraction.tried, (
        f"one path for every pair; omega(8) realises {fraction} permutations"
    )


def composite_rule() -> Answer:
    held = True
    for n in range(2, 8):
        network = composite_banyan(1 << n)
        held &= network.radices == (n, 1 << (n - 1))
        for i in range(n - 1):
            held &= all(row == [0, 1 << (n - 2 - i), 1 << i] for row in flips(network, i))
    return held, "as printed, for N = 4 … 128. For even n tags 1 and 1̄ of the middle stage are parallel links"


def composite_cases_complete() -> Answer:
    """Tags of the 8 × 8 network that the printed cases make of the primary ones, against all paths."""
    counted = {x: int(count_paths(composite_banyan(8))[0, 2 * x]) for x in range(4)}
    tags = alternate_tags(np.zeros(4, dtype=np.int64), np.arange(0, 8, 2), 3, cases=(1, 3))[0]
    printed = dict(enumerate(np.bincount(tags).tolist()))
    return printed == counted, (
        f"the cases are right but leave out 10 ↔ 01̄ and 01 ↔ 1̄0 (case 2 of RCBN): between rows of difference "
        f"01 or 10 "
        f"the 8 × 8 network has {counted[1]} paths, they find {printed[1]}"
    )


def corollary_1() -> Answer:
    """More zeros in the middle digit than there are straight links."""
    random = np.random.default_rng(1)
    held, tried = True, 0
    for n in (2, 4):
        size = 1 << n
        drawn = np.array([np.arange(size), *(random.permutation(size) for _ in range(400))])
        zero = ((np.arange(size) ^ drawn) >> (n // 2) & 1) == 0
        many = drawn[zero.sum(axis=1) > size // 2]
        held &= not realisable(composite_banyan(size), many).any()
        tried += len(many)
    return held, f"{tried} permutations of 4 and 16, the identity among them: N/2 straight links for more messages"


def composite_blocks() -> Answer:
    small = permute(composite_banyan(4), "0 1 - -")
    eight = realisable_fraction(composite_banyan(8))
    random = np.random.default_rng(1)
    drawn = realisable(composite_banyan(32), [random.permutation(32) for _ in range(40)])
    return small.realised is False and eight.realised == eight.tried, (
        "true for even n; smallest: in composite_banyan(4) inputs 0 and 1 cannot go to outputs 0 and 1. The 8 × "
        "8 network "
        f"realises all {eight.tried}; of 32 × 32, {drawn.sum()} of {drawn.size} drawn permutations pass"
    )


def definition_1() -> Answer:
    held = rcbn(8) == composite_banyan(8)
    for n in range(4, 8):
        network, half, rows = rcbn(1 << n), rcbn(1 << (n - 1)), 1 << (n - 2)
        outer = composite_banyan(1 << n)
        held &= network.radices == (2 * n - 3, 1 << (n - 1)) and benes(1 << n).radices[0] - network.radices[0] == 2
        held &= network.num_routers == (1 << n) * (2 * n - 3) // 2
        held &= flips(network, 0) == flips(outer, 0)
        held &= flips(network, 2 * n - 5) == flips(outer, n - 2)
        for stage in range(2 * n - 6):
            inside = flips(network, stage + 1)
            held &= inside[:rows] == inside[rows:] == flips(half, stage)
    return held, "2 n − 3 stages, two fewer than Beneš; outer links as printed; two halves between, for N = 8 … 128"


def definition_2_as_printed() -> Answer:
    outside = []
    for n in (3, 4, 5):
        length = 2 * n - 4
        first = [1 << (length - k - 1) for k in range(length // 2)]
        second = [k - length // 2 - 1 for k in range(length // 2, length)]
        outside.append(max(first) >= 1 << (n - 1) or min(second) < 0)
    return not any(outside), (
        "the exponents l−k−1 and k−l/2−1 are damaged: they name rows that do not exist, for N = 8 already 2^−1. "
        "With "
        "l/2−k and k−l/2+1 the definition agrees with the recursion and with the worked example"
    )


def worked_example() -> Answer:
    tag = primary_tags(0b0000, 0b1111, 4).texts()[0]
    return tag == "1101", f"N = 16, 0000 → 1111: P = {tag}"


def primary_tags_arrive() -> Answer:
    held = True
    for n in range(3, 11):
        ends = np.arange(1 << n)
        tags = primary_tags(ends[:, None], ends, n)
        held &= bool((rows_of(ends[:, None] >> 1, tags)[..., -1] == ends >> 1).all())
    return held, "every pair of N = 8 … 1,024"


def number_of_levels() -> Answer:
    levels = {1 << n: (rcbn(1 << n).radices[0] - 1) // 2 for n in (3, 4, 5)}
    return all(count == (n - 1) / 2 for n, count in zip((3, 4, 5), levels.values(), strict=True)), (
        f"there are l/2 = n − 2 levels ({levels}); (n − 1)/2 is right for N = 8 only"
    )


def alternate_cases(cases: tuple[int, ...]) -> tuple[bool, list[int]]:
    """Whether the cases give tags that arrive, and the least number of tags of a pair for N = 8 … 128."""
    held, least = True, []
    for n in range(3, 8):
        d = np.arange(0, 1 << n, 2)
        pair, tags = alternate_tags(np.zeros_like(d), d, n, cases)
        held &= bool((rows_of(np.zeros(pair.size, dtype=np.int64), tags)[:, -1] == d[pair] >> 1).all())
        least.append(int(np.bincount(pair).min()))
    return held, least


def cases_1_to_3() -> Answer:
    held, least = alternate_cases((1, 2, 3))
    return held and least == [2 ** (n - 2) for n in range(3, 8)], (
        f"all arrive, N = 8 … 128; 3 pairs of digits where a level changes nothing, 2 elsewhere: at least "
        f"{least} tags. "
        "Case 3 reads 11 ↔ 1̄1̄; Table 1 prints its bars at other places"
    )


def cases_4_and_5() -> Answer:
    held, _ = alternate_cases((4, 5))
    return held, "all arrive, N = 8 … 128. In print the bars are lost: case 4 is 00 ↔ 1̄1̄ and 1̄0 ↔ 01̄"


def cases_complete() -> Answer:
    held = True
    for n in range(3, 8):
        d = np.arange(0, 1 << n, 2)
        pair, _ = alternate_tags(np.zeros_like(d), d, n)
        held &= bool((np.bincount(pair) == number_of_paths(0, d, n)).all())
    return held, (
        "cases 1 to 5 together make every path of every pair from its primary tag, N = 8 … 128; (5^z 4^w)/2 of "
        "them, "
        "z + w = n − 2 levels, w of which change a high bit (±1/2 for w = 0)"
    )


def figure_3() -> Answer:
    held = all({0, 1} <= set(row) for n in range(3, 8) for k in range(2 * n - 4) for row in flips(rcbn(1 << n), k))
    return held, "every link stage joins K with K and with K ⊕ 1, N = 8 … 128"


def theorem_1() -> Answer:
    disjoint = [[len(disjoint_paths(rcbn(1 << n), 0, d)) for d in range(0, 1 << n, 2)] for n in (3, 4, 5)]
    switches = [[len(disjoint_paths(rcbn(1 << n), 0, d, "switches")) for d in range(0, 1 << n, 2)] for n in (3, 4, 5)]
    bounds = [2 ** ((n - 1) / 2) for n in (3, 4, 5)]
    held = all(min(counts) >= bound for counts, bound in zip(disjoint, bounds, strict=True))
    least, most = [min(counts) for counts in disjoint], [max(counts) for counts in disjoint]
    three = all(
        [k == 3 for k in counts] == [x < len(counts) // 2 for x in range(len(counts))] for counts in disjoint[1:]
    )
    fewest = [int(number_of_paths(0, np.arange(1 << n), n).min()) for n in range(3, 9)]
    return held, (
        f"disjoint paths of a pair, N = 8, 16, 32: {least} to {most}, the claim is {[round(b, 2) for b in bounds]}. "
        f"Smallest counterexample: N = 16, 0000 → 1000 has {disjoint[1][4]}. Disjoint in links or in interior "
        f"switches makes no difference: {disjoint == switches}. Correct: 2 or 3, never more, as a switch has 3 "
        f"links; 3 just where the rows agree in their highest bit, N = 16 and 32: {three}. Read as different paths "
        f"the bound holds and is far too small: N²/32 at least, N = 8 … 256: "
        f"{fewest == [4**n // 32 for n in range(3, 9)]}"
    )


def eight_has_two() -> Answer:
    least = min(len(disjoint_paths(rcbn(8), 0, d)) for d in range(8))
    return least == 2, f"N = 8: {least} disjoint paths at least; 3 between equal rows"


def corollary_3() -> Answer:
    paths = [int(number_of_paths(0, 0, n)) for n in range(3, 9)]
    held = all(count >= 3 ** ((n - 1) / 2) for n, count in zip(range(3, 9), paths, strict=True))
    return held, f"N = 8 … 256: {paths}, that is (5^(n−2) + 1)/2; cases 1 to 3 alone give 3^(n−2)"


def zero_tag() -> Answer:
    ends = np.arange(16)
    zero = primary_tags(ends[:, None], ends, 4).ones == 0
    same = ends[:, None] == ends
    return bool(
        (zero == same).all()
    ), "P = 0 when source and destination are in the same row; 0 → 1 has P = 0 as well"


def all_permutations() -> Answer:
    held = bool(realisable(rcbn(8), EIGHT).all())
    random = np.random.default_rng(1)
    for n in range(4, 11):
        held &= all(permute(rcbn(1 << n), random.permutation(1 << n)).realised for _ in range(20))
    return held, (
        "all 40,320 of N = 8 and 20 drawn for each N = 16 … 1,024. For every N: the looping algorithm sends one "
        "message of "
        "each outer switch into each half, down to the 8 × 8 networks, where a bipartite graph of degree 2 is "
        "coloured "
        "from lists of 2 (Galvin). The paper gives no proof"
    )


def stuck_permutation() -> tuple[list[int], str]:
    """A small set of messages of N = 16 on which the level-by-level algorithm gets stuck, and where."""
    random = np.random.default_rng(0)
    while True:
        outputs = random.permutation(16)
        if level_by_level(16, outputs)[0] is None:
            break
    shrunk = True
    while shrunk:
        shrunk = False
        for s in np.flatnonzero(outputs >= 0).tolist():
            fewer = outputs.copy()
            fewer[s] = -1
            if level_by_level(16, fewer)[0] is None:
                outputs, shrunk = fewer, True
    return outputs.tolist(), level_by_level(16, outputs)[1]


def level_algorithm() -> Answer:
    own = sum(level_by_level(8, outputs, on_conflict="own")[0] is not None for outputs in EIGHT[::8])
    both = sum(level_by_level(8, outputs)[0] is not None for outputs in EIGHT[::8])
    random = np.random.default_rng(2)
    shares = []
    for n in (4, 5, 6):
        done = sum(level_by_level(1 << n, random.permutation(1 << n))[0] is not None for _ in range(200))
        shares.append(done / 2)
    outputs, where = stuck_permutation()
    messages = ", ".join(f"{s}→{d}" for s, d in enumerate(outputs) if d >= 0)
    routed, words = permute(rcbn(16), outputs), [f"{share:g} %" for share in shares]
    return min(shares) == 100, (
        f"N = 8: {own} of {EIGHT[::8].shape[0]} tried if only the later message changes its tag, {both} if those "
        f"before may change too. Then N = 16, 32, 64: {', '.join(words)} of 200 drawn: a level once fixed can leave "
        f"the next one without a way, as for {messages} ({where}), which {routed.method} routes: {routed.realised}"
    )


def first_and_last_stage() -> Answer:
    network = rcbn(8)
    ends = [r for r in range(network.num_routers) if stages(network).stage[r] in (0, 2)]
    return all(unreachable_pairs(network, Marks(switches=(r,))) for r in ends), "each cuts its two terminals off"


def six_links() -> Answer:
    network = rcbn(16)
    inside = (stages(network).stage > 0) & (stages(network).stage < 4)
    both = np.bincount(network.source, minlength=40) + np.bincount(network.target, minlength=40)
    return bool((both[inside] == 6).all()), "3 in and 3 out"


def more_than_a_sixth() -> Answer:
    held = True
    for n in (3, 4):
        network, size = rcbn(1 << n), 1 << n
        rows, ends = stages(network).router, np.arange(size, dtype=np.int32)
        for stage in range(1, 2 * n - 4):
            for dead in itertools.combinations(rows[stage].tolist(), size // 6 + 1):
                held &= cut(marked(network, Marks(switches=dead)), ends, ends) is not None
    return (
        held,
        "every set of 2 of the 4 (N = 8) and of 3 of the 8 switches (N = 16) of an interior stage: fewer than N "
        "links",
    )


def up_to_a_sixth() -> Answer:
    eight = realisable_fraction(marked(rcbn(8), Marks.of(rcbn(8), ["s1r0"])))
    two = fewest_that_block_all(rcbn(16))
    pair = worst_faults(rcbn(16), 1)
    names = [" and ".join(dead.names(rcbn(16))) for dead in (two or Marks(), pair.marks)]
    drawn = sample_faults(rcbn(16), 1, 40)
    return eight.realised == eight.tried and two is None and pair.unreachable == 0, (
        f"N = 8, N/6 = 1.3: with one dead switch {eight} permutations pass; without s1r0 inputs 0 and 1 cannot "
        f"go to 2 and 3. "
        f"N = 16, N/6 = 2.7: without {names[0]} none passes at all, {cut_words()}; without {names[1]}, one in "
        f"each of "
        f"two stages, {pair.unreachable} pairs have no path left. With one dead switch in each interior stage "
        f"{drawn.realised} of {drawn.permutations} drawn permutations pass and {drawn.whole} of {drawn.sets} "
        f"sets leave all "
        "pairs connected. Correct: any single dead interior switch or link leaves every pair a path"
    )


def cut_words() -> str:
    network = rcbn(16)
    ends = np.arange(16, dtype=np.int32)
    most = cut(marked(network, Marks.of(network, ["s1r0", "s1r1"])), ends, ends)
    return f"as {most} messages at most get through"


def single_faults_leave_paths() -> Answer:
    held = True
    for size in (8, 16, 32):
        network = rcbn(size)
        inside = (stages(network).stage > 0) & (stages(network).stage < network.radices[0] - 1)
        held &= not any(unreachable_pairs(network, Marks(switches=(r,))) for r in np.flatnonzero(inside).tolist())
        held &= not any(unreachable_pairs(network, Marks(links=(c,))) for c in range(network.num_channels))
    return held, "all single dead interior switches and all single dead links of N = 8, 16, 32"


def marks_in_advance() -> Answer:
    random = np.random.default_rng(4)
    held = True
    ends = np.arange(16)
    for _ in range(30):
        network = rcbn(16)
        dead = random.choice(np.arange(8, 32), 4, replace=False).tolist()
        marks = Marks(switches=tuple(dead))
        tags, _ = tags_avoiding(network, marks, ends[:, None], ends)
        left = marked(network, marks)
        held &= np.array_equal(tags.reshape(16, 16), count_paths(left) > 0)
    return held, "30 sets of 4 dead switches, N = 16: a tag is found for just the pairs that have a path left"


def costs() -> Answer:
    built, other = cost(rcbn(16)), cost(benes(16))
    held = (built.stages, built.switches) == (5, 40) and built.stages < other.stages
    return held, (
        f"N = 16: {built.switches} switches of 3 × 3, {built.crosspoints} crosspoints, {built.links} links; "
        f"Beneš has "
        f"{other.switches} of 2 × 2, {other.crosspoints} crosspoints and {other.links} links. So fewer stages "
        f"and switches, "
        "but more crosspoints"
    )


def relatives() -> Answer:
    """Paths of each pair, and the pairs that one dead switch of the interior may cut off."""
    lines, held = [], True
    for make in (composite_banyan, augmented_composite_banyan, dilated_banyan, data_manipulator):
        network = make(16)
        least = int(count_paths(network).min())
        dead = [marks for marks in single_faults(network) if marks.switches]
        cut_off = max(unreachable_pairs(network, marks) for marks in dead)
        held &= least > 1 and cut_off == 0
        lines.append(f"{network.name} at least {least} paths, one dead switch cuts off up to {cut_off} pairs")
    return held, (
        "; ".join(lines) + ". The augmented one is our reading, 4 × 4 switches whose fourth link changes both bits"
    )


CLAIMS: list[tuple[str, Callable[[], Answer]]] = [
    ("1: banyan, cube, omega networks are topologically equivalent", equivalent_banyans),
    ("1: they have one path for every pair and block", banyans_block),
    ("1: the cited networks tolerate faults, since they have several paths for each pair", relatives),
    ("2: link stage i of the composite banyan: 0 → K, 1̄ → K ⊕ 2^i, 1 → K ⊕ 2^(n−2−i)", composite_rule),
    ("2: cases 1 to 3 give the alternate tags of the composite banyan", composite_cases_complete),
    ("Corollary 1: n even, more than N/2 zeros in the middle digit: not all can pass", corollary_1),
    ("3: not every composite banyan realises every permutation", composite_blocks),
    ("Definition 1: the recursion; 2 n − 3 stages, N(2 n − 3)/2 switches", definition_1),
    ("Definition 2: the links by their exponents, as printed", definition_2_as_printed),
    ("4.1: the worked example", worked_example),
    ("4.1: the primary tag leads to the destination", primary_tags_arrive),
    ("4.1 and 5: there are (n − 1)/2 levels", number_of_levels),
    ("Cases 1 to 3 and Table 1: alternate tags within a level", cases_1_to_3),
    ("Corollary 2, cases 4 and 5: alternate tags of neighbouring levels", cases_4_and_5),
    ("4.2: the cases give the alternate tags (all of them)", cases_complete),
    ("Figure 3: neighbouring switches are joined straight and crosswise at every stage", figure_3),
    ("Theorem 1: at least 2^((n−1)/2) disjoint paths", theorem_1),
    ("Theorem 1: N = 8 has 2 disjoint paths", eight_has_two),
    ("Corollary 3: at least 3^((n−1)/2) paths when P = 0", corollary_3),
    ("Corollary 3: P = 0 means that source and destination have the same number", zero_tag),
    ("Abstract: RCBN realises every permutation", all_permutations),
    ("5: the level-by-level algorithm routes every permutation", level_algorithm),
    ("5: faults in the first and last stage cannot be mended", first_and_last_stage),
    ("5: a dead interior switch takes six links with it", six_links),
    ("5: more than N/6 dead switches in a stage: not every permutation", more_than_a_sixth),
    ("5: up to N/6 in a stage: alternate tags mend it", up_to_a_sixth),
    ("5: a single fault in the interior leaves every pair connected", single_faults_leave_paths),
    ("5: marks let tags avoid dead switches in advance", marks_in_advance),
    ("3: two stages fewer than Beneš", costs),
]


def main() -> None:
    for claim, ask in CLAIMS:
        answer, why = ask()
        word = {True: "yes", False: "no", None: "open"}[answer]
        print(f"{word:<5}{claim}\n     {why}")


if __name__ == "__main__":
    main()
