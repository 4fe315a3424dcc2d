"""Answers of the playground, compared with what the library says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot._base.errors import UnknotError
from unknot.simulation.traces.recording import record
from unknot.verify import check
from unknot_explore.course import course, solved
from unknot_explore.design import Design
from unknot_explore.questions import answer


def ask(question: str, design: Design, **more: Any) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    answer(question, design, more, parts.append)
    return [part for part in parts if "progress" not in part]


@pytest.mark.parametrize("routing", ["dimension_order", "fully_adaptive", "west_first"])
def test_the_verdict_is_that_of_the_prover_and_its_story_the_replay(routing: str) -> None:
    design = Design(routing=routing)
    verdict, *evidence = ask("verdict", design)
    proved = check(design.relation())
    assert verdict["free"] is proved.deadlock_free
    told = [part["story"] for part in evidence if "story" in part]
    assert bool(told) is (proved.configuration is not None)
    for story in told:
        assert proved.configuration is not None
        frames = record(design.relation(), proved.configuration).frames
        flits = [{(m, vc): n for m, vc, n in buffers} for _, buffers in story["steps"]]
        assert flits == [frame.flits for frame in frames]
        assert story["stuck"]
    order = [part["order"] for part in evidence if "order" in part]
    assert bool(order) is (proved.certificate is not None)


def test_dependencies_on_cycles_are_marked() -> None:
    *_, part = ask("verdict", Design(network="ring(4)", routing="dimension_order"))
    assert {(a, b) for a, b, on in part["dependencies"] if on} == {(0, 2), (2, 4), (4, 6), (6, 0)}


def simple_paths(design: Design, start: int, end: int) -> set[tuple[str, ...]]:
    """Paths by trying all candidates."""
    relation = design.relation()
    found = set()

    def go(at: int, path: tuple[int, ...]) -> None:
        for candidate in relation.candidates(at, end):
            if candidate.vc is None:
                found.add(tuple(relation.vcs.name(vc) for vc in path))
            elif candidate.vc not in path:
                go(candidate.vc, (*path, candidate.vc))

    go(relation.num_vcs + start, ())
    return found


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 8), st.integers(0, 8), st.sampled_from(["west_first", "fully_adaptive", "dimension_order"]))
def test_paths_are_all_that_there_are(start: int, end: int, routing: str) -> None:
    design = Design(network="mesh(3, 3)", routing=routing)
    names = [design.built().router_name(router) for router in range(9)]
    (part,) = ask("paths", design, **{"from": names[start], "to": names[end]})
    assert {tuple(path) for path in part["paths"]} == simple_paths(design, start, end)


def test_a_turn_is_explained() -> None:
    design = Design(network="mesh(3, 3)", routing="west_first")
    (no,) = ask("turn", design, a="(1,1)", b="(1,2)", c="(0,2)")
    assert (no["allowed"], "no way on" in no["words"][0]) == (False, True)
    assert no["cycle"]
    (yes,) = ask("turn", design, a="(0,1)", b="(1,1)", c="(1,2)")
    assert (yes["allowed"], yes["cycle"]) == (True, [])
    (mine,) = ask(
        "turn",
        Design(network="mesh(3, 3)", routing="west_first", turns=(yes["turn"],)),
        a="(0,1)",
        b="(1,1)",
        c="(1,2)",
    )
    assert mine["words"][0] == "You forbade (0,1) → (1,1) → (1,2)."
    with pytest.raises(UnknotError, match="no channel from"):
        ask("turn", design, a="(0,0)", b="(2,2)", c="(1,2)")


def test_channels_keep_their_numbers_after_a_failure() -> None:
    whole = Design(network="mesh(3, 3)").whole()
    design = Design(network="mesh(3, 3)", routing="up_down", dead=("(0,0)--(1,0)",))
    (part,) = ask("paths", design, **{"from": "(0,0)", "to": "(2,0)"})
    named = {
        f"{whole.router_name(int(whole.source[c]))}→{whole.router_name(int(whole.target[c]))}"
        for c in part["channels"]
    }
    assert {name for path in part["paths"] for name in path} <= named
    assert set(ask("network", design)[0]["dead"]) == {*whole.between(0, 1), *whole.between(1, 0)}


def test_offers_can_be_taken_over() -> None:
    design = Design(network="ring(5)", routing="shortest_paths")
    for question in ("lanes", "remedies"):
        (part,) = ask(question, design)
        assert part["offers"]
        for offer in part["offers"]:
            changed = design.model_copy(update={"routing": offer["routing"], "vcs": offer["vcs"]})
            assert ask("verdict", changed)[0]["free"] is True


def test_a_film_is_a_run() -> None:
    begin, *parts, end = ask(
        "film", Design(network="torus(4, 4)", routing="dimension_order", vcs=1, load=0.9, packet_length=8)
    )
    frames = [frame for part in parts for frame in part["frames"]]
    assert all(0 < flits <= begin["depth"] for _, row in frames for flits in row)
    assert end["knot"] or end["inside"] == sum(frames[-1][1]) or len(frames) == begin["cycles"]
    assert all(0 <= share <= 1 for part in parts for share in part["heat"][1])


def test_a_curve_ends_at_saturation() -> None:
    _, *points = ask("curve", Design(network="ring(4)", routing="dimension_order", vcs=2))
    outcomes = [point["outcome"] for point in points]
    assert outcomes[0] == "stable"
    assert any(outcome != "stable" for outcome in outcomes)


@pytest.mark.parametrize("number", range(8))
def test_each_exercise_is_solved_by_its_solution_alone(number: int) -> None:
    (before,) = ask("exercise", Design.of(course()[number]["design"]), number=number)
    (after,) = ask("exercise", solved(number), number=number, stepped=True)
    assert not before["solved"]
    assert after == {"solved": True, "missing": []}


def test_unknown_questions_and_bad_networks_are_refused() -> None:
    with pytest.raises(UnknotError, match="no question"):
        ask("verdicts", Design())
    with pytest.raises(UnknotError, match="never closed"):
        ask("verdict", Design(network="mesh(4, 4"))


@pytest.mark.parametrize(
    ("question", "more", "words"),
    [
        ("paths", {"from": "(0,0)"}, "has no 'to'"),
        ("turn", {}, "has no 'a'"),
        ("protocol", {}, "has no 'protocol'"),
        ("exercise", {}, "has no 'number'"),
        ("exercise", {"number": 99}, "no exercise 99"),
        ("exercise", {"number": "x"}, "no exercise 'x'"),
    ],
)
def test_what_is_missing_beside_a_question_is_named(question: str, more: dict[str, Any], words: str) -> None:
    with pytest.raises(UnknotError, match=words):
        ask(question, Design(), **more)
