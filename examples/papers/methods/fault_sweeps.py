"""Effect of dead switches on a multistage network: all sets of a size, or sets drawn at random."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError, UnknotError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import reaches, stages
from unknot_papers.multistage.permute import permute
from unknot_papers.multistage.realisation import Marks, marked
from unknot_papers.multistage.search import cut

MAX_SETS = 2_000_000
"""Most sets of dead switches that are tried."""
CHUNK = 20_000


@dataclass(frozen=True)
class Worst:
    """The worst of all sets of at most `per_stage` dead switches in each interior stage.

    Attributes
    ----------
    marks : Marks
        The first set that cuts off the most pairs; of those with as many, one of the fewest switches.
    unreachable : int
        Pairs of terminals it cuts off.
    harmless : int
        Sets that cut off no pair.
    tried : int
    """

    marks: Marks
    unreachable: int
    harmless: int
    tried: int


@dataclass(frozen=True)
class Sampled:
    """Effect of dead switches drawn at random.

    Attributes
    ----------
    per_stage : int
        Dead switches in each interior stage.
    sets : int
        Sets that were drawn.
    whole : int
        Sets that cut off no pair.
    unreachable : float
        Mean share of pairs cut off.
    permutations, realised, undecided : int
        Random permutations that were tried, one for each set, and what became of them.
    """

    per_stage: int
    sets: int
    whole: int
    unreachable: float
    permutations: int
    realised: int
    undecided: int


def single_faults(network: Network) -> Iterator[Marks]:
    """Every dead interior switch, then every dead link, one at a time."""
    for router in interior(network).tolist():
        yield Marks(switches=(router,))
    for channel in range(network.num_channels):
        yield Marks(links=(channel,))


def interior(network: Network) -> IntArray:
    """Switches of all stages but the first and the last."""
    view = stages(network)
    return np.flatnonzero((view.stage > 0) & (view.stage < view.count - 1)).astype(np.int32)


def random_faults(network: Network, per_stage: int, random: np.random.Generator) -> Marks:
    """Random dead switches, this number of them in each interior stage, every choice equally likely.

    Raises
    ------
    NetworkError
        If a stage has fewer switches.
    """
    view = stages(network)
    chosen: list[int] = []
    for stage in range(1, view.count - 1):
        there = view.router[stage][view.router[stage] >= 0]
        if not 0 <= per_stage <= there.size:
            raise NetworkError(f"{network.name}: {per_stage} dead switches in stage {stage}, which has {there.size}")
        chosen += random.choice(there, per_stage, replace=False).tolist()
    return Marks(switches=tuple(sorted(chosen)))


def worst_faults(network: Network, per_stage: int) -> Worst:
    """Try every set of at most `per_stage` dead switches in each interior stage.

    Raises
    ------
    UnknotError
        If there are more than `MAX_SETS` sets.

    Notes
    -----
    One product of matrices of rows × rows for every set and stage, `CHUNK` sets at a time.
    """
    view = stages(network)
    inner = [view.router[s][view.router[s] >= 0] for s in range(1, view.count - 1)]
    choices = [list(_subsets(there.tolist(), per_stage)) for there in inner]
    sets = math.prod(len(listed) for listed in choices)
    if sets > MAX_SETS:
        raise UnknotError(
            f"{network.name}: {sets} sets of dead switches are too many to try; the limit is {MAX_SETS}"
        )
    steps = [_step(network, s) for s in range(view.count - 1)]
    weight = [
        np.bincount(view.row[ends], minlength=network.radices[1]).astype(np.int64)
        for ends in (network.inject, network.eject)
    ]
    pairs = weight[0][:, None] * weight[1]
    best: tuple[int, int] | None = None
    marks, harmless = Marks(), 0
    everything = itertools.product(*choices)
    while chunk := list(itertools.islice(everything, CHUNK)):
        reach = np.broadcast_to(steps[0], (len(chunk), *steps[0].shape)).astype(np.float32)
        for k, step in enumerate(steps[1:]):
            alive = np.ones((len(chunk), network.radices[1]), dtype=np.float32)
            for i, dead in enumerate(chunk):
                alive[i, view.row[list(dead[k])]] = 0.0
            reach = ((reach * alive[:, None, :]) @ step > 0).astype(np.float32)
        lost = ((reach == 0) * pairs).sum(axis=(1, 2))
        harmless += int(np.count_nonzero(lost == 0))
        for i in np.flatnonzero(lost == lost.max()).tolist():
            gone = tuple(router for part in chunk[i] for router in part)
            outcome = (-int(lost[i]), len(gone))
            if best is None or outcome < best:
                best, marks = outcome, Marks(switches=gone)
    return Worst(marks, 0 if best is None else -best[0], harmless, sets)


def fewest_that_block_all(network: Network, most: int = 2) -> Marks | None:
    """The fewest interior switches, at most `most`, without which no permutation can pass; None if there are none.

    By the bound of `cut`: fewer than one message for each terminal can pass, whichever outputs they go to.
    """
    ends = np.arange(network.num_terminals, dtype=np.int32)
    for size in range(1, most + 1):
        for dead in itertools.combinations(interior(network).tolist(), size):
            marks = Marks(switches=dead)
            if cut(marked(network, marks), ends, ends) is not None:
                return marks
    return None


def sample_faults(
    network: Network, per_stage: int, sets: int, seed: int = 1, *, permutations: bool = True, time_limit: float = 5.0
) -> Sampled:
    """Draw sets of dead switches, and a permutation for each.

    Parameters
    ----------
    permutations : bool
        Whether permutations are tried as well, each decided exactly within `time_limit` seconds.
    """
    random = np.random.default_rng(seed)
    whole = realised = undecided = 0
    lost = 0
    for _ in range(sets):
        marks = random_faults(network, per_stage, random)
        cut_off = unreachable_pairs(network, marks)
        lost += cut_off
        whole += cut_off == 0
        permutation = random.permutation(network.num_terminals)
        if permutations:
            answer = permute(marked(network, marks), permutation, time_limit=time_limit, explain=False).realised
            realised += answer is True
            undecided += answer is None
    share = lost / (sets * network.num_terminals**2)
    return Sampled(per_stage, sets, whole, share, sets if permutations else 0, realised, undecided)


def _subsets(items: list[int], most: int) -> Iterator[tuple[int, ...]]:
    for size in range(most + 1):
        yield from itertools.combinations(items, size)


def _step(network: Network, stage: int) -> npt.NDArray[np.float32]:
    """Matrix of links between rows: 1 where a row of the stage leads to a row of the next."""
    view = stages(network)
    step = np.zeros((network.radices[1], network.radices[1]), dtype=np.float32)
    here = view.stage[network.source] == stage
    step[view.row[network.source[here]], view.row[network.target[here]]] = 1.0
    return step


def unreachable_pairs(network: Network, marks: Marks) -> int:
    """Pairs of terminals between which no path is left."""
    left = marked(network, marks)
    return int(np.count_nonzero(~reaches(left)[left.inject]))
