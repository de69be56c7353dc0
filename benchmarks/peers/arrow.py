"""pyarrow and polars, which store strings like torch_stringops, and return lists of pieces."""

from typing import Any

import numpy as np

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.measure import Contender
from benchmarks.peers.base import (
    ASCII_CONTROLS,
    SEPARATOR_CONTROLS,
    UNICODE_SPACES,
    Contenders,
    excuse,
    load,
    needs,
    shortened,
)


def arrow_strings(corpus: Corpus) -> Any:
    """The corpus as a pyarrow array, which has the same layout, with the padding of pyarrow's buffers.

    utf8_split_whitespace reads past the last byte; without padding, its last piece would depend on these bytes.
    """
    pa = load("pyarrow")
    data = pa.py_buffer(np.concatenate([corpus.data, np.zeros(64, np.uint8)])).slice(0, len(corpus.data))
    return pa.Array.from_buffers(pa.string(), len(corpus), [None, pa.py_buffer(corpus.offsets), data])


@needs("pyarrow")
def pyarrow_split(corpus: Corpus, delimiter: str, kind: str = "", maxsplit: int = -1) -> Contenders:
    """`kind` is the kind of whitespace: ascii or utf8."""
    pc, array = load("pyarrow.compute"), arrow_strings(corpus)
    limit = {} if maxsplit < 0 else {"max_splits": maxsplit}
    if delimiter:
        return [
            Contender(
                f"pyarrow split_pattern({shortened(delimiter)!r})",
                lambda: pc.split_pattern(array, delimiter, **limit),
                canonical.from_arrow,
                group="pyarrow",
            )
        ]
    reason = "it cuts at ASCII white space only"
    ascii_excuse = excuse(corpus, SEPARATOR_CONTROLS + UNICODE_SPACES, reason) if kind == "ascii" else None
    split = {"ascii": pc.ascii_split_whitespace, "utf8": pc.utf8_split_whitespace}[kind]
    return [
        Contender(
            f"pyarrow {kind}_split_whitespace",
            lambda: split(array, **limit),
            lambda out: canonical.from_arrow(out).without_empty(),
            excuse=ascii_excuse,
            group=f"pyarrow {kind}",
            note="returns empty pieces for leading and trailing whitespace, which are not compared",
        )
    ]


@needs("pyarrow")
def pyarrow_split_slices(corpus: Corpus, delimiter: str, size: int) -> Contenders:
    """`size` strings per call, in slices that share the memory of the column."""
    pc, array = load("pyarrow.compute"), arrow_strings(corpus)
    return [
        Contender(
            f"pyarrow split_pattern({delimiter!r}) of slice",
            lambda: [pc.split_pattern(array.slice(at, size), delimiter) for at in range(0, len(array), size)],
            lambda out: canonical.joined(map(canonical.from_arrow, out)),
            group="pyarrow",
        )
    ]


@needs("polars")
def polars_split(corpus: Corpus, delimiter: str, maxsplit: int = -1) -> Contenders:
    pl = load("polars")
    series = pl.Series(corpus.strings)

    def pieces(out: Any) -> canonical.Ragged:
        return canonical.from_arrow(out.to_arrow())

    if delimiter and maxsplit >= 0:
        # A struct of maxsplit + 1 fields, of which the last ones may be null.
        return [
            Contender(
                f"polars str.splitn({shortened(delimiter)!r}, {maxsplit + 1})",
                lambda: series.str.splitn(delimiter, maxsplit + 1),
                lambda out: canonical.from_lists(
                    [[piece for piece in row if piece is not None] for row in out.struct.unnest().rows()]
                ),
                group="polars",
            )
        ]
    if delimiter:
        name = f"polars str.split({shortened(delimiter)!r})"
        return [Contender(name, lambda: series.str.split(delimiter), pieces, group="polars")]
    blank = excuse(corpus, ASCII_CONTROLS + SEPARATOR_CONTROLS + UNICODE_SPACES, "it splits at spaces only")
    space = excuse(corpus, SEPARATOR_CONTROLS, "its \\S takes U+001C-001F for text")
    kept = pl.element().filter(pl.element() != "")
    return [
        Contender(
            'polars str.split(" ")', lambda: series.str.split(" "), pieces, excuse=blank, group="polars"
        ),
        Contender(
            'polars str.split(" "), empty pieces filtered out',
            lambda: series.str.split(" ").list.eval(kept),
            pieces,
            excuse=blank,
            group="polars",
        ),
        Contender(
            'polars str.extract_all(r"\\S+")',
            lambda: series.str.extract_all(r"\S+"),
            pieces,
            excuse=space,
            group="polars",
        ),
    ]
