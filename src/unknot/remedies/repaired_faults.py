"""Lanes repaired after each single failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unknot._base.errors import RelationError, require_known
from unknot._base.numbers import require_whole
from unknot._base.progress import Progress, with_bar
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.lane_assignment.figures import Lanes

if TYPE_CHECKING:
    from unknot.verify.failures import FaultVerdict
from unknot.remedies.relaned import relaned

SAFE_LAST = (False, None, True)
"""Answers, the worst first."""


@dataclass(frozen=True)
class RepairedFault(ThreeValued, asks="safe"):
    """A single fault and the cost of its repair.

    Attributes
    ----------
    part : str
        The part that failed.
    connected : bool
        Whether what is left is connected; if not, nothing is repaired.
    lanes, changed, pairs, entries, longer : int
        Figures of the repair; see `Relaned`.
    safe : bool or None
        Whether it was judged deadlock-free and delivering; None: that is open.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> repairs = repaired_faults(lanes("mesh(3, 3)"))
    >>> repairs[0].connected, repairs[0].changed, repairs[0].safe
    (True, 12, True)
    """

    part: str
    connected: bool
    lanes: int = 0
    changed: int = 0
    pairs: int = 0
    entries: int = 0
    longer: int = 0
    safe: bool | None = False


@with_bar
def repaired_faults(
    laned: Lanes,
    kind: str = "links",
    *,
    within: int | None = None,
    progress: Progress | None = None,
    on_verdict: Callable[[FaultVerdict], None] | None = None,
) -> tuple[RepairedFault, ...]:
    """Let every channel, link or router fail alone, and repair the lanes for what is left; the worst first.

    Parameters
    ----------
    laned : Lanes
        Routes in lanes.
    kind : {"channels", "links", "routers", "any"}
        What fails, one at a time.
    within : int, optional
        Most lanes of a repair, as of `relaned`.
    progress : Progress or None
        Called with what is done, how far it is, and how far it goes.
    on_verdict : callable, optional
        Called with what is known of each repair.

    Returns
    -------
    tuple[RepairedFault, ...]
        A repair for each fault.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> repairs = repaired_faults(lanes("mesh(3, 3)"))
    >>> len(repairs), repairs[0].changed, repairs[0].safe
    (12, 12, True)
    """
    from unknot.verify import check, deliver
    from unknot.verify.failures import PARTS, FaultVerdict, left_after, parts_of

    if within is not None:
        require_whole("repaired_faults: within", within, 1, unit="lanes", error=RelationError)
    require_known("repaired_faults: unknown kind", kind, PARTS, RelationError)
    network = laned.relation.network
    parts = list(parts_of(network, kind))  # type: ignore[arg-type]
    done: list[RepairedFault] = []
    for number, (name, numbers) in enumerate(parts, start=1):
        left = left_after(network, kind, numbers)
        if isinstance(left, str):
            done.append(RepairedFault(name, False))
        else:
            after = relaned(laned, left, within=within)
            verdict, delivery = check(after.relation), deliver(after.relation)
            if on_verdict is not None:
                on_verdict(FaultVerdict((name,), numbers, after.relation, verdict, delivery))
            safe = all_hold((verdict.deadlock_free, delivery.delivered))
            done.append(
                RepairedFault(name, True, after.count, after.changed, after.pairs, after.entries, after.longer, safe)
            )
        if progress is not None:
            progress(f"{name}: {done[-1].changed} of {done[-1].pairs} pairs", number, len(parts))
    return tuple(sorted(done, key=lambda one: (SAFE_LAST.index(one.safe), one.connected, -one.lanes, -one.changed)))
