"""Protocols in TOML files, with every problem shown where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from unknot._base.errors import near, shown
from unknot._base.toml_places import KeyPath, Toml, read_toml
from unknot.network.graph import reached_from
from unknot.verify.protocols.protocol import Follow, MessageClass, Protocol, ProtocolError, Queue


def load_protocol(path: str | Path) -> Protocol:
    """Read a protocol from a TOML file.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Protocol
        The protocol.

    Raises
    ------
    TextError
        With file, line, column and the line itself.

    Examples
    --------
    >>> load_protocol("examples/hangs/axi-one-channel.toml").begins
    (('aw',),)
    """
    return _protocol(read_toml(path, "a protocol"))


def read_protocol(text: str, where: str | Path = "<protocol>") -> Protocol:
    """Read a protocol from a text in TOML.

    Parameters
    ----------
    text : str
        TOML.
    where : str or Path
        Name of the text in messages.

    Returns
    -------
    Protocol
        The protocol.

    Raises
    ------
    TextError
        With line, column and the line itself.

    Examples
    --------
    >>> read_protocol('begins = [["word"]]\\n[classes.word]').classes[0].follows
    ()
    """
    return _protocol(Toml(text, where))


def _protocol(toml: Toml) -> Protocol:
    try:
        document = _record(TOP, toml.document, ())
        for key in ("classes", "begins"):
            if key not in document:
                raise ProtocolError(f"{key} is missing here", ())
        document["classes"] = [MessageClass(name, **one) for name, one in document["classes"].items()]
        protocol = Protocol(**{"name": Path(toml.where).stem} | document)
        sent = reached_from([protocol[name] for group in protocol.begins for name in group], protocol.after)
        for one in protocol.classes:
            if one not in sent:
                message = f"nobody sends {one.name}: name it in begins, or in follows or carries of a class"
                raise ProtocolError(message, ("classes", one.name))
        return protocol
    except ProtocolError as error:
        raise toml.error(error.path, str(error), at_key=error.at_key) from None


Reader = Callable[[Any, KeyPath], Any]
"""What checks an entry and returns its value; the path of what is wrong goes with each error."""


def _typed(kind: type, entry: Any, path: KeyPath) -> Any:
    if type(entry) is not kind:
        words = {
            str: "a text",
            int: "a whole number",
            bool: "true or false",
            dict: f"a table [{path[0]}.NAME] for each" if len(path) == 1 else "a table",
            list: f'a list such as ["{entry}"]' if isinstance(entry, str) else "a list",
        }
        raise ProtocolError(f"{words[kind]} is needed here, not {shown(entry)}", path)
    return entry


def _list(entry: Any, path: KeyPath, *, of: Reader) -> tuple[Any, ...]:
    return tuple(of(one, (*path, i)) for i, one in enumerate(_typed(list, entry, path)))


def _table(entry: Any, path: KeyPath, *, of: Reader) -> dict[str, Any]:
    return {name: of(one, (*path, name)) for name, one in _typed(dict, entry, path).items()}


def _record(readers: Mapping[str, Reader], entry: Any, path: KeyPath) -> dict[str, Any]:
    for key in _typed(dict, entry, path):
        if key not in readers:
            raise ProtocolError(f"unknown key {key!r}; {near(key, readers)}", (*path, key), at_key=True)
    return {key: readers[key](one, (*path, key)) for key, one in entry.items()}


def _names(entry: Any, path: KeyPath) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else _list(entry, path, of=TEXT)


def _follow(entry: Any, path: KeyPath) -> Follow:
    if isinstance(entry, str):
        return Follow(entry)
    follow = _record({"class": TEXT, "to": TEXT, "count": NUMBER}, entry, path)
    if "class" not in follow:
        raise ProtocolError("class is missing here", path)
    return Follow(follow.pop("class"), **follow)


def _queue(entry: Any, path: KeyPath) -> Queue:
    if not isinstance(entry, dict):
        return Queue(NUMBER(entry, path))
    return Queue(**_record({"depth": NUMBER, "ordered": TRUTH}, entry, path))


TEXT, NUMBER, TRUTH = partial(_typed, str), partial(_typed, int), partial(_typed, bool)
CLASS = {one.name: TRUTH if one.type == "bool" else TEXT for one in fields(MessageClass) if one.name != "name"}
CLASS["follows"] = partial(_list, of=_follow)
TOP: dict[str, Reader] = {
    "name": TEXT,
    "classes": partial(_table, of=partial(_record, CLASS)),
    "begins": partial(_list, of=_names),
    "send": partial(_table, of=NUMBER),
    "receive": partial(_table, of=_queue),
    "outstanding": NUMBER,
}
"""Keys of a protocol's file, and how each is read."""
