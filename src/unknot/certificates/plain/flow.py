"""Flow control in the closed vocabulary of claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from unknot.certificates.plain.reading import (
    EJECT,
    MOST_VCS,
    Rejected,
    Unchecked,
    around,
    field,
    integers,
    number,
    word,
)
from unknot.certificates.plain.slots import KEEPS, Pool, in_words, pool_of


class Technique(NamedTuple):
    """Flow control in the closed vocabulary of claims."""

    holds: str
    enters: str
    may_change: bool
    name: str
    packets: int = 0
    pools: tuple[Pool, ...] = ()
    cell: int = 1

    def __str__(self) -> str:
        shared = f", {len(self.pools)} pools" if self.pools else ""
        many = f"{self.packets} packet{'s' * (self.packets > 1)}"
        cells = f", cells of {self.cell} flits" * (self.cell > 1)
        return self.name + f" with room for {many} per VC{shared}" * (self.packets > 0) + cells

    def taken(self, length: int) -> int:
        """Flits of a buffer that a packet takes: whole cells."""
        return -(-length // self.cell) * self.cell

    @property
    def words(self) -> tuple[str, str, bool]:
        """Buffers that a packet holds, the rule of entry, and whether a header may choose again."""
        return self[:3]

    @property
    def alone(self) -> bool:
        """Whether a packet is in one VC."""
        return self.holds == "buffer"

    @property
    def queues(self) -> bool:
        """Whether headers queue behind tails."""
        return self.enters == "tail"

    @property
    def proofs(self) -> tuple[str, ...]:
        """Kinds of proofs that no deadlock is possible."""
        if self.pools:
            return "pools", "states"
        if self.alone or self.queues:
            return ("order", "escape")[: 1 + self.alone]
        # Where packets fit in behind others, worms may come to where they cannot in empty VCs.
        return ("order", "drain", "exhausted", "states")[: 3 + (self.enters == "empty")]


NAMED = (
    Technique("buffer", "packet", True, "saf"),
    Technique("buffer", "packet", True, "vct"),
    Technique("row", "empty", True, "wormhole"),
    Technique("row", "tail", False, "wormhole-nonatomic"),
)
SWITCHINGS = {one.name: one for one in NAMED}
"""The techniques that have names."""
FITTING = Technique("row", "empty or packet", True, "wormhole for packets that fit behind others")
UNDERSTOOD = {one.words: one for one in (*NAMED, FITTING)}
"""Techniques of which something is shown, by their words.

A packet that enters a VC behind another one has room for all of itself there, so it stays in this VC alone. Of a
deadlock, the first packets of all VCs then hold rows of their own, as under `wormhole`, and wait for each other.
"""
RINGS = "bubble"
"""Word of older claims for pools: the key of their flow control, and the kind of proofs about them."""


def flow_of(claim: Any) -> Technique:
    """Return the flow control of a claim, by its name or in words; raise `Unchecked` for unknown words.

    - `holds`: buffers of a blocked packet: a `buffer` (the default), or a `row` of buffers
    - `enters`: condition for a header to enter a VC: room for the whole `packet` (the default); the VC is `empty`;
      `empty or packet`, either; behind the `tail` of another packet
    - `may_change`: whether a blocked header may take another candidate than its choice; by default true
    - `packets`: slots of each VC, for a packet of the greatest length each
    - `cell`: flits of a credit; by default 1
    - `pools`: slots shared by VCs: a packet needs one in each pool of its next VC, and keeps its own until let in
    """
    if RINGS not in claim and claim.get("flow") is None:
        return SWITCHINGS[word(claim, "switching", SWITCHINGS)]
    known = {
        "holds": "buffer",
        "enters": "packet",
        "may_change": True,
        "packets": 0,
        "pools": [],
        "cell": 1,
        "name": "",
    }
    said = in_words(of_rings(claim) if RINGS in claim else field(claim, "flow", dict), known)
    words = field(said, "holds", str), field(said, "enters", str), field(said, "may_change", bool)
    pools = tuple(sorted(map(pool_of, field(said, "pools", list))))
    packets = number(said, "packets", min(1, len(pools)))
    if words not in UNDERSTOOD or (packets and not UNDERSTOOD[words].alone):
        raise Unchecked(f"nothing is known of packets that hold a {words[0]}, and enter by {words[1]!r}"[:200])
    if "switching" in claim and SWITCHINGS[word(claim, "switching", SWITCHINGS)].words != words:
        raise Rejected(f"what the claim says of its flow control is not {claim['switching']}")
    return UNDERSTOOD[words]._replace(packets=packets, pools=pools, cell=number(said, "cell", 1))


def of_rings(claim: Any) -> dict[str, Any]:
    """The words of a claim of before, about rings with a rule: `localised`, `global` or `critical`."""
    said, rules = field(claim, RINGS, dict), dict(zip(("localised", "global", "critical"), KEEPS[1:], strict=True))
    rule, packets, rings = word(said, "rule", rules), number(said, "packets", 1), field(said, "rings", list)
    if not rings or any(len(integers(ring, "rings", 0, MOST_VCS)) < 2 for ring in rings):
        raise Rejected("rings are VCs, two or more")
    more = {"keeps": rules[rule], "unguarded": field(said, "unguarded", list)}
    pools = [
        {"vcs": ring, "slots": len(ring) * packets, "hops": [*map(list, around(ring))], **more} for ring in rings
    ]
    return {"packets": packets, "pools": pools}


def technique(claim: Any) -> Technique:
    """The technique of a claim about something else than deadlock alone: one that has a name."""
    made = flow_of(claim)
    if made.packets or made.cell > 1 or made.name not in SWITCHINGS:
        raise Unchecked(f"nothing but deadlock is known of {made}")
    return made


def keeps_choice(commits: bool, switching: Technique | None = None) -> bool:
    """Whether a blocked header waits for its chosen candidate alone, marked or not.

    A header of a relation that commits has chosen on arrival. One that may not change its choice, such as one that
    queues behind a tail, has chosen too, whether the relation commits or not. All that is said about waiting rests on
    this and on `choices`.
    """
    return commits or (switching is not None and not switching.may_change)


def choices(entries: Sequence[int], commits: bool, switching: Technique | None = None) -> list[list[int]]:
    """The sets of candidates for which a blocked header may wait: each alone if it keeps its choice, or all of a set.

    −v − 2 is VC v with the mark "taken when free, never waited for", which has an effect only where headers choose
    anew. Without a technique: what headers wait for by the relation.
    """
    if keeps_choice(commits, switching):
        return [[max(entry, -entry - 2)] for entry in entries]
    waited = [entry for entry in entries if entry >= EJECT]
    return [waited] if waited else []
