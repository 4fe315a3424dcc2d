"""Verdicts, accepted or rejected from the relation alone.

Configurations are followed by the plain Python rule. Certificates are inequalities about every reachable state, which
`walk` visits again: in plain Python with the plain rule if there are up to `PLAIN` states, or few and Numba is not
there, else compiled with the compiled rule, whose answers are compared with those of the plain rule at `SPOTS` states
picked at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.errors import RelationError
from unknot._base.kernels.lazy_kernel import is_small
from unknot.certificates import plain
from unknot.certificates.documents import plain_table
from unknot.certificates.flow_words import technique_words
from unknot.certificates.plain import Rejected, Technique, Unchecked
from unknot.certificates.verdict import Certificate, Configuration, Verdict
from unknot.certificates.verdict_claims import verdict_claim
from unknot.routing.relation import Relation

REACHABILITIES = ("scheduled", "not-established", "injected")
PLAIN, SPOTS = 10_000, 2_000


def holds(check: Callable[[], object]) -> bool | None:
    """Whether a check does not raise `Rejected`; None: it raises `Unchecked`, as the evidence is too much."""
    try:
        check()
    except Rejected as error:
        return None if isinstance(error, Unchecked) else False
    return True


def evidence_holds(relation: Relation, verdict: Verdict) -> bool | None:
    """Whether `accept_verdict` accepts the evidence of a verdict; None: there is none, or too much to check again.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    verdict : Verdict
        The verdict.

    Returns
    -------
    bool | None
        Whether the checker accepts it; None when there is nothing to check, or too much.

    Examples
    --------
    >>> import unknot
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(unknot.network.families.ring(4), vcs=2)
    >>> evidence_holds(relation, unknot.verify.check(relation))
    True
    """
    return holds(lambda: accept_verdict(relation, verdict))


def accept_verdict(relation: Relation, verdict: Verdict) -> None:
    """Return quietly if the evidence of a verdict holds; raise `Rejected` if it does not.

    An open verdict may have a configuration to which no way was shown, and nothing else.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    verdict : Verdict
        The verdict.

    Raises
    ------
    Rejected
        With the first place at which it is not what it claims; `Unchecked`, a kind of it, if it is too much to check.

    Examples
    --------
    >>> import unknot
    >>> from unknot.routing import dimension_order
    >>> ring = unknot.network.families.ring(4)
    >>> verdict = unknot.verify.check(dimension_order(ring, vcs=2))
    >>> accept_verdict(dimension_order(ring, vcs=2), verdict)
    >>> try:
    ...     accept_verdict(dimension_order(ring), verdict)
    ... except Rejected as error:
    ...     print(error)
    8 ranks of a kind that proves vct are needed, not 'order'
    """
    filling, certificate, free = verdict.configuration, verdict.certificate, verdict.deadlock_free
    if free is None and filling is None:
        raise Unchecked("an open question has no evidence to check")
    if (filling is None) != bool(free) or (certificate is None) == bool(free):
        raise Rejected(f"{'a proof' if free else 'a deadlock'} needs evidence of its own kind, and no other")
    if filling is not None:
        if technique_in(filling) != technique_in(verdict) or filling.reachable != (free is False):
            raise Rejected(f"the verdict is another than this configuration shows ({filling.reachability!r})")
        accept_configuration(relation, filling)
        return
    try:
        if certificate is not None:
            _certificate(relation, verdict, certificate)
    except RelationError as error:
        raise Rejected(f"the evidence is not of this relation: {error}") from error


def accept_configuration(relation: Relation, filling: Configuration) -> None:
    """Return quietly if messages block each other for good, of the grade they claim; raise `Rejected` if not.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    filling : Configuration
        The packets and the VCs that they hold.

    Raises
    ------
    Rejected
        With the first place at which it is not what it claims; `Unchecked`, a kind of it, if it is too much to check.

    Examples
    --------
    >>> import unknot
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(unknot.network.families.ring(4))
    >>> accept_configuration(relation, unknot.verify.check(relation).configuration)
    """
    try:
        technique = technique_in(filling)
        if technique.packets or filling.order:
            claim = verdict_claim(Verdict(False, filling.switching, "", "", "", filling))
            plain.check_deadlock(plain_table(relation), technique, claim["proof"])
        else:
            _configuration(relation, filling, technique)
    except RelationError as error:
        raise Rejected(f"the evidence is not of this relation: {error}") from error


def technique_in(one: Verdict | Configuration) -> Technique:
    """The technique of a verdict or a configuration as the checker reads it."""
    return plain.flow_of(technique_words(one.switching, one.flow))


def accept_placement(relation: Relation, filling: Configuration) -> None:
    """Return quietly if messages can be where a configuration has them, blocked or not; raise `Rejected` if not."""
    switching, depth, name = technique_in(filling), filling.buffer_depth, relation.vcs.name
    if not filling.messages or depth < 1:
        raise Rejected(f"a configuration under {switching} has messages, on VCs at least 1 flit deep")
    commits = plain.keeps_choice(relation.commits, switching)
    holder: dict[int, int] = {}
    for number, message in enumerate(filling.messages, start=1):
        known = 0 <= message.address < relation.num_addresses
        if not known or message.source not in relation.sources(message.address):
            raise Rejected(f"message {number} is not sent by its source")
        if not message.held or message.length != len(message.held) * depth:
            raise Rejected(f"message {number} does not fill its VCs, or holds none")
        if switching.alone and len(message.held) > 1:
            raise Rejected(f"message {number} holds several VCs under {switching}")
        way = [relation.num_vcs + message.source, *message.lead, *message.held, *message.wanted[:commits]]
        for at, vc in pairwise(way):
            if vc not in [c.vc for c in relation.candidates(at, message.address)]:
                to = name(vc) if 0 <= vc < relation.num_vcs else f"VC {vc}"
                raise Rejected(
                    f"message {number} cannot go from {name(at)} to {to}, which is not offered for "
                    f"{relation.address_name(message.address)}"
                )
        for vc in message.held:
            if holder.setdefault(vc, number) != number or message.held.count(vc) > 1:
                raise Rejected(f"message {number} holds {name(vc)}, and so does message {holder[vc]}")
    if filling.reachability == "injected" and len({m.source for m in filling.messages}) < len(filling.messages):
        raise Rejected("messages that are injected all at once need ports of their own")


def _configuration(relation: Relation, filling: Configuration, technique: Technique) -> None:
    accept_placement(relation, filling)
    queues, graded = technique.queues, filling.reachability != "not-established"
    # Where messages queue, a header has committed to a VC that ends with a tail, and no other has.
    ends = [vc for message in filling.messages for vc in (message.held[:1] if queues else message.held)]
    standing: set[int] = set()
    for number, message in enumerate(filling.messages, start=1):
        way = [*message.lead, *message.held]
        last = relation.candidates(way[-1], message.address)
        entries = [plain.EJECT if c.vc is None else c.vc if c.waits else -c.vc - 2 for c in last]
        options = [{*choice} for choice in plain.choices(entries, relation.commits, technique)]
        waits = {*message.wanted}
        if not 0 < len(message.wanted) == len(waits) or waits not in options or not waits <= {*ends}:
            raise Rejected(f"message {number} does not wait for what it has to, all of it held")
        ends = [vc for vc in ends if not queues or vc not in waits]
        if graded and (len(set(way)) < len(way) or standing & {*way}):
            raise Rejected(f"message {number} would have to pass itself, or one that stands before it")
        standing |= {*message.held}
    led = any(message.lead for message in filling.messages)
    if filling.reachability not in REACHABILITIES or (led and filling.reachability == "injected"):
        raise Rejected(f"they are not {filling.reachability!r}: they do not reach back to ports of their own")


def _certificate(relation: Relation, verdict: Verdict, certificate: Certificate) -> None:
    """Check by `walk`: the holder of a deadlock's lowest VC would wait for a lower one, or all is in the core."""
    kind, vcs, network, technique = certificate.kind, relation.vcs, relation.network, technique_in(verdict)
    if technique.packets or kind == "states":  # plain Python is fast enough for these
        plain.check_free(plain_table(relation), technique, verdict_claim(verdict)["proof"])
        return
    rank = np.array(certificate.rank, dtype=np.int64) * (-1 if kind == "order" else 1)
    core = np.array([False] * vcs.total if certificate.core is None else certificate.core, dtype=bool)
    fits = rank.shape == core.shape == (vcs.total,) and abs(rank).max(initial=0) < 2**60
    if kind not in technique.proofs or not fits or (kind == "exhausted") != core.any():
        raise Rejected(f"{vcs.total} ranks of a kind that proves {technique} are needed, not {kind!r}")
    from unknot.certificates.walk_kernel import walk

    input_vcs = vcs.total + network.num_terminals
    pairs = input_vcs * relation.num_addresses
    small = pairs <= PLAIN or is_small(pairs, walk)
    visit = walk.py_func if small else walk
    each, worms = kind == "order", kind in ("drain", "exhausted")
    seen, input_vc, best, first = (np.zeros(input_vcs + 1, dtype=np.int64) for _ in range(4))
    out, from_compiled = np.zeros((2, relation.max_candidates), dtype=np.int64)
    offered = np.empty(input_vcs * out.size if worms else 0, dtype=np.int64)
    random, answer_at = Random(0), from_compiled.ctypes.data
    written: Any = memoryview(out)  # type: ignore[arg-type]
    answered: Any = memoryview(from_compiled)  # type: ignore[arg-type]
    spots = Counter(random.choices(range(relation.num_addresses), k=0 if small else SPOTS))
    rule: Any = _plain(relation, out) if small else relation.compiled.address
    view: Any = memoryview if small else np.asarray
    proof, layout = (view(rank), view(core)), (view(vcs.router), view(network.source[vcs.channel]))
    method, work = (each, worms, relation.commits), tuple(map(view, (seen, input_vc, first, offered, best)))
    for address in range(relation.num_addresses):
        sources, home = relation.sources(address), int(network.eject[relation.destination[address]])
        input_vc[: sources.size] = vcs.total + sources
        flaw = visit(rule, address, method, proof, layout, home, sources.size, work, view(out), out.ctypes.data)
        if flaw < -1:
            raise Rejected(f"{relation.candidates(-2 - flaw, address)} is no answer for address {address}")
        if flaw >= 0:
            raise Rejected(f"the {kind} certificate fails at {vcs.name(flaw)} for {relation.address_name(address)}")
        visited = np.append(input_vc[: sources.size], np.flatnonzero(seen == address + 1))
        for at in random.choices(visited.tolist(), k=spots[address]) if visited.size else ():
            count = relation.compiled.ctypes(at, address, answer_at)
            if relation.rule(at, address, out) != count or written[:count] != answered[:count]:
                raise Rejected(f"compiled, the rule answers otherwise at {vcs.name(at)} for address {address}")
    if core.any():
        strike_out(relation, {vc: int(rank[vc]) for vc in np.flatnonzero(core).tolist()}, certificate.windows)


def strike_out(relation: Relation, level: dict[int, int], windows: Iterable[tuple[Any, Any]]) -> None:
    """Return quietly if window after window all VCs of a core, given with their levels, are struck out.

    By the search of `plain`; it is about as fast as any in Python, and few certificates have a core.

    Raises
    ------
    Rejected
        If a VC can be held for all that its window shows, or not all VCs are struck out.
    Unchecked
        If the search takes too many steps.
    """
    table = plain_table(relation)
    rank = [level.get(vc, 0) for vc in range(table.vcs)]
    plain.check_core(table, rank, {*level}, [[[int(vc) for vc in part] for part in step] for step in windows])


def _plain(relation: Relation, out: Ints) -> Callable[[int, int, int], int]:
    """The plain rule in the form in which compiled ones are called; where it fails, `candidates` says why."""

    def rule(at: int, address: int, _: int) -> int:
        try:
            return int(relation.rule(at, address, out))
        except Exception:
            relation.candidates(at, address)
            raise

    return rule
