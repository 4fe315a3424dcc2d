"""Four switching techniques
=========================

Latency of packets of 4 flits: store-and-forward pays the length at every hop.
"""

import matplotlib.pyplot as plt

from unknot.simulation import simulate

loads = [0.05, 0.1, 0.2, 0.3]
for switching in ("saf", "vct", "wormhole", "wormhole-nonatomic"):
    options = {"switching": switching, "packet_length": 4, "warmup": 500, "measure": 3000}
    runs = [simulate("mesh(4, 4)", load, routing="dimension_order", vcs=2, **options) for load in loads]
    plt.plot(loads, [run.latency_mean for run in runs], "o-", label=switching)
plt.xlabel("offered load, flits per terminal and cycle")
plt.ylabel("mean latency, cycles")
plt.legend()
