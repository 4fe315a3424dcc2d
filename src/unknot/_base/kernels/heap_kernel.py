# mypy: ignore-errors
"""Binary heaps, the least cost first, each in two arrays: costs, and the things that cost so much."""

from unknot._base.kernels.types_kernel import inlined


@inlined
def push(costs, things, size, cost, thing):
    """Put a thing into a heap of `size` things."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if costs[parent] <= cost:
            break
        costs[i], things[i] = costs[parent], things[parent]
        i = parent
    costs[i], things[i] = cost, thing


@inlined
def pop(costs, things, size):
    """Take the first thing out of a heap, in which `size` things stay."""
    cost, thing = costs[size], things[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and costs[child + 1] < costs[child]:
            child += 1
        if costs[child] >= cost:
            break
        costs[i], things[i] = costs[child], things[child]
        i = child
    costs[i], things[i] = cost, thing
