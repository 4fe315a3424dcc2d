"""Adaptivity of the turn models
=============================

Mean share of the shortest paths that a routing permits, over all pairs of a 4×4 mesh.
"""

import matplotlib.pyplot as plt

from unknot import routing
from unknot.network.families import mesh
from unknot.verify import adaptivity

names = ["dimension_order", "west_first", "north_last", "negative_first", "odd_even", "fully_adaptive"]
shares = [float(adaptivity(getattr(routing, name)(mesh(4, 4))).mean) for name in names]
plt.barh(names, shares)
plt.xlabel("permitted share of the shortest paths")
plt.tight_layout()
