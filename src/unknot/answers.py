"""The nouns as objects of plain values, for JSON: keys are the attributes of the Python objects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.verify.delivery import Delivery
from unknot.verify.verdict import Configuration, Verdict

if TYPE_CHECKING:
    from unknot.network.metrics import Metrics
    from unknot.simulation.limits import Saturation
    from unknot.simulation.replay import Replay
    from unknot.simulation.replication import Runs
    from unknot.simulation.run import Run
    from unknot.simulation.series import Series
    from unknot.studies.result import DesignResult, StudyResult
    from unknot.verify.audit import Audit, TrafficAudit
    from unknot.verify.smallest import Smallest

Answer = dict[str, Any]


def of_metrics(network: Network, metrics: Metrics) -> Answer:
    """Name and figures of a network."""
    return {"name": network.name, **vars(metrics)}


def of_network(network: Network) -> Answer:
    """Name and sizes of a network, without what takes time to find."""
    return {
        "name": network.name,
        "routers": network.num_routers,
        "channels": network.num_channels,
        "terminals": network.num_terminals,
    }


def of_relation(relation: Relation) -> Answer:
    """What a relation is called and how many virtual channels it has."""
    counts = relation.vcs.counts
    alike = counts.size > 0 and bool((counts == counts[0]).all())
    return {"routing": relation.name, "vcs": int(counts[0]) if alike else None, "num_vcs": relation.num_vcs}


def of_verdict(relation: Relation, verdict: Verdict, holds: bool | None) -> Answer:
    """A verdict, its counterexample with names, and whether the separate checker accepts it."""
    found = verdict.configuration
    return {
        "deadlock_free": verdict.deadlock_free,
        "switching": verdict.switching,
        "method": verdict.method,
        "scope": verdict.scope,
        "established": verdict.established,
        "size": None if verdict.size is None else vars(verdict.size).copy(),
        "reachability": verdict.reachability,
        "configuration": None if found is None else of_configuration(relation, found),
        "certificate": None if verdict.certificate is None else {"kind": verdict.certificate.kind},
        "certificate_holds": holds,
    }


def of_configuration(relation: Relation, configuration: Configuration) -> Answer:
    """Messages with the names of their terminals and virtual channels."""
    network, places = relation.network, relation.vcs

    def vcs(numbers: tuple[int, ...]) -> list[Answer]:
        channels = [int(places.channel[vc]) for vc in numbers]
        return [
            {"vc": int(vc), "channel": network.channel_name(c), "index": int(places.index[vc])}
            for vc, c in zip(numbers, channels, strict=True)
        ]

    return {
        "switching": configuration.switching,
        "buffer_depth": configuration.buffer_depth,
        "reachability": configuration.reachability,
        "messages": [
            {
                "source": int(message.source),
                "source_name": network.terminal_name(message.source),
                "address": int(message.address),
                "address_name": relation.address_name(message.address),
                "destination": int(relation.destination[message.address]),
                "destination_name": network.terminal_name(int(relation.destination[message.address])),
                "length": int(message.length),
                "lead": vcs(message.lead),
                "held": vcs(message.held),
                "wanted": vcs(message.wanted),
            }
            for message in configuration.messages
        ],
    }


def of_delivery(relation: Relation, delivery: Delivery) -> Answer:
    """What was found beside deadlock, places and addresses by name."""
    pair = delivery.longest_pair
    name, address = relation.vcs.name, relation.address_name
    return {
        **vars(delivery),
        "dead_ends": [{"at": name(at), "address": address(d)} for at, d in delivery.dead_ends],
        "loops": [{"places": [name(at) for at in places], "address": address(d)} for places, d in delivery.loops],
        "longest_pair": None if pair is None else [relation.network.terminal_name(pair[0]), address(pair[1])],
    }


def of_run(relation: Relation, run: Run) -> Answer:
    """A run without its arrays, but with what happened over time; numbers that are not finite are null."""
    plain = {key: _finite(value) for key, value in vars(run).items() if key not in ("utilisation", "occupancy")}
    return plain | {
        "deadlock": None if run.deadlock is None else of_configuration(relation, run.deadlock),
        "lengths": {str(length): share for length, share in run.lengths},
        "router": vars(run.router).copy(),
        "bursts": None if run.bursts is None else vars(run.bursts).copy(),
        "series": None if run.series is None else of_series(run.series),
    }


def of_series(series: Series) -> Answer:
    """What happened over time; intervals in which no packet arrived have null as latency."""
    lists = {key: value.tolist() for key, value in vars(series).items() if key != "interval"}
    return {"interval": series.interval, **{key: [_finite(v) for v in values] for key, values in lists.items()}}


def of_runs(relation: Relation, found: Runs) -> Answer:
    """Several runs of one point, and what they say together."""
    return vars(found) | {"runs": [of_run(relation, run) for run in found.runs]}


def of_channels(relation: Relation, run: Run) -> list[Answer]:
    """How busy each channel was while measuring, and how full the buffers of its VCs."""
    first = relation.vcs.first
    return [
        {
            "channel": relation.network.channel_name(c),
            "utilisation": float(run.utilisation[c]),
            "occupancy": run.occupancy[first[c] : first[c + 1]].tolist(),
        }
        for c in range(run.utilisation.size)
    ]


def of_saturation(relation: Relation, found: Saturation) -> Answer:
    """Where a network saturates, and the runs that were made to find it."""
    return vars(found) | {"runs": [of_run(relation, run) for run in found.runs]}


def of_smallest(found: Smallest) -> Answer:
    """How small a deadlock configuration can be; the configuration itself stands with the verdict."""
    return {
        "proved": found.proved,
        "messages_bound": found.messages_bound,
        "held_bound": found.held_bound,
        "method": found.method,
    }


def of_replay(replay: Replay) -> Answer:
    """What became of a configuration in the simulator."""
    return {
        "stuck": replay.stuck,
        "injected": replay.injected,
        "cycles": replay.cycles,
        "waits": [{"message": message, "for": list(others)} for message, others in replay.waits],
    }


def of_study(result: StudyResult) -> Answer:
    """Title and designs of a study."""
    return {
        "title": result.study.title,
        "study": result.study.path,
        "designs": [of_design(design) for design in result.designs],
    }


def of_design(result: DesignResult) -> Answer:
    """What was asked of a design, its verdict, delivery, replay and runs."""
    relation, replay = result.relation, result.replay
    return {
        **result.design.model_dump(mode="json"),
        "verdict": of_verdict(relation, result.verdict, result.certificate_holds),
        "delivery": of_delivery(relation, result.delivery),
        "replay": None if replay is None else of_replay(replay),
        "runs": [of_run(relation, run) for run in result.runs],
    }


def of_audit(audit: Audit) -> Answer:
    """The fabric, the answer for host-to-host traffic, and the other kinds of traffic beside it."""
    fabric = audit.fabric
    return {
        "fabric": fabric.name,
        "fabric_file": fabric.fabric_file,
        "tables_file": fabric.tables_file,
        "notes": list(fabric.notes),
        "network": of_network(fabric.network),
        "assumption": audit.assumption,
        **_of_traffic(audit.host_to_host),
        "others": [_of_traffic(other) for other in audit.others],
    }


def _of_traffic(found: TrafficAudit) -> Answer:
    return {
        "traffic": found.traffic,
        "holds": found.holds,
        **of_verdict(found.relation, found.verdict, found.certificate_holds),
        **of_delivery(found.relation, found.delivery),
        "loop": list(found.loop),
        "lost": list(found.lost),
        "longer_pairs": found.longer_pairs,
        "extra_hops": found.extra_hops,
    }


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
