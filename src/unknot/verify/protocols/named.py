"""Named protocols, each a function that returns a `Protocol`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unknot._base.calls import apply, chosen, parse_call
from unknot._base.errors import require_known
from unknot.verify.protocols.protocol import Follow, MessageClass, Protocol, ProtocolError, Queue, Recipient
from unknot.verify.protocols.protocol_file import load_protocol

NO_STALLS = ("no node stalls a message until another one arrives, as most coherence protocols do somewhere",)
"""What is taken of protocols whose nodes may keep a message waiting for another."""
LEVEL = "data"
"""Name of the network of messages that all share one."""


def sink() -> Protocol:
    """Return the protocol of terminals that take in whatever arrives."""
    return _with_depth("sink", _chain(["message"], network=LEVEL), 1)


def request_reply(queues: str = "separate", depth: int = 1, outstanding: int | None = None) -> Protocol:
    """Return requests, each answered to its sender.

    Parameters
    ----------
    queues : {"separate", "shared"}
        Whether requests and replies have queues of their own.
    depth : int
        Messages of each queue.
    outstanding : int, optional
        Requests of a terminal that may be under way.
    """
    require_known("request_reply: unknown kind of queues", queues, ("separate", "shared"), ProtocolError)
    own: dict[str, Any] = {} if queues == "separate" else {"send": "all", "receive": "all"}
    classes = _chain(["request", "reply"], "sender", **own)
    return _with_depth(f"request_reply ({queues} queues)", classes, depth, outstanding)


def coherence(classes: int = 3, networks: int | None = None, depth: int = 1) -> Protocol:
    """Return directory coherence: a request to the home, forwarded to an owner, who responds to the requester.

    With four classes the requester tells a terminal, the home, that it is done; with five owners also write back,
    which is acknowledged by a response. No node stalls a message until another one arrives.

    Parameters
    ----------
    classes : int
        3 to 5.
    networks : int, optional
        Message classes of the routing; those after the last share it. By default one for each class.
    depth : int
        Messages of each queue.
    """
    if classes not in (3, 4, 5):
        raise ProtocolError(f"coherence has 3, 4 or 5 classes, not {classes}")
    members = _chain(["request", "forward", "response", "completion"][:classes], "any", "origin", "any")
    if classes > 4:
        members.append(MessageClass("writeback", follows=(Follow("response"),)))
    order = sorted(
        (one.name for one in members), key=("request", "writeback", "forward", "response", "completion").index
    )
    number = classes if networks is None else networks
    if not 1 <= number <= classes:
        raise ProtocolError(f"coherence with {classes} classes: 1 to {classes} networks, not {number}")
    home = {one: order[min(i, number - 1)] for i, one in enumerate(order)}
    joined = [replace(m, send=home[m.name], receive=home[m.name], network=home[m.name]) for m in members]
    made = _with_depth(f"coherence with {classes} classes on {number} networks", joined, depth)
    made = replace(made, assumes=NO_STALLS)
    return replace(made, begins=(("request",), ("writeback",))) if classes > 4 else made


def cache_transfer(networks: int = 4, depth: int = 1) -> Protocol:
    """Return directory coherence in which a commanded cache fills another one, as in BedRock of BlackParrot.

    A request leads to a command to any cache, which sends a fill to the requester, who responds to a directory.

    Parameters
    ----------
    networks : {4, 3}
        With 3 fills share queues and network with commands.
    depth : int
        Messages of each queue.
    """
    if networks not in (3, 4):
        raise ProtocolError(f"cache_transfer has 3 or 4 networks, not {networks}")
    joined: dict[str, Any] = dict.fromkeys(("send", "receive", "network"), "command") if networks == 3 else {}
    members = _chain(["request", "command", "fill", "response"], "any", "origin", "any")
    members[2] = replace(members[2], **joined)
    return replace(_with_depth(f"cache_transfer on {networks} networks", members, depth), assumes=NO_STALLS)


def axi(
    write: str = "joined", address_buffer: int = 0, reads: bool = True, outstanding: int | None = None
) -> Protocol:
    """Return AXI reads and writes whose subordinate takes address (AW) and data (W) of a write together.

    Requests (AR, AW, W) and responses (R, B) have networks of their own; managers take in every response.

    Parameters
    ----------
    write : {"joined", "shared", "apart"}
        AW and W in one channel, one directly behind the other; in one channel, where those of several managers may
        mix; or in a network each.
    address_buffer : int
        AWs that the terminal of a subordinate can set aside; 0: AW and W come out of one queue.
    reads : bool
        Whether there are reads.
    outstanding : int, optional
        Transactions of a terminal that may be under way.
    """
    require_known("axi: unknown kind of writes", write, ("joined", "shared", "apart"), ProtocolError)
    if address_buffer < 0:
        raise ProtocolError(f"axi: address_buffer is a number from 0, not {address_buffer}")
    behind: dict[str, Any] = {"carries": "w"} if write == "joined" else {}
    joint = {} if write == "apart" else {"send": "write", "network": "request"}
    words: dict[str, Any] = joint if address_buffer else joint | {"receive": "write"}
    classes = [
        MessageClass("aw", follows=(Follow("b"),), together="w", **behind, **words),
        MessageClass("w", **words),
        MessageClass("b", network="response"),
    ]
    if reads:
        classes += [
            MessageClass("ar", follows=(Follow("r"),), network="request"),
            MessageClass("r", network="response"),
        ]
    begins = [("aw",) if write == "joined" else ("aw", "w")] + [("ar",)] * reads
    name = f"axi ({write} writes, " + (f"a buffer of {address_buffer} AW)" if address_buffer else "no buffer of AW)")
    rooms = {"aw": Queue(address_buffer, ordered=False)} if address_buffer else {}
    depths = {"write": 2} if write == "shared" else {}
    return Protocol(name, tuple(classes), tuple(begins), depths, rooms, outstanding)


def rdma(depth: int = 1, outstanding: int | None = None) -> Protocol:
    """Return RDMA: requests, answered on the level on which they came, from queues of their own.

    Parameters
    ----------
    depth : int
        Messages of each queue.
    outstanding : int, optional
        Requests of a terminal that may be under way.
    """
    return _with_depth("rdma", _chain(["request", "reply"], "sender", network=LEVEL), depth, outstanding)


def collective(steps: int = 2, depth: int = 1, outstanding: int | None = None) -> Protocol:
    """Return the steps of a collective: a terminal takes in a chunk as it sends one of the next step.

    Parameters
    ----------
    steps : int
        From 1 on; all on one network.
    depth : int
        Messages of each queue.
    outstanding : int, optional
        Chunks of a terminal that may be under way.
    """
    if steps < 1:
        raise ProtocolError(f"collective has at least 1 step, not {steps}")
    names = [f"step {i + 1}" for i in range(steps)]
    onward: list[Recipient] = ["any"] * (steps - 1)
    classes = _chain(names, *onward, network=LEVEL)
    return _with_depth(f"collective of {steps} steps", classes, depth, outstanding)


PROTOCOLS: Mapping[str, Callable[..., Protocol]] = {
    one.__name__: one for one in (sink, request_reply, coherence, cache_transfer, axi, rdma, collective)
}
"""Named protocols by name."""


def protocol(text: str, where: str = "protocol") -> Protocol:
    """Return the protocol of a name, with options if needed, or of a TOML file.

    Parameters
    ----------
    text : str
        A name of `PROTOCOLS`, a call such as ``coherence(networks=3)``, or the name of a file.
    where : str
        What an error calls the text.

    Returns
    -------
    Protocol
        The protocol.

    Raises
    ------
    TextError, ProtocolError

    Examples
    --------
    >>> protocol("request_reply(queues='shared')").send_queues
    ('all',)
    """
    if text.strip().endswith(".toml"):
        return load_protocol(text.strip())
    call = parse_call(text, where)
    return apply(call, chosen(call, PROTOCOLS, "protocol"))


def _chain(names: Sequence[str], *to: Recipient, **common: Any) -> list[MessageClass]:
    """Classes in a chain, each consumed for one message of the next class, with the recipients in turn."""
    follows = [(Follow(name, one),) for name, one in zip(names[1:], to, strict=False)]
    return [MessageClass(name, after, **common) for name, after in zip(names, [*follows, ()], strict=True)]


def _with_depth(name: str, classes: Sequence[MessageClass], depth: int, outstanding: int | None = None) -> Protocol:
    """A protocol that begins with the first class, with the same depth for all queues."""
    send = dict.fromkeys((one.send for one in classes), depth)
    receive = {one.receive: Queue(depth) for one in classes}
    return Protocol(name, tuple(classes), ((classes[0].name,),), send, receive, outstanding)
