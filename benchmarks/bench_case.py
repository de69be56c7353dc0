"""Changes of case: words and rows, ASCII and not.

For ASCII the limit is a copy of the strings and their offsets: `lower` and `upper` are to take at most 1.3 times as
long. tf.strings and polars have `lower` and `upper` only, or define title case otherwise; only
Python has `casefold`.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.corpora import Corpus, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

NAMES = ("lower", "upper", "casefold", "title", "capitalize", "swapcase")
COPY = "copy of the strings"


def from_ours(out: Any) -> canonical.Ragged:
    data, offsets = (t.numpy() for t in out)
    return canonical.from_offsets(data, offsets, np.arange(len(offsets)))


def build(name: str, workload: str, short: bool, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    corpus = words_of(corpus) if short else corpus
    strings = ours.string_tensor(corpus)
    label = f"ours, string_{name}"
    change = partial(ours.operator(f"string_{name}"), strings.data, strings.offsets)
    contenders: peers.Contenders = [
        ours.contender(label, change, from_ours),
        Contender(COPY, lambda: (strings.data.clone(), strings.offsets.clone())),
        *(python(name, corpus) if name == "casefold" else pyarrow(name, corpus)),
    ]
    factor = 3 if workload == "W1" else 1.5
    targets = [Target(label, "Python" if name == "casefold" else "pyarrow", factor)]
    if name in ("lower", "upper"):
        contenders += [*polars(name, corpus), *tensorflow(name, corpus)]
        targets += [Target(label, "polars", factor), Target(label, "tensorflow", factor)]
        if workload == "W1" and not short:
            targets.append(Target(label, COPY, at_most=1.3))
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, *change()]))
    title = f"Like str.{name}. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


def python(name: str, corpus: Corpus) -> peers.Contenders:
    strings, change = corpus.strings, getattr(str, name)
    return [Contender("Python", lambda: list(map(change, strings)), canonical.from_strings)]


@peers.needs("pyarrow")
def pyarrow(name: str, corpus: Corpus) -> peers.Contenders:
    call = partial(getattr(peers.load("pyarrow.compute"), f"utf8_{name}"), peers.arrow_strings(corpus))
    return [Contender(f"pyarrow utf8_{name}", call, canonical.from_arrow, group="pyarrow")]


@peers.needs("polars")
def polars(name: str, corpus: Corpus) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    call = getattr(series.str, f"to_{name}case")
    return [
        Contender(
            f"polars to_{name}case",
            call,
            lambda out: canonical.from_strings(out.to_list()),
            group="polars",
        )
    ]


@peers.needs("tensorflow")
def tensorflow(name: str, corpus: Corpus) -> peers.Contenders:
    strings = peers.tensorflow_strings(corpus)
    function = getattr(peers.load("tensorflow").strings, name)
    return [
        Contender(
            f"tensorflow strings.{name}, utf-8",
            partial(function, strings, encoding="utf-8"),
            lambda out: canonical.from_strings(out.numpy().tolist()),
            group="tensorflow",
        )
    ]


CHECKED = (
    "A copy does not tell ASCII from other bytes: `string_is_ascii`, which checks the offsets, does this and writes a "
    "byte for each string, takes 0.39 ms of 0.5 (`python -m benchmarks.bounds string_upper`)."
)


def rows() -> Iterator[Row]:
    for name in NAMES:
        for workload in ("W1", "W3"):
            for short in (False, True):
                label = f"string_{name}/{'words of ' * short}{workload}"
                yield Row(label, partial(build, name, workload, short), reasons={COPY: CHECKED})


ROWS = [*rows()]
