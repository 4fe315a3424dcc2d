"""What routings with message classes share: names, addresses for each class, and candidates on the VCs of a class."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import RelationError
from unknot.routing.address_names import PairNames
from unknot.routing.relation import EJECT, VC_MASK, Out, Relation


def moved_to_class(out: Out, count: int, kind: int, outer: npt.NDArray[np.int64]) -> int:
    """Move candidates to the VCs of a class; called by rules. ``outer[kind, vc]`` is the VC in place of `vc`."""
    for k in range(count):
        vc = out[k] & VC_MASK
        if vc != EJECT:
            out[k] += outer[kind, vc] - vc
    return count


def once_for_each(relation: Relation, names: tuple[str, ...]) -> dict[str, Any]:
    """Arguments of a relation that has the addresses of another once for each message class."""
    return {
        "destination": np.tile(relation.destination, len(names)),
        "may_use": None if relation.may_use is None else np.tile(relation.may_use, len(names)),
        "claims_minimal": relation.claims_minimal,
        "address_labels": PairNames(len(names), relation.num_addresses, partial(_name, relation, names)),
        "source": relation.source,
        "classes": names,
        "selection": relation.selection,
        **({} if relation.decides is None else {"direct": relation.direct, "decides": relation.decides}),
    }


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of message classes; RelationError if there are none, two are alike, or one is no text."""
    given = () if isinstance(names, str) else tuple(names)
    if not given or len(set(given)) < len(given) or not all(isinstance(name, str) and name.strip() for name in given):
        raise RelationError(f"message classes are names, at least one and no two alike; got {names!r}")
    return given


def _name(relation: Relation, names: tuple[str, ...], kind: int, address: int) -> str:
    return f"{relation.address_name(address)} ({names[kind]})"
