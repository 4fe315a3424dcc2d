# mypy: ignore-errors
"""Heaps of channels whose first has the highest key."""

from unknot._base.kernels.types_kernel import called


@called
def push(heap, size, keys, c):
    """Add a channel to a heap whose first has the highest key; the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if keys[heap[parent]] >= keys[c]:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = c
    return size + 1


@called
def pop(heap, size, keys):
    """Take the channel of the highest key from a heap; it and the new size."""
    top = heap[0]
    size -= 1
    last = heap[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and keys[heap[child + 1]] > keys[heap[child]]:
            child += 1
        if keys[heap[child]] <= keys[last]:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = last
    return top, size
