"""Random texts, good, bad and hostile: by the grammar, and byte by byte; and what must hold of each."""

from __future__ import annotations

import random
import time
from collections import Counter

from tests.conformance import check_network
from unknot._base.errors import TextError
from unknot.network.tod import network

SLOWEST = 10.0
"""Seconds that no input may take."""

_INFIX = [
    *["|", "&", "-", "+", "*", "/", "^", "%", "∪", "∩", "−", "⊕", "×", "□", "⊗", "·", "⊠", "∘", "⇐", "⇒", "←", "→"],
    *["(+)", "(*)", "[*]", "=.", ".=", "~.", ".~", "**", "//", "==", "!=", "<", "<=", ">", ">=", "and", "or"],
]
_FUNCTIONS = [
    "point",
    "line",
    "ring",
    "complete",
    "star",
    "tree",
    "mesh",
    "torus",
    "hypercube",
    "cayley",
    "file",
    "union",
    "intersection",
    "difference",
    "ring_sum",
    "join",
    "cartesian",
    "tensor",
    "strong",
    "lexicographic",
    "left_equal",
    "right_equal",
    "left_adjacent",
    "right_adjacent",
    "absolute",
    "step",
    "forward",
    "backward",
    "oriented",
    "replace",
    "undirected",
    "reverse",
    "latency",
    "terminals",
    "min",
    "max",
    "abs",
    "swap",
    "flip",
    "shift",
    "f",
    "g",
    "nowhere",
]
_GRAPHS = [symbol for symbol in _INFIX[:30] if symbol not in ("%", "**", "^")]
_NETWORKS = [
    *["ring(4)", "line(3)", "ring(3, directed=true)", "line(2)", "point()", "complete(3)", "mesh(2, 3)"] * 2,
    *["{0 -- 1, 1 -> 2}", "{a -- b}", "{0, 5}", "star(2)", "tree(2, 2)", "step(ring(6), 2)", "ring(2, double=true)"],
    *[
        "{u -> 2*u % 4 for u in 4}",
        "forward(ring(4))",
        "backward(line(3))",
        "ring(3, latency=4)",
        'line(2, bandwidth="3/2")',
        "terminals(line(2), 2)",
    ],
]
_OPTIONS = ["latency", "bandwidth", "directed", "double", "inject", "eject", "radices", "lattency"]
_ODD = [
    "10**12",
    "2**62",
    "9223372036854775807",
    "0",
    "-1",
    "true",
    '"a"',
    "x",
    "[0, 1]",
    "(1, 2)",
    "[[0], [1]]",
    "u",
]
_CORPUS = [
    "ring(8) ** 2",
    "torus(k, n) = ring(k) ** n; torus(4, 2)",
    "line(2)[ring(3)] * line(2) ** 2",
    "R = ring(16)\nT(a) = step(R, a) * step(R, a)\nT(1) | T(2) # two\n",
    '{a -- b, b -> c : 3, "d e" -- a}',
    "{u -> 2*u % 16, u -> (2*u + 1) % 16 for u in 16}",
    "{(x, y) -- (x + 1, y) for x in 3, y in 4 if x != 1 or y == 2}",
    "cayley(swap(4, 0, i) for i in 1..3)",
    "f(n) = if n == 0 then point() else f(n - 1) * line(2); f(3)",
    "terminals(ring(3), inject=[0, 1, 1], eject=[2, 0, 1])",
    "forward(ring(4)) (*) oriented({0 -> 1, 2 -> 1})",
    "ring(4, latency=3) × line(3) ⊗ complete(3) − {0 -- 1}",
]


def by_grammar(draw: random.Random) -> str:
    """A text that mostly keeps to the syntax, and often to the meaning."""
    parts = [
        f"{name} = {_expression(draw, draw.randint(0, 2))}" for name in ("f(u)", "g(u, x)") if draw.random() < 0.3
    ]
    parts.append(_expression(draw, draw.randint(0, 3)))
    return draw.choice(["; ", "\n"]).join(parts)


def by_byte(draw: random.Random) -> str:
    """A good text with some of its bytes changed, moved, doubled or gone; sometimes nothing but noise."""
    if draw.random() < 0.05:
        return draw.randbytes(draw.randint(0, 60)).decode("utf-8", errors="surrogateescape")
    data = bytearray(draw.choice(_CORPUS).encode())
    for _ in range(draw.choice([1, 1, 1, 2, 3, 6])):
        at = draw.randrange(len(data) + 1)
        match draw.randrange(5):
            case 0:
                data[at:at] = draw.randbytes(1)
            case 1:
                del data[at : at + draw.randint(1, 4)]
            case 2:
                piece = data[at : at + draw.randint(1, 12)]
                data[at:at] = piece * draw.randint(1, 3)
            case 3:
                data[at:at] = draw.choice(_INFIX + _ODD + [*"(){}[],;:#\n", "--", "->", "..", "for x in 3"]).encode()
            case _:
                other = draw.choice(_CORPUS).encode()
                start = draw.randrange(len(other))
                data[at:at] = other[start : start + draw.randint(1, 20)]
    return data.decode("utf-8", errors=draw.choice(["replace", "surrogateescape", "ignore"]))


