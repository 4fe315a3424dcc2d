"""The kernels of the simulator that Python calls."""

from unknot._base.kernels.native import Native

HERE = "unknot.simulation.engine"

advance = Native(f"{HERE}.flit_kernel.advance", "number", "int64", "number")
advance_plain = Native(f"{HERE}.plain_kernel.advance", "number", "int64", "number")
served = Native(f"{HERE}.state_kernel.served", "number", "int64", "int64", "int64")
find_stuck = Native(f"{HERE}.stuck_kernel.find_stuck", "number", "int64", "bool")
decide = Native(f"{HERE}.cache_kernel.decide", "number", "int64")
unpack = Native(f"{HERE}.pack_kernel.unpack", "int64")
