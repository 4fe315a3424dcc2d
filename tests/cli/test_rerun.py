"""Every outcome has a manifest, and `unknot rerun` makes it again from that."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

import unknot
from tests.cli.test_cli import STUDY
from tests.fabrics.folders import EXAMPLES
from unknot._base import manifest
from unknot._base.manifest import PACKAGE, Manifest, code_digest, commit, digest_of, libraries
from unknot._base.output import WriteError, captured, write_text
from unknot.cli.commands.rerun import NOT_AGAIN, _read
from unknot.cli.commands.run import KINDS
from unknot.cli.program import ALL, app
from unknot.network.edges import write_edge_list
from unknot.network.families import ring
from unknot.network.graph import digest

RING = ("ring(4)", "--routing", "dimension_order")
SHORT = ("--warmup", "20", "--measure", "40")
RUN = (*RING, "--load", "0.1", *SHORT)
CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "accept": (("accept", "{evidence}"), ()),
    "analyse": (("analyse", *RING, "--best"), ()),
    "audit": (("audit", "{fabric}", "--out", "page.html"), ("page.html",)),
    "bnr": (("bnr", "mesh(2, 2)", "--routing", "west_first", "--out", "bnr.svg"), ("bnr.svg",)),
    "booksim": (("run", "{booksim}", "--out", "curves", "--csv", "rows.csv", "--parquet", "rows.parquet"),
                ("rows.csv", "rows.parquet")),
    "check": (("check", *RING, "--vcs", "1", "--export", "knot.json", "--evidence", "why.json", "--out", "knot.pdf",
               "--smallest", "--explain"), ("knot.json", "why.json", "knot.pdf")),
    "every-size": (("every-size", "mesh(2)", "--routing", "lcfaa", "--evidence", "every.json"),
                   ("every.json",)),
    "reconfigure": (("reconfigure", "west_first", "dimension_order", "--network", "mesh(2, 2)",
                     "--evidence", "change.json", "--out", "change.svg"), ("change.json", "change.svg")),
    "protocol": (("protocol", "request_reply", "--network", "line(2)", *RING[1:3], "--evidence", "ends.json"),
                 ("ends.json",)),
    "check-coq": (("check", *RING, "--vcs", "2", "--evidence", "why.v"), ("why.v",)),
    "collective": (("collective", "ring(4)", "--evidence", "best.json", "--export", "best.csv"),
                   ("best.json", "best.csv")),
    "collective-msccl": (("collective", "ring(4)", "--export", "ring.xml"), ("ring.xml",)),
    "compare": (("compare", "ring(4) by dimension_order", "complete(4)"), ()),
    "convert": (("convert", "ring(4)", "ring.graphml"), ("ring.graphml",)),
    "convert-dot": (("convert", "ring(4)", "ring.dot"), ("ring.dot",)),
    "convert-json": (("convert", "ring(4)", "ring.json"), ("ring.json",)),
    "curve": (("curve", *RING, "--loads", "0.1", *SHORT, "--out", "c.svg", "--out", "c.csv", "--jobs", "1"),
              ("c.svg", "c.csv")),
    "design": (("design", "routing", "mesh(2)", "--switching", "wormhole-nonatomic", "--export", "rule.py", "--out",
                "rule.svg"),
               ("rule.py", "rule.svg")),
    "design-topology": (("design", "topology", "grid(2, 2)", "--ports", "2", "--moves", "500", "--out", "net.svg"),
                        ("net.svg",)),
    "diagnose": (("diagnose", "{fabric}", "--out", "wrong.csv"), ("wrong.csv",)),
    "line-rate": (("line-rate", "ring(4)", "--draws", "20", "--out", "share.csv"), ("share.csv",)),
    "explore": (("explore", *RING, "--out", "page.html"), ("page.html",)),
    "export": (("export", RING[0], "tables.json", *RING[1:]), ("tables.json",)),
    "export-verilog": (("export", RING[0], "tables.v", *RING[1:]), ("tables.v",)),
    "faults": (("faults", "mesh(2, 2)", "--routing", "up_down", "--evidence", "after.json"), ("after.json",)),
    "faults-fabric": (("faults", "{fabric}", "--budget", "3", "--seed", "5", "--pairs", "lost.csv"), ("lost.csv",)),
    "itm": (("itm", "complete(4)", "--out", "itm.svg"), ("itm.svg",)),
    "lanes": (("lanes", "kautz(2, 4)", "--time-limit", "600", "--evidence", "w.json", "--export", "k.cnf"),
              ("w.json", "k.cnf")),
    "lanes-routes": (("lanes", "ring(5)", "--export", "routes.json", "--out", "found.json"),
                     ("routes.json", "found.json")),
    "multicast": (("multicast", *RING, "--out", "steps.svg"), ("steps.svg",)),
    "permute": (("permute", "butterfly(2, 2)", "3,0,1,2", "--out", "p.svg"), ("p.svg",)),
    "repair": (("repair", "ring(5)", "--routing", "shortest_paths", "--evidence", "cost.json", "--export", "r.json"),
               ("cost.json",)),
    "repair-fabric": (("repair", "{stuck}", "--out", "fixed"), ("fixed/README.md",)),
    "replay": (("replay", "{knot}", "--out", "knot.svg"), ("knot.svg",)),
    "run": (("run", "{study}", "--out", "pages", "--csv", "rows.csv", "--jobs", "1"),
            ("pages/study.html", "rows.csv")),
    "show": (("show", "mesh(2, 2)", "--out", "net.png"), ("net.png",)),
    "simulate": (("simulate", *RUN, "--csv", "one.csv", "--out", "load.svg"), ("one.csv", "load.svg")),
    "simulate-knot": (("simulate", *RING, "--vcs", "1", "--load", "0.9", "--switching", "wormhole",
                       "--packet-length", "20", "--export", "k.json", "--warmup", "500"), ("k.json",)),
    "simulate-seeds": (("simulate", *RUN, "--seeds", "2", "--seed", "7", "--csv", "two.csv"), ("two.csv",)),
    "trace": (("trace", *RING, "--requests", "3", "--results", "t.csv"), ("t.csv",)),
}  # fmt: skip
CASES = {
    name: (words, files)
    for name, (words, files) in CASES.items()
    if words[0] in ALL and ("{booksim}" not in words or "booksim" in KINDS)
}
"""Words of commands, and the files that they write, all with manifests."""
UNLIKE = (".sqlite", "answer.json", "opensm.conf")
"""Files that are not the same twice: stores, answers with times, and options for OpenSM, which need a full path."""
SILENT = {"explore", "repair-fabric"}
"""Cases that are run without --json: the commands have none, or it is about the page."""


def unknot_says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files that commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    files = {name: str(folder / name) for name in ("evidence", "knot", "study.toml", "mesh.cfg")}
    assert unknot_says("check", *RING, "--evidence", files["evidence"], "--export", files["knot"]).exit_code == 1
    short = STUDY.replace("torus(4, 4)", "ring(4)").replace("2000", "40").replace("to = 0.3", "to = 0.1")
    Path(files["study.toml"]).write_text(short)
    Path(files["mesh.cfg"]).write_text(
        "topology = mesh; k = 2; n = 2; routing_function = dor; num_vcs = 2; injection_rate = 0.1;\n"
        "sample_period = 100; max_samples = 2; warmup_periods = 1; sim_count = 1;\n"
    )
    fabric = folder / "fabric"
    shutil.copytree(EXAMPLES / "opensm-ring12-lash", fabric)
    stuck = folder / "stuck"  # in one lane these tables can deadlock
    stuck.mkdir()
    for name in ("fabric.ibnetdiscover", "opensm-lfts.dump"):
        shutil.copy(fabric / name, stuck)
    made = {"study": files["study.toml"], "booksim": files["mesh.cfg"], "fabric": str(fabric), "stuck": str(stuck)}
    return {**files, **made}


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.sampled(1 / 12)
@pytest.mark.parametrize("case", CASES)
def test_every_outcome_is_made_again(
    case: str, inputs: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, files = CASES[case]
    words = (*(word.format(**inputs) for word in words), *([] if case in SILENT else ["--json"]))
    monkeypatch.chdir(tmp_path)
    said = unknot_says(*words)
    assert said.exit_code in (0, 1, 3), said.output
    Path("answer.json").write_text(said.stdout)
    written = {k: v for k, v in content(Path()).items() if not k.endswith(UNLIKE)}
    assert {*files} <= {*written}
    assert not [name for name, part in written.items() if str(tmp_path).encode() in part], "wherever the folder is"
    before = content(Path())
    assert all(_read(Path(name))[0].command == words for name in files)
    for name in (*files[:1], *([] if case in SILENT else ["answer.json"])):
        again = unknot_says("rerun", name, "--json")
        assert again.exit_code == 0, (name, again.output)
        answer = json.loads(again.stdout)
        assert (answer["same"], answer["differences"], answer["changes"]) == (True, [], [])
        assert tuple(answer["command"]) == words
        assert content(Path()) == before


def test_no_command_is_missing() -> None:
    assert {words[0] for words, _ in CASES.values()} == {*ALL} - {*NOT_AGAIN}


def made(tmp_path: Path, *words: str, name: str = "answer.json") -> tuple[Path, dict[str, Any]]:
    """What a command prints as JSON, in a file and read."""
    said = unknot_says(*words, "--json")
    assert said.exit_code in (0, 1), said.output
    file = tmp_path / name
    file.write_text(said.stdout)
    return file, json.loads(said.stdout)


def refused(*words: str) -> str:
    said = unknot_says("rerun", *words)
    assert said.exit_code == 2, said.output
    assert said.stdout == ""
    assert "Traceback" not in said.stderr
    return said.stderr


def test_what_a_manifest_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_edge_list(ring(3), tmp_path / "three.edges")
    words = ("simulate", "three.edges", "--routing", "shortest_paths", "--load", "0.1", *SHORT, "--seed", "9")
    _, document = made(tmp_path, *words, "--csv", "run.csv", "--max-memory", "4G")
    manifest = document["manifest"]
    assert manifest["command"] == [*words, "--csv", "run.csv", "--max-memory", "4G", "--json"]
    assert (manifest["seed"], manifest["output"], manifest["unknot"]) == (9, "-", unknot.__version__)
    beside = [path for path in sorted(PACKAGE.parent.glob("unknot_*")) if path.name != "unknot_start"]
    assert manifest["code"] == code_digest() == digest_of([PACKAGE, *beside], libraries())
    assert manifest["libraries"] == libraries()
    assert {"python", "numpy", "numba", "scipy"} <= {*libraries()}
    assert manifest["commit"] == commit()
    (name,) = manifest["networks"]
    assert manifest["networks"][name] == digest(unknot.fabrics.read_network(tmp_path / "three.edges"))
    beside = json.loads((tmp_path / "run.csv.manifest.json").read_text())
    assert beside == {**manifest, "output": "run.csv"}
    assert str(tmp_path) not in json.dumps(document)


def test_tables_are_read_as_ever_and_libraries_write_no_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    assert unknot_says("trace", *RING, "--requests", "2", "--results", "t.csv").exit_code == 0
    assert len(pandas.read_csv("t.csv")) == 16
    assert unknot_says("trace", RING[0], "t.csv", *RING[1:]).exit_code == 0
    write_text("own.csv", "a,b\n")
    assert not Path("own.csv.manifest.json").exists()


def test_own_readers_take_files_with_manifests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("net.json", "net.graphml"):
        assert unknot_says("convert", "mesh(2, 2)", name).exit_code == 0
        assert "unknot-manifest" in Path(name).read_text()
        assert json.loads(unknot_says("show", name, "--json").stdout)["links"] == 4
    assert unknot_says("export", "ring(4)", "routes.json", "--routing", "lanes").exit_code == 0
    assert unknot_says("check", "ring(4)", "--routing", "routes.json").exit_code == 0
    assert unknot_says("check", *RING, "--vcs", "2", "--evidence", "why.json").exit_code == 0
    assert unknot_says("accept", "why.json").exit_code == 0


def test_a_changed_outcome_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file, document = made(tmp_path, "show", "ring(4)", "--out", "ring.svg")
    document["diameter"] = 7
    file.write_text(json.dumps(document))
    said = unknot_says("rerun", str(file))
    assert said.exit_code == 1
    assert "diameter: 7; now 2" in said.stdout
    Path("ring.svg").write_text(Path("ring.svg").read_text().replace("<circle", "<circlE", 1))
    said = unknot_says("rerun", "ring.svg")
    assert said.exit_code == 1
    assert "<circlE" in said.stdout
    assert "<circlE" in Path("ring.svg").read_text()


def test_a_changed_network_or_version_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_edge_list(ring(4), "net.edges")
    file, document = made(tmp_path, "show", "net.edges")
    document["manifest"] |= {"unknot": "0.0.1", "libraries": {**libraries(), "numpy": "1.0"}}
    file.write_text(json.dumps(document))
    said = unknot_says("rerun", str(file))
    assert said.exit_code == 0
    assert f"unknot: 0.0.1; now {unknot.__version__}" in said.stdout
    assert "libraries.numpy: 1.0" in said.stdout
    write_edge_list(ring(5), "net.edges")
    said = unknot_says("rerun", str(file), "--json")
    assert said.exit_code == 1
    assert any("routers: 4; now 5" in line for line in json.loads(said.stdout)["differences"])
    assert any(line.startswith("networks.") for line in json.loads(said.stdout)["changes"])
    Path("net.edges").unlink()
    assert "there is no file" in refused(str(file))


def test_an_output_that_is_not_written_now_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_edge_list(ring(4), "net.edges")
    assert unknot_says("check", "net.edges", "--routing", "shortest_paths", "--export", "k.json").exit_code == 1
    write_edge_list(unknot.network.families.line(4), "net.edges")
    said = unknot_says("rerun", "k.json")
    assert said.exit_code == 1
    assert "k.json was not written this time" in said.stdout


def test_a_manifest_that_names_another_output_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where what the file is, or what is printed, is no JSON."""
    monkeypatch.chdir(tmp_path)
    _, document = made(tmp_path, "show", "ring(4)", "--out", "ring.svg")
    svg = Path("ring.svg").read_text()
    Path("ring.svg").write_text(svg.replace('"output": "ring.svg"', '"output": "-"'))
    assert unknot_says("rerun", "ring.svg").exit_code == 1
    for change in ({"command": ["show", "ring(4)"]}, {"output": "ring.svg"}, {"output": ""}, {"output": "../.."}):
        Path("answer.json").write_text(damaged(document, **change))
        assert unknot_says("rerun", "answer.json").exit_code == 1, change


