"""A closed loop
=============

Round trips grow with the requests that a terminal may have under way; so does throughput, up to a point.
"""

import matplotlib.pyplot as plt

from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.simulation import closed_loop

relation = dimension_order(mesh(4, 4), vcs=2)
windows = [1, 2, 4, 8, 16]
loops = [closed_loop(relation, requests=50, window=w, request_flits=1, reply_flits=4, seed=1) for w in windows]
plt.plot([loop.throughput for loop in loops], [loop.round_trip_mean for loop in loops], "o-")
plt.xlabel("throughput, flits per terminal and cycle")
plt.ylabel("mean round trip, cycles")
