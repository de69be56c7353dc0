"""string_edit_distance of pairs of words and of rows, against TensorFlow's of sparse tensors of characters."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.corpora import Corpus, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

NAME = "ours, string_edit_distance"
PAIRS = 20_000


def build(workload: str, short: bool, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    corpus = words_of(corpus) if short else corpus
    some = corpus.encoded[:PAIRS]
    left = from_strings("left", corpus.description, some)
    right = from_strings("right", corpus.description, some[1:] + some[:1])
    a, b = ours.string_tensor(left), ours.string_tensor(right)
    call = partial(ours.operator("string_edit_distance"), a.data, a.offsets, b.data, b.offsets)
    contenders: peers.Contenders = [ours.contender(NAME, call, lambda out: out.numpy())]
    contenders += tensorflow(left, right)
    contenders += ours.memcpy(ours.num_bytes([a.data, a.offsets, b.data, b.offsets, call()]))
    title = f"Levenshtein distances of {len(left):,} pairs of adjacent strings: {corpus.description}"
    return Comparison(title, contenders, [Target(NAME, "tensorflow", 3)], left.num_bytes)


@peers.needs("tensorflow")
def tensorflow(left: Corpus, right: Corpus) -> peers.Contenders:
    tf = peers.load("tensorflow")

    def characters(corpus: Corpus, width: int) -> Any:
        split = tf.strings.unicode_decode(peers.tensorflow_strings(corpus), "UTF-8").to_sparse()
        return tf.SparseTensor(split.indices, split.values, [len(corpus), width])

    width = max(map(len, left.strings + right.strings))
    call = partial(tf.edit_distance, characters(left, width), characters(right, width), normalize=False)

    def distances(out: Any) -> Any:
        return np.asarray(out).astype(np.int64)

    return [Contender("tensorflow edit_distance", call, distances, group="tensorflow")]


ROWS = [
    Row(f"string_edit_distance/{'words of ' * short}{workload}", partial(build, workload, short))
    for workload in ("W1", "W3")
    for short in (True, False)
]
