"""Let host ports join a multicast group: ``python -m tests.fabric_loop.joining MGID PORT_GUID …``.

Run where the subnet manager answers, as under `ibsim`. The ports need not be those of this host (a proxy join). A
group that is not there is created, on the default partition with MTU 2048, 10 Gb/s and service level 0.
"""

from __future__ import annotations

import ctypes as c
import sys
from ipaddress import IPv6Address

from unknot.fabrics.managed.subnet_administration import TIMEOUT_MS, SubnetAdministration, _Call

_MC_MEMBER, _SET = 0x38, 0x02
_MGID, _PORT, _QKEY, _TCLASS, _PKEY, _SL, _FLOW, _JOIN = 0, 1, 2, 6, 7, 12, 13, 16
_PREFIX = 0xFE80 << 48


def join(connection: SubnetAdministration, group: str, port_guid: int) -> int:
    """Make a port a full member of a group; return the MLID, or 0 if the subnet manager refused."""
    record = (c.c_uint8 * 1024)()
    record[0:16] = list(IPv6Address(group).packed)
    record[16:32] = list((_PREFIX << 64 | port_guid).to_bytes(16, "big"))
    record[32:36] = list((0xB1B).to_bytes(4, "big"))
    record[40:42] = list((0xFFFF).to_bytes(2, "big"))
    record[48] = 0x21
    mask = sum(1 << bit for bit in (_MGID, _PORT, _QKEY, _TCLASS, _PKEY, _SL, _FLOW, _JOIN))
    call = _Call(attrid=_MC_MEMBER, mask=mask, method=_SET)
    library, manager = connection._library, connection._manager
    answer = library.sa_rpc_call(connection._port, record, c.byref(manager), c.byref(call), TIMEOUT_MS)
    return int.from_bytes(bytes(record[36:38]), "big") if answer else 0


if __name__ == "__main__":
    administration = SubnetAdministration()
    found = {join(administration, sys.argv[1], int(guid, 16)) for guid in sys.argv[2:]}
    print(" ".join(f"0x{mlid:04x}" for mlid in sorted(found)))
