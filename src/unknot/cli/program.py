"""The command line: the list of commands."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from unknot._base import memory
from unknot._base.errors import ExtensionError, bare, near, visible
from unknot._base.extensions import Catalogue, described, heading
from unknot.cli import exit_codes
from unknot.cli.commands import guard
from unknot.cli.commands.activity import signs
from unknot.cli.commands.completion import command_typed
from unknot.cli.commands.grouped import WORDS, GroupedCommand, UsageError
from unknot.cli.commands.options import Version, prepared
from unknot.cli.commands.printing import ANSWERING, give_failures, notify
from unknot.cli.commands.respelled import respelled
from unknot.cli.failure import WANTED, Failure, in_front
from unknot_start import own_signals

PANELS = {
    "Prove": (
        "check",
        "every-size",
        "reconfigure",
        "protocol",
        "accept",
        "replay",
        "analyse",
        "faults",
        "audit",
        "diagnose",
    ),
    "Repair and design": ("repair", "lanes", "design"),
    "Simulate": ("run", "simulate", "curve", "trace"),
    "Look": ("show", "compare", "line-rate"),
    "Files": ("convert", "export", "rerun", "cache"),
}
"""The commands by task; each is a function in the file of its name, with - for _, in `unknot.cli.commands`."""
SUBJECTS = {"design": ("routing", "topology")}
"""What a command of several questions is about, the old spelling's first: each is a function `COMMAND_SUBJECT`, in
the file of that name."""
HELP = {"design": "Design a routing, or a topology, with proof that nothing less will do, or how far that may be."}
"""What such a command does."""
COMMANDS = tuple(name for names in PANELS.values() for name in names)
ALL: Catalogue[Any] = Catalogue("commands", dict.fromkeys(COMMANDS))
"""The same, and the functions of extensions."""
FORMS_OF_ERRORS = ("text", "github")
ERRORS = "UNKNOT_ERRORS"
"""Environment variable of the option --errors."""
COMPLETE = "_UNKNOT_COMPLETE"
"""Environment variable by which shells ask for completions."""
HELPING = ["-h", "--help"]
"""Options that ask for help."""
WHOLE = 200
"""Characters of the line on a command, more than its first sentence has."""


class _Program(TyperGroup):
    """The commands of the core and of extensions; a command is loaded when named or listed.

    Every way to end becomes a message and an exit code.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        front, rest = in_front(args)
        rest = self.respelled(rest)
        ctx.meta[WORDS] = tuple(rest)
        ANSWERING.clear()
        WANTED.begin(rest, front[-1].removeprefix("--errors=") if front else os.environ.get(ERRORS))
        with _cleaned_usage():
            return super().parse_args(ctx, [*front, *rest] if rest else args)

    def invoke(self, ctx: Any) -> Any:
        try:
            with _cleaned_usage(), signs():
                return super().invoke(ctx)
        except (typer.Exit, typer.Abort, UsageError):
            raise
        except (Exception, KeyboardInterrupt) as error:
            raise typer.Exit(guard.code_of(error)) from None

    def list_commands(self, ctx: Any) -> list[str]:
        return [*dict.fromkeys([*super().list_commands(ctx), *ALL.extensions()])]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        known = super().get_command(ctx, cmd_name)
        return command_named(cmd_name) if known is None and cmd_name in ALL else known

    def respelled(self, words: list[str]) -> list[str]:
        """A command line whose old spelling is that of today."""

        def flags() -> set[str]:
            own = self.get_command(None, "check").params
            return {name for one in own if getattr(one, "is_flag", False) for name in one.opts}

        return respelled(words, flags)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        panels = {
            title: [(name, self.commands[name].get_short_help_str(WHOLE)) for name in names if name in self.commands]
            for title, names in PANELS.items()
        }
        for name, (point, *_) in ALL.extensions().items():
            try:
                line = (name, command_named(name).get_short_help_str(WHOLE))
                panels.setdefault(heading(point), []).append(line)
            except ExtensionError as error:
                notify(str(error))
        for title, lines in panels.items():
            with formatter.section(title):
                formatter.write_dl(lines)


