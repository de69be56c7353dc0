"""nn.TextVectorization against Keras' layer on TensorFlow: learning the vocabulary, and rows to ids."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from torch_stringops import nn

NAME = "ours, nn.TextVectorization"
TOKENS = 5000
LENGTH = 12


def arguments(mode: str) -> dict[str, Any]:
    length = {"output_sequence_length": LENGTH} if mode == "int" else {}
    # Keras pads counts to all tokens if they are asked for.
    return {"max_tokens": TOKENS if mode == "int" else 500, "output_mode": mode, **length}


def array_of(out: Any) -> Any:
    return np.asarray(out).astype(np.int64)


def vocabulary_of(layer: Any) -> Any:
    return np.array(list(layer.get_vocabulary()))


def call(mode: str, workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    strings = ours.string_tensor(corpus)
    layer = nn.TextVectorization(**arguments(mode))
    layer.adapt(strings)
    run = partial(layer, strings)
    contenders: peers.Contenders = [ours.contender(NAME, run, array_of)]
    contenders += keras_call(corpus, mode, layer.get_vocabulary())
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, run()]))
    title = f"TextVectorization, `{mode}`: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, [Target(NAME, "keras", 3)], corpus.num_bytes)


@peers.needs("tensorflow")
def keras_call(corpus: Corpus, mode: str, vocabulary: list[str]) -> peers.Contenders:
    tf, strings = peers.load("tensorflow"), peers.tensorflow_strings(corpus)
    special = 2 if mode == "int" else 1  # padding and the unknown token, which the layer adds
    layer = tf.keras.layers.TextVectorization(**arguments(mode), vocabulary=vocabulary[special:])
    return [
        Contender(f"keras TextVectorization, {how}", partial(run, strings), array_of, group="keras")
        for how, run in (("eager", layer), ("traced", tf.function(layer)))
    ]


def adapt(workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    strings = ours.string_tensor(corpus)

    def run() -> Any:
        layer = nn.TextVectorization(max_tokens=TOKENS)
        layer.adapt(strings)
        return layer

    contenders: peers.Contenders = [ours.contender(NAME, run, vocabulary_of)]
    contenders += keras_adapt(corpus)
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets]))
    title = f"TextVectorization.adapt: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, [Target(NAME, "keras", 3)], corpus.num_bytes)


@peers.needs("tensorflow")
def keras_adapt(corpus: Corpus) -> peers.Contenders:
    tf, strings = peers.load("tensorflow"), peers.tensorflow_strings(corpus)

    def run() -> Any:
        layer = tf.keras.layers.TextVectorization(max_tokens=TOKENS)
        layer.adapt(strings)
        return layer

    return [Contender("keras TextVectorization.adapt", run, vocabulary_of, group="keras", max_rounds=3)]


COUNTS = "Counts are int64 of ragged_count, by torch's scatter: 400 MB of new memory. Read, not profiled."
ROWS = [
    *(
        Row(
            f"TextVectorization/{mode} {workload}",
            partial(call, mode, workload),
            reasons={"keras": COUNTS} if mode == "count" else {},
        )
        for mode in ("int", "count")
        for workload in ("W1", "W3")
    ),
    *(Row(f"TextVectorization/adapt {workload}", partial(adapt, workload)) for workload in ("W1", "W3")),
]
