"""`unknot check --protocol`, and the page on what hangs."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot._base.deadline import Deadline
from unknot.certificates import accept
from unknot.cli.program import app
from unknot.network import Network
from unknot.network.families import mesh
from unknot.report import draw_configuration
from unknot.routing import dimension_order, in_classes, message_classes, shortest_paths
from unknot.verify.protocols import check_protocol, load_protocol, protocol
from unknot.verify.protocols.evidence import blocked, knot, steps
from unknot.verify.protocols.remedies import remedies

ROOT = Path(__file__).parents[3]
HANGS = ROOT / "examples" / "hangs"
SHOWN = re.findall(
    r"^\$ unknot (.*?)(?:    # exit code (\d))?$",
    (ROOT / "docs/why-does-it-hang.md").read_text(encoding="utf-8"),
    re.M,
)


LONG = (
    "repair examples/hangs/pods-in-a-ring.tod",  # tests/remedies/test_repair.py has its parts
    """check "mesh(3, 3)" --routing "message_classes(names=['request', 'command', 'response'])""",  # on mesh(3) below
)
"""Commands that take seconds of processor time: in the campaign."""


@pytest.mark.parametrize(
    ("words", "code"), [pytest.param(*c, marks=[pytest.mark.campaign] * c[0].startswith(LONG)) for c in SHOWN]
)
def test_the_page_says_what_the_commands_say(words: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(app, [*shlex.split(words), "--time-limit", "600"])
    assert done.exit_code == int(code or 0), done.output


def test_one_write_hangs_and_a_buffer_cures_it(tmp_path: Path) -> None:
    file = tmp_path / "axi.json"
    command = ["check", "mesh(2)", "--routing", "message_classes(names=['request', 'response'])", "--json"]
    command += ["--protocol", str(HANGS / "axi-one-channel.toml"), "--evidence", str(file), "--time-limit", "600"]
    done = CliRunner().invoke(app, command)
    answer = json.loads(done.stdout)
    assert done.exit_code == 1
    assert (answer["transactions"], answer["deadlock_free"], answer["certificate_holds"]) == (1, False, True)
    assert answer["steps"] == ["t0 sends aw to t1", "aw of t0 for t1 goes to (0)→(1) VC 0, receive queue write of t1"]
    assert [(one["message"], one["waits_for"]) for one in answer["blocked"]] == [
        ("w", "receive queue write of t1"),
        ("aw", "its w"),
    ]
    (cure,) = answer["remedies"]
    assert cure == {"change": "a queue of its own for aw (receive)", "vcs": 0, "slots": 1, "fewest": True}
    assert (
        "deadlock under vct: a run after which 2 messages can never move" in accept(json.loads(file.read_text()))[0]
    )


@pytest.mark.long
def test_coherence_needs_the_fourth_network_and_queues_for_it() -> None:
    relation = message_classes(mesh(3), names=["request", "command", "response"])
    verdict = check_protocol(relation, load_protocol(HANGS / "coherence-three-networks.toml"))
    assert verdict.deadlock_free is False
    assert len(blocked(verdict)) == 6
    assert steps(verdict)
    base = dimension_order(mesh(3))
    shared = check_protocol(base, protocol("request_reply"))
    found = remedies(shared, Deadline.after(30))
    assert found[0].change == "VCs of their own for request, reply"
    assert (found[0].vcs, found[0].slots, found[0].fewest) == (1, 0, True)
    assert check_protocol(in_classes(base), protocol("request_reply")).deadlock_free


def test_vcs_apart_are_counted_from_those_that_a_class_has() -> None:
    shared = protocol("request_reply")
    shared = replace(shared, classes=tuple(replace(one, network="one") for one in shared.classes))
    for vcs in (1, 3):
        verdict = check_protocol(message_classes(mesh(2), vcs, names=["one"]), shared)
        cure = remedies(verdict, Deadline.after(30))[0]
        assert (cure.change, cure.vcs) == ("VCs of their own for request, reply", vcs)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--protocol", "axi", "--smallest"], "No such option: --smallest"),
        (["--protocol", "axi", "--evidence", "x.v"], "here --evidence is a FILE.json"),
        (["--protocol", "axis"], "unknown protocol 'axis'"),
        (["--protocol", "none.toml"], "none.toml: cannot read this file"),
        (["--protocol", "axi", "--to", "west_first"], "No such option: --protocol"),
        (["--protocol", "axi", "--all-sizes"], "No such option: --protocol"),
        (["--to", "west_frist"], "NEW:1:1: unknown routing 'west_frist'"),
    ],
)
def test_what_cannot_be_asked(options: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["check", "mesh(2)", "--routing", "dimension_order", *options])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("text", "switching", "messages"), [("request_reply", "vct", 6), ("request_reply", "wormhole", 4)]
)
def test_deadlock_drawn_with_its_terminals(text: str, switching: str, messages: int, tmp_path: Path) -> None:
    """A line for each message: who sends it to whom, and for which other one it waits."""
    words = ["protocol", text, "--network", "mesh(3)", "--routing", "dimension_order", "--switching", switching]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "knot.svg")])
    assert done.exit_code == 1
    drawn = (tmp_path / "knot.svg").read_text(encoding="utf-8")
    assert drawn.count("  waits for ") == messages


@pytest.mark.long
def test_messages_behind_others_and_terminals_of_one_router_drawn() -> None:
    two = Network("two terminals each", 2, [0, 1], [1, 0], inject=[0, 0, 1, 1])
    for network, text, number in ((mesh(3), "request_reply(depth=2)", 10), (two, "request_reply", 6)):
        verdict = check_protocol(
            dimension_order(mesh(3)) if network is not two else shortest_paths(two), protocol(text)
        )
        relation, configuration = knot(verdict)
        assert configuration is not None
        assert len(configuration.messages) == number
        assert {vc for m in configuration.messages for vc in m.wanted} <= set(configuration.holder)
        assert draw_configuration(relation, configuration).text.startswith("<svg")
    assert knot(check_protocol(message_classes(mesh(2)), protocol("request_reply")))[1] is None
