"""string_concat, joins, string_repeat, string_reverse, padding and slices: words and rows, ASCII and not."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks import canonical, ours, peers
from benchmarks.corpora import Corpus, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row


def strings_of(out: Any) -> canonical.Canonical:
    data, offsets = (t.numpy() for t in out)
    return canonical.from_offsets(data, offsets.astype(np.int64), np.arange(len(offsets)))


def from_polars(out: Any) -> canonical.Canonical:
    return canonical.from_strings(out.to_list())


def from_tensorflow(out: Any) -> canonical.Canonical:
    return canonical.from_strings(out.numpy().tolist())


def concat(strings: Any) -> Callable[[], Any]:
    suffix = torch.tensor(list(b"-x"), dtype=torch.uint8), torch.tensor([0, 2], dtype=torch.int32)
    operands = [strings.data, strings.offsets, *suffix, strings.data, strings.offsets]
    return partial(ours.operator("string_concat"), operands)


def repeat(strings: Any) -> Callable[[], Any]:
    return partial(ours.operator("string_repeat"), strings.data, strings.offsets, torch.tensor([3]))


def attributes(op: str, *args: Any) -> Callable[[Any], Callable[[], Any]]:
    return lambda strings: partial(ours.operator(op), strings.data, strings.offsets, *args)


# The operator: what it does, our call, and the calls of peers, each of the module and the strings: pyarrow.compute and
# an array, polars and a series, TensorFlow and a tensor.
WORK: dict[str, tuple[str, Any, Any, Any, Any]] = {
    "string_concat": (
        "Concatenation of strings, `-x`, and the strings again",
        concat,
        lambda pc, a: pc.binary_join_element_wise(a, a, "-x"),
        lambda pl, s: pl.select(pl.concat_str([s, pl.lit("-x"), s])).to_series(),
        lambda tf, t: tf.strings.join([t, "-x", t]),
    ),
    "string_repeat": (
        "Each string three times",
        repeat,
        lambda pc, a: pc.binary_repeat(a, 3),
        None,
        None,
    ),
    "string_rjust": (
        "Padding on the left to 16 code points",
        attributes("string_rjust", 16),
        lambda pc, a: pc.utf8_lpad(a, 16),
        lambda pl, s: s.str.pad_start(16),
        None,
    ),
    "string_ljust": (
        "Padding on the right to 16 code points",
        attributes("string_ljust", 16),
        lambda pc, a: pc.utf8_rpad(a, 16),
        lambda pl, s: s.str.pad_end(16),
        None,
    ),
    "string_center": (
        "Padding on both sides to 16 code points",
        attributes("string_center", 16),
        lambda pc, a: pc.utf8_center(a, 16),
        None,
        None,
    ),
    "string_zfill": (
        "Padding with zeros to 16 code points",
        attributes("string_zfill", 16),
        lambda pc, a: pc.utf8_zero_fill(a, 16),
        lambda pl, s: s.str.zfill(16),
        None,
    ),
    "string_slice": (
        "Code points 1 to 5",
        attributes("string_slice", 1, 5),
        lambda pc, a: pc.utf8_slice_codeunits(a, 1, 5),
        lambda pl, s: s.str.slice(1, 4),
        None,
    ),
    "string_slice/from the end": (
        "The last three code points",
        attributes("string_slice", -3),
        lambda pc, a: pc.utf8_slice_codeunits(a, -3),
        lambda pl, s: s.str.slice(-3),
        None,
    ),
    "string_reverse": (
        "The code points in reverse order",
        attributes("string_reverse"),
        lambda pc, s: pc.utf8_reverse(s),
        None,
        None,
    ),
    "string_hex": (
        "Hexadecimal digits of the bytes",
        attributes("string_hex"),
        None,
        lambda pl, s: s.cast(pl.Binary).bin.encode("hex"),
        None,
    ),
    "string_base64": (
        "The bytes in base64",
        attributes("string_base64"),
        None,
        lambda pl, s: s.str.encode("base64"),
        None,
    ),
}


def build(name: str, workload: str, short: bool, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    corpus = words_of(corpus) if short else corpus
    title, mine, *theirs = WORK[name]
    strings = ours.string_tensor(corpus)
    call = mine(strings)
    op = f"ours, {name.partition('/')[0]}"
    contenders: peers.Contenders = [ours.contender(op, call, strings_of)]
    makers = (pyarrow, polars, tensorflow)
    targets = []
    for make, work in zip(makers, theirs, strict=True):
        if work is not None:
            contenders += make(corpus, work)
            targets.append(Target(op, make.__name__, 3 if workload == "W1" else 1.5))
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, *call()]))
    return Comparison(f"{title}. {len(corpus):,} {corpus.description}", contenders, targets, corpus.num_bytes)


def join(workload: str, context: Context) -> Comparison:
    """The words of each string, joined again."""
    corpus = context.corpus(workload)
    values, row_splits = ours.string_tensor(corpus).split_ragged()
    op = "ours, string_join_ragged"
    call = partial(ours.operator("string_join_ragged"), values.data, values.offsets, row_splits, " ")
    contenders: peers.Contenders = [ours.contender(op, call, strings_of)]
    contenders += pyarrow_join(values.tolist(), row_splits.tolist())
    contenders += ours.memcpy(ours.num_bytes([values.data, values.offsets, *call()]))
    target = Target(op, "pyarrow", 3 if workload == "W1" else 1.5)
    return Comparison(
        f"Joined words. {len(values):,} words in {len(corpus):,} rows of {workload}",
        contenders,
        [target],
        corpus.num_bytes,
    )


@peers.needs("pyarrow")
def pyarrow_join(words: list[str], row_splits: list[int]) -> peers.Contenders:
    pa, pc = peers.load("pyarrow"), peers.load("pyarrow.compute")
    rows = pa.ListArray.from_arrays(pa.array(row_splits, pa.int32()), pa.array(words, pa.utf8()))
    return [Contender("pyarrow", partial(pc.binary_join, rows, " "), canonical.from_arrow, group="pyarrow")]


@peers.needs("pyarrow")
def pyarrow(corpus: Corpus, work: Any) -> peers.Contenders:
    call = partial(work, peers.load("pyarrow.compute"), peers.arrow_strings(corpus))
    return [Contender("pyarrow", call, canonical.from_arrow, group="pyarrow")]


@peers.needs("polars")
def polars(corpus: Corpus, work: Any) -> peers.Contenders:
    pl = peers.load("polars")
    return [Contender("polars", partial(work, pl, pl.Series(corpus.strings)), from_polars, group="polars")]


@peers.needs("tensorflow")
def tensorflow(corpus: Corpus, work: Any) -> peers.Contenders:
    call = partial(work, peers.load("tensorflow"), peers.tensorflow_strings(corpus))
    return [Contender("tensorflow", call, from_tensorflow, group="tensorflow")]


SLICES = (
    "Ours reads all bytes of rows to find their code points, where peers read the few characters of the slice: "
    "`string_is_ascii`, which reads them, takes 0.66 of 1.5 ms (AVX2). polars returns views of the strings, and copies "
    "at most 12 bytes of each. `python -m benchmarks.bounds slice`."
)
PADDING = (
    "Copying each string by itself takes 1.9 of 2.5 ms for rows, and 7.8 of 12.2 for words (`string_repeat` of one, "
    "AVX2); counting the code points takes 0.75 and 2.7. `python -m benchmarks.bounds rjust`."
)
COPIES = (
    "A copy of each row by itself takes 15 ns, the difference of `string_repeat` of one and of two; in a copy of all "
    "rows at once, a row takes 8 to 11. pyarrow takes 52 for three copies: a third of that is what writing the bytes "
    "takes. `python -m benchmarks.bounds hex`."
)
REVERSED = (
    "Only AVX-512 has a form for blocks of strings, which is 2.5 to 22 times as fast as pyarrow. With AVX2, copying "
    "each word by itself takes 9.9 of 21 ms (`string_repeat` of one), and each row 2.2 of 4.7; code points beyond "
    "ASCII are reversed one at a time, with branches that depend on the text: rows of W3 take 33 ms, their copy 2.6. "
    "`python -m benchmarks.bounds reverse`."
)
JOINED = (
    "Joining takes as long as copying each word by itself, 5.5 and 5.8 ms (`string_repeat` of one): the copies of "
    "words of six bytes are the limit. `python -m benchmarks.bounds join_ragged`."
)
REASONS = dict.fromkeys(("string_concat", "string_repeat", "string_center"), COPIES)
REASONS |= {
    "string_reverse": REVERSED,
    "string_slice": SLICES,
    "string_rjust": PADDING,
    "string_ljust": PADDING,
    "string_zfill": PADDING,
}


def reasons(name: str) -> dict[str, str]:
    """The reason of a row, by peer."""
    reason = REASONS.get(name.partition("/")[0])
    _, _, arrow, pl, _ = WORK[name]
    return {peer: reason for peer, work in (("pyarrow", arrow), ("polars", pl)) if work} if reason else {}


ROWS = [
    Row(
        f"{name}/{'words of ' * short}{workload}",
        partial(build, name, workload, short),
        reasons=reasons(name),
    )
    for name in WORK
    for workload in ("W1", "W3")
    for short in (True, False)
]
ROWS += [
    Row(f"string_join_ragged/words of {w}", partial(join, w), reasons={"pyarrow": JOINED})
    for w in ("W1", "W3")
]
