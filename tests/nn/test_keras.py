"""The modules agree with the layers of Keras on random text. Skipped where Keras with TensorFlow is not installed."""

import os
import random
from typing import Any

import pytest
import torch
from torch import Tensor

from torch_stringops import StringTensor
from torch_stringops.nn import Hashing, StringLookup, TextVectorization

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
keras = pytest.importorskip("keras")
pytest.importorskip("tensorflow")

WORDS = [
    "to", "be", "Be!", "or", "NOT", "don't", "été", "ÉTÉ", "a\u3000b", "x-y", "[UNK]", "\t", "…", "'", "日本", "b",
]  # fmt: skip


def text(seed: int, rows: int = 40, words: int = 12) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randrange(words))) for _ in range(rows)]


def table(seed: int, rows: int = 20, columns: int = 5) -> list[list[str]]:
    draw = random.Random(seed)
    return [draw.choices([*WORDS, ""], k=columns) for _ in range(rows)]


def assert_same(ours: Any, theirs: Any) -> None:
    expected = torch.from_numpy(theirs.numpy())
    assert isinstance(ours, Tensor)
    assert ours.dtype == expected.dtype
    torch.testing.assert_close(ours, expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("salt", [7, (1, 2**40)])
@pytest.mark.parametrize("mask", [None, "be"])
@pytest.mark.parametrize("mode", ["int", "multi_hot", "count"])
def test_hashing(salt: Any, mask: str | None, mode: str):
    theirs = keras.layers.Hashing(11, mask_value=mask, salt=salt, output_mode=mode)
    assert_same(Hashing(11, mask, salt, mode)(table(1)), theirs(table(1)))


@pytest.mark.parametrize("mode", ["int", "multi_hot", "count", "tf_idf"])
@pytest.mark.parametrize("mask", [None, "", "be"])
@pytest.mark.parametrize("size", [{}, {"max_tokens": 8}, {"max_tokens": 30, "pad_to_max_tokens": True}])
@pytest.mark.parametrize("oov", [{}, {"num_oov_indices": 3, "salt": 5}])
def test_string_lookup(mode: str, mask: str | None, size: dict[str, Any], oov: dict[str, Any]):
    settings = {"output_mode": mode, "mask_token": mask, **size, **oov}
    if mode == "int" and "pad_to_max_tokens" in size:
        settings["pad_to_max_tokens"] = False
    ours, theirs = StringLookup(**settings), keras.layers.StringLookup(**settings)
    ours.adapt(table(2))
    theirs.adapt(table(2))
    assert ours.get_vocabulary() == [str(token) for token in theirs.get_vocabulary()]
    assert ours.vocabulary_size() == theirs.vocabulary_size()
    unseen = [[*row[:-1], "new"] for row in table(3)]
    assert_same(ours(unseen), theirs(unseen))


def test_strings_of_ids():
    settings = {"mask_token": "", "vocabulary": ["a", "b"], "invert": True}
    ours, theirs = StringLookup(**settings), keras.layers.StringLookup(**settings)
    ids = [[0, 1, 2], [3, 4, 100]]
    expected = [[word.decode() for word in row] for row in theirs(ids).numpy().tolist()]
    assert ours(ids).tolist() == expected
    assert isinstance(ours(ids), StringTensor)


@pytest.mark.parametrize("standardize", ["lower_and_strip_punctuation", "lower", "strip_punctuation", None])
@pytest.mark.parametrize("split", ["whitespace", "character"])
@pytest.mark.parametrize("ngrams", [None, 2, (3, 1)])
@pytest.mark.parametrize("mode", ["int", "multi_hot", "count", "tf_idf"])
def test_text_vectorization(standardize: str | None, split: str, ngrams: Any, mode: str):
    settings = {"standardize": standardize, "split": split, "ngrams": ngrams, "output_mode": mode}
    ours, theirs = TextVectorization(**settings), keras.layers.TextVectorization(**settings)
    ours.adapt(text(4))
    theirs.adapt(text(4))
    assert ours.get_vocabulary() == [str(token) for token in theirs.get_vocabulary()]
    for unseen in (text(5), [f"new {line}" for line in text(6)]):
        assert_same(ours(unseen), theirs(unseen))
        assert_same(ours([[line] for line in unseen]), theirs([[line] for line in unseen]))


@pytest.mark.parametrize("settings", [
    {"output_sequence_length": 4}, {"output_sequence_length": 30, "max_tokens": 7},
    {"output_mode": "count", "max_tokens": 50, "pad_to_max_tokens": True},
    {"output_mode": "tf_idf", "max_tokens": 50, "pad_to_max_tokens": True},
    {"output_mode": "tf_idf", "max_tokens": 6},
])  # fmt: skip
@pytest.mark.parametrize("batches", [False, True])
def test_sizes_of_text_vectorization(settings: dict[str, Any], batches: bool):
    ours, theirs = TextVectorization(**settings), keras.layers.TextVectorization(**settings)
    for layer in (ours, theirs):
        layer.adapt(iter([text(7), text(8)]) if batches else text(7))
    assert ours.get_vocabulary() == [str(token) for token in theirs.get_vocabulary()]
    assert_same(ours(text(9)), theirs(text(9)))


@pytest.mark.parametrize("mode", ["int", "multi_hot", "count", "tf_idf"])
@pytest.mark.parametrize("ngrams", [None, 2])
def test_rows_that_are_not_split(mode: str, ngrams: int | None):
    settings = {"split": None, "output_mode": mode, "ngrams": ngrams}
    ours, theirs = TextVectorization(**settings), keras.layers.TextVectorization(**settings)
    for layer in (ours, theirs):
        layer.adapt(iter([table(10), table(11)]))
    assert ours.get_vocabulary() == [str(token) for token in theirs.get_vocabulary()]
    assert_same(ours(table(12)), theirs(table(12)))


@pytest.mark.parametrize("batches", [False, True])
def test_strings_of_rank_1_that_are_not_split(batches: bool):
    data = ["a b", "c", "a b", "d"]
    lookup = (StringLookup(output_mode="tf_idf"), keras.layers.StringLookup(output_mode="tf_idf"))
    settings = {"split": None, "ngrams": 2, "output_mode": "tf_idf"}
    text_layers = (TextVectorization(**settings), keras.layers.TextVectorization(**settings))
    for ours, theirs in (lookup, text_layers):
        for layer in (ours, theirs):
            layer.adapt(iter([data, data[:2]]) if batches else data)
        assert ours.get_vocabulary() == [str(token) for token in theirs.get_vocabulary()]
        assert_same(ours(data), theirs(data))


@pytest.mark.parametrize("length", [None, 3])
def test_ragged_rows(length: int | None):
    settings = {"ragged": True, "output_sequence_length": length, "vocabulary": ["to", "be", "or"]}
    ids, row_splits = TextVectorization(**settings)(text(13))
    theirs = keras.layers.TextVectorization(**settings)(text(13))
    assert_same(ids, theirs.flat_values)
    assert_same(row_splits, theirs.row_splits)
