"""The grammar of BookSim's configurations, and that no key is passed over in silence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.booksim.files import MESH, understood, written
from unknot._base.errors import TextError, UnknotError
from unknot_booksim import KEYS, is_configuration, read_configuration
from unknot_booksim.configuration import split


def values(folder: Path, text: str, *overrides: str) -> dict[str, str]:
    configuration = read_configuration(written(folder, text), overrides)
    return {key: configuration.text(key) for key in configuration.assignments}


def test_statements_and_comments(tmp_path: Path) -> None:
    text = """// a comment; k = 9;
    topology=mesh; k = 4 ;// behind
    n
      = 2;
    traffic = hotspot({{1,2},{3,4}});
    packet_size = {1,5};
    injection_rate = .5e-1; watch_out=-;
    seed = 7//x"""
    found = values(tmp_path, text + "\n;\n")
    assert found == {
        "topology": "mesh", "k": "4", "n": "2", "traffic": "hotspot({{1,2},{3,4}})", "packet_size": "{1,5}",
        "injection_rate": ".5e-1", "watch_out": "-", "seed": "7",
    }  # fmt: skip


def test_an_override_takes_the_place_of_what_the_file_says(tmp_path: Path) -> None:
    found = values(tmp_path, "k = 4; packet_size = {1,5};", "k=8", "packet_size=4;n=3")
    assert found == {"k": "8", "packet_size": "4", "n": "3"}


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("k = 4\nn = 2;", ":2:1:", "'n' stands here; expected ;"),
        ("k = 4;\nn 2;", ":2:3:", "expected ="),
        ("k = 4;\n\n  k5x = ;", ":3:9:", "expected a value"),
        ("k = 4", ":1:6:", "the file ends here; expected ;"),
        ("k = 5x;", ":1:5:", "neither a number nor a word"),
        ("k = 4; n = $;", ":1:12:", "means nothing here"),
        ("rooting_function = dor;", ":1:1:", "did you mean routing_function"),
        ("k = 4;\nnum_vcs = 2.0;", ":2:11:", "num_vcs is a whole number, not 2.0"),
        ("topology = 3;", ":1:12:", "topology is a word, not the number 3"),
        ("internal_speedup = fast;", ":1:20:", "internal_speedup is a number"),
        ("k = 99999999999;", ":1:5:", "too large a number"),
        ("Vdd = 1.0;", ":1:1:", "belongs into the file that `tech_file` names"),
    ],
)
def test_what_cannot_be_read_is_shown_where_it_stands(tmp_path: Path, text: str, place: str, words: str) -> None:
    with pytest.raises(TextError) as error:
        read_configuration(written(tmp_path, text))
    assert place in str(error.value).split("\n")[0]
    assert words in str(error.value)
    assert "^" in str(error.value)


def test_an_empty_file_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="no statement"):
        read_configuration(written(tmp_path, "// nothing\n"))


