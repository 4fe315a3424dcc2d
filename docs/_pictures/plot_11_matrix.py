"""Who is joined to whom
=====================

From 600 routers on, a matrix often says more than lines.
"""

from unknot.report import draw_network

picture = draw_network("torus(26, 26)", view="matrix")
