"""`unknot design` and `unknot check --all-sizes`."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from unknot.certificates import plain
from unknot.cli.commands import design_carrying
from unknot.cli.program import app
from unknot.network import Network
from unknot.network.families import hypercube, mesh
from unknot.simulation.run import measurement
from unknot.synthesis import Request, Space, design, proved_rules
from unknot.synthesis.space import moved, symmetries
from unknot.verify import check, loads


def says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_the_answer_is_a_table_a_picture_and_a_routing(tmp_path: Path) -> None:
    file, picture = tmp_path / "mine.py", tmp_path / "mine.svg"
    result = says(
        "design", "routing", "mesh(2)", "--switching", "wormhole", "--export", str(file), "--out", str(picture)
    )
    assert result.exit_code == 0, result.output
    assert "6 VCs per router are enough" in result.stdout
    assert "Fewer are" in result.stdout
    said = " ".join(result.stdout.split())
    assert (said.count("impossible yes"), said.count("found yes")) == (3, 1)
    assert "left: x+ y+" in picture.read_text()
    spec = importlib.util.spec_from_file_location("mine", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    relation = module.designed(mesh(4, 3))
    decision = design("mesh(2)", "wormhole").best
    assert decision is not None
    assert decision.rule is not None
    same = decision.rule.on(mesh(4, 3))
    for address in range(relation.num_addresses):
        todo = (relation.num_vcs + relation.sources(address)).tolist()
        for at in todo:
            shown = {c.vc for c in relation.candidates(at, address)}
            assert shown == {c.vc for c in same.candidates(at, address)}
            todo += [vc for vc in shown if vc is not None and vc not in todo]
    assert check(relation).deadlock_free


SPEAKING = """
import contextlib, os, signal, sys
import unknot.cli.commands.activity as activity
from unknot.cli.program import main

signal.signal(signal.SIGINT, signal.default_int_handler)


sent = []


@contextlib.contextmanager
def working(what):
    def tell(stage, done, total):
        if what == "designing" and "y- 2" in stage and not sent:  # a second one would end at once
            sent.append(stage)
            os.kill(os.getpid(), signal.SIGINT)

    yield tell


