"""Properties of a relation beside deadlock, all in one answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.deadline import NEVER, Deadline, NoAnswerError
from unknot._base.errors import RelationError
from unknot._base.progress import Progress, with_bar
from unknot._base.shown import Brief
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.traffic import PatternLike, pattern
from unknot.verify.adaptivity import Adaptivity, adaptivity
from unknot.verify.best_split import best_loads
from unknot.verify.delivery import Delivery, Livelock, deliver, livelock
from unknot.verify.explorer import Explorer
from unknot.verify.loads import Loads, loads


@dataclass(frozen=True, eq=False, repr=False)
class VcUse(Brief):
    """Virtual channels (VCs) of a relation.

    Attributes
    ----------
    total : int
    per_channel : (int, int)
        Fewest and most VCs of a channel.
    per_router : (int, int)
        Fewest and most VCs that leave a router.
    unused : int64 array
        VCs that no message can ever sit on, whatever source and address; ascending. `relation.vcs.name` names them.
    idle_channels : int64 array
        Channels all of whose VCs are unused; ascending.
    needed_per_channel : int
        Most VCs of a channel that are used.

    Examples
    --------
    >>> use = vc_use("mesh(3, 3)", routing="duato")
    >>> use.total, use.per_channel, use.unused.tolist()
    (48, (2, 2), [])
    """

    total: int
    per_channel: tuple[int, int]
    per_router: tuple[int, int]
    unused: Ints
    idle_channels: Ints
    needed_per_channel: int


@takes_relation
def vc_use(relation: Relation) -> VcUse:
    """Count the VCs of a relation and find those that are in no reachable state.

    Time is linear in the transitions between reachable states; memory is that of one address.

    Returns
    -------
    VcUse
        VCs, and those never used.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.

    Examples
    --------
    >>> use = vc_use("ring(4)", routing="dimension_order", vcs=2)
    >>> use.total, use.needed_per_channel
    (16, 2)
    """
    network, vcs = relation.network, relation.vcs
    used = np.zeros(vcs.router.size, dtype=bool)
    for _, (order, _, _) in Explorer(relation).visits():
        used[order] = True
    used = used[: vcs.total]
    leaving = np.bincount(network.source, vcs.counts, network.num_routers)
    taken = np.bincount(vcs.channel[used], minlength=network.num_channels)
    return VcUse(
        total=vcs.total,
        per_channel=_range(vcs.counts),
        per_router=_range(leaving),
        unused=np.flatnonzero(~used),
        idle_channels=np.flatnonzero(taken == 0),
        needed_per_channel=int(taken.max(initial=0)),
    )


def _range(values: npt.NDArray[Any]) -> tuple[int, int]:
    return (int(values.min()), int(values.max())) if values.size else (0, 0)


@dataclass(frozen=True, eq=False)
class Properties:
    """Properties of a relation beside deadlock; see the functions of the same names.

    Attributes
    ----------
    delivery, livelock, adaptivity, vc_use
    loads : Loads or None
        Loads under the traffic asked for; None where that does not arrive.
    best : Loads or None
        Loads of the best split, when it was asked for and found.
    left_out : tuple of str
        Reasons why loads are missing.

    Examples
    --------
    >>> facts = properties("mesh(4, 4)", routing="dimension_order", traffic="transpose")
    >>> facts.delivery.delivered, facts.livelock.free, facts.loads.highest
    (True, True, 3.0)
    """

    delivery: Delivery
    livelock: Livelock
    adaptivity: Adaptivity
    vc_use: VcUse
    loads: Loads | None
    best: Loads | None
    left_out: tuple[str, ...]


@takes_relation
@with_bar
def properties(
    relation: Relation,
    *,
    traffic: PatternLike = "uniform",
    best: bool = False,
    time_limit: float | Deadline | None = None,
    progress: Progress | None = None,
) -> Properties:
    """Find all properties of a relation beside deadlock.

    Parameters
    ----------
    traffic : str, sequence of int, array, callable or Pattern
        For the loads, as `unknot.traffic.pattern` reads it.
    best : bool
        Whether to look for the best split of the traffic as well, a linear program.
    time_limit : float or Deadline, optional
        Seconds; loads and the best split are left out when they are over. By default there is no limit.
    progress : callable, optional
        Called with the next property and how many are done, see `unknot._base.progress`.

    Returns
    -------
    Properties
        Delivery, livelock, adaptivity, use of VCs and loads.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.

    Examples
    --------
    >>> facts = properties("mesh(3, 3)", routing="west_first", best=True)
    >>> round(facts.adaptivity.worst, 3), facts.best.highest <= facts.loads.highest
    (0.167, True)
    """
    deadline = NEVER if time_limit is None else Deadline.of(time_limit, "properties")
    meant = pattern(relation.network, traffic)
    left_out: list[str] = []

    def load(function: Callable[[Relation, PatternLike], Loads], what: str) -> Loads | None:
        try:
            return deadline.within(lambda: function(relation, meant))
        except RelationError as error:
            left_out.append(str(error))
        except NoAnswerError:
            left_out.append(f"{what}: there was no answer in {deadline.seconds:g} s")
        return None

    parts: list[Any] = []
    stages: dict[str, Callable[[Relation], Any]] = {
        "delivery": deliver,
        "livelock": livelock,
        "adaptivity": adaptivity,
        "virtual channels": vc_use,
        "loads": lambda _: load(loads, "loads"),
    }
    if best:
        stages["best split"] = lambda _: None if parts[-1] is None else load(best_loads, "best split")
    for done, (name, stage) in enumerate(stages.items()):
        if progress is not None:
            progress(name, done, len(stages))
        parts.append(stage(relation))
    if progress is not None:
        progress("", len(stages), len(stages))
    if not best:
        parts.append(None)
    return Properties(*parts, *[tuple(left_out)])
