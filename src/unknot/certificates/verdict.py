"""Answers of the prover: verdicts, configurations and certificates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from unknot._base.arrays import Flags, Ints
from unknot._base.shown import Brief, Shown
from unknot._base.switching import Switching
from unknot._base.three_valued import ThreeValued
from unknot.certificates.plain import SWITCHINGS
from unknot.flow_control.model import FlowControl

Reachability = Literal["injected", "scheduled", "not-established"]


@dataclass(frozen=True)
class Message:
    """One blocked message of a deadlock configuration.

    Attributes
    ----------
    source : int
        Terminal that sent it.
    address : int
        What its header carries.
    length : int
        Flits; it fills the VCs it holds exactly.
    lead : tuple of int
        VCs from the injection port to the first held one, exclusive; a legal way to get there.
    held : tuple of int
        VCs it holds, tail first; the header stands in the last.
    wanted : tuple of int
        VCs its blocked header waits for, all held by messages of the configuration. Under non-atomic allocation the
        header has committed to one candidate, and this is it. Where VCs share pools several messages are in a VC;
        those behind the first want nothing yet.

    Examples
    --------
    >>> from unknot.verify import check
    >>> message = check("ring(4)", routing="dimension_order").configuration.messages[0]
    >>> message.source, message.address, message.held, message.wanted
    (0, 2, (0,), (2,))
    """

    source: int
    address: int
    length: int
    lead: tuple[int, ...]
    held: tuple[int, ...]
    wanted: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Configuration(Brief):
    """A deadlock configuration: a legal filling of VCs by messages none of which can ever move.

    Attributes
    ----------
    switching : str
    buffer_depth : int
        Flits per VC that the message lengths assume.
    reachability : {"injected", "scheduled", "not-established"}
        `injected`: every message reaches back to its own terminal, one message per terminal, so injecting them all
        produces it. `scheduled`: injecting the messages in the listed order, each once the one before stands still,
        produces it. `not-established`: each state is reachable, whether all are at once was not shown.
    messages : tuple of Message
        In the order of the schedule when there is one.
    limited : bool
        A limit ended the search for a way from the terminals to where these messages stand: a better grade is open.
    flow : FlowControl or None
        Flow control of the relation that they obey, with its pools; None: that of `switching`.
    order : tuple of int
        Of a schedule in which messages stand still on their way: the message, by position, whose header takes the
        next VC of its way, move by move. Empty: each goes on to its end before the next one is sent.

    Examples
    --------
    >>> from unknot.verify import check
    >>> deadlock = check("ring(4)", routing="dimension_order").configuration
    >>> deadlock.reachability, len(deadlock.messages)
    ('injected', 4)
    """

    switching: Switching
    buffer_depth: int
    reachability: Reachability
    messages: tuple[Message, ...]
    limited: bool = False
    flow: FlowControl | None = None
    order: tuple[int, ...] = ()

    @property
    def queued(self) -> bool:
        """Whether several messages may stand in a VC, one behind the other."""
        pools = self.flow is not None and bool(self.flow.pools)
        return pools or (bool(self.order) and SWITCHINGS[self.switching].alone)

    @property
    def summary(self) -> str:
        """Description of the configuration in a sentence."""
        text = f"{len(self.messages)} messages that can never move hold all that they wait for"
        if self.queued:
            return f"{len(self.messages)} messages can never move"
        if self.limited:
            return f"{text}; a limit left open whether the messages can come straight from terminals of their own"
        if self.reachability == "not-established":
            return f"{text}; they cannot come there straight from terminals of their own, nor one after the other"
        return text

    @property
    def reachable(self) -> bool:
        """Whether a way from the empty network into it was shown."""
        return self.reachability != "not-established"

    @property
    def holder(self) -> dict[int, int]:
        """The message, by position, that holds each VC; of several in it the first."""
        holder: dict[int, int] = {}
        # Those in front wait for something; where messages stand still on their way, they may be listed later.
        for i, message in sorted(enumerate(self.messages), key=lambda one: not one[1].wanted):
            for vc in message.held:
                holder.setdefault(vc, i)
        return holder


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Brief):
    """A reason for "deadlock-free" that `unknot.certificates` re-checks from the relation alone.

    Attributes
    ----------
    kind : {"order", "escape", "drain", "exhausted", "pools", "states"}
        What `rank` shows about every reachable state (c, d) at a VC c. Ejection ranks below all, in `order` above:

        - `order`: every candidate ranks higher than c; so no cycle of dependencies.
        - `escape` (saf, vct): some waited candidate ranks lower than c; so blocked packets drain in rank order.
        - `drain` (wormhole): from (c, d), a header that stays on VCs of at least rank(c) never comes to a state all
          of whose waited candidates have at least rank(c); so worms drain in rank order.
        - `exhausted` (wormhole): the same for all VCs outside `core`; from a VC in the core every candidate ranks at
          most as high; and no configuration holds core VCs of one rank only, as `windows` shows.
        - `pools` (flow control with pools): some waited candidate ranks lower than c, and can
          be entered when all lower ranks are empty; or it follows c in a ring that is never full, whose VCs all have
          one rank.
        - `states` (flow control with pools, wormhole): `rank` shows nothing; in no state of the VCs of pools, or of
          all worms, do packets wait for each other.
    rank : int64 array, shape (VCs,)
    core : bool array, shape (VCs,), or None
        For `exhausted`: the VCs that were searched.
    windows : tuple of pairs of int arrays
        For `exhausted`: step by step, VCs of the core that nobody can hold, and the VCs among which that is seen: if
        worms do not share any of those, and hold all of those that they wait for, whatever happens elsewhere on what
        earlier steps have left.

    Examples
    --------
    >>> from unknot.verify import check
    >>> certificate = check("mesh(3, 3)", routing="dimension_order").certificate
    >>> certificate.kind, certificate.rank.shape
    ('order', (24,))
    """

    kind: Literal["order", "escape", "drain", "exhausted", "pools", "states"]
    rank: Ints
    core: Flags | None = None
    windows: tuple[tuple[Ints, Ints], ...] = ()


@dataclass(frozen=True)
class Size:
    """Size of the question.

    Attributes
    ----------
    addresses, vcs : int
        Addresses and VCs of the relation.
    states : int
        Pairs of an input VC and an address that packets can come to, injection ports included.
    dependencies : int
        Pairs of VCs u → v such that a packet at u may take v.
    cyclic_vcs : int
        VCs on cycles of dependencies; all others drain whatever happens.
    """

    addresses: int
    states: int
    vcs: int
    dependencies: int
    cyclic_vcs: int


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(ThreeValued, Shown, asks="deadlock_free"):
    """The answer to "can it deadlock?".

    Attributes
    ----------
    deadlock_free : bool or None
        None when the question is open: a time limit ended the search, or all that was found is a `configuration` to
        which no way was shown.
    switching : str
        The technique it was asked for.
    method : str
        Method of the decision.
    scope : str
        States, addresses and VCs that the answer covers.
    reachability : str or None
        Reachability of the configuration; None without one.
    configuration : Configuration or None
        Present when `deadlock_free` is False, and then reachable; of an open question, one to which no way was shown.
    certificate : Certificate or None
        Present exactly when `deadlock_free` is True.
    established : str
        Result in words; of an open question, how far it got.
    size : Size or None
        Size of the question.
    flow : FlowControl or None
        Flow control of the relation that it was asked for, with its pools; None: that of `switching`.

    Examples
    --------
    >>> from unknot.verify import check
    >>> verdict = check("torus(4, 4)", routing="dimension_order", vcs=2)
    >>> verdict.deadlock_free, verdict.switching, verdict.certificate.kind
    (True, 'vct', 'order')
    """

    deadlock_free: bool | None
    switching: Switching
    method: str
    scope: str
    established: str
    configuration: Configuration | None = None
    certificate: Certificate | None = None
    size: Size | None = None
    flow: FlowControl | None = None

    @property
    def reachability(self) -> Reachability | None:
        return self.configuration.reachability if self.configuration is not None else None

    def __repr__(self) -> str:
        answer = {True: "deadlock-free", False: "can deadlock", None: "undecided"}[self.deadlock_free]
        technique = self.switching if self.flow is None else self.flow.name
        return f"<Verdict {answer} under {technique}: {self.established}>"
