"""Arrow columns through the PyCapsule protocol: pyarrow, polars, and a producer that counts releases and gives damaged
structures.
"""

import gc
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from support.arrow import Array, Producer, Release, Streaming, address, i32, i64, utf8, view
from support.cases import each

from torch_stringops import StringTensor, _convert
from torch_stringops.interop.arrow import strings_from_arrow

LONG = b"more than twelve bytes"
# A capsule of another kind.
DATETIME = sys.modules["_datetime"].datetime_CAPI


def test_utf8_is_shared_and_released_once():
    producer = Producer(b"u", utf8(b"a", b"", b"caf\xc3\xa9"), 3)
    s = StringTensor.from_arrow(producer)
    assert s.tolist() == ["a", "", "café"]
    assert s.data.data_ptr() == address(producer.buffers[2])
    assert s.offsets.data_ptr() == address(producer.buffers[1])
    assert s.data.dtype == torch.uint8
    assert s.offsets.dtype == torch.int32
    assert producer.released == []
    rows = s[1:]
    del s
    gc.collect()
    assert producer.released == []
    assert rows.tolist() == ["", "café"]
    del rows
    gc.collect()
    assert producer.released == ["array"]  # the schema is released by the capsule, which owns it


def test_slice_is_shared_with_its_offset():
    producer = Producer(b"z", utf8(b"a", b"bc", b"\xff", b"d"), 2, offset=1)
    data, offsets = strings_from_arrow(producer)
    assert offsets.tolist() == [1, 3, 4]
    assert bytes(data.numpy()) == b"abc\xff"
    assert offsets.data_ptr() == address(producer.buffers[1]) + 4


def test_large_offsets_are_narrowed_and_bytes_shared():
    producer = Producer(b"U", [None, i64(1, 2, 4), b"_abc"], 2)
    data, offsets = strings_from_arrow(producer)
    assert offsets.tolist() == [0, 1, 3]
    assert bytes(data.numpy()) == b"abc"
    assert data.data_ptr() == address(producer.buffers[2]) + 1
    del data
    gc.collect()
    assert producer.released == ["array"]


@each(("format", "buffers", "length", "fields", "expected"), [
    (b"u", utf8(), 0, {}, []), (b"u", [None, None, None], 0, {}, []),
    (b"u", [None, i32(0, 0, 0), None], 2, {}, [b"", b""]), (b"u", [None, i32(3, 3, 3), b"abc"], 2, {}, [b"", b""]),
    (b"U", [None, None, None], 0, {}, []), (b"Z", [None, i64(0, 0), None], 1, {}, [b""]),
    (b"vu", [None, None, None], 0, {}, []),
    (b"vu", [None, view(b"short") + view(LONG, 0, 2), b"xx" + LONG, i64(24)], 2, {}, [b"short", LONG]),
    (b"vz", [None, view(b"a") + view(b"x" * 12) + view(b""), i64()], 3, {}, [b"a", b"x" * 12, b""]),
    (b"vu", [None, view(b"a") + view(LONG, 1, 0), b"", LONG, i64(0, 22)], 1, {"offset": 1}, [LONG]),
    (b"u", [b"\xff", *utf8(b"a", b"b")[1:]], 2, {"null_count": -1}, [b"a", b"b"]),
    (b"u", [b"\x00", *utf8(b"a", b"b")[1:]], 2, {"null_count": 0}, [b"a", b"b"]),
    (b"u", [None, *utf8(b"a", b"b")[1:]], 2, {"null_count": -1}, [b"a", b"b"]),
    (b"u", [b"\xfb", *utf8(b"a", b"b", b"c", b"d")[1:]], 1, {"null_count": -1, "offset": 3}, [b"d"]),
    (b"w:2", [None, b"abcdef"], 2, {"offset": 1}, [b"cd", b"ef"]),
    (b"w:0", [None, None], 2, {}, [b"", b""]),
])  # fmt: skip
def test_layouts_by_hand(format, buffers, length, fields, expected):
    producer = Producer(format, buffers, length, **fields)
    s = StringTensor.from_arrow(producer)
    assert s.shape == (length,)
    assert s.validate().tolist(as_bytes=True) == expected
    del s
    gc.collect()
    assert producer.released == ["array"]


