"""The traffic patterns and injection processes of BookSim 2."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import UnknotError, near
from unknot._base.input import read_text
from unknot.network import Network
from unknot.traffic import Pattern
from unknot.traffic.pattern import TrafficError
from unknot.traffic.patterns import bit_complement, bit_reverse, shuffle, transpose
from unknot.traffic.workload import Bursts
from unknot_booksim.built import Built
from unknot_booksim.configuration import Configuration, split

MOST_NODES = 4096
"""Most nodes of a pattern that is a matrix of rates."""
_CALL = re.compile(r"([^(]*)(?:\((.*)\))?")


class _Call:
    """A pattern or injection process as the configuration names it, with its values in parentheses."""

    def __init__(self, configuration: Configuration, built: Built, key: str) -> None:
        self.configuration, self.built, self.key = configuration, built, key
        self.text = configuration.one(key)
        match = _CALL.fullmatch(self.text)
        if match is None:
            raise self.error(f"a name, or a name with values in parentheses, is needed: {self.text}")
        self.name, inside = match[1], match[2] or ""
        self.values = split("{" + inside + "}")
        if inside.startswith("{"):
            self.values = split(self.values[0]) if len(self.values) == 1 else self.values
        elif configuration.faithful:
            self.values = (inside,) if inside else ()
        self.nodes = built.network.num_terminals

    def error(self, message: str) -> UnknotError:
        """An error at the place where it is named."""
        return self.configuration.error(self.key, message)

    def whole(self, at: int, otherwise: str) -> int:
        """The value at a position, or that of a key."""
        if at >= len(self.values):
            return self.configuration.whole(otherwise)
        return self.numbers(at)[0]

    def numbers(self, at: int, limit: int | None = None) -> list[int]:
        """The whole numbers of a value that is a list, each below a limit."""
        listed = []
        for text in split(self.values[at]):
            text = text.split(",")[0] if self.configuration.faithful else text
            if not re.fullmatch(r"-?\d{1,9}", text) or (limit is not None and not -1 <= int(text) < limit):
                most = f" below {limit}" if limit is not None else ""
                raise self.error(f"whole numbers{most} are needed, not {text!r}")
            listed.append(int(text))
        if not listed:
            raise self.error("this list is empty")
        return listed


def pattern(configuration: Configuration, built: Built) -> Pattern:
    """The pattern that `traffic` names.

    Raises
    ------
    UnknotError
        If there is none of that name, or it does not fit the network.
    """
    call = _Call(configuration, built, "traffic")
    if call.name not in PATTERNS:
        raise configuration.error("traffic", f"BookSim has no pattern {call.name!r}; {near(call.name, PATTERNS)}")
    return PATTERNS[call.name](call)


def bursts(configuration: Configuration, built: Built, chance: float) -> Bursts | None:
    """The bursts that `injection_process` asks for; None for none.

    Parameters
    ----------
    chance : float
        Packets of a terminal in a cycle.
    """
    call = _Call(configuration, built, "injection_process")
    if call.name == "bernoulli":
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


def _to(call: _Call, target: npt.ArrayLike) -> Pattern:
    targets = np.asarray(target, dtype=np.int64)
    wrong = np.flatnonzero((targets < 0) | (targets >= call.nodes))
    if wrong.size:
        raise call.error(f"node {wrong[0]} would send to {targets[wrong[0]]}; there are nodes 0 to {call.nodes - 1}")
    return Pattern(call.text, destination=targets.astype(np.int32))


def _drawn(call: _Call, choices: Callable[[int], Sequence[int] | Ints], shares: Ints | None = None) -> Pattern:
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


def _same(pattern: Callable[[Network], Pattern]) -> Callable[[_Call], Pattern]:
    """A pattern on bits that Unknot has as well."""

    def made(call: _Call) -> Pattern:
        if call.nodes & (call.nodes - 1):
            raise call.error(f"{call.name} needs a power of two of nodes; there are {call.nodes}")
        try:
            return replace(pattern(call.built.network), name=call.text)
        except TrafficError as error:
            raise call.error(str(error)) from None

    return made


def _digits(call: _Call, step: Callable[[int], int]) -> Pattern:
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


def _randperm(call: _Call) -> Pattern:
    seed = call.whole(0, "perm_seed")
    return _to(call, np.random.default_rng(seed & 0xFFFFFFFF).permutation(call.nodes))


def _background(call: _Call) -> Pattern:
    excluded = set(call.numbers(0, call.nodes)) if call.values else set()
    left = [node for node in range(call.nodes) if node not in excluded]
    if not left:
        raise call.error("no node is left to send to")
    return _drawn(call, lambda source: left)


def _asymmetric(call: _Call) -> Pattern:
    half = call.nodes // 2
    if not half:
        raise call.error("asymmetric wants two nodes or more")
    return _drawn(call, lambda source: [source % half, source % half + half])


def _taper64(call: _Call) -> Pattern:
    if call.nodes != 64:
        raise call.error(f"taper64 is for 64 nodes; there are {call.nodes}")
    shares = np.array([64] * 9 + [9] * 64)
    near_by = [8 * i + j for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return _drawn(call, lambda source: [(64 + source + step) % 64 for step in near_by] + list(range(64)), shares)


def _bad_dragon(call: _Call) -> Pattern:
    k = call.whole(0, "k")
    size = 2 * k * k
    if k < 1 or size > call.nodes:
        raise call.error(f"bad_dragon for groups of {size} nodes; there are {call.nodes}")
    return _drawn(call, lambda source: (np.arange(size) + (source // size + 1) * size) % call.nodes)


def _badperm_yarc(call: _Call) -> Pattern:
    base = call.whole(0, "k") * call.whole(2, "xr")
    if base < 1:
        raise call.error("badperm_yarc wants k and xr above 0")
    return _drawn(call, lambda source: np.arange(base) * base + source // base)


def _hotspot(call: _Call) -> Pattern:
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


def _matrix(call: _Call) -> Pattern:
    """Rows of a file, a source each; a source with rates of 0 sends to itself, as in forks of BookSim."""
    name = call.values[0] if call.values else ""
    texts = [line.split("#")[0].split() for line in read_text(call.configuration.file("traffic", name)).splitlines()]
    try:
        numbers = np.array([float(text) for row in texts for text in row])
    except ValueError:
        raise call.error(f"{name} has rates that are no numbers") from None
    if numbers.size != call.nodes**2 or not np.isfinite(numbers).all() or numbers.min(initial=0) < 0:
        raise call.error(f"{name} has {numbers.size} rates; {call.nodes} × {call.nodes} are needed, none below 0")
    call.configuration.warn("traffic", "matrix is of forks of BookSim")
    weight = numbers.reshape(call.nodes, call.nodes)
    silent = np.flatnonzero(weight.sum(axis=1) == 0)
    weight[silent, silent] = 1
    return Pattern(call.text, weight=weight / weight.sum(axis=1, keepdims=True))


PATTERNS: dict[str, Callable[[_Call], Pattern]] = {
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
    "matrix": _matrix,
}
"""The patterns of BookSim by name."""
