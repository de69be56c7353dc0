"""CountVectorizer, TfidfVectorizer and HashingVectorizer: recorded results of scikit-learn, ways to run, state, errors."""

import copy
import pickle
import sys
from typing import Any

import pytest
import torch
from support.cases import each
from support.modules import check_pickle, check_state, check_ways_to_run, earlier_state
from support.vectorizers import CASES, TEXTS, expected, kinds, sparse_parts

import torch_stringops
from torch_stringops import StringTensor
from torch_stringops.nn import CountVectorizer, HashingVectorizer, TfidfVectorizer
from torch_stringops.nn import _row_counts as row_counts

S = StringTensor.from_list(TEXTS)
KINDS = [CountVectorizer, TfidfVectorizer, HashingVectorizer]


@each("case", CASES)
def test_results_of_scikit_learn(case: Any):
    """The terms and the values that scikit-learn has; counts are equal, floats within 1e-12."""
    kind, settings = kinds(case)
    module, want = kind(**settings), expected(case)
    if "error" in want:
        with pytest.raises(ValueError, match="expected"):
            module.fit(S)
        return
    for matrix in (module.fit_transform(S), module(S), module(TEXTS)):
        crow, columns, values = sparse_parts(matrix)
        assert (crow, columns) == (want["crow"], want["columns"])
        assert values == pytest.approx(want["values"], rel=1e-12, abs=0)
    if kind is not HashingVectorizer:
        assert module.get_feature_names_out() == want["terms"]
        assert module.vocabulary_ == {term: i for i, term in enumerate(want["terms"])}
    if settings.get("n_features", 0) > 2**20:
        return
    dense = kind(**settings, sparse=False).fit(S)(S)
    torch.testing.assert_close(dense, module(S).to_dense(), rtol=1e-12, atol=1e-15)
    assert dense.dtype == module.dtype


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_chunks_change_nothing(analyzer: str, monkeypatch: pytest.MonkeyPatch):
    texts = StringTensor.from_list([f"{text} {i % 7}" for i, text in enumerate(TEXTS * 4)])
    modules = [kind(analyzer=analyzer, ngram_range=(2, 3)) for kind in KINDS]
    want = [sparse_parts(module.fit(texts)(texts)) for module in modules]
    monkeypatch.setattr(row_counts, "_BYTES_PER_CHUNK", 1)
    original = max
    monkeypatch.setattr(row_counts, "max", lambda *values: original(values[0], 200), raising=False)
    parts = list(row_counts.chunks(texts, 1))
    assert len(parts) > 5
    assert [text for part in parts for text in part.tolist()] == texts.tolist()
    assert [len(part) for part in row_counts.chunks(texts[3:3], 1)] == [0]
    for module, before in zip(modules, want, strict=True):
        assert sparse_parts(type(module)(analyzer=analyzer, ngram_range=(2, 3)).fit(texts)(texts)) == before


@pytest.mark.check
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (CountVectorizer, {"token_pattern": r"\b[a-z]+\b", "ngram_range": (1, 2)}),
        (TfidfVectorizer, {"stop_words": ["be"], "strip_accents": "unicode", "sublinear_tf": True}),
        (HashingVectorizer, {"analyzer": "char_wb", "ngram_range": (4, 5), "n_features": 11}),
    ],
)
def test_ways_to_run(kind: Any, settings: dict[str, Any]):
    module = kind(sparse=False, **settings).fit(S)
    check_ways_to_run(module, S, S[:0], S[:1])
    check_pickle(module, S)
    check_state(module, kind(sparse=False, **settings), S)
    assert copy.deepcopy(module)(S).tolist() == module(S).tolist()


def test_sparse_results_are_not_exported():
    with pytest.raises(RuntimeError, match="CountVectorizer: expected a module with sparse=False"):
        torch_stringops.export(CountVectorizer().fit(S), (S,))


def test_functions_as_steps():
    module = CountVectorizer(preprocessor=lambda s: s.upper(), tokenizer=lambda s: s.split_ragged(), stop_words=["BE"])
    assert module.fit(["to be", "be so"]).get_feature_names_out() == ["SO", "TO"]
    whole = CountVectorizer(analyzer=lambda s: (s, torch.arange(s.shape[0] + 1)))
    assert whole.fit_transform(["b", "a", "b"]).to_dense().tolist() == [[0, 1], [1, 0], [0, 1]]


