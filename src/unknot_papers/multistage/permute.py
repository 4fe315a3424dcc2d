"""Connect inputs with outputs through a multistage network, no two messages on one link, or prove it cannot be.

Methods, each exact:

==================  ================================================================================================
``looping``         polynomial; whole Beneš and RCBN networks, which realise every permutation
``edge colouring``  polynomial; whole Clos networks
``cut``             more messages than links that all of them must pass: polynomial, blocked
``cp-sat``          one flow of 0s and 1s for each message
==================  ================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import UnknotError
from unknot.network import Network
from unknot.network.families import benes, clos
from unknot.network.model import IntArray
from unknot.network.stages import stages
from unknot_papers.multistage.looping import route_benes, route_clos, route_rcbn
from unknot_papers.multistage.realisation import Marks, Realisation, marked, permutation
from unknot_papers.multistage.search import count_paths, cut, solve
from unknot_papers.rcbn import rcbn

MAX_MINIMISED = 64
"""Most messages of a blocked set that is made minimal, and of one for which the best partial answer is looked for."""

Answer = IntArray | bool | None
"""Paths; False if there are none; None if that is not known."""


@counts_work
def permute(
    network: Network,
    outputs: str | Sequence[int] | npt.NDArray[np.integer],
    *,
    time_limit: float | Deadline = MINUTE,
    explain: bool = True,
) -> Realisation:
    """Route a permutation, whole or partial, without conflict.

    Parameters
    ----------
    network : Network
        A multistage network, possibly with faults.
    outputs : str or sequence of int
        The output of each input; ``-`` or −1 for an idle one.
    time_limit : float or Deadline
        Seconds for CP-SAT.
    explain : bool
        Whether, of a blocked set, a minimal part that is blocked and paths for the most messages are looked for.

    Returns
    -------
    Realisation
        With ``realised`` None only if the time was up.

    Raises
    ------
    UnknotError
        If it is no permutation.
    """
    stages(network)
    destinations = permutation(network, outputs)
    s = np.flatnonzero(destinations >= 0).astype(np.int32)
    task = _Task(
        network, s, destinations[s].astype(np.int32), Deadline.of(time_limit, "permute", UnknotError), explain
    )
    for early in (partial(task.known, destinations), task.unreachable):
        if (answered := early()) is not None:
            return answered
    return task.decided()


@counts_work
def permute_with_faults(
    network: Network,
    outputs: str | Sequence[int] | npt.NDArray[np.integer],
    marks: Marks,
    *,
    time_limit: float | Deadline = MINUTE,
) -> Realisation:
    """`permute` on a network of which switches and links are dead; channels have their numbers in this network.

    Raises
    ------
    UnknotError
        Also if the switches of a single-stage network are dead, where no message takes a link.
    """
    if network.radices and network.radices[0] == 1 and marks.switches:
        raise UnknotError(f"{network.name} has one stage only: a dead switch takes its terminals with it")
    realisation = permute(marked(network, marks), permutation(network, outputs), time_limit=time_limit)
    kept = np.setdiff1d(np.arange(network.num_channels), marks.channels(network))
    paths = np.append(kept, -1).astype(np.int32)[realisation.paths]
    return replace(realisation, network=network, marks=marks, paths=paths)


@dataclass(frozen=True, eq=False)
class _Task:
    network: Network
    sources: IntArray
    destinations: IntArray
    deadline: Deadline
    explain: bool

    def known(self, destinations: Ints) -> Realisation | None:
        """The answer of a method made for a whole network of a family."""
        network, terminals = self.network, self.network.num_terminals
        if network.origin is not None:
            return None
        n = terminals.bit_length() - 1
        if terminals == 1 << n:
            if n >= 3 and network.radices == (2 * n - 3, terminals // 2) and _same(network, rcbn(terminals)):
                return self.realised("looping", route_rcbn(terminals, destinations)[self.sources])
            if n >= 2 and network.radices == (2 * n - 1, terminals // 2) and _same(network, benes(terminals)):
                return self.realised("looping", route_benes(terminals, destinations)[self.sources])
        if network.radices[0] != 3:
            return None
        outer, middle, _ = np.bincount(stages(network).stage, minlength=3).tolist()
        if terminals % outer or not _same(network, clos(middle, terminals // outer, outer)):
            return None
        paths = route_clos(network, self.sources, self.destinations)
        return self.realised("edge colouring", paths) if paths is not None else None

    def unreachable(self) -> Realisation | None:
        lost = np.flatnonzero(self.path_counts() == 0)
        if not lost.size:
            return None
        first = int(lost[0])
        words = f"there is no path {self.name(first)}"
        if lost.size > 1:
            words += (
                f", nor for {lost.size - 1} other messages" if lost.size > 2 else f", nor {self.name(int(lost[1]))}"
            )
        return self.blocked("reachability", words, (first,))

    def decided(self) -> Realisation:
        # The cut is worth its time only where paths leave much to choose.
        many_paths = int(self.path_counts().max(initial=1)) > 2
        crossing = cut(self.network, self.sources, self.destinations) if many_paths else None
        if crossing is not None:
            return self.too_narrow(crossing)
        paths = self.solve(np.arange(self.sources.size))
        if paths is None:
            words = "no paths were found and none were ruled out in the time given"
            return self.answer(None, "cp-sat", words, _none(self.network, self.sources))
        if isinstance(paths, np.ndarray):
            return self.realised("cp-sat", paths)
        core, minimal = self.minimised(self.solve)
        named = ", ".join(self.name(m) for m in core[:6]) + (", …" if len(core) > 6 else "")
        few = f"{len(core)} of the messages cannot pass together: {named}"
        return self.blocked("cp-sat", few, core, minimal=minimal)

    def too_narrow(self, links: int) -> Realisation:
        def answer_of(kept: Ints) -> Answer:
            return False if cut(self.network, self.sources[kept], self.destinations[kept]) is not None else None

        core, minimal = self.minimised(answer_of)
        words = f"{self.sources.size} messages, but no more than {links} can pass, whichever outputs they go to"
        return self.blocked("cut", words, core, minimal=minimal)

    def minimised(self, answer_of: Callable[[Ints], Answer]) -> tuple[tuple[int, ...], bool]:
        """Messages blocked together, each necessary, and whether the necessity was verified."""
        core = np.arange(self.sources.size)
        if core.size > MAX_MINIMISED or not self.explain:
            return tuple(core.tolist()), False
        minimal = True
        for m in range(core.size):
            if self.deadline.over:
                return tuple(core.tolist()), False
            rest = core[core != m]
            answer = answer_of(rest)
            minimal &= answer is not None
            if answer is False:
                core = rest
        return tuple(core.tolist()), minimal

    def realised(self, method: str, paths: IntArray) -> Realisation:
        return self.answer(True, method, f"{self.sources.size} messages pass, no link carries two of them", paths)

    def blocked(self, method: str, words: str, core: tuple[int, ...], *, minimal: bool = True) -> Realisation:
        return Realisation(
            self.network, self.sources, self.destinations, False, method, words, self.best(), core, minimal
        )

    def answer(self, realised: bool | None, method: str, words: str, paths: IntArray) -> Realisation:
        return Realisation(self.network, self.sources, self.destinations, realised, method, words, paths)

    def solve(self, kept: Ints) -> Answer:
        left = max(0.1, self.deadline.left)
        return solve(self.network, self.sources[kept], self.destinations[kept], time_limit=left)

    def best(self) -> IntArray:
        """Paths of as many messages of a blocked set as can be found quickly."""
        if self.sources.size > MAX_MINIMISED or not self.explain:
            return _none(self.network, self.sources)
        limit = max(0.5, min(5.0, self.deadline.left))
        paths = solve(self.network, self.sources, self.destinations, time_limit=limit, most=True)
        return paths if isinstance(paths, np.ndarray) else _none(self.network, self.sources)

    def path_counts(self) -> Ints:
        return count_paths(self.network)[self.sources, self.destinations]

    def name(self, m: int) -> str:
        network = self.network
        return f"{network.terminal_name(self.sources[m])}→{network.terminal_name(self.destinations[m])}"


def _none(network: Network, sources: IntArray) -> IntArray:
    return np.full((sources.size, network.radices[0] - 1), -1, dtype=np.int32)


def _same(network: Network, other: Network) -> bool:
    keys = ("source", "target", "inject", "eject", "coordinates")
    return network.radices == other.radices and all(
        np.array_equal(getattr(network, key), getattr(other, key)) for key in keys
    )
