"""End points that are finite: message classes, queues of terminals, and deadlocks through them.

`Protocol` describes what a terminal does; `protocol` finds one by its name or in a file; `check_protocol` decides
whether a routing can deadlock with it, and gives a run from the empty network to a deadlock if it can.
"""

from unknot.verify.protocols.decision import check_protocol as check_protocol
from unknot.verify.protocols.named import PROTOCOLS as PROTOCOLS
from unknot.verify.protocols.named import protocol as protocol
from unknot.verify.protocols.protocol import Follow as Follow
from unknot.verify.protocols.protocol import MessageClass as MessageClass
from unknot.verify.protocols.protocol import Protocol as Protocol
from unknot.verify.protocols.protocol import ProtocolError as ProtocolError
from unknot.verify.protocols.protocol import Queue as Queue
from unknot.verify.protocols.protocol_file import load_protocol as load_protocol
from unknot.verify.protocols.protocol_file import read_protocol as read_protocol
from unknot.verify.protocols.verdict import ProtocolVerdict as ProtocolVerdict

__all__ = [
    "PROTOCOLS",
    "Follow",
    "MessageClass",
    "Protocol",
    "ProtocolError",
    "ProtocolVerdict",
    "Queue",
    "check_protocol",
    "load_protocol",
    "protocol",
    "read_protocol",
]