def damaged(document: dict[str, Any], **changes: Any) -> str:
    return json.dumps({**document, "manifest": {**document["manifest"], **changes}})


def test_damaged_manifests_are_refused(tmp_path: Path) -> None:
    file, document = made(tmp_path, "show", "ring(4)")
    texts = {
        "it has no manifest": ("{}", "", "[1]", '{"manifest": null}', "{" * 100_000, "\xff", "no JSON"),
        "damaged": (
            '{"manifest": 3}', '{"manifest": {}}', damaged(document, command="show"), damaged(document, version=2),
            damaged(document, command=["show", 4]), damaged(document, more=1), damaged(document, seed="1"),
            damaged(document, command=["show"] * 20_000), damaged(document, libraries=None),
        ),
        "there is no command": (
            damaged(document, command=[]), damaged(document, command=["rm", "-rf", "."]),
            damaged(document, command=["rerun", str(file)]), damaged(document, command=["cache", "clear"]),
            damaged(document, command=["--max-memory", "9999T"]),
            damaged(document, command=["--", "show", "ring(4)"]),
        ),
        "unknot show": (
            damaged(document, command=["show"]), damaged(document, command=["show", "ring(4)", "--no-such"]),
            damaged(document, command=["show", "--help"]), damaged(document, command=["show", "ring(4)", "; ls"]),
        ),
    }  # fmt: skip
    for message, every in texts.items():
        for text in every:
            file.write_text(text, encoding="latin-1")
            assert message in refused(str(file)), text[:200]
    assert "cannot read" in refused(str(tmp_path / "missing.svg"))
    file.write_text(damaged(document, command=["show", "ring(4\x1b]0;hi\x07)"]))
    assert "\x1b" not in refused(str(file))


