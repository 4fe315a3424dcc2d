"""Entry point of the command `unknot`: signals have an owner before the rest is imported."""

from __future__ import annotations

from unknot.cli import exit_codes


def main() -> None:
    """Run the command line; see `unknot.cli.program.main`."""
    exit_codes.own_signals()
    from unknot.cli.program import main as program

    program()
