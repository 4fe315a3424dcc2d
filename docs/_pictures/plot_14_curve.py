"""Latency against load
====================

Each curve ends with the first load that is not stable.
"""

import unknot

options = {"packet_length": 4, "warmup": 500, "measure": 3000}
curves = unknot.curve("mesh(4, 4)", routing=["dimension_order", "odd_even"], loads="0.1:0.9:0.1", **options)
picture = curves.plot()