CODE = "import pathlib\npathlib.Path('ran').write_text('')\n"


def test_code_of_a_user_does_not_run_unless_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own = "from unknot.routing import dimension_order\n\ndef mine(network):\n    return dimension_order(network)\n"
    Path("mine.py").write_text(own)
    Path("study.toml").write_text(STUDY.replace('"dimension_order"\nvcs = 1', '"mine.py:mine"'))
    words = [
        ("check", "mesh(2, 2)", "--routing", "mine.py:mine"),
        ("curve", "mesh(2, 2)", "--routing", "duato", "--routing", " mine.py:mine", "--loads", "0.1", *SHORT),
        ("design", "topology", "mine.py:mine", "--ports", "2"),
        ("run", "study.toml", "--allow-code"),
        ("run", "study.toml", "--dask", "tcp://10.0.0.1:8786"),
    ]
    file, document = made(tmp_path, *words[0])
    Path("mine.py").write_text(CODE + own)
    for command in words:
        file.write_text(damaged(document, command=[*command, "--json"]))
        assert "--allow-code" in refused(str(file))
        assert not Path("ran").exists()
    file.write_text(json.dumps(document))
    assert unknot_says("rerun", str(file), "--allow-code").exit_code == 0
    assert Path("ran").exists()


@pytest.mark.long
def test_nothing_is_written_whatever_the_command_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    victim = tmp_path / "victim.svg"
    victim.write_text("precious")
    file, document = made(Path(), "show", "ring(4)")
    Path("study.toml").write_text(STUDY.replace("torus(4, 4)", "ring(4)").replace("2000", "40"))
    for words in (
        ("show", "ring(4)", "--out", str(victim)),
        ("convert", "ring(4)", str(tmp_path / "new" / "net.edges")),
        ("run", "study.toml", "--out", str(tmp_path / "made"), "--jobs", "1", "--csv", str(tmp_path / "rows.csv")),
        ("curve", *RING, "--loads", "0.1", *SHORT, "--out", str(tmp_path / "c.svg"), "--jobs", "1"),
        ("check", *RING, "--vcs", "1", "--export", str(tmp_path / "k.json"), "--evidence", str(tmp_path / "e.json")),
        ("repair", str(EXAMPLES / "opensm-ring12-lash"), "--out", str(tmp_path / "fixed"), "--time-limit", "600"),
    ):
        file.write_text(damaged(document, command=[*words, "--json"] if words[0] != "repair" else list(words)))
        before = content(tmp_path)
        assert unknot_says("rerun", "answer.json").exit_code == (words[0] != "show")
        assert content(tmp_path) == before, words
        assert {entry.name for entry in tmp_path.iterdir()} == {"here", "victim.svg"}


