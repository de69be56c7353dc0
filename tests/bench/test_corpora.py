"""Workloads of the benchmarks match their descriptions, and results are compared in a canonical form."""

import numpy as np
import pytest

from benchmarks import canonical, corpora
from benchmarks.bench_linear import tiled

SMALL = {name: max(1, size // 500) for name, (_, size) in corpora.MAKERS.items()}


def small(name: str) -> corpora.Corpus:
    return corpora.MAKERS[name][0](SMALL[name])


@pytest.mark.parametrize("name", corpora.MAKERS)
def test_a_corpus_is_deterministic_and_contiguous(name: str):
    first, second = small(name), small(name)
    assert first.name == name
    assert first.data.tobytes() == second.data.tobytes()
    assert first.offsets.tolist() == second.offsets.tolist()
    assert first.offsets[0] == 0
    assert first.offsets[-1] == len(first.data)
    assert b"".join(first.encoded) == first.data.tobytes()


def test_w1_has_short_ascii_strings_of_2_to_20_words():
    strings = corpora.w1(2000).strings
    counts = [len(s.split(" ")) for s in strings]
    assert all(s.isascii() and s == " ".join(s.split()) for s in strings)
    assert (min(counts), max(counts)) == (2, 20)
    assert 8.3 < np.mean(counts) < 8.9
    assert 56 < np.mean([len(s) for s in strings]) < 64


def test_w1p_is_w1_with_one_long_row():
    counts = sorted(len(s.split()) for s in corpora.w1p(500).strings)
    assert counts[-1] == 200
    assert counts[-2] <= 20


def test_w2_has_paragraphs_of_2_kb_with_punctuation():
    strings = corpora.w2(50).strings
    assert 1700 < np.mean([len(s) for s in strings]) < 2300
    assert all(s.isascii() and "," in s for s in strings)


def test_w3_has_five_scripts_and_unicode_spaces():
    corpus = corpora.w3(2000)
    text = "\n".join(corpus.strings)
    for example in "абвé　\u2003\u00a0":
        assert example in text
    for first, last in (("\u4e00", "\u6fff"), ("\u3041", "\u3093"), ("\U0001f300", "\U0001f5ff")):
        assert any(first <= c <= last for c in text)
    assert 60 < corpus.num_bytes / len(corpus) < 80


@pytest.mark.parametrize(("name", "delimiter"), [("W4", ","), ("W4m", "::")])
def test_w4_has_lines_of_20_fields_of_which_5_percent_are_empty(name: str, delimiter: str):
    fields = [s.split(delimiter) for s in small(name).strings]
    assert {len(f) for f in fields} == {20}
    assert 0.03 < np.mean([f == "" for row in fields for f in row]) < 0.07


def test_w5_is_one_string_of_log_lines():
    corpus = corpora.w5(50_000)
    assert (len(corpus), corpus.num_bytes) == (1, 50_000)
    lines = corpus.strings[0].split("\n")[:-1]
    assert len(lines) > 200
    assert all(line.startswith("2026-01-") and "[worker-" in line for line in lines)


def test_w6_has_the_lines_of_the_standard_library():
    corpus = corpora.w6(200_000)
    assert 100_000 < corpus.num_bytes <= 200_000
    assert not any("\n" in s for s in corpus.strings)
    assert any(s.startswith("import ") for s in corpus.strings)


def test_a_vocabulary_has_distinct_words_and_the_frequent_are_shorter():
    words = corpora.vocabulary(3000)
    assert len(set(words)) == 3000
    assert np.mean([len(w) for w in words[:100]]) < np.mean([len(w) for w in words[-100:]])


def test_rows_with_finds_multi_byte_characters_within_strings_only():
    corpus = corpora.from_strings("t", "t", [b"a b", "a\u3000b".encode(), b"\xe3\x80", b"\x80", b""])
    assert corpus.rows_with("\u3000").tolist() == [False, True, False, False, False]
    assert corpus.rows_with(" \u3000").tolist() == [True, True, False, False, False]


def test_tiling_repeats_the_rows_of_a_corpus():
    corpus = corpora.from_strings("t", "t", [b"ab", b"", b"c"])
    assert tiled(corpus, 7).encoded == [b"ab", b"", b"c", b"ab", b"", b"c", b"ab"]
    assert tiled(corpus, 2).encoded == [b"ab", b""]


# Canonical forms.


def test_padded_and_flat_and_listed_results_have_one_canonical_form():
    rows = [["a", "", "bcd"], [], ["é"]]
    listed = canonical.from_lists(rows)
    objects = np.array([["a", "", "bcd"], ["", "", ""], ["é", "", ""]], dtype=object)
    counts = np.array([3, 0, 1])
    data = np.frombuffer("abcdé".encode(), dtype=np.uint8)
    offsets = np.array([[0, 1, 1, 4], [4, 4, 4, 4], [4, 6, 6, 6]])
    for other in (
        canonical.from_padded_objects(objects, counts),
        canonical.from_padded_offsets(data, offsets, counts),
        canonical.from_offsets(data, np.array([0, 1, 1, 4, 6]), np.array([0, 3, 3, 4])),
    ):
        assert canonical.difference(listed, other) == ""


def test_non_empty_padding_is_an_error():
    objects = np.array([["a", "x"]], dtype=object)
    with pytest.raises(ValueError, match="padding is not empty"):
        canonical.from_padded_objects(objects, np.array([1]))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ([["ab"]], "1 rows, expected 2"),
        ([["ab", "c"], ["d"]], "the first is row 1: 1, expected 2"),
        ([["a", "cc"], ["d", "e"]], "pieces have another size"),
        ([["ab", "c"], ["d", "x"]], "1 bytes"),
    ],
)
def test_a_difference_names_its_position(other: list[list[str]], said: str):
    expected = canonical.from_lists([["ab", "c"], ["d", "e"]])
    assert said in canonical.difference(expected, canonical.from_lists(other))
