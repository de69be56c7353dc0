"""Keras' layer TextVectorization, on TensorFlow."""

from collections.abc import Callable
from typing import Any

from benchmarks.corpora import Corpus
from benchmarks.peers.tensorflow import both, strings, tf


def layer(corpus: Corpus, **options: Any) -> dict[str, Callable[[], Any]]:
    made = tf.keras.layers.TextVectorization(**options)
    made.adapt(strings(corpus))
    return both(lambda s: made(s), strings(corpus))


def adapt(corpus: Corpus, **options: Any) -> Callable[[], Any]:
    s = strings(corpus)

    def call() -> Any:
        made = tf.keras.layers.TextVectorization(**options)
        made.adapt(s)
        return made

    return call


MADE: dict[str, Any] = {"TextVectorization": layer, "TextVectorization, adapt": adapt}
READS: dict[str, Any] = {
    "TextVectorization": lambda out: out.numpy().astype("int64"),
    "TextVectorization, adapt": lambda made: list(map(str, made.get_vocabulary())),
}
DIFFERS = {"TextVectorization": "it converts the case of ASCII letters only"}
SLOW = ("TextVectorization, adapt",)
