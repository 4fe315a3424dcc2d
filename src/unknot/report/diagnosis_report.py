"""Reports of diagnoses, and drawings of fabrics with missing cables dashed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from unknot._base.arrays import ranks
from unknot._base.phrases import count
from unknot.fabrics import Fabric
from unknot.fabrics.diagnosis import Diagnosis
from unknot.fabrics.rates import counted
from unknot.network import Network
from unknot.network.parts import Wires
from unknot.network.recognised import Structure
from unknot.report import shapes
from unknot.report.picture import Drawing
from unknot.report.rendering import page, write
from unknot.report.sheet import PALE, Sheet

MISSING, WRONG = "#c0172b", "#e69f00"
DASHES = (5.0, 4.0)
MOST_DRAWN = 400
"""Most switches of a fabric that is drawn."""


def write_diagnosis_report(fabric: Fabric, diagnosis: Diagnosis, path: str | Path) -> None:
    """Write the report of a diagnosis as one HTML file that needs nothing else.

    Parameters
    ----------
    fabric : Fabric
    diagnosis : Diagnosis
        Of this fabric.
    path : path
        The file; its folder is made.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from unknot.fabrics import read_fabric
    >>> from unknot.fabrics.diagnosis import diagnose
    >>> fabric = read_fabric("examples/fabrics/opensm-leafspine-degraded-ftree")
    >>> path = Path(mkdtemp()) / "diagnosis.html"
    >>> write_diagnosis_report(fabric, diagnose(fabric), path)
    >>> "stroke-dasharray" in path.read_text(encoding="utf-8")
    True
    """
    text = page(
        "diagnosis.html",
        title=f"Diagnosis of {fabric.name}",
        lead=_lead(diagnosis),
        fabric=fabric,
        rates=counted(fabric.rates),
        **diagnosis_values(fabric, diagnosis),
    )
    write(text, path)


def diagnosis_values(fabric: Fabric, diagnosis: Diagnosis | None) -> dict[str, Any]:
    """Return what the part of a page about a diagnosis uses."""
    if diagnosis is None or fabric.network.num_routers > MOST_DRAWN:
        return {"diagnosis": diagnosis, "diagnosis_drawing": ""}
    return {"diagnosis": diagnosis, "diagnosis_drawing": Markup(draw_diagnosis(fabric.network, diagnosis))}


def _lead(diagnosis: Diagnosis) -> str:
    if diagnosis.findings:
        return ", ".join(f"{kind}: {number:,}" for kind, number in diagnosis.counts.items()).capitalize() + "."
    if diagnosis.holds:
        return "Nothing is wrong with the cables."
    return "No structure is known, so missing cables are not told; give a plan with --intended."


def draw_diagnosis(network: Network, diagnosis: Diagnosis) -> Drawing:
    """Draw a fabric as it is, with missing cables dashed and wrong ones in orange.

    Parameters
    ----------
    network : Network
        The fabric as it is.
    diagnosis : Diagnosis
    """
    placed = Sheet.of(_with_places(diagnosis.intended, diagnosis.structure))
    there, meant = _cables(network), _cables(diagnosis.intended)
    missing, wrong = [*(meant - there).elements()], [*(there - meant).elements()]
    rows = [*(there & meant).elements(), *missing, *wrong]
    ends = np.array(rows, dtype=np.int32).reshape(-1, 3)
    drawn = replace(placed.network, source=ends[:, 0], target=ends[:, 1], wires=Wires())
    sheet = replace(placed, network=drawn)
    first = len(rows) - len(missing) - len(wrong)
    kinds = [
        (PALE, (), range(first)),
        (MISSING, DASHES, range(first, first + len(missing))),
        (WRONG, (), range(first + len(missing), len(rows))),
    ]
    lines, _ = shapes.drawn_links(sheet, kinds)
    title = f"{network.name}: {count(len(missing), 'missing cable')}, {count(len(wrong), 'wrong cable')}"
    return shapes.svg(
        sheet.width, sheet.height, title, [lines, *shapes.routers(sheet, {*range(drawn.num_routers)}, faint=False)]
    )


def _cables(network: Network) -> Counter[tuple[int, int, int]]:
    """Cables by routers, the lower first, and rate in percent of the usual."""
    rows = zip(network.source.tolist(), network.target.tolist(), network.bandwidth.tolist(), strict=True)
    return Counter((u, v, round(100 * rate)) for u, v, rate in rows if u < v)


def _with_places(network: Network, structure: Structure) -> Network:
    """The network with coordinates by which its structure is drawn."""
    if structure.coordinates is not None:
        at = structure.coordinates.astype(np.int32)
        return replace(
            network, places=replace(network.places, coordinates=at, radices=structure.radices, dimensions=())
        )
    level, group = structure.level, structure.group
    if structure.kind == "fat tree" and level is not None and level.min() >= 0:
        columns = {"level": level, "switch": ranks(level)}
    elif structure.kind == "dragonfly+" and level is not None and group is not None:
        columns = {"group": group, "level": level, "switch": ranks(2 * group + level)}
    elif structure.kind == "dragonfly" and group is not None:
        columns = {"group": group, "router": ranks(group)}
    else:
        return network
    at = np.stack([*columns.values()], axis=1).astype(np.int32)
    radices = tuple((at.max(axis=0) + 1).tolist())
    places = replace(network.places, coordinates=at, radices=radices, dimensions=tuple(columns))
    return replace(network, places=places)
