"""Path records asked of a running subnet manager, one query each, through `libibmad` (part of infiniband-diags).

One query takes a fraction of a millisecond, where a call of `saquery` takes tens. Nothing is asked but the service
level from one LID to another. As a program it answers lines of two LIDs.
"""

from __future__ import annotations

import ctypes as c
import sys
from typing import Any

from unknot._base.errors import UnknotError

_PATH_RECORD, _GET_TABLE = 0x35, 0x12
_DLID, _SLID = 1 << 4, 1 << 5
_AT_DLID, _AT_SLID, _AT_SL = 40, 42, 53
_CLASSES = (1, 0x81, 3)
"""Subnet management by LID and by directed route, subnet administration."""
TIMEOUT_MS = 1000


class _Route(c.Structure):
    _fields_ = (("cnt", c.c_int), ("p", c.c_uint8 * 64), ("drslid", c.c_uint16), ("drdlid", c.c_uint16))


class _Port(c.Structure):
    _fields_ = (
        ("lid", c.c_int), ("drpath", _Route), ("grh_present", c.c_int), ("gid", c.c_uint8 * 16), ("qp", c.c_uint32),
        ("qkey", c.c_uint32), ("sl", c.c_uint8), ("pkey_idx", c.c_uint),
    )  # fmt: skip


class _Call(c.Structure):
    _fields_ = (
        ("attrid", c.c_uint), ("mod", c.c_uint), ("mask", c.c_uint64), ("method", c.c_uint), ("trid", c.c_uint64),
        ("recsz", c.c_uint), ("rmpp", c.c_uint * 5),
    )  # fmt: skip


class SubnetAdministration:
    """A connection to the subnet administration of the fabric that this machine is on.

    Raises
    ------
    UnknotError
        If there is no libibmad, no adapter, or no subnet manager.
    """

    def __init__(self) -> None:
        try:
            self._library: Any = c.CDLL("libibmad.so.5")
        except OSError as error:
            raise UnknotError(
                f"path records are asked for with libibmad, which cannot be loaded ({error}); install the Debian "
                "package infiniband-diags"
            ) from error
        self._library.mad_rpc_open_port.restype = c.c_void_p
        self._library.mad_rpc_open_port.argtypes = [c.c_char_p, c.c_int, c.c_void_p, c.c_int]
        self._library.ib_resolve_smlid_via.argtypes = [c.c_void_p, c.c_int, c.c_void_p]
        self._library.sa_rpc_call.restype = c.c_void_p
        self._library.sa_rpc_call.argtypes = [c.c_void_p] * 4 + [c.c_uint]
        classes = (c.c_int * len(_CLASSES))(*_CLASSES)
        self._port = self._library.mad_rpc_open_port(None, 0, classes, len(_CLASSES))
        if not self._port:
            raise UnknotError("no InfiniBand port could be opened; run this on a host of the fabric, as root")
        self._manager = _Port()
        if self._library.ib_resolve_smlid_via(c.byref(self._manager), 0, self._port) < 0 or not self._manager.lid:
            raise UnknotError("no subnet manager answers on this fabric; is OpenSM running?")

    def service_level(self, slid: int, dlid: int) -> int | None:
        """Return the service level of the path from a LID to another; None without a path or an answer."""
        record = (c.c_uint8 * 1024)()
        record[_AT_DLID : _AT_DLID + 2] = list(dlid.to_bytes(2, "big"))
        record[_AT_SLID : _AT_SLID + 2] = list(slid.to_bytes(2, "big"))
        call = _Call(attrid=_PATH_RECORD, mask=_DLID | _SLID, method=_GET_TABLE)
        answer = self._library.sa_rpc_call(self._port, record, c.byref(self._manager), c.byref(call), TIMEOUT_MS)
        fields = [int.from_bytes(bytes(record[at : at + 2]), "big") for at in (_AT_DLID, _AT_SLID)]
        return record[_AT_SL] & 15 if answer and fields == [dlid, slid] else None


if __name__ == "__main__":
    administration = SubnetAdministration()
    for line in sys.stdin:
        print(administration.service_level(*map(int, line.split())), flush=True)
