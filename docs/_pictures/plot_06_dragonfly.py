"""A dragonfly
===========

Nine groups of four routers; every two groups share a global link.
"""

from unknot.report import draw_network

picture = draw_network("dragonfly(4)")
