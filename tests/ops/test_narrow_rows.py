"""Rows of few strings, which kernels join to runs where they are adjacent: equal to the same strings in one row."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from support.cases import each
from support.strings import compact
from support.threads import on_threads
from torch import Tensor

from torch_stringops import StringTensor

ops = torch.ops.stringops
VOCABULARY = ops.vocab_build(*compact([b"a", b"bc", b"d e", b""]))

# Each takes (data, offsets) and returns tensors of one element per string, or of ragged rows.
CALLS: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "string_equal": lambda d, o: [ops.string_equal(d, o, *compact([b"bc"]))],
    "string_equal with itself": lambda d, o: [ops.string_equal(d, o, d, o)],
    "string_contains": lambda d, o: [ops.string_contains(d, o, "c")],
    "string_is_utf8": lambda d, o: [ops.string_is_utf8(d, o)],
    "string_length": lambda d, o: [ops.string_length(d, o)],
    "string_length in bytes": lambda d, o: [ops.string_length(d, o, "byte")],
    "reverse": lambda d, o: ops.string_tensor_unpack((s := StringTensor(d, o).reverse()).data, s.offsets),
    "string_split_ragged": lambda d, o: ops.string_split_ragged(d, o, " "),
    "string_split_ragged of one cut": lambda d, o: ops.string_split_ragged(d, o, " ", maxsplit=1),
    "string_tensor_unpack": lambda d, o: ops.string_tensor_unpack(d, o),
    "string_unique": lambda d, o: ops.string_unique(d, o),
    "tokenizer_ragged": lambda d, o: ops.tokenizer_ragged(d, o, tokenexp="[a-z]+", mincharnum=1),
    "vocab_encode": lambda d, o: [ops.vocab_encode(d, o, VOCABULARY)],
}


@pytest.fixture(params=[1, 2])
def num_threads(request: pytest.FixtureRequest) -> Iterator[int]:
    with on_threads(request.param):
        yield request.param


def rows_with_gaps(
    rng: random.Random, num_rows: int, cols: int, share: float = 0.01
) -> tuple[list[bytes], Tensor, Tensor]:
    """Strings of shape [num_rows, cols]. A `share` of the rows comes after other bytes, as many repeat another row."""
    words = [b"a", b"bc", b"d e", b"", "é f".encode(), b"a word of some length"]
    strings: list[bytes] = []
    data = b"?"
    offsets = []
    for _ in range(num_rows):
        if rng.random() < share:
            data += b"??"
        if offsets and rng.random() < share:
            other = rng.randrange(len(offsets))
            offsets.append(offsets[other])
            strings += strings[other * cols : (other + 1) * cols]
            continue
        row = rng.choices(words, k=cols)
        ends = [len(data)]
        for word in row:
            data += word
            ends.append(len(data))
        offsets.append(ends)
        strings += row
    return (
        strings,
        torch.frombuffer(bytearray(data), dtype=torch.uint8),
        torch.tensor(offsets, dtype=torch.int32),
    )


@each("share", [0.01, 0.5])
@each("cols", [1, 2, 3, 15])
@each("name", CALLS)
def test_results_are_those_of_one_row(
    name: str, cols: int, share: float, num_threads: int, tier: str
) -> None:
    strings, data, offsets = rows_with_gaps(random.Random(cols), 9000 // cols, cols, share)
    got, want = CALLS[name](data, offsets), CALLS[name](*compact(strings))
    for a, b in zip(got, want, strict=True):
        assert torch.equal(a.flatten(), b.flatten())


# Sizes of strings around those of copies, and of blocks. The rows of a test are mostly of one size.
SIZES = [0, 1, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 500, 4096, 8191, 8192, 8193, 20_000]


@each("size", SIZES)
@each("cols", [1, 2, 5])
def test_rows_apart_of_all_sizes(size: int, cols: int) -> None:
    rng = random.Random(size + cols)
    count = min(3000, 400_000 // (size + 10)) // cols * cols
    sizes = [rng.choice(SIZES[:15]) if rng.random() < 0.05 else size for _ in range(count)]
    strings = [
        rng.randbytes(n) if i % 7 == 0 else b"c\xc3\xa9"[: n % 4] * (n // 3) for i, n in enumerate(sizes)
    ]
    rows = [strings[i : i + cols] for i in range(0, count, cols)]
    order = list(range(len(rows)))
    for end in (b"", b"?" * 40):  # the last rows are close to the end of the data, or not
        for _ in range(2):
            ends, parts, at = [], [], 0
            for row in (rows[i] for i in order):
                parts += [b"??", *row]
                ends.append([at := at + 2, *(at := at + len(string) for string in row)])
            data = torch.frombuffer(bytearray(b"".join([*parts, end]) or b"?"), dtype=torch.uint8)
            offsets = torch.tensor(ends, dtype=torch.int32)[torch.tensor(order).argsort()]
            for name in ("string_length", "string_is_utf8", "string_contains", "string_tensor_unpack"):
                for a, b in zip(CALLS[name](data, offsets), CALLS[name](*compact(strings)), strict=True):
                    assert torch.equal(a.flatten(), b.flatten()), name
            rng.shuffle(order)


@pytest.mark.parametrize("cols", [1, 2, 3, 15])
def test_join_and_to_list(cols: int, num_threads: int) -> None:
    strings, data, offsets = rows_with_gaps(random.Random(cols), 9000 // cols, cols)
    rows = [strings[i : i + cols] for i in range(0, len(strings), cols)]
    s = StringTensor(data, offsets)
    assert s.tolist() == [[x.decode() for x in row] for row in rows]
    assert s.join("-").tolist() == [b"-".join(row).decode() for row in rows]
    assert s.flatten().tolist() == [x.decode() for x in strings]


@each("cols", [1, 2, 15, 700])
@each("row", [0, 1, 699])
def test_a_bad_offset_is_found_in_any_row(cols: int, row: int) -> None:
    data = torch.zeros(700 * cols, dtype=torch.uint8)
    offsets = torch.stack([torch.arange(cols + 1) + i * cols for i in range(700)]).int()
    backwards = offsets.flip(0).contiguous()  # rows in any order are valid
    for rows in (offsets, backwards):
        ops.string_length(data, rows)
        for col, bad in ((0, -1), (cols, len(data) + 1), (cols, int(rows[row, 0]) - 1)):
            wrong = rows.clone()
            wrong[row, col] = bad
            with pytest.raises(ValueError, match=rf"got {bad} .*row {row}, position {col}"):
                ops.string_length(data, wrong)
