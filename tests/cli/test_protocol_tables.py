"""`unknot protocol` and `simulate` with state tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app

EXAMPLES = Path(__file__).parents[2] / "examples"


def told(*words: str) -> tuple[int, str]:
    """Exit code and output of a command."""
    answer = CliRunner().invoke(app, list(words))
    return answer.exit_code, " ".join((answer.output).split())


@pytest.mark.parametrize("text", ["", 'name = "nothing"\n'])
def test_a_file_without_classes_or_kinds_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "empty.toml"
    file.write_text(text)
    code, output = told("protocol", str(file))
    assert code == 2
    assert "neither message classes" in output


def test_evidence_that_takes_more_effort_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["protocol", str(EXAMPLES / "hangs/mi-saves.toml"), "--evidence", str(tmp_path / "proof.json")]
    assert "`unknot accept` checks it" in told(*words)[1]
    monkeypatch.setattr("unknot.certificates.plain.reading.ALLOWANCE", 1)
    assert "`unknot accept --effort 10` checks it, or needs a greater effort" in told(*words)[1]


def test_a_table_on_a_network_is_replayed(tmp_path: Path) -> None:
    where = ("--network", "mesh(3, 3)", "--routing", "dimension_order")
    proof = tmp_path / "proof.json"
    code, output = told("protocol", str(EXAMPLES / "hangs/mi-stalls.toml"), *where, "--evidence", str(proof))
    assert code == 1
    assert "nothing moves in 1,000 cycles after the run" in output
    claim = f"controllers('{EXAMPLES}/hangs/mi-stalls.toml', answer=False, carried=True)"
    assert told("accept", str(proof), *where, "--claim", claim)[0] == 0
    code, output = told("protocol", str(EXAMPLES / "hangs/mi-saves.toml"), *where, "--evidence", str(proof))
    assert code == 0
    assert "replayed" not in output
    claim = f"controllers('{EXAMPLES}/hangs/mi-saves.toml', carried=True)"
    assert told("accept", str(proof), *where, "--claim", claim)[0] == 0
    assert told("accept", str(proof), *where, "--claim", claim.replace(", carried=True", ""))[0] == 1


def test_the_simulator_replays_tables_and_draws_no_load() -> None:
    words = ["simulate", "mesh(3, 3)", "--routing", "dimension_order", "--protocol"]
    table = str(EXAMPLES / "hangs/mi-stalls.toml")
    assert "nothing moves in 1,000 cycles" in told(*words, table)[1]
    code, output = told(*words, table, "--load", "0.1")
    assert code == 2
    assert "state tables are replayed" in output


def test_cores_that_are_idle(tmp_path: Path) -> None:
    file = tmp_path / "dma.toml"
    text = (EXAMPLES / "hangs/mi-saves.toml").read_text()
    file.write_text(text + '\n[dma]\nstart = "I"\ncore = ["read"]\nI = { read = "send GetM to directory" }\n')
    assert told("protocol", str(file))[0] == 3
    assert told("protocol", str(file), "--idle", "dma")[0] == 0
    code, output = told("protocol", str(file), "--idle", "directory")
    assert code == 2
    assert "'directory' has no core; known: cache, dma" in output


def test_limits_are_asked_for_beside_rooms() -> None:
    code, output = told("protocol", str(EXAMPLES / "hangs/mi-saves.toml"), "--entries", "2")
    assert code == 2
    assert "give --rooms too" in output
