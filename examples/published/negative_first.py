"""Negative-first routing of xuanz20/Network-on-Chip-Verilog (design/RouteCompute.v at commit 6440ca78)."""

from unknot import EJECT, Relation
from unknot.network import Network, grid
from unknot.routing.parts import Published


def alternating(network: Network) -> Relation:
    """Return the routing of a mesh: hops down first, and in odd columns x before y, in even columns y before x."""
    product = grid(network)
    at_column, channel, router, home = product.coordinates, product.channel, network.target, network.eject
    channels = network.num_channels

    def rule(at: int, address: int, out: list[int]) -> int:
        here = router[at] if at < channels else network.inject[at - channels]
        there = home[address]
        out[0] = EJECT
        for up in range(2):
            for turn in range(2):
                dimension = turn if at_column[here, 0] % 2 == 1 else 1 - turn
                a, b = at_column[here, dimension], at_column[there, dimension]
                if (a < b) if up == 1 else (a > b):
                    out[0] = channel[here, 2 * dimension + 1 - up]
                    return 1
        return 1

    return Relation(network, 1, rule, name="alternating", published=Published({"vct": True}, claims_minimal=True))
