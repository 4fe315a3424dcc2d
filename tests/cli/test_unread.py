"""Options without effect: refused or named, never silent."""

from __future__ import annotations

import itertools
import json
import random
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from unknot.cli.program import ALL, app, command_named

FABRIC = Path(__file__).parents[2] / "examples/fabrics/opensm-torus8x8-dor"
DRAWN = 8
"""Pairs that an ordinary run tries."""
CALLS = {
    "accept": "proof.json",
    "analyse": "ring(4) --routing dimension_order",
    "audit": "fabric",
    "check": "ring(4) --routing dimension_order",
    "bnr": "mesh(2,2) --routing west_first",
    "cache": "show",
    "collective": "ring(4)",
    "compare": "ring(4)",
    "convert": "ring(4) made.edges",
    "curve": "ring(4) --routing dimension_order --loads 0.1 --warmup 20 --measure 40 --jobs 1",
    "design routing": "mesh(2)",
    "diagnose": "fabric",
    "every-size": "mesh(2) --routing odd_even",
    "explore": "ring(4) --out page.html",
    "export": "ring(4) made.json --routing dimension_order",
    "faults": "ring(4) --routing up_down",
    "itm": "triangle.edges",
    "lanes": "ring(5)",
    "protocol": "request_reply --network line(2) --routing dimension_order",
    "reconfigure": "west_first dimension_order --network mesh(2,2)",
    "line-rate": "torus(3,3) --draws 20",
    "multicast": "ring(4) --routing dimension_order --vcs 2",
    "permute": "omega(8) --random 3",
    "repair": "ring(4) --routing shortest_paths",
    "replay": "stuck.json",
    "rerun": "proof.json",
    "run": "study.toml --jobs 1",
    "run mesh.cfg": "--jobs 1",
    "show": "ring(4)",
    "simulate": "ring(4) --routing dimension_order --load 0.1 --warmup 20 --measure 40",
    "trace": "ring(4) --routing dimension_order --requests 6 --window 1",
}
CALLS = {name: words for name, words in CALLS.items() if name.split()[0] in ALL}
"""A small call of each command whose options are many."""
GIVEN: dict[str, tuple[str, ...]] = {
    "--allow-code": (), "--beforehand": (), "--between": (), "--beyond": (), "--channels": (),
    "--explain": (), "--fewer": (), "--in-order": (), "--minimal": (), "--multipath": (),
    "--best": (), "--saturation": (), "--smallest": (), "--together": (), "--worst": (),
    "--at-once": ("2",), "--arbiter": ("fair",), "--assume": ("static",), "--bubble": ("localised",),
    "--budget": ("2",), "--buffer-depth": ("3",), "--bursts": ("0.02,0.1",), "--changes": ("any",),
    "--class": ("share=1",), "--claim": ("deadlock_free",), "--classes": ("request,reply",), "--count": ("1",),
    "--csv": ("rows.csv",), "--effort": ("50",), "--evidence": ("claims.json",), "--export": ("knot.json",),
    "--first": ("load",), "--goal": ("mean",), "--groups": ("2",), "--interval": ("20",), "--jobs": ("1",),
    "--kind": ("routers",), "--lanes": ("2",), "--limit": ("3000",), "--lmc": ("1",), "--members": ("0,1,2",),
    "--most": ("2",), "--multicast-sl": ("1",), "--operation": ("all_gather",), "--overhead": ("3",),
    "--packet-length": ("2",), "--paths": ("table",), "--pieces": ("2",), "--precision": ("0.5",),
    "--proof-limit": ("5",), "--reply-flits": ("2",), "--request-flits": ("2",),
    "--results": ("fates.csv",), "--root": ("1",), "--router": ("routing_delay=2",), "--seeds": ("2",),
    "--service": ("5",), "--show": ("3",), "--size": ("32",), "--store": ("kept.sqlite",), "--stretch": ("1",),
    "--survive": ("links",), "--switching": ("wormhole",), "--terminal-width": ("2",), "--think": ("2",),
    "--threads": ("1",), "--traffic": ("tornado",), "--units": ("1 GHz, 8 B",),
    "--vcs": ("3",), "--watchdog": ("50",), "--window": ("2",), "--within": ("3",), "--algorithm": ("ring",),
}  # fmt: skip
"""What is given for each option; options that are not here need files, or have an effect on every call."""
OF_COMMAND: dict[str, dict[str, tuple[str, ...]]] = {
    "compare": {"--failed": ("0.3",), "--simulate": (), "--store": ("rows.sqlite",)},
    "convert": {"--to": ("graphml",)},
    "design routing": {"--adaptive": ("2",), "--by": ("paths",), "--carry": (), "--every": (), "--vcs": ("1/1 1/2",),
               "--export": ("rule.py",), "--out": ("rule.svg",)},
    "itm": {"--kind": ("general",), "--compared": ("3",), "--out": ("mesh.json",)},
    "multicast": {"--block": ("4",), "--order": ("numbers",), "--out": ("sends.svg",)},
    "permute": {"--permutation": ("0,1,2,3,4,5,7,6",), "--dead": ("0,0",), "--out": ("paths.svg",)},
    "replay": {"--cycles": ("50",), "--network": ("ring(4)",), "--outside-files": (), "--out": ("stuck.svg",),
               "--routing": ("dimension_order",)},
    "run": {"--out": ("pages",), "--parquet": ("rows.parquet",), "--outside-files": ()},
    "run mesh.cfg": {"--out": ("pages",), "--parquet": ("rows.parquet",), "--outside-files": (),
                     "--sweep": ("injection_rate=0.1:0.2:0.1",), "--faithful": ()},
    "show": {"--out": ("ring.svg",), "--sample": ("2",), "--view": ("matrix",)},
}  # fmt: skip
"""The same for commands whose options are few."""
LIMITS = {
    "--assume",
    "--limit",
    "--proof-limit",
    "--show",
    "--most",
    "--effort",
    "--beyond",
    "--budget",
    "--jobs",
    "--threads",
}
"""Options that bound what may not be reached, or that only say how an answer is computed."""
ALIKE = {
    ("collective", "--pieces"),
    ("lanes", "--goal"),
    ("lanes", "--vcs"),
    ("itm", "--compared"),
    ("multicast", "--order"),
    ("multicast", "--terminal-width"),
    ("replay", "--network"),
    ("replay", "--outside-files"),
    ("replay", "--routing"),
    ("show", "--view"),
    ("faults", "--vcs"),
    ("lanes", "--first"),
    ("repair", "--minimal"),
    ("lanes", "--stretch"),
    ("check", "--buffer-depth"),
}
"""Options with an effect that may not show on networks as small as these."""
IDLE = re.compile("^without effect here: (.*)$", re.M)
LEFT_OUT = re.compile("seconds|manifest|ns_per_flit_hop")


