"""READMEs beside repaired fabrics: what was written, how to load it, and what was not tried; as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unknot._base.quantities import Hops
from unknot.remedies.lossless import HOSTS, RULES, RepairedFabric
from unknot.remedies.route_maps import FILE
from unknot.report.phrases import ANSWERS, CAN_DEADLOCK, count
from unknot.verify.audit import Audit
from unknot.verify.update import Update

PAGE = "README.md"
LIDS = "guid2lid"
"""File of LIDs, as OpenSM calls it."""


@dataclass(frozen=True)
class WrittenRemedy:
    """Files of a remedy, read back and judged; or the tables as they are.

    Attributes
    ----------
    kind : str
        What changes, and the folder.
    lanes : int
        Virtual lanes.
    changed : int
        Entries of tables (switch, LID) that are new or others.
    load : float
        Routes between hosts over the busiest channel, those to the LIDs of a port in equal shares.
    audit : Audit
    steps : tuple of str
        How to get there without a deadlock.
    load_bound : float or None
        No such routes have a lower highest load; None where the routes stay.
    load_bound_holds : bool or None
        Whether the separate checker accepts this bound.
    lane_pairs : tuple of int
        Pairs of host and LID in each lane, where there are several.
    lane_highest : tuple of float
        The highest load of a channel in each lane.
    lmc : int or None
        The LMC for which all LIDs were assigned anew.
    complete : bool
        Whether the search for it ended by itself; else more time may find fewer lanes or changes, or a lower load.
    """

    kind: str
    lanes: int
    changed: int
    load: float
    audit: Audit
    steps: tuple[str, ...] = ()
    load_bound: float | None = None
    load_bound_holds: bool | None = None
    lane_pairs: tuple[int, ...] = ()
    lane_highest: tuple[float, ...] = ()
    lmc: int | None = None
    complete: bool = True

    @property
    def longest(self) -> Hops | None:
        """Hops of the longest route between hosts."""
        return self.audit.host_to_host.delivery.longest_route

    @property
    def replies_free(self) -> bool | None:
        """Whether replies at the level of the request cannot deadlock; in a single lane, whether requests cannot."""
        answered = self.audit.host_to_host if self.audit.replies is None else self.audit.replies
        return answered.verdict.deadlock_free


MEANING = {
    "same-routes": "the tables stay; packets get service levels, and with them lanes",
    "few-entries": "few changed entries, for one lane: no service levels, routes may be longer",
    "new-tables": "new tables of shortest paths, in as few lanes as were found",
    "one-lane": "new tables of low load for one lane: no service levels, routes may be longer",
}

_ONE = """
Then:

    opensm{lmc} -R file,no_fallback -U {folder}/tables.lfts

Judge the tables before you load them, FABRIC being the file of links:

    unknot audit FABRIC{lids} --tables {folder}/tables.lfts

"""
_SEVERAL = """
Then:

    opensm{lmc} -F {folder}/opensm.conf -R file,no_fallback -U {folder}/tables.lfts

Judge the tables before you load them, FABRIC being the file of links. The verdict needs the levels and lanes, too:

    unknot audit FABRIC{lids} --tables {folder}/tables.lfts --sl {folder}/paths.psl --sl2vl {folder}/lanes.slvl

`opensm.conf` switches QoS on, maps each service level to the lane of the same number and names `qos-policy.conf`;
put its lines into your own options file if you have one. By this policy OpenSM answers every query for the path
between two hosts with the level in `paths.psl`. The remedy holds for senders that use the level they are given:

- what connects through `rdma_cm` or asks `ibacm` does, and so do MPI libraries configured to ask for path records;
- a program that takes LIDs from elsewhere and writes SL 0 into its packets does not, and is not protected;
- the accepting side of a connection usually answers at the level of the request. {replies}
"""
_BATCHES = """OpenSM loads a batch at a time: start it as below on a copy of the first file, then copy each further
one over that and send OpenSM the signal HUP."""
_REPLIES = {
    True: "That was judged, too: the levels in `paths.psl` are safe for such replies.",
    False: "SUCH REPLIES CAN DEADLOCK: this remedy is for one-way traffic, as `--one-way` says; `one-lane` has no "
    "such condition.",
    None: "That was not decided in the time given; `one-lane` has no such condition.",
}
_LIDS = """
LIDs are assigned anew, 2^{lmc} for each host port. Before OpenSM starts, on standbys too, put `{folder}/{file}` into
its cache folder, /var/cache/opensm or $OSM_CACHE_DIR. Start it without `-r`, with which it chooses LIDs by itself."""
_LOADED = """
## How to see that it was loaded

