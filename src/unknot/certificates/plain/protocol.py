"""Protocols: messages that wait for each other."""

from __future__ import annotations

from typing import Any

from unknot.certificates.plain.ends import MOST_FOLLOWED, Ends, Place, Sent, extended
from unknot.certificates.plain.exploring import emptied
from unknot.certificates.plain.flow import Technique, technique
from unknot.certificates.plain.free import check_free
from unknot.certificates.plain.play import Play
from unknot.certificates.plain.reading import KEPT_STATE, Rejected, Unchecked, field, found, pay, printable
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import Table, backwards, closure

MOST_ROWS = 200_000
"""Rows of places, each with a message that waits for the next, up to which they are followed."""


@checks("protocol", "relation", "deadlock_free")
def check_protocol(table: Table, claim: Any, proof: Any) -> str:
    """Check that messages of a protocol never wait for each other for ever, or check a run to a deadlock.

    Claim: `switching`, `deadlock_free`; `protocol`, `classes`, `begins`, `outstanding`, rooms of the queues
    (`send`, `receive`), message classes (`networks`)
    Proof: `kind`, `rank` … as for `deadlock`, of VCs, then send and receive queues of all terminals, with
    `ample`, queues that cannot be filled; or `states`: explored anew, up to 20,000, from each the empty one can
    be reached; or `cycles`, looked for anew; `smallest` beside a run: no cycle has few enough messages for
    fewer transactions; or `run`, moves `["begin", terminal, sends]`, `["move", side, place, queue, to]`,
    `["consume", terminal, queue, position, sends]`; or `worms`, where a place of a queue has a stage, 1 or 2,
    in the place of a position, a move ends with 1 where the tail stays, and `["choose", side, place, queue,
    stage, to]` is a header that will wait for one candidate alone
    """
    switching, free = technique(claim), field(claim, "deadlock_free", bool)
    try:
        ends = Ends(table, field(claim, "protocol", dict))
        name = printable(field(claim["protocol"], "name", str))
        kind, shown = field(proof, "kind", str) if free else "", ""
        if not free:
            run = "worms" if "worms" in proof else "run"
            play = Play(ends, field(proof, run, list), switching, run == "worms")
            shown = f": a run after which {play.require_stuck()} messages can never move"
            if "smallest" in proof and field(proof, "smallest", bool):
                if play.begun > 1:
                    Circles(ends, switching).require_none(play.begun - 1)
                shown += f"; none of fewer than {play.begun} transactions"
        elif kind == "states":
            shown = f": from each of {emptied(ends, switching)} states all messages can leave"
        elif kind == "cycles":
            Circles(ends, switching).require_none()
            shown = ": too few transactions for a cycle of messages"
        else:
            stages = 1 if switching.alone else 2
            check_free(extended(ends, stages, field(proof, "ample", list)), switching, proof)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        raise Rejected(f"this is no protocol, or no proof: {error!r}") from None
    return f"with {name} {'free of deadlock' if free else 'deadlock'} under {switching}{shown}"


