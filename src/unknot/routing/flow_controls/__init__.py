"""Builders of flow control: functions of a relation, ``(relation, **options) -> FlowControl``, a file each.

``--switching`` takes them by name: ``damq(reserved=1)``. docs/flow-control.md says how to write one.
"""

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot.routing.flow_controls.bubble import bubble as bubble
    from unknot.routing.flow_controls.cbfc import cbfc as cbfc
    from unknot.routing.flow_controls.damq import damq as damq
    from unknot.routing.flow_controls.named import flow_named as flow_named
    from unknot.routing.flow_controls.structured_pool import structured_pool as structured_pool
    from unknot.routing.flow_controls.whole_packet import whole_packet as whole_packet

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
