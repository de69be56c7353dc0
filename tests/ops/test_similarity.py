"""string_cdist, string_damerau, string_ratio and string_jaro_winkler against rapidfuzz, around the sizes of lanes."""

import random

import numpy as np
import pytest
import torch
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein, Indel, JaroWinkler, Levenshtein

from torch_stringops import StringTensor, string_cdist

PEERS = {
    "levenshtein": (Levenshtein.distance, np.int64),
    "damerau": (DamerauLevenshtein.distance, np.int64),
    "ratio": (Indel.normalized_similarity, np.float32),
    "jaro_winkler": (JaroWinkler.similarity, np.float32),
}
METHODS = {"levenshtein": "edit_distance"}
ALPHABETS = ["ab", "abcdefghij", "a\xe9\u65e5\U0001f600", "".join(map(chr, range(0x4E00, 0x4E80)))]
SIZES = ([0, 1, 2, 3], [5, 8, 9, 16], [17, 31, 33, 63], [64, 65, 119, 120, 121], [3, 300, 520])


def drawn(rng: random.Random, alphabet: str, sizes: list[int], count: int) -> list[str]:
    return ["".join(rng.choices(alphabet, k=rng.choice(sizes))) for _ in range(count)]


@pytest.mark.parametrize("metric", PEERS)
def test_all_pairs_and_pairs(metric: str, tier: str) -> None:
    scorer, dtype = PEERS[metric]
    rng = random.Random(0)
    for alphabet in ALPHABETS:
        for sizes in SIZES:
            right = drawn(rng, alphabet, sizes, 12)
            left = [rng.choice(right)[rng.randrange(2) :] + rng.choice(["", "a"]) for _ in range(9)]
            left += drawn(rng, alphabet, sizes, 8)
            want = process.cdist(left, right, scorer=scorer, dtype=dtype)
            assert np.array_equal(string_cdist(left, right, metric).numpy(), want)
            a, b = StringTensor.from_list(left), StringTensor.from_list(right)
            pairs = getattr(a[: len(b)], METHODS.get(metric, metric))(b)
            assert np.array_equal(pairs.numpy(), np.diagonal(want))
            one = getattr(b, METHODS.get(metric, metric))(left[0])
            assert np.array_equal(one.numpy(), want[0])


def test_many_texts_of_long_units_share_a_pattern() -> None:
    """More units than lanes take at once: each pattern meets the texts one by one, and the next one finds no masks."""
    texts = ["ab" * 32] * 16000
    patterns = ["ab" * 30, "ba" * 30, "b" * 100]
    for metric, (scorer, dtype) in PEERS.items():
        if metric == "damerau":
            continue
        want = process.cdist(texts[:1], patterns, scorer=scorer, dtype=dtype)
        got = string_cdist(texts, patterns, metric)
        assert np.array_equal(got.numpy(), want.repeat(len(texts), axis=0)), metric


def test_similarity_to_the_jaro_winkler_of_long_strings_takes_linear_time() -> None:
    text = "".join(random.Random(0).choices("abcdefgh", k=10**6))
    s = StringTensor.from_list([text])
    assert s.jaro_winkler(text).item() == 1
    assert s.jaro_winkler("x" * 10**6).item() == 0


def test_cdist_traces() -> None:
    s, t = StringTensor.from_list(["kitten", "abc"]), StringTensor.from_list(["sitting", "acb", ""])

    def run(a: StringTensor, b: StringTensor) -> torch.Tensor:
        return a.cdist(b, "damerau", max_distance=2)

    compiled = torch.compile(run, fullgraph=True, backend="eager")
    assert torch.equal(compiled(s, t), run(s, t))
    assert run(s, t).tolist() == [[3, 3, 3], [3, 1, 3]]
    assert s[:0].cdist(t).shape == (0, 3)
    assert string_cdist(["kitten"], ["a"]).shape == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            {"metric": "cosine"},
            ValueError,
            "expected `metric` to be 'levenshtein', 'damerau', 'ratio' or 'jaro_winkler'",
        ),
        ({"metric": 1}, TypeError, "expected `metric` to be 'levenshtein', .*, got int"),
        (
            {"metric": "ratio", "max_distance": 1},
            ValueError,
            "expected `max_distance` to be None for a similarity, got 1",
        ),
        ({"max_distance": -1}, ValueError, "expected `max_distance` >= 0 or None, got -1"),
        ({"unit": "char"}, ValueError, "expected `unit` to be 'byte' or 'codepoint', got 'char'"),
    ],
)
def test_errors_of_cdist(arguments: dict[str, object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        string_cdist(["a"], ["b"], **arguments)


def test_leading_dimensions_of_cdist_broadcast() -> None:
    with pytest.raises(ValueError, match="string_cdist: expected `input` of rank 1 or more, got rank 0"):
        string_cdist("a", ["b"])
    s, t = StringTensor.from_list([["a", "b"], ["ab", "ba"]]), StringTensor.from_list(["a", "ab", "abc"])
    want = torch.stack([string_cdist(row, t) for row in s])
    assert torch.equal(string_cdist(s, t), want)
    assert torch.equal(string_cdist(s, t.expand(2, -1)), want)
