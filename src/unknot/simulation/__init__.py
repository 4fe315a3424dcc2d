"""Flit-level runs of a routing relation, traces and closed loops, and replays of deadlock configurations."""

from unknot.simulation.closed_loop import ClosedLoop, closed_loop
from unknot.simulation.driver import simulate
from unknot.simulation.fault import Fault
from unknot.simulation.injection import Bursts
from unknot.simulation.limits import Saturation, saturation, zero_load_latency
from unknot.simulation.replay import Replay, replay
from unknot.simulation.replication import Runs, replicate
from unknot.simulation.router import Router
from unknot.simulation.run import Run
from unknot.simulation.series import Series
from unknot.simulation.trace import Trace, TracedMessage, TraceError
from unknot.simulation.trace_file import read_trace, write_trace
from unknot.simulation.trace_run import TraceRun, run_trace

__all__ = [
    "Bursts",
    "ClosedLoop",
    "Fault",
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
    "closed_loop",
    "read_trace",
    "replay",
    "replicate",
    "run_trace",
    "saturation",
    "simulate",
    "write_trace",
    "zero_load_latency",
]
