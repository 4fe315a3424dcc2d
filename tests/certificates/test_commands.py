"""Evidence from every command that answers: `unknot accept` takes it, and rejects it when it was changed."""

from __future__ import annotations

import copy
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.reference.brute_force import TooLargeError
from tests.reference.fewest import fewest
from tests.strategies import relations
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates import Rejected, Verdict, document, plain, size_claim
from unknot.certificates.claims import rule_difference
from unknot.certificates.documents import network_of
from unknot.cli.program import app
from unknot.network.families import mesh, ring
from unknot.routing import Relation
from unknot.routing.named import routing
from unknot.synthesis.every_size import every_size
from unknot.verify import check_all
from unknot.verify.smallest import smallest


def run(*words: str) -> tuple[int, str]:
    """Exit code and output of a command."""
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.output


def evidence_of(path: Path, *words: str, code: int) -> tuple[dict[str, Any], list[str]]:
    """The document that a command writes, and what `unknot accept` says of its claims."""
    assert run(*words, "--evidence", str(path))[0] == code
    accepted, output = run("accept", str(path), "--json")
    assert accepted == 0, output
    return json.loads(path.read_text(encoding="utf-8")), json.loads(output)["files"][0]["says"]


def refuse(path: Path, document: dict[str, Any], place: tuple[Any, ...], entry: Any) -> str:
    """Change one place of a document; what `unknot accept` says when it rejects it."""
    wrong = copy.deepcopy(document)
    part = wrong
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = entry
    path.write_text(json.dumps(wrong), encoding="utf-8")
    code, output = run("accept", str(path))
    assert code == 1, output
    assert "REJECTED" in output
    return output


def test_designs(tmp_path: Path) -> None:
    path = tmp_path / "design.json"
    document, says = evidence_of(path, "design", "routing", "mesh(2)", "--switching", "vct", code=0)
    assert [claim["subject"] for claim in document["claims"]] == ["rules", "rule"]
    assert "no rule is free of deadlock" in says[0]
    assert "this rule of" in says[1]
    rule = document["claims"][1]
    assert rule["proof"]["kind"] == "escape"
    refuse(path, document, ("claims", 0, "proof", "steps"), [])
    refuse(path, document, ("claims", 0, "counts"), [[1, 2], [1, 1]])
    refuse(path, document, ("claims", 1, "switching"), "wormhole")
    refuse(path, document, ("claims", 1, "counts"), document["claims"][0]["counts"])
    refuse(path, document, ("claims", 1, "rule"), rule["rule"][1:])
    refuse(path, document, ("claims", 1, "proof", "levels"), rule["proof"]["levels"][1:])
    refuse(path, document, ("claims", 1, "proof", "escapes"), rule["proof"]["escapes"][1:])


def test_a_design_that_is_impossible(tmp_path: Path) -> None:
    document, says = evidence_of(tmp_path / "none.json", "design", "routing", "mesh(2)", "--vcs", "1/1 1/1", code=1)
    assert len(document["claims"]) == len(says) == 1
    assert document["network"] is None


