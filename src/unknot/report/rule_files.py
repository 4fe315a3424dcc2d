"""Position-independent rules as Python files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unknot.synthesis import Rule


_FILE = '''"""{title}

{text}

Each line: what is left to go in each dimension; the virtual channel (VC) a header is in, or injection; what it may
take. x+ leads up dimension 0, y-1 is VC 1 of a channel down dimension 1. A blocked header waits for all it may
take.
"""

from __future__ import annotations

from unknot.synthesis import relation_of_offers
from unknot.network import Network
from unknot.routing import Relation

VCS = {counts}
"""VCs of a channel up and down each dimension."""
OFFERS = {{
{offers}
}}
"""For what is left: who is where, and what that header may take."""


def {name}(network: Network) -> Relation:
    """{title}"""
    return relation_of_offers(network, VCS, OFFERS, "{name}")
'''


def python_file(rule: Rule, title: str) -> str:
    """The text of a Python file whose function, named as the rule, is the routing.

    Parameters
    ----------
    title : str
        What the rule does, in a sentence; it becomes the first line.
    """
    rows = (
        (left, ", ".join(f'"{held}": "{choice}"' for held, choice in states.items()))
        for left, states in rule.table.items()
    )
    offers = "\n".join(f'    "{left}": {{{states}}},' for left, states in rows)
    return _FILE.format(title=title, text=rule.text, counts=rule.space.counts, offers=offers, name=rule.name)