@each(("format", "rest"), [
    (b"u", utf8(b"a", b"b", b"c", b"dd")[1:]), (b"U", [i64(0, 1, 2, 3, 5), b"abcdd"]),
    (b"vu", [view(b"a") + view(b"b") + b"\xff" * 16 + view(b"dd"), i64()]),
])  # fmt: skip
def test_missing_strings_are_named_or_filled(format, rest):
    producer = Producer(format, [b"\x0b", *rest], 4, null_count=1)
    with pytest.raises(ValueError, match="missing") as caught:
        StringTensor.from_arrow(producer)
    assert str(caught.value) == (
        "StringTensor.from_arrow: expected no missing strings, got one at [2] (pass missing= to replace it)"
    )
    assert producer.released == ["array"]
    assert StringTensor.from_arrow(producer, missing="—").tolist() == ["a", "b", "—", "dd"]
    assert StringTensor.from_arrow(producer, missing=b"").tolist() == ["a", "b", "", "dd"]
    assert producer.released == ["array"] * 3


BROKEN = "expected a well-formed Arrow array of strings, got one that is not"
OFFSETS = "expected the offsets of an Arrow array to be non-decreasing and >= 0"
MANY = "expected at most 2147483647 strings, got {} (split the batch)"
VIEWS = "expected the views of an Arrow array to lie in its buffers, got another at "
HUGE = "the result needs at least {} bytes; int32 offsets address at most 2147483647 (pass fewer or shorter strings)"


@each(("format", "buffers", "length", "fields", "text"), [
    (b"u", utf8(b"a"), -1, {}, BROKEN), (b"u", utf8(b"a"), 1, {"offset": -1}, BROKEN),
    (b"u", utf8(b"a"), 1, {"offset": 2**62}, BROKEN), (b"u", utf8(b"a"), 1, {"offset": 2**63 - 1}, BROKEN),
    (b"u", utf8(b"a"), 2**31, {}, MANY.format(2**31)), (b"u", utf8(b"a"), 2**63 - 1, {}, MANY.format(2**63 - 1)),
    (b"vu", [None, view(b"a"), i64()], 1, {"n_buffers": 2**60}, BROKEN),
    (b"w:2", [None, b"ab", None], 1, {}, BROKEN), (b"w:2", [None, None], 1, {}, BROKEN),
    (b"w:2147483647", [None, b"ab"], 1, {"offset": 2**40}, BROKEN),
    (b"w:2147483647", [None, b"ab"], 2, {}, HUGE.format(2**32 - 2)),
    (b"u", utf8(b"a")[:2], 1, {}, BROKEN), (b"u", [*utf8(b"a"), None], 1, {}, BROKEN),
    (b"u", utf8(b"a"), 1, {"n_children": 1}, BROKEN), (b"u", utf8(b"a"), 1, {"dictionary": 64}, BROKEN),
    (b"u", utf8(b"a"), 1, {"buffers": None}, BROKEN), (b"u", utf8(b"a"), 1, {"null_count": 1}, BROKEN),
    (b"u", [None, None, b"a"], 1, {}, BROKEN), (b"vu", [None, None, i64()], 1, {}, BROKEN),
    (b"vu", [None, view(b"a")], 1, {}, BROKEN), (b"vu", [None, view(LONG), LONG, None], 1, {}, BROKEN),
    (b"u", [None, i32(0, 2, 1), b"abc"], 2, {}, OFFSETS), (b"u", [None, i32(-1, 2), b"abc"], 1, {}, OFFSETS),
    (b"u", [None, i32(0, 2), None], 1, {}, OFFSETS), (b"U", [None, i64(0, 2, 1), b"abc"], 2, {}, OFFSETS),
    (b"U", [None, i64(-(2**63), 2**63 - 1), b"abc"], 1, {}, OFFSETS),
    (b"U", [None, i64(0, 2**31), b"abc"], 1, {}, HUGE.format(2**31)),
    (b"U", [None, i64(0, 2**63 - 1), b"abc"], 1, {}, HUGE.format(2**63 - 1)),
    (b"vu", [None, view(LONG, 1), LONG, i64(22)], 1, {}, VIEWS + "[0]"),
    (b"vu", [None, view(b"") + view(LONG, -1), LONG, i64(22)], 2, {}, VIEWS + "[1]"),
    (b"vu", [None, view(LONG, 0, 1), LONG, i64(22)], 1, {}, VIEWS + "[0]"),
    (b"vu", [None, view(LONG, 0, -1), LONG, i64(22)], 1, {}, VIEWS + "[0]"),
    (b"vu", [None, view(LONG), None, i64(22)], 1, {}, VIEWS + "[0]"),
    (b"vu", [None, view(LONG), i64()], 1, {}, VIEWS + "[0]"),
    (b"vu", [None, view(b"", size=-1), i64()], 1, {}, VIEWS + "[0]"),
])  # fmt: skip
@each("kind", [Producer, Streaming])
def test_damaged_structures_are_rejected_and_released(kind, format, buffers, length, fields, text):
    producer = kind(format, buffers, length, **fields)
    with pytest.raises(ValueError, match="StringTensor") as caught:
        StringTensor.from_arrow(producer)
    assert str(caught.value) == "StringTensor.from_arrow: " + text
    assert sorted(producer.released) == (["array"] if kind is Producer else ["array", "schema", "stream"])


