"""Load of channels under uniform traffic
======================================

The middle of a mesh carries most.
"""

import unknot
from unknot.report import draw_load

run = unknot.simulation.simulate("mesh(6, 6)", 0.3, routing="dimension_order", warmup=500, measure=2000)
picture = draw_load("mesh(6, 6)", run.utilisation)
