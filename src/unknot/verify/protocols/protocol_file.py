"""Protocols in TOML files, with every problem shown where it stands."""

from __future__ import annotations

from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from unknot._base.toml_places import (
    NUMBER,
    TEXT,
    TRUTH,
    KeyPath,
    Reader,
    Toml,
    list_of,
    read_toml,
    record,
    table_of,
)
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


def _sayable(reader: Reader) -> Reader:
    """Read a table; lead keys beyond the language of protocols to the page about its limits."""

    def read(entry: Any, path: KeyPath) -> Any:
        for key in entry if isinstance(entry, dict) else ():
            for words, what in () if get_close_matches(key, KEYS, cutoff=TYPO) else UNSAYABLE.items():
                if any(part.startswith(tuple(words.split())) for part in key.lower().split("_")):
                    message = f"{key!r}: {what} cannot be said in a protocol; docs/protocols.md, What cannot be said"
                    raise ProtocolError(message, (*path, key), at_key=True)
        return reader(entry, path)

    return read


def _protocol(toml: Toml) -> Protocol:
    with toml:
        document = TOP(toml.document, ())
        document["classes"] = [MessageClass(name, **one) for name, one in document["classes"].items()]
        protocol = Protocol(**{"name": Path(toml.where).stem} | document)
        sent = reached_from([protocol[name] for group in protocol.begins for name in group], protocol.after)
        for one in protocol.classes:
            if one not in sent:
                message = f"nobody sends {one.name}: name it in begins, or in follows or carries of a class"
                raise ProtocolError(message, ("classes", one.name))
        return protocol


def _names(entry: Any, path: KeyPath) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else NAMES(entry, path)


def _follow(entry: Any, path: KeyPath) -> Follow:
    if isinstance(entry, str):
        return Follow(entry)
    follow = FOLLOW(entry, path)
    return Follow(follow.pop("class"), **follow)


def _queue(entry: Any, path: KeyPath) -> Queue:
    return Queue(**QUEUE(entry, path)) if isinstance(entry, dict) else Queue(NUMBER(entry, path))


UNSAYABLE = {
    "stall wait block recycl until hold": "a message that waits in a node until another arrives",
    "role terminals nodes home requester director cache memor": "terminals of different roles",
    "per target limit window credit byte": "a limit for each target, or of messages or bytes",
    "retr nack resend timeout drop lost": "a message that is refused, lost or sent again",
    "order ids tag thread stream": "an order of messages by an ID",
    "priority weight arbit": "a preference among messages",
    "prob chance when state condition": "a choice that depends on a state",
    "multicast broadcast collect gather join": "one message to many terminals, or one for many messages",
}
"""What a protocol cannot say, by beginnings of words in keys that would say it."""
NAMES = list_of(TEXT)
FOLLOW_KEYS = {"class": TEXT, "to": TEXT, "count": NUMBER}
FOLLOW = _sayable(record(FOLLOW_KEYS, "class"))
QUEUE_KEYS = {"depth": NUMBER, "ordered": TRUTH}
QUEUE = _sayable(record(QUEUE_KEYS))
CLASS = {one.name: TRUTH if one.type == "bool" else TEXT for one in fields(MessageClass) if one.name != "name"}
TOP_KEYS: dict[str, Reader] = {
    "name": TEXT,
    "classes": table_of(_sayable(record(CLASS | {"follows": list_of(_follow)}))),
    "begins": list_of(_names),
    "send": table_of(NUMBER),
    "receive": table_of(_queue),
    "outstanding": NUMBER,
}
TOP = _sayable(record(TOP_KEYS, "classes", "begins"))
"""Keys of a protocol's file, and how each is read."""
TYPO = 0.8
"""Likeness to a key from which on another one is taken for a slip."""
KEYS = {*TOP_KEYS, *CLASS, *FOLLOW_KEYS, *QUEUE_KEYS, "follows"}
