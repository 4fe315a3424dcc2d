"""Worms that block each other although buffers could not
======================================================

LCFAA is safe under virtual cut-through. Under wormhole, packets hold several channels at once.
"""

import unknot
from unknot.network.families import mesh
from unknot.report import draw_configuration
from unknot.routing import lcfaa

relation = lcfaa(mesh(4, 4))
picture = draw_configuration(relation, unknot.verify.check(relation, "wormhole").configuration)
