"""Study files: what is read, and every problem with its place."""

from __future__ import annotations

import os
import time
import tracemalloc
from pathlib import Path

import pytest
from pydantic import ValidationError

from unknot._base.errors import TextError, UnknotError
from unknot.network.edges import write_edge_list
from unknot.network.families import ring
from unknot.simulation import Router
from unknot.studies import Study, StudyError, load_study
from unknot.studies.study import builder
from unknot.traffic import Bursts

GOOD = """title = "Two designs"
[common]
network = "torus(4, 4)"
packet_length = 5
[[design]]
name = "one"
routing = "dimension-order"
[[design]]
routing = "duato"
vcs = [3, 4]
buffer_depth = 6
[simulation]
loads = {from = 0.05, to = 0.2, step = 0.05}
seeds = [1, 2]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder: Path, text: str) -> list[TextError]:
    with pytest.raises(StudyError) as caught:
        load_study(written(folder, text))
    assert str(caught.value) == "\n".join(map(str, caught.value.problems))
    return list(caught.value.problems)


def test_reads_designs_common_keys_and_lists(tmp_path: Path) -> None:
    study = load_study(written(tmp_path, GOOD))
    assert study.title == "Two designs"
    assert [d.name for d in study.designs] == ["one", "torus(4, 4), duato, 3 VCs", "torus(4, 4), duato, 4 VCs"]
    assert [d.vcs for d in study.designs] == [None, 3, 4]
    assert {d.packet_length for d in study.designs} == {5}
    assert [d.buffer_depth for d in study.designs] == [8, 6, 6]
    assert {d.switching for d in study.designs} == {"vct"}
    assert study.simulation is not None
    assert study.simulation.load_values() == (0.05, 0.1, 0.15, 0.2)
    assert study.simulation.seeds == (1, 2)
    assert study.text == GOOD
    assert study.folder == tmp_path
    with pytest.raises(ValidationError, match="frozen"):
        study.title = "other"  # type: ignore[misc]


def test_lists_multiply_and_name_their_designs(tmp_path: Path) -> None:
    text = """[[design]]
name = "all"
network = ["ring(4)", "ring(5)"]
routing = "dimension_order"
vcs = [1, 2]
"""
    study = load_study(written(tmp_path, text))
    assert [d.name for d in study.designs] == [
        "all: ring(4), 1 VC",
        "all: ring(4), 2 VCs",
        "all: ring(5), 1 VC",
        "all: ring(5), 2 VCs",
    ]
    assert study.simulation is None


def test_options_of_routers_and_injection(tmp_path: Path) -> None:
    text = """[common]
