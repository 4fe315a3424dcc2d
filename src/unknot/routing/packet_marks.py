"""Marks of packets by which switches tell traffic classes: the DSCP and the priority of 802.1p."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.qos import DSCPS, PRIORITIES
from unknot.network.graph import reached_from


class Mark(NamedTuple):
    """DSCP and 802.1p priority with which a host sends."""

    dscp: int
    pcp: int

    def __str__(self) -> str:
        return f"{self.dscp} with 802.1p priority {self.pcp}" if self.pcp else str(self.dscp)


def marks_that_matter(fabric: EthernetFabric, only: Collection[int]) -> tuple[Mark, ...]:
    """Marks lossless at some switch, or remarked to such; the first of those treated alike everywhere.

    Parameters
    ----------
    only : collection of int
        DSCPs with which hosts send.
    """
    ports = {port for qos in fabric.qos for port in (qos.unknown, *qos.ports.values())}
    ends = [qos.tunnel for qos in fabric.qos]
    by_priority = any(port.dot1p_to_tc for port in ports)
    every = [Mark(dscp, pcp) for pcp in (range(PRIORITIES) if by_priority else [0]) for dscp in DSCPS]
    rows = {port: tuple(port.traffic_class(*mark) for mark in every) for port in ports}
    # Where a tunnel ends its maps hold, as far as it has them.
    maps = {(rows[one], one.tc_to_group, one.lossless) for one in ports} | {
        (
            tuple(end.decap_dscp_to_tc[mark.dscp] for mark in every) if end.decap_dscp_to_tc else rows[one],
            end.decap_tc_to_group or one.tc_to_group,
            one.lossless,
        )
        for end in {*ends} for one in ports
    }  # fmt: skip
    classes = [*{row for row, _, _ in maps}]
    kinds = {mark: tuple(row[i] for row in classes) for i, mark in enumerate(every)}
    remarks = {*(one.tc_to_dscp for one in ports), *(end.encap_tc_to_dscp for end in ends)} - {None}
    lossless = [m for i, m in enumerate(every) if any(groups[row[i]] in own for row, groups, own in maps)]
    becomes = {mark: {row[tc] for row in remarks if row for tc in kinds[mark]} for mark in every if remarks}
    becoming = reached_from(
        lossless, lambda to: [m for m, dscps in becomes.items() if to.dscp in dscps and to.pcp == m.pcp]
    )
    first: dict[tuple[int, ...], Mark] = {}
    for mark in every:
        if mark in becoming and mark.dscp in only:
            first.setdefault(kinds[mark], mark)
    return tuple(first.values())
