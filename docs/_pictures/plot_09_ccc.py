"""Cube-connected cycles
=====================

A hypercube with a ring in the place of each corner.
"""

from unknot.report import draw_network

picture = draw_network("cube_connected_cycles(3)")
