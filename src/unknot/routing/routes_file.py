"""Relations read from files of routes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.arrays import row_of
from unknot._base.errors import NetworkError, RelationError, UnknotError, shown
from unknot._base.input import read_json
from unknot.network import Network
from unknot.routing.own import OTHER_TABLES, ROUTING_FILES, reader_of
from unknot.routing.parts import Addressing
from unknot.routing.path_lists import ENDING, read_paths
from unknot.routing.relation import EJECT, VC_MASK, Candidate, Relation
from unknot.routing.table import Table, encode, lookup
from unknot.routing.virtual_channels import VirtualChannels


def read_routes(network: Network, path: str | Path) -> Relation:
    """Read the routes that `unknot.report.export` wrote as JSON, or a plain list of paths.

    Raises
    ------
    RelationError
        If the file is of another form or for another network, naming what this one has not, or its routes break the
        contract of relations; TextError if it cannot be read or is not JSON.
    """
    if Path(path).suffix.lower() == ENDING:
        return read_paths(network, path)
    kind, named = reader_of(str(path))
    if kind in ROUTING_FILES:
        return ROUTING_FILES[kind](network, Path(named))
    if Path(path).suffix.lower() in OTHER_TABLES:
        raise RelationError(f"{path}: this form of tables lacks addresses and cannot be read; write routes as .json")
    content = read_json(path, growth=100)
    try:
        return _RoutesFile(network, Path(path).name, content).relation()
    except UnknotError as error:
        raise RelationError(f"{path}: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        what = f"{shown(error.args[0])} is missing" if isinstance(error, KeyError) else str(error)
        if isinstance(content, dict) and "conclusion" in content:
            what = "this is an answer as --out writes; --export writes its routes"
        raise RelationError(
            f"{path}: these are no routes as `unknot export`, `lanes --export` and `repair --export` write: {what}"
        ) from None


@dataclass(frozen=True)
class _RoutesFile:
    """A file of routes and the network they are for."""

    network: Network
    file: str
    content: Any

    def relation(self) -> Relation:
        network, content = self.network, self.content
        counts, tables, addresses = content["vcs"], content["routers"], content["addresses"]
        if len(counts) != network.num_channels:
            raise self._other(f"it has {network.num_channels} channels, and they are for {len(counts)}")
        vcs = VirtualChannels(network, np.array(counts, dtype=np.int64))
        channels = _numbers(map(network.channel_name, range(network.num_channels)))
        terminals = _numbers(map(network.terminal_name, range(network.num_terminals)))

        def place(kind: str, names: dict[str, int], name: str) -> int:
            if name not in names:
                raise self._other(f"there is no {kind} {shown(name)}")
            return names[name]

        def vc(entry: Any, channel: str) -> int:
            number, index = place("channel", channels, channel), entry["vc"]
            if not 0 <= index < counts[number]:
                raise self._other(f"{channel} has no VC {shown(index)}")
            return int(vcs.first[number]) + int(index)

        answers: list[dict[int, list[int]]] = [{} for _ in addresses]
        for entry in (entry for table in tables for entry in table["entries"]):
            at = (
                vcs.total + place("terminal", terminals, entry["terminal"])
                if entry["input"] == "inject"
                else vc(entry, entry["input"])
            )
            values = [
                encode(
                    Candidate(
                        None if each["output"] == "eject" else vc(each, each["output"]),
                        each.get("tier", 0),
                        each.get("waits", True),
                    )
                )
                for each in entry["candidates"]
            ]
            if not 0 <= entry["address"] < len(addresses):
                raise ValueError(f"an entry has address {shown(entry['address'])} of {len(addresses)}")
            if answers[entry["address"]].setdefault(at, values) is not values:
                raise ValueError(f"address {entry['address']} has two entries at {vcs.name(at)}")
        uses = [each["sources"] for each in addresses]
        may_use = np.ones((network.num_terminals, len(addresses)), dtype=bool)
        for address, sources in enumerate(uses):
            if sources is not None:
                may_use[:, address] = False
                may_use[[place("terminal", terminals, name) for name in sources], address] = True
        relation = Relation(
            network,
            vcs,
            lookup(Table.of(answers)),
            name=f"{content['routing']} of {self.file}",
            commits=bool(content.get("commits", False)),
            addresses=Addressing(
                destination=np.array(
                    [place("terminal", terminals, each["destination"]) for each in addresses], np.int32
                ),
                may_use=None if all(sources is None for sources in uses) else may_use,
                address_labels=tuple(str(each["name"]) for each in addresses),
            ),
        )
        _check(relation)
        return relation

    def _other(self, what: str) -> RelationError:
        meant = self.content.get("network")
        return RelationError(f"its routes, which are for {meant}, do not fit {self.network.name}: {what}")


def _numbers(names: Iterable[str]) -> dict[str, int]:
    """Numbers of names.

    Raises
    ------
    NetworkError
        If two are the same.
    """
    number_of: dict[str, int] = {}
    for number, name in enumerate(names):
        if number_of.setdefault(name, number) != number:
            raise NetworkError(
                f"two channels or terminals are called {name!r}, so that no routes can be read by name"
            )
    return number_of


def _check(relation: Relation) -> None:
    """Refuse candidates that do not leave their router, and ejection elsewhere than at home, by the first state."""
    table, vcs, network = relation.rule.table, relation.vcs, relation.network  # type: ignore[attr-defined]
    state = row_of(table.start)
    address = row_of(table.first)
    router, taken = vcs.router[table.input_vc[state]], table.value & VC_MASK
    ejects = taken == EJECT
    leaves = network.source[vcs.channel[np.where(ejects, 0, taken)]] if vcs.total else router
    home = network.eject[relation.destination[address[state]]]
    for wrong in state[np.where(ejects, home, leaves) != router][:1].tolist():
        relation.candidates(int(table.input_vc[wrong]), int(address[wrong]))
