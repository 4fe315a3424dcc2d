"""A broadcast over time
=====================

Cycle in which each terminal of a hypercube has the data.
"""

import matplotlib.pyplot as plt

from unknot.network.families import hypercube
from unknot.routing import dimension_order
from unknot.simulation import execute
from unknot_collectives import collective

relation = dimension_order(hypercube(4))
done = execute(relation, collective(relation.network, "broadcast", root=0, block=8))
plt.step(sorted(done.arrived), range(2, 17), where="post")
plt.xlabel("cycle")
plt.ylabel("terminals that have the data")
