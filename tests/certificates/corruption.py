"""Evidence that is changed here and there: whatever a checker still accepts must be accepted by the other too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from unknot.certificates import Certificate, Configuration, Message, Verdict

KINDS = ("order", "escape", "drain", "exhausted")
GRADES: Any = ("injected", "scheduled", "not-established")


def corrupted(verdict: Verdict, random: np.random.Generator) -> Verdict:
    """A verdict whose evidence differs in one place."""
    if verdict.certificate is not None:
        return replace(verdict, certificate=_certificate(verdict.certificate, random))
    assert verdict.configuration is not None
    return replace(verdict, configuration=_configuration(verdict.configuration, random))


def _certificate(good: Certificate, random: np.random.Generator) -> Certificate:
    rank = good.rank.copy()
    way = int(random.integers(5))
    if way == 0 or not rank.size:
        kind: Any = random.choice(KINDS)
        return replace(good, kind=kind)
    if way == 1 and good.core is not None:
        core = good.core.copy()
        core[int(random.integers(core.size))] ^= True
        return replace(good, core=core)
    if way == 2 and good.windows:
        at = int(random.integers(len(good.windows)))
        return replace(good, windows=(*good.windows[:at], *_step(good, at, random), *good.windows[at + 1 :]))
    if way == 3:
        one, other = random.integers(rank.size, size=2)
        rank[[one, other]] = rank[[other, one]]
    else:
        rank[int(random.integers(rank.size))] += int(random.integers(-3, 4))
    return replace(good, rank=rank)


def _step(good: Certificate, at: int, random: np.random.Generator) -> list[Any]:
    """What stands for one step: nothing, or VCs too few or too many, to be struck out or in the window."""
    if random.random() < 0.2:
        return []
    parts = [np.asarray(part) for part in good.windows[at]]
    which = int(random.integers(2))
    part = parts[which]
    if part.size and random.random() < 0.6:
        parts[which] = np.delete(part, int(random.integers(part.size)))
    else:
        parts[which] = np.append(part, int(random.integers(good.rank.size)))
    return [tuple(parts)]


def _configuration(good: Configuration, random: np.random.Generator) -> Configuration:
    messages = list(good.messages)
    at = int(random.integers(len(messages)))
    way = int(random.integers(8))
    if way == 0:
        del messages[at]
    elif way == 1:
        messages.append(messages[at])
    elif way == 2:
        return replace(good, reachability=random.choice(GRADES))
    elif way == 3:
        return replace(good, buffer_depth=good.buffer_depth + int(random.integers(-1, 2)))
    elif way == 4:
        messages.reverse()
    else:
        messages[at] = _message(messages[at], random)
    return replace(good, messages=tuple(messages))


def _message(good: Message, random: np.random.Generator) -> Message:
    field = str(random.choice(["source", "address", "length", "lead", "held", "wanted"]))
    part = getattr(good, field)
    if isinstance(part, tuple):
        changed = list(part)
        if changed and random.random() < 0.5:
            del changed[int(random.integers(len(changed)))]
        else:
            changed.insert(int(random.integers(len(changed) + 1)), int(random.integers(8)))
        return replace(good, **{field: tuple(changed)})
    return replace(good, **{field: max(0, int(part) + int(random.integers(-1, 2)))})
