"""The evidence in a store of results, checked without its study: each row against the design that it names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from unknot._base.errors import UnknotError
from unknot.certificates import Verdict
from unknot.fabrics.named import network as network_named
from unknot.network.graph import digest
from unknot.routing.named import routing as routing_from
from unknot.routing.own import is_code, rooted
from unknot.routing.relation import Relation
from unknot.studies.points import Point, Proven, checked, routes_digest
from unknot.studies.store import rows_of


@dataclass(frozen=True)
class StoredEvidence:
    """The evidence of a row, and what is wrong with it.

    Attributes
    ----------
    design : str
        What the row is about, as it says itself.
    objection : str
        Why it was rejected; empty if it was accepted.
    open : bool
        Whether the row leaves the question open, without evidence.
    """

    design: str
    objection: str
    open: bool = False


def stored_evidence(store: str | Path) -> Iterator[StoredEvidence]:
    """Check the evidence of each proof in a store, and of each run that came to a deadlock.

    Networks and files of routes are read in the folder of the store, and nowhere else; no Python file is run.

    Raises
    ------
    StoreError
        If the store cannot be read, or has anything beside its table.
    """
    path = Path(store)
    relation = lru_cache(maxsize=8)(partial(_relation, path.parent))
    for key, text, result in rows_of(path):
        name = f"row {key[:16]!r}"
        try:
            if result is None:
                raise UnknotError("its checksum does not match")
            what = json.loads(text)
            name = ", ".join(str(what[part])[:100] for part in ("network", "routing", "switching", "kind"))
            point = Point(what, b"")
            if point.key != key:
                raise UnknotError("its key is that of another point")
            made = relation(*(what[part] for part in ("network", "routing", "vcs")))
            if digest(made.network) != what["network_digest"]:
                raise UnknotError("it is about another network of this name")
            if routes_digest(made) != what.get("routes", ""):
                raise UnknotError("it is about other routes of this name")
            point_answer = checked(point, made, result)
            verdict = point_answer.verdict if isinstance(point_answer, Proven) else point_answer.deadlock
        except UnknotError as error:
            yield StoredEvidence(name, str(error))
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            yield StoredEvidence(name, f"its point cannot be read: {type(error).__name__}")
        else:
            if verdict is not None:
                evident = not isinstance(verdict, Verdict) or verdict.certificate or verdict.configuration
                yield StoredEvidence(name, "", open=not evident)


def _relation(folder: Path, network: Any, routing: Any, vcs: Any) -> Relation:
    if not isinstance(network, str) or not isinstance(routing, str) or not isinstance(vcs, int | None):
        raise UnknotError("its network and routing are no texts")
    if is_code(routing):
        raise UnknotError("its routing is Python code, which is not run here")
    built = network_named(network, folder=folder, where="<point>", confined=True)
    return routing_from(built, rooted(routing, folder, confined=True), vcs, where="<point>")
