"""iSLIP (McKeown 1999): every output grants one request, every input accepts one grant, in rounds."""

from unknot.simulation.engine.allocators.registry import ISLIP, Registered, register

register(Registered("islip", ISLIP, rounds=True))
