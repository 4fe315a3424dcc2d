"""Evidence about a question: what is claimed of something else, or under a borrowed name, is not accepted."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.certificates.specimens import MAKE, question_for, specimen
from tests.certificates.standalone import standalone
from tests.certificates.test_hostile import damaged
from unknot.certificates import Rejected, document, plain, question, verdict_claim
from unknot.certificates.documents import part_of
from unknot.cli.program import app
from unknot.network.families import ring, torus
from unknot.routing import dimension_order, up_down
from unknot.verify import check

FABRICS = Path(__file__).parents[2] / "examples/fabrics"
LASH = str(FABRICS / "opensm-ring12-lash")
SWITCHES = str(FABRICS.parent / "ethernet/frr-all-links-up")
RING = "'ring(4)' --routing \"dimension_order(dateline='none')\""
BOUND = {
    "verdicts": ("check 'torus(4, 4)' --routing duato --vcs 3", "deadlock_free delivered lengths(longest=4)"),
    "bubbles": (f"check {RING} --bubble localised", "deadlock_free(bubble='localised')"),
    "arbiters": (
        "check 'line(3)' --routing dimension_order --arbiter round_robin", "progress('round_robin',bound=23)",
    ),
    "fair arbiters": ("check 'line(3)' --routing dimension_order --arbiter fair", "progress"),
    "starved": ("check 'line(3)' --routing dimension_order --arbiter fixed", "progress('fixed',arrives=False)"),
    "sizes": ("check 'ring(5)' --routing shortest_paths --smallest", "deadlock_free(False) size(least=5)"),
    "updates": (
        "check 'mesh(2, 2)' --routing dimension_order --to 'dimension_order(order=[1, 0])'",
        "update('dimension_order(order=[1,0])',how='batches')",
    ),
    "end points": (
        "check 'mesh(2)' --routing dimension_order --protocol 'request_reply(depth=1, outstanding=1)'",
        "protocol('request_reply(depth=1,outstanding=1)')",
    ),
    "lanes": ("lanes 'kautz(2, 3)'", "lanes(impossible=1)"),
    "lanes after failures": ("lanes 'ring(5)' --survive links", "lanes(impossible=2,survive='links')"),
    "loads": ("lanes 'mesh(3, 3)'", "load(least='6')"),
    "repairs of routes": ("repair 'ring(6)' --routing shortest_paths", "deadlock_free(False) changes(least=3)"),
    "repairs by choice": ("repair 'mesh(2, 2)' --routing 'fully_adaptive(vcs=1)'", "removals(least=2)"),
    "failures": ("faults 'mesh(3, 3)' --routing up_down", "faults"),
    "repaired failures": ("faults 'ring(5)' --routing lanes --repair", "faults(repaired=True)"),
    "failures at once": (
        "faults 'xgft([1, 6], [1, 4])' --routing \"bgp(plan='rfc7938')\" --at-once 2 --budget 1", "failures(None)",
    ),
    "cuts": (f"faults {LASH}", "cuts"),
    "audits": (f"audit {LASH}", "audit(traffic='host-to-host') audit(traffic='replies')"),
    "audits of switches": (f"audit {SWITCHES}", "audit"),
    "properties": ("analyse 'mesh(4, 4)' --routing west_first", "lengths(minimal=True)"),
    "collectives": ("collective 'ring(5)'", "collective(time='512/5') schedule(time='517/5')"),
    "broadcasts": ("collective 'ring(5)' --operation broadcast --size 7", "collective('broadcast',size='7',root=0)"),
}  # fmt: skip
"""Commands that write evidence, and the claims that it answers."""


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.output


def alone(*words: str | Path) -> tuple[int, str]:
    """The checker without Unknot."""
    command = [sys.executable, "-I", "-S", str(standalone()), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.sampled(1 / 8)
@pytest.mark.parametrize("name", BOUND)
def test_evidence_of_each_command_answers_its_question(name: str, tmp_path: Path) -> None:
    """Also that of a file, for the checker alone; and not one about a network of the same size."""
    evidence, asked = tmp_path / "evidence.json", tmp_path / "question.json"
    command, claims = BOUND[name]
    words = shlex.split(command)
    run(*words, "--evidence", str(evidence))
    about = ["--network", words[1]]
    for option in ("--routing", "--vcs"):
        about += words[words.index(option) :][:2] if option in words else []
    asks = [word for claim in claims.split() for word in ("--claim", claim)]
    code, said = run("accept", str(evidence), *about, *asks, "--export", str(asked))
    assert code == 0, said
    assert run("accept", str(evidence), "--question", str(asked))[0] == 0
    assert alone("--question", asked, evidence)[0] == 0
    content = json.loads(asked.read_text(encoding="utf-8"))
    for part in (content, *content.get("parts", ())):
        for one in (part.get("network"), *(claim for claim in part["claims"] if "channels" in claim)):
            if one is not None and "source" in one:
                one["source"], one["target"] = one["target"], one["source"][1:] + one["source"][:1]
            elif one is not None:
                one["channels"].append(one["channels"][0])
    asked.write_text(json.dumps(content), encoding="utf-8")
    code, said = alone("--question", asked, evidence)
    assert code == 1, said


def test_designs_answer_their_question(tmp_path: Path) -> None:
    evidence = str(tmp_path / "evidence.json")
    assert run("design", "routing", "mesh(2)", "--evidence", evidence)[0] == 0
    asks = ["--claim", "rules('mesh(2)', vcs='1/1 1/1')"]
    assert run("accept", evidence, *asks)[0] == 0
    assert run("accept", evidence, *asks, "--switching", "wormhole")[0] == 1
    assert run("check", "mesh(2)", "--routing", "duato", "--all-sizes", "--evidence", evidence)[0] == 0
    asks = ["--claim", "rule('mesh(2)')", "--routing"]
    assert [run("accept", evidence, *asks, name)[0] for name in ("duato", "west_first")] == [0, 1]


def test_phases_are_asked_for_by_their_grid(tmp_path: Path) -> None:
    from unknot.certificates import write_document
    from unknot.verify.phases import PhasedChunks, check_phases

    system, evidence = PhasedChunks((2, 2), 2, 2), tmp_path / "evidence.json"
    write_document(document(None, None, [check_phases(system).claim(system)]), evidence)
    assert run("accept", str(evidence), "--claim", "phases([2, 2], 2, slots=2)")[0] == 0
    assert run("accept", str(evidence), "--claim", "phases([2, 2], 3, slots=2)")[0] == 1


def test_a_claim_with_a_relation_of_its_own_is_about_that(tmp_path: Path) -> None:
    """A proof of up*/down* under the table of a routing that deadlocks."""
    network, evidence = torus(4, 4), tmp_path / "forged.json"
    deadlocks, free = dimension_order(network, vcs=1), up_down(network)
    claim = verdict_claim(check(free, "wormhole"))
    claim["relation"] = document(network, free, [])["relation"]
    evidence.write_text(json.dumps(document(network, deadlocks, [claim])), encoding="utf-8")
    words = ("accept", str(evidence), "--network", "torus(4, 4)", "--routing")
    code, said = run(*words, "dimension_order", "--vcs", "1")
    assert (code, "its table is not dimension_order" in said) == (1, True)
    assert run(*words, "dimension_order", "--vcs", "1", "--switching", "wormhole", "--claim", "deadlock_free")[0] == 1
    assert run(*words, "up_down", "--switching", "wormhole", "--claim", "deadlock_free")[0] == 0
    code, said = run("accept", str(evidence))
    assert (code, "dimension_order" in said, "torus" in said) == (0, False, False)


def test_what_was_not_asked_does_not_count() -> None:
    relation = dimension_order(ring(4), vcs=2)
    claims = [verdict_claim(check(relation, technique)) for technique in ("saf", "wormhole")]
    content = document(relation.network, relation, claims)
    broken = copy.deepcopy(content)
    broken["claims"][1]["proof"] = {}  # nobody looks at it
    shown, others = plain.answers(broken, question(relation, claims[:1]))
    assert (len(shown), others) == (1, ["deadlock: something else by switching was asked for"])
    with pytest.raises(Rejected, match=r"asked for, and not claimed: deadlock; .*by switching"):
        plain.accept(content, question(relation, [verdict_claim(check(relation, "vct"))]))
    with pytest.raises(Rejected, match="it claims deadlock_free True, and not False"):
        plain.accept(content, question(relation, [{**claims[0], "deadlock_free": False}]))
    asked = question(relation, [{"subject": "lengths"}])
    lengths = {"subject": "lengths", "longest": 2, "minimal": True, "proof": {}}
    assert len(plain.accept({**content, "claims": [lengths] * 2}, asked)) == 2
    with pytest.raises(Rejected, match="with two answers"):
        plain.accept({**content, "claims": [lengths, {**lengths, "longest": 3}]}, asked)
    assert len(plain.accept(content, question(relation, [*claims, {"subject": "lengths"}], optional=True))) == 2
    with pytest.raises(Rejected, match="any of 1 usual claims"):
        plain.accept(content, question(relation, [{"subject": "lengths"}], optional=True))


def after_failures() -> tuple[Any, Any]:
    """Evidence after two failures of a ring, and its question."""
    network, parts = ring(5), []
    for a in range(2):
        failed = {"channels": [c for c in range(10) if {network.source[c], network.target[c]} == {a, a + 1}]}
        relation = up_down(network.without(channels=failed["channels"]))
        parts.append(
            part_of(f"({a})–({a + 1})", relation, [verdict_claim(check(relation))], failed | {"routers": []})
        )
    content = json.loads(json.dumps(document(network, None, [], parts)))
    return content, question_for(content)


def test_parts_have_names_of_their_own() -> None:
    content, asked = after_failures()
    assert len(plain.accept(content, asked)) == 2
    one, other = content["parts"]
    borrowed = [{**other, "name": one["name"]}, {**one, "name": other["name"]}]
    twice = [one, {**one, "name": other["name"]}]
    cases = (
        (borrowed, "other failures than those that were asked for under this name"),
        (twice, "one failure has two names"),
        ([one, {**other, "name": one["name"]}], "two parts have the name"),
        ([one], r"asked for, and not claimed: \(1\)–\(2\)"),
        ([one, {**other, "relation": one["relation"]}], "another router|its table is not"),
    )
    for parts, why in cases:
        with pytest.raises(Rejected, match=why):
            plain.accept({**content, "parts": parts}, asked)
    for parts in (twice, [one, {**other, "name": one["name"]}]):
        with pytest.raises(Rejected, match=r"names|have the name"):
            plain.accept({**content, "parts": parts})
    renamed = {**content, "network": {**content["network"], "name": "ring(6)"}}
    with pytest.raises(Rejected, match=r"calls its network ring\(6\)"):
        plain.accept(renamed, asked)


def test_numbers_that_are_alike_are_the_same_and_truth_is_no_number() -> None:
    assert plain.alike({"x": [1, 2.0]}) == plain.alike({"x": [1.0, 2]})
    assert plain.alike([1, 0]) != plain.alike([True, False])
    claim = {"subject": "lanes", "impossible": 1, "changes": "none", "sends": [[0, 1], [1, 0]]}
    assert plain.about(claim) == plain.about({**claim, "sends": [[1, 0], [0, 1]], "impossible": 2})
    deep: Any = []
    for _ in range(30):
        deep = [deep]
    with pytest.raises(Rejected, match="nested"):
        plain.about({**claim, "sends": deep})


def test_the_checker_alone_has_exit_codes(tmp_path: Path) -> None:
    content = specimen("order")
    evidence, asked, wrong = (tmp_path / name for name in ("evidence.json", "question.json", "wrong.json"))
    evidence.write_text(json.dumps(content))
    asked.write_text(json.dumps(question_for(content)))
    content["claims"].pop()
    wrong.write_text(json.dumps(content))
    assert alone("--question", asked, evidence)[0] == 0
    assert alone("--question", asked, evidence, wrong)[0] == 1
    for unusable in (evidence, tmp_path / "none.json"):
        code, said = alone("--question", unusable, evidence)
        assert (code, "this is no question" in said) == (2, True)
    assert alone("--question")[0] == 2
    wrong.write_text("null")
    assert alone("--question", wrong, evidence)[0] == 2
    many = {"source": [0] * 5, "target": [1] * 5, "routers": 2, "inject": [], "eject": [], "name": ""}
    relation = {"vcs": [2**20 - 1] * 5, "commits": False, "destination": [], "sources": None, "states": []}
    head = {"format": plain.FORMAT, "version": plain.VERSION}
    wrong.write_text(json.dumps({**head, "network": many, "relation": relation, "claims": []}))
    assert alone(wrong)[0] == alone(wrong, evidence)[0] == run("accept", str(wrong))[0] == 3
    code, said = run("accept", str(wrong), "--json")
    assert (code, json.loads(said)["files"][0]["accepted"]) == (3, None)


@given(st.sampled_from(sorted(MAKE)), st.integers(0, 2**32))
def test_questions_that_are_damaged(name: str, seed: int) -> None:
    """Whatever stands in a question, evidence is accepted or rejected."""
    content = specimen(name)
    asked, draw = question_for(content), random.Random(seed)
    for _ in range(draw.randint(1, 3)):
        damaged(asked, draw)
    with contextlib.suppress(Rejected):
        assert plain.accept(content, asked)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--claim", "deadlok_free"), "deadlock_free"),
        (
            ("--claim", "deadlock_free", "--network", "ring(4)", "--claim", "protocol('axi')"),
            "name it with --routing",
        ),
        (("--claim", "lanes"), "name it with --network"),
        (("--claim", "lanes(impossible='2')", "--network", "ring(4)"), "a whole number"),
        (("--claim", "failures", "--network", "ring(4)", "--routing", "up_down"), "bgp or ospf"),
        (("--claim", "rule('mesh(2)')"), "name it with --routing"),
        (("--question", "x.json", "--network", "ring(4)"), "is in the question"),
        (("--export", "q.json"), "name a --network or a --claim"),
        (("--question", "none.json"), "cannot be read"),
    ],
)
def test_questions_that_make_no_sense(words: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evidence.json").write_text("{}")
    code, said = run("accept", "evidence.json", *words)
    assert (code, why in " ".join(said.split())) == (2, True), said


def test_state_tables_are_asked_for_by_their_file(tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "examples/hangs"
    stalls, saves, evidence = folder / "mi-stalls.toml", folder / "mi-saves.toml", str(tmp_path / "evidence.json")
    assert run("protocol", str(stalls), "--evidence", evidence)[0] == 1
    assert run("accept", evidence, "--claim", f"controllers('{stalls}', answer=False)")[0] == 0
    assert run("accept", evidence, "--claim", f"controllers('{saves}', answer=False)")[0] == 1
    assert run("accept", evidence, "--claim", f"controllers('{stalls}', caches=2, answer=False)")[0] == 1
