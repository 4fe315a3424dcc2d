"""`unknot rerun`."""

from __future__ import annotations

import contextlib
import io
import json as json_text
import shlex
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from unknot._base import manifest
from unknot._base.errors import UnknotError, visible
from unknot._base.input import read_bytes
from unknot._base.output import captured
from unknot.cli.commands.grouped import UsageError
from unknot.cli.commands.options import Json
from unknot.cli.commands.printing import notify
from unknot.cli.exit_codes import FAILS, HOLDS

if TYPE_CHECKING:
    from unknot._base.manifest import Manifest, Running

NOT_AGAIN = ("rerun", "cache")
"""Commands without an outcome of their own."""
MOST = 20
"""Differences that are shown."""
TIMES = ("seconds", "ns_per_flit_hop")
"""Keys of the JSON of commands for how long they took."""


def rerun(
    context: typer.Context,
    file: Path,
    allow_code: bool = False,
    json: Json = False,
) -> int:
    """Run the command that made a file again, and compare the outcomes.

    The manifest of the file has the command line. The command runs in the present folder and writes no file; the
    comparison leaves out times. --max-memory limits the rerun.

    Exit code 0: the outcomes are equal; 1: the outcomes differ; 2: the file has no manifest, or the command cannot
    run.

    Parameters
    ----------
    file : argument FILE
        File written by a command of Unknot, or its JSON.
    allow_code
        Allow Python files to run, and work on other machines.
    """
    from unknot.cli.answers.networks import RerunAnswer
    from unknot.cli.commands.display import tell

    recorded, content = _read(file)
    command = _command(context, recorded, file)
    if not allow_code:
        _require_harmless(command, file)
    notify(f"running: unknot {visible(shlex.join(recorded.command))}")
    running = manifest.Running(recorded.command, recorded.seed, recorded)
    printed = io.StringIO()
    with captured() as files, manifest.running(running), contextlib.redirect_stdout(printed):
        try:
            TyperCommand.invoke(command.command, command)
        except typer.Exit as ended:
            notify(f"it ended with exit code {ended.exit_code}")
    if recorded.output == manifest.STDOUT:
        every = _in_answers(_document(content), _document(printed.getvalue()))
    else:
        every = _in_files(file, content, recorded.output, files)
    differences = list(islice(every, MOST))
    changes = list(_changes(recorded, running))
    keys: dict[str, Any] = {"same": not differences, "differences": differences, "changes": changes}
    tell(json, RerunAnswer, recorded, file=str(file), **keys)
    return FAILS if differences else HOLDS


def _read(file: Path) -> tuple[Manifest, bytes]:
    """The manifest of a file, which may stand beside it, and the bytes of the file."""
    from unknot.cli.answers.filling import read_form
    from unknot.cli.answers.networks import ManifestForm

    file = Path(str(file).removesuffix(manifest.SIDE))
    content = read_bytes(file, growth=60)
    side = Path(f"{file}{manifest.SIDE}")
    text = manifest.manifest_in(read_bytes(side, manifest.MOST) if side.is_file() else content)
    if text is None:
        raise UnknotError(f"{file}: it has no manifest, so nobody knows the command; older files have none")
    form = read_form(ManifestForm, text, f"{file}: its manifest is damaged, or of a newer version")
    return manifest.Manifest(**{**dict(form), "command": tuple(form.command)}), content


def _command(context: typer.Context, recorded: Manifest, file: Path) -> Any:
    """The command of a manifest, its words parsed and nothing run; a limit of memory is left out."""
    words = list(recorded.command[2 * recorded.command[:1].count("--max-memory") :])  # older ones have it in front
    group: Any = context.find_root().command
    words = group.respelled(words)
    said = shlex.join(words)
    command: Any = group.get_command(context, words[0]) if words and words[0] not in NOT_AGAIN else None
    if hasattr(command, "with_subject"):  # each subject is a command with options of its own
        words = command.with_subject(words[0], words[1:])
        command = command.get_command(context, words[0]) if words else None
    if command is None:
        raise UnknotError(f"{file}: there is no command {' '.join(words[:1])!r} that could be run again")
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # of --help
            made = command.make_context(words[0], words[1:], parent=context)
    except (UsageError, typer.Exit) as error:
        raise UnknotError(f"{file}: unknot {said}: {getattr(error, 'message', 'no outcome')}") from None
    made.params["max_memory"] = None
    return made


def _require_harmless(command: Any, file: Path) -> None:
    """Refuse commands that run code of a user, locally or elsewhere, because the author of the file
    would control it.
    """
    code = [str(word) for word in _words(list(command.params.values())) if ".py:" in str(word)]
    code += [f"--{name.replace('_', '-')}" for name in ("allow_code", "dask") if command.params.get(name)]
    if code:
        raise UnknotError(f"{file}: its command runs code ({code[0]}); look at it, and allow it with --allow-code")


def _words(answer: Any) -> Iterator[Any]:
    if isinstance(answer, (list, tuple)):
        for part in answer:
            yield from _words(part)
    else:
        yield answer


def _document(text: str | bytes) -> Any:
    """What is read of JSON; the text itself, if it is none."""
    try:
        return json_text.loads(text)
    except ValueError:
        return str(text)


def _in_files(file: Path, content: bytes, output: str, files: dict[str, bytes]) -> Iterator[str]:
    """Differences of a file, or of all files of a folder, from those that were captured."""
    if output in files:
        yield from _in_bytes(file, content, files[output])
        return
    inside = {name: Path(name).relative_to(output) for name in files if Path(name).is_relative_to(output)}
    for name, place in inside.items():
        there = file.parent / place
        yield from _in_bytes(there, read_bytes(there) if there.is_file() else b"", files[name])
    if not inside:
        yield f"{output} was not written this time"


def _in_bytes(file: Path, before: bytes, now: bytes) -> Iterator[str]:
    """Where bytes differ first, and what stands there; answers in JSON but for times."""
    one, other = (_document(part.decode(errors="replace")) for part in (before, now))
    if before != now and file.suffix == ".json" and isinstance(one, dict) and isinstance(other, dict):
        yield from _in_answers(one, other)
    elif before != now:
        ends = min(len(before), len(now))
        at = next((i for i in range(ends) if before[i] != now[i]), ends)
        one, other = (visible(part[max(0, at - 20) :][:80].decode(errors="replace")) for part in (before, now))
        line = before.count(b"\n", 0, at) + 1
        yield f"{file}: line {line}, byte {at + 1}: {one or 'nothing'}; now {other or 'nothing'}"


def _in_answers(before: Any, now: Any) -> Iterator[str]:
    """Differences of two answers, but for times and manifests."""
    from unknot.cli.answers.filling import differences

    for place, one, other in differences(before, now):
        if place.rpartition(".")[2] not in TIMES and place.partition(".")[0] != "manifest":
            yield f"{place or 'the answer'}: {json_text.dumps(one):.200}; now {json_text.dumps(other):.200}"


def _changes(recorded: Manifest, running: Running) -> Iterator[str]:
    """What a manifest says of the code and the networks that is not so now."""
    from unknot.cli.answers.filling import differences

    what = ("unknot", "commit", "code", "libraries", "networks")
    before, now = ({name: getattr(one, name) for name in what} for one in (recorded, running.manifest()))
    for place, one, other in differences(before, now):
        yield f"{place}: {one}; now {other}"
