"""Routes over each channel against a walk of every pair."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.fabrics.folders import ROUTED
from tests.fabrics.texts import Layout, ibnetdiscover, lfts
from tests.verify.test_audit import layouts
from unknot.fabrics import Fabric, read_fabric
from unknot.verify.audit_merged import loads_by_level


def walked(fabric: Fabric) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The routes over each channel, those to the LIDs of a port in equal shares, pair by pair."""
    network, hosts = fabric.network, fabric.network.num_terminals
    assert fabric.tables is not None
    assert network.ports is not None
    wired = {
        (int(u), int(p)): channel
        for channel, (u, (p, _)) in enumerate(zip(network.source, network.ports, strict=True))
    }
    load, lids = np.zeros(network.num_channels), Counter(fabric.owner.tolist())
    for column, owner in enumerate(fabric.owner.tolist()):
        for source in range(hosts):
            if not 0 <= owner < hosts or owner == source:
                continue
            here, used = int(network.inject[source]), list[int]()
            while len(used) <= network.num_routers:
                port = int(fabric.tables[here, column])
                if here == network.eject[owner] and port == fabric.host_port[owner]:
                    load[used] += 1 / lids[owner]
                    break
                if (here, port) not in wired:
                    break
                used.append(wired[here, port])
                here = int(network.target[used[-1]])
    return load


def compare(fabric: Fabric) -> None:
    assert np.allclose(loads_by_level(fabric)[0], walked(fabric))


@pytest.mark.parametrize("folder", [f for f in ROUTED if "torus8x8-u" not in f.name], ids=lambda f: f.name)
def test_examples(folder: Path) -> None:
    compare(read_fabric(folder))


@given(layout=layouts())
def test_any_tables(layout: Layout) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "fabric").write_text(ibnetdiscover(layout))
        (Path(folder) / "tables").write_text(lfts(layout))
        compare(read_fabric(folder))
