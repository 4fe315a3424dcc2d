"""The page beside repaired tables: what each remedy changes, how to load it, how to see that it was loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unknot.report.phrases import count
from unknot.verify.audit import Audit


@dataclass(frozen=True)
class Remedy:
    """Files of a remedy: its kind, folder, virtual lanes, changed table entries, and the verdict on the files."""

    kind: str
    folder: str
    lanes: int
    changed: int
    audit: Audit

    @property
    def longest(self) -> int | None:
        """Hops of the longest route between hosts."""
        return self.audit.host_to_host.delivery.longest_route


MEANING = {
    "same-routes": "the tables stay; packets get service levels, and with them lanes",
    "new-tables": "new tables of shortest paths, in as few lanes as were found",
    "up-down": "new tables by Up*/Down*: one lane, no service levels, routes may be longer",
}

_ONE = """
    opensm -R file,no_fallback -U {folder}/tables.lfts

"""
_SEVERAL = """
    opensm -F {folder}/opensm.conf -R file,no_fallback -U {folder}/tables.lfts

`opensm.conf` switches QoS on, maps each service level to the lane of the same number and names `qos-policy.conf`;
put its lines into your own options file if you have one. By this policy OpenSM answers every query for the path
between two hosts with the level in `paths.psl`. The remedy holds for senders that use the level they are given:

- what connects through `rdma_cm` or asks `ibacm` does, and so do MPI libraries configured to ask for path records;
- a program that takes LIDs from elsewhere and writes SL 0 into its packets does not, and is not protected;
- the accepting side of a connection usually answers at the level of the request. A pair whose two directions have
  different levels in `paths.psl` is then outside what was proved. `up-down` has no such condition.
"""
_LOADED = """
## How to see that it was loaded

1. `grep 'file tables configured on all switches' LOG`, LOG being OpenSM's log. Without `no_fallback`, OpenSM routes
   by minhop when the file is missing or broken, and still exits with code 0.
2. Dump the tables (`-D 0x43`, or `dump_lfts.sh`) and compare them, and what they do:
   `unknot audit --compare BEFORE AFTER` with folders, or `unknot audit FABRIC --tables opensm-lfts.dump`.
3. With service levels: `saquery -p --slid S --dlid D` shows the level of a path, `python -m unknot.fabrics.collect`
   asks for all of them, and `opensm-sl2vl.dump` has the lanes. Then `unknot audit FABRIC --tables opensm-lfts.dump
   --sl paths.psl --sl2vl opensm-sl2vl.dump`.

The tables belong to this cabling and these GUIDs. LIDs may differ: OpenSM finds the ports of a table by their GUIDs.
After a cable fails, OpenSM loads the same file again and the
routes over that cable are dead; repair anew, or fall back to another engine.
"""


def repair_page(before: Audit, rows: Sequence[Remedy], reasons: Sequence[str]) -> str:
    """The page as Markdown."""
    fabric = before.fabric
    state = {True: "cannot deadlock", False: "can deadlock", None: "were not decided"}[before.deadlock_free]
    text = [f"# Repaired tables for {fabric.name}", ""]
    text += [
        f"Read: {fabric.fabric_file}, {fabric.tables_file}. Between hosts these tables {state} ({before.assumption})."
    ]
    if before.loop:
        text += ["", f"The loop: {' → '.join([*before.loop, before.loop[0]])}."]
    text += ["", "| remedy | what it changes | lanes | entries changed | longest route | safe, and delivers |"]
    text += ["|---|---|---|---|---|---|"]
    for row in rows:
        text.append(
            f"| `{row.folder}` | {MEANING[row.kind]} | {row.lanes} | {row.changed:,} | "
            f"{'' if row.longest is None else count(row.longest, 'hop')} | {'yes' if row.audit.holds else 'NO'} |"
        )
    if reasons:
        text += ["", "Not written:", "", *(f"- {reason}" for reason in reasons)]
    for row in rows:
        text += ["", f"## How to load `{row.folder}`"]
        text.append((_ONE if row.audit.fabric.levels is None else _SEVERAL).format(folder=row.folder).rstrip("\n"))
    return "\n".join(text) + "\n" + _LOADED
