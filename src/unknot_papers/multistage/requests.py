"""Permutations as users write them, and the errors of those that are none."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unknot._base.errors import UnknotError
from unknot.network import Network

IDLE = -1
"""The destination of an input that sends nothing."""

Destinations = npt.NDArray[np.int64]


def permutation(network: Network, wanted: str | Sequence[int] | npt.NDArray[np.integer]) -> Destinations:
    """The output each input is to be connected with.

    Parameters
    ----------
    wanted : str or sequence of int
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
    values = _read(wanted) if isinstance(wanted, str) else [_whole(value) for value in wanted]
    if len(values) != terminals:
        raise UnknotError(
            f"permutation: {network.name} has {terminals} inputs, so {terminals} outputs are wanted (- for an idle "
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


def random_permutation(network: Network, seed: int) -> Destinations:
    """A permutation drawn with all alike."""
    if seed < 0:
        raise UnknotError(f"the seed of a random permutation must be at least 0, got {seed}")
    return np.random.default_rng(seed).permutation(network.num_terminals).astype(np.int64)


def _read(text: str) -> list[int]:
    words = [word for word in re.split(r"[,;\s]+", text.strip()) if word]
    for word in words:
        if not re.fullmatch(r"-|[0-9]{1,9}", word):
            raise UnknotError(f"permutation: {word!r} is neither the number of an output nor - for an idle input")
    return [IDLE if word == "-" else int(word) for word in words]


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise UnknotError(f"permutation: the number of an output is wanted, got {value!r}")
    return int(value)


def _listed(noun: str, numbers: list[int], most: int = 8) -> str:
    shown = [str(number) for number in numbers[:most]]
    if len(numbers) > most:
        return f"{noun}s {', '.join(shown)} and {len(numbers) - most} more"
    if len(shown) == 1:
        return f"{noun} {shown[0]}"
    return f"{noun}s {', '.join(shown[:-1])} and {shown[-1]}"
