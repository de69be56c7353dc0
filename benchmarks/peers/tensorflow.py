"""TensorFlow: calls in eager mode, and as traced functions where that may be faster."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.peers import THREADS

tf.config.threading.set_intra_op_parallelism_threads(THREADS)
tf.config.threading.set_inter_op_parallelism_threads(THREADS)


def strings(corpus: Corpus) -> Any:
    return tf.constant(np.array(corpus.encoded, dtype=object))


def numbers(array: Any) -> Any:
    return tf.constant(array)


def both(call: Callable[..., Any], *inputs: Any) -> dict[str, Callable[[], Any]]:
    return {"eager": partial(call, *inputs), "traced": partial(tf.function(call), *inputs)}


def split(corpus: Corpus, delimiter: str) -> dict[str, Callable[[], Any]]:
    return both(lambda s: tf.strings.split(s, delimiter or None), strings(corpus))


def split_padded(corpus: Corpus, delimiter: str) -> dict[str, Callable[[], Any]]:
    return both(lambda s: tf.strings.split(s, delimiter or None).to_tensor(), strings(corpus))


def equal(corpus: Corpus, other: Corpus) -> dict[str, Callable[[], Any]]:
    against = tf.constant(other.encoded[0]) if len(other) == 1 else strings(other)
    return both(tf.equal, strings(corpus), against)


def ragged(work: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    """The work on a RaggedTensor."""

    def make(values: Any, splits: Any, *arguments: Any) -> Callable[[], Any]:
        return partial(work, tf.RaggedTensor.from_row_splits(tf.constant(values), tf.constant(splits)), *arguments)

    return make


def add_special(rows: Any, begin: int, end: int) -> Any:
    column = tf.ones([rows.nrows(), 1], tf.int64)
    return tf.concat([column * begin, rows, column * end], 1)


def word_ngrams(corpus: Corpus, n: int) -> Callable[[], Any]:
    return partial(
        tf.strings.ngrams,
        tf.ragged.constant([[word.encode() for word in s.split()] for s in corpus.strings]),
        n,
        separator=" ",
    )


def char_ngrams(corpus: Corpus, n: int, _: int) -> Callable[[], Any]:
    s = strings(corpus)
    return lambda: tf.strings.ngrams(tf.strings.unicode_split(s, "UTF-8"), n, separator="")


def from_codepoints(corpus: Corpus) -> Callable[[], Any]:
    return partial(tf.strings.unicode_encode, tf.strings.unicode_decode(strings(corpus), "UTF-8"), "UTF-8")


def edit_distance(left: Corpus, right: Corpus) -> dict[str, Callable[[], Any]]:
    """Of strings, and of their code points, which are decoded before."""
    width = max(map(len, left.strings + right.strings))

    def characters(corpus: Corpus) -> Any:
        found = tf.strings.unicode_decode(strings(corpus), "UTF-8").to_sparse()
        return tf.SparseTensor(found.indices, found.values, [len(corpus), width])

    return {"": lambda: tf.edit_distance(characters(left), characters(right), normalize=False)}


def table_of(words: Corpus, keys: Any = None) -> Any:
    keys = strings(words) if keys is None else keys
    entries = tf.lookup.KeyValueTensorInitializer(keys, tf.range(len(words), dtype=tf.int64))
    return tf.lookup.StaticHashTable(entries, default_value=-1)


def vocab_build(words: Corpus) -> Any:
    keys = strings(words)
    return partial(table_of, words, keys), lambda table: table.lookup(keys)


def vectorization(words: Corpus, **options: Any) -> Any:
    return tf.keras.layers.TextVectorization(split="whitespace", vocabulary=words.strings, **options)


def split_encode(corpus: Corpus, words: Corpus) -> dict[str, Callable[[], Any]]:
    """Ids 0 and 1 of the layer are for padding and unknown words."""
    s, table, layer = strings(corpus), table_of(words), vectorization(words, standardize=None, ragged=True)

    def look_up(s: Any) -> Any:
        return tf.ragged.map_flat_values(table.lookup, tf.strings.split(s))

    return {
        "StaticHashTable": partial(tf.function(look_up), s),
        "TextVectorization": partial(tf.function(lambda s: layer(s) - 2), s),
    }


def tokenize_encode(corpus: Corpus, words: Corpus, **_: Any) -> Callable[[], Any]:
    layer = vectorization(words, standardize="lower", ragged=True)
    return partial(tf.function(lambda s: layer(s) - 2), strings(corpus))


CALLS: dict[str, Any] = {
    "string_lower": lambda s: tf.strings.lower(s, encoding="utf-8"),
    "string_upper": lambda s: tf.strings.upper(s, encoding="utf-8"),
    "string_repair": lambda s: tf.strings.unicode_transcode(s, "UTF-8", "UTF-8"),
    "string_codepoints": lambda s: tf.strings.unicode_decode(s, "UTF-8"),
    "string_concat": lambda s, between: tf.strings.join([s, between, s]),
    "string_hash": lambda s: tf.strings.to_hash_bucket_fast(s, 2**62),
    "string_siphash": lambda s, key: tf.strings.to_hash_bucket_strong(s, 2**62, key=key),
    "string_unique": tf.unique_with_counts,
    "string_to_number": lambda s, dtype: tf.strings.to_number(s, tf.as_dtype(str(dtype).removeprefix("torch."))),
    "string_from_number": tf.strings.as_string,
    "regex_full_match": tf.strings.regex_full_match,
    "regex_replace": tf.strings.regex_replace,
    "from_list": tf.constant,
}
MADE: dict[str, Any] = {
    "string_equal": equal,
    "string_edit_distance": edit_distance,
    "string_split_ragged": split,
    "string_split": split_padded,
    "string_ngrams_ragged": word_ngrams,
    "string_char_ngrams_ragged": char_ngrams,
    "string_from_codepoints": from_codepoints,
    "ragged_to_dense": ragged(lambda rows, width: rows.to_tensor(shape=[None, width])),
    "dense_to_ragged": lambda dense, lengths: both(
        lambda d, n: tf.RaggedTensor.from_tensor(d, lengths=n), tf.constant(dense), tf.constant(lengths)
    ),
    "ragged_mask": lambda splits, width: both(lambda s: tf.sequence_mask(s[1:] - s[:-1], width), tf.constant(splits)),
    "ragged_truncate": ragged(lambda rows, length: rows[:, :length]),
    "ragged_concat": ragged(lambda rows: tf.concat([rows, rows], 1)),
    "ragged_add_special": ragged(add_special),
    "ragged_count": ragged(
        lambda rows, size: tf.math.bincount(rows, minlength=size, maxlength=size, axis=-1, dtype=tf.int64)
    ),
    "vocab_build": vocab_build,
    "vocab_encode": lambda tokens, words: both(table_of(words).lookup, strings(tokens)),
    "split_encode": split_encode,
    "tokenize_encode": tokenize_encode,
}
READS: dict[str, Any] = {
    "string_unique": lambda out: (out.y.numpy(), out.count.numpy()),
    "string_edit_distance": lambda out: out.numpy().astype(np.int64),
    "string_split": lambda out: canonical.of(out.numpy()),
}
ASCII = "it cuts at ASCII white space only"
ICU = "its version of Unicode is another"
DIFFERS = {
    **dict.fromkeys(("string_split_ragged", "string_split", "split_encode"), ASCII),
    **dict.fromkeys(("string_lower", "string_upper"), ICU),
}
