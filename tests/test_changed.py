"""The tests nearest to a change: by imports, mirrors first."""

from __future__ import annotations

import networkx as nx
import pytest

from tests.architecture import ROOT
from tests.changed import graph_with_tests, nearest


@pytest.fixture(scope="module")
def graph() -> nx.DiGraph:
    return graph_with_tests()


def test_the_mirror_of_a_source_comes_first(graph: nx.DiGraph) -> None:
    for source, test in (
        ("src/unknot/verify/witness.py", "tests/verify/test_witness.py"),
        ("src/unknot/verify/loads_kernel.py", "tests/verify/test_loads.py"),
        ("src/unknot/remedies/branching.py", "tests/remedies/test_branching.py"),
    ):
        if (ROOT / test).exists():
            assert nearest([ROOT / source], graph)[0].parent == (ROOT / test).parent


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
