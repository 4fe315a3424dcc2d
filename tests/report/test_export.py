"""Files that tables are not written to."""

from __future__ import annotations

from pathlib import Path

import pytest

from unknot._base.errors import RelationError
from unknot.network.families import ring
from unknot.report.export import export
from unknot.routing import shortest_paths


def test_tables_of_switches_are_refused_by_name(tmp_path: Path) -> None:
    for name in ("lanes.slvl", "lanes.SL2VL", "tables.lfts"):
        with pytest.raises(RelationError, match=r"qos_swe_sl2vl.*repair FABRIC --out"):
            export(shortest_paths(ring(5)), tmp_path / name)
        assert not (tmp_path / name).exists()
