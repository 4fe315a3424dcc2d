"""`unknot compare`."""

from __future__ import annotations

from pathlib import Path

import typer

from unknot.cli.commands.options import Json
from unknot.cli.commands.shared import exit_code


def compare(
    designs: list[str],
    failed: str = "0",
    prices: Path | None = None,
    seed: int = 1,
    simulate: bool = False,
    json: Json = False,
) -> None:
    """Compare designs: cost, bisection, throughput and its bounds, verdict, VCs.

    Exit code 1: the routing of one can deadlock or does not deliver; 3: one is undecided.

    Parameters
    ----------
    designs : argument DESIGN...
        Networks, each with its routing if wanted: 'torus(4, 4) by duato'; else by hop_number.
    failed : SHARES
        Shares of links that have failed: '0, 0.01, 0.05'.
    prices : FILE.toml
        Prices and measures of the floor; docs/compare.md has the keys.
    seed
        Draws the failed links.
    simulate
        Run them flit by flit too: saturation, an all-to-all and an all-reduce. It takes seconds to minutes each.
    """
    from unknot._base.errors import TextError
    from unknot.cli.answers.studies import CompareAnswer
    from unknot.cli.commands.display import tell
    from unknot.network.floor_plan import read_prices
    from unknot.studies.comparison import compared

    try:
        shares = [float(part) for part in failed.split(",")]
    except ValueError:
        raise TextError(f"shares of links are numbers, as 0, 0.01, 0.05; got {failed!r}", "--failed") from None
    rows = list(
        compared(designs, shares, prices=read_prices(prices) if prices else None, seed=seed, simulated=simulate)
    )
    tell(json, CompareAnswer, rows=rows)
    raise typer.Exit(exit_code(*(holds for row in rows for holds in (row.deadlock_free, row.delivered))))
