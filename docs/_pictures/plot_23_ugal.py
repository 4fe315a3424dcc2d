"""Valiant beside minimal
======================

Tornado traffic on a ring: a detour through anywhere carries more than the shortest way.
"""

import matplotlib.pyplot as plt

import unknot

options = {"traffic": "tornado", "vcs": 4, "warmup": 500, "measure": 3000}
for name in ("dimension_order", "valiant"):
    loads = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    runs = [unknot.simulation.simulate("torus(8)", load, routing=name, **options) for load in loads]
    plt.plot(loads, [run.accepted_load for run in runs], "o-", label=name)
plt.xlabel("offered load")
plt.ylabel("accepted load")
plt.legend()
