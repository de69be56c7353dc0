"""NumPy arrays of strings: every dtype, against NumPy's own conversion."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.cases import each

from torch_stringops import StringTensor, _convert, string_format
from torch_stringops.interop.numpy import strings_from_numpy, strings_to_numpy

String = np.dtypes.StringDType()


def encoded(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def check(array: np.ndarray[Any, Any]) -> None:
    s = StringTensor.from_list(array)
    assert s.shape == array.shape
    assert s.data.dtype == torch.uint8
    assert s.offsets.dtype == torch.int32
    expected = [encoded(v) for v in array.ravel().tolist()]
    assert bytes(s.data.numpy()) == b"".join(expected)
    assert s.validate().reshape(-1).tolist(as_bytes=True) == expected


shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
text = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@given(hnp.arrays(object, shapes, elements=text), st.booleans(), st.booleans())
def test_u_arrays(array, swapped, transposed):
    array = array.astype("U")
    array = array.astype(array.dtype.newbyteorder()) if swapped else array
    check(array.T if transposed else array)


@given(hnp.arrays(hnp.byte_string_dtypes(max_len=20), shapes), st.booleans())
def test_s_arrays(array, transposed):
    check(array.T if transposed else array)


@given(hnp.arrays(object, shapes, elements=text | st.binary(max_size=9)))
def test_object_arrays(array):
    check(array)


@given(st.lists(text, max_size=8))
def test_string_dtype_arrays(values):
    check(np.array(values, dtype=String))
    check(np.array(values * 2, dtype=String).reshape(2, -1))
    check(np.array(values * 2, dtype=String).reshape(2, -1).T)
    check(np.array([v * 100 for v in values] * 2, dtype=String)[::2])


@each("array", [
    np.array(["", "a\0b", "a\0\0", "é€😀", "x" * 100]), np.array([b"", b"a\0b", b"a\0\0", b"\xff"]), np.array("né"),
    np.array(b"n"), np.array("né", dtype=object), np.array("né", dtype=String), np.empty((3, 0, 2), dtype=object),
    np.empty((0, 3), dtype="U5"), np.empty((2, 0), dtype="S1"), np.empty((0,), dtype=String),
    np.array(["a", "b", "c", "d", "e"])[::2], np.broadcast_to(np.array("abc"), (2, 3)),
])  # fmt: skip
def test_shapes_and_strides_by_hand(array):
    check(array)


def test_array_is_released():
    array = np.array(["abc", "d"])
    s = StringTensor.from_numpy(array)
    array[:] = "zzz"
    assert s.tolist() == ["abc", "d"]


def object_array(*values: Any) -> np.ndarray[Any, Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


NO_SCALAR = "expected text that UTF-8 can hold{}, got no Unicode scalar value at codepoint {}"
DTYPES = "expected an array of str_, bytes_, object or StringDType, got dtype "


@each(("array", "error", "text"), [
    (np.array([1]), TypeError, DTYPES + "int64"),
    (np.zeros((0, 2)), TypeError, DTYPES + "float64"),
    (np.array(["a", 1], dtype=object), TypeError, "expected str or bytes at [1], got int"),
    (object_array(["a"], ["b"]), ValueError, "expected str or bytes at [0], got list"),
    (object_array("a", ("b",)), ValueError, "expected str or bytes at [1], as at [0], got tuple"),
    (
        np.array(["a", None], dtype=np.dtypes.StringDType(na_object=None)),
        ValueError,
        "expected no missing strings, got one at [1] (pass missing= to replace it)",
    ),
    (np.array([["a", "b"], ["c", "d\ud800"]]), ValueError, NO_SCALAR.format(" at [1][1]", 1)),
    (np.array("\udfff"), ValueError, NO_SCALAR.format("", 0)),
    (np.array([97, 0x110000], dtype="u4").view("U2"), ValueError, NO_SCALAR.format(" at [0]", 1)),
    (np.array([[97, 0xD800, 98, 0x110000]], dtype="u4").view("U4"), ValueError, NO_SCALAR.format(" at [0][0]", 1)),
    (np.array([[97, 98, 0x110000, 99]], dtype="u4").view("U4"), ValueError, NO_SCALAR.format(" at [0][0]", 2)),
    (np.array([0xFFFFFFFF], dtype="u4").view("U1"), ValueError, NO_SCALAR.format(" at [0]", 0)),
])  # fmt: skip
def test_errors(array, error, text):
    with pytest.raises(error) as caught:
        StringTensor.from_numpy(array)
    assert str(caught.value) == "StringTensor.from_numpy: " + text


def test_too_many_strings_or_bytes_are_an_error_before_allocation(monkeypatch):
    with pytest.raises(ValueError, match="expected at most 2147483647 strings, got 2147483648"):
        strings_from_numpy(np.broadcast_to(np.array("x"), (2**31,)))
    # As if the array were that large.
    monkeypatch.setattr(_convert, "fixed_measure", lambda *_: (2**31, -1, 0))
    with pytest.raises(ValueError, match="the result needs 2147483648 bytes; int32 offsets address at most 2147483647"):
        strings_from_numpy(np.array(["x"]))


@pytest.mark.parametrize("of_bytes", [False, True])
@pytest.mark.parametrize(("first", "second"), [("ab", "abc"), ("abc", "ab"), ("a", "é"), ("aaaa", "€😀")])
def test_arrays_changed_between_the_passes_are_rejected(first, second, of_bytes):
    def make(value: str) -> np.ndarray[Any, Any]:
        return np.array([value.encode() if of_bytes else value, b"z" if of_bytes else "z"], "S8" if of_bytes else "U8")

    before, after = make(first), make(second)
    offsets = torch.full((8,), 7, dtype=torch.int32)

    def measure() -> Any:
        return _convert.fixed_measure(before.ctypes.data, 2, 8, of_bytes, offsets.data_ptr(), 3, "op")

    num_bytes, bad, _ = measure()
    assert bad == -1
    data = torch.full((num_bytes + 64,), 7, dtype=torch.uint8)
    args = (2, 8, of_bytes, 2, data.data_ptr(), num_bytes, offsets.data_ptr(), 3, "op")
    assert _convert.fixed_write(before.ctypes.data, *args)
    measure()
    assert not _convert.fixed_write(after.ctypes.data, *args)
    assert (data[num_bytes:] == 7).all()
    assert (offsets[3:] == 7).all()


def test_an_array_changed_during_the_call_is_rejected(monkeypatch):
    array = np.array(["abc", "z"])
    measure = _convert.fixed_measure

    def changes_after_it(*args: Any) -> Any:
        sizes = measure(*args)
        array[0] = "ab"
        return sizes

    monkeypatch.setattr(_convert, "fixed_measure", changes_after_it)
    with pytest.raises(ValueError, match="^StringTensor.from_numpy: `array` was modified by another thread"):
        StringTensor.from_numpy(array)


@each("args", [
    (64, -1, 1, True, 1, 64, 1, 64, 2), (64, 2**31, 1, True, 1, 64, 1, 64, 2),
    (64, 2**30, 2**62, True, 1, 64, 1, 64, 2), (64, 1, -1, True, 1, 64, 1, 64, 2), (0, 1, 1, True, 1, 64, 1, 64, 2),
    (64, 1, 1, True, 0, 64, 1, 64, 2), (64, 3, 1, True, 2, 64, 1, 64, 4), (64, 1, 1, True, 1, 64, 1, 64, 3),
    (64, 1, 1, True, 1, 0, 1, 64, 2), (66, 1, 1, False, 1, 64, 1, 64, 2),
])  # fmt: skip
def test_native_functions_check_their_arguments(args):
    with pytest.raises(ValueError, match="^op: expected"):
        _convert.fixed_write(*args, "op")


def test_the_first_pass_checks_that_there_is_room_for_the_lengths():
    with pytest.raises(ValueError, match="^op: expected offsets for every string"):
        _convert.fixed_measure(64, 3, 1, True, 64, 2, "op")


@given(hnp.arrays(object, shapes, elements=text))
def test_to_numpy_equals_the_array_made_by_numpy(array):
    s = StringTensor.from_numpy(array)
    assert s.numpy().dtype == object
    for dtype in (object, String, "U"):
        got = s.numpy(dtype)
        assert isinstance(got, np.ndarray)
        assert got.shape == array.shape
        assert got.tolist() == array.astype(dtype).tolist()
    raw = s.numpy("S")
    assert raw.shape == array.shape
    assert raw.ravel().tolist() == [v.encode().rstrip(b"\0") for v in array.ravel().tolist()]


def test_to_numpy_by_hand():
    assert StringTensor.from_list("a").numpy().shape == ()
    assert StringTensor.from_list("a").numpy().item() == "a"
    assert StringTensor.from_list([[], []]).numpy("U").shape == (2, 0)
    assert StringTensor.from_list([b"\xff"]).numpy(errors="replace").tolist() == ["\ufffd"]
    assert StringTensor.from_list([b"\xff"]).numpy("S").tolist() == [b"\xff"]
    with pytest.raises(ValueError, match=r"^StringTensor.numpy: invalid UTF-8 at \[0\], byte 0: invalid start byte"):
        StringTensor.from_list([b"\xff"]).numpy()
    with pytest.raises(
        TypeError, match=r"^StringTensor.numpy: expected `dtype` object, StringDType, U or S, got int64"
    ):
        StringTensor.from_list(["a"]).numpy("int64")
    with pytest.raises(ValueError, match=r"expected `offsets` of shape \[2\] for one string alone, got shape \[1\]"):
        strings_to_numpy(torch.zeros(0, dtype=torch.uint8), torch.zeros(1, dtype=torch.int32), scalar=True)


def test_an_array_without_a_copy_is_rejected():
    with pytest.raises(ValueError, match="^StringTensor.__array__: a NumPy array of str cannot share the bytes$"):
        StringTensor.from_list(["a"]).__array__(copy=False)


def test_operators_of_numpy_leave_strings_to_their_class():
    s, a, n = StringTensor.from_list(["a", "b"]), np.array(["x", "b"]), np.array([1, 2])
    for expected, got in (
        (["xa", "bb"], a + s),
        (["ax", "bb"], s + a.astype(object)),
        (["xa", "xb"], np.str_("x") + s),
        (["aa", "bb"], s * np.int64(2)),
        (["aa", "bb"], np.uint8(2) * s),
        (["a", "bb"], s * n),
        (["a", "bb"], n.astype(np.int16) * s),
        ([["a", "b"], ["aa", "bb"]], n[:, None] * s),
    ):
        assert isinstance(got, StringTensor)
        assert got.tolist() == expected
    for expected, compared in (([False, True], a == s), ([True, False], a != s), ([False, True], a <= s)):
        assert isinstance(compared, torch.Tensor)
        assert compared.tolist() == expected
    for wrong in (np.float64(2), np.bool_(True), np.array([1.0, 2.0])):
        for call in (lambda x: x * s, lambda x: s * x):
            with pytest.raises(TypeError, match="operand"):
                call(wrong)


def test_columns_of_numpy_are_formatted_as_tensors_are():
    columns = [np.float32(0.1), np.int8(-3), np.bool_(True), np.array([1, 2]), np.array([0.5, 2.0])]
    formatted = string_format("{} {} {} {} {} {}", *columns, np.array(["a", "b"]))
    assert formatted.tolist() == ["0.1 -3 True 1 0.5 a", "0.1 -3 True 2 2.0 b"]
