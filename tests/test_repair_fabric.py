"""``unknot repair FABRIC --out DIR``: what is written is safe when it is read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fabrics.test_levels import written
from tests.fabrics.texts import ring
from tests.test_cli import refused, unknot_says
from unknot.fabrics import read_fabric
from unknot.verify.audit import audit


def test_a_ring_that_can_deadlock_is_repaired(tmp_path: Path) -> None:
    folder = written(tmp_path / "ring", ring(6))
    assert audit(read_fabric(folder)).deadlock_free is False
    out = tmp_path / "out"
    result = unknot_says("repair", str(folder), "--out", str(out), "--time-limit", "5")
    assert result.exit_code == 0
    page = (out / "README.md").read_text()
    assert "The loop: S0 → S1 → S2 → S3 → S4 → S5 → S0." in page
    for kind in ("same-routes", "new-tables", "up-down"):
        made = out / kind
        several = (made / "paths.psl").exists()
        assert several is (kind != "up-down")
        found = audit(
            read_fabric(
                folder / "fabric.ibnetdiscover",
                made / "tables.lfts",
                levels=made / "paths.psl" if several else None,
                lanes=made / "lanes.slvl" if several else None,
            )
        )
        assert (found.holds, found.lanes > 1) == (True, several)
        assert f"-U {kind}/tables.lfts" in page
    assert read_fabric(folder).tables is not None
    same = read_fabric(folder / "fabric.ibnetdiscover", out / "same-routes" / "tables.lfts")
    assert (same.tables == read_fabric(folder).tables).all()  # type: ignore[union-attr]


@pytest.mark.parametrize("more", [["--routing", "lash"]])
def test_files_are_of_fabrics_alone(more: list[str], tmp_path: Path) -> None:
    assert "a picture is written as .svg or .png" in refused(
        "repair", str(written(tmp_path / "ring", ring(3))), "--out", str(tmp_path / "out"), *more
    )
