"""Four packets that block each other for ever
===========================================

Dimension order on a torus with one VC: each packet holds a channel and waits for the next.
"""

import unknot
from unknot.network.families import torus
from unknot.report import draw_configuration
from unknot.routing import dimension_order

relation = dimension_order(torus(4, 4))
picture = draw_configuration(relation, unknot.check(relation).configuration)
