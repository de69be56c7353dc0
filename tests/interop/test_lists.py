"""list[str] to tensors and back: shapes as NumPy infers them, bytes as str.encode gives them, exact errors."""

import ctypes
import gc
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from torch_stringops import _convert
from torch_stringops.interop.python import strings_from_list, strings_to_list

pytestmark = pytest.mark.usefixtures("reading")


class Text(str):
    """A subclass, which CPython stores differently, and whose Python methods must not be called."""

    def __len__(self) -> int:
        return 10**6

    def __str__(self) -> str:
        raise AssertionError("Python code ran in a native walk")

    encode = __iter__ = __getitem__ = __str__  # type: ignore[assignment]


class Raw(bytes):
    def __len__(self) -> int:
        return 10**6


def encoded(value: str | bytes) -> bytes:
    return str.encode(value) if isinstance(value, str) else value


def flat(values: Any) -> list[bytes]:
    if isinstance(values, str | bytes):
        return [encoded(values)]
    return [b for v in values for b in flat(v)]


def check(values: Any, shape: tuple[int, ...]) -> None:
    data, offsets, is_scalar = strings_from_list(values)
    assert is_scalar is isinstance(values, str | bytes)
    assert data.dtype == torch.uint8
    assert offsets.dtype == torch.int32
    assert offsets.shape == (*shape[:-1], shape[-1] + 1)
    strings = flat(values)
    assert bytes(data.numpy()) == b"".join(strings)
    rows = offsets.reshape(-1, shape[-1] + 1).tolist() if offsets.numel() else []
    raw = bytes(data.numpy())
    assert [raw[a:b] for row in rows for a, b in pairwise(row)] == strings
    assert [o for row in rows for o in row] == sorted(o for row in rows for o in row)
    # And back, as bytes and (if everything was text) as str.
    as_lists = strings_to_list(data, offsets, scalar=is_scalar, as_bytes=True)
    assert flat(as_lists) == strings
    expect = np.array(as_lists, dtype=object)
    assert expect.shape == (() if is_scalar else shape)


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=70) | st.text("aé€😀\0", max_size=40)


@given(st.data())
def test_shape_equals_that_of_numpy_and_bytes_those_of_encode(data):
    shape = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    leaf = data.draw(st.sampled_from([texts, texts | st.binary(max_size=40), texts.map(Text)]))

    def draw(depth: int) -> Any:
        if depth == len(shape):
            return data.draw(leaf)
        items = [draw(depth + 1) for _ in range(shape[depth])]
        return tuple(items) if data.draw(st.booleans()) else items

    values = draw(0)
    got = strings_from_list(values)[1].shape
    assert (*got[:-1], got[-1] - 1) == np.array(values, dtype=object).shape
    check(values, (*got[:-1], got[-1] - 1))


@given(st.lists(texts, max_size=30))
def test_text_round_trip(values):
    data, offsets, _ = strings_from_list(values)
    assert strings_to_list(data, offsets) == values


ALPHABETS = ["a", "é", "Ж", "€", "😀", "aé", "a€", "€😀", "aЖ€😀", "\0", "\x7f\x80", "߿ࠀ￿𐀀\U0010ffff"]


@each("alphabet", ALPHABETS)
@each("size", [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300])
def test_lengths_around_words_and_vectors(alphabet, size):
    text = (alphabet * size)[:size]
    values = [text, "", text[::-1], text + "x", "x" + text]
    check(values, (5,))
    data, offsets, _ = strings_from_list(values)
    assert strings_to_list(data, offsets) == values


def test_every_codepoint_survives():
    values = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    data, offsets, _ = strings_from_list(values)
    assert bytes(data.numpy()) == "".join(values).encode()
    assert strings_to_list(data, offsets) == values


@each(("values", "shape"), [
    ([], (0,)), ((), (0,)), ([[]], (1, 0)), ([[], []], (2, 0)), ([[[]], [[]]], (2, 1, 0)), ([""], (1,)),
    (["", "\0", "a\0b"], (3,)), ([["a", "b"], ("c", b"d")], (2, 2)), ("", (1,)), ("é", (1,)), (b"\xff\0", (1,)),
    (Text("né"), (1,)), ([Text("abc"), Text("né"), Raw(b"\xff"), np.str_("x"), np.bytes_(b"y")], (5,)),
    (["é€😀" * 5000, "x" * 40_000], (2,)),  # too long to be decoded without the API
])  # fmt: skip
def test_shapes_by_hand(values, shape):
    check(values, shape)


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def endless() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


