"""Members by rank, from an option or a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot._base.errors import TextError
from unknot.cli.program import app
from unknot.network import families
from unknot_collectives.commands.ranks import terminals_of


def test_a_file_names_the_terminal_of_each_rank_and_blank_lines_part_groups(tmp_path: Path) -> None:
    file = tmp_path / "ranks.txt"
    file.write_text("3 # rank 0\n(0,1)\n\n# the second group\n0\nt1\n\n")
    assert terminals_of(str(file), families.mesh(2, 2)) == [(3, 2), (0, 1)]
    assert terminals_of("1,0;3,2", families.mesh(2, 2)) == [(1, 0), (3, 2)]
    assert terminals_of(None, families.mesh(2, 2)) == [(0, 1, 2, 3)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0\n1\n  0\n", r"ranks.csv:3:3: terminal t0 has a rank already, in line 1"),
        ("0\n9\n", r"ranks.csv:2:1: .*has no terminal 9"),
        ("0,1\n", r"ranks.csv:1:1: .*no terminal called '0,1'"),
        ("# none\n\n", "there is no terminal in it"),
    ],
)
def test_what_is_no_rank_is_named_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "ranks.csv"
    file.write_text(text)
    with pytest.raises(TextError, match=words):
        terminals_of(str(file), families.mesh(2, 2))


def test_rings_keep_the_order_of_a_file_and_search_for_one_otherwise(tmp_path: Path) -> None:
    """Around a cycle, the order of the file crosses over at each step."""
    file = tmp_path / "ranks.txt"
    file.write_text("\n".join(map(str, (0, 3, 1, 4, 2, 5))))
    words = ["collective", "ring(6)", "--operation", "all_gather", "--algorithm", "ring", "--pieces", "1", "--json"]
    searched, kept = (
        json.loads(CliRunner().invoke(app, [*words, "--members", members]).stdout)["time"]
        for members in ("0,3,1,4,2,5", str(file))
    )
    assert kept > 1.5 * searched
