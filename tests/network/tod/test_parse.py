"""Syntax, and where and how a text is found wrong."""

from __future__ import annotations

import pytest

from unknot._base.errors import TextError
from unknot.network import Network
from unknot.network.tod import TodError, network
from unknot.network.tod.parse import parse
from unknot.network.tod.syntax import Chain, Definition, OperatorCall, Power


def test_positions_of_the_syntax_tree() -> None:
    program = parse("k = 4\nring(k) ** 2 *\n  line(3)", "here")
    (definition,) = program.definitions
    assert isinstance(definition, Definition)
    assert (definition.name, definition.parameters) == ("k", None)
    chain = program.result
    assert isinstance(chain, Chain)
    power, call = chain.operands
    assert isinstance(power, Power)
    assert isinstance(call, OperatorCall)
    assert program.source.text[power.at : power.end] == "ring(k) ** 2"
    assert program.source.text[call.at : call.end] == "line(3)"
    assert program.source.error("what", call.at).args[0].startswith("here:3:3: what")


@pytest.mark.parametrize(
    "text",
    [
        "torus(k, n) = ring(k) ** n; torus(4, 2)",
        "torus(k, n) =\n  ring(k) ** n\n\ntorus(4, 2)\n",
        "# a comment\nk = 4 # another\r\nring(k)\r\n  * ring(k)",
        "k = 4;; ring(k) *\n ring(k);",
        "ring(\n  4\n) ** 2",
        "\ufeffring(4) × ring(4)",
        "f(g) = g * g; ring = ring4(); ring4() = cartesian(line(4), line(4)) | torus(4, 4); ring",
        "half = 2; if half == 2 and not half > 3 then torus(4, 4) else ring(1)",
        "cube(n) = if n == 0 then point() else cube(n - 1) * ring(4)\ncube(2) - {(9, 9, 9) -- (9, 9, 8)}",
        "torus(- -4, 2 + - -2)",
        "torus(min(4, 9), max(2, 4, abs(-3)))",
        "torus(4, 7 & 12 | 0 ^ 0)",
    ],
)
def test_ways_to_write_one_network(text: str) -> None:
    found = network(text)
    assert (found.num_routers, found.num_channels) == (16, 64)


def test_a_definition_hides_what_the_language_has() -> None:
    assert network("ring(k) = line(k); torus(3, 3) | ring(4) * ring(4)").num_channels == 60
    assert network("k = 3; f(k) = ring(k); f(5)").num_routers == 5


def test_names_of_networks() -> None:
    assert network("ring(3)  *\tline(2)").name == "ring(3) * line(2)"
    long = network("k = 3 # sides\n" + " * ".join(["line(k)"] * 9))
    assert long.name == "line(k) * line(k) * line(k) * line(k) *…"
    assert network("k = 3 # sides\n(line(k)) * ring(k)").name == "(line(k)) * ring(k)"


