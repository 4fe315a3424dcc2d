"""Clusters that compute the points of a study: workers of Dask here, at an address, or in jobs of Slurm."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from typing import Any

from unknot._base.errors import UnknotError
from unknot._base.installation import code_digest
from unknot._base.threads import processors

PATIENCE = 20
"""Seconds to wait for the scheduler, and for its first worker."""


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
    for name in (
        "distributed",
        "distributed.client",
        "tornado.application",
        "asyncio",
    ):  # they log tracebacks about a scheduler that is gone
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        with ExitStack() as stack:
            if where == "local":
                count = jobs or processors()
                options = {"n_workers": count, "threads_per_worker": 1, "dashboard_address": None}
                server = stack.enter_context(dask.LocalCluster(**options, silence_logs="ERROR"))
            elif where == "slurm":
                queue: Any = importlib.import_module("dask_jobqueue")
                server = stack.enter_context(queue.SLURMCluster())
                server.scale(jobs=jobs or 1)
            else:
                server = where
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
            "workers, or leave out --dask, and give the same command"
        ) from error
