"""Routes of the real OpenSM on a network of the workbench, by `ibsim`: with Debian's packages, installs nothing."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tests.fabric_loop.fabrics import BY, Case
from tests.fabric_loop.simulated import dumped
from tests.fabric_loop.simulated import missing as missing

from unknot._base.errors import UnknotError
from unknot.fabrics import Fabric
from unknot.fabrics.reading import read_fabric
from unknot.network import Network


def routed(built: Network, engine: str, *words: str) -> Fabric | str:
    """The fabric as an engine routes it, or why there is none: the network is no fabric, or another engine routed."""
    with tempfile.TemporaryDirectory() as scratch:
        net, folder = Path(scratch) / "ibsim.net", Path(scratch) / "fabric"
        folder.mkdir()
        plain = Network(
            built.name, built.num_routers, built.source, built.target, inject=built.inject, eject=built.eject
        )
        case = Case(built.name, plain, words)
        try:
            case.write(net)
        except UnknotError:
            return "one-way"
        host = next(line.split('"')[1] for line in net.read_text().splitlines() if line.startswith("Hca"))
        options = ["-R", engine, "-Q", *words] if engine == "nue" else case.options(engine, folder)
        try:
            ran, _ = dumped(net, folder, *options, host=host, by=BY)
        except RuntimeError:
            return "does not come up"
        return read_fabric(folder) if ran == engine else f"gives up ({ran})"


def lanes_of(fabric: Fabric) -> int:
    """Number of service levels that the engine uses."""
    return 1 if fabric.levels is None else int(fabric.levels.max()) + 1


def flows_of(fabric: Fabric, flows: np.ndarray) -> np.ndarray:
    """Flows between the terminals of a network, in the order of those of the fabric that was written from it."""
    order = [int(re.findall(r"\d+", name)[-1]) for name in _terminals(fabric)]
    return flows[np.ix_(order, order)]


def _terminals(fabric: Fabric) -> Iterator[str]:
    return (fabric.network.terminal_name(terminal) for terminal in range(fabric.network.num_terminals))