MANIFEST = Manifest(
    command=("show", 'a "q" \\" \\', "<&>", "--> */ *) ) (", "é\ud800", "{}"), seed=None, networks={'n"': "1"},
    unknot="1", commit=None, code="c", libraries={},
)  # fmt: skip


@pytest.mark.parametrize(
    ("ending", "text"),
    [(".svg", "<svg><title>&lt;/svg></title></svg>\n"), (".html", "<body>\n</body>\n</html>\n"), (".md", "# A\n"),
     (".json", '{"a": [1]}\n'), (".json", '{\n "a": {}\n}'), (".v", "(* Coq *)\n"), (".v", "module m;\n"),
     (".py", "x = 1\n"), (".xml", "<algo/>\n"), (".graphml", "<graphml/>\n"),
     (".cnf", "p cnf 1 1\n"), (".dot", "digraph {}\n"), (".toml", "a = 1\n")],
)  # fmt: skip
def test_a_manifest_is_found_again_whatever_it_holds(ending: str, text: str) -> None:
    stamped = manifest.stamped(text, ending, MANIFEST)
    assert stamped.isascii()
    assert Manifest(**manifest.manifest_in(stamped.encode())) == json_like(MANIFEST)
    assert stamped.count("-->") == (ending in (".md", ".xml", ".graphml"))
    if ending in (".xml", ".graphml"):
        ElementTree.fromstring(stamped)
    if ending == ".json":
        assert json.loads(stamped)["a"] == json.loads(text)["a"]


def json_like(manifest: Manifest) -> Manifest:
    return Manifest(**json.loads(json.dumps(vars(manifest))))


def test_formats_without_room_stay_as_they_are() -> None:
    assert [manifest.stamped("x\n", ending, MANIFEST) for ending in ("", ".gml", ".csv", ".svg")] == ["x\n"] * 4


@pytest.mark.long
def test_pictures_have_room(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from unknot.report.picture import rendered

    svg = unknot.report.draw_network(ring(3))
    for form in ("png", "pdf"):
        assert Manifest(**manifest.manifest_in(rendered(svg, form, MANIFEST))) == json_like(MANIFEST)
        assert manifest.manifest_in(rendered(svg, form)) is None


def test_what_fails_while_captured_is_not_there(tmp_path: Path) -> None:
    with captured() as files:
        write_text(tmp_path / "no" / "such" / "a.txt", "a")
        assert files == {str(tmp_path / "no" / "such" / "a.txt"): b"a"}
    with pytest.raises(WriteError):
        write_text(tmp_path / "no" / "such" / "a.txt", "a")
    assert os.listdir(tmp_path) == []