class _Subjects(TyperGroup):
    """A command whose first word is its subject; without that word the first subject is meant, until 0.2."""

    def with_subject(self, name: str, args: list[str]) -> list[str]:
        """The words behind the name of this command, with the subject that old spellings leave out."""
        if not args or args[0] in (*self.commands, *HELPING):
            return args
        subject = next(iter(self.commands))
        notify(f"{name} is `unknot {name} {subject}` now; the old spelling ends with version 0.2")
        return [subject, *args]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self.with_subject(ctx.info_name, args) or HELPING[:1])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Subjects"):
            formatter.write_dl([(name, one.get_short_help_str(WHOLE)) for name, one in self.commands.items()])


@contextlib.contextmanager
def _cleaned_usage() -> Iterator[None]:
    """Messages about the command line itself repeat words of it; nothing in them may be obeyed by a terminal."""
    try:
        yield
    except UsageError as error:
        is_help = type(error).__name__ == "NoArgsIsHelpError"
        message = visible(bare(error.message), "\n" if is_help else "")
        setattr(error, "message", message)  # noqa: B010 -- declared final
        if not is_help:
            path = error.ctx.command_path if error.ctx else "unknot"
            give_failures([Failure("usage", error.format_message(), hint=f"{path} -h")])
        raise


def _known(form: str) -> str:
    if form not in FORMS_OF_ERRORS:
        raise typer.BadParameter(f"unknown form {form!r}; {near(form, FORMS_OF_ERRORS)}")
    return form


Errors = Annotated[
    str,
    typer.Option(
        metavar="|".join(FORMS_OF_ERRORS),
        envvar=ERRORS,
        callback=_known,
        help="Form of errors: sentences, or annotations of a GitHub workflow too; may stand behind the command.",
    ),
]


def _root(version: Version = False, errors: Errors = FORMS_OF_ERRORS[0]) -> None:
    """Describe, route, prove, simulate and compare interconnection networks."""


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with some of its commands."""
    program = typer.Typer(
        name="unknot",
        cls=_Program,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELPING},
    )
    program.callback()(_root)
    for name in names:
        if name in SUBJECTS:
            program.add_typer(_subjects(name), name=name)
            continue
        own = name.replace("-", "_")
        function = getattr(_module(own), own) if name in COMMANDS else ALL[name]
        program.command(name, cls=GroupedCommand)(prepared(function))
    return program


def _subjects(name: str) -> typer.Typer:
    """A command of several questions, a command each."""
    group = typer.Typer(cls=_Subjects, rich_markup_mode=None, help=HELP[name])
    group.callback()(lambda: None)
    for subject in SUBJECTS[name]:
        own = f"{name}_{subject}"
        group.command(subject, cls=GroupedCommand)(prepared(getattr(_module(own), own)))
    return group


def _module(name: str) -> Any:
    return import_module(f"unknot.cli.commands.{name}")


def questions() -> list[str]:
    """Names of all commands, of those of several questions with each subject."""
    return [f"{name} {subject}".strip() for name in ALL for subject in SUBJECTS.get(name, ("",))]


def command_named(name: str) -> Any:
    """A command that was not put into the program; its subject may stand behind its name."""
    name, _, subject = name.partition(" ")
    try:
        command: Any = typer.main.get_group(application([name])).commands[name]
        return command.commands[subject] if subject else command
    except ExtensionError:
        raise
    except Exception as error:
        (point, *_) = ALL.extensions()[name]
        raise ExtensionError(f"{described(point)} cannot be a command: {type(error).__name__}: {error}") from error


@cache
def _whole() -> typer.Typer:
    return application()


def __getattr__(name: str) -> typer.Typer:
    """`app`, the program with all commands, made when it is first asked for."""
    if name == "app":
        return _whole()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """Entry point of the command `unknot`; only the named command is loaded.

    Kernels optimised at level 1 are as fast as at Numba's level 3, and compile in two thirds of the time. A program
    that imports Unknot keeps the level that it has.
    """
    os.environ.setdefault("NUMBA_OPT", "1")
    gc.set_threshold(50_000)  # modules that are loaded are no garbage, and a command is over before much is
    own_signals()
    exit_codes.open_streams()
    completing = COMPLETE in os.environ
    first = command_typed(os.environ) if completing else "".join(in_front(sys.argv[1:])[1][:1])
    if first[:1] not in ("", "-") and not completing:
        exit_codes.watch()
    memory.enforce()
    if first in COMMANDS:
        guard.run(application([first]))
    guard.run(application(()) if first[:1] not in ("", "-") and first in ALL else _whole())
