"""A rule as a Python file: a routing of one's own, in the style of the rest."""

from __future__ import annotations

from unknot.design.rule import Rule
from unknot.design.space import shown

_FILE = '''"""{title}

{text}

Each line: what is left to go in each dimension; the virtual channel (VC) a header is in, or injection; what it may
take. x+ leads up dimension 0, y-1 is VC 1 of a channel down dimension 1. A blocked header waits for all it may
take.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network, grid
from unknot.routing import EJECT, Relation, VirtualChannels

VCS = {counts}
"""VCs of a channel up and down each dimension."""
TYPES = {types}
INJECTION = "injection"
OFFERS = {{
{offers}
}}
"""For what is left: who is where, and what that header may take."""


def {name}(network: Network) -> Relation:
    """{title}"""
    product = grid(network)
    dimensions = len(VCS)
    if product.wraps.any() or product.radices.size != dimensions:
        raise RelationError(f"{name} needs a mesh of {{dimensions}} dimensions, not {{network.name}}")
    places = VirtualChannels(network, np.array(VCS)[product.dimension, product.down.astype(int)])
    along = np.array([i for i, pair in enumerate(VCS) for count in pair for _ in range(count)])
    down = np.array([side for pair in VCS for side, count in enumerate(pair) for _ in range(count)])
    index = np.array([k for pair in VCS for count in pair for k in range(count)])
    start = np.zeros((dimensions, 2), dtype=np.int64)
    for kind in range(len(TYPES) - 1, -1, -1):
        start[along[kind], down[kind]] = kind
    may = np.zeros((len(TYPES) + 1, 3**dimensions, len(TYPES)), dtype=bool)
    for left, states in OFFERS.items():
        code = sum("0+-".index(sign) * 3**i for i, sign in enumerate(left))
        for held, outs in states.items():
            for name in held.split():
                row = len(TYPES) if name == INJECTION else TYPES.index(name)
                may[row, code, [TYPES.index(out) for out in outs.split()]] = True
    channel, coordinates, home = product.channel, product.coordinates, network.eject
    router, first = places.router, places.first
    num_vcs, kinds = places.total, len(TYPES)
    held_of = start[product.dimension[places.channel], product.down[places.channel].astype(int)] + places.index

    def rule(at, address, out):
        here, there = router[at], home[address]
        code, weight = 0, 1
        for i in range(dimensions):
            a, b = coordinates[here, i], coordinates[there, i]
            code += weight * (1 if a < b else 2 if a > b else 0)
            weight *= 3
        if code == 0:
            out[0] = EJECT
            return 1
        held = held_of[at] if at < num_vcs else kinds
        count = 0
        for kind in range(kinds):
            port = channel[here, 2 * along[kind] + down[kind]]
            if may[held, code, kind] and port >= 0:
                out[count] = first[port] + index[kind]
                count += 1
        return count

    return Relation(network, places, rule, name="{name}", claims_minimal=True)
'''


def python_file(rule: Rule, title: str) -> str:
    """The text of a Python file whose function, named as the rule, is the routing.

    Parameters
    ----------
    title : str
        What the rule does, in a sentence; it becomes the first line.
    """
    offers: dict[str, list[str]] = {}
    for signs, held, choice in rule.rows():
        offers.setdefault(shown(signs), []).append(f'"{held}": "{choice}"')
    lines = [f'    "{left}": {{{", ".join(states)}}},' for left, states in offers.items()]
    space = rule.space
    types = "(" + ", ".join(f'"{name}"' for name in space.names) + ")"
    return _FILE.format(
        title=title, text=rule.text, counts=space.counts, types=types, offers="\n".join(lines), name=rule.name
    )  # fmt: skip