def test_studies_and_configurations_are_distinguished(tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.write_text('title = "a; b"\n[[design]]\nname = "x"\n', encoding="utf-8")
    assert not is_configuration(study)
    assert is_configuration(written(tmp_path))


@given(st.recursive(st.text("abz019", min_size=1, max_size=3), lambda inner: st.lists(inner, min_size=1)))
def test_lists_are_split_at_their_own_commas(value: object) -> None:
    def text(part: object) -> str:
        return "{" + ",".join(map(text, part)) + "}" if isinstance(part, list) else str(part)

    found = split(text(value))
    assert found == (tuple(map(text, value)) if isinstance(value, list) else (value,))


OTHER = {"int": "9", "ints": "9", "float": "0.3", "floats": "0.3", "str": "other", "strs": "other"}


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("key", KEYS)
def test_no_key_is_silent(tmp_path: Path, key: str) -> None:
    """A key with a new value changes the design, is refused, or is named."""
    before = understood(tmp_path, "packet_size=2")
    try:
        after = understood(tmp_path, "packet_size=2", f"{key}={OTHER[KEYS[key].kind]}")
    except UnknotError as error:
        if key in str(error):
            return
        raise
    changed = (before.load, before.packet_length, before.seeds, before.relation.num_vcs) != (
        after.load, after.packet_length, after.seeds, after.relation.num_vcs
    )  # fmt: skip
    options = {name: str(value) for name, value in before.options.items()} != {
        name: str(value) for name, value in after.options.items()
    }
    shown = key in after.configuration.idle() or any(f"{key}:" in words for words in after.warnings)
    only_faithful = KEYS[key].words.startswith("`--faithful`")
    assert changed or options or shown or only_faithful or key == "measure_stats", f"{key} was passed over"


def test_refusals_name_the_key_and_the_place(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"config:2:13: noq: 1 is not built"):
        understood(tmp_path, text=MESH + "noq       = 1;")


def test_keys_of_forks_are_called_that(tmp_path: Path) -> None:
    for keys, words in (
        (
            "smart_type = new;",
            r"smart_type is a key of a fork of BookSim \(met in MEEPproject/booksim\), which is not",
        ),
        ("layer = 2;", "layer is a key of a fork of BookSim, which is not built; without this line BookSim 2 is"),
        (
            "reconfig = 1; nic = 2; gpmode = 0;",
            "reconfig and nic are keys of a fork .* not built; without these lines BookSim 2 is",
        ),
        ("print_activty = 1;", "BookSim 2 has no key 'print_activty'; did you mean print_activity?"),
        ("num_vc = 2;", "BookSim 2 has no key 'num_vc'; did you mean num_vcs?"),
    ):
        with pytest.raises(TextError, match=rf"config:2:1: {words}"):
            understood(tmp_path, text=MESH + keys)
    setup = understood(tmp_path, "power_threshold=3.0", "mr_debug=0", "const_flits_per_packet=4")
    assert setup.packet_length == {4: 1}
    assert setup.configuration.idle() == []
    assert setup.warnings == [
        "<command line>:1: power_threshold: a key of a fork of BookSim, without effect here: its fork does not "
        "throttle yet",
        "<command line>:1: packet_size: const_flits_per_packet of BookSim 1 is taken for it",
    ]
    setup = understood(tmp_path, "gpmode=0", "chan_debug=3", "flit_width=128")
    assert [words.split(", without effect here: ") for words in setup.warnings] == [
        [
            "<command line>:1: gpmode: a key of Octane-Labs/booksim2",
            "this is the value with which the fork simulates what BookSim does",
        ],
        ["<command line>:1: chan_debug: a key of a fork of BookSim", "its name says what is printed or written"],
        ["<command line>:1: flit_width: a key of mohsaied/rtl2booksim", "no value changes what is simulated"],
    ]
    layered = understood(tmp_path, "n=3", "k0=4", "k1=3", "k2=2")
    assert layered.relation.network.radices == (4, 3, 2)
    with pytest.raises(UnknotError, match="are for n = 3, not n = 2"):
        understood(tmp_path, "k0=4")
    setup = understood(tmp_path, "k={4,3}")
    assert setup.relation.network.num_routers == 12
    assert setup.warnings == ["<command line>:1: k: a size for each dimension is of forks of BookSim"]
    for k, words in (("{4,3,2}", "3 sizes are given for n = 2"), ("{4,a}", "whole numbers"), ("{300,300}", "90000")):
        with pytest.raises(UnknotError, match=words):
            understood(tmp_path, f"k={k}")
    with pytest.raises(UnknotError, match="has 2 in each"):
        understood(tmp_path, "k={2,3}", "topology=torus", "routing_function=dim_order")


def test_defaults_are_set_without_a_word(tmp_path: Path) -> None:
    """Every key may be written down with its default, but for those that the file needs others of."""
    skip = {"topology", "routing_function", "k", "n", "k0", "k1", "k2"}
    text = MESH + "".join(
        f"{key} = {known.default};\n" for key, known in KEYS.items() if known.default and key not in skip
    )
    setup = understood(tmp_path, text=text)
    assert setup.configuration.idle() == []
    assert setup.relation.vcs.widest == 16
