"""A run in progress: the state, the kernel called in pieces, and the knot when it ties itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.kernels.native import Native
from unknot._base.memory import require
from unknot.certificates.verdict import Configuration
from unknot.simulation.energy.account import Meter
from unknot.simulation.engine import codes as status
from unknot.simulation.engine import kernels
from unknot.simulation.engine.allocated import allocated, link_rows
from unknot.simulation.engine.codes import EVERY_HOP, INJECTED, SPAN
from unknot.simulation.engine.detector import fail, knot, of_terminals, stuck_vcs
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.pairs import nobody
from unknot.simulation.engine.room import admitting_more, with_room
from unknot.simulation.engine.routing_cache import fill
from unknot.simulation.engine.sources import Sources
from unknot.simulation.engine.state import TABLES
from unknot.simulation.engine.state_arrays import State
from unknot.simulation.engine.table_sizes import AT_ONCE
from unknot.simulation.engine.tables import empty_network
from unknot.simulation.engine.watchdog import Watchdog
from unknot.simulation.faults.striking import Faults
from unknot.simulation.run.scenario import Scenario

ENOUGH = 20_000_000
"""Buffers × cycles in a call of the kernel: less than half a second of work."""


class Engine:
    """A network that is being simulated.

    Attributes
    ----------
    parts : list of State
        One for each thread, as the kernel leaves them. Columns and entries are named in `state` and `setup`.
    deadlock : Configuration or None
        Set as soon as a knot is found; the run then stands still.
    meter : Meter or None
        Computes the energy of events, which are then counted.
    nodes : int
        Terminals, those of several subnets and their ports once.
    calls_from : int
        Flit-hops from which calls of the rule are counted, to decide when the routing cache pays.
    looks_again : int
        Calls from which the routing cache looks again for the kernel that fills it.
    records : list of lists of float
        With an `interval`, at its ends so far: packets created, cycles drawn by all sources, flits ejected, sum of
        the latencies, packets that arrived, flits inside, and the mean cycles that sources are behind.
    """

    def __init__(
        self,
        scenario: Scenario,
        sources: Sources | Mix | None = None,
        *,
        threads: int = 1,
        interval: int | None = None,
        general: bool = False,
    ) -> None:
        """Set up a scenario in cycle 0, with the traffic of `sources`, or without sources the packets put in by the
        caller.

        With `general` all routers take the general path, whose tables others may read and write between cycles.
        """
        self.scenario, self.relation, watchdog = scenario, scenario.simulated, scenario.watchdog
        # Slots of VCs and pools, and packets that are dropped or lost, are in tables of routers on the general path.
        network, in_one_part = (
            self.relation.network,
            scenario.control.slotted or watchdog > 0 or bool(scenario.faults),
        )
        if sources is None:
            sources = Sources(0.0, nobody(network.num_terminals), scenario.traffic.packet_length)
        threads = 1 if in_one_part else max(1, min(threads, network.num_routers))
        self.sources, self.parts = sources, empty_network(scenario, sources, threads, general=general or in_one_part)
        self.nodes = network.num_terminals // (sources.subnets * scenario.router.terminal_width)
        self.watchdog = Watchdog(self.relation, self.parts[0], watchdog) if watchdog else None
        self.faults: Faults | None = None
        if scenario.faults and isinstance(sources, Sources):
            self.faults = Faults(scenario, sources)
        self.deadlock: Configuration | None = None
        self.meter: Meter | None = None
        self.calls_from = self.looks_again = 0
        self.interval, self.records = interval, [] if interval is None else [self._record()]
        self._piece = max(1, ENOUGH // len(self.parts[0].inputs)) if len(self.parts[0].inputs) else ENOUGH

    def keep_pairs(self) -> None:
        """Count measured packets by source and destination from now on.

        Raises
        ------
        SizeError
            If the pairs take more memory than there may be.
        """
        many = self.relation.network.num_terminals**2
        require(f"figures of {many} pairs of terminals", many * len(self.parts) * TABLES["seen"].itemsize)
        self.parts = [part.replaced(seen=many) for part in self.parts]

    def pairs(self, column: str) -> npt.NDArray[np.int64]:
        """A column of `seen`: int64 array, shape (terminals, terminals), by source and destination."""
        terminals = self.relation.network.num_terminals
        return np.asarray(sum(part.seen[column] for part in self.parts)).reshape(terminals, terminals)

    def keep_events(self) -> None:
        """Count flits and headers of each link and class from now on, in cycle 0."""
        classes = max(1, int(self.parts[0].setup.classes))
        self._links = link_rows(self.relation, self.parts[0])
        many = classes * len(self.parts[0].out_ports)
        self.parts = [part.replaced(allocated=many) for part in self.parts]
        for part in self.parts:
            part.setup.metered = EVERY_HOP if part.differ else INJECTED
        self._vanished = np.zeros((2, classes, self._links.size), dtype=np.int64)

    def events(self) -> tuple[Ints, Ints]:
        """Flits sent into each link so far, and headers that were allocated a VC of it.

        Arrays of shape (classes, links); links are channels, then those from terminals, then those to terminals.
        """
        self.state  # noqa: B018 brings rows up to date
        flits, headers = allocated(self.parts, self._links) - self._vanished
        return flits, headers

    @contextmanager
    def _losing(self) -> Iterator[None]:
        """Keep flits that vanish before they were sent from being counted as sent, and their headers counted."""
        if not len(self.parts[0].allocated):
            yield
            return
        before = self.events()
        yield
        self._vanished += np.subtract(self.events(), before)

    @property
    def state(self) -> State:
        """The state of the first part, that of a run with one thread. Rows of all parts are brought up to date."""
        for part in self.parts:
            if part.count.packed:
                kernels.unpack(part.raw, 1)
        return self.parts[0]

    @property
    def now(self) -> int:
        """The cycle to be simulated next."""
        return int(self.parts[0].count.now)

    def count(self, entry: str) -> int:
        """A counter of the run, by its name in `setup.COUNT`."""
        return sum(int(part.count[entry]) for part in self.parts)

    def latencies(self) -> npt.NDArray[np.int64]:
        """Latencies of the measured packets that arrived, in no order that means anything."""
        return np.concatenate([part.latencies[: part.count.measured_arrived] for part in self.parts])

    def carried(self) -> npt.NDArray[np.int64]:
        """Flits that each channel was given so far: int64 array, shape (channels,)."""
        state, first = self.parts[0], self.relation.vcs.first[:-1]
        carried: npt.NDArray[np.int64] = state.out_ports.carried[state.outputs.port[state.out_row[first]]]
        return carried

    def ejected(self) -> npt.NDArray[np.int64]:
        """Flits that each terminal was given so far: int64 array, shape (nodes,)."""
        state = self.parts[0]
        carried = state.out_ports.carried[state.outputs.port[state.ejection_row]]
        return np.asarray(carried.reshape(-1, self.nodes).sum(axis=0), dtype=np.int64)

    def stored(self) -> npt.NDArray[np.int32]:
        """Flits in the buffer of each VC: int32 array, shape (VCs,)."""
        for part in self.parts:
            if part.count.packed:
                kernels.unpack(part.raw, 0)
        part = self.parts[0]
        inputs = np.asarray(part.tables["inputs"])  # of records a look takes longer, which short runs notice
        stored: npt.NDArray[np.int32] = inputs["stored"][part.tables["in_row"][: self.relation.num_vcs]]
        return stored

    def measure(self, begin: int, end: int) -> None:
        """Measure the packets created from cycle `begin` to before `end`."""
        for part in self.parts:
            part.setup.measure_from, part.setup.measure_to = begin, end

    def lag(self) -> npt.NDArray[np.int64]:
        """Return the cycles that each source is behind: about the age of the packet at the head of its queue."""
        # Sources on the fast path may have drawn ahead, which is no more than being up to date.
        drawn: npt.NDArray[np.int64] = np.asarray(self.parts[0].tables["terminals"])["drawn"]
        lag: npt.NDArray[np.int64] = np.maximum(0, self.now - drawn)
        terminals = self.relation.network.num_terminals
        return lag if self.sources.subnets == 1 else lag.reshape(-1, terminals)[:, -self.nodes :].reshape(-1)

    def _record(self) -> list[float]:
        inside = self.count("flits_in") - self.count("flits_out")
        drawn = int(self.state.terminals.drawn.sum())
        counts = (self.count(entry) for entry in ("flits_out", "latency", "arrived"))
        return [self.count("created"), drawn, *counts, inside, float(self.lag().mean())]

    def owes(self, end: int) -> bool:
        """Whether replies created before a cycle wait to be sent."""
        first = self.state.replies.first
        return bool((self.state.packets.created[first[first >= 0]] < end).any())

    def find_knot(self) -> bool:
        """Look for packets that can never move again; True after setting `deadlock` to such a knot.

        A watchdog unties all knots, so there are none with one.
        """
        if self.watchdog is None and self.count("flits_in") > self.count("flits_out"):
            kernels.link(self.parts[0])
            stuck = stuck_vcs(self.relation, self.state)
            if stuck.any():
                tied = knot(self.scenario, self.state, stuck)
                self.deadlock = tied if self.scenario.router.terminal_width == 1 else of_terminals(tied, self.nodes)
                if self.faults is not None and self.faults.struck:
                    self.deadlock = replace(self.deadlock, reachability="not-established")
        return self.deadlock is not None

    def advance_to(self, cycle: int) -> None:
        """Simulate up to a cycle, also where nothing moves."""
        while self.now < cycle:
            self.advance(cycle)

    def advance(self, until: int) -> bool:
        """Simulate up to a cycle; True when it stopped before because nothing moves any more.

        Raises
        ------
        RelationError
            If a header has no candidate, or the rule breaks its contract.
        """
        while self.interval and (stop := self.interval * len(self.records)) <= until:
            is_quiet = self._simulate(stop) if self.now < stop else False
            if self.now < stop:
                return is_quiet
            self.records.append(self._record())
        return self._simulate(until)

    def _simulate(self, until: int) -> bool:
        """Advance without records."""
        if self.watchdog is not None:
            while (look := self.watchdog.next_look(self.now)) <= until and self.now < until:
                self._simulate_on(look)
                if self.now == look:
                    with self._losing():
                        self.watchdog.look(self.parts[0])
        while self.faults is not None and (cycle := self.faults.next_cycle) < until:
            if self.now < cycle:
                is_quiet = self._simulate_on(cycle)
                if self.now < cycle:
                    return is_quiet
            with self._losing():
                self.parts[0] = self.faults.strike(self.parts[0])
            self.scenario, self.relation = self.faults.scenario, self.faults.scenario.relation
            self.calls_from = self.count("flit_hops")
        return self._simulate_on(until)

    def _simulate_on(self, until: int) -> bool:
        fill(self)
        advance, *_ = [kernels.link(part) for part in self.parts]
        if len(self.parts) > 1:
            self._advance_together(advance, until)
            return False
        while True:
            # In pieces, between which Python looks for signals.
            stop = min(until, self.now + self._piece)
            end = advance(self.relation.compiled.address, self.parts[0].address, stop)
            if end == status.DONE and stop < until:
                continue
            if end == status.FULL:
                part = with_room(self.parts[0], AT_ONCE * int(self.parts[0].setup.arrivals))
                self.parts[0] = admitting_more(part)
            elif end == status.LOST and self.faults is not None:
                with self._losing():
                    self.faults.strand(self.parts[0])
            elif end in (status.BROKEN_RULE, status.DEAD_END):
                fail(self.relation, self.parts[0], is_dead_end=end == status.DEAD_END)
            else:
                return bool(end == status.QUIET)

    def _advance_together(self, advance: Native, until: int) -> None:
        """Advance all parts at once, each on a thread of its own."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(self.parts)) as pool:
            while self.now < until:
                self._share_out()
                upto = min(until, self.now + min(SPAN, self._piece))
                runs = [pool.submit(advance, self.relation.compiled.address, part.raw, upto) for part in self.parts]
                for part, end in zip(self.parts, [run.result() for run in runs], strict=True):
                    if end != status.DONE:
                        fail(self.relation, part, is_dead_end=end == status.DEAD_END)

    def _share_out(self) -> None:
        """Give every part room for its latencies, and its share of the free packets."""
        least = (SPAN + 1) * int(self.parts[0].setup.arrivals)
        self.parts = [with_room(part, least) for part in self.parts]
        free = np.concatenate([part.free[: part.count.free] for part in self.parts])
        for part, share in zip(self.parts, np.array_split(free, len(self.parts)), strict=True):
            part.free[: share.size] = share
            part.count.free = share.size
