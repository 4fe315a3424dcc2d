"""Controllers with states: messages that wait inside a node, and the fewest virtual networks of a protocol.

A `StateTable` says what caches, directories and others do with each message in each state; `load_table` and
`load_slicc` read one from files, and `check_table` decides whether controllers can deadlock on virtual networks.
"""

from unknot.verify.controllers.cells import Assign as Assign
from unknot.verify.controllers.cells import Kind as Kind
from unknot.verify.controllers.cells import Send as Send
from unknot.verify.controllers.cells import TableCell as TableCell
from unknot.verify.controllers.decision import TableVerdict as TableVerdict
from unknot.verify.controllers.decision import check_table as check_table
from unknot.verify.controllers.expressions import TableError as TableError
from unknot.verify.controllers.finite import LeastRooms as LeastRooms
from unknot.verify.controllers.finite import least_rooms as least_rooms
from unknot.verify.controllers.network import check_on_network as check_on_network
from unknot.verify.controllers.slicc.reader import load_slicc as load_slicc
from unknot.verify.controllers.table import StateTable as StateTable
from unknot.verify.controllers.table_file import load_table as load_table
from unknot.verify.controllers.table_file import read_table as read_table

__all__ = [
    "Assign",
    "Kind",
    "LeastRooms",
    "Send",
    "StateTable",
    "TableCell",
    "TableError",
    "TableVerdict",
    "check_on_network",
    "check_table",
    "least_rooms",
    "load_slicc",
    "load_table",
    "read_table",
]
