"""BM25 equals its definition in plain Python; ways to run, state, errors."""

import math
import random
import re
from collections import Counter
from typing import Any

import pytest
import torch
from support.cases import each
from support.modules import check_pickle, check_state, check_ways_to_run, earlier_state

from torch_stringops import StringTensor
from torch_stringops.nn import BM25, bm25

WORDS = ["to", "be", "or", "not", "that", "is", "the", "question", "été", "日本", "a"]


def texts(seed: int, rows: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randrange(12))) for _ in range(rows)]


def bm25_ref(docs: list[str], queries: list[str], k1: float, b: float) -> list[list[float]]:
    """The sum over the terms of a query, from left to right."""
    words = [re.findall(r"(?u)\b\w\w+\b", doc.lower()) for doc in docs]
    average = sum(map(len, words)) / len(docs)
    having = Counter(word for doc in words for word in set(doc))
    scores = []
    for query in queries:
        scores.append([0.0] * len(docs))
        for i, doc in enumerate(words):
            for term in re.findall(r"(?u)\b\w\w+\b", query.lower()):
                idf = math.log(1 + (len(docs) - having[term] + 0.5) / (having[term] + 0.5))
                if not (f := doc.count(term)):
                    continue
                scores[-1][i] += idf * f * (k1 + 1) / (f + k1 * (1 - b + b * len(doc) / average))
    return scores


@each(("k1", "b"), [(1.5, 0.75), (1.2, 0.0), (0.0, 1.0), (2, 1)])
@each("step", [2**22, 1, 7])
def test_scores(k1: float, b: float, step: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bm25, "_PAIRS_PER_STEP", step)
    docs, queries = texts(1, 30), [*texts(2, 9), "", "new words", "to TO to"]
    module = BM25(k1, b, dtype=torch.float64).fit(docs)
    want = torch.tensor(bm25_ref(docs, queries, k1, b), dtype=torch.float64)
    torch.testing.assert_close(module(queries), want, rtol=1e-12, atol=1e-15)
    torch.testing.assert_close(BM25(k1, b).fit(docs)(queries), want.float())


def test_terms_of_rank_bm25():
    """Scores of single words are equal after both are divided by their idf, of which rank_bm25 has another one."""
    peer = pytest.importorskip("rank_bm25")
    docs = texts(3, 40)
    words = [doc.split() for doc in docs]
    ranked = peer.BM25Plus(words, k1=1.5, b=0.75, delta=0)
    module = BM25(token_pattern=r"\S+", dtype=torch.float64).fit(docs)
    for word, scores in zip(WORDS, module(WORDS), strict=True):
        having = sum(word in doc for doc in words)
        idf = math.log(1 + (len(docs) - having + 0.5) / (having + 0.5))
        theirs = torch.tensor(ranked.get_scores([word])) / ranked.idf[word]
        torch.testing.assert_close(scores / idf, theirs, rtol=1e-12, atol=1e-15)


def test_ways_to_run():
    docs, queries = texts(5, 20), StringTensor.from_list(texts(6, 4))
    module = BM25(stop_words=["be"]).fit(docs)
    check_ways_to_run(module, queries, queries[:0], queries[:1])
    check_pickle(module, queries)
    check_state(module, BM25(stop_words=["be"]), queries)
    assert module(queries).shape == (4, 20)


def test_state_that_is_malformed():
    state = earlier_state(BM25().fit(["to be", "be or not"]))
    malformed: dict[str, Any] = {
        "splits": state["splits"] + 1,
        "texts": state["texts"] + 1,
        "scores": state["scores"][:1],
        "num_texts": torch.tensor(2**40),
    }
    for name, value in malformed.items():
        with pytest.raises(RuntimeError, match="While loading the postings"):
            BM25().load_state_dict(state | {name: value})
    fewer = BM25()
    none = {
        "splits": torch.zeros(1, dtype=torch.int64),
        "texts": state["texts"][:0],
        "scores": state["scores"][:0],
    }
    fewer.load_state_dict(state | none)
    with pytest.raises(RuntimeError, match="BM25: expected postings of 4 terms, got 0"):
        fewer(["be"])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: BM25(k1=-1), ValueError, "expected `k1` >= 0 and finite, got -1"),
        (lambda: BM25(k1=float("inf")), ValueError, "expected `k1` >= 0 and finite, got inf"),
        (lambda: BM25(b=1.5), ValueError, r"expected `b` within \[0, 1\], got 1.5"),
        (lambda: BM25(b="1"), TypeError, "expected `b` to be a number, got str"),
        (lambda: BM25(dtype=torch.int64), ValueError, "expected `dtype` to be one of float32, float64"),
        (lambda: BM25().fit([]), ValueError, "expected texts with terms, got none"),
        (lambda: BM25()(["a"]), RuntimeError, r"BM25: expected a vocabulary, got none"),
        (lambda: BM25().fit(["to be"])("a"), ValueError, r"expected texts of rank 1, got shape \[\]"),
    ],
)
def test_arguments_that_are_rejected(make: Any, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        make()
