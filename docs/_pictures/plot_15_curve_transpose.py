"""Adaptive routing under transpose
================================

What is slower under uniform traffic is faster here.
"""

import unknot

options = {"traffic": "transpose", "warmup": 500, "measure": 3000}
curves = unknot.curve("mesh(4, 4)", routing=["dimension_order", "odd_even"], loads="0.1:0.9:0.1", **options)
picture = curves.plot()
