"""Tags of RCBN against the paper's worked example, its words and the enumeration of all paths."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers import script
from tests.reference import multistage as naive
from unknot._base.errors import NetworkError, UnknotError
from unknot.network.families import mesh, omega
from unknot.network.stages import stages
from unknot_papers.multistage import Tags, size_of_rcbn, tags_of_rows
from unknot_papers.multistage.search import routers_of
from unknot_papers.rcbn import composite_banyan, rcbn

TAGS = script("methods.tags")
alternate_tags = TAGS.alternate_tags
number_of_paths = TAGS.number_of_paths
primary_tags = TAGS.primary_tags
rows_of = TAGS.rows_of
equivalents = TAGS.equivalents
all_paths = script("methods.exhaustive").all_paths

SIZES = st.integers(3, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, 2**n - 1), st.integers(0, 2**n - 1)))


def test_worked_example_of_the_paper() -> None:
    assert primary_tags(0b0000, 0b1111, 4).texts() == ["1101"]


@pytest.mark.parametrize("n", [3, 4])
def test_primary_tags_follow_the_words_of_the_paper(n: int) -> None:
    ends = range(1 << n)
    found = primary_tags(np.arange(1 << n)[:, None], np.arange(1 << n), n)
    assert found.texts() == [naive.primary_tag(s, d, n) for s, d in itertools.product(ends, ends)]


@given(SIZES)
def test_primary_tags_lead_to_the_destination(case: tuple[int, int, int]) -> None:
    n, s, d = case
    tag = primary_tags(s, d, n)
    assert tag.texts() == [naive.primary_tag(s, d, n)]
    assert rows_of(s >> 1, tag)[-1] == d >> 1


@pytest.mark.parametrize("n", [3, 4, 5])
def test_all_five_cases_give_every_path_and_no_other(n: int) -> None:
    network = rcbn(1 << n)
    view = stages(network)
    ends = np.arange(1 << n)
    some = ends if n < 5 else ends[:2]
    s, d = np.repeat(some, ends.size), np.tile(ends, some.size)
    pair, tags = alternate_tags(s, d, n)
    rows = rows_of(s[pair] >> 1, tags)
    for i in range(s.size):
        found = {tuple(row) for row in rows[pair == i].tolist()}
        listed = view.row[routers_of(network, int(s[i]), all_paths(network, int(s[i]), int(d[i])))]
        assert found == {tuple(row) for row in listed.tolist()}
        assert np.count_nonzero(pair == i) == len(found) == number_of_paths(s[i], d[i], n)
    first = np.searchsorted(pair, np.arange(s.size))
    assert Tags(tags.digits, tags.ones[first], tags.bars[first]).texts() == primary_tags(s, d, n).texts()


def parse_tag(text: str) -> Tags:
    plain = text.replace("1̄", "b")
    ones, bars = plain.replace("b", "0"), plain.replace("1", "0").replace("b", "1")
    return Tags(len(plain), np.array([int(ones, 2)]), np.array([int(bars, 2)]))


def test_symmetric_cases_by_hand() -> None:
    """RCBN(8): 00 stands for 11̄ and 1̄1, 01 for 1̄0, 10 for 01̄, 11 for 1̄1̄."""
    for tag, wanted in (
        ("00", {"00", "11̄", "1̄1"}),
        ("01", {"01", "1̄0"}),
        ("10", {"10", "01̄"}),
        ("11", {"11", "1̄1̄"}),
    ):
        s, d = 0, int(tag[0]) * 4 + int(tag[1]) * 2
        assert set(alternate_tags(s, d, 3)[1].texts()) == wanted
        _, made = equivalents(parse_tag(tag))
        assert {tag, *made.texts()} == wanted


def test_neighbouring_cases_by_hand() -> None:
    """RCBN(16): in the front half 00 stands for 1̄1̄ and 1̄0 for 01̄; in the back half 00 for 11 and 10 for 01."""
    _, made = equivalents(parse_tag("0000"), cases=(4,))
    assert made.texts() == ["1̄1̄00"]
    _, made = equivalents(parse_tag("0000"), cases=(5,))
    assert made.texts() == ["0011"]
    assert equivalents(parse_tag("1̄000"), cases=(4,))[1].texts() == ["01̄00"]
    assert equivalents(parse_tag("0010"), cases=(5,))[1].texts() == ["0001"]
    assert equivalents(parse_tag("1010"), cases=(4,))[1].texts() == []


@given(SIZES, st.data())
def test_cases_keep_the_destination(case: tuple[int, int, int], data: st.DataObject) -> None:
    n, s, d = case
    tag = primary_tags(s, d, n)
    for _ in range(4):
        _, made = equivalents(tag)
        assert (rows_of(s >> 1, made)[..., -1] == d >> 1).all()
        if not len(made):
            break
        i = data.draw(st.integers(0, len(made) - 1))
        tag = Tags(made.digits, made.ones[i : i + 1], made.bars[i : i + 1])
        rows = rows_of(s >> 1, tag)
        assert tags_of_rows(rows).texts() == tag.texts()
        assert parse_tag(tag.texts()[0]).texts() == tag.texts()


@given(st.integers(3, 20), st.data())
def test_number_of_paths_in_closed_form(n: int, data: st.DataObject) -> None:
    """5^z 4^w tags lead to two neighbouring rows together."""
    ends = st.integers(0, 2**n - 1)
    s, d = data.draw(ends), data.draw(ends)
    both = int(number_of_paths(s, d, n)) + int(number_of_paths(s, d ^ 2, n))
    changed = ((s ^ d) >> 2).bit_count()
    assert both == 5 ** (n - 2 - changed) * 4**changed
    assert int(number_of_paths(s, d, n)) >= 2 ** (2 * n - 5)


def test_rcbn_is_recognised() -> None:
    assert size_of_rcbn(rcbn(64)) == 6
    assert size_of_rcbn(rcbn(16).without(routers=["s2r3"], channels=[0])) == 4
    assert size_of_rcbn(rcbn(16).without(routers=["s0r3"])) == 4
    for network in (omega(16), composite_banyan(16), mesh(4, 4)):
        with pytest.raises(NetworkError, match="is no"):
            size_of_rcbn(network)


def test_what_is_no_tag() -> None:
    with pytest.raises(UnknotError, match="numbered 0 to 15"):
        primary_tags(16, 0, 4)
    with pytest.raises(UnknotError, match="at most 1000000 are listed"):
        alternate_tags(0, 1, 20)
    with pytest.raises(UnknotError, match="16384 pairs may have"):
        alternate_tags(0, np.arange(2**14), 14)


@pytest.mark.parametrize("n", [3, 4, 6, 8])
def test_symmetric_cases_alone_give_three_or_two_pairs_of_digits_a_level(n: int) -> None:
    s, d = np.zeros(1 << n, dtype=np.int64), np.arange(1 << n)
    pair, _ = alternate_tags(s, d, n, cases=(1, 2, 3))
    first = primary_tags(s, d, n)
    pairs = [[first.digit(i) + first.digit(first.digits - 1 - i) for i in range(n - 2)]]
    none = (np.array(pairs[0]) == 0).sum(axis=0)
    assert np.array_equal(np.bincount(pair), 3**none * 2 ** (n - 2 - none))
