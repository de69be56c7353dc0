"""Conversion of Python lists of `str` to tensors and back.

The Unicode rows of from_list use new strings in each call, since CPython caches the UTF-8 encoding of a `str`, so that
a second conversion of the same objects would only measure a copy.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import torch_stringops
from benchmarks import canonical, ours, peers
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row

FROM_LIST = "ours, StringTensor.from_list"
TOLIST = "ours, StringTensor.tolist"


def from_tensor(strings: torch_stringops.StringTensor) -> canonical.Ragged:
    rows = np.arange(len(strings) + 1)
    return canonical.from_offsets(strings.data.numpy(), strings.offsets.numpy().astype(np.int64), rows)


def from_list(workload: str, fresh: bool, targets: dict[str, float | None], context: Context) -> Comparison:
    corpus = context.corpus(workload)
    prepare = partial(decoded, corpus) if fresh else partial(same, corpus.strings)
    contenders: peers.Contenders = [
        ours.contender(FROM_LIST, torch_stringops.StringTensor.from_list, from_tensor, prepare=prepare),
        *pyarrow_from_list(prepare),
        *polars_from_list(prepare),
        *numpy_from_list(prepare),
        *pandas_from_list(prepare),
        *tensorflow_from_list(prepare),
    ]
    strings = torch_stringops.StringTensor.from_list(corpus.strings)
    contenders += ours.memcpy(corpus.num_bytes + ours.num_bytes([strings.data, strings.offsets]))
    kind = "not yet encoded to UTF-8" if fresh else "ASCII"
    title = f"`list[str]` to tensor. {workload}: {len(corpus):,} {corpus.description}; {kind}"
    return Comparison(
        title, contenders, [Target(FROM_LIST, p, r) for p, r in targets.items()], corpus.num_bytes
    )


def decoded(corpus: Corpus) -> list[str]:
    return [s.decode() for s in corpus.encoded]


def same(strings: list[str]) -> list[str]:
    return strings


@peers.needs("pyarrow")
def pyarrow_from_list(prepare: Callable[[], list[str]]) -> peers.Contenders:
    return [Contender("pyarrow.array", peers.load("pyarrow").array, canonical.from_arrow, prepare=prepare)]


@peers.needs("polars")
def polars_from_list(prepare: Callable[[], list[str]]) -> peers.Contenders:
    def strings(out: Any) -> canonical.Ragged:
        return canonical.from_strings(out.to_list())

    return [Contender("polars.Series", peers.load("polars").Series, strings, prepare=prepare)]


def numpy_from_list(prepare: Callable[[], list[str]]) -> peers.Contenders:
    if not peers.HAS_STRING_DTYPE:
        return [Skipped("numpy StringDType", f"not in NumPy {np.__version__}")]
    make = partial(np.array, dtype=np.dtypes.StringDType())
    return [
        Contender(
            "numpy StringDType", make, lambda out: canonical.from_strings(out.tolist()), prepare=prepare
        )
    ]


@peers.needs("pandas", "pyarrow")
def pandas_from_list(prepare: Callable[[], list[str]]) -> peers.Contenders:
    """To columns that own their bytes; a column of objects only increments reference counts."""
    return [
        Contender(
            f"pandas Series of {kind}",
            partial(peers.load("pandas").Series, dtype=dtype),
            lambda out: canonical.from_strings(out.tolist()),
            prepare=prepare,
            group="pandas",
        )
        for kind, dtype in peers.pandas_dtypes().items()
        if dtype is not object
    ]


@peers.needs("tensorflow")
def tensorflow_from_list(prepare: Callable[[], list[str]]) -> peers.Contenders:
    def strings(out: Any) -> canonical.Ragged:
        return canonical.from_strings(out.numpy().tolist())

    constant = peers.load("tensorflow").constant
    return [Contender("tensorflow constant", constant, strings, prepare=prepare)]


def to_list(workload: str, targets: dict[str, float | None], context: Context) -> Comparison:
    corpus = context.corpus(workload)
    strings = ours.string_tensor(corpus)
    contenders: peers.Contenders = [
        ours.contender(TOLIST, strings.tolist, canonical.from_strings),
        *pyarrow_to_list(corpus),
        *polars_to_list(corpus),
        *numpy_to_list(corpus),
        *pandas_to_list(corpus),
    ]
    contenders += ours.memcpy(corpus.num_bytes * 2 + ours.num_bytes([strings.offsets]))
    title = f"Tensor to `list[str]`. {workload}: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, [Target(TOLIST, p, r) for p, r in targets.items()], corpus.num_bytes)


@peers.needs("pyarrow")
def pyarrow_to_list(corpus: Corpus) -> peers.Contenders:
    return [Contender("pyarrow to_pylist", peers.arrow_strings(corpus).to_pylist, canonical.from_strings)]


@peers.needs("polars")
def polars_to_list(corpus: Corpus) -> peers.Contenders:
    series = peers.load("polars").Series(corpus.strings)
    return [Contender("polars to_list", series.to_list, canonical.from_strings)]


def numpy_to_list(corpus: Corpus) -> peers.Contenders:
    return [
        Contender(f"numpy tolist of {kind}", array.tolist, canonical.from_strings, group="numpy")
        for kind, array in peers.numpy_strings(corpus).items()
    ]


@peers.needs("pandas", "pyarrow")
def pandas_to_list(corpus: Corpus) -> peers.Contenders:
    return [
        Contender(f"pandas tolist of {kind}", series.tolist, canonical.from_strings, group="pandas")
        for kind, series in peers.pandas_strings(corpus).items()
        if series.dtype != object
    ]


FROM: dict[str, float | None] = dict.fromkeys(("numpy StringDType", "pandas", "tensorflow constant"))
TO: dict[str, float | None] = dict.fromkeys(("polars to_list", "numpy", "pandas"))
ROWS = [
    Row("from_list/W1", partial(from_list, "W1", False, {"pyarrow.array": 2, "polars.Series": 1.15} | FROM)),
    Row("from_list/W3", partial(from_list, "W3", True, {"pyarrow.array": 1, "polars.Series": None} | FROM)),
    Row("to_list/W1", partial(to_list, "W1", {"pyarrow to_pylist": 1.15} | TO)),
    Row(
        "to_list/W3",
        partial(to_list, "W3", {"pyarrow to_pylist": 0.9} | TO),
        reasons={
            "numpy": "NumPy's str_ stores code points, four bytes each, in strings of one length: it decodes nothing."
        },
    ),
]
