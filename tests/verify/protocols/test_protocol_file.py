"""Protocols in files: what is read, and where errors stand."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from unknot._base.errors import TextError, UnknotError
from unknot.verify.protocols import (
    PROTOCOLS,
    Follow,
    MessageClass,
    Protocol,
    ProtocolError,
    Queue,
    load_protocol,
    protocol,
    read_protocol,
)

TEXT = """name = "reads"
begins = [["request"], "hint"]
outstanding = 3

[classes.request]
follows = [{ class = "reply", to = "origin", count = 2 }]
at_once = false
send = "out"

[classes.hint]
receive = "in"
[classes.reply]
reserved = true
send = "out"

[send]
out = 4
[receive]
in = { depth = 2, ordered = false }
request = 5
"""


def test_everything_is_read() -> None:
    request = MessageClass("request", follows=(Follow("reply", "origin", 2),), send="out", at_once=False)
    reply = MessageClass("reply", send="out", reserved=True)
    expected = Protocol(
        "reads",
        (request, MessageClass("hint", receive="in"), reply),
        (("request",), ("hint",)),
        {"out": 4},
        {"in": Queue(2, ordered=False), "request": Queue(5)},
        3,
    )
    assert read_protocol(TEXT) == expected


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ('class = "reply"', 'class = "replay"', (6, 22), "unknown message class 'replay'; did you mean reply?"),
        ('to = "origin"', 'to = "home"', (6, 36), "a message goes to one of sender, origin, any, not 'home'"),
        ("count = 2", "count = 0", (6, 54), "count is a whole number from 1 to 1000, not 0"),
        ("at_once = false", "at_once = 1", (7, 11), "true or false is needed here, not 1"),
        ("at_once = false", "atonce = false", (7, 1), "unknown key 'atonce'; did you mean at_once?"),
        ("out = 4", "oat = 4", (17, 1), "no class has the send queue 'oat'; did you mean out?"),
        ("out = 4", 'out = "4"', (17, 7), "a whole number is needed here, not '4'"),
        ("depth = 2", "depth = 0", (19, 6), "depth of in is a whole number"),
        ("outstanding = 3", "outstanding = 0", (3, 15), "outstanding is a whole number from 1"),
        ("outstanding = 3\n", "", (12, 12), "reserved needs a limit, `outstanding`, and a message"),
        ('"hint"]', '"request"]', (10, 1), "nobody sends hint"),
        ('"hint"]', '"hunt"]', (2, 24), "unknown message class 'hunt'"),
        ('begins = [["request"], "hint"]', "begins = []", (2, 10), "transactions begin with at least one message"),
        ('begins = [["request"], "hint"]', "", (1, 1), "begins is missing here"),
        ("[classes.hint]", "[classes.hint", (10, 14), "not valid TOML"),
        ("at_once = false", "at_once = true\ncarries = 'request'", (8, 11), "cannot be its own other part"),
        (
            "at_once = false",
            "stall_until = 'hint'",
            (7, 1),
            "until another arrives cannot be said in a protocol; docs",
        ),
        ("outstanding = 3", "outstanding_per_target = 3", (3, 1), "a limit for each target, or of messages or bytes"),
        ("outstanding = 3", "roles = ['cache']", (3, 1), "terminals of different roles cannot be said"),
        ("depth = 2", "order_by_id = 2", (19, 8), "an order of messages by an ID cannot be said"),
        ("outstanding = 3", "retries = 3", (3, 1), "a message that is refused, lost or sent again cannot be said"),
        ("at_once = false", "orderd = false", (7, 1), "unknown key 'orderd'"),
        ("out = 4", "out = 1", None, ""),
    ],
)
def test_errors_stand_where_the_text_is_wrong(old: str, new: str, place: tuple[int, int] | None, said: str) -> None:
    assert old in TEXT
    if place is None:
        assert read_protocol(TEXT.replace(old, new))
        return
    with pytest.raises(TextError) as error:
        read_protocol(TEXT.replace(old, new), "reads.toml")
    assert said in error.value.message
    assert (error.value.line, error.value.column) == place
    assert f"reads.toml:{place[0]}:{place[1]}: " in str(error.value)


def test_messages_that_never_fit_are_refused() -> None:
    with pytest.raises(TextError, match="2 messages enter the send queue 'out' at once, which has room for 1"):
        read_protocol(TEXT.replace("out = 4", "out = 1").replace("at_once = false", "at_once = true"))
    with pytest.raises(ProtocolError, match="at once") as error:
        Protocol("pair", (MessageClass("a", send="q"), MessageClass("b", send="q")), (("a", "b"),))
    assert pickle.loads(pickle.dumps(error.value)).path == ("begins", 0)


def test_classes_that_cannot_be() -> None:
    for classes, said in (
        ((), "1 to 16 message classes"),
        ((MessageClass("a"), MessageClass("a")), "two message classes are called 'a'"),
        ((MessageClass("a", carries="b"), MessageClass("b")), 'give it network = "a", and'),
        ((MessageClass("a", carries="b"), MessageClass("b", network="a", carries="a")), "nothing to carry"),
        (
            (MessageClass("a", follows=(Follow("a", count=600),) * 2, at_once=False),),
            "number of followers of a is a whole number from 1 to 1000, not 1200",
        ),
        (
            (MessageClass("a", together="b"), MessageClass("b", follows=(Follow("a"),))),
            "what follows both is said",
        ),
        ((MessageClass("\n"),), "is no name"),
    ):
        with pytest.raises(ProtocolError, match=said):
            Protocol("x", classes, (("a",),))


def test_names(tmp_path: Path) -> None:
    for name in PROTOCOLS:
        assert protocol(name).classes
    assert protocol("coherence(classes=5, networks=2)").networks == ("request", "writeback")
    assert [protocol(f"coherence(classes={n})").begins for n in (4, 5)] == [
        (("request",),),
        (("request",), ("writeback",)),
    ]
    assert len(protocol("collective(steps=4)").classes) == 4
    for text, said in (
        ("request_replay", "unknown protocol 'request_replay'; did you mean request_reply"),
        ("axi(write='mixed')", "unknown kind of writes"),
        ("coherence(classes=7)", "3, 4 or 5 classes, not 7"),
        ("coherence(networks=9)", "1 to 3 networks, not 9"),
        ("missing.toml", "cannot read this file"),
    ):
        with pytest.raises(UnknotError, match=said):
            protocol(text)
    path = tmp_path / "own.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(TextError, match="this is not text"):
        load_protocol(path)
