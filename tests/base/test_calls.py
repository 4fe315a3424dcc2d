"""Calls in text: what is read, what is refused, and where the caret stands."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.calls import Call, apply, chosen, parse_call
from unknot._base.errors import TextError


@pytest.mark.parametrize(
    ("text", "name", "args", "options"),
    [
        ("ring", "ring", (), {}),
        ("  ring  ", "ring", (), {}),
        ("torus(8, 8)", "torus", (8, 8), {}),
        ("torus (8, 8,)", "torus", (8, 8), {}),
        ("ring(8, latency=2)", "ring", (8,), {"latency": 2}),
        ("dimension-order(dateline='none')", "dimension_order", (), {"dateline": "none"}),
        ("f(-3, 2.5, True, None, [1, (2, 'x')])", "f", (-3, 2.5, True, None, (1, (2, "x"))), {}),
        ("f(\n  1,\n  2)", "f", (1, 2), {}),
        ("f('(', \"=\")", "f", ("(", "="), {}),
    ],
)
def test_reads(text: str, name: str, args: tuple[object, ...], options: dict[str, object]) -> None:
    call = parse_call(text)
    assert (call.name, call.args, dict(call.options)) == (name, args, options)


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("", 1, "expected a name"),
        ("8", 1, "expected a name"),
        ("torus 8", 7, "expected nothing or ("),
        ("torus(8", 6, "never closed"),
        ("torus(8,, 8)", 9, "not a call"),
        ("torus(8)(9)", 6, "one pair of parentheses"),
        ("torus(8).name", 6, "one pair of parentheses"),
        ("torus(8 + 8)", 7, "a value here is"),
        ("torus(n)", 7, "a value here is"),
        ("torus(__import__('os'))", 7, "a value here is"),
        ("torus('é', n)", 12, "a value here is"),
        ("torus(*n)", 7, "a value here is"),
        ("ring(8, **n)", 9, "** cannot stand here"),
        ("ring(8, latency=x)", 17, "a value here is"),
        ("ring(k=1, k=2)", 11, "k is given twice"),
        ("ring(-True)", 6, "a value here is"),
        ("ring(1j)", 6, "a value here is"),
        ("ring(" + "[" * 500 + "]" * 500 + ")", 6, ""),
        ("ring(8\0)", 1, "expected a name"),
    ],
)
def test_refuses_with_a_caret(text: str, column: int, said: str) -> None:
    with pytest.raises(TextError) as caught:
        parse_call(text, "here")
    assert said in caught.value.message
    if len(text) < 500:
        assert caught.value.column == column
        assert str(caught.value).startswith(f"here:1:{column}: ")


_VALUES = st.recursive(
    st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.booleans()
    | st.none(),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=5,
)


@given(st.lists(_VALUES, max_size=4), st.dictionaries(st.sampled_from(["a", "b", "c"]), _VALUES, max_size=3))
def test_reads_what_was_written(args: list[object], options: dict[str, object]) -> None:
    written = [repr(value) for value in args] + [f"{key}={value!r}" for key, value in options.items()]
    call = parse_call(f"some-name({', '.join(written)})")
    assert call.name == "some_name"
    assert call.args == tuple(args)
    assert dict(call.options) == options


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    flat = text.replace("\n", " ").replace("\r", " ")
    try:
        call = parse_call(f"f({text})")
    except TextError as error:
        place = error.column
    else:
        place = len(call.columns)
        assert len(ast.parse(f"f({flat})".strip(), mode="eval").body.args) == len(call.args)  # type: ignore[attr-defined]
    assert 1 <= place <= len(flat) + 4


def _example(first: str, k: int, *, latency: int = 1) -> tuple[str, int, int]:
    return first, k, latency


def test_applies_with_values_before_and_beside() -> None:
    assert apply(parse_call("f(8, latency=2)"), _example, "n") == ("n", 8, 2)
    assert apply(parse_call("f(8)"), _example, "n", latency=3) == ("n", 8, 3)


@pytest.mark.parametrize(
    ("text", "said", "column"),
    [
        ("f(8, latensy=2)", "no option 'latensy'; did you mean latency?", 6),
        ("f(8, 9)", "too many positional arguments; expected f(k, latency)", 1),
        ("f()", "missing a required argument: 'k'", 1),
        ("f(8, first='x')", "no option 'first'", 6),
    ],
)
def test_values_that_do_not_fit(text: str, said: str, column: int) -> None:
    with pytest.raises(TextError) as caught:
        apply(parse_call(text), _example, "n")
    assert said in caught.value.message
    assert caught.value.column == column


def _typed(
    first: str, k: int = 1, *, share: float = 0.5, flag: bool = False, name: str | None = None,
    order: Sequence[int] | None = None, over: str | Sequence[str] = "", table: object = None,
    call: Call | None = None,
) -> str:  # fmt: skip
    return first


@pytest.mark.parametrize(
    ("text", "said", "column"),
    [
        ("f('x')", "f: k is a whole number, not 'x'", 3),
        ("f(True)", "k is a whole number, not True", 3),
        ("f(1.5)", "k is a whole number, not 1.5", 3),
        ("f(share='x')", "share is a number, not 'x'", 3),
        ("f(1, flag=1)", "flag is True or False, not 1", 6),
        ("f(name=3)", "name is a text or None, not 3", 3),
        ("f(order=3)", "order is a list of whole numbers or None, not 3", 3),
        ("f(order=[1, 'a'])", "order is a list of whole numbers or None, not (1, 'a')", 3),
        ("f(over=[1])", "over is a text or a list of texts, not (1,)", 3),
        ("f(call='x')", "call is a Call, from Python only or None, not 'x'", 3),
    ],
)
def test_values_of_another_kind(text: str, said: str, column: int) -> None:
    with pytest.raises(TextError) as caught:
        apply(parse_call(text), _typed, "n")
    assert said in caught.value.message
    assert caught.value.column == column


@pytest.mark.parametrize(
    "text",
    ["f(2, share=1, flag=True)", "f(name='x', order=[1, 0], over=['a'])", "f(name=None, order=None)", "f(table=[1])"],
)
def test_values_of_the_right_kind(text: str) -> None:
    assert apply(parse_call(text), _typed, "n") == "n"


def test_an_option_given_twice() -> None:
    with pytest.raises(TextError, match="latency is given twice"):
        apply(parse_call("f(8, latency=2)"), _example, "n", latency=3)


def test_unknown_name_lists_near_ones() -> None:
    with pytest.raises(TextError, match=r"here:1:3: unknown network 'torsu'; did you mean torus\?"):
        chosen(parse_call("  torsu(8)", "here"), {"torus": _example, "mesh": _example}, "network")
