"""near_duplicates and deduplicate, against exact Jaccard similarities of all pairs."""

import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from torch_stringops.data import StringColumn
from torch_stringops.pretrain import deduplicate, near_duplicates


def shingles(text, ngram):
    return {text[i : i + ngram] for i in range(max(1, len(text) - ngram + 1))}


def similarity(a, b, ngram):
    x, y = shingles(a, ngram), shingles(b, ngram)
    return len(x & y) / len(x | y)


def clusters_of(texts, threshold, ngram):
    labels = list(range(len(texts)))
    for i in range(len(texts)):
        for j in range(i):
            if similarity(texts[i], texts[j], ngram) >= threshold and labels[i] != labels[j]:
                old, new = max(labels[i], labels[j]), min(labels[i], labels[j])
                labels = [new if label == old else label for label in labels]
    return labels


def edited(rng, text, edits):
    text = list(text)
    for _ in range(edits):
        text[rng.randrange(len(text))] = rng.choice("abcdefgh ")
    return "".join(text)


def corpus(seed, originals, copies):
    """Random texts, and copies of them with 0 to 12 edits, in random order."""
    rng = random.Random(seed)
    texts = ["".join(rng.choices("abcdefgh ", k=rng.randrange(60, 200))) for _ in range(originals)]
    texts += [edited(rng, rng.choice(texts), rng.randrange(13)) for _ in range(copies)]
    rng.shuffle(texts)
    return texts


@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("ngram", [3, 5])
def test_clusters_are_those_of_all_pairs(threshold, ngram):
    texts = corpus(1, 60, 120)
    expected = clusters_of(texts, threshold, ngram)
    found = near_duplicates(texts, threshold, ngram=ngram).tolist()
    pairs = [(i, j) for i in range(len(texts)) for j in range(i)]
    joined = {(i, j) for i, j in pairs if found[i] == found[j]}
    wanted = {(i, j) for i, j in pairs if expected[i] == expected[j]}
    assert joined <= wanted
    assert len(joined) >= 0.99 * len(wanted) > 30
    assert all(found[row] == row and row <= i for i, row in enumerate(found))


def test_pieces_and_chunks_do_not_matter(monkeypatch):
    from torch_stringops.data.columns import column

    texts = corpus(2, 30, 30)
    expected = near_duplicates(texts)
    monkeypatch.setattr(column, "PIECE_BYTES", 900)
    chunks = StringColumn([texts[:7], [], texts[7:8], texts[8:]])
    assert torch.equal(near_duplicates(chunks), expected)
    firsts = [text for i, text in enumerate(texts) if int(expected[i]) == i]
    assert deduplicate(chunks)[:].tolist() == firsts


@given(st.lists(st.sampled_from(["", "a", "b", "ab", "é"]), max_size=30))
def test_equal_strings(texts):
    found = near_duplicates(texts, 1.0).tolist()
    assert found == [texts.index(text) for text in texts]
    assert deduplicate(texts, 1.0)[:].tolist() == list(dict.fromkeys(texts))
    # Strings that are shorter than an n-gram are similar if they are equal.
    assert near_duplicates(texts, 0.8).tolist() == found


def test_many_rows_that_share_a_band():
    texts = [f"{'a' * 40}{i:04d}" for i in range(200)]
    found = near_duplicates(texts, 0.3, ngram=3)
    assert (found == 0).all()


@pytest.mark.parametrize("threshold", [0.8, 0.9])
def test_copies_among_texts_of_a_template(monkeypatch, threshold):
    """All rows share bands, far more than are compared: the order within a key brings copies together."""
    from torch_stringops.pretrain.near_duplicates import _Judge

    rng = random.Random(3)
    template = " ".join("".join(rng.choices("abcdefgh", k=6)) for _ in range(60))
    texts = [f"{template} {''.join(rng.choices('ijklmnop', k=130))} {template[::-1]}" for _ in range(600)]
    copies = [edited(rng, text, 5) for text in texts[:100]]
    order = list(range(700))
    rng.shuffle(order)
    assert 0.7 < similarity(texts[0], texts[1], 5) < 0.8
    assert min(similarity(text, copy, 5) for text, copy in zip(texts, copies, strict=False)) > threshold
    exact = []
    compare = _Judge._jaccard
    monkeypatch.setattr(_Judge, "_jaccard", lambda judge, a, b: exact.append(len(a)) or compare(judge, a, b))
    found = near_duplicates([(texts + copies)[i] for i in order], threshold)
    labels = dict(zip(order, found.tolist(), strict=True))
    assert sum(labels[i] == labels[600 + i] for i in range(100)) >= 99
    assert len(set(labels.values())) >= 600
    assert sum(exact) < 100 * 700  # of 245,000 pairs, in each of the bands


def test_few_hashes_for_a_low_threshold_are_refused():
    """They would find fewer pairs than the documentation says."""
    for hashes, threshold, least in ((16, 0.1, 51), (128, 0.02, 263)):
        with pytest.raises(
            ValueError, match=f"expected `hashes` >= {least} with `threshold` {threshold}, got {hashes}"
        ):
            near_duplicates(["a", "b"], threshold, hashes=hashes)
        assert near_duplicates(["a", "b"], threshold, hashes=least).tolist() == [0, 1]


def test_bytes_that_are_not_utf8():
    texts = [b"\xff" * 20, b"\xff" * 19 + b"\xfe", b"\xff" * 20]
    assert near_duplicates(texts, 0.9).tolist() == [0, 1, 0]


@each(("arguments", "kind", "message"), [
    ({"threshold": 0}, ValueError, r"expected `threshold` within \(0, 1\], got 0"),
    ({"threshold": float("nan")}, ValueError, "expected `threshold` within"),
    ({"threshold": "a"}, TypeError, "expected `threshold` to be a number, got str"),
    ({"ngram": 0}, ValueError, "expected `ngram` within"), ({"hashes": 8}, ValueError, "expected `hashes` within"),
    ({"seed": 1.5}, TypeError, "expected `seed` to be an int, got float"),
    ({"column": 3}, TypeError, ""),
])  # fmt: skip
@each("function", [near_duplicates, deduplicate])
def test_bad_arguments(function, arguments, kind, message):
    with pytest.raises(kind, match=f"{function.__name__}: {message}"):
        function(**{"column": ["a"], **arguments})


def test_filter_and_count(monkeypatch):
    from torch_stringops.data.columns import column

    monkeypatch.setattr(column, "PIECE_BYTES", 64)
    texts = [f"row {i}" for i in range(100)]
    rows = StringColumn([texts[:40], [], texts[40:]])
    expected = [text for text in texts if "7" in text]
    for threads in (0, 3):
        assert rows.filter(lambda s: s.contains("7"), threads=threads)[:].tolist() == expected
        assert rows.count(lambda s: s.contains("7"), threads=threads) == len(expected)
        mapped = rows.map(lambda s: s.upper(), threads=threads)
        assert mapped[:].tolist() == [text.upper() for text in texts]
    assert len(StringColumn([]).filter(lambda s: s.contains("7"))) == 0
    for wrong, got in (
        (lambda s: s.length(), r"torch.int64 \[\d+\]"),
        (lambda s: torch.ones(1, dtype=torch.bool), r"torch.bool \[1\]"),
        (lambda s: True, "bool"),
    ):
        with pytest.raises(
            ValueError, match=rf"StringColumn.filter: expected booleans \[\d+\] from the function, got {got}"
        ):
            rows.filter(wrong)
        with pytest.raises(ValueError, match="StringColumn.count: expected booleans"):
            rows.count(wrong)
