"""string_equal: comparison of strings with a single string, and with as many others.

Half of the others are equal, a quarter differ in the last byte, and a quarter are strings of another row, so that
lengths alone do not determine the result.
"""

from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

OURS = "ours, string_equal"
PUBLIC = "ours, StringTensor == StringTensor"


def others(corpus: Corpus) -> Corpus:
    kinds = np.random.default_rng([SEED, 9]).integers(0, 4, len(corpus)).tolist()
    before = b""
    strings = []
    for string, kind in zip(corpus.encoded, kinds, strict=True):
        changed = string[:-1] + bytes([string[-1] ^ 1])
        strings.append(before if kind == 0 else changed if kind == 1 else string)
        before = string
    return from_strings("others", "others", strings)


def build(short: bool, scalar: bool, context: Context) -> Comparison:
    corpus = context.corpus("W1")
    corpus = words_of(corpus) if short else corpus
    commonest = Counter(corpus.encoded).most_common(1)[0][0]
    other = from_strings("one", "one", [commonest]) if scalar else others(corpus)
    a, b = ours.string_tensor(corpus), ours.string_tensor(other)
    equal = partial(ours.operator("string_equal"), a.data, a.offsets, b.data, b.offsets)
    contenders: peers.Contenders = [
        ours.contender(OURS, equal, lambda out: out.numpy()),
        ours.contender(PUBLIC, lambda: a == b, lambda out: out.numpy()),
    ]
    for make in (pyarrow, polars, numpy, pandas, tensorflow, python):
        contenders += make(corpus, other, scalar)
    contenders += ours.memcpy(ours.num_bytes([a.data, a.offsets, b.data, b.offsets, equal()]))
    targets = [Target(OURS, "pyarrow", 2), Target(OURS, "polars", 2)]
    targets += [Target(OURS, name) for name in ("numpy", "pandas", "tensorflow", "Python")]
    against = "one string" if scalar else "the same number of others, half of them equal"
    title = f"Comparison. {len(corpus):,} {corpus.description}, with {against}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("pyarrow")
def pyarrow(corpus: Corpus, other: Corpus, scalar: bool) -> peers.Contenders:
    pa, array = peers.load("pyarrow"), peers.arrow_strings(corpus)
    against = pa.scalar(other.strings[0]) if scalar else peers.arrow_strings(other)
    call = partial(peers.load("pyarrow.compute").equal, array, against)
    return [Contender("pyarrow equal", call, lambda out: np.array(out), group="pyarrow")]


@peers.needs("polars")
def polars(corpus: Corpus, other: Corpus, scalar: bool) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    against = other.strings[0] if scalar else peers.load("polars").Series(other.strings)
    return [Contender("polars ==", lambda: series == against, lambda out: out.to_numpy(), group="polars")]


def numpy(corpus: Corpus, other: Corpus, scalar: bool) -> peers.Contenders:
    against = peers.numpy_strings(other)
    return [
        equality(f"numpy == of {kind}", array, other.strings[0] if scalar else against[kind], "numpy")
        for kind, array in peers.numpy_strings(corpus).items()
    ]


@peers.needs("pandas", "pyarrow")
def pandas(corpus: Corpus, other: Corpus, scalar: bool) -> peers.Contenders:
    against = peers.pandas_strings(other)
    return [
        equality(f"pandas == of {kind}", series, other.strings[0] if scalar else against[kind], "pandas")
        for kind, series in peers.pandas_strings(corpus).items()
    ]


def equality(name: str, a: Any, b: Any, group: str) -> Contender:
    return Contender(name, lambda: a == b, lambda out: np.asarray(out, dtype=bool), group=group)


@peers.needs("tensorflow")
def tensorflow(corpus: Corpus, other: Corpus, scalar: bool) -> peers.Contenders:
    tf, strings = peers.load("tensorflow"), peers.tensorflow_strings(corpus)
    against = tf.constant(other.encoded[0]) if scalar else peers.tensorflow_strings(other)
    return [
        Contender(
            f"tensorflow equal, {how}",
            partial(equal, strings, against),
            lambda out: out.numpy(),
            group="tensorflow",
        )
        for how, equal in (("eager", tf.equal), ("traced", tf.function(tf.equal)))
    ]


def python(corpus: Corpus, other: Corpus, scalar: bool) -> peers.Contenders:
    a, b, one = corpus.strings, other.strings, other.strings[0]
    if scalar:
        return [Contender("Python", lambda: [x == one for x in a], np.array)]
    return [Contender("Python", lambda: [x == y for x, y in zip(a, b, strict=True)], np.array)]


VIEWS = (
    "polars stores the length and the first bytes of a string, up to 12, contiguously, and writes a bit per string. "
    "Ours validates the offsets in each call, reads the bytes of strings of equal length, and writes a byte per string."
)
LENGTHS = (
    "Lengths decide most comparisons, so all libraries mainly read offsets. Ours also validates them, and writes a "
    "byte per string, the peers a bit."
)
BYTES = (
    "Memory bandwidth is the limit: both read the same offsets and bytes, and ours is faster than a copy of equal "
    "traffic."
)
ROWS = [
    Row(
        "string_equal/words of W1, with one",
        partial(build, True, True),
        reasons={"polars": VIEWS},
    ),
    Row(
        "string_equal/words of W1, with others",
        partial(build, True, False),
        reasons={"polars": VIEWS},
    ),
    Row(
        "string_equal/W1, with one",
        partial(build, False, True),
        reasons={"pyarrow": LENGTHS, "polars": LENGTHS},
    ),
    Row(
        "string_equal/W1, with others",
        partial(build, False, False),
        reasons={"pyarrow": BYTES, "polars": BYTES},
    ),
]
