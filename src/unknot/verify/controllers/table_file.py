"""State tables in TOML or CSV files, with every problem shown where it stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unknot._base.errors import near, shown
from unknot._base.toml_places import (
    NUMBER,
    TEXT,
    TRUTH,
    KeyPath,
    Reader,
    Toml,
    list_of,
    read_toml,
    table_of,
    typed,
)
from unknot.verify.controllers.cells import Answer, Assign, Kind, Send, TableCell
from unknot.verify.controllers.expressions import Sort, TableError, parsed
from unknot.verify.controllers.steps import Controllers
from unknot.verify.controllers.table import StateTable
from unknot.verify.controllers.table_csv import TableSheet

NAMES = list_of(TEXT)
TOP: dict[str, Reader] = {
    "name": TEXT,
    "nodes": NAMES,
    "numbers": NAMES,
    "ordered": NAMES,
    "networks": table_of(NAMES),
    "rooms": table_of(NUMBER),
    "limits": table_of(NUMBER),
}
ANSWERS: dict[str, Answer] = {"stall": "stall", "set aside": "set aside"}


def load_table(path: str | Path) -> StateTable:
    """Read a state table from a file in TOML, or from a spreadsheet in CSV.

    Parameters
    ----------
    path : str or Path
        The file; a name that ends in `.csv` is of a spreadsheet.

    Returns
    -------
    StateTable
        The table.

    Raises
    ------
    TextError
        With file, line, column and the line itself.

    Examples
    --------
    >>> load_table("examples/hangs/mi-stalls.toml").messages
    ('Data', 'Fwd', 'GetM')
    >>> load_table("examples/controllers/mi.csv").messages
    ('Data', 'Fwd', 'GetM')
    """
    form = TableSheet if Path(path).suffix == ".csv" else Toml
    return table_of_toml(read_toml(path, "a state table", form))


def read_table(text: str, where: str | Path = "<table>") -> StateTable:
    """Read a state table from a text in TOML.

    Parameters
    ----------
    text : str
        TOML.
    where : str or Path
        Name of the text in messages.

    Returns
    -------
    StateTable
        The table.

    Raises
    ------
    TextError
        With line, column and the line itself.

    Examples
    --------
    >>> text = '''
    ... [cache]
    ... many = true
    ... core = ["load"]
    ... start = "I"
    ... [cache.I]
    ... load = "send Get to home; become W"
    ... [cache.W]
    ... Data = "become I"
    ... [home]
    ... start = "H"
    ... [home.H]
    ... Get = "send Data to requestor"
    ... '''
    >>> read_table(text).kinds[1].rules[0].does[0].message
    'Data'
    """
    return table_of_toml(Toml(text, where))


def is_table(document: dict[str, Any]) -> bool:
    """Whether a TOML document has kinds of nodes with states."""
    return any(isinstance(one, dict) and "start" in one for one in document.values())


def table_of_toml(toml: Toml) -> StateTable:
    """Read a state table from a document."""
    with toml:
        document = toml.document
        top = {key: TOP[key](one, (key,)) for key, one in document.items() if key in TOP}
        kinds = tuple(_kind(name, one) for name, one in document.items() if name not in TOP)
        networks = {m: name for name, several in top.get("networks", {}).items() for m in several}
        sorts: dict[str, Sort] = dict.fromkeys(top.get("nodes", ()), "nodes")
        sorts |= dict.fromkeys(top.get("numbers", ()), "number")
        name = top.get("name", Path(toml.where).stem)
        table = StateTable(
            name,
            kinds,
            sorts,
            networks,
            top.get("ordered", ()),
            rooms=top.get("rooms", {}),
            limits=top.get("limits", {}),
        )
        _require_known(table)
        Controllers(table, 1)
        return table


def _kind(name: str, entry: Any) -> Kind:
    keys: dict[str, Reader] = {"start": TEXT, "core": NAMES, "timers": NAMES, "many": TRUTH, "entries": NAMES}
    keys["at"] = list_of(NUMBER)
    said = {}
    rules: list[TableCell] = []
    for key, one in typed(dict, entry, (name,)).items():
        if key in keys:
            said[key] = keys[key](one, (name, key))
        elif isinstance(one, dict):
            rules += _row(one, (name, key))
        else:
            raise TableError(f"unknown key {key!r}; {near(key, [*keys, 'a table of a state'])}", (name, key), True)
    if "start" not in said:
        raise TableError(f"start is missing: the state in which {name} begins", (name,))
    return Kind(name, rules=tuple(rules), **said)


def _row(entry: dict[str, Any], path: KeyPath) -> Iterator[TableCell]:
    """Rules of the states named in a key, for each event named in a key below."""
    for key, text in entry.items():
        events, _, guard = key.partition(" if ")
        answer, does, becomes = _cell(TEXT(text, (*path, key)), (*path, key))
        for state in str(path[-1]).split(","):
            for event in events.split(","):
                yield TableCell(state.strip(), event.strip(), answer, does, becomes, guard.strip())


def _cell(text: str, path: KeyPath) -> tuple[Answer, tuple[Send | Assign, ...], str]:
    """What a cell says: the answer, what is done, the next state."""
    answer: Answer = "take"
    does: list[Send | Assign] = []
    becomes = ""
    for part in filter(None, (one.strip() for one in text.split(";"))):
        word, _, rest = part.partition(" ")
        name, equals, value = part.partition("=")
        if part in ANSWERS:
            answer = ANSWERS[part]
        elif word == "become":
            becomes = rest.strip()
        elif word == "send" and " to " in rest:
            does.append(_send(rest, path))
        elif equals and name.strip().isidentifier():
            does.append(Assign(name.strip(), value.strip()))
        elif part != "nothing":
            words = "send MESSAGE to NODES, NAME = VALUE, become STATE, stall, set aside or nothing"
            raise TableError(f"{shown(part)} is no part of a cell; those are {words}, with ; between them", path)
    if answer == "stall" and (does or becomes):
        raise TableError("nothing happens where a message is stalled", path)
    return answer, tuple(does), becomes


def _send(text: str, path: KeyPath) -> Send:
    what, _, to = text.rpartition(" to ")
    try:
        match parsed(what):
            case ast.Name(id=name):
                return Send(name, to.strip())
            case ast.Call(func=ast.Name(id=name), args=[], keywords=given) if all(one.arg for one in given):
                return Send(name, to.strip(), {str(one.arg): ast.unparse(one.value) for one in given})
    except TableError:
        pass
    raise TableError(f"{shown(what)} is no message such as Data or Data(acks=count(sharers))", path)


def _require_known(table: StateTable) -> None:
    """Refuse states without a row and messages that nobody sends, which are slips in a file."""
    for kind in table.kinds:
        rows = {rule.state for rule in kind.rules}
        for rule in kind.rules:
            path = (kind.name, rule.state, rule.event)
            if rule.becomes and rule.becomes not in rows:
                message = f"{kind.name} has no state {rule.becomes!r}; {near(rule.becomes, sorted(rows))}"
                raise TableError(message, path)
            if rule.event not in (*kind.begun, *table.messages):
                known = near(rule.event, [*kind.begun, *table.messages])
                raise TableError(f"nobody sends {rule.event!r}, and no core requests it; {known}", path)
            for name in (name for one in rule.does if isinstance(one, Send) for name in one.carries):
                if name not in table.sorts:
                    message = f"a message carries {name!r}, which has no sort: name it in nodes or numbers"
                    raise TableError(message, path)
