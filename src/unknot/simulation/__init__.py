"""Flit-level runs of a routing relation, traces and closed loops, and replays of deadlock configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot.simulation.energy.account import EnergyRun as EnergyRun
    from unknot.simulation.energy.option import Energy as Energy
    from unknot.simulation.engine.router import Router as Router
    from unknot.simulation.faults.fault import Fault as Fault
    from unknot.simulation.faults.fault_run import FaultRun as FaultRun
    from unknot.simulation.run.difference import LatencyDifference as LatencyDifference
    from unknot.simulation.run.difference import difference as difference
    from unknot.simulation.run.driver import simulate as simulate
    from unknot.simulation.run.limits import Saturation as Saturation
    from unknot.simulation.run.limits import saturation as saturation
    from unknot.simulation.run.limits import zero_load_latency as zero_load_latency
    from unknot.simulation.run.replication import Runs as Runs
    from unknot.simulation.run.replication import replicate as replicate
    from unknot.simulation.run.run import ClassRun as ClassRun
    from unknot.simulation.run.run import Run as Run
    from unknot.simulation.run.run import Series as Series
    from unknot.simulation.run.scenario import Measurement as Measurement
    from unknot.simulation.traces.closed_loop import ClosedLoop as ClosedLoop
    from unknot.simulation.traces.closed_loop import closed_loop as closed_loop
    from unknot.simulation.traces.replay import Replay as Replay
    from unknot.simulation.traces.replay import replay as replay
    from unknot.simulation.traces.trace_file import read_trace as read_trace
    from unknot.simulation.traces.trace_file import write_trace as write_trace
    from unknot.simulation.traces.trace_run import TraceRun as TraceRun
    from unknot.simulation.traces.trace_run import run_trace as run_trace
    from unknot.traffic.trace import Trace as Trace
    from unknot.traffic.trace import TracedMessage as TracedMessage
    from unknot.traffic.trace import TraceError as TraceError

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
