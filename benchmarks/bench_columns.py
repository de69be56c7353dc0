"""Conversion of columns of other libraries to tensors: NumPy arrays, Arrow arrays of other layouts, long `str`.

pyarrow converts NumPy arrays by itself, and casts its own arrays to `utf8`, whose layout is that of a StringTensor.
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.bench_lists import FROM_LIST, from_tensor, polars_from_list, pyarrow_from_list, same
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row
from torch_stringops import StringTensor

FROM_NUMPY = "ours, StringTensor.from_numpy"
FROM_ARROW = "ours, StringTensor.from_arrow"


def strings_of(out: Any) -> canonical.Ragged:
    return canonical.from_strings(out.to_pylist())


def from_numpy(dtype: Any, context: Context) -> Comparison:
    corpus = context.corpus("W1")
    name = "StringDType" if dtype == "T" else "fixed width, of bytes"
    title = f"NumPy array ({name}) to tensor. W1: {len(corpus):,} {corpus.description}"
    if dtype == "T" and not peers.HAS_STRING_DTYPE:
        return Comparison(title, [Skipped(FROM_NUMPY, f"no StringDType in NumPy {np.__version__}")])
    array: Any = (
        np.array(corpus.strings, dtype=np.dtypes.StringDType()) if dtype == "T" else np.array(corpus.encoded)
    )
    traffic = array.nbytes * (dtype == "S") + corpus.num_bytes * (1 + (dtype == "T")) + 4 * len(corpus)
    return Comparison(
        title,
        [
            ours.contender(FROM_NUMPY, partial(StringTensor.from_numpy, array), from_tensor),
            *pyarrow_from_numpy(array),
            *ours.memcpy(traffic),
        ],
        [Target(FROM_NUMPY, "pyarrow.array", 1)],
        corpus.num_bytes,
    )


@peers.needs("pyarrow")
def pyarrow_from_numpy(array: Any) -> peers.Contenders:
    arrow = peers.load("pyarrow")
    return [Contender("pyarrow.array", partial(arrow.array, array), strings_of)]


def from_arrow(layout: str, context: Context) -> Comparison:
    corpus = context.corpus("W1")
    title = f"Arrow `{layout}` to tensor. W1: {len(corpus):,} {corpus.description}"
    contenders = from_arrow_contenders(corpus, layout)
    if any(isinstance(c, Skipped) for c in contenders):
        return Comparison(title, contenders)
    # The data of large_utf8 is shared.
    traffic = 12 * len(corpus) if layout == "large_utf8" else 2 * corpus.num_bytes + 20 * len(corpus)
    contenders += ours.memcpy(traffic)
    return Comparison(title, contenders, [Target(FROM_ARROW, "pyarrow cast", 1)], corpus.num_bytes)


@peers.needs("pyarrow")
def from_arrow_contenders(corpus: Any, layout: str) -> peers.Contenders:
    arrow = peers.load("pyarrow")
    array = peers.arrow_strings(corpus).cast(getattr(arrow, layout)())
    return [
        ours.contender(FROM_ARROW, partial(StringTensor.from_arrow, array), from_tensor),
        Contender("pyarrow cast", partial(array.cast, arrow.utf8()), strings_of),
    ]


def from_long_strings(context: Context) -> Comparison:
    """20 MB: more would measure the clearing of memory above all."""
    strings = [f"{i:04}" + "x" * (2**20 - 4) for i in range(20)]
    prepare = partial(same, strings)
    num_bytes = sum(map(len, strings))
    return Comparison(
        f"`list[str]` to tensor: {len(strings)} strings of 1 MB",
        [
            ours.contender(FROM_LIST, StringTensor.from_list, from_tensor, prepare=prepare),
            *pyarrow_from_list(prepare),
            *polars_from_list(prepare),
            *ours.memcpy(2 * num_bytes),
        ],
        [Target(FROM_LIST, "pyarrow.array", 1), Target(FROM_LIST, "polars.Series", 1)],
        num_bytes,
    )


ROWS = [
    Row("from_numpy/StringDType", partial(from_numpy, "T")),
    Row(
        "from_numpy/S",
        partial(from_numpy, "S"),
        reasons={
            "pyarrow.array": "pyarrow ends a string at the first zero. Here, as in NumPy, only trailing zeros are "
            "padding, so that all of the array is read."
        },
    ),
    Row(
        "from_arrow/large_utf8",
        partial(from_arrow, "large_utf8"),
        reasons={
            "pyarrow cast": "Every offset is checked; pyarrow only narrows them. Both take less than 0.05 ms."
        },
    ),
    Row("from_arrow/string_view", partial(from_arrow, "string_view")),
    Row("from_list/1 MB", from_long_strings),
]