ONE = [
    ("", "there is no network here", 1, 1),
    ("k = 3", "there is no network here", 1, 6),
    ("ring(8", r"this \( is never closed", 1, 5),
    ("ring(8]", r"this \] closes nothing; the last one opened is \(", 1, 7),
    ("ring(8))", r"this \) closes nothing", 1, 8),
    ("k = (3; ring(k)", r"this \( is not closed before the ;", 1, 5),
    ("k = 3\nrign(k)", "rign is not defined; did you mean", 2, 1),
    ("ring(8) ring(8)", "ring cannot stand here; expected an operator", 1, 9),
    ("ring(8) **", "the statement ends here; expected a network or a value", 1, 11),
    ("ring(8,)", r"\) cannot stand here; expected a network or a value", 1, 8),
    ("ring $ 8", r"\$ means nothing here", 1, 6),
    ('file("abc', "this text is not closed before the end of the line", 1, 6),
    (r'file("\q")', "a text is written as in JSON", 1, 6),
    ("ring(99999999999999999999)", "this number is too big", 1, 6),
    ("ring(2**62 * 4)", "does not fit 63 bits", 1, 6),
    ("ring(2**99)", "does not fit 63 bits", 1, 6),
    ("ring(7 // (3 - 3))", "// by zero", 1, 6),
    ("ring(7 / 3)", "write // to divide", 1, 6),
    ("ring(2 ** -1)", "exponent of at least 0", 1, 6),
    ("ring(true + true)", r"\+ is not for truth values", 1, 6),
    ("ring(3 + true)", r"right operand of \+ must be a number, but true is a truth value", 1, 10),
    ("ring(8) * 3", r"right operand of \* must be a network, as ring\(8\) is, but 3 is a number", 1, 11),
    ('"a" * ring(8)', r"left operand of \* must be a network, .* but \"a\" is a text", 1, 1),
    ("ring(8) % ring(3)", r"% is for numbers, but ring\(8\) and ring\(3\) are networks", 1, 1),
    ("ring(-3)", "ring: k must be a whole number of at least 1, got the number -3", 1, 6),
    ("ring(3) ** -1", "the exponent of a network must be at least 0, but it is -1", 1, 12),
    ("ring(3) ** ring(3)", "the exponent of a network must be a whole number, but", 1, 12),
    ("if 3 then ring(3) else ring(4)", "if takes a truth value, but 3 is a number", 1, 4),
    ("-ring(3)", "changes the sign of a number, but", 1, 2),
    ("if not 3 then ring(3) else ring(4)", "not takes a truth value", 1, 8),
    ("3", "the last statement must be a network, but 3 is a number", 1, 1),
    ("ring", r"ring needs parentheses, as in ring\(k, latency=1, directed=false, double=false, bandwidth=1\)", 1, 1),
    ("f(k) = ring(k); f", "f takes 1 value in parentheses", 1, 17),
    ("f(k) = ring(k); f(1, 2)", "f takes 1 value, but here are 2", 1, 17),
    ("f(k) = ring(k); f(i for i in 3)", "f takes 1 values, but here are 3", 1, 17),
    ("f(k) = ring(k); f(k=3)", "takes values in their order, none by name", 1, 19),
    ("k = 3; k(3)", "k is defined without parameters", 1, 8),
    ("f(k) = k(3); f(2)", "k is a value here and cannot be called", 1, 8),
    ("ring()", r"ring\(k, .*\) is how it is called", 1, 1),
    ("ring(3, latncy=2)", "ring has no option latncy; did you mean latency", 1, 9),
    ("union(line(2), line(2), latency=2)", "union has no option latency; it has none", 1, 25),
    ("ring(3, latency=2, latency=3)", "latency is given twice", 1, 20),
    ("ring(latency=2, 3)", "values without a name come before options", 1, 17),
    ("ring(3, latency=0)", "ring: latency must be a number of cycles", 1, 17),
    ("ring(i for i in 3)", "none can be spread with for", 1, 1),
    ("union(ring(i) for i in 3, i in 2)", "two variables of this rule have the same name", 1, 15),
    ("union(ring(3) for i in 20000)", "more than 10000 values are spread here", 1, 15),
    ("union(ring(3) for i in 9 if i)", "if takes a truth value", 1, 29),
    ("k = 3; k = 4; ring(k)", "k is defined twice", 1, 8),
    ("f(k, k) = ring(k); f(3, 3)", "two parameters of f have one name", 1, 1),
    ("ring(3); ring(4)", "this value is not used", 1, 1),
    ("f(n) = f(n) * f(n); f(2)", "nested deeper than 200 levels", 1, 8),
    ("a = b; b = a; a", "nested deeper than 200 levels", 1, 12),
    ("terminals(ring(3))", "give either a number of terminals", 1, 1),
    ("terminals(ring(3), 2, inject=[0])", "give either a number of terminals", 1, 1),
    ("terminals(ring(3), inject=[3])", "there is no router number 3; they are 0 to 2", 1, 1),
    ("terminals(ring(3), inject=[0], eject=[1, 2])", "1 terminals inject, but 2 eject", 1, 1),
    ("min()", "min takes at least one number", 1, 1),
    ("[1, 2]", "must be a network, but .* is a list", 1, 1),
]


@pytest.mark.parametrize(("text", "message", "line", "column"), ONE)
def test_one_problem(text: str, message: str, line: int, column: int) -> None:
    with pytest.raises(TextError, match=message) as caught:
        network(text, where="file.tod")
    assert not isinstance(caught.value, TodError)
    assert (caught.value.where, caught.value.line, caught.value.column) == ("file.tod", line, column)
    shown = str(caught.value).splitlines()
    assert shown[0].startswith(f"file.tod:{line}:{column}: ")
    if len(shown) > 1:
        assert shown[2].index("^") == 4 + column - 1


def test_all_problems_at_once() -> None:
    text = "a = rign(3)\nb = ring(3, latncy=2) * nope\nc = )\nring(2) * mash(3)"
    with pytest.raises(TextError) as caught:
        network(text)
    assert "this ) closes nothing" in str(caught.value)
    with pytest.raises(TodError) as several:
        network(text.replace(")\nring(2)", "3\nring(2)", 1))
    assert [(p.line, p.column) for p in several.value.problems] == [(1, 5), (2, 13), (2, 25), (4, 11)]
    assert str(several.value).count("^") == 4
    with pytest.raises(TodError) as syntax:
        network("a = = 3; b = ; c = 3 3; ring(a)")
    assert [p.column for p in syntax.value.problems] == [5, 13, 22]
    with pytest.raises(TodError, match="… and 10 more problems"):
        network(" * ".join(f"x{i}()" for i in range(30)))


def test_a_caret_stands_right_behind_tabs_and_wide_text() -> None:
    with pytest.raises(TextError) as caught:
        network('\tring(3)\t* "\u00e9\u4e2d" * nope')
    line, caret = str(caught.value).splitlines()[1:]
    assert line[caret.index("^") :].startswith("nope")


def test_errors_in_definitions_point_into_them() -> None:
    with pytest.raises(TextError, match=r"the right operand of \* must be a network") as caught:
        network("twice(g) = g * 2\ntwice(ring(3))")
    assert (caught.value.line, caught.value.column) == (1, 16)


def test_the_syntax_of_numbers_does_not_depend_on_the_alphabet() -> None:
    with pytest.raises(TextError, match="means nothing here"):
        network("ring(\u0663)")
    assert isinstance(network("größe = 3; ring(größe)"), Network)