OP = "StringTensor.from_list: "
LONE = "expected text that UTF-8 can hold{}, got a lone surrogate at codepoint {} (encode it yourself, and pass bytes)"
MISSING = "expected no missing strings, got one at [{}] (pass missing= to replace it)"


@each(("values", "error", "text"), [
    (None, TypeError, "expected str, bytes, or a list or tuple of them, got NoneType"),
    (3, TypeError, "expected str, bytes, or a list or tuple of them, got int"),
    ({"a"}, TypeError, "expected str, bytes, or a list or tuple of them, got set (pass list(values))"),
    ([None], ValueError, MISSING.format(0)), (["a", None], ValueError, MISSING.format(1)),
    (["a", 3], TypeError, "expected str or bytes at [1], got int"),
    ([bytearray(b"a")], TypeError, "expected str or bytes at [0], got bytearray"),
    ([["a", "b"], ["c", 1.5]], TypeError, "expected str or bytes at [1][1], got float"),
    ([["a"], 3], TypeError, "expected a list at [1], as at [0], got int"),
    ([["a"], None], TypeError, "expected a list at [1], as at [0], got NoneType"),
    ([["a"], "b"], ValueError, "expected a list at [1], as at [0], got str"),
    ([["a"], b"b"], ValueError, "expected a list at [1], as at [0], got bytes"),
    ([["a"], Text("b")], ValueError, "expected a list at [1], as at [0], got Text"),
    (["a", ["b"]], ValueError, "expected str or bytes at [1], as at [0], got list"),
    (["a", ("b",)], ValueError, "expected str or bytes at [1], as at [0], got tuple"),
    ([["a"], ["b", "c"]], ValueError, "expected 1 element at [1], as at [0], got 2"),
    ([["a", "b"], []], ValueError, "expected 2 elements at [1], as at [0], got 0"),
    ([[], ["a"]], ValueError, "expected 0 elements at [1], as at [0], got 1"),
    ([[["a", "b", "c"]], [["a", "b"]]], ValueError, "expected 3 elements at [1][0], as at [0][0], got 2"),
    ([[["a"]], [["b"], ["c"]]], ValueError, "expected 1 element at [1], as at [0], got 2"),
    (["\ud800"], ValueError, LONE.format(" at [0]", 0)), ("né\udfff", ValueError, LONE.format("", 2)),
    ([["a"], ["😀\udc00x"]], ValueError, LONE.format(" at [1][0]", 1)),
    ([Text("a\ud800")], ValueError, LONE.format(" at [0]", 1)),
    (deep(65), ValueError, "expected lists nested at most 64 deep"),
    (deep(10**5), ValueError, "expected lists nested at most 64 deep"),
    (endless(), ValueError, "expected lists nested at most 64 deep"),
])  # fmt: skip
def test_errors(values, error, text):
    with pytest.raises(error) as caught:
        strings_from_list(values)
    assert str(caught.value) == OP + text
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_errors_begin_with_the_name_given():
    with pytest.raises(TypeError, match=r"^Vocabulary: expected str or bytes at \[0\], got int$"):
        strings_from_list([1], op="Vocabulary")


def test_deepest_nesting_allowed():
    data, offsets, _ = strings_from_list(deep(64))
    assert offsets.shape == (*[1] * 63, 2)
    assert strings_to_list(data, offsets) == deep(64)


def test_too_many_strings_in_shared_lists_are_rejected_at_once():
    values: Any = ["a", "b"]
    for _ in range(40):
        values = [values, values]
    with pytest.raises(ValueError, match=r"^StringTensor.from_list: expected at most 2147483647 strings"):
        strings_from_list(values)


def test_too_many_bytes_are_an_error_before_allocation():
    with pytest.raises(ValueError, match="the result") as caught:
        strings_from_list(["x" * 2**20] * 2049)
    assert str(caught.value) == (
        f"{OP}the result needs at least 2147483648 bytes; int32 offsets address at most 2147483647 "
        "(pass fewer or shorter strings)"
    )


def test_no_utf8_is_cached_in_str_objects():
    values = ["né" * 20 + str(i) for i in range(50)] + ["€" * 9, "😀" * 9, Text("é" * 9)]
    before = [sys.getsizeof(v) for v in values]
    strings_from_list(values)
    assert [sys.getsizeof(v) for v in values] == before


