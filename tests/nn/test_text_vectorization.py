"""TextVectorization: results, ways to run, state, errors."""

from typing import Any

import pytest
import torch
from support.modules import check_pickle, check_state, check_ways_to_run

from torch_stringops import StringTensor, string_split_ragged
from torch_stringops.nn import Normalize, TextVectorization

LINES = ["To be, or not to be!", "", "It's  été.\n", "ÉTÉ to-be", " ", "?!"]
TEXT = StringTensor.from_list(LINES)


def adapted(**settings: Any) -> TextVectorization:
    module = TextVectorization(**settings)
    module.adapt(TEXT)
    return module


def tokens_of(module: TextVectorization, line: str) -> list[str]:
    """The tokens of a text, by way of a vocabulary that is learned from it alone."""
    module.adapt([line])
    vocabulary = module.get_vocabulary()
    return [vocabulary[i] for i in module([line])[0].tolist()]


def lowered(line: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in line)


def stripped(line: str) -> str:
    return "".join(c for c in line if not c.isascii() or c.isalnum() or c.isspace())


@pytest.mark.parametrize(
    ("standardize", "expected"),
    [
        ("lower_and_strip_punctuation", lambda line: stripped(lowered(line))),
        ("lower", lowered),
        ("strip_punctuation", stripped),
        (None, str),
    ],
)
def test_standardized_tokens(standardize: str | None, expected: Any):
    line = "".join(map(chr, range(33, 127))) + " A\u3000É \x1cß\tDon't x\x0by"
    words = TextVectorization(standardize=standardize, split="whitespace")
    ascii_words = expected(line).replace("\t", " ").replace("\x0b", " ").split(" ")
    assert tokens_of(words, line) == ascii_words
    characters = TextVectorization(standardize=standardize, split="character")
    assert tokens_of(characters, line) == list(expected(line))


def test_functions_as_settings():
    module = TextVectorization(standardize=Normalize(), split=string_split_ragged)
    assert tokens_of(module, "ÉTÉ\u3000Be!") == ["été", "be!"]
    check_ways_to_run(module, TEXT, TEXT[:1])
    check_pickle(module, TEXT)


def test_ngrams():
    line = "a b c"
    assert tokens_of(TextVectorization(ngrams=2), line) == ["a", "b", "c", "a b", "b c"]
    assert tokens_of(TextVectorization(ngrams=(3, 1)), line) == ["a b c", "a", "b", "c"]


def test_shapes_of_input():
    module = adapted()
    expected = module(TEXT)
    assert expected.shape == (6, 6)
    assert torch.equal(module(LINES), expected)
    assert torch.equal(module(TEXT.reshape(6, 1)), expected)
    assert torch.equal(module(TEXT.reshape(2, 3)), expected.reshape(2, 3, 6))
    assert torch.equal(module(TEXT[0]), expected[0])
    assert module(TEXT[:0]).shape == (0, 0)
    count = adapted(output_mode="count")
    assert torch.equal(count(TEXT.reshape(2, 3)), count(TEXT).reshape(2, 3, -1))
    assert module(TEXT[1:2]).shape == (1, 0)


@pytest.mark.check
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"output_sequence_length": 3, "standardize": "lower"},
        {"ragged": True, "split": "character", "standardize": "strip_punctuation"},
        {"ragged": True, "output_sequence_length": 2, "ngrams": (2, 1)},
        {"output_mode": "multi_hot", "ngrams": 2},
        {"output_mode": "count", "split": None, "standardize": None},
        {"output_mode": "tf_idf"},
        {"output_mode": "tf_idf", "max_tokens": 20, "pad_to_max_tokens": True},
    ],
    ids=str,
)
def test_runs_everywhere(settings: dict[str, Any]):
    module = adapted(**settings)
    input = TEXT.reshape(2, 3) if "split" in settings and settings["split"] is None else TEXT
    check_ways_to_run(module, input, input[:1], input[:0])
    check_pickle(module, input)
    check_state(module, TextVectorization(**settings), input)


def test_compiled_by_inductor():
    torch._dynamo.reset()
    module = adapted(ngrams=2)
    compiled = torch.compile(module, fullgraph=True)
    for text in (TEXT, TEXT[:1]):
        assert torch.equal(compiled(text), module(text))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"standardize": "upper"}, 'expected `standardize` to be one of .* got "upper"'),
        ({"split": "words"}, 'expected `split` to be one of "whitespace", "character", None, got "words"'),
        ({"output_mode": "one_hot"}, "expected `output_mode` to be one of"),
        ({"ngrams": 0}, r"expected `ngrams` within \[1, 65536\], got 0"),
        ({"output_sequence_length": -1}, "expected `output_sequence_length` >= 0"),
        ({"output_mode": "count", "ragged": True}, 'expected `output_mode` "int" with `ragged`, got "count"'),
    ],
)
def test_arguments_that_are_rejected(settings: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        TextVectorization(**settings)


def test_text_that_is_not_utf8_is_rejected():
    with pytest.raises((ValueError, RuntimeError), match="UTF-8"):
        TextVectorization(vocabulary=["a"])([b"\xff"])
    by_bytes = TextVectorization(standardize="lower", split=string_split_ragged, vocabulary=["a"])
    assert by_bytes([b"\xff A"]).tolist() == [[1, 2]]


@pytest.mark.parametrize("mode", ["multi_hot", "count", "tf_idf"])
@pytest.mark.parametrize("ngrams", [None, 2])
def test_sparse_results_are_the_dense_ones(mode: str, ngrams: int | None):
    texts = ["to be or not", "", "be be new", "that is"]
    dense = TextVectorization(output_mode=mode, ngrams=ngrams)
    sparse = TextVectorization(output_mode=mode, ngrams=ngrams, sparse=True)
    for module in (dense, sparse):
        module.adapt([texts[0], "be is to"])
    for given in (texts, [[text] for text in texts], texts[:0]):
        result, want = sparse(given), dense(given)
        assert result.layout is torch.sparse_csr
        assert result.dtype == want.dtype
        assert torch.equal(result.to_dense(), want)
    with pytest.raises(ValueError, match=r"expected texts of rank 1 with `sparse`, got the shape \[1, 2\]"):
        sparse([texts[:2]])
    with pytest.raises(ValueError, match='expected another `output_mode` than "int" with `sparse`'):
        TextVectorization(sparse=True)


def test_stop_words_are_dropped_before_ngrams():
    module = TextVectorization(ngrams=2, stop_words=["to", "not"])
    module.adapt(["To be, or not to be"])
    assert module.get_vocabulary() == ["", "[UNK]", "be", "or be", "or", "be or"]
    assert module(["be to or"]).tolist() == [[2, 4, 5]]
    check_ways_to_run(module, StringTensor.from_list(["be to or", "to"]))
    assert TextVectorization(stop_words={"be"}, vocabulary=["be", "to"])(["to be"]).tolist() == [[3]]
    with pytest.raises(
        ValueError, match='expected `stop_words` to be "english", scikit-learn\'s list, or a list of words'
    ):
        TextVectorization(stop_words="to")
