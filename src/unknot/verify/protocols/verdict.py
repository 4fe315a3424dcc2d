"""The verdict on a protocol, with what it assumes and how it was found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unknot._base.shown import Brief
from unknot._base.switching import Switching
from unknot._base.three_valued import ThreeValued
from unknot.certificates.verdict import Certificate
from unknot.flow_control.techniques import technique as flow_of
from unknot.verify.protocols.runs import Run
from unknot.verify.protocols.system import System


@dataclass(frozen=True, repr=False)
class ProtocolVerdict(ThreeValued, Brief, asks="deadlock_free"):
    """Whether a routing can deadlock with the end points of a protocol.

    Attributes
    ----------
    deadlock_free : bool or None
        None: undecided.
    switching : str
    method : str
        Method of the decision.
    established : str
        What is shown, in words.
    system : System
        The routing with its end points; of worms that hold several places, if the run is one of these.
    run : tuple of Event or None
        Moves from the empty system to a deadlock, after which nothing can move.
    certificate : Certificate or None
        Ranks of VCs and queues, in which what is waited for leaves first.
    ample : tuple of str
        Queues that hold all that can ever be in them.
    states : int
        States that a complete search looked at; 0 if there was none.
    empties : bool
        Whether it showed that all messages can leave from every state.
    smallest : bool
        Whether it is shown that no run of fewer transactions comes to a deadlock.

    Examples
    --------
    >>> from unknot.verify.protocols import check_protocol, protocol
    >>> verdict = check_protocol("mesh(2, 2)", protocol("request_reply"), routing="message_classes")
    >>> verdict.deadlock_free, verdict.certificate is not None, verdict.run
    (True, True, None)
    """

    deadlock_free: bool | None
    switching: Switching
    method: str
    established: str
    system: System
    run: Run | None = None
    certificate: Certificate | None = None
    ample: tuple[str, ...] = ()
    states: int = 0
    empties: bool = False
    smallest: bool = False


def for_any_room(verdict: ProtocolVerdict, flits: int) -> ProtocolVerdict:
    """The verdict on VCs of some flits: open where the number of messages that they hold decides and is unknown."""
    counted = verdict.deadlock_free is False and verdict.system.protocol.outstanding is not None
    if flow_of(verdict.switching).exclusive or not (counted or (verdict.deadlock_free and verdict.states)):
        return verdict
    answer = "free of deadlock" if verdict.deadlock_free else "a deadlock"
    then = "give the length of the longest, --packet-length"
    if verdict.system.queueing:
        then = f"that is not followed under {verdict.switching}"
    text = (
        f"undecided: {answer} with messages as long as a VC, {flits} flits; a VC holds several shorter messages, "
        f"which may decide: {then}"
    )
    return replace(verdict, deadlock_free=None, established=text, run=None, empties=False, smallest=False)


def assumptions(system: System, technique: Switching) -> list[str]:
    """What is taken of terminals and messages, beside what the protocol says."""
    room = "as long as a VC" if system.room == 1 else f"{system.room} to a VC"
    length = f"messages {room}" if flow_of(technique).whole else "messages of any length"
    return [
        "every terminal begins every transaction, with each terminal for which the routing has an address",
        "terminals consume the first message of a queue as soon as its follow-ups have room, and send nothing again",
        length,
        *system.protocol.assumes,
    ]
