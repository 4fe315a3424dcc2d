"""Command lines run in this process."""

from __future__ import annotations

from typer.testing import CliRunner

from unknot.cli.program import app


def run(*words: str) -> tuple[int, str]:
    """Return the exit code of a command line, and its output in one line."""
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, " ".join(result.output.split())
