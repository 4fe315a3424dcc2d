"""Command lines run in this process."""

from __future__ import annotations

from typer.testing import CliRunner

from unknot.cli.program import app


def run(*words: str) -> tuple[int, str]:
    """Return the exit code of a command line, and its output in one line."""
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, " ".join(done.output.split())
