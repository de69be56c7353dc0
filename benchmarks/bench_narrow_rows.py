"""Rows of few strings: the same strings in rows of 1, 2 and 10, against one row.

A row of n strings has n + 1 offsets, so that rows of one string have twice the offsets. What remains must be the work
itself, not work for each row.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import ours, peers
from benchmarks.bench_string_equal import polars, pyarrow
from benchmarks.canonical import Canonical, from_strings
from benchmarks.corpora import from_strings as as_corpus
from benchmarks.corpora import words_of
from benchmarks.measure import Comparison, Target
from benchmarks.rows import Context, Row

FLAT = "ours, [n]"
LIMIT = 1.3


def name(cols: int) -> str:
    return f"ours, [n, {cols}]"


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
        contenders.append(ours.contender(name(cols), partial(call, flat.reshape(-1, cols)), canonical))
    targets = [Target(name(cols), FLAT, at_most=LIMIT) for cols in (10, 2, 1)]
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
        *ours.memcpy(ours.num_bytes([flat.data, flat.offsets])),
    ]
    title = f"Comparison with one string. A column of {len(column):,} {corpus.description}"
    return Comparison(title, contenders, [Target(COLUMN, FLAT, at_most=LIMIT)], column.num_bytes)


COLUMN = "ours, column [n, 1] of [n, 2]"
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


LISTS = (
    "A row is a list object of its own in Python, which takes longer to allocate than the str of a short word: `[[w] "
    "for w in words]` alone takes all of the difference."
)
GAPS = (
    "The offsets of a column, of which three are read for each string, are copied first, and begins and ends of "
    "strings apart from each other are two lists."
)
OFFSETS = (
    "Rows of one string have twice the offsets, rows of two half as many more. They are checked and joined, a "
    "third of the time of a comparison with one string, which reads little else."
)
UNPACK = "Rows of one string have twice the offsets, which are checked and joined before they are read."
ROWS = [
    Row(
        "narrow rows/string_equal with one",
        partial(build, "Comparison with one string", equal, lambda out: out.flatten().numpy(), True),
        reasons={name(cols): OFFSETS for cols in (10, 2, 1)},
    ),
    Row(
        "narrow rows/string_split_ragged",
        partial(build, "Split at the letter e", split, ours.ragged, False),
    ),
    Row(
        "narrow rows/string_tensor_unpack",
        partial(build, "Byte ranges and bytes", unpack, corpus_of, False),
        reasons={name(cols): UNPACK for cols in (10, 2, 1)},
    ),
    Row(
        "narrow rows/tolist",
        partial(build, "Lists of str", to_list, flat_strings, False),
        reasons={name(cols): LISTS for cols in (10, 2, 1)},
    ),
    Row("narrow rows/column", build_column, reasons={COLUMN: GAPS}),
]
