"""Old spellings of questions that are commands of their own now, as words of these."""

from __future__ import annotations

from collections.abc import Callable, Collection

from unknot.cli.commands.printing import notify

COMMANDS = {"--all-sizes": "every-size FAMILY", "--to": "reconfigure OLD NEW", "--protocol": "protocol PROTOCOL"}
"""The command and its subject in place of an option of `check`, until version 0.2."""


def respelled(words: list[str], flags: Callable[[], Collection[str]]) -> list[str]:
    """Return the words of the command that answers a question of `check`; other words as they are.

    Parameters
    ----------
    words : list of str
        A command line, the name of its command first.
    flags : callable
        Tells the options of `check` without a value, behind which NETWORK may stand.

    Examples
    --------
    >>> respelled(["check", "ring(4)", "--routing", "duato", "--to=up_down"], lambda: ["--json"])
    ['reconfigure', 'duato', 'up_down', '--network', 'ring(4)']
    """
    rest = words[1:]
    old = next((one for one in COMMANDS if any(word.partition("=")[0] == one for word in rest)), None)
    if words[:1] != ["check"] or old is None:
        return words
    command = COMMANDS[old].split()[0]
    notify(f"check {old} is `unknot {COMMANDS[old]}` now; the old spelling ends with version 0.2")
    if old == "--all-sizes":
        return [command, *(word for word in rest if word != old)]
    subjects = [*(_taken(rest, "--routing") if old == "--to" else ()), *_taken(rest, old)]
    valued = {at + 1 for at, word in enumerate(rest) if word[:1] == "-" and "=" not in word and word not in flags()}
    network = [at for at, word in enumerate(rest) if word[:1] != "-" and at not in valued][:1]
    return [command, *subjects, *(word for at in network for word in ("--network", rest.pop(at))), *rest]


def _taken(words: list[str], option: str) -> list[str]:
    """Take an option and its value out of some words, and return the value."""
    for at, word in enumerate(words):
        if word.partition("=")[0] == option:
            own = words[at : at + 1 + (word == option)]
            del words[at : at + len(own)]
            return own[1:] or [word.partition("=")[2]]
    return []
