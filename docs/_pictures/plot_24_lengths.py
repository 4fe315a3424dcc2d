"""Short and long packets
======================

Latency of packets of 1 and 8 flits at the same load in flits.
"""

import matplotlib.pyplot as plt

import unknot

for length in (1, 8):
    loads = [0.1, 0.2, 0.3, 0.4]
    options = {"routing": "dimension_order", "packet_length": length, "warmup": 500, "measure": 3000}
    runs = [unknot.simulation.simulate("mesh(4, 4)", load, **options) for load in loads]
    plt.plot(loads, [run.latency_mean for run in runs], "o-", label=f"{length} flits")
plt.xlabel("offered load, flits per terminal and cycle")
plt.ylabel("mean latency, cycles")
plt.legend()
