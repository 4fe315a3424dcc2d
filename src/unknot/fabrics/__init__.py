"""Files: real fabrics, and every format a network is kept in."""

from unknot.fabrics.comparison import Changes, compare_fabrics
from unknot.fabrics.fabric import NO_ENTRY, Fabric
from unknot.fabrics.format import Format
from unknot.fabrics.formats import FORMATS, kind_of, write_network
from unknot.fabrics.ibnetdiscover import read_ibnetdiscover
from unknot.fabrics.ibsim import read_ibsim
from unknot.fabrics.reading import read_fabric, read_network, split_form
from unknot.fabrics.subnet_list import read_subnet_list

__all__ = [
    "FORMATS",
    "NO_ENTRY",
    "Changes",
    "Fabric",
    "Format",
    "compare_fabrics",
    "kind_of",
    "read_fabric",
    "read_ibnetdiscover",
    "read_ibsim",
    "read_network",
    "read_subnet_list",
    "split_form",
    "write_network",
]