def test_every_size(tmp_path: Path) -> None:
    path = tmp_path / "sizes.json"
    words = ("check", "mesh(2)", "--routing", "duato", "--all-sizes")
    for switching, kind in (("vct", "escape"), ("wormhole", "drain")):
        document, says = evidence_of(path, *words, "--switching", switching, code=0)
        claim = document["claims"][0]
        assert (claim["proof"]["kind"], len(says)) == (kind, 1)
        refuse(path, document, ("claims", 0, "switching"), "wormhole-nonatomic")
        refuse(path, document, ("claims", 0, "proof", "levels"), [])
        refuse(path, document, ("claims", 0, "proof", "levels"), claim["proof"]["levels"][1:])
        refuse(path, document, ("claims", 0, "proof", "escapes"), claim["proof"]["escapes"][:-1])


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("mesh(3, 4)", "--routing", "duato"), ""),
        (("mesh(5, 2)", "--routing", "duato"), ""),
        (("mesh(3, 4)", "--routing", "duato", "--vcs", "3"), "other VCs"),
        (("mesh(3, 4)", "--routing", "fully_adaptive", "--vcs", "2"), "candidates at the injection port of"),
        (("mesh(3, 3, 3)", "--routing", "duato"), "3 dimensions, and the rule is for 2"),
        (("torus(4, 4)", "--routing", "duato", "--vcs", "3"), "no mesh"),
        (("mesh(3, 4)",), "only a rule is compared with a --routing"),
    ],
)
def test_a_rule_for_every_size_on_one_mesh(options: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "sizes.json"
    assert run("check", "mesh(2)", "--routing", "duato", "--all-sizes", "--evidence", str(path))[0] == 0
    code, output = run("accept", str(path), "--network", *options)
    assert (code, "REJECTED" in output) == (int(bool(reason)), bool(reason))
    assert (reason or f"duato on {options[0]} is this rule") in output.replace("\n", " ")


@given(st.sampled_from(["duato", "west_first", "odd_even", "dimension_order", "negative_first"]), st.data())
def test_rules_are_told_apart(name: str, data: st.DataObject) -> None:
    """A row of the rule that is changed is noticed on a mesh where every state comes about."""
    claim = every_size("mesh(2)", name, "vct")
    if claim.rule is None or claim.proof is None:
        return
    content, relation = copy.deepcopy(claim.claim), routing(mesh(4, 4), name)
    assert rule_difference(content, relation) == ""
    assert "commit" in rule_difference(content, replace(relation, commits=True))
    row = data.draw(st.sampled_from(content["rule"]))
    out = data.draw(st.integers(3, len(row) - 1))
    row[out] = -row[out] - 2
    assert "differ" in rule_difference(content, relation)


def test_every_size_refuted(tmp_path: Path) -> None:
    path = tmp_path / "refuted.json"
    words = ("check", "mesh(2)", "--routing", "lcfaa", "--all-sizes", "--switching", "wormhole")
    document, says = evidence_of(path, *words, code=1)
    assert "deadlock under wormhole" in says[0]
    assert run("accept", str(path), "--network", "mesh(3, 3)", "--routing", "lcfaa")[0] == 0
    refuse(path, document, ("claims", 0, "deadlock_free"), True)


@pytest.mark.parametrize("switching", ["vct", "wormhole", "wormhole-nonatomic"])
def test_the_smallest_deadlock(switching: str, tmp_path: Path) -> None:
    path = tmp_path / "smallest.json"
    words = ("check", "torus(3, 4)", "--routing", "dimension_order(dateline='none')", "--switching", switching)
    document, says = evidence_of(path, *words, "--smallest", code=1)
    claim = document["claims"][-1]
    assert claim["subject"] == "size"
    fewest = len(document["claims"][0]["proof"]["messages"])
    assert claim["least"] == fewest > 1
    assert f"has fewer than {fewest} packets" in says[-1]
    refuse(path, document, ("claims", len(says) - 1, "least"), fewest + 1)


def test_a_bound_that_takes_the_checker_too_long_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "smallest.json"
    words = ("check", "ring(5)", "--routing", "dimension_order(dateline='none')", "--smallest")
    monkeypatch.setattr("unknot.certificates.plain.worms.SEARCH_STEPS", 5)
    code, output = run(*words, "--evidence", str(path))
    assert code == 1
    assert "no bound on the number of messages: what takes more than 5 steps" in output
    assert {claim["subject"] for claim in json.loads(path.read_text())["claims"]} == {
        "deadlock",
        "delivery",
        "lengths",
    }


def test_a_file_for_coq_is_about_one_technique(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the question is open, nothing is written about the techniques that are settled."""

    def left_open(relation: Relation, technique: Switching, **_: Any) -> dict[str, Verdict]:
        verdicts = check_all(relation)
        return {**verdicts, technique: replace(verdicts[technique], deadlock_free=None, certificate=None)}

    path = tmp_path / "open.v"
    monkeypatch.setattr("unknot.verify.examination.check_all", left_open)
    code, output = run("check", "mesh(2, 2)", "--routing", "dimension_order", "--evidence", str(path))
    assert code == 3
    assert "was not written" in output
    assert not path.exists()


def test_faults(tmp_path: Path) -> None:
    path = tmp_path / "faults.json"
    document, says = evidence_of(path, "faults", "mesh(2, 3)", "--routing", "up_down", "--switching", "vct", code=0)
    assert len(document["parts"]) == 7
    for number, shown in enumerate(("free of deadlock under vct", "can always be ejected", "longest route has")):
        assert all(shown in line for line in says[number::3])
    other = document["parts"][1]["without"]
    refuse(path, document, ("parts", 0, "without"), other)
    refuse(path, document, ("network", "source", 0), 5)


def test_faults_after_which_packets_are_lost_or_stuck(tmp_path: Path) -> None:
    path = tmp_path / "faults.json"
    words = ("faults", "ring(5)", "--routing", "fully_adaptive", "--vcs", "1", "--kind", "routers")
    document, says = evidence_of(path, *words, code=0)
    assert [part["without"] for part in document["parts"]] == [{"channels": [], "routers": [r]} for r in range(5)]
    assert len({line.split(":")[0] for line in says}) == 5
    refuse(path, document, ("parts", 2, "without", "routers"), [0])


def test_faults_that_are_repaired(tmp_path: Path) -> None:
    path = tmp_path / "repaired.json"
    document, says = evidence_of(path, "faults", "ring(5)", "--routing", "lanes", "--repair", code=0)
    assert len(document["parts"]) == 5
    assert len(says) == 15
    assert all("free of deadlock" in line for line in says[::3])
    refuse(path, document, ("parts", 0, "relation"), document["parts"][1]["relation"])


@pytest.mark.parametrize("answers", [(None, 3), (False, 1)])
def test_repairs_that_are_open_are_not_unsafe(answers: tuple[bool | None, int], monkeypatch: Any) -> None:
    free, expected = answers

    def decided(relation: Relation) -> Verdict:
        verdict = check_all(relation)["vct"]
        whole = relation.network.num_channels == 10
        return verdict if whole else replace(verdict, deadlock_free=free, certificate=None)

    monkeypatch.setattr("unknot.verify.check", decided)
    code, output = run("faults", "ring(5)", "--routing", "lanes", "--repair", "--json")
    answer = json.loads(output[output.index("{") :])
    assert (code, answer["safe"], {fault["safe"] for fault in answer["faults"]}) == (expected, free, {free})


LASH = "examples/fabrics/opensm-ring12-lash"


def test_audits(tmp_path: Path) -> None:
    """A part for each kind of traffic: between hosts it is safe, to and from switches it is not."""
    path = tmp_path / "audit.json"
    document, says = evidence_of(path, "audit", LASH, code=0)
    names = [part["name"] for part in document["parts"]]
    assert names == ["host-to-host", "replies", "host-to-switch", "switch-to-switch", "all"]
    free = {line.split(":")[0]: "free of deadlock" in line for line in says[::3]}
    assert free == dict(zip(names, [True, True, False, False, False], strict=True))
    assert run("accept", str(path), "--network", LASH)[0] == 0
    refuse(path, document, ("parts", 0, "relation", "states", 0, 0, 0), 1)
    refuse(path, document, ("parts", 2, "network"), document["parts"][0]["network"])
    refuse(path, document, ("parts", 2, "claims", 0, "deadlock_free"), True)


def test_audits_of_multicast(tmp_path: Path) -> None:
    path = tmp_path / "groups.json"
    fabric = "examples/fabrics/opensm-torus4x4-updn-multicast"
    document, says = evidence_of(path, "audit", fabric, code=1)
    assert document["parts"][-1]["name"] == "multicast"
    assert "multicast: " in says[-1]
    assert "deadlock under vct, reachability injected" in says[-1]


def test_audits_of_what_is_known_in_part(tmp_path: Path) -> None:
    """Tables that are cut off: neither freedom nor delivery is known, and neither is claimed."""
    folder = tmp_path / "cut"
    shutil.copytree(LASH, folder)
    (folder / "opensm.fdbs").unlink()
    dump = folder / "opensm-lfts.dump"
    lines = dump.read_text(encoding="utf-8").splitlines(keepends=True)
    dump.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    path = tmp_path / "cut.json"
    code, output = run("audit", str(folder), "--json")
    answer = json.loads(output)
    assert (code, [kind["holds"] for kind in (answer, answer["replies"], *answer["others"])]) == (3, [None] * 5)
    code, output = run("audit", str(folder), "--evidence", str(path))
    assert code == 3, output
    assert "nothing was settled" in output
    assert not path.exists()


@pytest.mark.long
def test_repaired_fabrics(tmp_path: Path) -> None:
    path = tmp_path / "repaired.json"
    folder = tmp_path / "in-one-lane"
    folder.mkdir()
    for name in ("fabric.ibnetdiscover", "opensm-lfts.dump"):
        shutil.copy(Path(LASH) / name, folder)
    document, says = evidence_of(path, "repair", str(folder), "--out", str(tmp_path / "files"), code=0)
    kinds = dict.fromkeys(part["name"].split(",")[0] for part in document["parts"])
    assert list(kinds) == ["as it is", "same-routes", "few-entries", "new-tables", "one-lane"]
    lines = [line for line in says if "host-to-host" in line and "deadlock" in line and "as it is" not in line]
    assert all("free of deadlock" in line for line in lines)


def test_properties(tmp_path: Path) -> None:
    path = tmp_path / "properties.json"
    document, says = evidence_of(path, "analyse", "mesh(3, 3)", "--routing", "west_first", code=0)
    assert [claim["subject"] for claim in document["claims"]] == ["delivery", "lengths"]
    longest = document["claims"][1]["longest"]
    assert f"the longest route has {longest} hops" in says[1]
    for place, entry in (
        ("longest", longest + 1),
        ("longest", None),
        ("minimal", not document["claims"][1]["minimal"]),
    ):
        refuse(path, document, ("claims", 1, place), entry)


def test_faults_of_tables_that_stay(tmp_path: Path) -> None:
    """Each cable of the ring of twelve carries routes of 36 pairs; another way is always left."""
    path = tmp_path / "cuts.json"
    document, says = evidence_of(path, "faults", LASH, code=1)
    assert "each of 12 sets of faults cuts at most 36 routes" in says[0]
    refuse(path, document, ("claims", 0, "faults", 3, "lost"), 35)
    refuse(path, document, ("claims", 0, "faults", 3, "severed"), 1)
    refuse(path, document, ("claims", 0, "faults", 3, "routers"), [0])


def test_no_evidence_of_designs_for_coq(tmp_path: Path) -> None:
    assert run("design", "routing", "mesh(2)", "--evidence", str(tmp_path / "x.v"))[0] == 2


@pytest.mark.long
def test_repairs_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    document, says = evidence_of(path, "repair", "torus(5)", "--routing", "shortest_paths", code=0)
    subjects = [claim["subject"] for claim in document["claims"]]
    assert subjects[0] == "deadlock"
    assert subjects.count("changes") == 2
    assert "lanes of routes" in subjects
    assert [part["name"] for part in document["parts"]][:2] == ["same routes", "few changed routes"]
    assert any(line.startswith("same routes: ") and "free of deadlock" in line for line in says)
    assert run("accept", str(path), "--network", "torus(5)", "--routing", "shortest_paths")[0] == 0
    place = subjects.index("changes")
    refuse(path, document, ("claims", place, "least"), document["claims"][place]["least"] + 1)
    refuse(path, document, ("parts", 1, "relation"), document["relation"])


@pytest.mark.parametrize("network", ["mesh(2, 2)", "ring(6)"])
def test_repairs_of_adaptive_routings(network: str, tmp_path: Path) -> None:
    path = tmp_path / "adaptive.json"
    more = ("--routing", "fully_adaptive", "--vcs", "1", "--switching", "vct")
    document, says = evidence_of(path, "repair", network, *more, code=0)
    assert [claim["subject"] for claim in document["claims"]][:4] == ["deadlock", "delivery", "lengths", "removals"]
    bound = document["claims"][3]
    assert "candidates removed" in says[3]
    refuse(path, document, ("claims", 3, "proof", "tree"), bound["proof"]["tree"][:-1])
    refuse(path, document, ("parts", 0, "relation"), document["relation"])


def test_nothing_settled_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "open.json"
    words = (
        "check",
        "mesh(2)",
        "--routing",
        "odd_even",
        "--all-sizes",
        "--switching",
        "wormhole",
        "--time-limit",
        "3",
    )
    code, output = run(*words, "--evidence", str(path))
    assert code == 3
    assert "was not written" in output
    assert not path.exists()


PASSING = """
import numpy as np
from unknot.routing import EJECT
from tests.strategies import table_relation

def passing(network):
    "Packets go to the other router, where they may leave or go back; there each would have to pass the other."
    forth, back, first, second = range(4)
    table = {
        (second, 0): [back], (back, 0): [EJECT, forth], (forth, 0): [back],
        (first, 1): [forth], (forth, 1): [EJECT, back], (back, 1): [forth],
    }
    return table_relation(network, 1, table, may_use=np.array([[False, True], [True, False]]), name="passing")
"""


def test_a_knot_that_is_not_established_is_neither_safe_nor_a_deadlock(tmp_path: Path) -> None:
    own, path = tmp_path / "own.py", tmp_path / "open.json"
    own.write_text(PASSING, encoding="utf-8")
    words = ("check", "line(2)", "--routing", f"{own}:passing", "--buffer-depth", "1")
    for switching, expected in (("saf", 3), ("vct", 3), ("wormhole", 1), ("wormhole-nonatomic", 1)):
        document, says = evidence_of(path, *words, "--switching", switching, code=expected)
        code, output = run(*words, "--switching", switching, "--json")
        answer = json.loads(output)
        assert code == expected
        assert answer["deadlock_free"] is (None if expected == 3 else False)
        assert answer["reachability"] == ("not-established" if expected == 3 else "injected")
        assert f"{'open' if expected == 3 else 'deadlock'} under {switching}" in says[0]
    _, says = evidence_of(path, *words, "--switching", "vct", code=3)
    document = json.loads(path.read_text(encoding="utf-8"))
    for wrong in (True, False):
        refuse(path, document, ("claims", 0, "deadlock_free"), wrong)
    refuse(path, document, ("claims", 0, "proof", "reachability"), "injected")
    code, output = run(*words, "--switching", "vct")
    assert code == 3
    assert "undecided: 2 messages that can never move" in " ".join(output.split())


def test_parts_are_read_as_strictly() -> None:
    network = {"name": "two", "routers": 2, "source": [0, 1], "target": [1, 0], "inject": [0, 1], "eject": [0, 1]}
    document = {"format": plain.FORMAT, "version": plain.VERSION, "network": network, "relation": None, "claims": []}
    named = {"name": "x"}
    for parts in (None, [], [None], [{}], [named], [{"name": 1, "claims": []}], [{**named, "claims": []}]):
        with pytest.raises(Rejected):
            plain.accept({**document, "parts": parts})
    for without in (None, {}, {"channels": [2], "routers": []}, {"channels": [], "routers": [-1]}):
        with pytest.raises(Rejected, match=r"without|channels|routers"):
            plain.accept({**document, "parts": [{**named, "claims": [], "without": without}]})


@given(st.integers(0, 2**32))
def test_what_is_left_of_a_network(seed: int) -> None:
    draw = np.random.default_rng(seed)
    whole = mesh(3, 3).without(channels=draw.choice(24, 3, replace=False).tolist())
    channels = sorted(draw.choice(whole.num_channels, int(draw.integers(0, 6)), replace=False).tolist())
    routers = sorted(draw.choice(9, int(draw.integers(0, 4)), replace=False).tolist())
    left = plain.Network(network_of(whole)).without({"channels": channels, "routers": routers})
    assert left.digest == plain.Network(network_of(whole.without(routers, channels))).digest


@given(relations(), st.sampled_from(SWITCHINGS))
def test_no_deadlock_has_fewer_packets(relation: Relation, switching: Switching) -> None:
    """Whatever deadlock is known has as many; and the two programs come to the same closed walk."""
    known = smallest(relation, switching)
    claim = size_claim(relation, switching, 10**6)
    if known.configuration is not None:
        assert claim["least"] <= len(known.configuration.messages)
        if known.method.startswith("a closed walk"):
            assert claim["least"] == known.messages_bound
        plain.accept(document(relation.network, relation, [claim]))
        with pytest.raises(Rejected):
            plain.accept(document(relation.network, relation, [{**claim, "least": claim["least"] + 1}]))


@given(relations(), st.sampled_from(SWITCHINGS))
def test_no_deadlock_of_as_few_packets_holds_fewer_vcs(relation: Relation, switching: Switching) -> None:
    """Just as many as brute force finds are accepted where the closed walk has as many steps; one more never."""
    try:
        best = fewest(relation, switching)
    except TooLargeError:
        return
    if best is None:
        return
    messages, held = best
    claim = {"subject": "size", "switching": switching, "least": messages, "held": held, "proof": {}}
    shown = size_claim(relation, switching, messages, held)
    exact = shown["least"] == messages and switching != "wormhole-nonatomic"
    assert shown == claim or not exact
    with pytest.raises(Rejected):
        plain.accept(document(relation.network, relation, [{**claim, "held": held + 1}]))


def test_packets_hold_a_vc_each_at_least() -> None:
    relation = routing(ring(5), "dimension_order")
    for held in (-1, 4):
        claim = {"subject": "size", "switching": "vct", "least": 5, "held": held, "proof": {}}
        with pytest.raises(Rejected, match="5 packets hold 5 VCs at least"):
            plain.accept(document(relation.network, relation, [claim]))


def test_held_vcs_of_lcfaa(tmp_path: Path) -> None:
    """Four packets on eight VCs, by both programs; nine are one too many."""
    words = ("check", "mesh(4, 4)", "--routing", "lcfaa", "--switching", "wormhole", "--smallest")
    content, says = evidence_of(tmp_path / "size.json", *words, code=1)
    claim = {"subject": "size", "switching": "wormhole", "least": 4, "held": 8, "proof": {}}
    assert content["claims"][-1] == claim
    assert says[-1].endswith("has fewer than 4 packets, nor one of 4 packets fewer than 8 VCs")
    content["claims"][-1]["held"] = 9
    with pytest.raises(Rejected, match="on 8 VCs or fewer"):
        plain.accept(content)
