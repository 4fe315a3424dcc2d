"""Permutations as users write them, dead switches and links, and the answer to a set of requests.

A switch that is marked dead stays where it is but loses its links, so terminals keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.calls import Piece
from unknot._base.errors import NetworkError, UnknotError
from unknot._base.numbers import is_whole
from unknot._base.phrases import listed
from unknot._base.shown import Brief
from unknot._base.three_valued import ThreeValued
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages


@dataclass(frozen=True)
class Marks:
    """Dead switches and links.

    Attributes
    ----------
    switches : tuple of int
        Routers.
    links : tuple of int
        Channels.
    """

    switches: tuple[int, ...] = ()
    links: tuple[int, ...] = ()

    @classmethod
    def of(cls, network: Network, names: Iterable[str]) -> Marks:
        """Marks from names: ``s2r5`` is a switch, ``s0r1-s1r3`` every link between two switches.

        Raises
        ------
        NetworkError
            If there is no such switch or link.
        """
        switches, links = [], []
        for name in names:
            ends = re.split(r"\s*(?:→|->|-)\s*", name.strip())
            if len(ends) == 1:
                switches.append(network.router(ends[0]))
                continue
            if len(ends) != 2:
                raise NetworkError(f"{name!r} is neither a switch such as s2r5 nor a link such as s0r1-s1r3")
            between = network.between(network.router(ends[0]), network.router(ends[1]))
            if not between:
                raise NetworkError(f"network {network.name!r} has no link from {ends[0]} to {ends[1]}")
            links += between
        return cls(tuple(dict.fromkeys(switches)), tuple(dict.fromkeys(links)))

    def channels(self, network: Network) -> Ints:
        """The channels that carry nothing, ascending: those of dead links and of dead switches."""
        dead = np.isin(network.source, self.switches) | np.isin(network.target, self.switches)
        dead[list(self.links)] = True
        return np.flatnonzero(dead)

    def names(self, network: Network) -> list[str]:
        """The marks in writing."""
        return [network.router_name(r) for r in self.switches] + [network.channel_name(c) for c in self.links]


def marked(network: Network, marks: Marks) -> Network:
    """The network without its dead links and without the links of its dead switches; itself if nothing is dead."""
    gone = marks.channels(network)
    return network.without(channels=gone.tolist()) if gone.size else network


@dataclass(frozen=True, eq=False, repr=False)
class Realisation(ThreeValued, Brief, asks="realised"):
    """Whether messages can pass a multistage network at once, each link carrying one of them at most.

    Attributes
    ----------
    network : Network
    sources, destinations : int32 arrays, shape (messages,)
        Terminals.
    realised : bool or None
        None when it is not known.
    method : str
    established : str
        What was found, in words.
    paths : int32 array, shape (messages, stages − 1)
        The channels of each message. Of a blocked or undecided set they are the best that was found: rows of −1 stand
        for messages without a path.
    blocked : tuple of int
        Messages that cannot pass together; without any one of them the others can, unless `minimal` is False.
    minimal : bool
    marks : Marks
        Dead switches and links of the network.
    """

    network: Network
    sources: IntArray
    destinations: IntArray
    realised: bool | None
    method: str
    established: str
    paths: IntArray
    blocked: tuple[int, ...] = field(default=())
    minimal: bool = True
    marks: Marks = field(default_factory=Marks)

    @property
    def routed(self) -> IntArray:
        """Messages that have a path, ascending."""
        return np.flatnonzero((self.paths >= 0).all(axis=1)).astype(np.int32)


def accept(realisation: Realisation) -> None:
    """Check from the network alone that the paths lead where they should and share no link.

    Raises
    ------
    NetworkError
        At the first thing that is wrong.
    """
    network = realisation.network
    hops = stages(network).count - 1
    if realisation.paths.shape != (realisation.sources.size, hops):
        raise NetworkError(
            f"{network.name}: paths of shape {realisation.paths.shape} for {realisation.sources.size} messages"
        )
    if realisation.realised and realisation.routed.size != realisation.sources.size:
        raise NetworkError(f"{network.name}: a realised set of messages has a path for each of them")
    used = dict.fromkeys(realisation.marks.channels(network).tolist(), -1)
    for m in realisation.routed.tolist():
        here = int(network.inject[realisation.sources[m]])
        words = (
            f"{network.terminal_name(realisation.sources[m])}→{network.terminal_name(realisation.destinations[m])}"
        )
        for channel in realisation.paths[m].tolist():
            if not 0 <= channel < network.num_channels or network.source[channel] != here:
                raise NetworkError(f"{network.name}: the path of {words} is broken at {network.router_name(here)}")
            if channel in used:
                what = "two paths share" if used[channel] >= 0 else "a path takes the dead"
                raise NetworkError(f"{network.name}: {what} {network.channel_name(channel)}")
            used[channel] = m
            here = int(network.target[channel])
        if here != network.eject[realisation.destinations[m]]:
            raise NetworkError(f"{network.name}: the path of {words} ends at {network.router_name(here)}")


IDLE = -1
"""The destination of an input that sends nothing."""
MOST_LISTED = 8
"""Inputs or outputs that a message names."""


def permutation(network: Network, outputs: str | Sequence[int] | npt.NDArray[np.integer]) -> Ints:
    """The output each input is to be connected with.

    Parameters
    ----------
    outputs : str or sequence of int
        For each input the number of its output; an idle input is ``-`` in a text and −1 in a sequence. A text has
        commas or white space between the numbers.

    Returns
    -------
    int64 array, shape (terminals,)

    Raises
    ------
    UnknotError
        If numbers are too few, too many, out of range or repeated. It says which inputs ask for the same output and
        which outputs nobody asks for.
    """
    terminals = network.num_terminals
    values = _read(outputs) if isinstance(outputs, str) else [_whole(value) for value in outputs]
    if len(values) != terminals:
        raise UnknotError(
            f"permutation: {network.name} has {terminals} inputs, so {terminals} outputs are needed (- for an idle "
            f"input), but {len(values)} are given"
        )
    destinations = np.array(values, dtype=np.int64)
    outside = np.flatnonzero((destinations < IDLE) | (destinations >= terminals))
    if outside.size:
        at = int(outside[0])
        raise UnknotError(
            f"permutation: input {at} asks for output {destinations[at]}, but outputs are numbered 0 to "
            f"{terminals - 1}"
        )
    count = np.bincount(destinations[destinations >= 0], minlength=terminals)
    if (count > 1).any():
        output = int(np.argmax(count > 1))
        inputs = np.flatnonzero(destinations == output).tolist()
        missing = np.flatnonzero(count == 0).tolist()
        nobody = f"; nobody asks for {_listed('output', missing)}" if missing else ""
        raise UnknotError(f"permutation: {_listed('input', inputs)} ask for the same output {output}{nobody}")
    return destinations


def random_permutation(network: Network, seed: int) -> Ints:
    """A permutation drawn with all alike."""
    if seed < 0:
        raise UnknotError(f"the seed of a random permutation must be at least 0, got {seed}")
    return np.random.default_rng(seed).permutation(network.num_terminals).astype(np.int64)


def _read(text: str) -> list[int]:
    outputs = []
    for piece in Piece(text, "OUTPUTS").split(r",;\s"):
        if not re.fullmatch(r"-|[0-9]{1,9}", piece.text):
            raise piece.error("expected the number of an output, or - for an idle input")
        outputs.append(IDLE if piece.text == "-" else int(piece.text))
    return outputs


def _whole(output: Any) -> int:
    if not is_whole(output):
        raise UnknotError(f"permutation: the number of an output is needed, got {output!r}")
    return int(output)


def _listed(noun: str, numbers: list[int]) -> str:
    more = [f"{len(numbers) - MOST_LISTED} more"] if len(numbers) > MOST_LISTED else []
    return f"{noun}{'s' if len(numbers) > 1 else ''} {listed([*map(str, numbers[:MOST_LISTED]), *more])}"
