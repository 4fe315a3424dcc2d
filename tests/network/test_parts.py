"""Parts of a network, and keywords of before they were parts."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from unknot._base.errors import NetworkError
from unknot.network import Network, Places, Wires
from unknot.network.families import mesh

PARTS = {
    "wires": Wires(latency=[3, 4], bandwidth=["1/2", 2], ports=[[1, 2], [2, 1]]),
    "places": Places([[0], [1]], [2], ["row"], ["a", "b"], ["x", "y"]),
}
FLAT = {
    "latency": [3, 4], "bandwidth": ["1/2", 2], "ports": [[1, 2], [2, 1]],
    "coordinates": [[0], [1]], "radices": [2], "dimensions": ["row"],
    "router_labels": ["a", "b"], "terminal_labels": ["x", "y"],
}  # fmt: skip
ENDS = "pair", 2, [0, 1], [1, 0]


def test_what_parts_say_is_said_of_the_network() -> None:
    pair = Network(*ENDS, **PARTS)  # type: ignore[arg-type]
    assert (pair.latency.tolist(), pair.bandwidth.tolist()) == ([3, 4], [0.5, 2.0])
    assert pair.ports is not None
    assert pair.coordinates is not None
    assert (pair.ports.tolist(), pair.coordinates.tolist()) == ([[1, 2], [2, 1]], [[0], [1]])
    assert (pair.radices, pair.dimensions) == ((2,), ("row",))
    assert (pair.router_labels, pair.terminal_labels, pair.origin) == (("a", "b"), ("x", "y"), None)
    for array in (pair.latency, pair.bandwidth, pair.ports, pair.coordinates):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    assert pickle.loads(pickle.dumps(pair)) == pair == replace(pair) != replace(pair, places=Places())


def test_keywords_of_before_make_the_same_network_and_name_the_part() -> None:
    with pytest.warns(DeprecationWarning, match=r"Network\(") as said:
        old = Network(*ENDS, **FLAT)  # type: ignore[arg-type]
    assert old == Network(*ENDS, **PARTS)  # type: ignore[arg-type]
    parts = {key: "wires=Wires" if key in ("latency", "bandwidth", "ports") else "places=Places" for key in FLAT}
    assert {str(one.message) for one in said} == {f"Network({k}=…) is now {part}({k}=…)" for k, part in parts.items()}


@pytest.mark.parametrize(
    ("key", "value"), [("latency", 7), ("bandwidth", 2), ("router_labels", ("a", "b", "c", "d")), ("radices", (2, 3))]
)
def test_a_keyword_of_before_changes_itself_alone(key: str, value: object) -> None:
    whole = mesh(2, 2).with_bandwidth("1/4")
    with pytest.warns(DeprecationWarning, match=rf"Network\({key}=…\)"):
        changed = replace(whole, **{key: value})  # type: ignore[arg-type]
    differs = [name for name in FLAT if not np.array_equal(getattr(whole, name), getattr(changed, name))]
    assert differs == [key]


def test_a_latency_alone_stands_for_wires() -> None:
    slow = Network(*ENDS, [3, 4])
    assert slow == Network(*ENDS, Wires([3, 4])) != Network(*ENDS)
    with pytest.warns(DeprecationWarning, match=r"Network\(bandwidth=…\)"):
        both = Network(*ENDS, [3, 4], bandwidth=2)  # type: ignore[call-arg]
    assert both == Network(*ENDS, Wires([3, 4], 2))


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(NetworkError, match="1 latencies for 2 channels"):
        Network(*ENDS, Wires([3]))
    with pytest.raises(NetworkError, match=r"pair: expected Places\(…\), got \['a', 'b'\]"):
        Network(*ENDS, places=["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="label"):
        Network(*ENDS, label={})  # type: ignore[call-arg]
