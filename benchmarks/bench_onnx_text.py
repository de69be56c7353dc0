"""string_normalizer and tfidf_vectorizer: the operators of ONNX on words of W1, against onnxruntime."""

from functools import partial
from typing import Any

import numpy as np
import torch

import torch_stringops
from benchmarks import canonical, ours, peers
from benchmarks.bench_string_build import strings_of
from benchmarks.corpora import SEED, Corpus, from_strings, vocabulary, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

NORMALIZER = "ours, string_normalizer"
TFIDF = "ours, tfidf_vectorizer"
STOPWORDS = 150


def normalizer(workload: str, action: str, context: Context) -> Comparison:
    corpus = words_of(context.corpus(workload))
    strings = ours.string_tensor(corpus)
    stopwords = [word.decode() for word in vocabulary()[:STOPWORDS]]
    removed = torch_stringops.StringTensor.from_list(stopwords)
    call = partial(
        ours.operator("string_normalizer"),
        strings.data,
        strings.offsets,
        removed.data,
        removed.offsets,
        case_change_action=action,
        is_case_sensitive=True,
    )
    contenders: peers.Contenders = [ours.contender(NORMALIZER, call, strings_of)]
    contenders += onnxruntime_normalizer(corpus, stopwords, action)
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, *call()]))
    title = f"{STOPWORDS} stop words, `{action}`. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, [Target(NORMALIZER, "onnxruntime", 3)], corpus.num_bytes)


@peers.needs("onnxruntime", "onnx")
def onnxruntime_normalizer(corpus: Corpus, stopwords: list[str], action: str) -> peers.Contenders:
    helper, kind = peers.load("onnx").helper, peers.load("onnx").TensorProto.STRING
    node = helper.make_node(
        "StringNormalizer",
        ["x"],
        ["y"],
        case_change_action=action,
        is_case_sensitive=1,
        stopwords=stopwords,
        locale="C.UTF-8",
    )
    value = helper.make_tensor_value_info
    session = peers.ort_session([node], [value("x", kind, ["n"])], [value("y", kind, ["m"])])
    strings = peers.ort_strings(corpus.encoded)
    return [
        Contender(
            "onnxruntime StringNormalizer",
            lambda: session.run_with_ort_values(["y"], {"x": strings}),
            lambda out: canonical.from_strings(out[0].numpy().tolist()),
            group="onnxruntime",
        )
    ]


class Documents:
    """Rows of 50 words, as strings or ids, and a pool of the frequent 1-grams and 2-grams."""

    def __init__(self, context: Context, kind: str, rows: int) -> None:
        self.kind, self.shape = kind, (rows, 50)
        rng = np.random.default_rng([SEED, 17])
        count = rows * 50
        self.ids = np.minimum(rng.zipf(1.2, count), 30_000) - 1
        pairs = [(a, b) for a in range(60) for b in range(50)]
        pool = [*range(2000), *(i for pair in pairs for i in pair)]
        self.attributes: dict[str, Any] = {
            "max_gram_length": 2,
            "max_skip_count": 1,
            "min_gram_length": 1,
            "mode": "TFIDF",
            "ngram_counts": [0, 2000],
            "ngram_indexes": rng.permutation(2000 + len(pairs)).tolist(),
            "weights": rng.integers(1, 9, 2000 + len(pairs)).astype(np.float32).tolist(),
        }
        self.words = [vocabulary()[i] for i in self.ids.tolist()] if kind == "strings" else []
        self.pool = [vocabulary()[i].decode() for i in pool] if kind == "strings" else pool

    def call(self) -> Any:
        rest = dict(self.attributes)
        indexes, weights = torch.tensor(rest.pop("ngram_indexes")), torch.tensor(rest.pop("weights"))
        if self.kind == "ints":
            input = torch.tensor(self.ids).reshape(self.shape)
            op = ours.operator("tfidf_vectorizer")
            return partial(op, input, torch.tensor(self.pool), indexes, weights, **rest)
        s = ours.string_tensor(from_strings("words", "words", self.words)).reshape(self.shape)
        pool = torch_stringops.StringTensor.from_list(self.pool)
        op = ours.operator("tfidf_vectorizer", "strings")
        return partial(op, s.data, s.offsets, pool.data, pool.offsets, indexes, weights, **rest)


@peers.needs("onnxruntime", "onnx")
def onnxruntime_tfidf(documents: Documents) -> peers.Contenders:
    helper, kinds = peers.load("onnx").helper, peers.load("onnx").TensorProto
    of_strings = documents.kind == "strings"
    pool = {"pool_strings" if of_strings else "pool_int64s": documents.pool}
    kind = kinds.STRING if of_strings else kinds.INT64
    value = helper.make_tensor_value_info
    reshape = helper.make_node("Reshape", ["x", "shape"], ["rows"])
    node = helper.make_node("TfIdfVectorizer", ["rows"], ["y"], **pool, **documents.attributes)
    shape = value("shape", kinds.INT64, [2])
    session = peers.ort_session(
        [reshape, node], [value("x", kind, ["n"]), shape], [value("y", kinds.FLOAT, ["n", "m"])]
    )
    ort = peers.load("onnxruntime")
    flat = (
        peers.ort_strings(documents.words)
        if of_strings
        else ort.OrtValue.ortvalue_from_numpy(documents.ids.astype(np.int64))
    )
    sizes = ort.OrtValue.ortvalue_from_numpy(np.array(documents.shape, dtype=np.int64))
    return [
        Contender(
            "onnxruntime TfIdfVectorizer",
            lambda: session.run_with_ort_values(["y"], {"x": flat, "shape": sizes}),
            lambda out: out[0].numpy(),
            group="onnxruntime",
        )
    ]


def tfidf(kind: str, rows: int, context: Context) -> Comparison:
    documents = Documents(context, kind, rows)
    call = documents.call()
    contenders: peers.Contenders = [ours.contender(TFIDF, call, lambda out: out.numpy())]
    contenders += onnxruntime_tfidf(documents)
    num_bytes = 8 * documents.ids.size if kind == "ints" else sum(map(len, documents.words))
    contenders += ours.memcpy(num_bytes + ours.num_bytes([call()]))
    title = f"1-grams and 2-grams of {kind}, one skip, TFIDF. [{rows:,}, 50], a pool of 5,000 n-grams"
    return Comparison(title, contenders, [Target(TFIDF, "onnxruntime", 3)], num_bytes)


TFIDF_REASON = (
    "A result of 5,000 numbers for each row is cleared: 20 MB, a third of the time, which both libraries write. The "
    "rest are lookups, 50 elements and 97 pairs a row, which wait for the cache."
)
ROWS = [
    *(
        Row(f"string_normalizer/{action} words of {workload}", partial(normalizer, workload, action))
        for workload in ("W1", "W3")
        for action in ("NONE", "LOWER")
    ),
    *(
        Row(
            f"tfidf_vectorizer/{kind} {rows} rows",
            partial(tfidf, kind, rows),
            reasons={"onnxruntime": TFIDF_REASON},
        )
        for kind in ("strings", "ints")
        for rows in (1, 1000)
    ),
]
