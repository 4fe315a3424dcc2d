"""A "deadlock-free" as a file for Coq: network, rule and certificate, and a theorem that Coq proves from them.

`deadlock.v`, which begins every such file, defines deadlock under each technique, and proves that a certificate of a
kind proves freedom. Coq derives the dependencies from the rule; the certificate only gives ranks.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from unknot.certificates import plain

Document = dict[str, Any]
TECHNIQUES = {"saf": "SAF", "vct": "VCT", "wormhole": "Wormhole", "wormhole-nonatomic": "Nonatomic"}
LEMMAS = {
    "order": "order_proves _ checked",
    "escape": "escape_proves _ checked _ W (or_introl eq_refl)",
    "drain": "drain_proves _ checked _ W wormhole_is_atomic",
}
"""How the theorem follows from the check of each kind of certificate, for a set W of packets."""


def coq_file(document: Document, claim: Document) -> str:
    """The text of a file that Coq (8.16 or newer) accepts if a claim of freedom holds.

    Parameters
    ----------
    document : dict
        A document, as `unknot.certificates.document` makes it.
    claim : dict
        One of its claims, that a relation is free of deadlock by a certificate `order`, `escape` or `drain`.

    Returns
    -------
    str
        The text.

    Raises
    ------
    Rejected
        If the claim is another, or its certificate a core that was searched.

    Examples
    --------
    >>> import unknot
    >>> from unknot.certificates import document, verdict_claim
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(unknot.network.families.ring(4), vcs=2)
    >>> claim = verdict_claim(unknot.verify.check(relation))
    >>> text = coq_file(document(relation.network, relation, [claim]), claim)
    >>> text.splitlines()[-1]
    'Print Assumptions free_of_deadlock.'
    """
    network = plain.Network(plain.field(document, "network", dict))
    table = plain.Table(network, plain.field(document, "relation", dict))
    proof = plain.field(claim, "proof", dict)
    kind, technique = proof.get("kind"), TECHNIQUES.get(claim.get("switching", ""))
    if kind not in LEMMAS or technique is None:
        raise plain.Rejected(f"Coq is given certificates of the kinds {', '.join(LEMMAS)}, and not {kind!r}")
    order = {number: place for place, number in enumerate(sorted({*proof["rank"]}), start=1)}
    rank = [order[number] for number in proof["rank"]]
    counts = document["relation"]["vcs"]
    lemma = LEMMAS[kind] if technique != "VCT" else LEMMAS[kind].replace("or_introl", "or_intror")
    ends = zip(network.source, network.target, counts, strict=True)
    channels = [f"Channel {u + 1} {v + 1} {count}" for u, v, count in ends]
    terminals = [f"Terminal {u + 1} {v + 1}" for u, v in zip(network.inject, network.eject, strict=True)]
    title = "".join(c if c not in '*"' else " " for c in network.name)
    parts = [files(__package__).joinpath("deadlock.v").read_text(encoding="utf-8")]
    parts += [_address(table, a, rank, levels=kind == "drain") for a in range(table.addresses)]
    addresses = ["a" + str(a) for a in range(table.addresses)]
    parts.append(
        f"(** * {title}, network {network.digest} *)\n\n"
        f"Definition the_channels := {_list(channels)}.\n"
        f"Definition the_terminals := {_list(terminals)}.\n"
        f"Definition the_table := {_list(addresses)}.\n"
        f"Definition the_ranks : list N := {_list([str(number) for number in rank])}%N.\n"
        f"Definition the_design :=\n"
        f"  Design the_channels the_terminals {_bool(table.commits)} the_table the_ranks.\n\n"
        f"Lemma checked : {kind} the_design = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\n\n"
        "Lemma all_there : closed the_design = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\n\n"
        "Theorem candidates_leave_the_router : legal the_design = true.\n"
        "Proof. vm_cast_no_check (eq_refl true). Qed.\n\n"
        "Theorem the_table_is_complete : forall a p, reachable the_design a p ->\n"
        "  exists r, In r (rows_of the_design a) /\\ place r = p.\n"
        "Proof. exact (every_reachable_state_has_a_row _ all_there). Qed.\n\n"
        f"Theorem free_of_deadlock : forall W, ~ deadlock the_design {technique} W.\n"
        f"Proof. intros W. exact ({lemma}{' _ W' if kind == 'order' else ''}). Qed.\n\n"
        "Print Assumptions free_of_deadlock.\n"
    )
    return "\n".join(parts)


def _address(table: plain.Table, address: int, rank: list[int], *, levels: bool) -> str:
    """The definition of an address: one each, since Coq's reader is recursive."""
    level = plain.drain_levels(table, address, rank) if levels else {}
    rows = []
    for at, candidates in table.may[address].items():
        waits = table.waits[address][at]
        more = [v for v in candidates if v not in waits]
        vcs = (_list([str(v + 1) for v in part if v != plain.EJECT]) for part in (waits, more))
        rows.append(f"Row {at + 1} {_bool(plain.EJECT in candidates)} {' '.join(vcs)} {level.get(at, 0)}")
    senders = _list([str(source) for source in table.sources[address]])
    return f"Definition a{address} := Address {table.destination[address]} {senders}%nat\n  {_list(rows)}."


def _list(entries: list[str]) -> str:
    return f"[{'; '.join(entries)}]"


def _bool(truth: bool) -> str:
    return "true" if truth else "false"
