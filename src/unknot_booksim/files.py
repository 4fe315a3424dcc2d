"""Configurations of BookSim where a network, or a routing, is named: `unknot check mesh.cfg`."""

from __future__ import annotations

import functools
import re
import warnings
from pathlib import Path

from unknot._base.errors import RelationError
from unknot.fabrics.format import Format
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot_booksim.setup import Setup, read_setup

_SIGN = re.compile(r"^\s*topology\s*=[^;]*;", re.MULTILINE)


def network_of(path: Path) -> Network:
    """Read the network of a configuration; a warning names what was read otherwise.

    Raises
    ------
    UnknotError
        With the place of what cannot be read, or the key whose value is not built.
    """
    setup = _setup(path)
    for warning in setup.warnings:
        warnings.warn(f"{path}: {warning}", stacklevel=2)
    return setup.relation.network


def relation_of(network: Network, path: Path) -> Relation:
    """Read the routing of a configuration for its own network.

    Raises
    ------
    RelationError
        For another network, and for subnets that route differently.
    """
    setup = _setup(path)
    if len(setup.proved) > 1:
        raise RelationError(f"{path}: its subnets have routings of their own; `unknot run {path}` proves each")
    if network != setup.relation.network:
        raise RelationError(
            f"{path} routes the network that it describes itself, not {network.name}; give {path} as the network"
        )
    return setup.relation


def defaults_of(path: Path) -> dict[str, str]:
    """Return the options of commands whose values a configuration tells, by the names of their parameters."""
    options = _setup(path).options
    return {
        "routing": str(path) if path.suffix else f"{FORMAT.name}:{path}",
        "switching": str(options["switching"]),
        "buffer_depth": str(options["buffer_depth"]),
    }


def _setup(path: Path) -> Setup:
    # A command reads a file as network, as routing and for its defaults; a file that changes is read anew.
    return _read(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=2)
def _read(path: Path, _changed: int) -> Setup:
    return read_setup(path)


FORMAT = Format("cfg", "a configuration of BookSim 2", (".cfg", ".icnt"), network_of, sign=_SIGN.search)
