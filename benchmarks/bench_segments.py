"""Grapheme clusters, words and sentences, and the width of strings in a terminal.

The package regex has the rules of UAX 29 for clusters and words. ICU finds boundaries, as positions in UTF-16; its
words differ where letters stand next to a colon.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.bench_string_build import from_polars, strings_of
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from torch_stringops import StringTensor

WORKLOADS = ("W3", "W7")


def pieces_of(out: Any) -> canonical.Canonical:
    values, splits = out
    return canonical.from_offsets(values.data.numpy(), values.offsets.numpy(), splits.numpy())


def comparison(
    name: str,
    title: str,
    corpus: Corpus,
    run: Callable[[StringTensor], Any],
    read: Callable[[Any], canonical.Canonical],
    others: peers.Contenders,
    targets: dict[str, float],
) -> Comparison:
    strings = ours.string_tensor(corpus)
    contenders = [ours.contender(name, partial(run, strings), read), *others]
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets]))
    held = [Target(name, peer, factor) for peer, factor in targets.items()]
    return Comparison(f"{title} {len(corpus):,} {corpus.description}", contenders, held, corpus.num_bytes)


def segments(unit: str, workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    others = icu_sentences(corpus) if unit == "sentence" else of_regex(corpus, unit)
    return comparison(
        *("ours, string_segments_ragged", f"Cut into {unit}s.", corpus),
        *(lambda s: s.segments_ragged(unit), pieces_of, others),
        {} if unit == "sentence" else {"regex": 3},
    )


@peers.needs("regex")
def of_regex(corpus: Corpus, unit: str) -> peers.Contenders:
    regex = peers.load("regex")
    find = regex.compile(r"\X").findall if unit == "grapheme" else regex.compile(r"(?V1w)\b").split
    strings = corpus.strings

    def read(rows: list[list[str]]) -> canonical.Canonical:
        return canonical.from_lists([[piece for piece in row if piece] for row in rows])

    return [Contender("regex", lambda: list(map(find, strings)), read, max_rounds=3)]


@peers.needs("icu")
def icu_sentences(corpus: Corpus) -> peers.Contenders:
    icu = peers.load("icu")
    breaks = icu.BreakIterator.createSentenceInstance(icu.Locale.getRoot())
    strings = corpus.strings

    def ends(string: str) -> list[int]:
        breaks.setText(icu.UnicodeString(string))
        return list(breaks)

    def read(rows: list[list[int]]) -> canonical.Canonical:
        pieces = []
        for string, at in zip(strings, rows, strict=True):
            units = string.encode("utf-16-le")
            begins = [0, *at[:-1]]
            pieces.append([units[2 * a : 2 * b].decode("utf-16-le") for a, b in zip(begins, at, strict=True)])
        return canonical.from_lists(pieces)

    return [Contender("ICU", lambda: list(map(ends, strings)), read, max_rounds=3)]


def reverse(workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    return comparison(
        *("ours, string_reverse", "Grapheme clusters in reverse order.", corpus),
        *(lambda s: s.reverse("grapheme"), lambda s: strings_of((s.data, s.offsets)), polars_reverse(corpus)),
        {"polars": 1},
    )


@peers.needs("polars")
def polars_reverse(corpus: Corpus) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    return [Contender("polars", series.str.reverse, from_polars)]


def width(workload: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    return comparison(
        *("ours, string_width", "Columns in a terminal.", corpus),
        *(lambda s: s.width(), lambda out: out.numpy(), wcwidth(corpus)),
        {"wcwidth": 20},
    )


@peers.needs("wcwidth")
def wcwidth(corpus: Corpus) -> peers.Contenders:
    measure, strings = peers.load("wcwidth").wcswidth, corpus.strings
    return [Contender("wcwidth", lambda: list(map(measure, strings)), np.array, max_rounds=3)]


def rows() -> Iterator[Row]:
    for workload in WORKLOADS:
        for unit in ("grapheme", "word", "sentence"):
            yield Row(f"string_segments_ragged/{unit}s/{workload}", partial(segments, unit, workload))
        yield Row(f"string_reverse/graphemes/{workload}", partial(reverse, workload))
        yield Row(f"string_width/{workload}", partial(width, workload))


ROWS = [*rows()]
