"""A run in another process, by the words that name its network and routing."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from unknot.errors import UnknotError
from unknot.routing.relation import Relation
from unknot.simulation.run.driver import simulate
from unknot.simulation.run.run import Run
from unknot.studies.design import network, routing


def run_by_words(words: dict[str, Any], load: float, options: dict[str, Any]) -> Run:
    """Simulate a relation built from its words: keys ``network``, ``routing`` and ``vcs``.

    Raises
    ------
    UnknotError
        Always this very class, whose text survives the way back from another process.
    """
    try:
        return simulate(_built(words["network"], words["routing"], words["vcs"]), load, **options)
    except UnknotError as error:
        raise UnknotError(str(error)) from None


@lru_cache(maxsize=1)
def _built(network_text: str, routing_text: str, vcs: int | None) -> Relation:
    return routing(network(network_text), routing_text, vcs)
