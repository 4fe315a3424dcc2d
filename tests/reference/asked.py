"""Whether a document says what was asked, word for word: a naive twin of the comparison in the checker."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]


def untrue(document: Document, question: Document) -> str:
    """Why a document says something false, or foreign, in place of what was asked; empty if it says just that.

    A question states all answers, and true ones. So a claim that differs from it in any word but its proof
    is about something else, or says what is not so.
    """
    if len({*_names(document)}) < len(_names(document)):
        return "two parts share a name"
    gone = [_failed(part) for part in document.get("parts", ()) if "without" in part and "network" not in part]
    if any(one == other for number, one in enumerate(gone) for other in gone[:number]):
        return "one failure has two names"
    for name in _names(question):
        asked, said = _part(question, name), _part(document, name)
        if said is None:
            return f"part {name!r} is not there"
        if _network(question, asked) != _network(document, said) or _failed(asked) != _failed(said):
            return f"part {name!r} is about another network, or other failures"
        for asked_claim in asked["claims"]:
            like = [claim for claim in said["claims"] if _words(claim, said) == _words(asked_claim, asked)]
            if not like:
                return f"part {name!r} does not say what was asked of {asked_claim['subject']}"
            other = [claim for claim in said["claims"] if _topic(claim, said) == _topic(asked_claim, asked)]
            if len(other) > len(like):
                return f"part {name!r} answers {asked_claim['subject']} in two ways"
    return ""


def _names(document: Document) -> list[str]:
    return ["", *(part["name"] for part in document.get("parts", ()))]


def _part(document: Document, name: str) -> Any:
    return next((part for part in (document, *document.get("parts", ())) if part.get("name", "") == name), None)


def _network(document: Document, part: Document) -> Any:
    network = part.get("network") or document["network"]
    return network and {**network, "failed": _failed(part)}


def _failed(part: Document) -> Any:
    gone = part.get("without")
    return gone and {kind: {*gone[kind]} for kind in gone}


ANSWERED = {
    "impossible",
    "least",
    "held",
    "deadlock_free",
    "delivered",
    "longest",
    "minimal",
    "arrives",
    "bound",
    "time",
}
"""Names of answers; of `removals` and `escapes` `minimal` is none, and of `rules` `least`."""


def _words(claim: Document, part: Document) -> Document:
    """All that a claim says but its proof, each header's candidates as a set."""
    said = {
        key: _sorted(key, entry)
        for key, entry in claim.items()
        if key not in ("proof", "relation") and entry is not None
    }
    if "flow" in claim:
        said["flow"] = _flow(claim["flow"])
    relation = claim.get("relation") or part.get("relation")
    return {**said, "routing": relation and _reached(relation)}


def _sorted(key: str, entry: Any) -> Any:
    """Lists of pairs, flows, failures and faults in one order."""
    lists = key in ("sends", "flows", "failures", "faults", "unless", "drained") and isinstance(entry, list)
    return sorted(map(repr, entry)) if lists else repr(entry)


def _flow(flow: Document) -> list[Any]:
    """What flow control does, whatever its name; pools and their lists in one order, but for the VC of a mark."""
    pools = []
    for pool in flow.get("pools", []):
        keeps, vcs = pool.get("keeps", "nothing"), pool["vcs"]
        hops = sorted({repr(hop) for hop in pool.get("hops", [])})
        loose = sorted(v for v in {*pool.get("unguarded", [])} if v in vcs and keeps != "nothing")
        mark = vcs[:1] if keeps == "marked slot" else []
        pools.append(repr([sorted(vcs), mark, pool["slots"], pool.get("own", 0), keeps, hops, loose]))
    words = [flow.get("holds", "buffer"), flow.get("enters", "packet"), flow.get("may_change", True)]
    return [*words, flow.get("packets", 0), flow.get("cell", 1), sorted(pools)]


def _topic(claim: Document, part: Document) -> Document:
    kept = {"removals": {"minimal"}, "escapes": {"minimal"}, "rules": {"least"}}.get(claim["subject"], set[str]())
    words = {key: entry for key, entry in _words(claim, part).items() if key not in ANSWERED - kept}
    if "faults" in words:
        words["faults"] = sorted(repr([fault["channels"], fault["routers"]]) for fault in claim["faults"])
    return words


def _reached(relation: Document) -> Any:
    """The answers of a relation wherever packets come, by address; of an update's, as it stands."""
    if any(len(row) == 3 and isinstance(row[1], list) for rows in relation["states"] for row in rows):
        return repr({key: entry for key, entry in relation.items() if key != "name"})
    vcs, reached = sum(relation["vcs"]), []
    for address, rows in enumerate(relation["states"]):
        senders = relation["sources"][address] if relation["sources"] else range(10**4)
        table = {row[0]: row[1:] for row in rows}
        todo, seen = [vcs + sender for sender in senders if vcs + sender in table], dict[int, Any]()
        while todo:
            at = todo.pop()
            if at not in seen:
                seen[at] = sorted({*table[at]})
                todo += [max(v, -v - 2) for v in table[at] if v != -1]
        reached.append((sorted(seen.items()), sorted({*senders}) if relation["sources"] else None))
    return repr([relation["vcs"], relation["commits"], relation["destination"], reached])
