"""The traffic patterns and injection processes of BookSim 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import near
from unknot.network import Network
from unknot.traffic import Pattern
from unknot.traffic.pattern import TrafficError
from unknot.traffic.patterns import bit_complement, bit_reverse, shuffle, transpose
from unknot.traffic.workload import Bursts
from unknot_booksim.built import Built
from unknot_booksim.configuration import Configuration
from unknot_booksim.fork_patterns import matrix, of_sources, schedule, tasks
from unknot_booksim.named_pattern import NamedPattern

MOST_NODES = 4096
"""Most nodes of a pattern that is a matrix of rates."""


def pattern(configuration: Configuration, built: Built) -> Pattern:
    """The pattern that `traffic` names.

    Raises
    ------
    UnknotError
        If there is none of that name, or it does not fit the network.
    """
    call = NamedPattern(configuration, built, "traffic")
    if call.name not in PATTERNS:
        raise configuration.error("traffic", f"BookSim has no pattern {call.name!r}; {near(call.name, PATTERNS)}")
    return of_sources(call, PATTERNS[call.name](call))


def bursts(configuration: Configuration, built: Built, chance: float) -> Bursts | None:
    """The bursts that `injection_process` asks for; None for none.

    Parameters
    ----------
    chance : float
        Packets of a terminal in a cycle.
    """
    call = NamedPattern(configuration, built, "injection_process")
    if call.name == "bernoulli" or (call.name == "custom_bernoulli" and configuration.text("traffic") == "custom"):
        return None
    if call.name != "on_off":
        raise call.error(f"BookSim has bernoulli and on_off, not {call.name!r}")
    keys = ("burst_alpha", "burst_beta", "burst_r1")
    numbers = []
    for at, key in enumerate(keys):
        text = call.values[at].split(",")[0] if at < len(call.values) else ""
        try:
            numbers.append(float(text) if text else configuration.number(key))
        except ValueError:
            raise call.error(f"a number is needed, not {text!r}") from None
    alpha, beta, rate = numbers
    if sum(number < 0 for number in numbers) != 1:
        raise call.error("exactly one of alpha, beta and r1 is negative, the unknown one")
    if alpha < 0 or beta < 0:
        if not chance < rate <= 1:
            raise call.error(f"r1 is between the load of {chance:g} and 1, got {rate:g}")
        alpha = beta * chance / (rate - chance) if alpha < 0 else alpha
        beta = alpha * (rate - chance) / chance if beta < 0 else beta
    if not (0 < alpha <= 1 and 0 < beta <= 1):
        raise call.error(f"alpha and beta are probabilities above 0, got {alpha:g} and {beta:g}")
    return Bursts(alpha, beta)


def _to(call: NamedPattern, target: npt.ArrayLike) -> Pattern:
    targets = np.asarray(target, dtype=np.int64)
    wrong = np.flatnonzero((targets < 0) | (targets >= call.nodes))
    if wrong.size:
        raise call.error(f"node {wrong[0]} would send to {targets[wrong[0]]}; there are nodes 0 to {call.nodes - 1}")
    return Pattern(call.text, destination=targets.astype(np.int32))


def _drawn(call: NamedPattern, choices: Callable[[int], Sequence[int] | Ints], shares: Ints | None = None) -> Pattern:
    """Draws of a destination for each node, weighted by the multiplicity of the choices."""
    if call.nodes > MOST_NODES:
        raise call.error(
            f"{call.text}: {call.nodes} × {call.nodes} rates are too many; the limit is {MOST_NODES} nodes",
        )
    weight = np.zeros((call.nodes, call.nodes))
    for source in range(call.nodes):
        targets = np.asarray(choices(source), dtype=np.int64)
        if targets.min() < 0 or targets.max() >= call.nodes:
            raise call.error(f"node {source} would send to {targets.max()}; there are nodes 0 to {call.nodes - 1}")
        np.add.at(weight[source], targets, 1.0 if shares is None else shares)
    return Pattern(call.text, weight=weight / weight.sum(axis=1, keepdims=True))


def _same(pattern: Callable[[Network], Pattern]) -> Callable[[NamedPattern], Pattern]:
    """A pattern on bits that Unknot has as well."""

    def made(call: NamedPattern) -> Pattern:
        if call.nodes & (call.nodes - 1):
            raise call.error(f"{call.name} needs a power of two of nodes; there are {call.nodes}")
        try:
            return replace(pattern(call.built.network), name=call.text)
        except TrafficError as error:
            raise call.error(str(error)) from None

    return made


def _digits(call: NamedPattern, step: Callable[[int], int]) -> Pattern:
    k, n, across = (call.whole(at, key) for at, key in enumerate(("k", "n", "xr")))
    base = k * across
    if base < 1 or n < 0 or base**n > call.nodes:
        raise call.error(
            f"{call.name} by {n} digits of {base} is for {max(base, 0)}^{n} nodes; there are {call.nodes}",
        )
    nodes, target = np.arange(call.nodes, dtype=np.int64), np.zeros(call.nodes, dtype=np.int64)
    for i in range(n):
        target += base**i * ((nodes // base**i % base + step(base)) % base)
    return _to(call, target)


def _randperm(call: NamedPattern) -> Pattern:
    seed = call.whole(0, "perm_seed")
    return _to(call, np.random.default_rng(seed & 0xFFFFFFFF).permutation(call.nodes))


def _background(call: NamedPattern) -> Pattern:
    excluded = set(call.numbers(0, call.nodes)) if call.values else set()
    left = [node for node in range(call.nodes) if node not in excluded]
    if not left:
        raise call.error("no node is left to send to")
    return _drawn(call, lambda source: left)


def _asymmetric(call: NamedPattern) -> Pattern:
    half = call.nodes // 2
    if not half:
        raise call.error("asymmetric wants two nodes or more")
    return _drawn(call, lambda source: [source % half, source % half + half])


def _taper64(call: NamedPattern) -> Pattern:
    if call.nodes != 64:
        raise call.error(f"taper64 is for 64 nodes; there are {call.nodes}")
    shares = np.array([64] * 9 + [9] * 64)
    near_by = [8 * i + j for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return _drawn(call, lambda source: [(64 + source + step) % 64 for step in near_by] + list(range(64)), shares)


def _bad_dragon(call: NamedPattern) -> Pattern:
    k = call.whole(0, "k")
    size = 2 * k * k
    if k < 1 or size > call.nodes:
        raise call.error(f"bad_dragon for groups of {size} nodes; there are {call.nodes}")
    return _drawn(call, lambda source: (np.arange(size) + (source // size + 1) * size) % call.nodes)


def _badperm_yarc(call: NamedPattern) -> Pattern:
    base = call.whole(0, "k") * call.whole(2, "xr")
    if base < 1:
        raise call.error("badperm_yarc wants k and xr above 0")
    return _drawn(call, lambda source: np.arange(base) * base + source // base)


def _hotspot(call: NamedPattern) -> Pattern:
    nodes = call.numbers(0, call.nodes) if call.values else [-1]
    rates = call.numbers(1) if len(call.values) > 1 else [1]
    rates = (rates + [rates[-1]] * len(nodes))[: len(nodes)]
    if min(rates) < 1:
        raise call.error(f"rates of hot spots are above 0, got {min(rates)}")
    if -1 in nodes:
        chosen = np.random.default_rng(call.configuration.whole("seed") & 0xFFFFFFFF)
        nodes = [int(chosen.integers(call.nodes)) if node < 0 else node for node in nodes]
    if len(nodes) == 1 and len(call.values) > 1:
        call.configuration.warn(
            "traffic", f"one hot spot, {nodes[0]}, is meant; several are written hotspot({{{{1,2}}}})"
        )
    return _drawn(call, lambda source: nodes, np.array(rates))


PATTERNS: dict[str, Callable[[NamedPattern], Pattern]] = {
    "uniform": lambda call: Pattern("uniform"),
    "bitcomp": _same(bit_complement),
    "bitrev": _same(bit_reverse),
    "transpose": _same(transpose),
    "shuffle": _same(shuffle),
    "tornado": lambda call: _digits(call, lambda base: (base + 1) // 2 - 1),
    "neighbor": lambda call: _digits(call, lambda base: 1),
    "randperm": _randperm,
    "background": _background,
    "diagonal": lambda call: _drawn(call, lambda source: [(source + 1) % call.nodes, source, source]),
    "asymmetric": _asymmetric,
    "taper64": _taper64,
    "bad_dragon": _bad_dragon,
    "badperm_yarc": _badperm_yarc,
    "hotspot": _hotspot,
    "matrix": matrix,
    "illusion": schedule,
    "custom": tasks,
}
"""The patterns of BookSim by name."""
