"""Which of several faults is reported: the first by position, on any number of threads, and data before sizes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.large import int32, uint8
from support.strings import compact
from support.threads import on_threads
from torch import Tensor

OPS = torch.ops.stringops

ROWS, FAULTS = 5000, (3700, 3701, 4999)


def with_faults(good: bytes, bad: bytes) -> tuple[Tensor, Tensor]:
    return compact([bad if i in FAULTS else good for i in range(ROWS)])


def numbers(good: int, *bad: int) -> Tensor:
    """`good`, and at each fault another value: the last ones of `bad` at the last fault."""
    values = torch.full((ROWS,), good, dtype=torch.int64)
    for i, position in enumerate(FAULTS):
        values[position] = bad[min(i, len(bad) - 1)]
    return values


def ends_of_pack() -> tuple[Tensor, Tensor, Tensor]:
    """Ranges of a megabyte, which are more than a result can hold, and faulty ones."""
    return (
        torch.zeros(ROWS, dtype=torch.int64),
        numbers(2**20, -1, -2, -3),
        torch.zeros(2**20, dtype=torch.uint8),
    )


BROKEN = with_faults("caf\xe9".encode(), b"caf\xc3")
FIRST = str(FAULTS[0])
# Operator -> (call, what the error says of the first fault).
CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "regex_contains": (lambda: OPS.regex_contains(*BROKEN, "a+"), f"in row {FIRST} at byte 3"),
    "regex_find_all_ragged": (lambda: OPS.regex_find_all_ragged(*BROKEN, "a+"), f"in row {FIRST} at byte 3"),
    "tokenizer": (lambda: OPS.tokenizer(*BROKEN, separators=[","]), f"in row {FIRST} at byte 3"),
    "tokenizer by engine": (lambda: OPS.tokenizer(*BROKEN, tokenexp="a+?f"), f"in row {FIRST} at byte 3"),
    "string_to_number": (
        lambda: OPS.string_to_number(*with_faults(b"12", b"12x"), torch.int64),
        rf"at index \[{FIRST}\]",
    ),
    "string_unhex": (lambda: OPS.string_unhex(*with_faults(b"12", b"1x")), rf"at index \[{FIRST}\]"),
    "string_lower": (
        lambda: OPS.string_lower(uint8(b"abc"), int32(*(4 if i in FAULTS else 3 for i in range(ROWS)))),
        f"got 4 at row 0, position {FIRST}",
    ),
    "string_from_codepoints": (
        lambda: OPS.string_from_codepoints(numbers(97, 0xD800, -1), torch.arange(ROWS + 1)),
        f"got 55296 at position {FIRST}",
    ),
    "string_tensor_pack": (lambda: OPS.string_tensor_pack(*ends_of_pack()), f"end -1 at index {FIRST} "),
    "_string_gather": (lambda: OPS._string_gather([*compact([b"a"])], numbers(0, 5, 6, 7)), "5"),
}


def check_error(call: Callable[[], Any], said: str) -> None:
    """The call fails with the same text on any number of threads."""
    texts = set()
    for threads in (1, 2, 4, 16):
        with on_threads(threads), pytest.raises((*BAD_ARGUMENT, IndexError), match=said) as error:
            call()
        texts.add(str(error.value))
    assert len(texts) == 1


@each("name", CALLS)
def test_the_first_fault_is_reported_on_any_number_of_threads(name: str, tier: str):
    check_error(*CALLS[name])


@pytest.mark.check
def test_the_size_that_is_needed_does_not_depend_on_threads():
    data, offsets = uint8(b"x" * 2**20), int32(0, 2**20)
    for call, said in (
        (
            lambda: OPS.string_repeat(data, offsets, torch.tensor([5000])),
            f"string_repeat: the result needs {5000 << 20} bytes",
        ),
        (
            lambda: OPS.string_lower(data, offsets.expand(5000, 2)),
            f"string_lower: expected `offsets` of strings of at most 2147483647 bytes in all, got {5000 << 20} ",
        ),
        (lambda: OPS.string_char_ngrams_ragged(data, offsets, 2, 4000), "the result needs more than 2147483647 bytes"),
    ):
        check_error(call, said)
