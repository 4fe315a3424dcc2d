"""Shortest paths on random switches
=================================

Any shortest-path routing of an irregular network may close a cycle.
"""

import unknot
from unknot.network.families import irregular
from unknot.report import draw_configuration
from unknot.routing import shortest_paths

relation = shortest_paths(irregular(12, 4, 1, seed=3))
picture = draw_configuration(relation, unknot.check(relation).configuration)