@each(("format", "fields", "text"), [
    (b"l", {}, "int64"), (b"g", {}, "float64"), (b"tsu:", {}, "timestamps"), (b"w:", {}, "Arrow format 'w:'"),
    (b"w:2x", {}, "Arrow format 'w:2x'"), (b"w:99999999999", {}, "Arrow format 'w:99999999999'"),
    (b"", {}, "Arrow format ''"), (None, {}, "Arrow format ''"),
    (b"+s", {}, "Arrow format '+s' (a table: pass one of its columns)"),
    (b"+m", {}, "maps"), (b"+r", {}, "run-end encoded values"), (b"tiM", {}, "intervals"),
    (b"\xff'" * 10**6, {}, "Arrow format '" + r"\xff\'" * 16 + "'..."),
    (b"u", {"schema_dictionary": 64}, "a dictionary-encoded one (decode it, or cast it to a string type)"),
])  # fmt: skip
def test_other_types_are_rejected(format, fields, text):
    with pytest.raises(TypeError) as caught:
        StringTensor.from_arrow(Producer(format, utf8(b"a"), 1, **fields))
    assert str(caught.value) == "StringTensor.from_arrow: expected a column of strings, got " + text


def test_other_types_are_no_column():
    with pytest.raises(TypeError, match=r"expected an Arrow column \(a pyarrow Array .*\), got list$"):
        StringTensor.from_arrow(["a"])


def test_capsules_are_checked():
    class Wrong(Producer):
        def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
            schema, made = super().__arrow_c_array__()
            return made, schema

    with pytest.raises(ValueError, match="PyCapsule") as caught:
        StringTensor.from_arrow(Wrong(b"u", utf8(b"a"), 1))
    assert str(caught.value) == (
        "StringTensor.from_arrow: expected `column.__arrow_c_array__()` to give a PyCapsule named 'arrow_schema', "
        "got one named 'arrow_array'"
    )

    class Taken(Producer):
        def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
            capsules = super().__arrow_c_array__()
            self.keep[-1].release = Release()
            return capsules

    with pytest.raises(ValueError, match="expected an Arrow structure that no consumer has moved out"):
        StringTensor.from_arrow(Taken(b"u", utf8(b"a"), 1))


def test_chunks_of_a_stream_are_joined():
    producer = Streaming(b"u", utf8(b"a", b"bc", b"d"), 2, chunks=3, offset=1)
    assert StringTensor.from_arrow(producer).tolist() == ["bc", "d"] * 3
    gc.collect()
    assert producer.released == ["schema", "stream", "array", "array", "array"]


def test_one_chunk_of_a_stream_is_shared():
    producer = Streaming(b"u", utf8(b"a", b"bc"), 2)
    s = StringTensor.from_arrow(producer)
    assert s.data.data_ptr() == address(producer.buffers[2])
    assert producer.released == ["schema", "stream"]
    del s
    gc.collect()
    assert producer.released == ["schema", "stream", "array"]


def test_stream_without_chunks_is_empty():
    s = StringTensor.from_arrow(Streaming(b"vu", [], 0, chunks=0))
    assert s.shape == (0,)
    assert s.tolist() == []


def test_missing_string_in_a_later_chunk_is_named_by_its_row():
    producer = Streaming(b"u", [b"\x02", *utf8(b"a", b"b")[1:]], 2, chunks=2, null_count=1)
    producer.length = 1
    producer.fields["offset"] = 1
    made = producer.array

    def second_chunk_misses() -> Array:
        producer.fields["offset"] = 1 if producer.made == 0 else 0
        return made()

    producer.array = second_chunk_misses  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=r"expected no missing strings, got one at \[1\]"):
        StringTensor.from_arrow(producer)
    assert sorted(producer.released) == ["array", "array", "schema", "stream"]


def test_failing_stream():
    producer = Streaming(b"u", utf8(b"a"), 1, chunks=3)
    producer.fields_fails_after = 1
    with pytest.raises(RuntimeError) as caught:
        StringTensor.from_arrow(producer)
    assert str(caught.value) == "StringTensor.from_arrow: the Arrow stream failed: the disk is full"
    assert sorted(producer.released) == ["array", "schema", "stream"]


