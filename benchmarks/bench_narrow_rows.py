"""Rows of few strings: the same strings in rows of 1, 2 and 10, against one row.

A row of n strings has n + 1 offsets, so that rows of one string have twice the offsets. What remains must be the work
itself, not work for each row: the limit is one row with as many strings, to which the rows are joined first. torch
joins the offsets (a copy of all but the last one of each row, as adjacent rows end where the next ones begin); Python
makes the lists.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from benchmarks import ours, peers
from benchmarks.bench_string_equal import polars, pyarrow
from benchmarks.canonical import Canonical, from_strings
from benchmarks.corpora import from_strings as as_corpus
from benchmarks.corpora import words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

FLAT = "ours, [n]"
LIMIT = 1.2


def name(cols: int) -> str:
    return f"ours, [n, {cols}]"


def joined(cols: int) -> str:
    return f"[n, {cols}] joined, then [n]"


def join_first(call: Callable[..., Any], flat: Any, rows: Any) -> Any:
    """The result of `flat`, and the time that the offsets of rows take to be joined, or its list to be divided."""
    if call is to_list:
        strings, cols = flat.tolist(), rows.shape[1]
        return [strings[i : i + cols] for i in range(0, len(strings), cols)]
    torch.empty_like(flat.offsets)[:-1].view(rows.shape).copy_(rows.offsets[:, :-1])
    return call(flat)


def build(
    title: str,
    call: Callable[..., Any],
    canonical: Callable[[Any], Canonical],
    with_peers: bool,
    context: Context,
) -> Comparison:
    corpus = words_of(context.corpus("W1"))
    count = len(corpus) // 10 * 10
    corpus = as_corpus("words", corpus.description, corpus.encoded[:count])
    flat = ours.string_tensor(corpus)
    contenders: peers.Contenders = [ours.contender(FLAT, partial(call, flat), canonical)]
    for cols in (10, 2, 1):
        rows = flat.reshape(-1, cols)
        contenders.append(ours.contender(name(cols), partial(call, rows), canonical))
        contenders.append(Contender(joined(cols), partial(join_first, call, flat, rows), canonical))
    targets = [Target(name(cols), joined(cols), at_most=LIMIT) for cols in (10, 2, 1)]
    if with_peers:
        one = as_corpus("one", "one", [WORD])
        contenders += pyarrow(corpus, one, True) + polars(corpus, one, True)
        targets += [Target(name(1), "pyarrow"), Target(name(1), "polars")]
    contenders += ours.memcpy(ours.num_bytes([flat.data, flat.offsets]))
    return Comparison(f"{title}. {count:,} {corpus.description}", contenders, targets, corpus.num_bytes)


def build_column(context: Context) -> Comparison:
    """A column of a table: rows of one string that are not adjacent."""
    corpus = words_of(context.corpus("W1"))
    count = len(corpus) // 2 * 2
    column = as_corpus("column", corpus.description, corpus.encoded[:count:2])
    flat = ours.string_tensor(column)
    table = ours.string_tensor(as_corpus("table", corpus.description, corpus.encoded[:count]))
    view = table.reshape(-1, 2)[:, :1]
    contenders: peers.Contenders = [
        ours.contender(FLAT, partial(equal, flat), lambda out: out.flatten().numpy()),
        ours.contender(COLUMN, partial(equal, view), lambda out: out.flatten().numpy()),
        ours.contender(COMPACT, lambda: equal(view.compact()), lambda out: out.flatten().numpy()),
        *ours.memcpy(ours.num_bytes([flat.data, flat.offsets])),
    ]
    title = f"Comparison with one string. A column of {len(column):,} {corpus.description}"
    return Comparison(title, contenders, [Target(COLUMN, COMPACT, at_most=LIMIT)], column.num_bytes)


COLUMN = "ours, column [n, 1] of [n, 2]"
COMPACT = "ours, its compact copy, compared"
WORD = b"the"
word = ours.string_tensor(as_corpus("one", "one", [WORD]))


def equal(strings: Any) -> Any:
    return ours.operator("string_equal")(strings.data, strings.offsets, word.data, word.offsets)


def split(strings: Any) -> Any:
    return ours.operator("string_split_ragged")(strings.data, strings.offsets, "e")


def unpack(strings: Any) -> Any:
    return ours.operator("string_tensor_unpack")(strings.data, strings.offsets)


def to_list(strings: Any) -> Any:
    return strings.tolist()


def flat_strings(nested: Any) -> Canonical:
    return from_strings([x for item in nested for x in (item if isinstance(item, list) else [item])])


def corpus_of(unpacked: Any) -> Canonical:
    begins, ends, symbols = (t.flatten().numpy() for t in unpacked)
    data = symbols.tobytes()
    return from_strings([data[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)])


ROWS = [
    Row(
        "narrow rows/string_equal with one",
        partial(build, "Comparison with one string", equal, lambda out: out.flatten().numpy(), True),
    ),
    Row(
        "narrow rows/string_split_ragged",
        partial(build, "Split at the letter e", split, ours.ragged, False),
    ),
    Row(
        "narrow rows/string_tensor_unpack",
        partial(build, "Byte ranges and bytes", unpack, corpus_of, False),
    ),
    Row(
        "narrow rows/tolist",
        partial(build, "Lists of str", to_list, flat_strings, False),
    ),
    Row("narrow rows/column", build_column),
]
