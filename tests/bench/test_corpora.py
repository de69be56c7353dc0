"""Workloads of the benchmarks match their descriptions, and results are compared in a canonical form."""

import numpy as np
import pytest
import torch
from support.registry import OVERLOADS, is_private

from benchmarks import canonical, corpora, inputs, overhead

SMALL = {name: max(1, size // 500) for name, (_, size) in corpora.MAKERS.items()}


def small(name: str) -> corpora.Corpus:
    return corpora.MAKERS[name][0](SMALL[name])


@pytest.mark.parametrize("name", ["W1", "W1p", "W2", "W3", "W4", "W5", "W6", "W7", "contacts", "prices", "users"])
def test_a_corpus_is_deterministic_and_contiguous(name: str):
    first, second = small(name), small(name)
    assert first.name == name
    assert first.data.tobytes() == second.data.tobytes()
    assert first.offsets.tolist() == second.offsets.tolist()
    assert first.offsets[0] == 0
    assert first.offsets[-1] == len(first.data)
    assert b"".join(first.encoded) == first.data.tobytes()


def test_text_of_packages_is_distinct_and_its_words_are_strings():
    for name in ("metadata", "records"):
        found = corpora.corpus(name, 0.01)
        assert len(found) > 20
        assert len(set(found.encoded)) == len(found)
        words = corpora.corpus(f"words of {name}", 0.01)
        assert b"".join(words.encoded) == b"".join(b"".join(s.split()) for s in found.encoded)
    assert all(s.count(",") == 2 or '"' in s for s in corpora.corpus("records", 0.01).strings)


def test_others_are_equal_differ_in_the_last_byte_or_are_from_another_row():
    corpus, others = inputs.with_others(corpora.w1(400))
    kinds_ = {"equal": 0, "last byte": 0, "other": 0}
    for string, other in zip(corpus.encoded, others.encoded, strict=True):
        kind = "equal" if string == other else "last byte" if string[:-1] == other[:-1] else "other"
        kinds_[kind] += 1
    assert 150 < kinds_["equal"] < 250
    assert min(kinds_.values()) > 60


def test_inputs_that_are_made_of_a_corpus():
    corpus = corpora.from_strings("t", "t", [b"a bc", b"", b" d ", "\u00e9".encode()])
    assert corpora.words_of(corpus).encoded == [b"a", b"bc", b"d", "\u00e9".encode()]
    begins, ends, data = inputs.ranges_of_words(corpora.w1(50))
    found = [data.tobytes()[a:b] for a, b in zip(begins, ends, strict=True)]
    assert found == corpora.words_of(corpora.w1(50)).encoded
    corpus = corpora.from_strings("t", "t", [b"a b c b", b"c c"])
    assert inputs.with_vocabulary(corpus)[1].encoded == [b"c", b"b", b"a"]
    assert inputs.with_vocabulary(corpus, most=2)[1].encoded == [b"c", b"b"]


def test_the_overhead_of_every_operator_is_measured():
    contenders = {c.name: c for c in overhead.contenders()}
    for name in (name for name in OVERLOADS if not is_private(name)):
        contenders[name].call()


# Canonical forms.


def test_results_of_all_forms_are_equal():
    rows = [["a", "", "bcd"], [], ["\u00e9"]]
    data = np.frombuffer("abcd\u00e9".encode(), dtype=np.uint8)
    offsets, splits = torch.tensor([0, 1, 1, 4, 6]), torch.tensor([0, 3, 3, 4])
    padded = torch.tensor([[0, 1, 1, 4], [4, 4, 4, 4], [4, 6, 6, 6]])
    objects = np.array([["a", "", "bcd"], ["", "", ""], ["\u00e9", "", ""]], dtype=object)
    counts = torch.tensor([3, 0, 1])
    for other in (
        canonical.of((torch.from_numpy(data.copy()), offsets, splits)),
        canonical.of((torch.from_numpy(data.copy()), padded, counts)),
        canonical.from_objects(objects, counts.numpy()),
        canonical.of(canonical.of(rows)),
    ):
        assert canonical.difference(canonical.of(rows), other) == ""
    ids = canonical.of((torch.tensor([7, 8, 9]), torch.tensor([0, 1, 3])))
    assert canonical.difference(ids, canonical.of([[7], [8, 9]])) == ""
    assert canonical.difference(ids, canonical.of([[7, 8], [9]])) != ""
    assert canonical.difference(canonical.of([True, False]), canonical.of(np.array([1, 0], np.uint32))) == ""
    halves = canonical.joined([[["a", ""], []], [["bc"]]])
    assert canonical.difference(halves, canonical.of([["a", ""], [], ["bc"]])) == ""


def test_non_empty_padding_is_an_error():
    objects = np.array([["a", "x"]], dtype=object)
    with pytest.raises(ValueError, match="padding is not empty"):
        canonical.from_objects(objects, np.array([1]))


def test_a_difference_names_its_position():
    expected = canonical.of([["ab", "c"], ["d", "e"]])
    for other, said, rows in (
        ([["ab"]], "1 rows, expected 2", 2),
        ([["ab", "c"], ["d"]], "the first is row 1: 1, expected 2", 1),
        ([["a", "cc"], ["d", "e"]], "pieces have another size", 1),
        ([["ab", "c"], ["d", "x"]], "1 bytes", 1),
    ):
        assert said in canonical.difference(expected, canonical.of(other))
        assert canonical.differing_rows(expected, canonical.of(other)) == rows
