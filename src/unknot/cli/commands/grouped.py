"""A command line of one command: its help in groups, and nothing on it without effect."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from unknot._base.extensions import Catalogue
from unknot._base.manifest import Running, running
from unknot.cli.commands.options import Options
from unknot.cli.commands.printing import notify
from unknot.cli.commands.unread import naming_unread

UsageError: Any = typer.BadParameter.__base__
"""The error of command lines: of click, or of the copy of it in newer versions of typer."""
DEFAULTS: Catalogue[Callable[[Path], dict[str, str]]] = Catalogue("defaults", {})
"""What tells options of a command by the name of their parameter, by the ending, without its dot, of a NETWORK."""
WORDS = "unknot.words"
"""Key of the words of the command line, as they were typed, in what contexts share."""


class GroupedCommand(TyperCommand):
    """A command whose help lists options by group, in the order of its parameters; its outcomes have manifests."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option given twice, because only its last value would count."""
        order: list[Any] = []
        with suppress(UsageError):  # said by the parsing below
            found, _, order = self.make_parser(ctx).parse_args(args=list(args))
            args = [*args, *self._told_by(found)]
        once = [one for one in order if one.param_type_name == "option" and not one.multiple]
        for one in once:
            if once.count(one) > 1 and (not one.is_flag or one.secondary_opts):
                name = " and ".join((*one.opts, *one.secondary_opts))
                ctx.fail(f"{name} is given more than once, and only the last would count; leave one out")
        return super().parse_args(ctx, args)

    def _told_by(self, found: dict[str, Any]) -> list[str]:
        """Options that the file of the network tells, where they are not on the command line."""
        file = Path(str(found.get("network") or ""))
        if not file.is_file():
            return []
        from unknot.fabrics.formats import kind_of

        tell = DEFAULTS.get(file.suffix.lower()[1:] or kind_of(file) or "")
        if tell is None:
            return []
        options = [one for one in self.params if one.param_type_name == "option"]
        # Where no routing is needed, a command asks another question without one.
        own = {one.name: one.opts[-1] for one in options if one.required or one.name != "routing"}
        told = {own[name]: value for name, value in tell(file).items() if name in own and not found.get(name)}
        if told:
            notify(f"{file} tells {' '.join(f'{option} {value}' for option, value in told.items())}")
        return [word for option in told.items() for word in option]

    def invoke(self, ctx: Any) -> Any:
        running_now = Running(ctx.meta.get(WORDS, (ctx.info_name,)), ctx.params.get("seed"))
        with running(running_now), naming_unread(self._given(ctx)):
            return super().invoke(ctx)

    def _given(self, ctx: Any) -> dict[str, str]:
        """Options of the command line that are fields of records, as they are spoken."""
        fields = getattr(self.callback, "fields", ())
        return {
            one.name: one.opts[0]
            for one in self.params
            if one.name is not None
            and one.name in fields
            and one.param_type_name == "option"
            and ctx.get_parameter_source(one.name).name == "COMMANDLINE"
        }

    def format_options(self, ctx: Any, formatter: Any) -> None:
        heading_of = getattr(self.callback, "heading_of", {})
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                named = heading_of.get(parameter.name, Options.heading)
                groups.setdefault("Arguments" if parameter.param_type_name == "argument" else named, []).append(
                    record
                )
        for group, records in groups.items():
            if not records:
                continue
            with formatter.section(group):
                formatter.write_dl(records)
