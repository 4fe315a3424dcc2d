"""Controllers at the terminals of a network."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.reference.carried import deadlocks
from tests.verify.controllers.drawn import table
from tests.verify.controllers.known import BLOCKING
from unknot.network.families import mesh, ring
from unknot.routing import dimension_order, message_classes
from unknot.simulation.controller_replay import replayed_on_network
from unknot.verify.controllers import TableError, check_on_network, check_table, load_table
from unknot.verify.controllers.evidence import holds

EXAMPLES = Path(__file__).parents[3] / "examples"
SAVES = load_table(EXAMPLES / "hangs/mi-saves.toml")
STALLS = load_table(EXAMPLES / "hangs/mi-stalls.toml")
ROOMS = load_table(EXAMPLES / "controllers/rooms.toml")
LINE = mesh(5)


def compare(seeds: range, most: int) -> Counter[str]:
    """Compare answers on drawn tables with the twin, and replay each deadlock."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        drawn, addresses = table(seed), 1 + seed % 2
        if seed % 3:
            relation = message_classes(LINE, names=[*drawn.designed])
        else:
            relation = dimension_order(LINE)
        verdict, _ = check_on_network(drawn, relation, caches=2, addresses=addresses)
        truth = deadlocks(drawn, relation, 2, addresses, most)
        seen[f"{verdict.answer} {truth}"] += 1
        assert not (verdict.answer == "yes" and truth), seed
        if verdict.answer != "open":
            assert holds(verdict) is not False, seed
        if verdict.answer == "no":
            assert truth is not False, seed
            assert replayed_on_network(verdict, relation), seed
    return seen


def test_drawn_tables_on_a_line() -> None:
    seen = compare(range(12), 500)
    assert seen["no True"] > 2


@pytest.mark.campaign
def test_three_hundred_tables_on_a_line() -> None:
    seen = compare(range(300), 20_000)
    assert seen["no True"] > 75
    assert seen["yes False"] + seen["yes None"] > 30


def test_stalled_requests_wait_for_classes_that_are_never_stalled() -> None:
    routing = message_classes(mesh(4, 4), names=["Get", "Data", "Done"])
    verdict, _ = check_on_network(BLOCKING, routing)
    assert (verdict.answer, verdict.carried, holds(verdict)) == ("yes", True, True)
    assert check_on_network(BLOCKING, dimension_order(mesh(4, 4)))[0].answer == "no"


def test_messages_to_others_wait_behind_a_stalled_one_in_a_channel() -> None:
    two = replace(BLOCKING, networks={"Get": "a", "Data": "a", "Done": "b"})
    assert check_table(two).answer == "yes"
    verdict, _ = check_on_network(two, message_classes(LINE, names=["a", "b"]), caches=2)
    assert verdict.answer == "open"
    assert "may wait behind each other in channels" in verdict.established


def test_places_in_the_file_are_kept() -> None:
    cache, home = STALLS.kinds
    placed = replace(STALLS, kinds=(replace(cache, at=(4, 5, 6)), replace(home, at=(0,))))
    verdict, alone = check_on_network(placed, dimension_order(ring(8), 2))
    assert (verdict.answer, alone.answer) == ("no", "yes")
    assert replayed_on_network(verdict, dimension_order(ring(8), 2))
    crowded = replace(STALLS, kinds=(replace(cache, at=(4, 4)), home))
    with pytest.raises(TableError, match="terminal of its own"):
        check_on_network(crowded, dimension_order(ring(8), 2))


def test_a_routing_that_is_not_free_leaves_the_answer_open() -> None:
    verdict, alone = check_on_network(SAVES, dimension_order(ring(8), 1))
    assert (verdict.answer, alone.answer) == ("open", "no")
    assert "alone is not free" in verdict.established


def test_classes_are_called_as_virtual_networks() -> None:
    with pytest.raises(TableError, match=r"no message class .* is called Fwd; .*names=\['Data', 'Fwd', 'GetM'\]"):
        check_on_network(SAVES, message_classes(LINE, names=["GetM", "Data"]))


def test_messages_with_rooms_never_wait_in_channels() -> None:
    routing = dimension_order(mesh(3, 3))
    assert check_on_network(ROOMS, routing, caches=2)[0].answer == "open"
    whole = replace(ROOMS, rooms={**ROOMS.rooms, "Fwd": 1})
    verdict, _ = check_on_network(whole, routing, caches=2)
    assert (verdict.answer, verdict.carried) == ("yes", False)
    assert holds(verdict)
    assert verdict.established.endswith("with 2 caches and 2 addresses")
    tight, _ = check_on_network(replace(whole, limits={}), routing, caches=2)
    assert tight.answer == "no"
    assert replayed_on_network(tight, routing)
