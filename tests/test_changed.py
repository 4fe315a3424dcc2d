"""The tests nearest to a change: by imports, mirrors first."""

from __future__ import annotations

import random
from pathlib import Path

import networkx as nx
import pytest

from tests.architecture import ROOT
from tests.changed import graph_with_tests, named_by, nearest


@pytest.fixture(scope="module")
def graph() -> nx.DiGraph:
    return graph_with_tests()


@pytest.mark.long
def test_the_mirror_of_a_source_comes_first(graph: nx.DiGraph) -> None:
    for source, test in (
        ("src/unknot/verify/witness.py", "tests/verify/test_witness.py"),
        ("src/unknot/verify/loads_kernel.py", "tests/verify/test_loads.py"),
        ("src/unknot/remedies/branching.py", "tests/remedies/test_branching.py"),
    ):
        if (ROOT / test).exists():
            assert nearest([ROOT / source], graph)[0].parent == (ROOT / test).parent
    limits = nearest([ROOT / "src/unknot/simulation/run/limits.py"], graph)
    assert limits[0] == ROOT / "tests/simulation/run/test_limits.py"  # and not one of the other files of this name


@pytest.mark.long
def test_every_module_has_tests(graph: nx.DiGraph) -> None:
    """Also what packages export late, kernels that are linked, and forms of answers."""
    for source, test in (
        ("src/unknot/certificates/plain/exploring.py", "tests/certificates/test_plain.py"),
        ("src/unknot/routing/dragonfly.py", "tests/routing/test_dragonfly.py"),
        ("src/unknot/simulation/engine/inbox_kernel.py", "tests/simulation/engine/test_options_twin.py"),
        (
            "src/unknot/simulation/engine/allocators/pim_kernel.py",
            "tests/simulation/engine/allocators/test_registry.py",
        ),
        ("src/unknot/remedies/repair.py", "tests/cli/test_repair_fabric.py"),
    ):
        assert ROOT / test in nearest([ROOT / source], graph), source
    every = [name for name in graph if name.startswith("unknot") and not name.endswith("__main__")]
    sources = [path for name in every if (path := graph.nodes[name]["path"]).name != "__init__.py"]
    for source in random.Random().sample(sources, 2):
        assert nearest([source], graph), source


def test_names_of_a_change_lead_to_those_who_use_it(tmp_path: Path) -> None:
    file = tmp_path / "some.py"
    file.write_text(
        "LIMIT = 3\n\ndef _inner():\n    return LIMIT\n\ndef outer():\n    return _inner()\n\ndef other(): ...\n"
    )
    assert named_by(file, [range(1, 2)]) == {"LIMIT", "_inner", "outer"}
    assert named_by(file, [range(7, 8)]) == {"outer"}


def test_a_changed_test_comes_before_tests_of_changed_sources(graph: nx.DiGraph) -> None:
    own = ROOT / "tests" / "synthesis" / "test_design.py"
    files = nearest([ROOT / "src/unknot/network/model.py", own], graph)
    assert files[0] == own
    assert len(files) > 100


def test_a_page_leads_to_the_tests_that_read_pages(graph: nx.DiGraph) -> None:
    assert ROOT / "tests" / "test_docs.py" in nearest([ROOT / "docs" / "verdicts.md"], graph)


def test_a_command_leads_to_tests_that_call_it(graph: nx.DiGraph) -> None:
    for source, test in (
        ("src/unknot/cli/commands/audit.py", "tests/fabrics/test_comparison.py"),
        ("src/unknot_papers/commands/bnr.py", "tests/papers/bnr/test_command.py"),
    ):
        assert ROOT / test in nearest([ROOT / source], graph)


def test_names_of_a_room_come_before_words_of_prose(graph: nx.DiGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many tests have `draws` and `mesh` as words of prose; files of the room are nearer."""
    for source, name, test in (
        ("src/unknot/simulation/engine/class_kernel.py", "draws", "tests/simulation/engine/test_classes.py"),
        ("src/unknot/network/tod/named_graphs.py", "mesh", "tests/network/tod/"),
    ):
        path = ROOT / source
        line = next(n for n, text in enumerate(path.read_text().splitlines(), start=1) if f"def {name}(" in text)
        monkeypatch.setattr("tests.changed.changed_lines", lambda *_, line=line: [range(line, line + 1)])
        assert str(nearest([path], graph)[0].relative_to(ROOT)).startswith(test)
