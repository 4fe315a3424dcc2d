"""The checker in one file of plain Python: it accepts and rejects what the room's compiled checker does."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.certificates.corruption import corrupted
from tests.certificates.standalone import standalone
from tests.strategies import relations, table_relation
from unknot._base.deadline import clock
from unknot._base.errors import UnknotError
from unknot.certificates import Rejected, delivery_claim, document, evidence_holds, plain, verdict_claim
from unknot.certificates.claims import removals_claim
from unknot.certificates.documents import network_of, table_of
from unknot.certificates.joining import joined
from unknot.cli.program import app
from unknot.network import Network
from unknot.network.families import mesh, ring, torus
from unknot.remedies.pruned import Pruned, Unprunable, pruned
from unknot.routing import EJECT, Relation, dimension_order, duato, fully_adaptive, shortest_paths
from unknot.search.effort import SearchEffort
from unknot.verify import check_all, deliver
from unknot.verify.delivery import answer_claims


def holds(relation: Relation, claim: dict[str, Any], table: dict[str, Any] | None = None) -> bool | None:
    """Whether the plain checker accepts a claim, after a way through JSON; None: that is too much to check."""
    content = document(relation.network, None, [claim])
    content["relation"] = table or table_of(relation)
    try:
        plain.accept(json.loads(json.dumps(content)))
    except Rejected as error:
        return None if isinstance(error, plain.Unchecked) else False
    return True


def agree(relation: Relation, seed: int, times: int) -> Counter[bool]:
    """Compare the two checkers on every verdict of a relation, whole and changed; how many were accepted or not."""
    draw = np.random.default_rng(seed)
    table = table_of(relation)
    tally: Counter[bool] = Counter()
    for verdict in check_all(relation, buffer_depth=int(draw.integers(1, 4))).values():
        if verdict.deadlock_free is None:
            continue
        accepted = holds(relation, verdict_claim(verdict), table)
        assert accepted == evidence_holds(relation, verdict)
        if accepted is None:  # some thousand states
            continue
        assert accepted
        tally[True] += 1
        for _ in range(times):
            wrong = corrupted(verdict, draw)
            accepted = holds(relation, verdict_claim(wrong), table)
            assert accepted == evidence_holds(relation, wrong), wrong
            tally[accepted] += 1
    return tally


@given(relations(), st.integers(0, 2**32))
def test_it_agrees_with_the_compiled_checker(relation: Relation, seed: int) -> None:
    agree(relation, seed, 3)


@pytest.mark.campaign
def test_it_agrees_on_ten_thousand_certificates() -> None:
    tally: Counter[bool] = Counter()
    compare = given(relations(), st.integers(0, 2**32))(lambda relation, seed: tally.update(agree(relation, seed, 8)))
    settings(max_examples=700, deadline=None)(compare)()
    print(f"{tally[True]} certificates accepted, {tally[False]} rejected")
    assert min(tally[True], tally[False]) >= 3_000
    assert tally.total() >= 10_000


def test_most_changes_are_rejected() -> None:
    assert agree(duato(torus(4, 4), 3), 1, 20)[False] > 15


def test_messages_of_terminals_at_the_same_routers() -> None:
    """Where two messages come from one terminal, they are not injected, each from its own."""
    square = mesh(2, 2)
    twice = np.repeat(np.arange(4), 2)
    network = Network("two each", 4, square.source, square.target, inject=twice, eject=twice)
    table = {(at, 2 * a): found for (at, a), found in answers(fully_adaptive(square, vcs=2)).items()}
    table |= {(at, address + 1): found for (at, address), found in table.items()}
    ports = {(16 + 2 * (at - 16) + i, a): v for (at, a), v in table.items() if at >= 16 for i in (0, 1)}
    table = {(at, a): found for (at, a), found in table.items() if at < 16} | ports
    assert agree(table_relation(network, 2, table), 1, 80)[False] > 40


def answers(relation: Relation) -> dict[tuple[int, int], list[int]]:
    """What the rule of a relation writes, state by state."""
    return {
        (at, address): [EJECT if c.vc is None else c.vc for c in relation.candidates(at, address)]
        for at in range(relation.num_vcs + relation.network.num_terminals)
        for address in range(relation.num_addresses)
    }


@given(relations())
def test_delivery(relation: Relation) -> None:
    delivered = deliver(relation).delivered
    assert holds(relation, delivery_claim(relation, delivered))
    if delivered:
        with pytest.raises(RuntimeError):
            delivery_claim(relation, False)
    else:
        assert not holds(relation, delivery_claim(relation, True))


@given(relations())
def test_lengths_of_routes(relation: Relation) -> None:
    found = deliver(relation)
    claim = answer_claims(relation, [], found)[-1]
    assert holds(relation, claim)
    for wrong in ({"longest": 99}, {"longest": None} if found.livelock_free else {"longest": 3}):
        assert not holds(relation, {**claim, **wrong})
    assert not holds(relation, {**claim, "minimal": not found.minimal}) or found.minimal is None


def test_a_hop_to_where_there_is_no_way_back_is_on_no_shortest_path() -> None:
    network = Network("no way back", 2, [0], [1], inject=[0, 0, 1], eject=[0, 0, 1])
    only = np.array([[False, True, False], [False, False, False], [False, False, False]])
    relation = table_relation(network, 1, {(1, 1): [EJECT, 0], (0, 1): []}, may_use=only)
    found = deliver(relation)
    assert (found.delivered, found.minimal, found.longest_route) == (False, False, 1)
    assert all(holds(relation, claim) for claim in answer_claims(relation, [], found))


def test_a_packet_to_itself_that_is_not_sent_is_not_lost() -> None:
    """Terminal 1 has no candidates for itself; it is lost only where it has some that do not lead to ejection."""
    line, back = mesh(2), 1  # channel 1 leads from router 1 to router 0
    at, port = answers(dimension_order(line)), 2 + 1
    proof = {"source": 1, "address": 1, "path": []}
    unsent, lost = ({**at, (port, 1): candidates, (back, 1): []} for candidates in ([], [back]))
    for table, delivered in ((unsent, True), (lost, False)):
        relation = table_relation(line, 1, table)
        for claimed, path in ((True, {}), (False, proof)):
            claim = {"subject": "delivery", "delivered": claimed, "proof": path}
            assert holds(relation, claim) == (claimed == delivered)
        assert not holds(relation, {**claim, "proof": {**proof, "address": relation.num_addresses}})


@pytest.mark.parametrize(("switching", "accepted"), [("saf", {1}), ("vct", {1}), ("wormhole", {1, 2, 3})])
def test_how_many_vcs_a_packet_holds(switching: str, accepted: set[int]) -> None:
    """Packets that fill a ring of six channels, each with none, one, two or three of them."""
    relation = shortest_paths(Network("one way", 6, range(6), [1, 2, 3, 4, 5, 0]))
    for each in range(4):
        messages = [
            {
                "source": at,
                "address": (at + each + 1) % 6,
                "length": each,
                "lead": [],
                "held": [*range(at, at + each)],
                "wanted": [(at + each) % 6],
            }
            for at in range(0, 6, max(each, 1))
        ]
        proof = {"buffer_depth": 1, "reachability": "injected", "messages": messages}
        claim = {"subject": "deadlock", "switching": switching, "deadlock_free": False, "proof": proof}
        assert holds(relation, claim) == (each in accepted)


def test_packets_that_are_scheduled_do_not_pass_any_of_those_before() -> None:
    """Packets around a ring of six channels; the last one comes past those that stand there already, or not."""
    relation = shortest_paths(Network("one way", 6, range(6), [1, 2, 3, 4, 5, 0]))
    table = plain.Table(plain.Network(network_of(relation.network)), table_of(relation))

    def packet(source: int, address: int, lead: list[int], held: list[int]) -> plain.Packet:
        return plain.Packet(
            table, plain.SWITCHINGS["vct"], {"source": source, "address": address, "lead": lead, "held": held}
        )

    standing = [packet(0, 2, [], [0]), packet(1, 3, [], [1])]
    plain.check_reachability("scheduled", [*standing, packet(3, 5, [3], [4])])
    for packets in ([], [*standing, standing[0]]):
        with pytest.raises(Rejected, match="two packets hold the same VC, or there are none"):
            plain.require_blocked(plain.SWITCHINGS["vct"], packets, [])
    for lead in ([0, 1, 2, 3], [1, 2, 3]):
        last = packet(lead[0], 5, lead, [4])
        plain.check_reachability("not-established", [*standing, last])
        with pytest.raises(Rejected, match="packet 3"):
            plain.check_reachability("scheduled", [*standing, last])


def test_steps_of_a_refutation_may_name_every_variable_and_clause() -> None:
    clauses = [(1, 2), (1, -2), (-1, 2), (-1, -2)]
    for literal, hints, rest in ((2, [1, 3], [5, 2, 4]), (-2, [2, 4], [5, 1, 3]), (1, [1, 2], [5, 3, 4])):
        plain.check_refutation(clauses, 2, [[[literal], hints], [[], rest]])
        with pytest.raises(Rejected, match="6 is no"):
            plain.check_refutation(clauses, 2, [[[literal], hints], [[], [6, *rest]]])
    for literal in (-3, 0, 3):
        with pytest.raises(Rejected, match=f"{literal} is no"):
            plain.check_refutation(clauses, 2, [[[literal, 2], [1, 3]]])


def test_a_worm_may_wait_for_all_that_is_left() -> None:
    """It holds the only VC that is left, and waits for that one."""
    worms = plain.worms_inside([{0: (set(), [{0}])}], {0}, {0}, plain.Steps())
    assert worms == {0: {(frozenset({0}), frozenset({0}))}}


def test_its_contents_are_true() -> None:
    """The files in the order in which they are joined, each with the subjects of the claims that it checks."""
    _, *parts = re.split(r"^# -+ (.*)$", joined(), flags=re.MULTILINE)
    listed = re.findall(r"^- (\w+)(: .*)$", plain.__doc__ or "", flags=re.MULTILINE)
    assert [heading for heading, _ in listed] == parts[::2]
    for (heading, named), section in zip(listed, parts[1::2], strict=True):
        checked = {subject for subject, one in plain.CLAIMS.items() if f"\ndef {one.check.__name__}(" in section}
        assert checked == {*re.findall("`(.*?)`", named)}, heading


def test_it_needs_nothing_but_python(tmp_path: Path) -> None:
    """One file, run by itself: no package, no dependencies, and not even Unknot on the path."""
    imported = {
        alias.name.split(".")[0]
        for node in ast.walk(ast.parse(joined()))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in ([ast.alias(node.module or "")] if isinstance(node, ast.ImportFrom) else node.names)
    }
    assert imported <= sys.stdlib_module_names
    relation = dimension_order(torus(4, 4), 2)
    claims = [verdict_claim(verdict) for verdict in check_all(relation).values()]
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    content = document(relation.network, relation, claims)
    good.write_text(json.dumps(content))
    content["claims"][0]["proof"]["rank"] = [0] * relation.num_vcs
    bad.write_text(json.dumps(content))
    alone = [sys.executable, "-I", "-S", str(standalone())]
    ran = subprocess.run([*alone, str(good)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr, ran.stdout.count("accepted")) == (0, "", 4)
    ran = subprocess.run([*alone, str(bad), str(good)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "bad.json: REJECTED: order: address" in ran.stdout
    assert subprocess.run([*alone, str(tmp_path / "none")], capture_output=True, check=False).returncode == 2


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 200_000, "1" * 10_000, "NaN", "\x00", '{"format": 1}', "[]", "1e999"]
)
def test_what_is_no_document(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    result = CliRunner().invoke(app, ["accept", str(path)])
    assert result.exit_code == 1
    assert "REJECTED" in result.output


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "duato.json"
    text = ["torus(4, 4)", "--routing", "duato"]
    assert CliRunner().invoke(app, ["check", *text, "--evidence", str(out)]).exit_code == 0
    result = CliRunner().invoke(app, ["accept", str(out), "--network", *text])
    assert (result.exit_code, result.output.count("accepted: torus(4, 4), duato, ")) == (0, 6)
    other = CliRunner().invoke(app, ["accept", str(out), "--network", "torus(4, 4)", "--routing", "negative_first"])
    assert other.exit_code in (1, 2)
    other = CliRunner().invoke(app, ["accept", str(out), "--network", "torus(4, 5)"])
    assert other.exit_code == 1
    assert "another network than torus(4, 5)" in other.output
    assert CliRunner().invoke(app, ["accept", str(out), "--routing", "duato"]).exit_code == 2


def test_a_table_of_another_routing_is_noticed(tmp_path: Path) -> None:
    out = tmp_path / "xy.json"
    words = ["check", "mesh(3, 3)", "--routing", "dimension_order", "--evidence", str(out)]
    assert CliRunner().invoke(app, words).exit_code == 0
    result = CliRunner().invoke(app, ["accept", str(out), "--network", "mesh(3, 3)", "--routing", "west_first"])
    assert result.exit_code == 1
    assert "its table is not west_first" in result.output


@pytest.mark.long
def test_evidence_of_lanes(tmp_path: Path) -> None:
    for words in (["kautz(2, 4)"], ["ring(6)"], ["ring(6)", "--changes", "rising"]):
        out = tmp_path / "lanes.json"
        assert CliRunner().invoke(app, ["lanes", *words, "--evidence", str(out)]).exit_code == 0
        claims = plain.accept(plain.read(str(out)))
        content = json.loads(out.read_text())
        (number,) = (i for i, claim in enumerate(content["claims"]) if claim["subject"].startswith("lanes"))
        assert "cannot be free of deadlock" in claims[number]
        content["claims"][number]["impossible"] += 1
        with pytest.raises(Rejected):
            plain.accept(content)


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = dimension_order(mesh(3, 3))
    monkeypatch.setattr("unknot.certificates.documents.MOST_STATES", 10)
    with pytest.raises(UnknotError, match="10"):
        document(relation.network, relation, [])


@pytest.mark.parametrize(("network", "switching"), [(mesh(2, 2), "wormhole"), (mesh(2, 3), "vct")])
def test_bounds_on_removed_candidates(network: Network, switching: str) -> None:
    relation = fully_adaptive(network, vcs=1)
    found = pruned(relation, SearchEffort(clock() + 60), switching=switching)
    assert isinstance(found, Pruned)
    assert found.evidence is not None
    proof = found.evidence.claim["proof"]
    for least in range(found.lower_bound + 2):
        claim = removals_claim(switching, False, least, proof)
        assert holds(relation, claim) == (least <= found.lower_bound)
    # One fact alone shows that one candidate has to go at most.
    less = {**proof, "tree": [{"multipliers": proof["tree"][0]["multipliers"][:1]}]}
    assert not holds(relation, removals_claim(switching, False, found.lower_bound, less))
    assert not holds(dimension_order(network), removals_claim(switching, False, found.lower_bound, proof))


def test_a_relation_that_cannot_be_saved() -> None:
    relation = fully_adaptive(ring(5), vcs=1)
    found = pruned(relation, SearchEffort(clock() + 60), switching="wormhole")
    assert isinstance(found, Unprunable)
    assert found.evidence is not None
    claim = deepcopy(found.evidence.claim)
    assert holds(relation, claim)
    claim["proof"]["tree"].pop()
    assert not holds(relation, claim)