def _expression(draw: random.Random, depth: int) -> str:
    """Mostly a network whose operands are what its operators want; now and then anything at all."""
    if draw.random() < 0.04:
        return _anything(draw, depth)
    if depth <= 0:
        return draw.choice(_NETWORKS)
    inner = depth - 1
    match draw.randrange(10):
        case 0 | 1 | 2 | 3:
            operands = [_expression(draw, inner) for _ in range(draw.randint(2, 3))]
            return f"({f' {draw.choice(_GRAPHS)} '.join(operands)})"
        case 4:
            return f"({_expression(draw, inner)}) ** {draw.choice(['2', '1', '0', '2', '2 ** 0'])}"
        case 5:
            arity = draw.choice(
                ["(line(2) ** {n})[{g}]", "({h})[ring({n})]", "line(2)[complete({n})] * line(2) ** {m}"]
            )
            n = draw.randint(1, 3)
            return arity.format(n=n, m=n - 1, g=f"ring({n})", h=_expression(draw, inner))
        case 6:
            condition = f"{_number(draw)} {draw.choice(['==', '<', '!='])} {_number(draw)}"
            return f"(if {condition} then {_expression(draw, inner)} else {_expression(draw, inner)})"
        case 7:
            return _rule(draw, depth)
        case 8:
            name = draw.choice(["undirected", "reverse", "oriented", "latency", "terminals"])
            more = f", {draw.randint(1, 3)}" if name in ("latency", "terminals") else ""
            return f"{name}({_expression(draw, inner)}{more})"
        case _:
            name = draw.choice(_FUNCTIONS[11:24])
            return f"{name}({_expression(draw, inner)}, {_expression(draw, inner)})"


def _anything(draw: random.Random, depth: int) -> str:
    if depth <= 0:
        return _leaf(draw)
    match draw.randrange(6):
        case 0 | 1:
            return f" {draw.choice(_INFIX)} ".join(_anything(draw, depth - 1) for _ in range(draw.randint(2, 3)))
        case 2:
            return f"{_leaf(draw)} ** {draw.choice(['-1', '2 ** 2', '64', '10**9'])}"
        case 3:
            return f"{_anything(draw, depth - 1)}[{_anything(draw, depth - 1)}]"
        case _:
            return _call(draw, depth)


def _call(draw: random.Random, depth: int) -> str:
    values = [_anything(draw, depth - 1) if draw.random() < 0.6 else _number(draw) for _ in range(draw.randint(0, 3))]
    if draw.random() < 0.15:
        values.append(f"{draw.choice(_OPTIONS)}={_number(draw)}")
    if len(values) == 1 and draw.random() < 0.2:
        values[0] += f" for u in {_number(draw)}"
    return f"{draw.choice(_FUNCTIONS)}({', '.join(values)})"


def _rule(draw: random.Random, depth: int) -> str:
    if draw.random() < 0.3:
        return "{" + ", ".join(_edge(draw, ["0", "1", "2", "4"]) for _ in range(draw.randint(1, 4))) + "}"
    ends = (
        ["u", "u + 1", "2*u % 5", "x", "u ^ 1", "u // 2"] if draw.random() < 0.7 else ["(u, x)", "(x, u)", "(u, 1)"]
    )
    if draw.random() < 0.1:
        ends += ["a", '"b"', _anything(draw, depth - 2), "u - 1"]
    edges = [_edge(draw, ends) for _ in range(draw.randint(1, 3))]
    clauses = f" for u in {_number(draw)}, x in {draw.choice(['', '1..'])}{_number(draw)}"
    clauses += draw.choice(["", "", " if u < 2", " if u != x and not x == 1", f" if {_number(draw)} < x"])
    return "{" + ", ".join(edges) + clauses + "}"


def _edge(draw: random.Random, ends: list[str]) -> str:
    chain = draw.choice([" -- ", " -> "]).join(draw.choice(ends) for _ in range(draw.randint(1, 3)))
    return chain + draw.choice(["", "", "", " : 2"])


def _leaf(draw: random.Random) -> str:
    return draw.choice([draw.choice(_NETWORKS), _number(draw), draw.choice(_ODD)])


def _number(draw: random.Random) -> str:
    return str(draw.randint(0, 5)) if draw.random() < 0.85 else draw.choice(_ODD)


def check(text: str, max_channels: int = 3000) -> str:
    """Read a text; anything but a network or a located error is a failure.

    Returns
    -------
    str
        What came of it: the first words of the error, or "network".
    """
    start = time.process_time()
    try:
        found = network(text, where="fuzz", max_channels=max_channels)
    except TextError as error:
        problems = getattr(error, "problems", (error,))
        for problem in problems:
            assert problem.where == "fuzz", f"an error elsewhere: {text!r}: {problem}"
            assert problem.line >= 1, f"no line: {text!r}: {problem}"
            assert problem.column >= 1, f"no column: {text!r}: {problem}"
            assert problem.line <= text.count("\n") + 1, f"beyond the text: {text!r}: {problem}"
        outcome = "error"
    else:
        assert found.num_channels <= max_channels
        assert found.num_routers <= max_channels
        outcome = "network"
        if found.num_channels < 200 and len(text) % 4 == 0:
            check_network(found)
    assert time.process_time() - start < SLOWEST, f"too slow: {text!r}"
    return outcome


def campaign(kind: str, inputs: int, seed: int) -> Counter[str]:
    """Check a number of random texts and count what came of them."""
    draw = random.Random(seed)
    make = {"grammar": by_grammar, "bytes": by_byte}[kind]
    return Counter(check(make(draw)) for _ in range(inputs))
