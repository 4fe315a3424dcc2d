"""An escape VC that does not help
===============================

Duato's routing deadlocks when a header may queue behind another packet, since it has committed itself.
"""

import unknot
from unknot.network.families import torus
from unknot.report import draw_configuration
from unknot.routing import duato

relation = duato(torus(4, 4))
picture = draw_configuration(relation, unknot.verify.check(relation, "wormhole-nonatomic").configuration)
