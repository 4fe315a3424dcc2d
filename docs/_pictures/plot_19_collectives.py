"""All-gather: which algorithm wins
================================

Time over the bound, by the size of a block, on a 4×4 torus.
"""

from fractions import Fraction

import matplotlib.pyplot as plt

from unknot import collectives
from unknot.network.families import torus

platform = collectives.platform_of(torus(4, 4))
gather = collectives.Operation("all_gather", platform.members, Fraction(64))
lower = collectives.bound(platform, gather).time
sizes = [4**k for k in range(7)]
best = {}
for choice in collectives.candidates(platform, gather):
    times = [float(choice.time(Fraction(s)) / (lower * s / 64)) for s in sizes]
    best[choice.algorithm] = [min(a, b) for a, b in zip(times, best.get(choice.algorithm, times), strict=True)]
for name, ratios in best.items():
    plt.loglog(sizes, ratios, label=name)
plt.xlabel("flits of a block")
plt.ylabel("time over the bound")
plt.legend(fontsize=7)
