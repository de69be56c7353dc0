"""Tensors to list[str]: any valid pair, error handlers for invalid UTF-8, exact errors."""

import ctypes
from random import random

import pytest
import torch
from support.cases import each
from support.threads import meanwhile

from torch_stringops import StringTensor
from torch_stringops.interop.python import strings_from_list, strings_to_list

pytestmark = pytest.mark.usefixtures("reading")


def i32(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int32)


def u8(raw: bytes) -> torch.Tensor:
    return torch.tensor(list(raw), dtype=torch.uint8)


def test_to_list_reads_any_valid_pair():
    offsets = torch.tensor([[3, 4, 6], [0, 0, 3]], dtype=torch.int32)
    assert strings_to_list(u8(b"abcdef"), offsets) == [["d", "ef"], ["", "abc"]]
    assert strings_to_list(u8(b"abcdef"), offsets.t().contiguous().t()) == [["d", "ef"], ["", "abc"]]
    assert strings_to_list(u8(b"abcdef"), torch.empty((2, 0, 3), dtype=torch.int32)) == [[], []]
    assert strings_to_list(u8(b"abcdef"), torch.full((2, 1), 6, dtype=torch.int32)) == [[], []]
    assert strings_to_list(u8(b""), i32(0)) == []
    assert strings_to_list(u8(b""), i32(0, 0, 0)) == ["", ""]


BAD_UTF8 = [b"\xff", b"a\x80", b"\xc3", b"ok\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]
BAD_UTF8 += [b"\xc3\xa9\xff", b"\xe2\x82\xac\xe2\x82", b"\xf0\x9f\x98\x80\xf0\x9f\x98", b"a" * 70 + b"\xc3("]


@each("raw", BAD_UTF8)
@each("errors", ["replace", "ignore", "surrogateescape", "backslashreplace"])
def test_error_handlers_equal_those_of_decode(raw, errors):
    values = ["fine", raw, "é"]
    data, offsets, _ = strings_from_list(values)
    expect = ["fine", raw.decode("utf-8", errors), "é"]
    assert strings_to_list(data, offsets, errors=errors) == expect
    one = strings_from_list(raw)
    assert strings_to_list(*one[:2], scalar=True, errors=errors) == expect[1]


@each("raw", BAD_UTF8)
def test_errors_of_invalid_utf8_do_not_show_the_string(raw):
    with pytest.raises(UnicodeDecodeError) as reference:
        raw.decode()
    at, why = reference.value.start, reference.value.reason
    data, offsets, _ = strings_from_list([["a", "b"], ["c", raw]])
    with pytest.raises(ValueError, match="invalid UTF-8") as caught:
        strings_to_list(data, offsets)
    assert str(caught.value) == (
        f'StringTensor.tolist: invalid UTF-8 at [1][1], byte {at}: {why} (pass errors="replace", or as_bytes=True)'
    )


def test_unknown_error_handler():
    with pytest.raises(LookupError, match="expected `errors` to be .*, got 'nope'$"):
        strings_to_list(u8(b"\xff"), i32(0, 1), errors="nope")


WITHIN = "expected `offsets` non-decreasing within [0, 3] in each row"


@each(("data", "offsets", "text"), [
    (u8(b"abc"), i32(0, 4), f"{WITHIN}, got 4 at row 0, position 1"),
    (u8(b"abc"), i32(-1, 3), f"{WITHIN}, got -1 first at row 0, position 0"),
    (u8(b"abc"), i32(0, 2, 1), f"{WITHIN}, got 1 after 2 at row 0, position 2"),
    (
        u8(b"abc"),
        torch.tensor([[0, 3], [2, -(2**31)]], dtype=torch.int32),
        f"{WITHIN}, got -2147483648 after 2 at row 1, position 1",
    ),
    (u8(b"abc"), torch.tensor([0, 3]), "expected `offsets` to be int32, got int64 (convert with .to(torch.int32))"),
    (u8(b"abc").to(torch.int8), i32(0, 3), "expected `data` to be uint8, got int8 (convert with .to(torch.uint8))"),
    (u8(b"abc")[None], i32(0, 3), "expected `data` of rank 1, got shape [1, 3]"),
    (u8(b"abcd")[::2], i32(0, 2), "expected `data` to be contiguous, got stride 2 (use .contiguous())"),
    (
        u8(b"abc"),
        torch.empty((2, 0), dtype=torch.int32),
        "expected `offsets` of shape [..., n + 1] with n >= 0, got shape [2, 0]",
    ),
    (
        u8(b"abc"),
        torch.tensor(0, dtype=torch.int32),
        "expected `offsets` of shape [..., n + 1] with n >= 0, got shape []",
    ),
    (u8(b"abc").to("meta"), i32(0, 3), "expected `data` on the CPU (move it with .cpu())"),
    (u8(b"abc"), i32(0, 3).to("meta"), "expected `offsets` on the CPU (move it with .cpu())"),
])  # fmt: skip
def test_to_list_rejects_invalid_pairs(data, offsets, text):
    with pytest.raises(ValueError, match="expected") as caught:
        strings_to_list(data, offsets)
    assert str(caught.value) == "StringTensor.tolist: " + text


def test_scalar_needs_one_string():
    with pytest.raises(ValueError, match=r"expected `offsets` of shape \[2\] for one string alone, got shape \[3\]"):
        strings_to_list(u8(b"ab"), i32(0, 1, 2), scalar=True)


def test_concurrent_writes_are_read_within_bounds():
    data, offsets, _ = strings_from_list(["né€😀" * 3] * 500)
    states = [(data.clone(), offsets.clone())]
    states.append(
        (torch.randint(0, 256, data.shape, dtype=torch.uint8), torch.randint_like(offsets, -(2**31), 2**31 - 1))
    )
    copy = ctypes.CDLL(None).memcpy  # without the GIL

    def write() -> None:
        for to, now in zip((data, offsets), states[int(random() < 0.1)], strict=True):
            copy(ctypes.c_void_p(to.data_ptr()), ctypes.c_void_p(now.data_ptr()), ctypes.c_size_t(to.nbytes))

    rejections: list[str] = []
    with meanwhile(write):
        for _ in range(300):
            try:
                strings = strings_to_list(data, offsets)
            except ValueError as error:
                rejections.append(str(error))
            else:
                assert [s.isascii() == (max(s, default="") < "\x80") for s in strings] == [True] * 500
    assert all("expected `offsets`" in text or "invalid UTF-8" in text for text in rejections)


def test_more_dimensions_than_lists_nest_are_rejected():
    s = StringTensor(torch.zeros(1, dtype=torch.uint8), torch.tensor([0, 1], dtype=torch.int32).reshape([1] * 64 + [2]))
    for call in (s.tolist, s.numpy):
        with pytest.raises(ValueError, match="rank") as caught:
            call()
        assert str(caught.value) == (
            f"StringTensor.{call.__name__}: expected strings of rank 64 at most, got rank 65 (use .reshape())"
        )
