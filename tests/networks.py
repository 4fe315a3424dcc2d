"""Networks of the catalogue: the core's, and those of families that stand beside it where they are installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from unknot.network import Network, Places, Wires
from unknot.network.tod.functions import foreign
from unknot.verify.testing import NETWORKS

OF_PAPERS = ("rcbn(8)", "composite_banyan(4)")
CATALOGUE = (*NETWORKS, *(text for text in OF_PAPERS if text.partition("(")[0] in foreign()))


def in_parts(attributes: Mapping[str, Any], of: Network | None = None) -> dict[str, Any]:
    """Keywords of `Network` for attributes by their names; parts keep what else they are `of` a network."""
    own = dict(attributes)
    for part, kind in (("wires", Wires), ("places", Places)):
        stated = {one.name: own.pop(one.name) for one in fields(kind) if one.name in own}
        if stated:
            own[part] = replace(kind() if of is None else getattr(of, part), **stated)
    return own
