"""Completion as shells ask for it: names of routings, patterns, techniques, families and formats, else files."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from unknot.cli.program import command_named, questions


def completions(shell: str, line: str) -> tuple[list[str], set[str]]:
    """The words that a shell is told for an unfinished line, and the libraries that were imported for that."""
    words = (
        {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        if shell == "bash"
        else {"_TYPER_COMPLETE_ARGS": line}
    )
    looked = "atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    program = f"import atexit, sys; {looked}; sys.argv = ['unknot']; from unknot.cli.program import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"_UNKNOT_COMPLETE": f"complete_{shell}", **words},
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    told = done.stdout.split() if shell == "bash" else re.findall(r'"([^"]+)"(?::"[^"]*")?', done.stdout)
    return told, {"numba", "scipy", "pydantic", "ortools", "networkx"} & {*done.stderr.split()}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("unknot check --ev", ["--evidence"]),
        ("unknot check tor", ["torus"]),
        ("unknot simulate torus --routing dim", ["dimension_order"]),
        ("unknot curve torus --traffic tr", ["transpose"]),
        ("unknot check torus --switching wormhole-", ["wormhole-nonatomic"]),
        ("unknot audit folder --switching v", ["vct"]),
        ("unknot convert torus --to graph", ["graphml"]),
        ("unknot show file --from gar", ["garnet"]),
        ("unknot reconfigure dua", ["duato"]),
        ("unknot check examples/t", []),
    ],
)
@pytest.mark.sampled(0.5)
def test_words_are_completed(line: str, words: list[str]) -> None:
    for shell in ("bash", "zsh"):
        told, imported = completions(shell, line)
        assert told == words
        assert not imported


def test_commands_are_completed() -> None:
    assert completions("bash", "unknot che")[0] == ["check"]
    assert completions("bash", "unknot perm")[0] == ["permute"]
    assert completions("bash", "unknot permute ben")[0] == ["benes"]


def test_every_parameter_of_these_names_is_completed() -> None:
    """In every command, so that none is left out."""
    for name in questions():
        for one in command_named(name).params:
            if one.name in ("network", "traffic", "switching", "form") and not one.hidden:
                assert one._custom_shell_complete or hasattr(one.type, "choices"), (name, one.name)