def options_of(name: str) -> list[str]:
    """The options of a command that are given here and that its small call has not."""
    command = command_named(name.split()[0])
    known = {word for one in command.params for word in (*one.opts, *one.secondary_opts)}
    return [word for word in given(name) if word in known and word not in CALLS[name]]


def given(name: str) -> dict[str, tuple[str, ...]]:
    """What is given for each option of a command."""
    return GIVEN | OF_COMMAND.get(name, {})


SLOW = ("design routing", "every-size")
"""Commands of which a call takes seconds."""
PAIRS = [(name, *pair) for name in CALLS for pair in itertools.permutations(options_of(name), 2)]

QUICK = [pair for pair in PAIRS if pair[0] not in SLOW]


def stable(answer: Any) -> Any:
    """An answer without times."""
    if isinstance(answer, dict):
        return {key: stable(value) for key, value in answer.items() if not LEFT_OUT.search(key)}
    return [stable(one) for one in answer] if isinstance(answer, list) else answer


def called(name: str, *options: str) -> tuple[int, Any, str, set[str]]:
    """Exit code, answer, words on stderr and files of a call."""
    before = set(Path().iterdir())
    words = [
        *name.split(),
        *_split(CALLS[name]),
        *(word for one in options for word in (one, *given(name)[one])),
        *(("--json",) if name != "cache" else ()),
    ]
    result = CliRunner().invoke(app, words)
    made = set(Path().iterdir()) - before
    for file in made:
        shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
    try:
        answer = stable(json.loads(result.stdout))
    except ValueError:
        answer = result.stdout
    return result.exit_code, answer, result.stderr, {file.name for file in made}


def _split(text: str) -> Iterator[str]:
    yield from text.split()


def silent(name: str, first: str, second: str) -> str:
    """What is wrong where the second option is given beside the first; nothing, in words."""
    code, answer, _, files = called(name, first)
    also, other, words, more = called(name, first, second)
    if code == 2 or also == 2:
        return ""
    idle = [one for line in IDLE.findall(words) for one in line.split(", ")]
    same = (code, answer, files) == (also, other, more)
    if second in idle and not same:
        return f"{name} {first} {second}: said to be without effect, and has one"
    said = any(word in words for word in (second, *given(name)[second]))
    if same and not said and second not in LIMITS and (name, second) not in ALIKE:
        return f"{name} {first} {second}: no effect, and no word"
    return ""


STUDY = """
[[design]]
name = "a"
network = "ring(4)"
routing = "dimension_order"
[simulation]
loads = [0.1]
warmup = 20
measure = 40
"""


