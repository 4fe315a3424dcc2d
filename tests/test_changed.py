"""The tests nearest to a change: by imports, mirrors first."""

from __future__ import annotations

from tests.architecture import ROOT
from tests.changed import graph_with_tests, nearest

GRAPH = graph_with_tests()


def test_the_mirror_of_a_source_comes_first() -> None:
    for source, test in (
        ("src/unknot/verify/witness.py", "tests/verify/test_witness.py"),
        ("src/unknot/verify/loads_kernel.py", "tests/verify/test_loads.py"),
        ("src/unknot/repair/branching.py", "tests/repair/test_branching.py"),
    ):
        if (ROOT / test).exists():
            assert nearest([ROOT / source], GRAPH)[0].parent == (ROOT / test).parent


def test_a_changed_test_comes_before_tests_of_changed_sources() -> None:
    own = ROOT / "tests" / "design" / "test_design.py"
    files = nearest([ROOT / "src/unknot/network/model.py", own], GRAPH)
    assert files[0] == own
    assert len(files) > 100


def test_a_page_leads_to_the_tests_that_read_pages() -> None:
    assert ROOT / "tests" / "test_docs.py" in nearest([ROOT / "docs" / "verdicts.md"], GRAPH)
