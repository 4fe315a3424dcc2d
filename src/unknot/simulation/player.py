"""The loop of all runs: a source of packets says how far the network may run by itself, and the player watches it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from unknot._base.errors import SimulationError
from unknot._base.numbers import require_whole
from unknot._base.progress import Progress
from unknot.simulation.engine.codes import NO_CYCLE
from unknot.simulation.engine.engine import Engine
from unknot.traffic.trace import MOST

CHECK = 512
"""Cycles between two looks for a knot."""
CUT_OFF = "the limit"
"""How the reason begins where the limit of cycles ended a run."""
REPORT = 1000
"""Cycles between two reports of a stage."""


class PacketSource(ABC):
    """What brings packets into a network; each kind of run has a source of its own.

    Attributes
    ----------
    engine : Engine
    left : int
        Packets to come or to arrive, as far as anybody knows; 0 at the end.
    may_skip : bool
        Whether the network is empty until the next stop.
    skipped : int
        Cycles in which it was, and the engine stood still.
    words : str
        The stage of the run.
    why : str
        Reason to give up; empty as long as there is none.
    looked : int
        Cycle of the last look for a knot.
    """

    engine: Engine
    left = 1
    skipped = looked = 0
    may_skip = False
    words = why = ""

    @property
    def now(self) -> int:
        """The cycle to be simulated next."""
        return self.engine.now + self.skipped

    @abstractmethod
    def begin(self) -> int | None:
        """Do what happens before this cycle; return the next cycle with anything to do, None to end."""

    def end(self) -> None:  # noqa: B027 -- most sources look at nothing
        """See what has happened since `begin`."""

    def is_due(self, *, is_quiet: bool) -> bool:
        """Whether to look for a knot now; `is_quiet` says that nothing moves any more."""
        return not is_quiet and self.now // CHECK > self.looked // CHECK

    def find_knot(self) -> bool:
        """Look for packets that can never move again."""
        self.looked = self.now
        return self.engine.find_knot()

    def report(self, progress: Progress) -> None:
        """Tell how far the run is."""
        progress(self.words, self.now, 0)


class DrawnPackets(PacketSource):
    """Packets that kernels draw by themselves.

    Parameters
    ----------
    engine : Engine
    stops : iterator of int
        Cycles to run to; what yields them acts in between, and is not asked again after a knot.
    """

    def __init__(self, engine: Engine, stops: Iterator[int]) -> None:
        self.engine, self.stops = engine, stops
        self.stop = self.looked = engine.now

    def begin(self) -> int | None:
        """Run to the next stop, or to the next look for a knot."""
        while self.now >= self.stop:
            stop = next(self.stops, None)
            if stop is None:
                return None
            self.stop = stop
        return min(self.stop, self.now + CHECK - self.now % CHECK)


def play(source: PacketSource, *, limit: int | None = None, progress: Progress | None = None) -> str:
    """Run until nothing is left of a source, a knot is found, or a limit is reached.

    Parameters
    ----------
    source : Source
    limit : int, optional
        Cycle in which to stop.
    progress : callable, optional
        Called with a stage and the cycle reached, see `Source.report`.

    Returns
    -------
    str
        Why the run ended early, if not for a knot (`Engine.deadlock`); else empty.

    Raises
    ------
    SimulationError
        If the limit is no number of cycles.
    """
    if limit is not None:
        require_whole("limit", limit, 0, MOST, unit="cycles", error=SimulationError)
    end = NO_CYCLE if limit is None else limit
    told = ("", 0)
    while source.left and not source.why:
        if source.now >= end:
            source.why = f"{CUT_OFF} of {limit} cycles was reached"
            break
        stop = source.begin()
        if stop is None:
            break
        is_quiet = advance(source, min(stop, end))
        source.end()
        if progress is not None and (source.words != told[0] or source.now - told[1] >= REPORT):
            told = source.words, source.now
            source.report(progress)
        if source.is_due(is_quiet=is_quiet) and source.find_knot():
            return ""
    return "" if source.why and source.find_knot() else source.why


def advance(source: PacketSource, until: int) -> bool:
    """Simulate up to a cycle; return whether the network stopped before because nothing moves any more."""
    engine = source.engine
    setup = engine.parts[0].setup
    wheel = int(max(setup.slots, setup.far_slots)) + 1
    if source.may_skip and until - source.now > 2 * wheel:
        engine.advance(engine.now + wheel)
        # Nothing on the way, and all credits are back: the clock of the kernel may stand still.
        source.skipped += until - source.now
    return engine.advance(until - source.skipped)


def run(engine: Engine, cycles: int) -> bool:
    """Simulate that many cycles more of packets that kernels draw; return whether no knot was found."""
    play(DrawnPackets(engine, iter([engine.now + cycles])))
    return engine.deadlock is None
