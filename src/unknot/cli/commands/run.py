"""`unknot run`: a study, or a file of another kind that an extension runs."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from unknot._base.errors import UnknotError
from unknot._base.extensions import Catalogue
from unknot._base.output import require_place
from unknot.cli.commands.answer_files import PAGE
from unknot.cli.commands.asking import FOLDER, taken
from unknot.cli.commands.options import Json, MostTime, Options
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import kept_in
from unknot.cli.commands.unread import name_idle


@dataclass(frozen=True)
class RunOptions(Options):
    """All options of `unknot run`, for files of all kinds.

    Attributes
    ----------
    study : argument FILE
        Study file, or a file of another kind.
    dask : --dask --executor local|slurm|ADDRESS
        Dask scheduler whose workers compute the runs.
    out : html|svg|png|pdf|DIR
        .html the report, or a folder for it, by default reports; pictures of a sweep of loads
    csv : hidden FILE
        Rows.
    parquet : hidden FILE
        Rows.
    jobs
        Number of runs at a time; by default the number of cores.
    store
        SQLite file of results; by default beside the study.
    outside_files
        Allow files outside the folder of the study.
    allow_code
        Allow routings from Python files of the study.
    """

    study: Path
    jobs: int | None = None
    dask: str | None = None
    store: Path | None = None
    outside_files: bool = False
    units: str | None = None
    allow_code: bool = False
    deadline: MostTime = None
    json: Json = False


class FileOptions(Options, ABC):
    """Options of `unknot run` for files of another kind, and what runs these files."""

    kind: ClassVar[str]
    """Such a file in words, as ``a configuration of BookSim 2``."""
    spoken: ClassVar[str]
    """The options in words; all have defaults, and none may be given with a file of another kind."""

    @abstractmethod
    def takes(self, file: Path) -> bool:
        """Whether a file is of this kind."""

    @abstractmethod
    def run(self, options: RunOptions) -> int | None:
        """Run a file, and print the answer; return the exit code."""


@dataclass(frozen=True)
class CheckOptions(FileOptions):
    """Options for files of checks.

    Attributes
    ----------
    changed : FILE
        File that changed; the command then makes only checks that read a changed file.
    sarif : FILE
        Write the findings as SARIF 2.1.0.
    """

    heading = "Options for files of checks"
    kind = "a file of checks"
    spoken = "--changed and --sarif"

    changed: list[Path] | None = None
    sarif: Path | None = None

    def takes(self, file: Path) -> bool:
        """Whether a file has a table [[check]]."""
        from unknot.cli.commands.checks import is_checks

        return is_checks(file)

    def run(self, options: RunOptions) -> int:
        """Decide the checks; return the exit code."""
        from unknot.cli.commands.checks import run_checks

        return run_checks(options, self)


KINDS: Catalogue[type[FileOptions]] = Catalogue("runs", {"checks": CheckOptions}, of=type)
"""Kinds of files beside studies, those of extensions among them."""


def kind_of_run(file: Path) -> FileOptions | None:
    """What runs a file that is no study; None where nothing does."""
    return next((options for _, make in KINDS.usable() if (options := make()).takes(file)), None)


def run(options: RunOptions, **others: FileOptions) -> int | None:
    """Prove and simulate the designs of a study file, and write a report; or run a file of another kind.

    The command keeps finished runs, so a stopped study goes on when the command is repeated.
    """
    study, store = options.study, options.store
    for other in others.values():
        if other.takes(study):
            return other.run(options)
        if other != type(other)():
            raise UnknotError(f"{study}: {other.spoken} are for {other.kind}")
    from unknot._base.units import Scale
    from unknot.cli.answers.networks import in_units
    from unknot.cli.answers.studies import RunAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.report import write_study_report
    from unknot.studies import load_study, run_study
    from unknot.studies.run import default_store
    from unknot.studies.workers import cluster

    scale = Scale.of(options.units)
    loaded = load_study(study, outside_files=options.outside_files, allow_code=options.allow_code)
    page = f"{study.stem}.html"
    reports = [*taken(PAGE), *(folder / page for folder in taken(FOLDER))] or [Path("reports", page)]
    for report in reports:
        require_place(report, makes_folders=True)
    computing = nullcontext((None, options.jobs)) if options.dask is None else cluster(options.dask, options.jobs)
    bar = activity.working(study.name)
    with kept_in(store or default_store(study)), bar as progress, computing as (executor, jobs):
        outcome = run_study(loaded, executor=executor, jobs=jobs, store=store, progress=progress, note=notify)
    for report in reports:
        write_study_report(outcome, report, units=scale.units)
    real = in_units(scale.units, outcome.rows) if scale.units else None  # there may be 100,000 rows
    tell(options.json, RunAnswer, outcome, scale=scale, report=str(reports[0]), units=real)
    if options.allow_code:
        name_needless("allow_code", partial(load_study, study, outside_files=options.outside_files))
    if options.outside_files:
        name_needless("outside_files", partial(load_study, study, allow_code=options.allow_code))
    return None


def name_needless(permission: str, read: Callable[[], object]) -> None:
    """Name a permission as an option without effect, if a file can be read without it."""
    with suppress(UnknotError):
        read()
        name_idle(**{permission: True})


_OTHERS = dict(KINDS.usable())
_OWN, _ = inspect.signature(run, eval_str=True).parameters.values()
_SIGNATURE = inspect.Signature([_OWN] + [_OWN.replace(name=name, annotation=kind) for name, kind in _OTHERS.items()])
run.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
for _part in (run, RunOptions) if _OTHERS else ():
    _words = " or ".join(kind.kind for kind in _OTHERS.values())
    _part.__doc__ = str(_part.__doc__).replace("a file of another kind", _words)
