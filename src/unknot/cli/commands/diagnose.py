"""`unknot diagnose`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import TextError, UnknotError
from unknot.cli.commands.answer_files import PAGE
from unknot.cli.commands.asking import taken
from unknot.cli.commands.options import Json, Options
from unknot.cli.commands.printing import wrote
from unknot.cli.commands.shared import exit_code
from unknot.cli.commands.unread import name_idle

if TYPE_CHECKING:
    from unknot.fabrics import Fabric
    from unknot.traffic.patterns import PatternLike
    from unknot.verify.fabric_routes import RoutedDiagnosis


@dataclass(frozen=True)
class DiagnoseOptions(Options):
    """The fabric, the plan of its cables, and where the answer goes.

    Attributes
    ----------
    fabric : argument FOLDER|FABRIC_FILE
        Output of ibnetdiscover, a link list, the folder of ibdiagnet.
    tables : FILE
        Forwarding tables, as dumped by OpenSM.
    intended : PLAN
        Plan of the cables: a CSV file, UFM's topoconfig, or an older description of the fabric; without it the
        structure is recognised.
    traffic : PATTERN
        Traffic between hosts on the tables: a pattern; all_reduce, all_gather, reduce_scatter or all_to_all of all
        hosts in order; or a file .csv with a row of rates for each host.
    hours
        Hours in which errors were counted.
    out : html
        .html the report, with missing cables dashed
    """

    fabric: Path
    tables: Path | None = None
    intended: Path | None = None
    traffic: str = "uniform_others"
    hours: float | None = None
    json: Json = False


def diagnose(options: DiagnoseOptions) -> int:
    """Recognise how a fabric was built, and list its faults.

    The command lists missing, swapped and slow cables, hosts in odd places, and pairs without a route, the worst
    first, each with the share of the bisection that is lost and the factor on the highest load. The intended fabric
    is recognised from the cables alone: fat trees, dragonflies, tori, meshes, hypercubes, HyperX and planes of
    these; with --intended it is that of a plan. Names of nodes are a hint for adapters of one host and for rails.
    The answer also says which routing engines are safe.

    Counters of errors come from the same folder (section PM_INFO of .db_csv).

    Exit code 0: nothing is wrong; 1: something is; 3: no structure is known and there is no plan.

    Examples
    --------
    >>> import unknot
    >>> found = unknot.diagnose("examples/fabrics/opensm-leafspine-degraded-ftree")
    >>> found.structure.words
    'fat tree of 2 levels: 12 and 6 switches from the leaves up; 1 cable a pair in one block of 12 × 6'
    >>> found.counts, found.findings[0].words
    ({'missing cable': 5}, 'a cable is missing between T0 and L5')
    """
    from unknot.cli.answers.diagnoses import DiagnoseAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.fabrics import read_fabric
    from unknot.fabrics.diagnosis import read_errors
    from unknot.fabrics.diagnosis.counters import counters_beside
    from unknot.traffic.pattern import TrafficError

    fabric = read_fabric(options.fabric, options.tables)
    counters = counters_beside(options.fabric)
    if options.hours is not None and not 0 < options.hours < math.inf:
        raise UnknotError(f"--hours is the time of the counters, above 0; got {options.hours:g}")
    errors = None if counters is None else read_errors(counters)
    name_idle(
        hours=options.hours is not None and not errors,
        traffic=options.traffic != "uniform_others" and fabric.tables is None,
    )
    rates = _rates(options.traffic)
    try:
        with activity.working("diagnosing"):
            found = diagnosed(fabric, rates, intended=options.intended, errors=errors, hours=options.hours)
    except TrafficError as error:
        raise error if rates is options.traffic else TextError(str(error), options.traffic) from None
    for page in taken(PAGE):
        from unknot.report.diagnosis_report import write_diagnosis_report

        write_diagnosis_report(fabric, found, page)
        wrote(page)
    tell(options.json, DiagnoseAnswer, found, notes=list(fabric.notes))
    return exit_code(found.holds)


def _rates(traffic: str) -> PatternLike:
    """The matrix of a file, or the text itself."""
    from unknot._base.input import read_lines
    from unknot.fabrics.format import row_of

    if not traffic.endswith(".csv"):
        return traffic
    rows = []
    for number, line in enumerate(read_lines(traffic), start=1):
        try:
            rows.append([float(cell) for cell in row_of(line)])
        except ValueError:
            raise TextError("a row of rates has numbers with commas between them", traffic, number, 1, line) from None
        if len(rows[-1]) != len(rows[0]):
            words = f"this row has {len(rows[-1])} rates, and the first has {len(rows[0])}"
            raise TextError(words, traffic, number, 1, line)
    return rows  # type: ignore[return-value]


def diagnosed(fabric: Fabric, traffic: PatternLike = "uniform_others", **options: object) -> RoutedDiagnosis:
    """Return the diagnosis of cables, hosts and routes."""
    from unknot.fabrics.diagnosis import diagnose as of_cables
    from unknot.verify.fabric_routes import with_routes

    return with_routes(fabric, of_cables(fabric, **options), traffic)  # type: ignore[arg-type]