def test_state_of_other_terms():
    state = earlier_state(TfidfVectorizer().fit(S))
    for wrong, text in ((state["idf_"].float(), "to be float64, got float32"), (state["idf_"][None], "of rank 1")):
        with pytest.raises(RuntimeError, match=f"expected `idf_` {text}"):
            TfidfVectorizer().load_state_dict(state | {"idf_": wrong})
    short = TfidfVectorizer()
    short.load_state_dict(state | {"idf_": state["idf_"][:1]})
    with pytest.raises(RuntimeError, match=r"expected weights of \d+ terms, got 1"):
        short(S)
    empty = TfidfVectorizer()
    pickled = pickle.loads(pickle.dumps(empty))
    for module in (empty, pickled, CountVectorizer()):
        with pytest.raises(RuntimeError, match=r"expected a vocabulary, got none \(call fit"):
            module(S)
    with pytest.raises(RuntimeError, match=r"expected weights of 2 terms, got 0 \(call fit"):
        TfidfVectorizer(vocabulary=["be", "to"])(S)


def test_a_vocabulary_in_three_forms():
    columns = {"to": 1, "be": 0}
    for vocabulary in (columns, {"to", "be"}, ["be", "to"], StringTensor.from_list(["be", "to"])):
        module = CountVectorizer(vocabulary=vocabulary)
        assert module.fixed_vocabulary_
        assert module(["to be to", "or"]).to_dense().tolist() == [[1, 2], [0, 0]]
        assert module.fit(["other texts"]).vocabulary_ == columns


@each(
    ("make", "error", "message"),
    [
        (lambda: CountVectorizer(ngram_range=(2, 1)), ValueError, r"in ascending order, got \(2, 1\)"),
        (lambda: CountVectorizer(ngram_range=2), TypeError, "expected `ngram_range` to be a pair of ints"),
        (lambda: CountVectorizer(analyzer="words"), ValueError, 'expected `analyzer` to be one of "word"'),
        (lambda: CountVectorizer(tokenizer="x"), TypeError, "expected `tokenizer` to be a function or None"),
        (lambda: CountVectorizer(stop_words="german"), ValueError, 'to be "english", scikit-learn\'s list, or a list'),
        (lambda: CountVectorizer(token_pattern="("), ValueError, "expected a regular expression"),
        (lambda: CountVectorizer(token_pattern="(a)(b)"), ValueError, "at most one group .*, got 2"),
        (lambda: CountVectorizer(token_pattern=r"\b-\w+"), ValueError, r"expected \\b in `token_pattern` only"),
        (lambda: CountVectorizer(token_pattern=r"[\Wa]"), ValueError, r"without \\W in brackets"),
        (lambda: CountVectorizer(token_pattern=3), TypeError, "expected `token_pattern` to be a str, got int"),
        (lambda: CountVectorizer(max_df=1.5), ValueError, r"expected `max_df` within \[0.0, 1.0\]"),
        (lambda: CountVectorizer(min_df=0), ValueError, "expected `min_df` >= 1, got 0"),
        (lambda: CountVectorizer(max_features=0), ValueError, "expected `max_features` >= 1, got 0"),
        (lambda: CountVectorizer(vocabulary=[]), ValueError, "expected `vocabulary` of rank 1, not empty"),
        (lambda: CountVectorizer(vocabulary=["a", "a"]), ValueError, "a"),
        (lambda: CountVectorizer(vocabulary={"a": 1}), ValueError, "with the columns 0 to 0, each once"),
        (lambda: CountVectorizer(dtype=int), TypeError, "expected `dtype` to be a torch.dtype, got type"),
        (lambda: TfidfVectorizer(dtype=torch.int64), ValueError, "expected `dtype` to be one of float64, float32"),
        (lambda: TfidfVectorizer(norm="l3"), ValueError, 'expected `norm` to be one of "l1", "l2", None'),
        (lambda: HashingVectorizer(n_features=2**31), ValueError, "expected `n_features` within"),
        (lambda: CountVectorizer()("a text"), ValueError, r"expected texts of rank 1, got shape \[\]"),
        (lambda: CountVectorizer().fit([["a"]]), ValueError, r"expected texts of rank 1, got shape \[1, 1\]"),
        (lambda: CountVectorizer().fit(["a", ""]), ValueError, "expected texts with terms, got none"),
        (lambda: CountVectorizer(max_df=1, min_df=2).fit(S), ValueError, "as many texts as `min_df`, got 1 and 2"),
        (lambda: CountVectorizer(min_df=100, max_df=100).fit(S), ValueError, "within `min_df` and `max_df`"),
    ],
)
def test_arguments_that_are_rejected(make: Any, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        make()


def test_english_stop_words_are_those_of_scikit_learn(monkeypatch):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    ours = CountVectorizer(stop_words="english")
    assert set(ours.stop_words.tolist()) == text.ENGLISH_STOP_WORDS
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(ImportError, match='^CountVectorizer: stop_words="english" is the list of scikit-learn'):
        CountVectorizer(stop_words="english")
