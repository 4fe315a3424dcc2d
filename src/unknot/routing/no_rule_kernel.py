# mypy: ignore-errors
"""What stands in place of a compiled rule where a table answers for it."""

import numpy as np
from numba import cfunc

from unknot.types_kernel import RULE_SIGNATURE


@cfunc(RULE_SIGNATURE, cache=True)
def no_rule(at, address, pointer):
    """What kernels are given beside a table, and never call."""
    return np.int64(-1)
