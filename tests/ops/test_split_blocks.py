"""Splitting of blocks of many strings, on random input: what one pass keeps for the other, runs of delimiters, and
copies that need no check for each string.
"""

import itertools
import random

import torch
from reference.split import string_split_ragged_ref
from support.cases import each
from support.strings import compact
from support.threads import on_threads

WORDS = [b"", b"a", b"to", b"be or not", "é".encode(), b"question" * 9, b"x" * 33]


def check(
    rows: list[bytes], delimiter: bytes, maxsplit: int = -1, skip_empty: bool = False, compat: str = "reference"
) -> None:
    arguments, how = (*compact(rows), delimiter.decode(), maxsplit), {"skip_empty": skip_empty, "compat": compat}
    want, want_splits = string_split_ragged_ref(rows, delimiter.decode(), maxsplit, **how)
    want_ends = list(itertools.accumulate(map(len, want), initial=0))
    for threads in (1, 3):
        with on_threads(threads):
            pieces, ends, row_splits = torch.ops.stringops.string_split_ragged(*arguments, **how)
            padded, padded_ends, counts = torch.ops.stringops.string_split(*arguments, **how)
        assert row_splits.tolist() == want_splits
        assert ends.tolist() == want_ends
        assert bytes(pieces.numpy()) == b"".join(want)
        assert torch.equal(padded, pieces)
        assert torch.equal(counts, row_splits.diff())
        columns = torch.arange(padded_ends.shape[1])
        last = torch.minimum(columns, counts[:, None]) + row_splits[:-1, None]
        assert torch.equal(padded_ends, ends[last])


@each("skip_empty", [False, True])
@each("size", [1, 2, 6, 9, 31, 32, 64])
def test_blocks_with_and_without_the_delimiter(size: int, skip_empty: bool, tier: str):
    rng = random.Random(size)
    delimiter = (b"=-" * size)[:size]
    rows = []
    for block in range(8):
        share = block % 2 * 0.2
        for _ in range(rng.randrange(100, 250)):
            gaps = [delimiter if rng.random() < share else b" " for _ in range(rng.randrange(6))]
            rows.append(b"".join(part for gap in gaps for part in (rng.choice(WORDS), gap)) + b"end")
    check(rows, delimiter, skip_empty=skip_empty)
    check(rows, delimiter, 2, skip_empty)
    # Strings longer than a block.
    check([b" ".join(rows[:200]), b" ".join(rows), b""], delimiter, skip_empty=skip_empty)


@each("size", [*range(2, 9), 40])
def test_runs_of_delimiters_of_equal_bytes(size: int, tier: str):
    rng = random.Random(size)
    text = b"".join(b"-" * rng.randrange(3 * size) + b"a" * rng.randrange(3) for _ in range(80_000 // (size + 10)))
    ends = sorted(rng.choices(range(len(text) + 1), k=1500))
    rows = [text[a:b] for a, b in itertools.pairwise([0, *ends, len(text)])]
    check([*rows, b"-" * 9000, text[:20_000]], b"-" * size)


@each("maxsplit", [1, 2, 3, 16])
@each("delimiter", [b"", b" ", b"=", b"::"])
def test_few_cuts_of_many_strings(delimiter: bytes, maxsplit: int, tier: str):
    rng = random.Random(maxsplit)
    separators = [delimiter or "\u3000".encode(), b" ", b"  "]
    rows = []
    for _ in range(500):
        gaps = rng.choices(separators, k=rng.randrange(24))
        rows.append(b"".join(part for gap in gaps for part in (rng.choice(WORDS), gap)) + rng.choice(WORDS))
    check(rows, delimiter, maxsplit)


@each("skip_empty", [False, True])
@each("delimiter", [b"", b",", b"::", b"=-=-=-=-=-", b"-" * 70])
def test_rest_of_long_strings(delimiter: bytes, skip_empty: bool, tier: str):
    """After the last cut, blocks of a long string are copied: with its separators, also at the ends of blocks."""
    rng = random.Random(len(delimiter))
    separator = delimiter or b" \n"
    rows = [
        separator * rng.randrange(3)
        + b"".join(rng.choice(WORDS) + separator * rng.randrange(1, 4) for _ in range(rng.randrange(4)))
        + (b"x" * size + separator * run) * 4
        + rng.choice([b"", separator, b"end"])
        for size in (0, 5000, 8190, 8192, 30_000)
        for run in (0, 1, 3, 9000 // len(separator))
    ]
    for maxsplit in (0, 1, 2, 4):
        check(rows, delimiter, maxsplit, skip_empty)


@each("size", range(8180, 8205))
@each("delimiter", [b",", b"::", b":,:"])
def test_empty_pieces_around_the_end_of_a_block_are_skipped(size: int, delimiter: bytes, tier: str):
    check([b"a" * size + 3 * delimiter + b"b" * n + delimiter for n in range(3)], delimiter, skip_empty=True)


@each("skip_empty", [False, True])
@each("delimiter", [b"", b",", b"::", b"aba"])
@each("maxsplit", [-1, 3, 15_000, 10**9])
def test_one_long_string_is_divided_among_threads(maxsplit: int, delimiter: bytes, skip_empty: bool):
    text = b"lorem, ipsum :: dolor:::ababa  sit\xe3\x80\x80amet," * 2_500
    check([b"first", text, b"", text[:50_000]], delimiter, maxsplit, skip_empty)


LONG_DELIMITERS = [
    *(b"-" * n for n in (3, 4, 7, 8, 9, 63, 64, 65, 300, 5000)),
    *(b"-=-", b"-=-=-", b"-=" * 4 + b"-", b"-=" * 32 + b"-", b"--=--=----=--=--"),  # which overlap
    *(b"-" * 50 + b"=" + b"-" * 49, b"-" * 999 + b"=", b"-" * 4096, b"-" * 4097),  # which resemble each other
]


@each("maxsplit", [-1, 3])
@each("skip_empty", [False, True])
@each("delimiter", LONG_DELIMITERS)
def test_delimiters_of_several_bytes(delimiter: bytes, skip_empty: bool, maxsplit: int, tier: str):
    d = delimiter
    rows = [b"-" * n for n in (0, 1, 2, 3, 7, 8, 9, 64, 130)] + [b"a" + d, d, d + d[:-1], d + b"b" + d[1:] + d]
    long = [b"-=" * 20_000, b"-" * 30_000, (b"x" * 8000 + d) * 3 + d[:-1], (b"-" * 49 + b"=") * 300 + d]
    check([*rows, *long, *rows * 20], d, maxsplit, skip_empty)


@each("compat", ["reference", "onnxruntime"])
@each("maxsplit", [0, 1, 2, 5, 40, 3000, 2**63 - 1])
@each("delimiter", [b"", b",", b" , "])
def test_limits_of_strings_shorter_and_longer_than_a_block(delimiter: bytes, maxsplit: int, compat: str, tier: str):
    short = [b"a=1, b", b"  k , v ,w  ", b"", b" ", b",", b"x" * 70, b"a b c d e f g h i j k l m n o , p"]
    long = [b" , ".join([b"ab"] * 5000), b" " * 9000 + b"a b " + b" " * 20_000, b"a b c " + b"d" * 8190 + b" " * 9000]
    rows = [*(short * 100), *long, *short, *long[::-1], b"end of the last "]
    check(rows, delimiter, maxsplit, compat=compat)
