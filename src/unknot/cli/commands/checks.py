"""`unknot run` for a file of checks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.deadline import MINUTE, Deadline
from unknot._base.errors import UnknotError
from unknot.cli.commands.answer_files import KINDS, PAGE
from unknot.cli.commands.asking import FOLDER, PICTURES, named
from unknot.cli.commands.printing import notify, wrote
from unknot.cli.commands.shared import exit_code
from unknot.cli.failure import WANTED, annotation

if TYPE_CHECKING:
    from unknot.cli.commands.run import CheckOptions, RunOptions

_CHECK = re.compile(r"^\s*\[\[\s*check\s*\]\]", re.MULTILINE)


def is_checks(file: Path) -> bool:
    """Whether a file has a table [[check]]."""
    from unknot._base.input import read_text

    try:
        return file.suffix == ".toml" and file.is_file() and bool(_CHECK.search(read_text(file)))
    except UnknotError:
        return False


def run_checks(options: RunOptions, own: CheckOptions) -> int:
    """Decide the checks of a file, annotate the findings, and print all answers; return the exit code."""
    from unknot.cli.answers.studies import RunChecksAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.report.sarif import write_sarif
    from unknot.studies.checks import load_checks

    needless = [option for option in ("store", "dask", "jobs", "units") if getattr(options, option) is not None]
    if needless:
        raise UnknotError(f"{options.study}: --{needless[0]} is for studies, not for {own.kind}; leave it out")
    for file in named(PAGE, FOLDER, *PICTURES):
        raise UnknotError(f"{file}: reports and pictures are of studies; checks are written as {', '.join(KINDS)}")
    every = load_checks(options.study, outside_files=options.outside_files, allow_code=options.allow_code)
    chosen = every if own.changed is None else every.touched(own.changed)
    answered = []
    for check in chosen.checks:
        with activity.working(check.routing):
            deadline = options.deadline or Deadline.after(MINUTE, "--time-limit", UnknotError)
            answered.append(chosen.answered(check, deadline))
    for check in answered if WANTED.github.is_set() else ():
        if check.message:
            is_open = check.as_expected is None
            notify(annotation(check.message, check.file, check.line, level="warning" if is_open else "error"))
    if own.sarif is not None:
        write_sarif(answered, own.sarif)
        wrote(own.sarif)
    left_out = len(every.checks) - len(answered)
    tell(options.json, RunChecksAnswer, file=str(options.study), left_out=left_out, checks=answered)
    return exit_code(*(check.as_expected for check in answered))
