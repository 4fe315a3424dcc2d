"""`unknot run`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from unknot._base.errors import UnknotError
from unknot._base.output import make_folder
from unknot.cli.commands.options import Json
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import kept_in, write_rows


def run(
    study: Path,
    overrides: list[str] | None = None,
    out: Path | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    store: Path | None = None,
    outside_files: bool = False,
    sweep: str | None = None,
    faithful: bool = False,
    csv: Path | None = None,
    parquet: Path | None = None,
    units: str | None = None,
    allow_code: bool = False,
    json: Json = False,
) -> None:
    """Prove and simulate the designs of a study file, and write a report; or run a configuration of BookSim 2.

    Finished points are kept: a study that was stopped goes on where it stood.

    Parameters
    ----------
    study : argument FILE
        A study file, or a configuration of BookSim 2.
    overrides : argument [KEY=VALUE]...
        BookSim only: take the place of what the file says.
    dask : --dask --executor local|slurm|ADDRESS
        Compute points with workers of Dask, also elsewhere.
    parquet : FILE
        Write a row for each run as Parquet.
    out : DIR
        Folder of the report, by default reports; of BookSim for curves and rows.
    jobs
        Points computed at a time; by default the cores.
    store
        SQLite file of results; by default beside the study.
    outside_files
        Let the file name others outside its folder.
    sweep : KEY=FROM:TO:STEP
        BookSim only: a curve, as injection_rate=0.02:0.4:0.02.
    faithful
        BookSim only: also do what it does where that is known to be wrong.
    allow_code
        Let the study run routings of Python files that it names.
    """
    from unknot._base.units import Scale
    from unknot.studies.booksim.parse import is_configuration

    if is_configuration(study, overrides or ()):
        from unknot.cli.commands.booksim import run_configuration

        if store is not None or dask is not None:
            raise UnknotError(f"{study}: --store and --dask are for studies, not for configurations of BookSim 2")
        points = run_configuration(
            study, overrides or [], sweep=sweep, faithful=faithful, jobs=jobs, json=json, units=units, out=out,
            outside_files=outside_files,
        )  # fmt: skip
        write_rows([row for point in points for row in point.found.rows], csv, parquet, units=Scale.of(units).units)
        return
    if overrides or sweep is not None or faithful:
        raise UnknotError(f"{study}: KEY=VALUE, --sweep and --faithful are for configurations of BookSim 2")
    from unknot.cli.answers.studies import RunAnswer, study_answer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import put
    from unknot.report import write_study_report
    from unknot.studies import load_study, run_study
    from unknot.studies.run import default_store
    from unknot.studies.workers import cluster

    scale = Scale.of(units)
    loaded = load_study(study, outside_files=outside_files, allow_code=allow_code)
    out = out or Path("reports")
    make_folder(out)
    computing = nullcontext((None, jobs)) if dask is None else cluster(dask, jobs)
    bar = activity.working(study.name)
    with kept_in(store or default_store(study)), bar as progress, computing as (executor, jobs):
        result = run_study(loaded, executor=executor, jobs=jobs, store=store, progress=progress, note=notify)
    report = out / f"{study.stem}.html"
    write_study_report(result, report, units=scale.units)
    if csv or parquet:
        write_rows(result.rows, csv, parquet, units=scale.units)
    put(json, RunAnswer, study_answer(result, str(report), scale.units), scale)
