# mypy: ignore-errors
"""The checker's walk over the states of an address, compiled; `walk.py_func` is the same in plain Python."""

from unknot._base.kernels.lazy_kernel import call_rule, kernel
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK

LOWEST, HIGHEST = -(2**62), 2**62


@kernel(
    lambda t: t.int64(
        t.int64, t.int64, t.boolean, t.boolean, t.boolean, t.READ64, t.READ_BOOL, t.READ32, t.READ32, t.int64,
        t.int64, *[t.I64] * 6, t.int64,
    )
)  # fmt: skip
def walk(
    rule, address, each, worms, commits, rank, core, router, tail, home, count, seen, input_vc, first, value, best,
    out, pointer,
):  # fmt: skip
    """Find best[at]: the greatest r such that a header there may, over ranks ≥ r, come to wait for ranks ≥ r only.

    `input_vc` begins with the `count` injection ports. Returns −1 if all is well; a VC outside the core whose best is
    not below its rank; a VC of the core from which a way leads to a higher rank; −2 − at for an illegal answer.
    """
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
    changed = worms
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
