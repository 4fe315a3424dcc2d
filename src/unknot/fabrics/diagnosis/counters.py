"""Errors of cables, by the counters of ports that ibdiagnet keeps in `.db_csv` (section ``PM_INFO``)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from unknot._base.input import read_lines
from unknot._base.packed import entries, is_folder
from unknot.fabrics.fabric import Fabric, FabricCable
from unknot.fabrics.format import integer, row_of

_COUNTED = re.compile(
    r"^(SymbolErrorCounter|LinkErrorRecoveryCounter|LinkDownedCounter|PortRcvErrors|LocalLinkIntegrityErrors)"
    r"(?:Ext|Extended)?$"
)
"""Counters of errors on the wire; congestion and discarded packets are none."""
_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,16}|[0-9]{1,19}")
Port = tuple[int, int]
"""Node GUID and number of a port."""


def counters_beside(path: Path) -> Path | None:
    """Return the file with counters of ports, in a folder or that file itself."""
    files = entries(path)[0] if is_folder(path) else [path]
    return next((file for file in files if file.name.endswith((".db_csv", ".db_csv.gz"))), None)


def read_errors(path: Path) -> Counter[Port]:
    r"""Return the errors of each port; nothing where the file has no counters.

    Parameters
    ----------
    path : Path
        A file ``.db_csv`` of ibdiagnet.

    Returns
    -------
    Counter
        By node GUID and number of a port; of counters in two widths the greater counts.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "ibdiagnet2.db_csv"
    ...     _ = file.write_text("START_PM_INFO\nNodeGUID,PortNumber,PortRcvErrors\n0x7,3,12\nEND_PM_INFO\n")
    ...     read_errors(file)
    ...
    Counter({(7, 3): 12})
    """
    errors: Counter[Port] = Counter()
    names: list[str] = []
    inside = False
    for line in read_lines(path):
        if line.startswith(("START_", "END_")):
            inside, names = line.strip() == "START_PM_INFO", []
        elif inside and not names:
            names = row_of(line)
        elif inside and len(cells := row_of(line)) == len(names):
            row = dict(zip(names, cells, strict=True))
            guid, port = (row.get(name, "") for name in ("NodeGUID", "PortNumber"))
            if not (_NUMBER.fullmatch(guid) and _NUMBER.fullmatch(port)):
                continue
            counted: dict[str, int] = {}
            for name, cell in row.items():
                if (match := _COUNTED.match(name)) and _NUMBER.fullmatch(cell):
                    counted[match[1]] = max(counted.get(match[1], 0), integer(cell))
            errors[integer(guid), integer(port)] += sum(counted.values())
    return errors


def errors_of_cables(fabric: Fabric, errors: Counter[Port]) -> Iterator[tuple[FabricCable, int]]:
    """Yield the cables with errors at their ends, and how many; of a host those of all its ports count."""
    of_node: Counter[int] = Counter()
    for (guid, _), count in errors.items():
        of_node[guid] += count
    for cable in fabric.cables:
        first, second = fabric.plugs(cable, fabric.node_guid)
        count = errors[second] + (errors[first] if cable.terminal < 0 else of_node[first[0]])
        if count:
            yield cable, count
