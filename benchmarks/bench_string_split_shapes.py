"""string_split and string_split_ragged on other shapes of input: limited cuts, delimiters of several bytes, empty
strings; and tokens with marks and padding, against the same tokens without.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from torch import Tensor

import torch_stringops
from benchmarks import bench_tokenizer, ours, peers
from benchmarks.canonical import Canonical, from_lists
from benchmarks.corpora import SEED, Corpus, from_strings
from benchmarks.measure import Comparison, Target
from benchmarks.rows import Context, Row

RAGGED = "ours, ragged"
PADDED = "ours, padded"
WORDS = [b"the", b"quick", b"brown", b"foxes", b"jumped", b"over", b"lazy", b"dogs", b"and", b"information"]

Maker = Callable[[random.Random], bytes]


def pair(rng: random.Random) -> bytes:
    key = rng.choice([b"key", b"color", b"n", b"identifier", b"user_name"])
    return b"%s=%d" % (key, rng.randrange(10 ** rng.randrange(1, 9)))


def log_line(rng: random.Random) -> bytes:
    time = b"2026-11-%02d 12:%02d:%02d INFO " % (1 + rng.randrange(30), rng.randrange(60), rng.randrange(60))
    return time + b" ".join(rng.choices(WORDS, k=rng.randrange(3, 15)))


def words(delimiter: str, share: float) -> Maker:
    """Words separated by spaces, or a share of them by the delimiter."""

    def make(rng: random.Random) -> bytes:
        gaps = [delimiter.encode() if rng.random() < share else b" " for _ in range(rng.randrange(2, 15))]
        return b"".join(part for gap in gaps for part in (rng.choice(WORDS), gap)) + rng.choice(WORDS)

    return make


def dashes(limit: int) -> Maker:
    return lambda rng: b"-" * rng.randrange(4, limit)


def indented(rng: random.Random) -> bytes:
    return b" " * (4 * rng.randrange(8)) + b" ".join(rng.choices(WORDS, k=rng.randrange(1, 10)))


def rule(size: int) -> str:
    return ("-=+*abcdefghijklmnopqrstuvwxyz0123456789" * 8)[:size]


@dataclass(frozen=True)
class Shape:
    """`peers` have targets for our ragged result, and onnxruntime for our padded one."""

    strings: str | Maker  # a workload, or what makes one of `rows` strings
    delimiter: str
    maxsplit: int = -1
    rows: int = 60_000
    peers: dict[str, float | None] = field(default_factory=dict)
    onnxruntime: float | None = None


LIMITED = {"pyarrow": 5.0, "polars": 5.0}
SHORT, LONG = {"pyarrow": 4.0, "polars": None}, {"pyarrow": 2.0, "polars": None}
SHAPES = {
    "limit/key=value, 1": Shape(pair, "=", 1, 200_000, LIMITED, 5),
    "limit/key=value, 1000": Shape(pair, "=", 1000, 200_000, {"pyarrow": 5}, 5),
    "limit/W1, 1": Shape("W1", "", 1, peers={"pyarrow ascii": 5}, onnxruntime=5),
    "limit/W1, 1000": Shape("W1", "", 1000, peers={"pyarrow ascii": 5}, onnxruntime=5),
    "limit/log lines, 3": Shape(log_line, "", 3, 100_000, {"pyarrow ascii": 5}, 5),
    "limit/log lines at spaces, 3": Shape(log_line, " ", 3, 100_000, LIMITED, 5),
    "delimiter/<br />": Shape(words("<br />", 0.3), "<br />", peers=SHORT),
    "delimiter/ the ": Shape(words(" the ", 0.3), " the ", peers=SHORT),
    **{
        f"delimiter/{size} bytes": Shape(words(rule(size), 0.15), rule(size), peers=LONG)
        for size in (32, 64, 100, 300)
    },
    "delimiter/dashes at 4": Shape(dashes(120), "-" * 4, peers=SHORT),
    "delimiter/dashes at 100": Shape(dashes(1000), "-" * 100, rows=10_000, peers=LONG),
    "delimiter/indentation": Shape(indented, " " * 4, peers=SHORT),
    "delimiter/absent": Shape("W1", "<br />", peers=SHORT, onnxruntime=4),
    "empty strings": Shape(lambda _: b"", ",", rows=1_000_000, peers={"pyarrow": 3, "polars": 3}),
}

MAKERS: dict[str, Callable[[Corpus, str, int], peers.Contenders]] = {
    "pyarrow": lambda corpus, at, limit: peers.pyarrow_split(corpus, at, maxsplit=limit),
    "pyarrow ascii": lambda corpus, at, limit: peers.pyarrow_split(corpus, at, "ascii", limit),
    "polars": peers.polars_split,
    "onnxruntime": peers.onnxruntime_split,
}


def corpus_of(name: str, shape: Shape, context: Context) -> Corpus:
    if isinstance(shape.strings, str):
        return context.corpus(shape.strings)
    rng = random.Random(SEED)
    count = max(1, round(shape.rows * context.scale))
    return from_strings(name, "strings", [shape.strings(rng) for _ in range(count)])


def build(name: str, context: Context) -> Comparison:
    shape = SHAPES[name]
    corpus = corpus_of(name, shape, context)
    data, offsets = ours.tensors(corpus)
    arguments = (data, offsets, shape.delimiter, shape.maxsplit)
    ragged = partial(ours.operator("string_split_ragged"), *arguments)
    out = ragged()
    contenders: peers.Contenders = [ours.contender(RAGGED, ragged, ours.ragged)]
    targets = [Target(RAGGED, peer, ratio) for peer, ratio in shape.peers.items()]
    if shape.onnxruntime:
        padded = partial(ours.operator("string_split"), *arguments)
        contenders.append(ours.contender(PADDED, padded, ours.padded))
        targets.append(Target(PADDED, "onnxruntime", shape.onnxruntime))
    for peer, make in MAKERS.items():
        if peer in shape.peers or (peer == "onnxruntime" and shape.onnxruntime):
            contenders += make(corpus, shape.delimiter, shape.maxsplit)
    contenders += ours.memcpy(ours.num_bytes([data, offsets, *out]))
    limit = "" if shape.maxsplit < 0 else f", at most {shape.maxsplit} cuts"
    title = f"{name}: {len(corpus):,} strings, {corpus.num_bytes:,} bytes; {len(out[1]) - 1:,} pieces{limit}"
    return Comparison(title, [ours.with_clean_heap(c) for c in contenders], targets, corpus.num_bytes)


FORMATS: dict[str, dict[str, Any]] = {
    "<pad>": {"pad_value": "<pad>"},
    "mark": {"mark": True},
    "mark, <pad>": {"mark": True, "pad_value": "<pad>"},
}
ADDED = ("", "<pad>", "\x02", "\x03")  # no token of W1 is one of these


def tokens(out: tuple[Tensor, Tensor]) -> Canonical:
    """The tokens without marks and padding."""
    rows = torch_stringops.StringTensor(*out).tolist()
    return from_lists([[token for token in row if token not in ADDED] for row in rows])


def build_format(name: str, context: Context) -> Comparison:
    corpus = context.corpus("W1")
    plain = partial(ours.operator("tokenizer"), *ours.tensors(corpus), tokenexp=bench_tokenizer.WORD)
    contenders: peers.Contenders = [
        ours.contender("ours, plain", plain, tokens),
        ours.contender(f"ours, {name}", partial(plain, **FORMATS[name]), tokens),
        *ours.memcpy(ours.num_bytes([*ours.tensors(corpus), *plain()])),
    ]
    title = f"Tokenizer, words of W1, with {name} and without"
    return Comparison(
        title, contenders, [Target(f"ours, {name}", "ours, plain", at_least=0.5)], corpus.num_bytes
    )


def build_to_dense(context: Context) -> Comparison:
    corpus = context.corpus("W1")
    pieces, row_splits = torch_stringops.string_split_ragged(ours.string_tensor(corpus))

    def padded(padding: str) -> tuple[Tensor, Tensor]:
        dense = torch_stringops.ragged_to_dense(pieces, row_splits, padding_value=padding)
        return dense.data, dense.offsets

    contenders: peers.Contenders = [
        ours.contender("ours, plain", partial(padded, ""), tokens),
        ours.contender("ours, <pad>", partial(padded, "<pad>"), tokens),
        *ours.memcpy(ours.num_bytes([pieces.data, pieces.offsets, *padded("")])),
    ]
    title = "ragged_to_dense of strings, words of W1, with <pad> and without"
    return Comparison(
        title, contenders, [Target("ours, <pad>", "ours, plain", at_least=0.5)], corpus.num_bytes
    )


TWO_PASSES = (
    "pyarrow looks for the first cuts alone and copies the rest at once; so do both passes here, 64 bytes at a "
    "time, with the masks of eight strings in one vector. With text and results in caches both take two thirds to "
    "three quarters of the time: the rest waits for memory, most of it that of the results."
)
COPIED = (
    "Both passes compare every byte of a delimiter of up to 8 bytes; the first pass four of a longer one and "
    "each candidate, which is two thirds of the time. The second pass of short ones compacts the pieces, of long "
    "ones it copies them."
)
EMPTY = "Both passes read the offsets of a block without bytes; row splits are written as int64."
REASONS_BY_KIND = {"limit": TWO_PASSES, "delimiter": COPIED, "empty strings": EMPTY}


def reasons(name: str) -> dict[str, str]:
    """Alike for all peers. Targets that are met show no reason."""
    shape = SHAPES[name]
    targets = [*shape.peers, *(["onnxruntime"] if shape.onnxruntime else [])]
    return dict.fromkeys(targets, REASONS_BY_KIND[name.split("/")[0]])


TO_DENSE_REASON = {
    "ours, plain": "The plain result is a view of the strings. With padding, bytes and offsets are written."
}
ROWS = [
    *(Row(f"string_split, {name}", partial(build, name), reasons=reasons(name)) for name in SHAPES),
    *(Row(f"tokenizer, rows/{name}", partial(build_format, name)) for name in FORMATS),
    Row("ragged_to_dense, strings/<pad>", build_to_dense, reasons=TO_DENSE_REASON),
]
