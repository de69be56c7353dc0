"""Validity of UTF-8, repair, code points and bytes, on valid text.

TensorFlow's functions, by ICU, replace as Python's decoder does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.canonical import Canonical
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row


def decodes(string: bytes) -> bool:
    try:
        string.decode()
    except UnicodeDecodeError:
        return False
    return True


def ids(out: Any) -> Canonical:
    values, row_splits = (t.numpy() for t in out)
    return canonical.from_ids(values.astype(np.int64), row_splits)


def strings(out: Any) -> Canonical:
    data, offsets = (t.numpy() for t in out)
    return canonical.from_offsets(data, offsets.astype(np.int64), np.arange(len(offsets)))


def lists(rows: list[Any]) -> Canonical:
    ends = np.cumsum([0, *map(len, rows)])
    return canonical.from_ids(np.concatenate([np.asarray(list(r), dtype=np.int64) for r in rows]), ends)


def ragged_ids(out: Any) -> Canonical:
    return canonical.from_ids(
        out.flat_values.numpy().astype(np.int64), out.row_splits.numpy().astype(np.int64)
    )


@dataclass(frozen=True)
class Encoding:
    """An operator and its equivalents: functions of a string (Python) and of all (TensorFlow)."""

    name: str
    result: Callable[[Any], Canonical]
    python: Callable[[bytes], Any]
    python_result: Callable[[Any], Canonical]
    tensorflow: Callable[[Any, Any], Any] | None = None
    tensorflow_result: Callable[[Any], Canonical] = ragged_ids


ENCODINGS = [
    Encoding("string_is_utf8", lambda out: out.numpy(), decodes, np.array),
    Encoding(
        "string_repair",
        strings,
        lambda s: s.decode(errors="replace"),
        canonical.from_strings,
        lambda tf, s: tf.strings.unicode_transcode(s, "UTF-8", "UTF-8"),
        lambda out: canonical.from_strings(out.numpy().tolist()),
    ),
    Encoding(
        "string_codepoints",
        ids,
        lambda s: [ord(c) for c in s.decode()],
        lists,
        lambda tf, s: tf.strings.unicode_decode(s, "UTF-8"),
    ),
    Encoding("string_bytes", ids, list, lists),
]


def build(encoding: Encoding, workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    tensor = ours.string_tensor(corpus)
    name = f"ours, {encoding.name}"
    call = partial(ours.operator(encoding.name), tensor.data, tensor.offsets)
    contenders: peers.Contenders = [ours.contender(name, call, encoding.result)]
    if encoding.tensorflow:
        contenders += tensorflow(encoding, corpus)
    encoded = corpus.encoded
    contenders += [Contender("Python", lambda: [encoding.python(s) for s in encoded], encoding.python_result)]
    contenders += ours.memcpy(ours.num_bytes([tensor.data, tensor.offsets, *ours.tensors_of(call())]))
    ratio = 3 if workload == "W1" else 1.5
    targets = [Target(name, "tensorflow", ratio)] if encoding.tensorflow else [Target(name, "Python", ratio)]
    title = f"{encoding.name}: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("tensorflow")
def tensorflow(encoding: Encoding, corpus: Corpus) -> peers.Contenders:
    tf, inputs = peers.load("tensorflow"), peers.tensorflow_strings(corpus)
    assert encoding.tensorflow
    call = partial(encoding.tensorflow, tf, inputs)
    return [Contender("tensorflow, eager", call, encoding.tensorflow_result, group="tensorflow")]


def build_from_codepoints(workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    tensor = ours.string_tensor(corpus)
    values, row_splits = ours.operator("string_codepoints")(tensor.data, tensor.offsets)
    name = "ours, string_from_codepoints"
    call = partial(ours.operator("string_from_codepoints"), values, row_splits)
    contenders: peers.Contenders = [ours.contender(name, call, strings)]
    contenders += tensorflow_encode(values, row_splits)
    rows = [row.tolist() for row in np.split(values.numpy(), row_splits.numpy()[1:-1])]
    contenders += [Contender("Python", lambda: ["".join(map(chr, r)) for r in rows], canonical.from_strings)]
    contenders += ours.memcpy(ours.num_bytes([values, row_splits, *call()]))
    targets = [Target(name, "tensorflow", 3 if workload == "W1" else 1.5)]
    title = f"string_from_codepoints: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("tensorflow")
def tensorflow_encode(values: Any, row_splits: Any) -> peers.Contenders:
    tf = peers.load("tensorflow")
    ragged = tf.RaggedTensor.from_row_splits(tf.constant(values.numpy()), tf.constant(row_splits.numpy()))
    return [
        Contender(
            "tensorflow, eager",
            lambda: tf.strings.unicode_encode(ragged, "UTF-8"),
            lambda out: canonical.from_strings(out.numpy().tolist()),
            group="tensorflow",
        )
    ]


ROWS = [
    Row(f"{encoding.name}/{workload}", partial(build, encoding, workload))
    for encoding in ENCODINGS
    for workload in ("W1", "W3")
]
ROWS += [
    Row(f"string_from_codepoints/{workload}", partial(build_from_codepoints, workload))
    for workload in ("W1", "W3")
]
