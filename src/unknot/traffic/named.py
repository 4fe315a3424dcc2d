"""Traffic from the text in which a person names it, or from arrays and functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.calls import apply, chosen, parse_call
from unknot._base.extensions import Catalogue
from unknot.network import Network
from unknot.traffic import patterns as room
from unknot.traffic.pattern import Pattern, TrafficError, to, weighted

PatternLike = str | Pattern | Sequence[int] | npt.NDArray[Any] | Callable[[int], Any]
"""What `pattern` makes a pattern of."""


def patterns() -> Catalogue[Callable[..., Pattern]]:
    """The public patterns by name, and those of extensions.

    Examples
    --------
    >>> "hotspot" in patterns()
    True
    """
    return Catalogue(
        "patterns",
        {
            name: function
            for name, function in vars(room).items()
            if inspect.isfunction(function) and function.__module__ == room.__name__ and not name.startswith("_")
        },
    )


def pattern(network: Network, traffic: PatternLike = "uniform", *, where: str = "<traffic>") -> Pattern:
    """Return the pattern that a name, text, array or function stands for.

    Parameters
    ----------
    traffic : str, Pattern, sequence of int, array or callable
        A name or call such as ``transpose`` or ``hotspot(3, share=0.1)``; one destination for each terminal, −1 for
        none; a matrix of rates, terminals × terminals; or a function from a source terminal to its destination or
        to a row of such a matrix.

    Raises
    ------
    TrafficError
        If it does not fit the network; `TextError` if no pattern is named so.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> pattern(ring(4), [1, 2, 3, 0]).destination.tolist()
    [1, 2, 3, 0]
    """
    if isinstance(traffic, Pattern):
        return traffic
    if isinstance(traffic, str):
        call = parse_call(traffic, where)
        return apply(call, chosen(call, patterns(), "traffic"), network)
    if callable(traffic):
        return _from_array(network, [traffic(terminal) for terminal in range(network.num_terminals)])
    return _from_array(network, traffic)


def _from_array(network: Network, values: Any) -> Pattern:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise TrafficError(f"traffic: destinations or rows of one length are wanted: {error}") from error
    if array.ndim == 2:
        return weighted(network, "traffic", array)
    return to(network, "traffic", array)
