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
