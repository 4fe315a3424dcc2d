"""What several commands do alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot.commands.outcomes import FAILS, HOLDS, UNDECIDED, say

if TYPE_CHECKING:
    from unknot.routing.relation import Relation


def relation_of(network: str, routing: str, vcs: int | None) -> Relation:
    from unknot.studies import design

    built = design.network(network, where="NETWORK")
    design.require_connected(built)
    return design.routing(built, routing, vcs, where="--routing")


def exit_code(deadlock_free: bool | None, delivered: bool) -> int:
    if deadlock_free is None and delivered:
        return UNDECIDED
    return HOLDS if deadlock_free and delivered else FAILS


def write(path: Path, svg: str) -> None:
    from unknot.report.picture import write_picture

    write_picture(svg, path)
    say(f"wrote {path}")


def print_json(answer: dict[str, Any]) -> None:
    import json

    print(json.dumps(answer, indent=2, ensure_ascii=False))
