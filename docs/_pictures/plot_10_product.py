"""A network in one line
=====================

A ring times a line of two, with long links on the ring.
"""

from unknot.report import draw_network

picture = draw_network("ring(8, latency=3) * line(2)")
