"""string_to_number and string_from_number: integers, prices of two decimals, and floats with all their digits."""

from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks import canonical, ours, peers
from benchmarks.bench_string_build import from_polars, from_tensorflow, strings_of
from benchmarks.corpora import SEED, Corpus, from_strings
from benchmarks.measure import Comparison, Contender, Excuse, Target
from benchmarks.rows import Context, Row

COUNT = 500_000
DTYPES = {"int64": torch.int64, "float32": torch.float32, "float64": torch.float64}


def numbers(kind: str) -> Corpus:
    rng = np.random.default_rng([SEED, 11])
    if kind == "integers":
        values = rng.integers(0, 10 ** rng.integers(1, 10, COUNT)).tolist()
        return from_strings(kind, "integers of 1 to 9 digits", [b"%d" % v for v in values])
    if kind == "prices":
        return from_strings(
            kind, "numbers with two decimals", [b"%.2f" % v for v in rng.normal(0, 3000, COUNT).tolist()]
        )
    values = rng.normal(0, 1, COUNT).tolist()
    return from_strings(kind, "float64 numbers, with all their digits", [repr(v).encode() for v in values])


def parse(kind: str, dtype: str, context: Context) -> Comparison:
    corpus = numbers(kind)
    strings = ours.string_tensor(corpus)
    op = "ours, string_to_number"
    call = partial(ours.operator("string_to_number"), strings.data, strings.offsets, DTYPES[dtype])
    contenders: peers.Contenders = [ours.contender(op, call, lambda out: out.numpy())]
    for make in (pyarrow, polars, tensorflow):
        contenders += make(corpus, dtype)
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, call()]))
    targets = [Target(op, name, 3) for name in ("pyarrow", "polars", "tensorflow")]
    title = f"Strings to {dtype}. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("pyarrow")
def pyarrow(corpus: Corpus, dtype: str) -> peers.Contenders:
    call = partial(
        peers.load("pyarrow.compute").cast, peers.arrow_strings(corpus), dtype.replace("float32", "float")
    )
    if dtype == "float64":
        call = partial(peers.load("pyarrow.compute").cast, peers.arrow_strings(corpus), "double")
    return [Contender("pyarrow cast", call, lambda out: out.to_numpy(), group="pyarrow")]


@peers.needs("polars")
def polars(corpus: Corpus, dtype: str) -> peers.Contenders:
    pl = peers.load("polars")
    to = {"int64": pl.Int64, "float32": pl.Float32, "float64": pl.Float64}[dtype]
    call = partial(pl.Series(corpus.strings).cast, to)
    return [Contender("polars cast", call, lambda out: out.to_numpy(), group="polars")]


@peers.needs("tensorflow")
def tensorflow(corpus: Corpus, dtype: str) -> peers.Contenders:
    tf = peers.load("tensorflow")
    call = partial(tf.strings.to_number, peers.tensorflow_strings(corpus), tf.as_dtype(dtype))
    return [Contender("tensorflow to_number", call, lambda out: out.numpy(), group="tensorflow")]


def write(kind: str, context: Context) -> Comparison:
    corpus = numbers(kind)
    dtype = torch.int64 if kind == "integers" else torch.float64
    values = torch.tensor(
        [float(s) if dtype.is_floating_point else int(s) for s in corpus.encoded], dtype=dtype
    )
    op = "ours, string_from_number"
    call = partial(ours.operator("string_from_number"), values)
    contenders: peers.Contenders = [ours.contender(op, call, strings_of)]
    texts = map(repr, values.tolist())
    differs = np.array([text.endswith(".0") or "e" in text for text in texts], dtype=bool)
    excuse = Excuse(differs, "it writes whole numbers and exponents differently from Python's repr")
    for make in (write_pyarrow, write_polars, write_tensorflow):
        contenders += make(values, excuse)
    contenders += ours.memcpy(ours.num_bytes([values, *call()]))
    names = ["pyarrow", "polars"] + ["tensorflow"] * (kind == "integers")
    title = f"{dtype} to strings. {len(corpus):,} {corpus.description}".removeprefix("torch.")
    return Comparison(title, contenders, [Target(op, name, 3) for name in names], corpus.num_bytes)


@peers.needs("pyarrow")
def write_pyarrow(values: Any, excuse: Excuse) -> peers.Contenders:
    array = peers.load("pyarrow").array(values.numpy())
    call = partial(peers.load("pyarrow.compute").cast, array, "string")
    return [Contender("pyarrow cast", call, canonical.from_arrow, excuse=excuse, group="pyarrow")]


@peers.needs("polars")
def write_polars(values: Any, excuse: Excuse) -> peers.Contenders:
    pl = peers.load("polars")
    return [
        Contender(
            "polars cast",
            partial(pl.Series(values.numpy()).cast, pl.String),
            from_polars,
            excuse=excuse,
            group="polars",
        )
    ]


@peers.needs("tensorflow")
def write_tensorflow(values: Any, excuse: Excuse) -> peers.Contenders:
    if values.is_floating_point():  # it writes six decimals
        return []
    tf = peers.load("tensorflow")
    call = partial(tf.strings.as_string, tf.constant(values.numpy()))
    return [Contender("tensorflow as_string", call, from_tensorflow, group="tensorflow")]


SHORTEST = (
    "Three times the speed of polars is 7.8 ns a number. The shortest decimal alone takes 7.6 with AVX-512, eight "
    "numbers at a time (benchmarks/log/number.md), and the offsets and the copy 1.5. With AVX2 a number takes 58 ns, "
    "and an integer 10 (`python -m benchmarks.bounds from_number`)."
)
ROWS = [
    *(
        Row(
            f"string_to_number/{kind} to {dtype}",
            partial(parse, kind, dtype),
        )
        for kind, dtype in (
            ("integers", "int64"),
            ("prices", "float32"),
            ("prices", "float64"),
            ("floats", "float64"),
        )
    ),
    *(
        Row(
            f"string_from_number/{kind}",
            partial(write, kind),
            reasons={"polars cast": SHORTEST} if kind == "floats" else {},
        )
        for kind in ("integers", "prices", "floats")
    ),
]