class Circles:
    """Places in a cycle, each with a message that waits for the next one, and who may have begun their transactions.

    In a deadlock the first message of a full place waits for another full place, and so on round.
    """

    def __init__(self, ends: Ends, switching: Technique) -> None:
        if any(one["together"] or one["carries"] for one in ends.classes.values()):
            raise Rejected("cycles of places show nothing of messages taken together, or that come in one packet")
        if ends.limit is not None and ends.table.network.terminals > MOST_FOLLOWED:
            raise Unchecked(f"it is not followed what more than {MOST_FOLLOWED} terminals send, with a limit")
        self.ends, self.steps = ends, 0
        self.play = Play(ends, [], switching, not switching.alone)
        self.edges: dict[Place, dict[Place, set[int]]] = {}
        self.inside: dict[Place, set[int]] = {}
        at_once = self.at_once()
        self.most = max(sum(at_once[name] for name in group) for group in ends.begins)
        for name, source, home, origin in ends.travels():
            for a in ends.sends(name, source):
                if ends.table.destination[a] == home:
                    self.follow(Sent(name, source, a, origin, 0))
        self.number = {place: i for i, place in enumerate(self.edges)}
        at_once_sent = [one["follows"] for one in ends.classes.values() if one["at_once"]]
        self.several = max([1, *(sum(int(follow["count"]) for follow in follows) for follows in at_once_sent)])

    def at_once(self) -> dict[str, float]:
        """Most messages at once that one of each class leads to; infinitely many where classes follow in a cycle."""
        most = dict.fromkeys(self.ends.classes, float("inf"))
        follows = {name: [follow["class"] for follow in one["follows"]] for name, one in self.ends.classes.items()}
        before = backwards(follows)
        waiting = {name: len(onward) for name, onward in follows.items()}
        settled = [name for name, count in waiting.items() if not count]
        for name in settled:
            rule = self.ends.classes[name]
            sent = sum(int(follow["count"]) * most[follow["class"]] for follow in rule["follows"])
            most[name] = max(1.0, sent + (not rule["at_once"]))
            for earlier in before.get(name, ()):
                waiting[earlier] -= 1
                if not waiting[earlier]:
                    settled.append(earlier)
        return most

    def follow(self, message: Sent) -> None:
        onward: dict[Place, list[Place]] = {}
        waits: dict[Place, list[Place]] = {}

        def after(place: Place) -> list[Place]:
            self.play.held = {place: [message]}
            ahead, waits[place] = self.play.ahead(place), []
            for choice in self.play.choices(place, message, ahead):
                targets = [ahead[to] for to in choice]
                waits[place] += [] if None in targets else [target for target in targets if target is not None]
            if not isinstance(place, int) and self.play.first(place, 0):
                follow = [name for name, _ in self.ends.slots(message)]
                at_once = self.ends.classes[message.kind]["at_once"]
                waits[place] += self.play.entries(place[1], follow if at_once else list(dict.fromkeys(follow)))
            onward[place] = [to for to in ahead.values() if to is not None]
            return onward[place]

        for held in closure([self.play.place(message.source, "send", message.kind)], after):
            self.inside.setdefault(held, set()).add(message.origin)
            for place in closure([held], onward.__getitem__) if self.play.worms else [held]:
                pay(2 * KEPT_STATE * (1 + len(waits[place])))
                for to in waits[place]:
                    self.edges.setdefault(held, {}).setdefault(to, set()).add(message.origin)

    def need(self, place: Place) -> int:
        """Return the least number of messages in a place while another place waits for it."""
        sends = not isinstance(place, int) and place[0] == "send"
        return max(1, self.play.depth(place) - (self.several - 1) * sends)

    def closes(self, start: Place, fewer: float) -> bool:
        """Whether some places, the first of which is given, are a cycle of fewer messages than a number."""
        rows: list[tuple[tuple[Place, ...], list[set[int]]]] = [((start,), [])]
        while rows:
            path, began = rows.pop()
            self.steps += 1
            if self.steps > MOST_ROWS:
                raise Unchecked(f"more than {MOST_ROWS} rows of places are not followed here")
            need, many = self.need(path[-1]), len(began)
            for to, origins in self.edges.get(path[-1], {}).items():
                if found(to, path[1:]) or self.number.get(to, -1) < self.number[start] or many + need >= fewer:
                    continue
                pay(KEPT_STATE + len(path) + many + need)
                more = [*began, origins, *[self.inside[path[-1]]] * (need - 1)]
                if self.may_be_begun(more):
                    if to == start:
                        return True
                    rows.append(((*path, to), more))
        return False

    def may_be_begun(self, messages: list[set[int]]) -> bool:
        """Whether terminals may have begun the transactions of these messages, within their limit."""
        capacity = self.most * (self.ends.limit or float("inf"))
        began: dict[int, list[int]] = {}

        def put(message: int, seen: set[int]) -> bool:
            for origin in messages[message] - seen:
                seen.add(origin)
                pay(KEPT_STATE + len(messages[message]))
                mine = began.setdefault(origin, [])
                if len(mine) < capacity:
                    mine.append(message)
                    return True
                for i, other in enumerate(mine):
                    pay(1)
                    if put(other, seen):
                        mine[i] = message
                        return True
            return False

        return capacity == float("inf") or all(put(message, set()) for message in range(len(messages)))

    def require_none(self, transactions: float = float("inf")) -> None:
        """Reject a cycle of as many messages as a number of transactions may have."""
        if any(self.closes(place, transactions * self.most + 1) for place in self.edges):
            raise Rejected("messages may wait for each other in a cycle of places")