def test_a_string_whose_utf8_is_cached_is_converted_too():
    values = [*(bytes(v).decode() for v in ("né€".encode() * 9, "😀".encode())), Text("né"), "ASCII"]
    before = [sys.getsizeof(v) for v in values]
    for v in values:
        ctypes.pythonapi.PyUnicode_AsUTF8AndSize(ctypes.py_object(v), None)
    assert [sys.getsizeof(v) > b for v, b in zip(values, before, strict=True)] == [True, True, True, False]
    check(values, (4,))


@each("values", [["abc", "né", b"x"], [["a"], ["€"]], [Text("é"), Raw(b"r")], ["a", None], [["a"], "b"], ["x\ud800"]])
def test_references_are_balanced(values):
    def run() -> None:
        try:
            data, offsets, _ = strings_from_list(values)
            strings_to_list(data, offsets)
        except (TypeError, ValueError):
            pass

    run()
    leaves = [v for row in values for v in (row if isinstance(row, list) else [row])]
    # Immortal objects have counts of 2**30 or more, which newer Pythons change less often than a program for the limited
    # API of 3.10 does. Their counts have no effect.
    objects = [o for o in (values, *values, *leaves, None) if sys.getrefcount(o) < 1 << 30]
    before = [sys.getrefcount(o) for o in objects]
    for _ in range(100):
        run()
    assert [sys.getrefcount(o) for o in objects] == before


def test_nothing_leaks():
    import tracemalloc

    values = [["abc" * 30, "né" * 20, "€"] for _ in range(20)]
    data, offsets, _ = strings_from_list(values)
    bad = torch.tensor(list(b"\xff"), dtype=torch.uint8)
    one = torch.tensor([0, 1], dtype=torch.int32)

    def run() -> None:
        strings_from_list(values)
        strings_to_list(data, offsets)
        strings_to_list(data, offsets, as_bytes=True)
        with pytest.raises(ValueError, match="invalid UTF-8"):
            strings_to_list(bad, one)

    for _ in range(3):
        run()
    gc.collect()
    tracemalloc.start()
    run()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(50):
        run()
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 20_000


def test_garbage_collection_keeps_its_state():
    data, offsets, _ = strings_from_list([["a"]] * 3)
    assert gc.isenabled()
    strings_to_list(data, offsets)
    assert gc.isenabled()
    gc.disable()
    try:
        strings_to_list(data, offsets)
        assert not gc.isenabled()
    finally:
        gc.enable()


CHANGED = "modified by another thread during the call"


@each(("first", "second"), [
    (["abc"], ["abcd"]), (["abcd"], ["abc"]), (["ab", "cd"], ["ab"]), (["ab"], ["ab", "cd"]), ([["ab"]], ["ab"]),
    (["ab"], [["ab"]]), (["ab"], [None]), (["aaaa"], ["éé\ud800"]), (["aa"], ["é" * 100]), (["aa"], ["€" * 100]),
    (["aa"], ["😀" * 100]), (["aa"], [Text("é" * 100)]), (["aa"], [b"x" * 100]), (["a" * 7], ["\ud800€€"]),
])  # fmt: skip
def test_lists_changed_between_the_passes_are_rejected(first, second):
    shape, num_bytes = _convert.measure(first, -1, "op")
    data = torch.full((num_bytes + 64,), 7, dtype=torch.uint8)
    offsets = torch.full((8,), 7, dtype=torch.int32)
    count = shape[0] * 2 if len(shape) == 2 else shape[0] + 1
    with pytest.raises(ValueError, match=CHANGED):
        _convert.write(second, shape, "op", data.data_ptr(), num_bytes, offsets.data_ptr(), count)
    assert (data[num_bytes:] == 7).all()
    assert (offsets[count:] == 7).all()


@each("args", [
    (["a"], (1,), "op", 0, 1, 64, 2), (["a"], (1,), "op", 64, 1, 0, 2), (["a"], (1,), "op", 64, -1, 64, 2),
    (["a"], (1,), "op", 64, 1, 63, 2), (["a"], (1,), "op", 64, 1, 64, 3), (["a"], (-1,), "op", 64, 1, 64, 0),
    (["a"], (2**62, 2**62), "op", 64, 1, 64, 2), (["a"], (1,) * 65, "op", 64, 1, 64, 2),
])  # fmt: skip
def test_native_functions_check_their_arguments(args):
    with pytest.raises(ValueError, match="expected"):
        _convert.write(*args)
