"""Single failures
===============

Mean distance after each failed link of a mesh: links in the middle matter most.
"""

import matplotlib.pyplot as plt

from unknot import measure
from unknot.network.families import mesh

network = mesh(4, 4)
pairs = [(c, int(network.between(network.target[c], network.source[c])[0])) for c in range(network.num_channels)]
links = [pair for pair in pairs if pair[0] < pair[1]]
distances = [measure(network.without(channels=pair)).mean_distance for pair in links]
plt.hist(distances)
plt.axvline(measure(network).mean_distance, color="black", label="whole")
plt.xlabel("mean distance, hops")
plt.ylabel("failed links")
plt.legend()
