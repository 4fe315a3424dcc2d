"""Published papers.

Whatever serves one paper alone: a folder for each, with its algorithms, topologies, routings, commands and drawings.
Unknot finds them by entry points, as it finds the packages of others, and imports nothing from here.
"""

from __future__ import annotations

from typing import Any

from unknot._base.work import spend, work_done


def solved(model: Any, seconds: float, workers: int) -> Any:
    """The solver with a solution; False if there is none, None if none was found in the time."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False
    if work_done() is None:
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = workers
    else:  # several workers would not do the same work each time
        solver.parameters.max_deterministic_time = seconds
        solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    status = solver.solve(model)
    spend(solver.response_proto.deterministic_time)
    if status == cp_model.INFEASIBLE:
        return False
    return solver if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None
