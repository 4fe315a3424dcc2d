"""Protocols in TOML files, with every problem shown where it stands."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from unknot._base.errors import near, shown
from unknot._base.toml_places import KeyPath, Toml, read_toml
from unknot.network.graph import reached_from
from unknot.verify.protocols.protocol import Follow, MessageClass, Protocol, ProtocolError, Queue

TOP = ("name", "classes", "begins", "send", "receive", "outstanding")
CLASS_KEYS = tuple(one.name for one in fields(MessageClass) if one.name != "name")
FOLLOW_KEYS = ("class", "to", "count")


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
        protocol = _Reader(Path(toml.where)).protocol(toml.document)
        sent = reached_from([protocol[name] for group in protocol.begins for name in group], protocol.after)
        for one in protocol.classes:
            if one not in sent:
                message = f"nobody sends {one.name}: name it in begins, or in follows or carries of a class"
                raise ProtocolError(message, ("classes", one.name))
        return protocol
    except ProtocolError as error:
        raise toml.error(error.path, str(error), at_key=error.at_key) from None


@dataclass(frozen=True)
class _Reader:
    """Reader of checked TOML values; the path of what is wrong goes with each error."""

    where: Path

    def protocol(self, document: dict[str, Any]) -> Protocol:
        self.keys(document, TOP, ())
        for key in ("classes", "begins"):
            if key not in document:
                raise ProtocolError(f"{key} is missing here", ())
        begins = self.items(document["begins"], ("begins",))
        return Protocol(
            name=self.of(str, document.get("name", self.where.stem), ("name",)),
            classes=tuple(
                self.message_class(name, entry, ("classes", name))
                for name, entry in self.of(dict, document["classes"], ("classes",)).items()
            ),
            begins=tuple(self.names(group, ("begins", i)) for i, group in enumerate(begins)),
            send={
                name: self.of(int, depth, ("send", name))
                for name, depth in self.of(dict, document.get("send", {}), ("send",)).items()
            },
            receive={
                name: self.queue(room, ("receive", name))
                for name, room in self.of(dict, document.get("receive", {}), ("receive",)).items()
            },
            outstanding=self.of(int, document["outstanding"], ("outstanding",))
            if "outstanding" in document
            else None,
        )

    def message_class(self, name: str, entry: Any, path: KeyPath) -> MessageClass:
        self.keys(entry, CLASS_KEYS, path)
        kinds = {"at_once": bool, "reserved": bool}
        plain = {
            key: self.of(kinds.get(key, str), value, (*path, key)) for key, value in entry.items() if key != "follows"
        }
        listed = self.items(entry.get("follows", []), (*path, "follows"))
        follows = tuple(self.follow(one, (*path, "follows", i)) for i, one in enumerate(listed))
        return MessageClass(name, follows=follows, **plain)

    def follow(self, entry: Any, path: KeyPath) -> Follow:
        if isinstance(entry, str):
            return Follow(entry)
        self.keys(entry, FOLLOW_KEYS, path)
        if "class" not in entry:
            raise ProtocolError("class is missing here", path)
        count = self.of(int, entry.get("count", 1), (*path, "count"))
        message = self.of(str, entry["class"], (*path, "class"))
        return Follow(message, self.of(str, entry.get("to", "sender"), (*path, "to")), count)

    def queue(self, entry: Any, path: KeyPath) -> Queue:
        if not isinstance(entry, dict):
            return Queue(self.of(int, entry, path))
        self.keys(entry, ("depth", "ordered"), path)
        depth = self.of(int, entry.get("depth", 1), (*path, "depth"))
        return Queue(depth, self.of(bool, entry.get("ordered", True), (*path, "ordered")))

    def names(self, entry: Any, path: KeyPath) -> tuple[str, ...]:
        if isinstance(entry, str):
            return (entry,)
        return tuple(self.of(str, name, (*path, i)) for i, name in enumerate(self.items(entry, path)))

    def items(self, entry: Any, path: KeyPath) -> list[Any]:
        return list(self.of(list, entry, path))

    def keys(self, entry: Any, known: Collection[str], path: KeyPath) -> None:
        for key in self.of(dict, entry, path):
            if key not in known:
                raise ProtocolError(f"unknown key {key!r}; {near(key, known)}", (*path, key), at_key=True)

    def of(self, kind: type, entry: Any, path: KeyPath) -> Any:
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
