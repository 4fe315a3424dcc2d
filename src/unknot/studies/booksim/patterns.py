"""The traffic patterns and injection processes of BookSim 2."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from unknot.errors import near
from unknot.simulation.engine.traffic import Bursts
from unknot.studies.booksim.configuration import Configuration, split
from unknot.studies.booksim.networks import Built
from unknot.traffic import Pattern

Numbers = npt.NDArray[np.int64]
MOST_NODES = 4096
"""Most nodes of a pattern that is a matrix of rates."""
_CALL = re.compile(r"([^(]*)(?:\((.*)\))?")


class _Asked:
    """A pattern as it was asked for: its name, and values in parentheses."""

    def __init__(self, configuration: Configuration, built: Built, key: str) -> None:
        self.configuration, self.built, self.key = configuration, built, key
        self.text = configuration.one(key)
        match = _CALL.fullmatch(self.text)
        if match is None:
            raise configuration.error(key, f"a name, or a name with values in parentheses, is wanted: {self.text}")
        self.name, inside = match[1], match[2] or ""
        self.values = split(inside) if inside.startswith("{") and _closes_at_end(inside) else _top(inside)
        if configuration.faithful and not inside.startswith("{"):
            self.values = (inside,) if inside else ()
        self.nodes = built.network.num_terminals

    def whole(self, at: int, otherwise: str) -> int:
        """The value at a position, or that of a key."""
        if at >= len(self.values):
            return self.configuration.whole(otherwise)
        return self.numbers(at)[0]

    def numbers(self, at: int, limit: int | None = None) -> list[int]:
        """The whole numbers of a value that is a list, each below a limit."""
        found = []
        for text in split(self.values[at]):
            text = text.split(",")[0] if self.configuration.faithful else text
            if not re.fullmatch(r"-?\d{1,9}", text) or (limit is not None and not -1 <= int(text) < limit):
                most = f" below {limit}" if limit is not None else ""
                raise self.configuration.error(self.key, f"whole numbers{most} are wanted, not {text!r}")
            found.append(int(text))
        if not found:
            raise self.configuration.error(self.key, "this list is empty")
        return found


def pattern(configuration: Configuration, built: Built) -> Pattern:
    """The pattern that `traffic` names.

    Raises
    ------
    UnknotError
        If there is none of that name, or it does not fit the network.
    """
    asked = _Asked(configuration, built, "traffic")
    if asked.name not in PATTERNS:
        raise configuration.error("traffic", f"BookSim has no pattern {asked.name!r}; {near(asked.name, PATTERNS)}")
    return PATTERNS[asked.name](asked)


def bursts(configuration: Configuration, built: Built, chance: float) -> Bursts | None:
    """The bursts that `injection_process` asks for; None for none.

    Parameters
    ----------
    chance : float
        Packets of a terminal in a cycle.
    """
    asked = _Asked(configuration, built, "injection_process")
    if asked.name == "bernoulli":
        return None
    if asked.name != "on_off":
        raise configuration.error("injection_process", f"BookSim has bernoulli and on_off, not {asked.name!r}")
    keys = ("burst_alpha", "burst_beta", "burst_r1")
    given = []
    for at, key in enumerate(keys):
        text = asked.values[at].split(",")[0] if at < len(asked.values) else ""
        try:
            given.append(float(text) if text else configuration.number(key))
        except ValueError:
            raise configuration.error("injection_process", f"a number is wanted, not {text!r}") from None
    alpha, beta, rate = given
    if sum(value < 0 for value in given) != 1:
        raise configuration.error(
            "injection_process", "exactly one of alpha, beta and r1 is negative, the unknown one"
        )
    if alpha < 0 or beta < 0:
        if not chance < rate <= 1:
            raise configuration.error(
                "injection_process", f"r1 is between the load of {chance:g} and 1, got {rate:g}"
            )
        alpha = beta * chance / (rate - chance) if alpha < 0 else alpha
        beta = alpha * (rate - chance) / chance if beta < 0 else beta
    if not (0 < alpha <= 1 and 0 < beta <= 1):
        raise configuration.error(
            "injection_process", f"alpha and beta are probabilities above 0, got {alpha:g} and {beta:g}"
        )
    return Bursts(alpha, beta)


def _top(text: str) -> tuple[str, ...]:
    """Values between commas that are in no braces."""
    return split("{" + text + "}") if text else ()


def _closes_at_end(text: str) -> bool:
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if not depth:
            return i == len(text) - 1
    return False


def _to(asked: _Asked, target: npt.ArrayLike) -> Pattern:
    found = np.asarray(target, dtype=np.int64)
    wrong = np.flatnonzero((found < 0) | (found >= asked.nodes))
    if wrong.size:
        raise asked.configuration.error(
            "traffic", f"node {wrong[0]} would send to {found[wrong[0]]}; there are nodes 0 to {asked.nodes - 1}"
        )
    return Pattern(asked.text, destination=found.astype(np.int32))


def _drawn(
    asked: _Asked, choices: Callable[[int], Sequence[int] | Numbers], shares: Numbers | None = None
) -> Pattern:
    """Each node draws among some destinations, as often as one of them stands there."""
    if asked.nodes > MOST_NODES:
        raise asked.configuration.error(
            "traffic",
            f"{asked.text}: {asked.nodes} × {asked.nodes} rates are too many; the limit is {MOST_NODES} nodes",
        )
    weight = np.zeros((asked.nodes, asked.nodes))
    for source in range(asked.nodes):
        found = np.asarray(choices(source), dtype=np.int64)
        if found.min() < 0 or found.max() >= asked.nodes:
            raise asked.configuration.error(
                "traffic", f"node {source} would send to {found.max()}; there are nodes 0 to {asked.nodes - 1}"
            )
        np.add.at(weight[source], found, 1.0 if shares is None else shares)
    return Pattern(asked.text, weight=weight / weight.sum(axis=1, keepdims=True))


def _bits(asked: _Asked) -> tuple[Numbers, int]:
    bits = asked.nodes.bit_length() - 1
    if asked.nodes != 1 << bits:
        raise asked.configuration.error(
            "traffic", f"{asked.name} wants a power of two of nodes; there are {asked.nodes}"
        )
    return np.arange(asked.nodes, dtype=np.int64), bits


def _uniform(asked: _Asked) -> Pattern:
    return Pattern("uniform")


def _bitcomp(asked: _Asked) -> Pattern:
    nodes, _ = _bits(asked)
    return _to(asked, asked.nodes - 1 - nodes)


def _bitrev(asked: _Asked) -> Pattern:
    nodes, bits = _bits(asked)
    found = np.zeros_like(nodes)
    for i in range(bits):
        found |= ((nodes >> i) & 1) << (bits - 1 - i)
    return _to(asked, found)


def _transpose(asked: _Asked) -> Pattern:
    nodes, bits = _bits(asked)
    if bits % 2:
        raise asked.configuration.error(
            "traffic", f"transpose wants an even power of two of nodes; there are {asked.nodes}"
        )
    half = bits // 2
    return _to(asked, nodes >> half | (nodes & ((1 << half) - 1)) << half)


def _shuffle(asked: _Asked) -> Pattern:
    nodes, bits = _bits(asked)
    return _to(asked, (nodes << 1 & asked.nodes - 1) | nodes >> max(bits - 1, 0))


def _digits(asked: _Asked, step: Callable[[int], int]) -> Pattern:
    k, n, across = (asked.whole(at, key) for at, key in enumerate(("k", "n", "xr")))
    base = k * across
    if base < 1 or n < 0 or base**n > asked.nodes:
        raise asked.configuration.error(
            "traffic",
            f"{asked.name} by {n} digits of {base} is for {max(base, 0)}^{n} nodes; there are {asked.nodes}",
        )
    nodes, found = np.arange(asked.nodes, dtype=np.int64), np.zeros(asked.nodes, dtype=np.int64)
    for i in range(n):
        found += base**i * ((nodes // base**i % base + step(base)) % base)
    return _to(asked, found)


def _tornado(asked: _Asked) -> Pattern:
    return _digits(asked, lambda base: (base + 1) // 2 - 1)


def _neighbor(asked: _Asked) -> Pattern:
    return _digits(asked, lambda base: 1)


def _randperm(asked: _Asked) -> Pattern:
    seed = asked.whole(0, "perm_seed")
    return _to(asked, np.random.default_rng(seed & 0xFFFFFFFF).permutation(asked.nodes))


def _background(asked: _Asked) -> Pattern:
    excluded = set(asked.numbers(0, asked.nodes)) if asked.values else set()
    left = [node for node in range(asked.nodes) if node not in excluded]
    if not left:
        raise asked.configuration.error("traffic", "no node is left to send to")
    return _drawn(asked, lambda source: left)


def _diagonal(asked: _Asked) -> Pattern:
    return _drawn(asked, lambda source: [(source + 1) % asked.nodes, source, source])


def _asymmetric(asked: _Asked) -> Pattern:
    half = asked.nodes // 2
    if not half:
        raise asked.configuration.error("traffic", "asymmetric wants two nodes or more")
    return _drawn(asked, lambda source: [source % half, source % half + half])


def _taper64(asked: _Asked) -> Pattern:
    if asked.nodes != 64:
        raise asked.configuration.error("traffic", f"taper64 is for 64 nodes; there are {asked.nodes}")
    shares = np.array([64] * 9 + [9] * 64)
    near_by = [8 * i + j for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return _drawn(asked, lambda source: [(64 + source + step) % 64 for step in near_by] + list(range(64)), shares)


def _bad_dragon(asked: _Asked) -> Pattern:
    k = asked.whole(0, "k")
    size = 2 * k * k
    if k < 1 or size > asked.nodes:
        raise asked.configuration.error("traffic", f"bad_dragon for groups of {size} nodes; there are {asked.nodes}")
    return _drawn(asked, lambda source: (np.arange(size) + (source // size + 1) * size) % asked.nodes)


def _badperm_yarc(asked: _Asked) -> Pattern:
    base = asked.whole(0, "k") * asked.whole(2, "xr")
    if base < 1:
        raise asked.configuration.error("traffic", "badperm_yarc wants k and xr above 0")
    return _drawn(asked, lambda source: np.arange(base) * base + source // base)


def _hotspot(asked: _Asked) -> Pattern:
    nodes = asked.numbers(0, asked.nodes) if asked.values else [-1]
    rates = asked.numbers(1) if len(asked.values) > 1 else [1]
    rates = (rates + [rates[-1]] * len(nodes))[: len(nodes)]
    if min(rates) < 1:
        raise asked.configuration.error("traffic", f"rates of hot spots are above 0, got {min(rates)}")
    if -1 in nodes:
        chosen = np.random.default_rng(asked.configuration.whole("seed") & 0xFFFFFFFF)
        nodes = [int(chosen.integers(asked.nodes)) if node < 0 else node for node in nodes]
    if len(nodes) == 1 and len(asked.values) > 1:
        asked.configuration.warn(
            "traffic", f"one hot spot, {nodes[0]}, is meant; several are written hotspot({{{{1,2}}}})"
        )
    return _drawn(asked, lambda source: nodes, np.array(rates))


PATTERNS: dict[str, Callable[[_Asked], Pattern]] = {
    "uniform": _uniform,
    "bitcomp": _bitcomp,
    "bitrev": _bitrev,
    "transpose": _transpose,
    "shuffle": _shuffle,
    "tornado": _tornado,
    "neighbor": _neighbor,
    "randperm": _randperm,
    "background": _background,
    "diagonal": _diagonal,
    "asymmetric": _asymmetric,
    "taper64": _taper64,
    "bad_dragon": _bad_dragon,
    "badperm_yarc": _badperm_yarc,
    "hotspot": _hotspot,
}
"""The patterns of BookSim by name."""