def place(folder: Path) -> None:
    """Put files that the calls name into a folder."""
    (folder / "fabric").symlink_to(FABRIC)
    words = ["check", "ring(4)", "--routing", "up_down", "--evidence", str(folder / "proof.json")]
    assert CliRunner().invoke(app, words).exit_code == 0
    words = ["check", "ring(4)", "--routing", "dimension_order", "--export", str(folder / "stuck.json")]
    assert CliRunner().invoke(app, words).exit_code == 1
    (folder / "study.toml").write_text(STUDY)
    (folder / "mesh.cfg").write_text(
        "topology = mesh; k = 2; n = 2; routing_function = dor; injection_rate = 0.1; sample_period = 50;"
    )
    (folder / "triangle.edges").write_text("a b\nb a\nb c\nc b\na c\nc a\n")


def test_options_drawn_in_pairs_have_an_effect_or_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert [wrong for pair in random.sample(QUICK, DRAWN) if (wrong := silent(*pair))] == []


@pytest.mark.campaign
@pytest.mark.parametrize("name", CALLS)
def test_options_in_pairs_have_an_effect_or_a_word(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert [wrong for pair in PAIRS if pair[0] == name and (wrong := silent(*pair))] == []


@pytest.mark.parametrize(
    ("words", "idle"),
    [
        ("faults ring(4) --routing up_down --within 3", "--within"),
        ("simulate ring(4) --routing up_down --load 0.1 --warmup 9 --measure 9 --jobs 2", "--jobs"),
        ("lanes ring(4) --goal mean", "--goal"),
        ("simulate line(2) --routing dimension_order --protocol request_reply --packet-length 2 --router vc_delay=2",
         "--router, --packet-length"),
        ("show ring(5) --sample 2", "--sample"),
        ("design mesh(2) --vcs '1/1 1/2' --every", "--every"),
        ("replay stuck.json --outside-files --network ring(4) --routing dimension_order", "--outside-files"),
    ],
)  # fmt: skip
def test_an_option_that_is_not_read_is_named(
    words: str, idle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(tmp_path)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, shlex.split(words))
    assert result.exit_code == 0
    assert IDLE.findall(result.stderr) == [idle]


@pytest.mark.parametrize("file", ["study.toml", "mesh.cfg"])
def test_a_permission_that_a_file_needs_is_not_named(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    place(folder)
    monkeypatch.chdir(folder)
    (tmp_path / "net.edges").write_text("a b\nb a\n")
    (tmp_path / "any.net").write_text("router 0 node 0 router 1\nrouter 1 node 1\n")
    text = (
        (folder / file).read_text().replace('"ring(4)"', '"../net.edges"').replace('"dimension_order"', '"up_down"')
    )
    text = text.replace(
        "mesh; k = 2; n = 2; routing_function = dor", "anynet; network_file = ../any.net; routing_function = min"
    )
    (folder / file).write_text(text)
    refused = CliRunner().invoke(app, ["run", file])
    assert (refused.exit_code, "--outside-files" in refused.stderr) == (2, True), refused.output
    result = CliRunner().invoke(app, ["run", file, "--outside-files"])
    assert (result.exit_code, IDLE.findall(result.stderr)) == (0, []), result.output


def test_every_command_is_called() -> None:
    assert {name.split()[0] for name in CALLS} == set(ALL)


def test_a_view_without_a_drawing_is_refused() -> None:
    result = CliRunner().invoke(app, ["show", "ring(4)", "--view", "matrix"])
    assert result.exit_code == 2
    assert "--out" in result.output


def test_the_number_of_vcs_that_a_routing_has_may_be_given(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from unknot.routing import dimension_order\ndef f(network):\n    return dimension_order(network, 2)"
    )
    words = ["check", "mesh(3)", "--routing", f"{file}:f", "--vcs"]
    assert CliRunner().invoke(app, [*words, "2"]).exit_code == 0
    result = CliRunner().invoke(app, [*words, "3"])
    assert result.exit_code == 2
    assert "fixes its virtual channels, 2 per channel" in result.output


def test_a_command_that_was_interrupted_blames_no_option(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    study = tmp_path / "study.toml"
    study.write_text(
        '[[design]]\nname = "a"\nnetwork = "ring(4)"\nrouting = "dimension_order"\n[simulation]\nloads = [0.1]\n'
    )
    monkeypatch.setattr("unknot.studies.run_study", interrupted)
    said = CliRunner().invoke(app, ["run", str(study), "--json", "--out", str(tmp_path / "reports")])
    assert said.exit_code == 130
    assert said.stderr.startswith("interrupted; finished points are kept in")
    assert "without effect" not in said.stderr
