"""DOT: what is written, and that it is not read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from unknot._base.errors import TextError
from unknot.fabrics import read_network
from unknot.fabrics.graph_files import write_dot
from unknot.network import from_edges
from unknot.network.families import ring


def test_how_it_looks(tmp_path: Path) -> None:
    write_dot(from_edges([("a", "b", 2), ('"', "\\")], name='say "hi"'), tmp_path / "n.dot")
    assert (tmp_path / "n.dot").read_text().splitlines() == [
        'digraph "say \\"hi\\"" {',
        '  0 [label="a"];',
        '  1 [label="b"];',
        '  2 [label="\\""];',
        '  3 [label="\\\\"];',
        "  0 -> 1 [latency=2];",
        "  1 -> 0 [latency=2];",
        "  2 -> 3 [latency=1];",
        "  3 -> 2 [latency=1];",
        "}",
    ]


def test_it_is_not_read(tmp_path: Path) -> None:
    write_dot(ring(4), tmp_path / "n.dot")
    with pytest.raises(TextError, match=r"n\.dot: DOT is written, not read; NetworkX reads it"):
        read_network(tmp_path / "n.dot")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it(tmp_path: Path) -> None:
    write_dot(ring(4), tmp_path / "n.dot")
    drawn = subprocess.run(["dot", "-Tplain", tmp_path / "n.dot"], capture_output=True, text=True, check=True)
    assert sum(line.startswith("edge ") for line in drawn.stdout.splitlines()) == 8
