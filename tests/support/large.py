"""Tensors and strings of 2**31 elements or bytes, or more, in little memory: views of one element, untouched pages."""

import torch
from torch import Tensor

MAX_SIZE = 2**31 - 1
MILLION = 10**6
MEBIBYTE = b"x" * 2**20

# Texts of errors, after the operator's name.
BYTES = r"the result needs (more than )?\d+ bytes; int32 offsets address at most 2147483647 \(pass fewer or shorter strings\)"
STRINGS = r"expected `\w+` of strings of at most 2147483647 bytes in all, got \d+ \(pass fewer or shorter strings\)"
OFFSETS = (
    r"the result needs (more than )?\d+ offsets; a tensor has at most 2147483647 \(pass fewer or shorter strings\)"
)
PADDING = r"padding 1000001 rows to (the )?1000000 "
WIDTH = r".*more than 2147483647 \(keep the rows ragged, or pass a smaller `width`\)"
ROW_SPLITS = r"expected `row_splits` of at most 2147483647 elements, got 214748364[89] \(split the batch\)"
PIECES = "expected at most 16777216 chunks, got 2147483648"


def int32(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


def uint8(text: bytes) -> Tensor:
    return torch.frombuffer(bytearray(text), dtype=torch.uint8) if text else torch.empty(0, dtype=torch.uint8)


def repeated(value: int, shape: tuple[int, ...], dtype: torch.dtype = torch.int64) -> Tensor:
    """A tensor of any size that takes the memory of one element."""
    return torch.full((), value, dtype=dtype).expand(shape)


def same_rows(text: bytes, rows: int) -> tuple[Tensor, Tensor]:
    """Strings `[rows, 1]`: all rows are views of the same string."""
    return uint8(text), int32(0, len(text)).expand(rows, 2)


def long_row(pieces: int = MILLION, rows: int = MILLION) -> tuple[Tensor, Tensor]:
    """A string of `pieces` pieces, followed by `rows` empty strings."""
    text = b"a," * (pieces - 1) + b"a"
    return uint8(text), torch.tensor([0] + [len(text)] * (rows + 1), dtype=torch.int32)


def long_ragged_row() -> Tensor:
    """`row_splits` of a row of a million elements, followed by a million rows of one."""
    return torch.cat([torch.tensor([0]), torch.arange(MILLION, 2 * MILLION + 1)])
