"""A checker of evidence in plain Python, without dependencies.

It trusts nothing but the definitions below, and shares no code with the programs that search. Whoever reads these
files need not read anything else of Unknot. `unknot accept --standalone plain.py` joins them to one file that runs by
itself: `python plain.py FILE …`. The form of a file of evidence is described in docs/evidence.md.

Definitions
-----------
A packet carries an address. The table of a relation says where its header may go: a state is an input virtual channel
(VC), or the injection port of a terminal, together with an address; its candidates are output VCs or ejection. A
blocked header waits for all its candidates but those marked "taken when free, never waited for". A header of a
relation that commits chooses one candidate on arrival, whatever its mark, and waits for that one.

A deadlock is a legal, non-empty filling of VCs by packets of which none can ever move: each header waits, and all
that it waits for is held. Flow control says what a packet `holds`, a `buffer` or a `row` of them; when it `enters` a
VC: with room for the whole `packet`, if the VC is `empty`, with one or the other (`empty or packet`), or behind the
`tail` of another packet; and whether its header `may_change` its choice. `saf` and `vct` hold a buffer, and enter
with room. Under `wormhole` packets hold rows, and enter what is empty; under `wormhole-nonatomic` they follow tails,
and keep their choice. A packet takes whole cells of a buffer, of one flit unless a `cell` has more.

Where a VC is a queue with room for a number of `packets`, some VCs may share slots, in `pools`. A packet
needs a slot in each pool of the VC that it goes to, as `Pool` of `slots` says. Here a deadlock is a state, reached
from the empty network, in which no packet can move and none is sent any more.

Contents
--------
Of a claim one reads `reading` and `tables`, the file that names its subject with what that imports, and `documents`.

- reading: what checking costs, and how documents are read
- amounts: exact numbers, and sums of them along ways
- slots: pools of slots in this vocabulary, and packets that take them
- flow: flow control in the closed vocabulary of claims
- tables: networks, relations as tables, and what can be reached there
- flows: who sends how much to whom
- registry: checkers by the subjects of claims; packages of others bring more
- carries: flows that carry all that terminals send: `carries`
- collective: collective operations, and bounds of their time: `collective`
- expressions: expressions of state tables, sets of nodes and numbers
- tabled: nodes with state tables, and what they do with messages of one address
- controllers: state tables that cannot deadlock, and runs to a deadlock: `controllers`
- packets: packets of a deadlock: their ways, and how they come there
- pools: deadlock where VCs share pools of slots
- worms: searches for worms that hold all that they wait for
- free: relations that are free of deadlock
- deadlock: deadlocks, and their sizes: `deadlock`, `size`
- delivery: delivery, lengths of routes, and routes that faults cut: `delivery`, `lengths`, `cuts`
- failures: routes after failures: `failures`
- refuted: clauses that contradict each other
- hop_program: conditions on links with some ports, and the bound on hops that they show
- hops: the fewest hops with some ports and links: `hops`
- encoder: clauses of lanes for shortest paths
- lanes: fewer lanes, and fewer changes of routes, refuted: `lanes`, `lanes of routes`, `changes`
- loads: load of the busiest channel: `load`
- phases: phases of collective operations: `phases`
- progress: arbiters under which every packet arrives: `progress`
- ends: end points of a protocol: queues of terminals, and messages that follow each other
- play: runs of a system with end points, move by move
- exploring: states of a system with end points: from each one all messages can leave
- protocol: protocols: messages that wait for each other: `protocol`
- removals: fewer removed candidates or added VCs, refuted: `removals`, `escapes`
- rule: rules for meshes of every size, free of deadlock: `rule`
- rules: rules for meshes of every size, refuted: `rules`
- schedule: schedules of collective operations: `schedule`
- update: routers that are updated: `update`
- questions: claims that were asked for
- documents: a whole document
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unknot._base.exports import exports
from unknot.certificates.plain import registry

if TYPE_CHECKING:
    from unknot.certificates.plain.collective import Collective as Collective
    from unknot.certificates.plain.collective import check_collective as check_collective
    from unknot.certificates.plain.controllers import check_controllers as check_controllers
    from unknot.certificates.plain.deadlock import check_deadlock as check_deadlock
    from unknot.certificates.plain.deadlock import check_size as check_size
    from unknot.certificates.plain.deadlock import fewest_packets as fewest_packets
    from unknot.certificates.plain.deadlock import holdable_states as holdable_states
    from unknot.certificates.plain.delivery import arriving as arriving
    from unknot.certificates.plain.delivery import route as route
    from unknot.certificates.plain.documents import CLAIMS as CLAIMS
    from unknot.certificates.plain.documents import accept as accept
    from unknot.certificates.plain.documents import answers as answers
    from unknot.certificates.plain.documents import check as check
    from unknot.certificates.plain.documents import main as main
    from unknot.certificates.plain.documents import read as read
    from unknot.certificates.plain.encoder import KEPT as KEPT
    from unknot.certificates.plain.encoder import KINDS as KINDS
    from unknot.certificates.plain.encoder import MOST_PATHS as MOST_PATHS
    from unknot.certificates.plain.encoder import Encoder as Encoder
    from unknot.certificates.plain.encoder import lane_clauses as lane_clauses
    from unknot.certificates.plain.ends import Ends as Ends
    from unknot.certificates.plain.ends import extended as extended
    from unknot.certificates.plain.exploring import emptied as emptied
    from unknot.certificates.plain.failures import AnnouncedRoutes as AnnouncedRoutes
    from unknot.certificates.plain.flow import SWITCHINGS as SWITCHINGS
    from unknot.certificates.plain.flow import Technique as Technique
    from unknot.certificates.plain.flow import choices as choices
    from unknot.certificates.plain.flow import flow_of as flow_of
    from unknot.certificates.plain.flow import keeps_choice as keeps_choice
    from unknot.certificates.plain.flows import AllPairs as AllPairs
    from unknot.certificates.plain.flows import capacities as capacities
    from unknot.certificates.plain.flows import flow_amounts as flow_amounts
    from unknot.certificates.plain.flows import sending_pairs as sending_pairs
    from unknot.certificates.plain.free import check_core as check_core
    from unknot.certificates.plain.free import check_free as check_free
    from unknot.certificates.plain.free import drain_levels as drain_levels
    from unknot.certificates.plain.lanes import RouteEncoder as RouteEncoder
    from unknot.certificates.plain.lanes import SurvivingEncoder as SurvivingEncoder
    from unknot.certificates.plain.lanes import check_changes as check_changes
    from unknot.certificates.plain.lanes import check_turns as check_turns
    from unknot.certificates.plain.loads import LoadEncoder as LoadEncoder
    from unknot.certificates.plain.loads import load_shown as load_shown
    from unknot.certificates.plain.packets import Entry as Entry
    from unknot.certificates.plain.packets import Packet as Packet
    from unknot.certificates.plain.packets import check_reachability as check_reachability
    from unknot.certificates.plain.packets import require_blocked as require_blocked
    from unknot.certificates.plain.phases import Phased as Phased
    from unknot.certificates.plain.phases import check_phases as check_phases
    from unknot.certificates.plain.play import Play as Play
    from unknot.certificates.plain.pools import check_queued_deadlock as check_queued_deadlock
    from unknot.certificates.plain.progress import hop_times as hop_times
    from unknot.certificates.plain.progress import sent_to as sent_to
    from unknot.certificates.plain.questions import Part as Part
    from unknot.certificates.plain.questions import about as about
    from unknot.certificates.plain.questions import alike as alike
    from unknot.certificates.plain.questions import unlike as unlike
    from unknot.certificates.plain.reading import ALLOWANCE as ALLOWANCE
    from unknot.certificates.plain.reading import EACH as EACH
    from unknot.certificates.plain.reading import EJECT as EJECT
    from unknot.certificates.plain.reading import FORMAT as FORMAT
    from unknot.certificates.plain.reading import MOST_LANES as MOST_LANES
    from unknot.certificates.plain.reading import QUESTION as QUESTION
    from unknot.certificates.plain.reading import VERSION as VERSION
    from unknot.certificates.plain.reading import Purse as Purse
    from unknot.certificates.plain.reading import Rejected as Rejected
    from unknot.certificates.plain.reading import Unchecked as Unchecked
    from unknot.certificates.plain.reading import at_most as at_most
    from unknot.certificates.plain.reading import entries_of as entries_of
    from unknot.certificates.plain.reading import field as field
    from unknot.certificates.plain.refuted import PARTS as PARTS
    from unknot.certificates.plain.refuted import check_refutation as check_refutation
    from unknot.certificates.plain.registry import subject_of as subject_of
    from unknot.certificates.plain.removals import check_escapes as check_escapes
    from unknot.certificates.plain.removals import knot_clause as knot_clause
    from unknot.certificates.plain.removals import removal_clause as removal_clause
    from unknot.certificates.plain.removals import removals_shown as removals_shown
    from unknot.certificates.plain.rule import Family as Family
    from unknot.certificates.plain.rule import Ranks as Ranks
    from unknot.certificates.plain.rule import check_rule as check_rule
    from unknot.certificates.plain.rule import class_of as class_of
    from unknot.certificates.plain.rules import Rules as Rules
    from unknot.certificates.plain.rules import check_rules as check_rules
    from unknot.certificates.plain.rules import rule_clauses as rule_clauses
    from unknot.certificates.plain.schedule import check_schedule as check_schedule
    from unknot.certificates.plain.slots import Pools as Pools
    from unknot.certificates.plain.slots import pool_of as pool_of
    from unknot.certificates.plain.tables import Network as Network
    from unknot.certificates.plain.tables import Table as Table
    from unknot.certificates.plain.tables import closure as closure
    from unknot.certificates.plain.update import Mixed as Mixed
    from unknot.certificates.plain.update import joined as joined
    from unknot.certificates.plain.worms import KEEPING as KEEPING
    from unknot.certificates.plain.worms import SEARCH_STEPS as SEARCH_STEPS
    from unknot.certificates.plain.worms import Steps as Steps
    from unknot.certificates.plain.worms import heads as heads
    from unknot.certificates.plain.worms import holdable as holdable
    from unknot.certificates.plain.worms import waiting_states as waiting_states
    from unknot.certificates.plain.worms import worms_inside as worms_inside


def _of_extensions(subject: str) -> Mapping[str, registry.Checker]:
    """The checker of a subject that an installed package brings, by an entry point of `unknot.checkers`."""
    from unknot._base.extensions import Catalogue

    brought = Catalogue("checkers", registry.CLAIMS, of=registry.Checker)
    return {subject: brought[subject]} if subject in brought else {}


registry.ELSEWHERE.append(_of_extensions)
__getattr__, __dir__ = exports(__name__)