@pytest.mark.parametrize(("given", "shown"), [
    (b"d" * 200, "d" * 200), (b"d" * 10**6, "d" * 200 + "..."),
    ("die Platte läuft über".encode(), "die Platte läuft über"),
    (b"\xff" * 10**6, r"\xff" * 200 + "..."), ("ü".encode() * 10**6, "ü" * 100 + "..."),
    (b"x" + "ü".encode() * 10**6, "x" + "ü" * 99 + r"\xc3..."),
    (b"", ""),
])  # fmt: skip
def test_the_text_of_a_failing_stream_is_shown_in_part(given: bytes, shown: str):
    producer = Streaming(b"u", utf8(b"a"), 1)
    producer.fields_fails_after, producer.fields_error = 0, given
    with pytest.raises(RuntimeError) as caught:
        StringTensor.from_arrow(producer)
    assert str(caught.value) == "StringTensor.from_arrow: the Arrow stream failed: " + shown


def test_malformed_structures(record_property):
    # In a child process, as a crash would end the other tests too.
    script = Path(__file__).with_name("arrow_structures.py")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    last = done.stdout[-200:].strip().rpartition("\n")[2]
    assert done.returncode == 0, f"{last}\n{done.stderr[-2000:]}"
    assert re.search(r"^\d{4} imports, \d\d outcomes$", done.stdout, re.MULTILINE)
    assert re.fullmatch(r"\d{4} imports of nested columns", last)
    record_property("imports", last)


class Column:
    """A column whose `__arrow_c_array__` returns a given object."""

    def __init__(self, given: Any) -> None:
        self.__arrow_c_array__ = lambda: given


@pytest.mark.parametrize(("given", "error", "text"), [
    (None, TypeError, "a pair of PyCapsules, got NoneType"), ((), TypeError, "a pair of PyCapsules, got tuple"),
    ([1, 2, 3], TypeError, "a pair of PyCapsules, got list"),
    ((1, 2), TypeError, "a PyCapsule named 'arrow_schema', got int"),
    ((DATETIME,) * 2, ValueError, "a PyCapsule named 'arrow_schema', got one named 'datetime.datetime_CAPI'"),
])  # fmt: skip
def test_capsules_of_any_type_are_checked(given: Any, error: type[Exception], text: str):
    with pytest.raises(error) as caught:
        StringTensor.from_arrow(Column(given))
    assert str(caught.value) == (f"StringTensor.from_arrow: expected `column.__arrow_c_array__()` to give {text}")


@pytest.mark.parametrize(("given", "error"), [("z", TypeError), (DATETIME, ValueError)])
def test_a_requested_schema_is_a_capsule(given: Any, error: type[Exception]):
    with pytest.raises(
        error,
        match="^StringTensor.__arrow_c_array__: expected `requested_schema` to be a PyCapsule named 'arrow_schema', got ",
    ):
        StringTensor.from_list(["a"]).__arrow_c_array__(given)


def test_misaligned_offsets_are_copied():
    raw = b"\0" + bytes(i32(0, 1, 3)) + b"\0"
    producer = Producer(b"u", [None, None, b"abc"], 2)
    made = producer.array()
    made.buffers[1] = address(raw) + 1 if address(raw) % 4 == 0 else address(raw)
    producer.array = lambda: made  # type: ignore[method-assign]
    if made.buffers[1] == address(raw):
        raw = raw[1:]
    data, offsets = strings_from_arrow(producer)
    assert offsets.data_ptr() % 4 == 0
    assert bytes(data.numpy()) == b"abc"


def test_native_functions_check_their_arguments():
    column = _convert.arrow_import(*Producer(b"u", utf8(b"a"), 1).__arrow_c_array__(), None, None, "op")[1]
    with pytest.raises(ValueError, match="expected room for the column"):
        _convert.arrow_write(column, 64, 2, 64, 2)
    with pytest.raises(ValueError, match="expected room for the column"):
        _convert.arrow_write(column, 64, 1, 64, 1)
    with pytest.raises(ValueError, match="^op: expected `data` to be the aligned address of 1 elements, got 0$"):
        _convert.arrow_write(column, 0, 1, 64, 2)
    with pytest.raises(ValueError, match="^op: expected `offsets` to be the aligned address of 2 elements, got 66$"):
        _convert.arrow_write(column, 64, 1, 66, 2)
    with pytest.raises(TypeError, match="^arrow_share: expected `column` to be a PyCapsule named .*, got NoneType$"):
        _convert.arrow_share(None, True)
    empty = _convert.arrow_import(*Producer(b"vu", [None] * 3, 0).__arrow_c_array__(), None, None, "op")[1]
    with pytest.raises(ValueError, match="expected a column that shares its memory"):
        _convert.arrow_share(empty, False)
