"""A Slim Fly
==========

Fifty routers of diameter two.
"""

from unknot.report import draw_network

picture = draw_network("slim_fly(5)")
