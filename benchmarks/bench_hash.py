"""Hashes: string_hash, string_hash_bucket, string_murmur3, string_siphash, string_minhash; and string_isin.

Peers with another hash than ours (polars' is not specified, TensorFlow's fast one is FarmHash) are compared in time
alone: the number of distinct hashes must be equal. `string_minhash` has no peer, and is
measured alone.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.corpora import Corpus, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

KEY = [1, 2]


def distinct(out: Any) -> Any:
    return np.array([len(np.unique(np.asarray(out)))])


def unsigned(out: Any) -> Any:
    """The buckets of signed 64-bit hashes, as TensorFlow computes them."""
    return (out.numpy().view("uint64") % np.uint64(2**62)).astype("int64")


@peers.needs("polars")
def polars(corpus: Corpus) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    return [Contender("polars hash", series.hash, lambda out: distinct(out.to_numpy()), group="polars")]


@peers.needs("tensorflow")
def strong(corpus: Corpus) -> peers.Contenders:
    tf, strings = peers.load("tensorflow"), peers.tensorflow_strings(corpus)
    call = partial(tf.strings.to_hash_bucket_strong, strings, 2**62, key=KEY)
    return [Contender("tensorflow to_hash_bucket_strong", call, lambda out: out.numpy(), group="tensorflow")]


@peers.needs("tensorflow")
def fast(corpus: Corpus) -> peers.Contenders:
    tf, strings = peers.load("tensorflow"), peers.tensorflow_strings(corpus)
    call = partial(tf.strings.to_hash_bucket_fast, strings, 2**62)
    return [
        Contender(
            "tensorflow to_hash_bucket_fast", call, lambda out: distinct(out.numpy()), group="tensorflow"
        )
    ]


@peers.needs("onnxruntime", "onnx")
def murmur3(corpus: Corpus) -> peers.Contenders:
    helper, kinds = peers.load("onnx").helper, peers.load("onnx").TensorProto
    node = helper.make_node("MurmurHash3", ["x"], ["y"], domain="com.microsoft", positive=0)
    value = helper.make_tensor_value_info
    session = peers.ort_session(
        [node],
        [value("x", kinds.STRING, ["n"])],
        [value("y", kinds.INT32, ["n"])],
        domains={"com.microsoft": 1},
    )
    strings = peers.ort_strings(corpus.encoded)
    return [
        Contender(
            "onnxruntime MurmurHash3",
            lambda: session.run_with_ort_values(["y"], {"x": strings}),
            lambda out: out[0].numpy(),
            group="onnxruntime",
        )
    ]


@peers.needs("pyarrow")
def is_in(corpus: Corpus, test: list[str]) -> peers.Contenders:
    pa, pc = peers.load("pyarrow"), peers.load("pyarrow.compute")
    call = partial(pc.is_in, peers.arrow_strings(corpus), value_set=pa.array(test))
    return [Contender("pyarrow is_in", call, np.array, group="pyarrow")]


def compare(
    op: str,
    args: tuple[Any, ...],
    convert: Callable[[Any], Any],
    others: list[Any],
    workload: str,
    short: bool,
) -> Callable[[Context], Comparison]:
    def build(context: Context) -> Comparison:
        corpus = context.corpus(workload)
        corpus = words_of(corpus) if short else corpus
        data, offsets = ours.tensors(corpus)
        call = partial(ours.operator(op), data, offsets, *args)
        contenders: peers.Contenders = [ours.contender(f"ours, {op}", call, convert)]
        for make, _, _ in others:
            contenders += make(corpus)
        contenders += ours.memcpy(ours.num_bytes([data, offsets, call()]))
        targets = [Target(f"ours, {op}", group, ratio) for _, group, ratio in others]
        return Comparison(
            f"{op} of {len(corpus):,} {corpus.description}", contenders, targets, corpus.num_bytes
        )

    return build


def isin(workload: str, short: bool, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    corpus = words_of(corpus) if short else corpus
    test = sorted(set(corpus.strings))
    test = test[:: max(1, len(test) // 1000)]
    a, b = (
        ours.string_tensor(corpus),
        ours.string_tensor(from_strings("test", "test", [s.encode() for s in test])),
    )
    call = partial(ours.operator("string_isin"), a.data, a.offsets, b.data, b.offsets)
    contenders: peers.Contenders = [ours.contender("ours, string_isin", call, lambda out: out.numpy())]
    contenders += is_in(corpus, test)
    contenders += ours.memcpy(ours.num_bytes([a.data, a.offsets, call()]))
    title = f"string_isin of {len(corpus):,} {corpus.description}, in {len(test):,} of them"
    return Comparison(title, contenders, [Target("ours, string_isin", "pyarrow", 1.5)], corpus.num_bytes)


VIEWS = (
    "polars' hash is not specified and may change between versions; ours is XXH3, which has a formula for each of "
    "several lengths: without AVX-512, a branch is mispredicted for most words; with it, all of them are computed."
)
REASONS = {
    "string_hash": {"polars": VIEWS},
    "string_murmur3": {"onnxruntime": "The hash is one chain of multiplications, and both compute the same."},
}
ROWS = [
    Row(
        f"{op}/{'words of ' * short}{workload}",
        compare(op, args, convert, others, workload, short),
        reasons=REASONS.get(op, {}),
    )
    for op, args, convert, others in (
        ("string_hash", (), distinct, [(polars, "polars", 1), (fast, "tensorflow", 1.5)]),
        ("string_siphash", (KEY,), unsigned, [(strong, "tensorflow", 1.5)]),
        ("string_murmur3", (0, False), lambda out: out.numpy(), [(murmur3, "onnxruntime", 1.5)]),
        ("string_minhash", (128, 3), lambda out: out.numpy(), []),
    )
    for workload in ("W1", "W3")
    for short in (True, False)
    if op != "string_minhash" or (workload == "W1" and short)  # seconds a call
]
ROWS += [
    Row(
        f"string_isin/{'words of ' * short}{workload}",
        partial(isin, workload, short),
        reasons={
            "pyarrow": "Both hash all bytes of long strings, and then compare them with those in the table."
        },
    )
    for workload in ("W1", "W3")
    for short in (True, False)
]
