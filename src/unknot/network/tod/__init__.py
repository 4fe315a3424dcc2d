"""The topology description language (TOD): any network in a line or two. Its syntax stands in grammar.lark.

ring(8) ** 2                            an 8 × 8 torus
line(2)[ring(3)] * line(2) ** 2         cube-connected cycles of order 3
{u -> 2*u % 64, u -> (2*u + 1) % 64 for u in 64}     de Bruijn's network of 64 routers
"""

from unknot.network.tod.plan import MAX_CHANNELS
from unknot.network.tod.read import network, read
from unknot.network.tod.syntax import TodError

__all__ = ["MAX_CHANNELS", "TodError", "network", "read"]
