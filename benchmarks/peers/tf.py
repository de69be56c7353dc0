"""TensorFlow: calls in eager mode and as traced functions."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.measure import Contender
from benchmarks.peers.base import SEPARATOR_CONTROLS, UNICODE_SPACES, Contenders, excuse, load, needs


def tensorflow_strings(corpus: Corpus) -> Any:
    return load("tensorflow").constant(np.array(corpus.encoded, dtype=object))


def tensorflow_table(words: Corpus, keys: Any = None) -> Any:
    """A StaticHashTable from words (or `keys`, a tensor of them) to ids, with -1 for unknown words."""
    tf = load("tensorflow")
    keys = tensorflow_strings(words) if keys is None else keys
    entries = tf.lookup.KeyValueTensorInitializer(keys, tf.range(len(words), dtype=tf.int64))
    return tf.lookup.StaticHashTable(entries, default_value=-1)


@needs("tensorflow")
def tensorflow_split(corpus: Corpus, delimiter: str, *, padded: bool) -> Contenders:
    """tf.strings.split, eager and as a traced function; padded with `to_tensor`."""
    tf, strings = load("tensorflow"), tensorflow_strings(corpus)
    separator = delimiter or None
    note = "" if delimiter else "it cuts at ASCII white space only"
    space = excuse(corpus, SEPARATOR_CONTROLS + UNICODE_SPACES, note) if note else None
    kind = "padded" if padded else "ragged"

    def split(strings: Any) -> Any:
        out = tf.strings.split(strings, separator)
        return out.to_tensor() if padded else out

    traced = tf.function(split)
    return [
        Contender(
            f"tensorflow strings.split, {kind}, {how}",
            functools.partial(call, strings),
            _from_tensorflow_padded if padded else _from_tensorflow_ragged,
            excuse=space,
            group=f"tensorflow {kind}",
        )
        for how, call in (("eager", split), ("traced", traced))
    ]


def _from_tensorflow_ragged(out: Any) -> canonical.Ragged:
    return canonical.from_flat(out.flat_values.numpy().tolist(), np.diff(out.row_splits.numpy()))


def _from_tensorflow_padded(out: Any) -> canonical.Ragged:
    """Only for splits at whitespace, where empty pieces are padding."""
    pieces: NDArray[np.object_] = out.numpy()
    return canonical.from_padded_objects(pieces, (pieces != b"").sum(axis=1))