1. `grep 'file tables configured on all switches' LOG`, LOG being OpenSM's log. Without `no_fallback`, OpenSM routes
   by minhop when the file is missing or broken, and still exits with code 0.
2. Dump the tables (`-D 0x43`, or `dump_lfts.sh`) and compare them, and what they do:
   `unknot audit --compare BEFORE AFTER` with folders, or `unknot audit FABRIC --tables opensm-lfts.dump`.
3. With service levels: `saquery -p --slid S --dlid D` shows the level of a path, `saquery -p > paths.psl` those of
   all, and `opensm-sl2vl.dump` has the lanes. Then `unknot audit FABRIC --tables opensm-lfts.dump
   --sl paths.psl --sl2vl opensm-sl2vl.dump`.

The tables belong to this cabling and these GUIDs. Where ports have one LID each, LIDs may differ: OpenSM finds the
ports of a table by their GUIDs. After a cable fails, OpenSM loads the same file again and the
routes over that cable are dead; repair anew, or fall back to another engine.
"""


def repair_page(before: WrittenRemedy, rows: Sequence[WrittenRemedy], reasons: Sequence[str]) -> str:
    """The page as Markdown."""
    fabric, load = before.audit.fabric, before.load
    text = [f"# Repaired tables for {fabric.name}", ""]
    text += [
        f"Read: {fabric.fabric_file}, {fabric.tables_file}. Between hosts these tables "
        f"{CAN_DEADLOCK[before.audit.deadlock_free]} ({before.audit.assumption})."
    ]
    if before.audit.loop:
        text += ["", f"The loop: {' → '.join([*before.audit.loop, before.audit.loop[0]])}."]
    heads = (
        "remedy", "changes", "lanes", "entries changed", "highest load", "no lower than", "longest route",
        "safe, and delivers", "search",
    )  # fmt: skip
    text += ["", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows:
        bound = "" if row.load_bound is None else f"{row.load_bound:,.6g}"
        text.append(
            f"| `{row.kind}` | {MEANING[row.kind]} | {row.lanes} | {row.changed:,} | {times(row.load, load)} | "
            f"{bound} | {'' if row.longest is None else count(row.longest, 'hop')} | {ANSWERS[row.audit.holds]} | "
            f"{'complete' if row.complete else 'ended by its limit'} |"
        )
    text += [
        "",
        "The load is the number of routes between hosts over the busiest channel, those to the LIDs of a port in "
        f"equal shares; it was {load:,.6g} before.",
    ]
    if before.audit.fabric.adaptive:
        text += [
            "",
            f"Adaptive routing is there, by {', '.join(before.audit.fabric.adaptive)}: these tables hold once",
        ]
        text[-1] += " it is off; `--assume static` judges them so."
    if reasons:
        text += ["", "Not written:", "", *(f"- {reason}" for reason in reasons)]
    for row in rows:
        text += ["", f"## How to load `{row.kind}`"]
        replies, folder = row.audit.replies, row.kind
        said = "" if replies is None else _REPLIES[replies.verdict.deadlock_free]
        text += ["", "Without a deadlock on the way:", ""]
        text += [f"{number}. {step}" for number, step in enumerate(row.steps, 1)]
        if "`step-1.lfts`" in row.steps[0]:
            text += ["", _BATCHES]
        lmc = lids = ""
        if row.lmc is not None:
            text.append(_LIDS.format(folder=folder, lmc=row.lmc, file=LIDS))
            lmc, lids = f" -l {row.lmc}", f" --lids {folder}/{LIDS}"
        how = _ONE if replies is None else _SEVERAL
        text.append(how.format(folder=folder, replies=said, lmc=lmc, lids=lids).rstrip("\n"))
    return "\n".join(text) + "\n" + _LOADED


def times(load: float, before: float) -> str:
    """Describe a load against the one before, such as ``345 (× 1.92)``."""
    return f"{load:,.6g} (× {load / before:.2f})" if before else f"{load:,.6g}"


def ethernet_repair_page(repaired: RepairedFabric) -> str:
    """Return the page as Markdown."""
    fabric, queues, after = repaired.before.fabric, repaired.queues, repaired.after
    bound = "fewer are impossible for these routes" if queues.lower_bound == queues.count else (
        f"fewer than {queues.lower_bound} are impossible for these routes"
    )  # fmt: skip
    text = [
        f"# Repaired queues of {fabric.name}",
        "",
        f"The routes and QoS maps that were read {CAN_DEADLOCK[repaired.before.deadlock_free]} under priority flow "
        f"control. {count(queues.count, 'queue')} for each lossless class will do; {bound}.",
        "",
    ]
    if after is None:
        text += [f"QoS maps are not written: {repaired.refused}. `{RULES}` has the rules for the TCAMs of switches."]
    else:
        places = count(len(after.losses), "place")
        losses = f", with {places} where lossless packets can be dropped" if after.losses else ""
        text += [
            "## QoS maps of SONiC",
            "",
            f"Free of deadlock: {ANSWERS[after.deadlock_free]}{losses}.",
            "",
            "1. Compare `config_db.json` of each switch with the one in use: only QoS maps and buffers differ. "
            "Where none was read, it has nothing else: put these tables into the switch's own file. Host ports that "
            f"no file names are `{HOSTS}`; the buffer profile `UNKNOT` stands for that of your cables.",
            "2. Stop lossless traffic, or expect losses: while some switches have the new maps and others the old, "
            "packets can fall into groups that hold nothing back.",
            "3. On each switch: `sudo config reload -y config_db.json`. It restarts the switch's services.",
            "4. Collect the files again and run `unknot audit` on them. Maps differ within a tier by intent: "
            "only switches at which packets bounce rewrite tags.",
            "",
            "Whether a platform takes `tc_to_dscp_map` in `PORT_QOS_MAP` was not tried on a switch. "
            f"`{RULES}` has the same rules as entries of a TCAM.",
        ]
    maps = repaired.maps
    if maps is not None and maps.free is False:
        text += ["", f"The route-maps of FRR, `{FILE}`, are no remedy here: the fabric can deadlock with them too."]
    elif maps is not None:
        text += [
            "",
            "## Instead, in one queue, route-maps of FRR",
            "",
            f"Free of deadlock: {ANSWERS[maps.free]}. On the cables in use they cut {maps.cut} of {maps.pairs} "
            "ordered pairs of switches with hosts off from each other.",
            "",
            f"1. On each switch: `vtysh -f SWITCH.{FILE}` (in a folder for each switch, `SWITCH/{FILE}`).",
            "2. `clear bgp ipv4 unicast * soft`, and `ipv6` likewise.",
            "3. Collect the files again and run `unknot audit` on them.",
        ]
    return "\n".join(text) + "\n"


def steps_of(change: Update | None) -> tuple[str, ...]:
    """Return in words how to update routers without a deadlock; None: more than tables is changed."""
    stop = "Stop all traffic, wait until no packet is on its way, load everything, and let traffic begin again"
    if change is None:
        return (f"{stop}: more than the tables of switches changes.",)
    network, order = change.mixture.old.network, change.order
    if change.deadlock_free and not change.lost:
        return ("Load the tables of the switches in any order, while traffic goes on.",)
    if order is None or not order.proofs:
        return (f"{stop}: no other way was proved to be safe.",)
    both, drained = change.mixture, set(order.drained)
    if drained and all(address in drained or not both.sources(address) for address in range(both.old.num_addresses)):
        return (f"{stop}: no order of switches was proved to be safe, nor any while some hosts are left out.",)
    if order.drained:
        names = ", ".join(map(change.mixture.old.address_name, order.drained))
        return (
            f"Send nothing to {names}, and wait until no packet to there is on its way.",
            "Load the tables of the switches in any order, while other traffic goes on.",
            "Wait until all switches have them, and let the traffic begin again.",
        )
    wait = "Wait until the packets have left that were sent before; then load"
    return tuple(
        f"{wait if number else 'Load'} the tables of {', '.join(map(network.router_name, batch))}, in any order, "
        f"`{name}`."
        for number, (batch, name) in enumerate(zip(order.batches, tables_of_steps(change), strict=True))
    )


def tables_of_steps(change: Update | None) -> list[str]:
    """Names of the files with the tables after each batch of an update; the last one has those of all routers."""
    batches = change.order.batches if change is not None and change.order is not None else ()
    return [*(f"step-{number}.lfts" for number in range(1, len(batches))), "tables.lfts"]
