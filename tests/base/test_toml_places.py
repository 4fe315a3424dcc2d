"""The locator against the standard parser: every path it knows stands where the text says."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from unknot._base.toml_places import locate, nearest

TEXT = '''title = "a # b"  # comment
"quoted key" = """
two [lines] = x
"""
[common]
vcs = [1,
  2, # two
  [3, 4]]
when = 1979-05-27T07:32:00Z
[[design]]
name = 'first'
inner.deep = { a = 1.5, b = [[1], [2]], "c d" = "}" }
[[design]]
name = 'second'
[design.sub]
x = -1e-3
'''


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every path of parsed TOML."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


def shown(text: str, offset: int) -> str:
    return text[offset:].partition("\n")[0]


def test_every_path_of_a_mixed_text_is_known() -> None:
    assert set(locate(TEXT)) == set(paths(tomllib.loads(TEXT)))


def test_places_point_at_keys_and_values() -> None:
    places = locate(TEXT)
    place = places["common", "vcs"]
    assert shown(TEXT, place.key).startswith("vcs = [1,")
    assert shown(TEXT, place.value) == "[1,"
    assert shown(TEXT, places["common", "vcs", 2, 1].value) == "4]]"
    assert shown(TEXT, places["design", 1].key) == "[[design]]"
    deep = places["design", 0, "inner", "deep", "b"]
    assert shown(TEXT, deep.key).startswith("b = [[1]")
    assert shown(TEXT, deep.value).startswith("[[1], [2]]")
    inner = places["design", 0, "inner"]
    assert (
        shown(TEXT, inner.key)
        == shown(TEXT, inner.value)
        == ('inner.deep = { a = 1.5, b = [[1], [2]], "c d" = "}" }')
    )
    sub = places["design", 1, "sub", "x"]
    assert (shown(TEXT, sub.key), shown(TEXT, sub.value)) == ("x = -1e-3", "-1e-3")


def test_nearest_falls_back_to_the_longest_known_beginning() -> None:
    places = locate(TEXT)
    assert nearest(places, ("design", 1, "sub", "missing", 3)) == (("design", 1, "sub"), places["design", 1, "sub"])
    assert nearest(places, ("nowhere",))[0] == ()


_KEYS = st.sampled_from(["a", "b-c", "d_1", "7"])
_PLAIN = st.sampled_from(
    ["1", "-0.5", "1e3", "true", '"x, ]}#"', "'[['", "[]", "{}", '"""a\nb"""', "1979-05-27 07:32:00"]
)
_VALUES = st.recursive(
    _PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")
        | st.lists(inner, min_size=1, max_size=3).map(lambda items: "[\n  " + ",  # c\n  ".join(items) + ",\n]")
        | st.dictionaries(_KEYS, inner, max_size=2).map(
            lambda table: "{" + ", ".join(f"{k} = {v}" for k, v in table.items()) + "}"
        )
    ),
    max_leaves=6,
)
_BODY = st.dictionaries(_KEYS, _VALUES, max_size=3).map(lambda t: "".join(f"{k} = {v}\n" for k, v in t.items()))


@given(_BODY, _BODY, st.lists(_BODY, max_size=3))
def test_every_path_of_any_text_is_known(top: str, table: str, entries: list[str]) -> None:
    text = top + "[table]\n" + table + "".join("[[entry]] # next\n" + entry for entry in entries)
    assert set(locate(text)) == set(paths(tomllib.loads(text)))
