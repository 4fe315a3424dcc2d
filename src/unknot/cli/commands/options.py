"""Arguments and options that several commands share.

Those that need no more than words are described here; a command has the parameter, and may describe it otherwise.
Behind the colon stands the metavar, ``argument`` in front of that of an argument, or names of an option that are not
that of the parameter; ``hidden`` keeps an old option out of the help.

Parameters
----------
routing : NAME
    Routing, with options if needed; lanes; FILE.json; FILE.py:FUNCTION.
vcs
    Number of virtual channels per channel.
switching
    Switching technique.
flows : FILE.csv
    Flows to serve alone: columns source, target and bandwidth.
buffer_depth
    Flits per virtual channel.
router
    Options of the router: 'routing_delay=0, allocator=islip, iterations=2'.
traffic
    Pattern: uniform, transpose, tornado, 'hotspot(3, share=0.1)' and others.
packet_length
    Flits of a packet, or shares of several lengths: '1:0.5, 5:0.5'.
bursts
    Chances in a cycle that a burst begins, and that a burst ends: '0.01, 0.1'.
warmup
    Cycles before measuring; by default until the network is in balance.
measure
    Cycles in which packets are measured.
precision
    Half-width of the confidence interval at which measuring ends, as a share of the mean latency, such as 0.02.
energy : FILE
    Technology file, or 45nm, with the design: '45nm, flit_width=128, clock=1, pitch=1.5, terminal_length=0.5'; adds
    power, area and energy per delivered bit.
units
    Clock and width of a flit, as '2 GHz, 16 B': adds ns and GB/s.
both_ways : --both-ways/--one-way
    Same lane for both directions of a pair, so that replies may take the lane of the request; the default for fabrics
    with given tables or paths.
evidence : FILE.json
    File of the evidence, for `unknot accept`.
out
    File of the answer, repeatable. The ending tells the kind: .json what --json prints, .csv and .parquet its rows
csv : hidden FILE
    The same as --out FILE.csv.
parquet : hidden FILE
    The same as --out FILE.parquet.
form : --from FORMAT
    Format of the input file; see docs/formats.md.
max_memory : SIZE
    Most memory, such as 16G; by default half of the available memory, at most 4G.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, get_origin, get_type_hints

import typer

from unknot._base.deadline import MINUTE as SECONDS
from unknot._base.deadline import Deadline
from unknot._base.docstrings import entries, section
from unknot._base.errors import UnknotError
from unknot._base.memory import memory_limit
from unknot._base.outcomes import files_in, require_apart, together
from unknot._base.progress import activity
from unknot._base.switching import Switching
from unknot._base.work import counting_work
from unknot.cli.commands import guard
from unknot.cli.commands.asking import answering
from unknot.cli.commands.completion import NETWORKS, completed
from unknot.cli.commands.file_options import OLD_TABLES, WRITTEN, check_of, files_of_answer, paths
from unknot.cli.commands.flows import one_technique
from unknot.cli.commands.printing import notify
from unknot.cli.commands.unread import Recorded

NetworkText = Annotated[
    str,
    typer.Argument(
        metavar="NETWORK",
        help="Network: a text such as 'torus(8, 8)' or 'ring(8) ** 2', or a file.",
        autocompletion=NETWORKS,
    ),
]
LIMIT = "Seconds of processor time for the command; questions undecided in time stay open, with exit code 3."
TimeLimit = Deadline
MostTime = Deadline | None
"""The limit as seconds on the command line, and as a deadline that has begun for the command: see `prepared`."""


MINUTE: Any = SECONDS
"""The limit of commands that search, unless another is given: of work, so that the answer and its exit code are those
on an idle machine. It becomes a deadline, see `prepared`."""
Seeds = Annotated[
    int | None, typer.Option(help="Number of replications (seeds SEED, SEED+1, …); reports the mean.", min=1)
]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers; the default is equal in all commands.", min=0)]
SEED = 1
"""The seed of all commands unless another is given."""
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else.")]


class Options(Recorded):
    """A group of options: a frozen dataclass whose fields are options, as parameters of a command are.

    Attributes of its docstring describe them. A group may join others, its bases; options of the last come first.
    """

    heading: ClassVar[str] = "Options"
    """The heading of the group in the help."""

    def some(self, *names: str) -> dict[str, Any]:
        """Some of the options by name."""
        return {name: getattr(self, name) for name in names}


def refuse_beside(option: str, reason: str, **others: object) -> None:
    """Refuse the first of other options that is there, by the name of its parameter."""
    for name, setting in others.items():
        if setting not in (None, False):
            raise UnknotError(f"{option}: --{name.replace('_', '-')} {reason}; leave it out")


_NETWORKS = {"network", "source", "fabric"}
"""Parameters that may name a file of a network."""


def _described(name: str, kind: str, words: str) -> Any:
    """An argument or option as typer takes it; a file is none that is a folder."""
    names = [word for word in kind.split() if word.startswith(("--", "argument"))]
    metavar = kind.removeprefix(" ".join(names)).strip()
    hidden = metavar.split()[:1] == ["hidden"]
    metavar = metavar.removeprefix("hidden").strip()
    if names == ["argument"]:
        return typer.Argument(metavar=metavar or None, help=words, autocompletion=completed(name, metavar))
    return typer.Option(
        *(names or [f"--{name.replace('_', '-')}"]),
        metavar=metavar or None,
        help=words,
        dir_okay=not metavar.startswith("FILE") or "DIR" in metavar,
        callback=check_of(name, metavar),
        hidden=hidden,
        autocompletion=completed(name, metavar),
    )


class _Found(NamedTuple):
    """Options of a command: its own and those of its records, and what its docstrings say of each."""

    parameters: dict[str, inspect.Parameter]
    groups: dict[str, tuple[type[Options], list[str]]]
    headings: dict[str, str]
    words: dict[str, tuple[str, str]]


def _options_of(command: Callable[..., int | None]) -> _Found:
    """Find the options of a command."""
    found = _Found({}, {}, {}, entries(inspect.getdoc(command) or ""))
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        record = parameter.annotation
        if not isinstance(record, type) or not issubclass(record, Options):
            found.parameters[name] = parameter
            continue
        kinds = get_type_hints(record, include_extras=True)  # each base is read in its own file
        plain = inspect.signature(record).parameters
        fields = {name: field.replace(annotation=kinds[name]) for name, field in plain.items()}
        found.groups[name] = (record, list(fields))
        found.parameters.update(fields)
        parts: list[Any] = [*record.__mro__[: record.__mro__.index(Options)]]
        for part in reversed(parts):
            found.words.update(entries(inspect.getdoc(part) or ""))
            found.headings.update(dict.fromkeys(inspect.get_annotations(part), part.heading))
    return found


def prepared(command: Callable[..., int | None]) -> Callable[..., None]:
    """A command as the program takes it.

    Parameters that docstrings describe are options and arguments, and so are the fields of `Options`. With
    ``--from FORMAT`` a network becomes ``FORMAT:NETWORK``. Every command ends within its ``--time-limit``. Where none
    is given, all limits count work. The number that a command returns is its exit code.
    """
    doc = inspect.getdoc(command) or ""
    found, shared = _options_of(command), entries(__doc__)
    parameters, groups, headings, words = found.parameters, found.groups, found.headings, found.words
    for name, parameter in [*parameters.items()]:
        if parameter.annotation is Switching:
            parameters[name] = parameter.replace(annotation=one_technique(words.pop(name, shared["switching"])[-1]))
    exports = words.get("export", ("", ""))[0]
    endings = _add_files(parameters, headings, words, shared) if "json" in parameters else ()
    plain = {name for name, one in parameters.items() if get_origin(one.annotation) is not Annotated}
    for name, described in {**{name: shared[name] for name in shared if name in plain}, **words}.items():
        option: Any = Annotated[parameters[name].annotation, _described(name, *described)]
        parameters[name] = parameters[name].replace(annotation=option)
    own, networks = parameters.get("deadline"), _NETWORKS & set(parameters)
    spoken = {name: _spoken(name, parameter) for name, parameter in parameters.items()}
    written = sorted(name for name in parameters if name in WRITTEN or name == "target")

    @functools.wraps(command)
    def run(
        *, time_limit: float | None = None, form: str | None = None, max_memory: str | None = None, **options: Any
    ) -> None:
        seconds = own.default if own is not None and time_limit is None else time_limit
        with memory_limit(max_memory), counting_work() if time_limit is None else nullcontext():
            deadline = None if seconds is None else Deadline.after(seconds, "--time-limit", UnknotError)
            if deadline is not None and time_limit is not None:
                guard.end_in_time(deadline)
            if own is not None:
                options["deadline"] = deadline
            if form is not None:
                from unknot.fabrics.formats import format_named

                format_named(form)
                for name in networks:
                    if options[name] is not None:
                        options[name] = type(options[name])(f"{form}:{options[name]}")
            outcomes = [(spoken[name], path) for name in written for path in paths(options[name])]
            texts = {spoken[name]: value for name, value in options.items() if name in spoken and name not in written}
            require_apart(outcomes, files_in(texts) if outcomes else ())
            answer_files = files_of_answer(options, endings, exports) if endings else []
            for name, (record, fields) in groups.items():
                options[name] = record(**{field: options.pop(field) for field in fields})
            with together() as files, answering(answer_files) as kept, activity():
                try:
                    code = command(**options)
                except (typer.Exit, BrokenPipeError, SystemExit):  # also if nobody reads what is printed
                    files.place()
                    raise
                for file in kept.files:
                    notify(f"{file} was not written: there is no answer")
                files.place()
            if code is not None:
                raise typer.Exit(code)

    seconds: Any = True
    if own is not None and own.default is not None:
        seconds = f"none; about {own.default:g} s of work, whatever the machine"
    limit: Any = Annotated[float | None, typer.Option("--time-limit", help=LIMIT, show_default=seconds)]
    for name in ("form", "max_memory") if networks else ("max_memory",):
        option = Annotated[str | None, _described(name, *shared[name])]
        parameters[name] = inspect.Parameter(name, _KEYWORD, default=None, annotation=option)
    parameters["deadline"] = inspect.Parameter("time_limit", _KEYWORD, default=None, annotation=limit)
    every = [parameter.replace(kind=_KEYWORD) for parameter in parameters.values()]
    run.fields = {field for _, fields in groups.values() for field in fields} - {"deadline", "seed"}  # type: ignore[attr-defined]
    run.heading_of = headings | {"time_limit": headings.get("deadline", Options.heading)}  # type: ignore[attr-defined]
    run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    run.__doc__ = section(doc)
    return run


_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def _add_files(
    parameters: dict[str, inspect.Parameter],
    headings: dict[str, str],
    words: dict[str, tuple[str, str]],
    shared: dict[str, tuple[str, str]],
) -> tuple[str, ...]:
    """Add the options for files of the answer in front of ``--json``; return the endings of these files."""
    from unknot.cli.commands.answer_files import endings_of, metavar_of

    metavar, own = words.pop("out", ("", ""))
    endings = endings_of(metavar)
    text = f"{shared['out'][1]}{'; ' * bool(own)}{own.rstrip('.')}."
    option = typer.Option("--out", metavar=metavar_of(endings), help=text)
    added = {"out": inspect.Parameter("out", _KEYWORD, default=None, annotation=Annotated[list[Path] | None, option])}
    for name in OLD_TABLES:
        if words.pop(name, None) is None:
            continue
        kind: Any = Annotated[Path | None, _described(name, *shared[name])]
        added[name] = inspect.Parameter(name, _KEYWORD, default=None, annotation=kind)
    headings |= dict.fromkeys(added, headings.get("json", Options.heading))
    last = {name: parameters.pop(name) for name in [*parameters][[*parameters].index("json") :]}
    parameters |= added | last
    return endings


def _spoken(name: str, parameter: inspect.Parameter) -> str:
    """The name of an option or argument as help shows it."""
    marks = getattr(parameter.annotation, "__metadata__", ())
    argument = any(isinstance(mark, typer.models.ArgumentInfo) for mark in marks)
    return name.upper() if argument else f"--{name.replace('_', '-')}"


def _version(flag: bool) -> None:
    if flag:
        from unknot._base.version import __version__

        print(f"unknot {__version__}")
        raise typer.Exit()


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")]
