"""`unknot compare`."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from unknot._base.progress import found, reported
from unknot.cli.commands.answer_files import PAGE
from unknot.cli.commands.asking import taken
from unknot.cli.commands.guard import keeping_the_best
from unknot.cli.commands.options import Json
from unknot.cli.commands.printing import notify, wrote
from unknot.cli.commands.shared import exit_code, kept
from unknot.cli.commands.written import draw
from unknot.cli.exit_codes import INTERRUPTED


def _latest(row: Compared) -> str:
    """Name what was found of a design; return what is counted."""
    found(_line(row))
    return "designs"


def _line(row: Compared) -> str:
    """A row in a few words."""
    failed = f", {row.failed:.3g} of the links failed" if row.failed else ""
    safe = "deadlock-free" if row.deadlock_free else "not shown to be deadlock-free"
    loads = f"uniform {row.uniform:.3g}, adversarial {row.adversarial:.3g}"
    return f"{row.design}{failed}: {safe}, {row.vcs} VCs, {loads}"


if TYPE_CHECKING:
    from unknot.report.picture import Drawing
    from unknot.studies.comparison import Compared


def _picture(rows: list[Compared]) -> Drawing:
    from unknot.report import draw_pareto

    return draw_pareto(rows)


LONG = 60
"""Seconds from which on an estimate, and each row as it comes, are printed on stderr."""


def compare(
    designs: list[str],
    failed: str = "0",
    prices: Path | None = None,
    seed: int = 1,
    simulate: bool = False,
    energy: str | None = None,
    store: Path | None = None,
    units: str | None = None,
    json: Json = False,
) -> int:
    """Compare designs: cost, bisection, throughput and its bounds, verdict, VCs.

    Exit code 1: the routing of a design can deadlock or does not deliver; 3: a verdict is undecided.

    Parameters
    ----------
    designs : argument DESIGN...
        Networks, each with its routing, as in 'torus(4, 4) by duato', or with the customary routing
        (docs/compare.md). 'hosts(1024, ports=64)' takes from each family the network with
        the fewest switches that fits.
    failed : SHARES
        Shares of failed links: '0, 0.01, 0.05'.
    prices : FILE.toml
        File of prices and of measures of the floor; docs/compare.md lists the keys.
    seed
        Seed of the failed links.
    simulate
        Run the designs flit by flit too: saturation, an all-to-all and an all-reduce, seconds to minutes each.
    energy : FILE
        With --simulate: technology file, or 45nm, with the design, as for simulate; adds energy per delivered bit.
    store
        SQLite file of finished rows, from which the same command goes on.
    out : html|svg|png|pdf
        .html the report; pictures of cost per host against the load under the worst permutation

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.compare(["torus(4, 4) by duato", "ring(8)"])
    >>> [(row.design, row.bisection_upper) for row in answer.rows]
    [('torus(4, 4) by duato', 16), ('ring(8)', 4)]
    """
    from unknot._base.errors import TextError, UnknotError
    from unknot._base.units import Scale
    from unknot.cli.answers.comparisons import CompareAnswer
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.network.floor_plan import Prices, read_prices
    from unknot.simulation.energy.option import energy_of
    from unknot.studies.comparison import compared, estimated_seconds
    from unknot.studies.fitting import expanded

    scale = Scale.of(units)
    try:
        shares = [float(part) for part in failed.split(",")]
    except ValueError:
        raise TextError(f"shares of links are numbers, as 0, 0.01, 0.05; got {failed!r}", "--failed") from None
    if energy is not None and not simulate:
        raise UnknotError("--energy is computed from runs flit by flit; add --simulate")
    costs, technology = read_prices(prices) if prices else None, energy_of(energy, "--energy")
    count = len(expanded(designs)) * len(shares)
    rows: list[Compared] = []
    seconds = estimated_seconds(designs, shares, simulated=simulate)
    if seconds > LONG:
        minutes = max(1, round(seconds / 60))
        notify(f"{count} rows take about {minutes} min of a processor; Ctrl-C shows those that are finished")
    each = compared(designs, shares, prices=costs, seed=seed, simulated=simulate, energy=technology, store=store)
    with suppress(KeyboardInterrupt), ExitStack() as first, activity.working("comparing") as progress:
        progress("designs", 0, count)
        for row in reported(each, count, progress, _latest):
            rows.append(row)
            if len(rows) == 1:
                first.enter_context(keeping_the_best())
            if seconds > LONG:
                notify(_line(row))
    if len(rows) < count:
        notify(f"interrupted; {len(rows)} of {count} rows are finished, {kept(store)}")
        if not rows:
            raise typer.Exit(INTERRUPTED)
    for page in taken(PAGE):
        from unknot.report import write_comparison_report

        write_comparison_report(rows, page)
        wrote(page)
    draw(lambda: _picture(rows))
    money = costs or Prices()
    tell(
        json, CompareAnswer, rows=rows, prices=f"{money.source}, {money.date}", scale=scale,
        units=in_units(scale.units, map(vars, rows)),
    )  # fmt: skip
    return exit_code(*(row.holds for row in rows)) if len(rows) == count else INTERRUPTED
