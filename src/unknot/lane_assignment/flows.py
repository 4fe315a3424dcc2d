"""Flows between terminals: from a file, of a relation, and relations that carry no others."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from unknot._base.calls import cell_column
from unknot._base.errors import NetworkError, TextError
from unknot._base.input import read_text
from unknot.lane_assignment.path_set import Flags, Floats
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation

UNITS = {"MB/s": 1.0, "GB/s": 1000.0, "Mb/s": 0.125, "Gb/s": 125.0}
"""Bandwidths in MB/s."""
COLUMNS = ("source", "target", "bandwidth")


def read_flows(path: str | Path, network: Network) -> Floats:
    """Read the flows between terminals from a CSV file with the columns source, target and bandwidth.

    Bandwidths are numbers (in any one unit) or have a unit: MB/s, GB/s, Mb/s or Gb/s, all then in MB/s. Without the
    column every flow is 1. Several lines for one pair add up.

    Parameters
    ----------
    path : str or Path
        The file.
    network : Network
        The network.

    Returns
    -------
    float64 array, shape (terminals, terminals)
        From each source to each destination.

    Raises
    ------
    TextError
        At its place, if something is missing, is no terminal or no bandwidth, or goes from a terminal to itself.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.network.families import ring
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "flows.csv"
    ...     with path.open("w") as file:
    ...         print("source,target,bandwidth", "0,1,2GB/s", "2,0,500MB/s", sep=chr(10), file=file)
    ...     read_flows(path, ring(3)).tolist()
    ...
    [[0.0, 2000.0, 0.0], [0.0, 0.0, 0.0], [500.0, 0.0, 0.0]]
    """
    lines = read_text(path).splitlines()
    rows = csv.reader(lines)
    heads = [head.strip() for head in next(rows, [])]
    missing = [column for column in COLUMNS[:2] if column not in heads]
    unknown = [head for head in heads if head not in COLUMNS]
    if missing or unknown:
        words = f"there is no {missing[0]!r}" if missing else f"{unknown[0]!r} is none of {', '.join(COLUMNS)}"
        place = 1 if missing else cell_column(lines[0], heads.index(unknown[0]))
        raise TextError(f"the first line names the columns; {words}", path, 1, place, lines[0] if lines else "")
    rates = np.zeros((network.num_terminals,) * 2)
    for row in rows:
        line = rows.line_num
        if not any(cell.strip() for cell in row):
            continue
        cells = dict(zip(heads, (cell.strip() for cell in row), strict=False))
        ends: list[int] = []
        try:
            for column in COLUMNS[:2]:
                ends.append(network.terminal(cells.get(column, "")))
            if ends[0] == ends[1]:
                raise NetworkError("a flow goes to another terminal")
            column = "bandwidth"
            rates[ends[0], ends[1]] += _bandwidth(cells.get(column, "1"))
        except NetworkError as error:
            place = cell_column(lines[line - 1], heads.index(column))
            raise TextError(str(error), path, line, place, lines[line - 1]) from None
    if not rates.any():
        raise TextError("there is no flow in it", path)
    return rates


def _bandwidth(text: str) -> float:
    unit = next((unit for unit in UNITS if text.endswith(unit)), "")
    try:
        rate = float(text.removesuffix(unit)) * UNITS.get(unit, 1.0)
    except ValueError:
        rate = -1.0
    if not 0 < rate < np.inf:
        raise NetworkError(
            f"{text!r} is no bandwidth: a number above 0, with {', '.join(UNITS)} or no unit, is needed"
        )
    return rate


@takes_relation
def only(relation: Relation, flows: npt.ArrayLike) -> Relation:
    """The relation when nothing else is sent: every other pair of terminals uses no address."""
    sends: Flags = np.asarray(flows) > 0
    use = sends[:, relation.destination]
    if relation.may_use is not None:
        use &= relation.may_use
    return replace(relation, addresses=replace(relation.addresses, may_use=use))


def flows_of(relation: Relation) -> Floats | None:
    """Flows of a relation that limits them; None: everyone to everyone."""
    if relation.may_use is None:
        return None
    terminals = relation.network.num_terminals
    sends = np.zeros((terminals, terminals))
    for address, destination in enumerate(relation.destination.tolist()):
        sends[relation.may_use[:, address], destination] = 1.0
    np.fill_diagonal(sends, 0.0)
    return None if sends.sum() == terminals * (terminals - 1) else sends
