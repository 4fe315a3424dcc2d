"""The schema of study files, which judges as the loader does."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from unknot._base.errors import UnknotError
from unknot.studies import load_study
from unknot.studies.schema import study_schema

ROOT = Path(__file__).parents[2]
SCHEMA = Draft202012Validator(study_schema())
PAGE = (ROOT / "docs/study-files.md").read_text(encoding="utf-8")
NAMES = st.sampled_from(["vc", "loads", "Network", "x y"])
WORDS, NO_TEXT = st.sampled_from(["", "2", "many"]), st.booleans() | st.integers() | st.just([1])
NO_COUNT = st.integers(-9, 0) | st.just(1.5) | st.booleans() | WORDS | st.just([1, 0]) | st.just({"a": 1})
WRONG: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "design": {
        "name": st.just("") | NO_TEXT, "network": NO_TEXT, "routing": NO_TEXT, "vcs": NO_COUNT,
        "switching": NO_TEXT, "traffic": NO_TEXT, "buffer_depth": NO_COUNT | st.just(1 << 21),
        "packet_length": NO_COUNT, "router": WORDS | st.dictionaries(NAMES, st.just(1), min_size=1),
        "bursts": WORDS | st.just({"begin": 0.5}) | st.just({"begin": 0.5, "end": "x"}), "faults": NO_COUNT,
    },
    "simulation": {
        "loads": st.sampled_from([[0.0], [1.5], ["x"], "0.1", {"from": 0.1, "to": 1.0}]),
        "seeds": st.sampled_from([[-1], ["x"], 1, [1.5], [1 << 64]]), "warmup": st.sampled_from([-1, 0.5, "x"]),
        "measure": st.sampled_from([0, "x", [1]]), "precision": st.sampled_from([0, 1, "x"]), "search": WORDS,
        "stop_at_saturation": WORDS | st.just(1),
    },
    "proof": {"time_limit": st.sampled_from([0, -1.5, "x"])},
    "": {"title": NO_TEXT, "design": WORDS | st.just([]), "common": WORDS, "simulation": WORDS, "proof": NO_TEXT},
}  # fmt: skip
"""Wrong values by table and key."""


def good() -> dict[str, Any]:
    return {
        "design": {"name": "a", "network": "ring(4)", "routing": "up_down"},
        "simulation": {"loads": [0.1]},
        "proof": {},
    }


@st.composite
def wrong_studies(draw: st.DrawFn) -> str:
    """A study file with one mistake in it."""
    study = good()
    table = draw(st.sampled_from([*WRONG]))
    place = study[table] if table else study
    kind = draw(st.sampled_from(["value", "value", "value", "unknown key", "missing"]))
    if kind == "missing":
        del study["design"][draw(st.sampled_from(["network", "routing"]))]
    elif kind == "unknown key":
        place[draw(NAMES)] = 1
    else:
        key = draw(st.sampled_from([*WRONG[table]]))
        place[key] = draw(WRONG[table][key])
    if isinstance(study["design"], dict):
        study["design"] = [study["design"]]
    return "".join(f"{key_of(key)} = {toml(value)}\n" for key, value in study.items())


def key_of(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key) else json.dumps(key)


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_of(key)} = {toml(part)}" for key, part in value.items()) + "}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def test_the_schema_keeps_to_the_draft() -> None:
    Draft202012Validator.check_schema(SCHEMA.schema)
    assert SCHEMA.schema["$defs"]["Design"]["properties"]["vcs"]["description"].startswith("Virtual channels")


@pytest.mark.parametrize("file", ["examples/torus.toml", "examples/papers/itm.toml"])
def test_examples_are_valid(file: str) -> None:
    SCHEMA.validate(tomllib.loads((ROOT / file).read_text(encoding="utf-8")))


def test_what_the_pages_show_is_valid() -> None:
    blocks = [text for text in re.findall(r"```toml\n(.*?)```", PAGE, re.S) if "[[design]]" in text]
    assert blocks
    for text in blocks:
        SCHEMA.validate(tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        "common = {network = 'ring(4)'}\ndesign = [{routing = 'up_down'}, {routing = ['up_down', 'duato']}]",
        "design = [{network = 'ring(4)', routing = 'up_down', packet_length = [1, {1 = 0.5, 4 = 0.5}]}]",
        "design = [{network = 'ring(4)', routing = 'up_down', faults = [['9: 0<->1'], []]}]",
        "design = [{network = 'ring(4)', routing = 'up_down', bursts = {begin = 0.1, end = 1}}]",
        "design = [{network = 'ring(4)', routing = 'up_down', router = [{iterations = 2}, {}]}]",
    ],
)
def test_ways_to_write_it(text: str) -> None:
    SCHEMA.validate(tomllib.loads(text))


@settings(max_examples=20)
@given(wrong_studies())
def test_schema_and_loader_refuse_the_same(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.mktemp("study") / "study.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UnknotError):
        load_study(file)
    assert not SCHEMA.is_valid(tomllib.loads(text)), text


def test_schema_and_loader_take_the_same(tmp_path: Path) -> None:
    study = good()
    text = "".join(f"{key} = {toml([value] if key == 'design' else value)}\n" for key, value in study.items())
    (tmp_path / "study.toml").write_text(text)
    assert len(load_study(tmp_path / "study.toml").designs) == 1
    SCHEMA.validate(tomllib.loads(text))
