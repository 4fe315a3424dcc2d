"""The smallest deadlock of minimal adaptive routing
=================================================

Proved to be the smallest: fewer than four packets cannot block each other.
"""

from unknot.network.families import mesh
from unknot.report import draw_configuration
from unknot.routing import fully_adaptive
from unknot.verify import smallest

relation = fully_adaptive(mesh(4, 4))
picture = draw_configuration(relation, smallest(relation).configuration)