network = "ring(4)"
routing = "dimension_order"
[[design]]
name = "one"
packet_length = [2, {1 = 0.5, 5 = 0.5}]
router = {routing_delay = 0, speculative = true}
[[design]]
name = "two"
bursts = {begin = 0.01, end = 0.1}
router = {output_buffer = 4, output_speedup = 2}
[simulation]
precision = 0.05
"""
    study = load_study(written(tmp_path, text))
    assert [d.name for d in study.designs] == ["one: 2 flits", "one: packets of 1 0.5, 5 0.5", "two"]
    assert [d.packet_length for d in study.designs] == [2, {1: 0.5, 5: 0.5}, 1]
    assert study.designs[1].longest_packet == 5
    assert {d.router for d in study.designs[:2]} == {Router(routing_delay=0, speculative=True)}
    assert study.designs[2].bursts == Bursts(0.01, 0.1)
    assert study.designs[2].router == Router(output_buffer=4, output_speedup=2)
    assert study.simulation is not None
    assert study.simulation.precision == 0.05
    (problem,) = problems(tmp_path, text.replace("precision", "measure = 100\nprecision"))
    assert "give either it or measure" in problem.message


def test_paths_start_at_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_edge_list(ring(4), tmp_path / "ring.edges")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    text = '[[design]]\nnetwork = "ring.edges"\nrouting = "dragonfly_minimal"\n'
    assert [p.line for p in problems(tmp_path, text)] == [3]
    assert "dragonfly_minimal on ring.edges" in problems(tmp_path, text)[0].message


def test_loads_are_sorted_and_a_ramp_includes_its_end(tmp_path: Path) -> None:
    text = GOOD.replace("{from = 0.05, to = 0.2, step = 0.05}", "[0.3, 0.1, 1]")
    simulation = load_study(written(tmp_path, text)).simulation
    assert simulation is not None
    assert simulation.load_values() == (0.1, 0.3, 1.0)
    ramp = GOOD.replace("from = 0.05, to = 0.2, step = 0.05", "from = 0.1, to = 1.0, step = 0.1")
    simulation = load_study(written(tmp_path, ramp)).simulation
    assert simulation is not None
    assert simulation.load_values() == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("title =", "titel =", 1, 1, "unknown key 'titel'; did you mean title?"),
        ('"Two designs"', "3", 1, 9, "valid string, got 3"),
        ("[common]", "[commun]", 2, 1, "unknown key 'commun'; did you mean common?"),
        ("torus(4, 4)", "torsu(4, 4)", 3, 12, "torsu is not defined; did you mean torus"),
        ("torus(4, 4)", "torus(4, n)", 3, 21, "n is not defined"),
        ("torus(4, 4)", "torus(4, 0)", 3, 21, "at least 1"),
        ("torus(4, 4)", "{0 -- 1, 2 -- 3}", 3, 11, "no way from router r0 to router r2"),
        ("packet_length", "packet_lenght", 4, 1, "did you mean packet_length?"),
        ("packet_length = 5", "packet_length = -5", 4, 17, "greater than or equal to 1, got -5"),
        ("packet_length = 5", "packet_length = {1 = 0.5, x = 0.5}", 4, 27, "'x' is no number of flits"),
        ("packet_length = 5", "packet_length = {1 = 0.5, 5 = -1}", 4, 27, "the share of length 5 must be above 0"),
        ("packet_length = 5", "router = {alocator = 'islip'}", 4, 11, "did you mean allocator"),
        ("packet_length = 5", "router = {iterations = 1, priority = 'old'}", 4, 27, "unknown priority 'old'"),
        ("packet_length = 5", "router = 'fast'", 4, 10, "router is a table"),
        ("packet_length = 5", "bursts = {begin = 0.1}", 4, 10, "bursts is a table such as"),
        ("packet_length = 5", "packet_length = true", 4, 17, "valid integer, got true"),
        ("packet_length = 5", 'switching = "wormhol"', 4, 14, "did you mean wormhole"),
        ("packet_length = 5", 'traffic = "unifrom"', 4, 12, "did you mean uniform or"),
        ('"one"', '""', 6, 8, "at least 1 character"),
        ('name = "one"', 'name = "torus(4, 4), duato, 3 VCs"', 8, 1, "a second design is called"),
        (
            "dimension-order",
            "dimension-ordre",
            7,
            12,
            "unknown routing 'dimension_ordre'; did you mean dimension_order",
        ),
        ('"dimension-order"', '"dimension_order(datelin=1)"', 7, 28, "did you mean dateline?"),
        ('routing = "dimension-order"', "", 5, 1, "routing is missing here"),
        ("vcs = [3, 4]", "vcs = [3, 0]", 10, 11, "greater than or equal to 1, got 0"),
        ("vcs = [3, 4]", "vcs = []", 10, 7, "valid integer, got ()"),
        ("vcs = [3, 4]", "vcs = 1", 9, 11, "duato"),
        ("buffer_depth = 6", 'switching = "vct"\npacket_length = 9', 12, 17, "does not fit a buffer of 8 flits"),
        ("from = 0.05", "from = -0.05", 13, 17, "greater than 0, got -0.05"),
        ("to = 0.2", "to = 0.01", 13, 9, "`from` must not exceed `to`"),
        ("step = 0.05", "step = nan", 13, 40, "finite number"),
        ("step = 0.05", "stpe = 0.05", 13, 33, "did you mean step?"),
        ("step = 0.05", "step = 1e-9", 13, 9, "more than 10000 loads"),
        ("{from = 0.05, to = 0.2, step = 0.05}", "[]", 13, 9, "a list needs a load"),
        ("{from = 0.05, to = 0.2, step = 0.05}", "[0.1, -1]", 13, 15, "greater than 0, got -1"),
        ("{from = 0.05, to = 0.2, step = 0.05}", "[0.1, 1.5]", 13, 15, "less than or equal to 1, got 1.5"),
        ("{from = 0.05, to = 0.2, step = 0.05}", "[0.1, 0.1]", 13, 9, "twice"),
        ("{from = 0.05, to = 0.2, step = 0.05}", "0.1", 13, 9, "list"),
        ("[1, 2]", "[1, 1]", 14, 9, "twice"),
        ("[1, 2]", "[]", 14, 9, "at least one seed"),
        ("[1, 2]", "[1, 2.5]", 14, 13, "valid integer, got 2.5"),
        ("seeds = [1, 2]", "warmup = -1", 14, 10, "greater than or equal to 0"),
        ("seeds = [1, 2]", "[proof]\ntime_limit = 0", 15, 14, "greater than 0, got 0"),
        ("seeds = [1, 2]", "seeds = [1, 2", 15, 1, "not valid TOML"),
    ],
)
def test_problems_stand_where_they_are(old: str, new: str, line: int, column: int, said: str, tmp_path: Path) -> None:
    assert old in GOOD
    found = problems(tmp_path, GOOD.replace(old, new, 1))
    (problem,) = [p for p in found if said in p.message]
    assert (problem.line, problem.column) == (line, column)
    assert str(problem).startswith(f"{tmp_path / 'study.toml'}:{line}:{column}: ")


def test_all_problems_at_once(tmp_path: Path) -> None:
    text = (
        GOOD.replace("duato", "duatto").replace("seeds", "sedes").replace("title", "titel").replace("= 0.2", "= -1")
    )
    assert [p.line for p in problems(tmp_path, text)] == [1, 9, 13, 14]


@pytest.mark.parametrize(
    "text", ["", "title = 'x'", "design = 3", "design = []", "design = [1]", "[design]", "common = 1"]
)
def test_a_study_without_designs(text: str, tmp_path: Path) -> None:
    (first, *_) = problems(tmp_path, text)
    assert text or "this file is empty" in str(first)


def test_files_that_are_no_studies(tmp_path: Path) -> None:
    (tmp_path / "tours.toml").write_text(GOOD)
    with pytest.raises(UnknotError, match=r"no such study file; did you mean tours\.toml\?"):
        load_study(tmp_path / "torus.toml")
    with pytest.raises(UnknotError, match=r"no such study file; there is no \.toml file"):
        load_study(tmp_path / "nowhere" / "torus.toml")
    with pytest.raises(UnknotError, match="cannot read this file: it is a folder"):
        load_study(tmp_path)
    (tmp_path / "binary.toml").write_bytes(b"\xff\x00")
    with pytest.raises(TextError, match="not text"):
        load_study(tmp_path / "binary.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a" + ".a" * 20_000 + " = 1", "a key of more than 32 parts"),
        ("[a" + ".a" * 20_000 + "]", "a key of more than 32 parts"),
        ("x = " + "[" * 40_000 + "]" * 40_000, "brackets more than 32 deep"),
        ("x = " + "{a = " * 5_000 + "1" + "}" * 5_000, "brackets more than 32 deep"),
        ("x = " + "9" * 5_000, "a number of 5,000 characters"),
        ("x = -0x" + "f" * 5_000, "a number of 5,003 characters"),
        (
            "[[design]]\n" + "\n".join(f"{key} = [{'1, ' * 40}]" for key in ("network", "routing", "vcs", "traffic"))
            + "\npacket_length = [" + "1, " * 40 + "]",
            "has 102,400,000 designs and, with loads and seeds, 102,400,000 points",
        ),
        ("[common]\nvcs = [" + "1, " * 200 + "]\n" + "[[design]]\n" * 200, "has 40,000 designs"),
        ("[[design]]\n[simulation]\nseeds = [" + "1, " * 10_001 + "]", "with loads and seeds, 200,021"),
        (
            "[[design]]\n" * 21 + "[simulation]\nloads = {from = 0.0001, to = 1, step = 0.0001}",
            "has 21 designs and, with loads and seeds, 210,021 points",
        ),
    ],
    ids=["key", "header", "lists", "tables", "number", "hexadecimal", "product", "common", "seeds", "loads"],
)  # fmt: skip
def test_studies_that_are_too_large(text: str, said: str, tmp_path: Path) -> None:
    """Refused at once: none of them takes a tenth of a second, or 30 MB."""
    tracemalloc.start()
    start = time.process_time()
    (problem,) = problems(tmp_path, text)
    spent, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said in problem.message
    assert spent < 2
    assert peak < 30e6


def test_a_text_of_many_bytes(tmp_path: Path) -> None:
    with pytest.raises(UnknotError, match="at most 4,194,304 bytes, this file 5,000,000"):
        load_study(written(tmp_path, "#" * 5_000_000))


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(UnknotError, match="only regular files"):
        load_study(tmp_path / "pipe.toml")


@pytest.mark.parametrize("name", ["../secret.edges", "{}/secret.edges", "../missing.edges", "link.edges"])
def test_files_outside_the_folder_of_the_study(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.edges").write_text("password hunter2\n")
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "link.edges").symlink_to(tmp_path / "secret.edges")
    text = f'[[design]]\nnetwork = "{name.format(tmp_path)}"\nrouting = "up_down"\n'
    (problem,) = problems(folder, text)
    assert (problem.line, problem.column) == (2, 12)
    assert "is outside the folder of this file; allow it with --outside-files" in problem.message
    write_edge_list(ring(4), tmp_path / "secret.edges")
    if "missing" not in name:
        assert load_study(folder / "study.toml", outside_files=True).designs[0].relation(folder)


@pytest.mark.parametrize("network", ["secret.edges", "dir", '{ include "secret.tod" }', "secret.tod"])
def test_errors_quote_no_file_that_a_study_names(network: str, tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    for name in ("secret.edges", "secret.tod", "dir/secret.txt"):
        (tmp_path / name).write_text("password = hunter2 ? 1\n" * 3)
    for text in (network, 'include \\"secret.tod\\"\\nring(4)'):
        found = problems(tmp_path, f'[[design]]\nnetwork = "{text}"\nrouting = "up_down"\n')
        assert found
        assert "hunter2" not in "".join(map(str, found))
        assert "password" not in "".join(map(str, found))


def test_designs_of_one_network_share_it(tmp_path: Path) -> None:
    study = load_study(written(tmp_path, GOOD))
    build = builder(study.folder)
    one, three, four = map(build, study.designs)
    assert one.network is three.network is four.network
    assert build(study.designs[1].model_copy(update={"buffer_depth": 5})) is three
    assert [found.vcs.counts[0] for found in (one, three, four)] == [1, 3, 4]


def test_designs_in_python_are_checked_too() -> None:
    study = Study.model_validate({"designs": ({"name": "a", "network": "ring(4)", "routing": "dimension_order"},)})
    assert study.designs[0].vcs is None
    with pytest.raises(ValidationError, match="did you mean ring"):
        Study.model_validate({"designs": ({"name": "a", "network": "rin(4)", "routing": "dimension_order"},)})


def test_the_example_holds_every_key(tmp_path: Path) -> None:
    from unknot.studies.study import Design, ProofLimit, Simulation

    example = Path(__file__).parents[2] / "examples" / "torus.toml"
    study = load_study(example)
    assert [d.vcs for d in study.designs] == [1, 4, 4]
    for key in [*Design.model_fields, *Simulation.model_fields, *ProofLimit.model_fields]:
        line = next(line for line in study.text.splitlines() if line.removeprefix("# ").startswith(f"{key} ="))
        assert "#" in line


@pytest.mark.parametrize("lengths", ["6", "{1 = 0.5, 6 = 0.5}"])
@pytest.mark.parametrize("switching", ["saf", "vct", "wormhole", "wormhole-nonatomic"])
def test_a_packet_may_just_fit_its_buffer(switching: str, lengths: str, tmp_path: Path) -> None:
    """A flit less than that does for wormhole only, whose packets lie in several buffers."""
    text = GOOD.replace("buffer_depth = 6", f'buffer_depth = 6\nswitching = "{switching}"\npacket_length = {lengths}')
    assert load_study(written(tmp_path, text)).designs[1].longest_packet == 6
    short = text.replace("buffer_depth = 6", "buffer_depth = 5")
    if switching in ("saf", "vct"):
        with pytest.raises(StudyError, match="a packet of 6 flits does not fit a buffer of 5 flits"):
            load_study(written(tmp_path, short))
    else:
        assert load_study(written(tmp_path, short)).designs[1].buffer_depth == 5
