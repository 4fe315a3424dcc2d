"""Processes, threads or workers of a cluster that compute points, and how they end."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from unknot._base import memory
from unknot._base.deadline import WORK
from unknot._base.errors import UnknotError
from unknot._base.manifest import code_digest
from unknot._base.threads import processors, share_processors

_T = TypeVar("_T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
PER_CORE = 16
"""Most processes for each core; more only take memory from each other."""


@contextmanager
def workers(executor: Executor | None, jobs: int, *, threads: bool = False) -> Iterator[Executor]:
    """Yield the executor given, or a pool of fresh processes that is stopped at once when something goes wrong.

    With `threads`, a pool of threads of this process, which start at once; if something goes wrong, what they are at
    is not awaited here, but at the end of the process.
    Meanwhile SIGTERM raises KeyboardInterrupt, as SIGINT does, so that it can be cleaned up behind both.

    Raises
    ------
    UnknotError
        If more than `PER_CORE` processes are asked for each core.
    """
    most = PER_CORE * processors()
    if executor is None and jobs > most:
        raise UnknotError(
            f"{jobs} jobs at a time are too many for this machine: at most {most}, {PER_CORE} for each core"
        )
    with _sigterm_interrupts():
        if executor is not None:
            yield executor
            return
        if threads:
            pool: Executor = _Threads(jobs, thread_name_prefix=WORK)
            try:
                yield pool
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
            return
        before = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")
        pool = _Pool(
            jobs,
            mp_context=context,
            initializer=_start_worker,
            initargs=(memory.limit(), processors() // max(1, jobs)),
        )
        try:
            yield pool
        except BaseException:
            for child in set(multiprocessing.active_children()) - before:
                child.kill()
            pool.shutdown(cancel_futures=True)  # waits for its thread, which else could complain at exit
            raise
        pool.shutdown()


class _Pool(ProcessPoolExecutor):
    """A pool whose processes never see SIGINT and SIGTERM: they end with their parent, or by SIGKILL."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        # a process starts here, and inherits which signals are blocked
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(fn, *args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Threads(ThreadPoolExecutor):
    """Threads whose work sees the context of its submission."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        return super().submit(copy_context().run, fn, *args, **kwargs)


@contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM, unless the program handles it, or this is not its main thread."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Calls:
    """Calls given to an executor, awaited so that an interrupt leaves no lock behind.

    The condition of a future is a lock in Python code. A KeyboardInterrupt that comes just after it is taken leaves
    it taken for ever. Then the thread that serves the executor waits for the lock, and the end of the process for
    that thread. So calls are submitted and cancelled without interruption, and awaited by a queue with a lock in C.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor, self._ended = executor, SimpleQueue[Any]()

    def submit(self, function: Callable[..., _T], *args: Any) -> Future[_T]:
        with _uninterrupted():
            future = self._executor.submit(function, *args)
            future.add_done_callback(self._ended.put)
        return future

    def cancel(self, futures: Iterable[Future[Any]]) -> None:
        with _uninterrupted():
            for future in futures:
                future.cancel()

    def ended(self, timeout: float) -> list[Future[Any]]:
        """Return calls that have ended or were cancelled, each once; none where none does in time."""
        with suppress(Empty):
            first = self._ended.get(timeout=timeout)
            return [first, *(self._ended.get_nowait() for _ in range(self._ended.qsize()))]
        return []


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put what Python code does on SIGINT and SIGTERM off to the end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = list[tuple[signal.Signals, Any]]()
    handlers = {number: known for number in _SIGNALS if callable(known := signal.getsignal(number))}
    try:
        for number in handlers:
            signal.signal(number, lambda number, frame: came.append((signal.Signals(number), frame)))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        # Not before all handlers are back: this may raise.
        for number, frame in came:
            handlers[number](number, frame)


_FOR_LIFE = ExitStack()


def _start_worker(most_memory: int, share: int) -> None:
    """Leave signals to the parent, end with it, even when it is killed, and keep to its limits."""
    share_processors(share)
    _FOR_LIFE.enter_context(memory.memory_limit(most_memory))
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


PATIENCE = 20
"""Seconds to wait for the scheduler, and for its first worker."""
QUIET = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"}
"""Options of Dask here: it looks at itself up to a hundred times a second, for a dashboard that is not shown."""


@contextmanager
def cluster(where: str, jobs: int | None = None) -> Iterator[tuple[Executor, int]]:
    """Yield an executor of Dask and the points to compute at a time.

    Parameters
    ----------
    where : str
        ``local``: workers of this machine; ``slurm``: jobs as the configuration of dask-jobqueue describes them; else
        the address of a scheduler.
    jobs : int, optional
        Workers to start, or points to give to those of an address at a time; by default one for each processor that
        this process may use, and all threads of the workers at an address.

    Raises
    ------
    UnknotError
        If nobody answers, workers have other code than this process, or workers die over and over.
    ImportError
        If Dask is not installed; the command line names the extra that brings it.
    """
    dask: Any = importlib.import_module("distributed")
    # They log tracebacks about a scheduler that is gone.
    for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        with ExitStack() as stack:
            if where == "local":
                count = jobs or processors()
                stack.enter_context(importlib.import_module("dask.config").set(QUIET))
                options = {"n_workers": count, "threads_per_worker": 1, "dashboard_address": None}
                server = stack.enter_context(dask.LocalCluster(**options, silence_logs="CRITICAL"))
            elif where == "slurm":
                server = stack.enter_context(_slurm())
                server.scale(jobs=jobs or 1)
            else:
                server = where
                # A ValueError if it is no address; a client that is given one complains for 40 seconds at the end.
                importlib.import_module("distributed.comm").get_address_host_port(server)
            client = stack.enter_context(dask.Client(server, timeout=PATIENCE, set_as_default=False))
            client.wait_for_workers(1, timeout=None if where == "slurm" else PATIENCE)
            for worker, digest in client.run(code_digest).items():
                if digest != code_digest():
                    raise UnknotError(
                        f"the worker {worker} has another Unknot, Python or solver than this process, so that its "
                        "results could differ; install the same versions there"
                    )
            yield client.get_executor(pure=False), jobs or sum(client.nthreads().values())
    except UnknotError:
        raise
    except dask.KilledWorker as error:
        raise UnknotError(
            f"--dask {where}: workers die over and over (out of memory?); finished points are kept: give the same "
            "command, with fewer workers on a machine"
        ) from error
    except (OSError, ValueError) as error:
        raise UnknotError(
            f"--dask {where}: {error or 'nobody answers there'}; finished points are kept: start a scheduler and "
            "workers, and give local, slurm or its address, as tcp://login1:8786, or leave out --dask"
        ) from error


def _slurm() -> Any:
    """A scheduler in this process whose workers are jobs submitted to Slurm."""
    if shutil.which("sbatch") is None:
        raise UnknotError(
            "--dask slurm: there is no command sbatch here; give the command on a machine that submits to Slurm, or "
            "leave out --dask"
        )
    jobqueue: Any = importlib.import_module("dask_jobqueue")
    try:
        server = jobqueue.SLURMCluster()
    except ValueError as error:
        why = " ".join(str(error).split())
        raise UnknotError(
            f"--dask slurm: jobqueue.yaml of dask-jobqueue does not describe the jobs: {why}"
        ) from error
    # dask-jobqueue only logs that a job was refused, and its workers would be awaited for ever
    tried = subprocess.run(["sbatch", "--test-only"], input=server.job_script(), capture_output=True, text=True)
    if tried.returncode:
        server.close()
        raise UnknotError(f"--dask slurm: Slurm refuses the jobs of jobqueue.yaml: {tried.stderr.strip()}")
    return server
