"""`unknot compare`."""

from __future__ import annotations

from pathlib import Path

from unknot.cli.commands.options import PAGE, Json
from unknot.cli.commands.printing import notify, wrote
from unknot.cli.commands.shared import exit_code, kept, kept_in

LONG = 60
"""Seconds from which on an estimate is printed."""


def compare(
    designs: list[str],
    failed: str = "0",
    prices: Path | None = None,
    seed: int = 1,
    simulate: bool = False,
    store: Path | None = None,
    out: Path | None = None,
    json: Json = False,
) -> int:
    """Compare designs: cost, bisection, throughput and its bounds, verdict, VCs.

    Exit code 1: the routing of a design can deadlock or does not deliver; 3: a verdict is undecided.

    Parameters
    ----------
    designs : argument DESIGN...
        Networks, each with its routing if needed: 'torus(4, 4) by duato'; by default the customary one
        (docs/compare.md).
    failed : SHARES
        Shares of failed links: '0, 0.01, 0.05'.
    prices : FILE.toml
        File of prices and of measures of the floor; docs/compare.md lists the keys.
    seed
        Seed of the failed links.
    simulate
        Run the designs flit by flit too: saturation, an all-to-all and an all-reduce, seconds to minutes each.
    store
        SQLite file of finished rows, from which the same command goes on.
    out : FILE.html
        File of the report.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.compare(["torus(4, 4) by duato", "ring(8)"])
    >>> [(row.design, row.bisection_upper) for row in answer.rows]
    [('torus(4, 4) by duato', 16), ('ring(8)', 4)]
    """
    from unknot._base.errors import TextError, UnknotError
    from unknot.cli.answers.comparisons import CompareAnswer
    from unknot.cli.commands.display import tell
    from unknot.network.floor_plan import read_prices
    from unknot.studies.comparison import compared, estimated_seconds

    if out is not None and out.suffix.lower() != PAGE:
        raise UnknotError(f"--out {out}: the report is written as {PAGE}")
    try:
        shares = [float(part) for part in failed.split(",")]
    except ValueError:
        raise TextError(f"shares of links are numbers, as 0, 0.01, 0.05; got {failed!r}", "--failed") from None
    costs = read_prices(prices) if prices else None
    if simulate and (seconds := estimated_seconds(designs, shares)) > LONG:
        notify(
            f"this takes about {max(1, round(seconds / 60))} minutes of a processor; finished rows are {kept(store)}"
        )
    with kept_in(store):
        rows = list(compared(designs, shares, prices=costs, seed=seed, simulated=simulate, store=store))
    if out is not None:
        from unknot.report import write_comparison_report

        write_comparison_report(rows, out)
        wrote(out)
    tell(json, CompareAnswer, rows=rows)
    return exit_code(*(row.holds for row in rows))
