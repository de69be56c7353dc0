"""string_to_datetime, string_from_datetime and datetime_fields: ISO 8601, the format of logs, and all fields."""

from functools import partial
from typing import Any

import numpy as np
import torch

import torch_stringops
from benchmarks import canonical, ours, peers
from benchmarks.bench_string_build import from_polars, strings_of
from benchmarks.corpora import SEED, Corpus, from_strings
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

COUNT = 500_000
ISO = "%Y-%m-%dT%H:%M:%S"
FORMATS = {"iso8601": ISO, "log": "%d/%b/%Y:%H:%M:%S"}
FIELDS = ("year", "month", "day", "hour", "minute", "second", "nanosecond", "weekday", "day_of_year")


def seconds() -> torch.Tensor:
    """Times of the years 1970 to 2096."""
    return torch.from_numpy(np.random.default_rng([SEED, 33]).integers(0, 2**32, COUNT))


def texts(kind: str) -> Corpus:
    strings = torch_stringops.string_from_datetime(seconds(), FORMATS[kind], unit="s")
    description = {"iso8601": "times of ISO 8601, of 19 bytes", "log": "times as in logs of web servers"}[
        kind
    ]
    return from_strings(kind, description, strings.tolist(as_bytes=True))


def parse(kind: str, context: Context) -> Comparison:
    corpus, format = texts(kind), FORMATS[kind]
    strings = ours.string_tensor(corpus)
    op = "ours, string_to_datetime"
    call = partial(ours.operator("string_to_datetime"), strings.data, strings.offsets, format, unit="s")
    contenders: peers.Contenders = [ours.contender(op, call, lambda out: out.numpy())]
    for make in (pyarrow, polars, pandas):
        contenders += make(corpus, format)
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, call()]))
    targets = [Target(op, "pyarrow", 5), Target(op, "polars", 1), Target(op, "pandas", 5)]
    return Comparison(
        f"Strings to times. {len(corpus):,} {corpus.description}", contenders, targets, corpus.num_bytes
    )


@peers.needs("pyarrow")
def pyarrow(corpus: Corpus, format: str) -> peers.Contenders:
    call = partial(
        peers.load("pyarrow.compute").strptime, peers.arrow_strings(corpus), format=format, unit="s"
    )
    return [Contender("pyarrow strptime", call, lambda out: out.cast("int64").to_numpy(), group="pyarrow")]


@peers.needs("polars")
def polars(corpus: Corpus, format: str) -> peers.Contenders:
    call = partial(peers.load("polars").Series(corpus.strings).str.to_datetime, format, time_unit="ms")
    return [
        Contender(
            "polars to_datetime", call, lambda out: out.to_physical().to_numpy() // 1000, group="polars"
        )
    ]


@peers.needs("pandas")
def pandas(corpus: Corpus, format: str) -> peers.Contenders:
    pd = peers.load("pandas")

    def read(out: Any) -> Any:
        return out.to_numpy().astype("datetime64[s]").astype(np.int64)

    return [
        Contender(
            "pandas to_datetime", partial(pd.to_datetime, pd.Series(corpus.strings), format=format), read
        )
    ]


def write(kind: str, context: Context) -> Comparison:
    values, format = seconds(), FORMATS[kind]
    op = "ours, string_from_datetime"
    call = partial(ours.operator("string_from_datetime"), values, format, "s")
    contenders: peers.Contenders = [ours.contender(op, call, strings_of)]
    for make in (write_pyarrow, write_polars):
        contenders += make(values, format)
    contenders += ours.memcpy(ours.num_bytes([values, *call()]))
    corpus = texts(kind)
    title = f"Times to strings. {len(corpus):,} {corpus.description}"
    targets = [Target(op, name, 3) for name in ("pyarrow", "polars")]
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("pyarrow")
def write_pyarrow(values: torch.Tensor, format: str) -> peers.Contenders:
    times = peers.load("pyarrow").array(values.numpy().astype("datetime64[s]"))
    call = partial(peers.load("pyarrow.compute").strftime, times, format=format)
    return [Contender("pyarrow strftime", call, canonical.from_arrow, group="pyarrow")]


@peers.needs("polars")
def write_polars(values: torch.Tensor, format: str) -> peers.Contenders:
    times = peers.load("polars").Series(values.numpy().astype("datetime64[s]").astype("datetime64[ms]"))
    return [Contender("polars strftime", partial(times.dt.strftime, format), from_polars, group="polars")]


def fields(context: Context) -> Comparison:
    values = seconds()
    op = "ours, datetime_fields"
    call = partial(torch_stringops.datetime_fields, values, unit="s")

    def stacked(arrays: Any) -> Any:
        return np.stack([np.asarray(a, dtype=np.int64) for a in arrays])

    contenders: peers.Contenders = [ours.contender(op, call, lambda out: stacked(out[f] for f in FIELDS))]
    contenders += fields_of_pandas(values, stacked)
    traffic = (1 + len(FIELDS)) * 8 * COUNT
    contenders += ours.memcpy(traffic)
    title = f"All {len(FIELDS)} fields of {COUNT:,} times, by operations of torch"
    return Comparison(title, contenders, [Target(op, "pandas", 0.5)], traffic)


@peers.needs("pandas")
def fields_of_pandas(values: torch.Tensor, stacked: Any) -> peers.Contenders:
    times = peers.load("pandas").Series(values.numpy().astype("datetime64[s]")).dt
    return [Contender("pandas", lambda: [getattr(times, name) for name in FIELDS], stacked)]


ROWS = [
    *(Row(f"string_to_datetime/{kind}", partial(parse, kind)) for kind in FORMATS),
    *(Row(f"string_from_datetime/{kind}", partial(write, kind)) for kind in FORMATS),
    Row("datetime_fields", fields),
]
