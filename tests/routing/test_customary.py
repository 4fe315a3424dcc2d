"""The routing of a network for which nobody names one."""

import pytest

from unknot.network import families
from unknot.routing.customary import customary
from unknot.verify import check
from unknot.verify.delivery import deliver


@pytest.mark.parametrize(
    ("network", "name"),
    [
        (families.fat_tree(2, 3), "nca"),
        (families.dragonfly(2), "dragonfly_ugal"),
        (families.mesh(3, 4), "duato"),
        (families.hypercube(3), "duato"),
        (families.hyperx([4, 5]), "hyperx_minimal"),
        (families.slim_fly(5), "dfsssp"),
        (families.cube_connected_cycles(3), "dfsssp"),
        (families.irregular(12, 4, seed=3), "dfsssp"),
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_it_is_the_known_one_and_safe(network, name):
    relation = customary(network)
    assert relation.name.startswith(name)
    assert check(relation).deadlock_free
    assert deliver(relation).delivered
