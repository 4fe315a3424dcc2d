# mypy: ignore-errors
"""The checker's walk over the states of an address, compiled; `walk.py_func` is the same in plain Python."""

from unknot._base.kernels.lazy_kernel import I64, READ32, READ64, READ_BOOL, call_rule, kernel
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK

LOWEST, HIGHEST = -(2**62), 2**62


@kernel
def walk(
    rule: int,
    address: int,
    method: tuple[int, int, int],
    proof: tuple[READ64, READ_BOOL],
    layout: tuple[READ32, READ32],
    home: int,
    count: int,
    work: tuple[I64, I64, I64, I64, I64],
    out: I64,
    pointer: int,
) -> int:
    """Find best[at], the greatest r such that a header at `at` may, over ranks ≥ r, come to wait for
    ranks ≥ r only.

    `method`: whether all candidates count, whether worms stretch over VCs, whether headers commit. `proof`: rank and
    core. `layout`: router of each input VC, and where each output VC begins. `work`: seen, input VCs (which begin
    with the `count` injection ports), first, value and best.
    Returns −1 if all is well; a VC outside the core whose best is not below its rank; a VC of the core from which a
    way leads to a higher rank; −2 − at for an illegal answer.
    """
    each, worms, commits = method
    (rank, core), (router, tail), (seen, input_vc, first, value, best) = proof, layout, work
    i, num_vcs, optional = 0, len(tail), 0 if commits else NO_WAIT
    while i < count:
        at = input_vc[i]
        offered = call_rule(rule, at, address, pointer)
        if offered < 0 or offered > len(out):
            return -2 - at
        most, least = LOWEST, HIGHEST
        for k in range(offered):
            vc, level = out[k] & VC_MASK, LOWEST
            if vc != EJECT:
                if vc >= num_vcs or tail[vc] != router[at]:
                    return -2 - at
                level = rank[vc]
                if seen[vc] != address + 1:
                    seen[vc], input_vc[count] = address + 1, vc
                    count += 1
                if at < num_vcs and core[at] and level > rank[at]:
                    return at
            elif router[at] != home or out[k] & optional:
                return -2 - at
            if each or not out[k] & optional:
                most, least = max(most, level), min(least, level)
            if worms:
                value[first[i] + k] = vc
        if offered and least == HIGHEST:
            return -2 - at
        best[at] = least if offered and not each and not commits else most
        first[i + 1] = first[i] + offered
        i += 1
    # A worm still holds the VCs behind its header, so what is best further on counts for them too: it is carried back
    # until nothing changes, from the last to the first, since most of a route was found in its order.
    changed = worms != 0
    while changed:
        changed = False
        for i in range(count - 1, -1, -1):
            for vc in value[first[i] : first[i + 1]]:
                if vc != EJECT and min(rank[vc], best[vc]) > best[input_vc[i]]:
                    best[input_vc[i]] = min(rank[vc], best[vc])
                    changed = True
    for at in input_vc[:count]:
        if at < num_vcs and not core[at] and best[at] >= rank[at]:
            return at
    return -1
