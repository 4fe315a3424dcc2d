"""The page beside a repaired Ethernet fabric: what was written, how to load it, and what was not tried."""

from __future__ import annotations

from unknot.repair.lossless import HOSTS, RULES, RepairedFabric
from unknot.repair.route_maps import FILE
from unknot.report.phrases import ANSWERS, CAN_DEADLOCK, count

PAGE = "README.md"


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
