"""N-grams of words and of characters, and operators on ragged rows: truncation, joining, distinct values, counts."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

import torch_stringops as so
from benchmarks import canonical, ours, peers
from benchmarks.bench_ragged import Numbers, joined
from benchmarks.corpora import Corpus, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

NUM_IDS = 30  # of ragged_count
LENGTH = 5  # of ragged_truncate
BEGIN, END = 1, 2  # of ragged_add_special


def from_tensorflow(out: Any) -> canonical.Ragged:
    return canonical.from_flat(out.flat_values.numpy().tolist(), np.diff(out.row_splits.numpy()))


def words(workload: str, context: Context) -> Comparison:
    """2-grams of the words of each string."""
    corpus = context.corpus(workload)
    strings = ours.string_tensor(corpus)
    values, row_splits = strings.split_ragged()
    name = "ours, string_ngrams_ragged"

    def from_ours(out: Any) -> canonical.Ragged:
        return ours.ragged((out[0].data, out[0].offsets, out[1]))

    call = partial(so.string_ngrams_ragged, values, row_splits, 2)
    contenders: peers.Contenders = [ours.contender(name, call, from_ours)]
    contenders += tensorflow_words(values, row_splits)
    contenders += ours.memcpy(ours.num_bytes([values.data, values.offsets, *ours.tensors_of(call())]))
    title = f"2-grams of words. {len(values):,} words in {len(corpus):,} rows of {workload}"
    return Comparison(title, contenders, [Target(name, "tensorflow", 3)], corpus.num_bytes)


@peers.needs("tensorflow")
def tensorflow_words(values: so.StringTensor, row_splits: torch.Tensor) -> peers.Contenders:
    tf = peers.load("tensorflow")
    flat = tf.constant(np.array(values.tolist(), dtype=object))
    rows = tf.RaggedTensor.from_row_splits(flat, tf.constant(row_splits.numpy()))
    call = partial(tf.strings.ngrams, rows, 2, separator=" ")
    return [Contender("tensorflow strings.ngrams", call, from_tensorflow, group="tensorflow")]


def characters(workload: str, context: Context) -> Comparison:
    """3-grams of the characters of each word."""
    corpus = words_of(context.corpus(workload))
    strings = ours.string_tensor(corpus)
    name = "ours, string_char_ngrams_ragged"
    call = partial(ours.operator("string_char_ngrams_ragged"), strings.data, strings.offsets, 3, 3)
    contenders: peers.Contenders = [ours.contender(name, call, ours.ragged)]
    texts = corpus.strings
    contenders.append(
        Contender(
            "Python",
            lambda: [[s[i : i + 3] for i in range(len(s) - 2)] for s in texts],
            canonical.from_lists,
        )
    )
    contenders += tensorflow_characters(corpus)
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, *call()]))
    targets = [Target(name, "Python", 3), Target(name, "tensorflow", 3)]
    title = f"3-grams of characters. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("tensorflow")
def tensorflow_characters(corpus: Corpus) -> peers.Contenders:
    tf, strings = peers.load("tensorflow"), peers.tensorflow_strings(corpus)

    def call() -> Any:
        return tf.strings.ngrams(tf.strings.unicode_split(strings, "UTF-8"), 3, separator="")

    return [Contender("tensorflow unicode_split, strings.ngrams", call, from_tensorflow, group="tensorflow")]


# The operator: our call of values and row splits, TensorFlow's of the module and a RaggedTensor, and NumPy's or
# Python's of the values and row splits.
Work = tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any] | None, Callable[[Any, Any], Any] | None]


def numpy_ngrams(values: Any, splits: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(values, 2)
    within = np.ones(len(values), dtype=bool)
    within[splits[1:] - 1] = False
    lengths = np.maximum(np.diff(splits) - 1, 0)
    return joined([0, *np.cumsum(lengths)], windows[within[:-1]].ravel())


def python_unique(values: Any, splits: Any) -> Any:
    rows = [list(dict.fromkeys(values[a:b])) for a, b in itertools.pairwise(splits)]
    return joined([0, *np.cumsum([len(row) for row in rows])], [value for row in rows for value in row])


def special(tf: Any, rows: Any) -> Any:
    column = tf.ones([rows.nrows(), 1], tf.int64)
    return tf.concat([column * BEGIN, rows, column * END], 1)


WORK: dict[str, Work] = {
    "ragged_ngrams": (lambda v, r: so.ragged_ngrams(v, r, 2), None, numpy_ngrams),
    "ragged_truncate": (lambda v, r: so.ragged_truncate(v, r, LENGTH), lambda tf, t: t[:, :LENGTH], None),
    "ragged_concat": (
        lambda v, r: so.ragged_concat([(v, r), (v, r)]),
        lambda tf, t: tf.concat([t, t], 1),
        None,
    ),
    "ragged_add_special": (lambda v, r: so.ragged_add_special(v, r, BEGIN, END), special, None),
    "ragged_unique": (so.ragged_unique, None, python_unique),
    "ragged_count": (
        lambda v, r: so.ragged_count(v, r, NUM_IDS),
        lambda tf, t: tf.math.bincount(t, minlength=NUM_IDS, maxlength=NUM_IDS, axis=-1, dtype=tf.int64),
        None,
    ),
}


def of_ragged(out: Any) -> Any:
    """The row splits and values of any library; a dense result as it is."""
    if isinstance(out, torch.Tensor):
        return out.numpy()
    if isinstance(out, tuple):
        return joined(out[1], out[0].reshape(-1))
    return joined(out.row_splits, out.flat_values) if hasattr(out, "row_splits") else np.asarray(out)


def ragged(op: str, context: Context) -> Comparison:
    mine, theirs, plain = WORK[op]
    numbers = Numbers(context)
    if op in ("ragged_count", "ragged_unique"):
        numbers.values %= NUM_IDS
    values, splits = torch.tensor(numbers.values), torch.tensor(numbers.splits)
    call = partial(mine, values, splits)
    contenders: peers.Contenders = [ours.contender(f"ours, {op}", call, of_ragged)]
    targets = []
    if theirs is not None:
        contenders += tensorflow_ragged(numbers, theirs)
        targets.append(Target(f"ours, {op}", "tensorflow", 1.5))
    if plain is not None:
        of_arrays = op == "ragged_ngrams"
        name = "numpy" if of_arrays else "Python"
        arguments = (
            (numbers.values, numbers.splits)
            if of_arrays
            else (numbers.values.tolist(), numbers.splits.tolist())
        )
        contenders.append(Contender(name, partial(plain, *arguments), np.asarray))
        targets.append(Target(f"ours, {op}", name, 1.5))
    contenders += ours.memcpy(ours.num_bytes([values, splits, *ours.tensors_of(call())]))
    return Comparison(numbers.title(op), contenders, targets, values.numel() * 8)


@peers.needs("tensorflow")
def tensorflow_ragged(numbers: Numbers, work: Callable[[Any, Any], Any]) -> peers.Contenders:
    tf = peers.load("tensorflow")
    rows = tf.RaggedTensor.from_row_splits(tf.constant(numbers.values), tf.constant(numbers.splits))
    return [Contender("tensorflow", partial(work, tf, rows), of_ragged, group="tensorflow")]


POSITIONS = (
    "The positions of all elements, int64, are written and then read, by index_select: as many bytes again as the "
    "result. Read, not profiled."
)
PEERS = {
    op: ["tensorflow"] * (theirs is not None)
    + ["numpy"] * (op == "ragged_ngrams")
    + ["Python"] * (op == "ragged_unique")
    for op, (_, theirs, _) in WORK.items()
}
ROWS = [
    *(Row(f"string_ngrams_ragged/{workload}", partial(words, workload)) for workload in ("W1", "W3")),
    *(Row(f"string_char_ngrams_ragged/words of {w}", partial(characters, w)) for w in ("W1", "W3")),
    *(Row(f"{op}/numbers", partial(ragged, op), reasons=dict.fromkeys(PEERS[op], POSITIONS)) for op in WORK),
]
