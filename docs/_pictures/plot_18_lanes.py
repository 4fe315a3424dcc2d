"""The fewest lanes
================

VCs that shortest paths need: one for each hop, as the textbook has it, and the fewest, found with proof.
"""

import matplotlib.pyplot as plt

from unknot.lane_assignment import lanes
from unknot.network import tod
from unknot.routing import hop_number

names = ["torus(5, 5)", "kautz(2, 3)", "de_bruijn(2, 4)", "petersen()", "irregular(16, 4, 1)"]
networks = [tod.network(name) for name in names]
by_hops = [int(hop_number(network).vcs.counts.max()) for network in networks]
fewest = [lanes(network, time_limit=10).count for network in networks]
places = range(len(names))
plt.bar([x - 0.2 for x in places], by_hops, 0.4, label="one for each hop")
plt.bar([x + 0.2 for x in places], fewest, 0.4, label="fewest lanes")
plt.xticks(list(places), names, fontsize=7)
plt.legend()
