"""Inputs and results of single rows of the benchmarks, and the overhead row of every operator."""

import numpy as np
import pytest
from support.registry import OVERLOADS, is_private

from benchmarks import (
    bench_overhead,
    bench_slices,
    bench_split_encode,
    bench_string_equal,
    bench_string_tensor_pack,
    canonical,
    corpora,
    ours,
)


def test_strings_to_compare_are_equal_differ_in_the_last_byte_or_are_from_another_row():
    corpus = corpora.w1(400)
    found = bench_string_equal.others(corpus).encoded
    kinds = {"equal": 0, "last byte": 0, "other": 0}
    for string, other in zip(corpus.encoded, found, strict=True):
        kind = "equal" if string == other else "last byte" if string[:-1] == other[:-1] else "other"
        kinds[kind] += 1
    assert 150 < kinds["equal"] < 250
    assert min(kinds.values()) > 60


def test_words_of_a_corpus_are_separated_by_whitespace():
    corpus = corpora.from_strings("t", "t", [b"a bc", b"", b" d ", "é".encode()])
    assert corpora.words_of(corpus).encoded == [b"a", b"bc", b"d", "é".encode()]


def test_ranges_of_words_are_their_positions():
    corpus = corpora.w1(50)
    begins, ends = bench_string_tensor_pack.ranges_of_words(corpus)
    raw = corpus.data.tobytes()
    found = [raw[a:b] for a, b in zip(begins, ends, strict=True)]
    assert found == corpora.words_of(corpus).encoded


def test_canonical_form_of_ragged_numbers():
    ids = np.array([7, 8, 9])
    two, other = (canonical.from_ids(ids, np.array(splits)) for splits in ([0, 1, 3], [0, 2, 3]))
    assert canonical.difference(two, two) == ""
    assert canonical.difference(two, other) == "1 of 6 elements"


def test_results_of_slices_are_joined_in_order():
    first, second = (canonical.from_lists(rows) for rows in ([["a", ""], []], [["bc"]]))
    whole = canonical.from_lists([["a", ""], [], ["bc"]])
    assert canonical.difference(whole, canonical.joined([first, second])) == ""


def test_slices_of_a_column_equal_their_compact_copies():
    text = ours.string_tensor(corpora.w1(130))
    taken = bench_slices.slices(text.data, text.offsets)
    assert [len(offsets) - 1 for _, offsets in taken] == [64, 64, 2]
    for data, offsets in taken:
        copy, own = bench_slices.compact(data, offsets)
        assert own[0] == 0
        assert len(copy) == own[-1]
        assert bytes(copy.numpy()) == bytes(data[offsets[0] : offsets[-1]].numpy())


def test_a_vocabulary_holds_the_most_frequent_words_first():
    corpus = corpora.from_strings("t", "t", [b"a b c b", b"c c"])
    assert bench_split_encode.most_frequent(corpus, None).encoded == [b"c", b"b", b"a"]
    assert bench_split_encode.most_frequent(corpus, 2).encoded == [b"c", b"b"]


@pytest.mark.parametrize("name", [name for name in OVERLOADS if not is_private(name)])
def test_the_overhead_of_every_operator_is_measured(name: str):
    contender = next(c for c in bench_overhead.contenders() if c.name == name)
    contender.call()
