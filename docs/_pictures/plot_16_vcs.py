"""More virtual channels
=====================

Accepted load of a torus at full load, by VCs of each channel.
"""

import matplotlib.pyplot as plt

import unknot

counts = [2, 4, 8]
options = {"routing": "dimension_order", "warmup": 500, "measure": 3000}
accepted = [unknot.simulation.simulate("torus(4, 4)", 1.0, vcs=n, **options).accepted_load for n in counts]
plt.plot(counts, accepted, "o-")
plt.xlabel("VCs per channel")
plt.ylabel("accepted load, flits per terminal and cycle")
