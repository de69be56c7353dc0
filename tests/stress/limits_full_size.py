"""Calls at the limit of int32: texts and results of 2**31 - 1 bytes, one after the other, in up to 7 GB.

One byte more is rejected; 2**31 - 1 bytes give the right result, to the last byte. Run by limits.py.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from support.errors import BAD_ARGUMENT
from torch import Tensor

from torch_stringops import StringTensor, ragged_mask, ragged_to_dense

MAX_SIZE = 2**31 - 1
LINE = 2**20
OPS = torch.ops.stringops


def offsets_of(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


def rejects(said: str, call: Callable[[], Any]) -> None:
    with pytest.raises(BAD_ARGUMENT, match=said):
        call()


def text() -> tuple[Tensor, Tensor]:
    """One string of 2**31 - 1 bytes: 2,047 lines of 2**20 bytes, each ending in a comma, and one that is shorter."""
    data = torch.full((MAX_SIZE,), ord("x"), dtype=torch.uint8)
    data[LINE - 1 :: LINE] = ord(",")
    return data, offsets_of(0, MAX_SIZE)


def check_lines(data: Tensor, offsets: Tensor) -> None:
    """Checks that these are the lines of `text`, without their commas."""
    sizes = offsets.reshape(-1).diff()
    assert len(sizes) == 2048
    assert bool((sizes[:-1] == LINE - 1).all())
    assert sizes[-1] == LINE - 1
    assert len(data) == MAX_SIZE - 2047
    assert all(bool((part == ord("x")).all()) for part in data.split(2**28))


def split_ragged() -> None:
    data, offsets, splits = OPS.string_split_ragged(*text(), ",")
    assert splits.tolist() == [0, 2048]
    check_lines(data, offsets)


def split_padded() -> None:
    data, offsets, counts = OPS.string_split(*text(), ",")
    assert counts.tolist() == [2048]
    check_lines(data, offsets)


def tokenize() -> None:
    data, offsets = OPS.tokenizer(*text(), separators=[","])
    check_lines(data, offsets)


def encode_pieces() -> None:
    table = OPS.vocab_build(torch.full((LINE - 1,), ord("x"), dtype=torch.uint8), offsets_of(0, LINE - 1))
    ids, splits = OPS.split_encode(*text(), table, ",")
    assert splits.tolist() == [0, 2048]
    assert not ids.any()


def one_word() -> None:
    data, offsets = text()
    table = OPS.vocab_build(data, offsets)
    other = OPS.vocab_encode(data, offsets_of(0, MAX_SIZE - 1), table)
    assert (OPS.vocab_encode(data, offsets, table).tolist(), other.tolist()) == ([0], [-1])


def distinct() -> None:
    data, offsets = text()
    distinct, ends, inverse, counts = OPS.string_unique(data, offsets_of(0, MAX_SIZE, MAX_SIZE))
    assert (ends.tolist(), inverse.tolist(), counts.tolist()) == ([0, MAX_SIZE, MAX_SIZE], [0, 1], [1, 1])
    assert OPS.string_equal(data, offsets, distinct, offsets).tolist() == [True]
    distinct[-1] = 0
    assert OPS.string_equal(data, offsets, distinct, offsets).tolist() == [False]


def pack_to_the_limit() -> None:
    """2,047 ranges of 2**20 bytes and one of 2**20 - 1 are 2**31 - 1 bytes; with one more byte they are rejected."""
    symbols = torch.arange(LINE, dtype=torch.int32).to(torch.uint8)
    begins = torch.zeros(2048, dtype=torch.int64)
    ends = torch.full((2048,), LINE, dtype=torch.int64)
    rejects("the result needs 2147483648 bytes", lambda: OPS.string_tensor_pack(begins, ends, symbols))
    ends[0] -= 1
    data, offsets = OPS.string_tensor_pack(begins, ends, symbols)
    assert (len(data), int(offsets[-1])) == (MAX_SIZE, MAX_SIZE)
    assert torch.equal(data[-LINE:], symbols)
    assert torch.equal(data[LINE - 1 : 2 * LINE - 1], symbols)


def symbols_beyond_the_limit() -> None:
    """The symbols that strings are packed from may be larger than 2**31 - 1 bytes."""
    symbols = torch.zeros(2**31 + 8, dtype=torch.uint8)
    symbols[-8:] = torch.arange(8)
    begins = torch.tensor([2**31 - 1, 2**31 + 7])
    data, offsets = OPS.string_tensor_pack(begins, torch.tensor([2**31 + 2, 2**31 + 8]), symbols)
    assert (data.tolist(), offsets.tolist()) == ([0, 0, 1, 7], [0, 3, 4])


def unpack() -> None:
    data, offsets = text()
    begins, ends, symbols = OPS.string_tensor_unpack(data, offsets)
    assert (begins.tolist(), ends.tolist(), len(symbols)) == ([0], [MAX_SIZE], MAX_SIZE)
    assert all(torch.equal(a, b) for a, b in zip(symbols.split(2**28), data.split(2**28), strict=True))


def cut_strings() -> None:
    data, _ = text()
    parts = OPS.split_strings(data, offsets_of(0, MAX_SIZE - 5, MAX_SIZE), None, 0, num_outputs=2)
    assert [len(part) for part in parts] == [MAX_SIZE - 5, 2, 5, 2]
    assert parts[1].tolist() == [0, MAX_SIZE - 5]


def cut_tensor() -> None:
    values = torch.zeros(2**31 + 1, dtype=torch.uint8)
    values[-1] = 7
    first, second = OPS.split(values, [2**31, 1], 0)
    assert (len(first), second.tolist()) == (2**31, [7])


def dense() -> None:
    values = torch.tensor([1, 2, 3], dtype=torch.uint8)
    splits = torch.tensor([0, 3])
    row = ragged_to_dense(values, splits, MAX_SIZE, 9, "left")
    assert (row.shape, row[0, -4:].tolist(), int(row[0, 0])) == ((1, MAX_SIZE), [9, 1, 2, 3], 9)
    back, ends = OPS.dense_to_ragged(row, torch.tensor([MAX_SIZE]))
    assert (len(back), ends.tolist(), back[-3:].tolist()) == (MAX_SIZE, [0, MAX_SIZE], [1, 2, 3])


def mask() -> None:
    cells = ragged_mask(torch.tensor([0, 2**31 - 2]), MAX_SIZE)
    assert (cells.shape, cells[0, -3:].tolist(), int(cells[0, :5].sum())) == ((1, MAX_SIZE), [True, True, False], 5)


def joined() -> None:
    data, _ = text()
    half = StringTensor(data[: 2**30], offsets_of(0, 2**30))
    rest = StringTensor(data[2**30 :], offsets_of(0, MAX_SIZE - 2**30))
    both = torch.cat([half, rest])
    assert both.offsets.tolist() == [0, 2**30, MAX_SIZE]
    assert torch.equal(both.data[-LINE:], data[-LINE:])
    del both
    rejects(
        "cat: the result needs 2147483648 bytes",
        lambda: torch.cat([half, StringTensor(data[2**30 - 1 :], offsets_of(0, MAX_SIZE - 2**30 + 1))]),
    )


def python_lists() -> None:
    raw = bytes(MAX_SIZE - 2) + b"ab"
    strings = StringTensor.from_list([raw, b""])
    assert strings.offsets.tolist() == [0, MAX_SIZE, MAX_SIZE]
    assert strings.data[-2:].tolist() == [97, 98]
    rejects("the result needs at least 2147483648 bytes", partial(StringTensor.from_list, [raw, b"a"]))
    del raw
    assert strings[0].item(as_bytes=True)[-2:] == b"ab"


def arrow() -> None:
    """Arrow's 64-bit offsets: strings at positions beyond 2**31 are accepted, but not more than 2**31 - 1 bytes."""
    try:
        import pyarrow as pa
    except ImportError:
        print("    pyarrow is not installed")
        return
    buffer = np.zeros(2**31 + 64, np.uint8)
    buffer[-8:] = list(b"to be or")

    def column(*offsets: int) -> Any:
        ends = pa.py_buffer(np.array(offsets, np.int64))
        return pa.LargeStringArray.from_buffers(len(offsets) - 1, ends, pa.py_buffer(buffer))

    end = len(buffer)
    beyond = StringTensor.from_arrow(column(end - 8, end - 6, end - 3, end))
    assert beyond.tolist() == ["to", " be", " or"]
    whole = StringTensor.from_arrow(column(end - MAX_SIZE, end - 2, end))
    assert (whole.offsets.tolist(), whole[1].item()) == ([0, MAX_SIZE - 2, MAX_SIZE], "or")
    pieces = pa.chunked_array([column(0, MAX_SIZE), column(5, 6)])
    for large in (column(end - 2**31, end), column(0, 5, end), pieces):
        rejects("int32 offsets address at most 2147483647", lambda large=large: StringTensor.from_arrow(large))
    back = pa.array(StringTensor(whole.data, offsets_of(0, MAX_SIZE)), type=pa.binary())
    assert (len(back), back[0].as_buffer().size) == (1, MAX_SIZE)


CALLS: list[Callable[[], None]] = [
    split_ragged, split_padded, tokenize, encode_pieces, one_word, distinct, pack_to_the_limit,
    symbols_beyond_the_limit, unpack, cut_strings, cut_tensor, dense, mask, joined, python_lists, arrow,
]  # fmt: skip


def run() -> None:
    print("calls at the limit:", flush=True)
    for call in CALLS:
        began = time.monotonic()
        call()
        gc.collect()
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"  {call.__name__}: {time.monotonic() - began:.1f} s, peak {peak} MB", flush=True)
