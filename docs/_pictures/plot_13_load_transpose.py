"""The same under transpose
========================

Dimension order turns everything at the diagonal.
"""

import unknot
from unknot.report import draw_load

options = {"traffic": "transpose", "warmup": 500, "measure": 2000}
run = unknot.simulation.simulate("mesh(6, 6)", 0.2, routing="dimension_order", **options)
picture = draw_load("mesh(6, 6)", run.utilisation)