activity.working = working
sys.argv = ["unknot", "design", "mesh(2)", "--switching", "wormhole", "--evidence", "why.json"]
main()
"""
"""The command, with Ctrl-C once fewer than five VCs are known to be impossible."""


@pytest.mark.long
def test_ctrl_c_keeps_what_was_found_and_ends_as_interrupted(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SPEAKING], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 130, done.stderr
    assert "Open: no rule with fewer than 5 VCs per router" in " ".join(done.stdout.split())
    assert "what was found so far is shown soon" in done.stderr
    (claim,) = json.loads((tmp_path / "why.json").read_text())["claims"]
    plain.check_rules(claim, claim["proof"])


def test_impossible_is_exit_code_1_and_says_why() -> None:
    result = says("design", "routing", "mesh(2)", "--vcs", "1/1 1/1")
    assert result.exit_code == 1
    assert "No rule with 4 VCs per router" in result.stdout
    assert "impossible yes" in " ".join(result.stdout.split())
    answer = json.loads(says("design", "routing", "mesh(2)", "--vcs", "1/1 1/1", "--json").stdout)
    assert answer["judged"][0]["outcome"] == "impossible"
    assert answer["judged"][0]["holds"] is True


@pytest.mark.parametrize(
    "words", [("--vcs", "1/1 1/2"), ("--switching", "wormhole-nonatomic", "--by", "paths", "--vcs", "1/2 1/2")]
)
def test_evidence_can_be_checked_again_from_json(words: tuple[str, ...]) -> None:
    options = ("--switching", "wormhole", *words) if "--switching" not in words else words
    answer = json.loads(says("design", "routing", "mesh(2)", *options, "--json").stdout)
    (evidence,) = answer["judged"][0]["evidence"]
    plain.check_rules(evidence, evidence["proof"])
    proof = evidence["proof"] | {"steps": []}
    proof |= {"deadlocks": proof["deadlocks"][1:], "cycles": proof["cycles"][1:]}
    with pytest.raises(plain.Rejected):
        plain.check_rules(evidence, proof)


def test_partial_adaptivity() -> None:
    answer = json.loads(
        says("design", "routing", "mesh(2)", "--switching", "wormhole", "--adaptive", "2", "--json").stdout
    )
    assert answer["vcs"] == 4
    assert len(answer["provided"]) >= 2


@pytest.mark.parametrize(
    "words", [("mesh(2, 2)",), ("torus(2)",), ("mesh(2)", "--vcs", "2 2"), ("mesh(2)", "--adaptive", "most")]
)
def test_what_makes_no_sense_is_exit_code_2(words: tuple[str, ...]) -> None:
    assert says("design", *words).exit_code == 2


@pytest.mark.parametrize(
    ("routing", "switching", "code", "words"),
    [
        ("lcfaa", "vct", 0, "escape"),
        ("lcfaa", "wormhole", 1, "refuted on 3x3"),
        ("odd_even", "wormhole", 3, "depends on the position"),
    ],
)
def test_all_sizes(routing: str, switching: str, code: int, words: str) -> None:
    result = says(
        "check", "mesh(2)", "--all-sizes", "--routing", routing, "--switching", switching, "--time-limit", "600"
    )
    assert result.exit_code == code, result.output
    assert words in " ".join(result.stdout.split())


def test_all_sizes_wants_a_family() -> None:
    assert says("check", "mesh(4, 4)", "--all-sizes", "--routing", "lcfaa").exit_code == 2


@pytest.mark.long
def test_the_rule_that_carries_most_is_compared_with_all_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules with 5 VCs load channels alike, whichever is taken; under full load they differ."""
    monkeypatch.setattr(design_carrying, "SIDES", {2: 3})
    monkeypatch.setattr(design_carrying, "MEASURE", 200)
    # Why runs under full load are not stable is not read.
    monkeypatch.setattr(measurement, "diagnosis", lambda *_: iter(()))
    evidence = tmp_path / "evidence.json"
    result = says(
        "design",
        "mesh(2)",
        "--switching",
        "vct",
        "--carry",
        "--json",
        "--time-limit",
        "600",
        "--evidence",
        str(evidence),
    )
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    carrying = answer["carrying"]
    assert (carrying["network"], carrying["rules"], carrying["every"]) == ("mesh(3, 3)", 52, True)
    uniform, transpose = carrying["carried"]
    assert uniform["accepted"] > uniform["first"]
    assert uniform["highest"] == pytest.approx(loads("mesh(3, 3)", routing="lcfaa").highest)
    assert transpose["accepted"] > 0
    assert answer["judged"][-1]["holds"] is True
    assert says("accept", str(evidence)).exit_code == 0


def test_rules_with_proofs_are_no_images_of_each_other() -> None:
    assert len(list(proved_rules(Space(((1, 1),)), Request(), "saf"))) == 1
    space = Space(((2, 2), (1, 1)))
    kinds = []
    for offers, proof in islice(proved_rules(space, Request(), "wormhole"), 12):
        claim = proof.claim(offers, "wormhole")
        plain.check_rule(claim, claim["proof"])
        permissions = [space.permissions[i] for i in offers.nonzero()[0]]
        kinds.append({frozenset(moved(space, image, one) for one in permissions) for image in symmetries(space)})
    assert all(one.isdisjoint(other) for one, other in combinations(kinds, 2))


@pytest.mark.parametrize("network", [mesh(3, 3, 3), hypercube(3), mesh(2, 2, 2, 2)], ids=lambda network: network.name)
def test_coordinates_change_places_in_turn_where_no_transpose_is(network: Network) -> None:
    sent = design_carrying.traffic_of(network)[1]
    assert sorted(sent) == [*range(network.num_terminals)]
    at = network.coordinates
    assert at is not None
    assert all((at[to] == np.roll(at[who], 1)).all() for who, to in enumerate(sent) if not isinstance(to, str))
