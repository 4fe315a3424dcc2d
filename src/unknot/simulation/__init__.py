"""Flit-level runs of a routing relation, traces and closed loops, and replays of deadlock configurations."""

from unknot.simulation.collectives import Execution, execute
from unknot.simulation.engine.router import Router
from unknot.simulation.faults.fault import Fault
from unknot.simulation.run.driver import simulate
from unknot.simulation.run.limits import Saturation, saturation, zero_load_latency
from unknot.simulation.run.replication import Runs, replicate
from unknot.simulation.run.run import ClassRun, Run, Series
from unknot.simulation.run.watch import Event, watch
from unknot.simulation.traces.closed_loop import ClosedLoop, closed_loop
from unknot.simulation.traces.replay import Replay, replay
from unknot.simulation.traces.trace_file import read_trace, write_trace
from unknot.simulation.traces.trace_run import TraceRun, run_trace
from unknot.traffic.trace import Trace, TracedMessage, TraceError
from unknot.traffic.workload import Bursts, Message, TrafficClass

__all__ = [
    "Bursts",
    "ClassRun",
    "ClosedLoop",
    "Event",
    "Execution",
    "Fault",
    "Message",
    "Replay",
    "Router",
    "Run",
    "Runs",
    "Saturation",
    "Series",
    "Trace",
    "TraceError",
    "TraceRun",
    "TracedMessage",
    "TrafficClass",
    "closed_loop",
    "execute",
    "read_trace",
    "replay",
    "replicate",
    "run_trace",
    "saturation",
    "simulate",
    "watch",
    "write_trace",
    "zero_load_latency",
]
