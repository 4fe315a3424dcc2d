"""JSON that switches printed: the files of each in a folder, and errors that name a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError
from unknot._base.input import read_json, read_text, read_values
from unknot._base.packed import inside

COMMANDS = {
    "route.json": "`vtysh -c 'show ip route vrf all json'`",
    "route6.json": "`vtysh -c 'show ipv6 route vrf all json'`",
    "lldp.json": "`lldpcli -f json show neighbors`",
    "config_db.json": "/etc/sonic/config_db.json",
    "mux.json": "`show muxcable status --json`",
    "nvue.json": "`nv config show -o json`",
    "port_channels.json": "`show port-channel | json`",
    "bgp.json": "`vtysh -c 'show bgp summary json'`",
    "bgp_neighbors.json": "`vtysh -c 'show bgp neighbors json'`",
}
"""Kinds of files of JSON, and where their contents come from."""
CONFIGURATIONS = ("frr.conf", "bgpd.conf")
"""Kinds of files that hold a configuration of FRR."""
KINDS = (*COMMANDS, *CONFIGURATIONS)
ROUTES = KINDS[:2]


@dataclass(frozen=True)
class Document:
    """A JSON file while it is read."""

    path: Path
    content: Any

    @classmethod
    def read(cls, path: Path, *, several: bool = False) -> Document:
        """Read a JSON file, or the list of `several` values one after the other.

        Raises
        ------
        TextError
            With the command that prints such a file, if unreadable or malformed.
        """
        try:
            return cls(path, read_values(path) if several else read_json(path))
        except TextError as error:
            command = next((command for kind, command in COMMANDS.items() if path.name.endswith(kind)), "SONiC")
            message = f"{error.message}; the JSON of {command} belongs here"
            raise TextError(message, error.where, error.line, error.column, error.text) from None

    def error(self, message: str, *keys: object) -> TextError:
        """Make an error at the line of nested keys, as deep as the keys exist."""
        text, place = read_text(self.path), 0
        for key in keys:
            place = max(place, text.find(json.dumps(str(key), ensure_ascii=False), place))
        line = text.count("\n", 0, place) + 1
        return TextError(message, self.path, line, text=text.split("\n")[line - 1])

    def table(self, content: Any, *keys: object) -> dict[str, Any]:
        """The object at these keys; TextError if there is something else."""
        if not isinstance(content, dict):
            where = " / ".join(map(str, keys)) or "this file"
            raise self.error(f"{where}: an object {{…}} is needed, not {json.dumps(content)[:40]}", *keys)
        return content

    def rows(self, content: Any, *keys: object) -> list[dict[str, Any]]:
        """The list of objects at these keys; TextError if there is something else."""
        if not isinstance(content, list):
            where = " / ".join(map(str, keys)) or "this file"
            raise self.error(f"{where}: a list […] is needed, not {json.dumps(content)[:40]}", *keys)
        return [self.table(row, *keys) for row in content]


def files_of(folder: Path) -> dict[str, dict[str, Path]]:
    """Files by switch and kind: ``SWITCH/route.json`` or ``SWITCH.route.json``; a name before the kind is free.

    Raises
    ------
    TextError
        If the folder cannot be read, one of them is no file, or two files are the same of one switch.
    """
    files: dict[str, dict[str, Path]] = {}
    parts = inside(folder)
    for path in [*parts, *(file for part in parts if part.is_dir() for file in inside(part))]:
        for kind in KINDS:
            if path.name == kind and path.parent != folder:
                switch = path.parent.name
            elif path.name.endswith(f".{kind}") and path.parent == folder:
                switch = path.name.removesuffix(f".{kind}")
            else:
                continue
            if not path.is_file():
                raise TextError("this is no file, but a folder, a pipe or a link that leads nowhere", path)
            if kind in files.setdefault(switch, {}):
                raise TextError(f"{kind} of {switch} is in {files[switch][kind]} already", path)
            files[switch][kind] = path
    return files
