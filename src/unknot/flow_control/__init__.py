"""Flow control: how packets take and give back buffers; the command calls it the switching technique.

Prover, witness, simulator and report read the same record, `FlowControl`, by properties and never by name. The
checker of evidence has a reading of its own.
"""

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot.flow_control.model import FlowControl as FlowControl
    from unknot.flow_control.pools import Pool as Pool
    from unknot.flow_control.techniques import technique as technique

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
