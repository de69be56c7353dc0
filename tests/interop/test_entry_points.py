"""Direct calls of the native functions of `_convert`: wrong arguments, Arrow structures that change concurrently or are
incomplete, all kinds of malformed UTF-8, and types without a valid name."""

import ctypes
import itertools
from types import BuiltinFunctionType
from typing import Any

import pytest
import torch
from support.arrow import Producer, Schema, Streaming, capsule_new, i32, i64, utf8, view
from support.cases import each

from torch_stringops import StringTensor, _convert

FUNCTIONS = sorted((f for f in vars(_convert).values() if isinstance(f, BuiltinFunctionType)), key=lambda f: f.__name__)
LONG = b"more than twelve bytes"
CHANGED = "op: the Arrow array was modified by another thread during the call"


@each("function", FUNCTIONS)
def test_the_number_and_the_types_of_arguments_are_checked(function):
    for count in range(12):
        if function.__name__ == "uses_layout" and count < 2:
            assert function() is True
            continue
        if (function.__name__, count) in (("encode_text", 3), ("decode_ids", 4)):
            # The first one is not the opened tokenizer of the second.
            assert function(*[object()] * count) is None
            continue
        with pytest.raises((TypeError, ValueError)):
            function(*[object()] * count)


@each(("shape", "num_offsets", "error"), [
    (("1",), 2, TypeError), ((2**64,), 2, OverflowError), ((2**63 - 1,), 2, ValueError),
    ((2**40, 2**40, 1), 2, ValueError), ((2**62, 3), 2, ValueError), ((2, -1), 2, ValueError),
    ((1,) * 65, 2, ValueError), ((), 2, ValueError), ((1,), 3, ValueError), ((2,), 2, ValueError),
])  # fmt: skip
def test_shapes_are_checked(shape: Any, num_offsets: int, error: type[Exception]):
    offsets = torch.zeros(2, dtype=torch.int32)
    with pytest.raises(error, match="expected|integer|int too"):
        _convert.to_list(0, 0, offsets.data_ptr(), num_offsets, shape, False, None, "op")


def imported(producer: Producer, fill: Any = None) -> Any:
    """The column, its numbers of strings and bytes, whether it shares data, and whether it shares offsets."""
    return _convert.arrow_import(*producer.__arrow_c_array__(), None, fill, "op")[1:]


def test_the_replacement_of_missing_strings_must_be_bytes():
    producer = Producer(b"u", utf8(b"a"), 1)
    with pytest.raises(TypeError):
        imported(producer, "text")
    assert producer.released == []  # the producer's structures were not taken


def schema(format: bytes | None, release: bool = True) -> Any:
    made = Producer(format or b"", [], 0).schema()
    made.format = format
    if not release:
        ctypes.memset(ctypes.addressof(made) + Schema.release.offset, 0, 8)
    schema.keep.append(made)  # type: ignore[attr-defined]
    return capsule_new(ctypes.addressof(made), b"arrow_schema", None)


schema.keep = []  # type: ignore[attr-defined]


def test_requested_schemas_that_are_binary():
    wants = {format: _convert.arrow_wants_binary(schema(format), "op") for format in (b"z", b"Z", b"vz")}
    assert wants == {b"z": True, b"Z": True, b"vz": True}
    for format in (b"u", b"U", b"vu", b"l", b"", None):
        assert not _convert.arrow_wants_binary(schema(format), "op")
    assert not _convert.arrow_wants_binary(schema(b"z", release=False), "op")  # a consumer has moved it out
    with pytest.raises(
        TypeError, match="^op: expected `requested_schema` to be a PyCapsule named 'arrow_schema', got "
    ):
        _convert.arrow_wants_binary(None, "op")


def test_an_export_needs_offsets():
    with pytest.raises(ValueError, match="^op: expected offsets$"):
        _convert.arrow_export(None, 0, 0, 0, 0, False, "op")


@pytest.mark.parametrize(("before", "after"), [
    (view(b"abc") + view(b"d"), view(b"abc") + view(b"de")),  # longer
    (view(b"abc") + view(b"d"), view(b"abc") + view(b"")),  # shorter
    (view(b"abc") + view(LONG), view(b"abc") + view(LONG, 7)),  # in a buffer that does not exist
    (view(b"abc") + view(LONG), view(b"", size=-1) + view(LONG)),
])  # fmt: skip
def test_views_changed_between_the_passes_are_rejected(before: bytes, after: bytes):
    buffer = ctypes.create_string_buffer(before, len(before))
    producer = Producer(b"vu", [None, None, LONG, i64(len(LONG))], 2)
    made = producer.array()
    made.buffers[1] = ctypes.addressof(buffer)
    producer.array = lambda: made  # type: ignore[method-assign]
    column, _, num_bytes, *shares = imported(producer)
    assert shares == [False, False]
    ctypes.memmove(buffer, after, len(after))
    data, offsets = torch.full((num_bytes + 64,), 7, dtype=torch.uint8), torch.zeros(3, dtype=torch.int32)
    with pytest.raises(ValueError, match=CHANGED):
        _convert.arrow_write(column, data.data_ptr(), num_bytes, offsets.data_ptr(), 3)
    assert (data[num_bytes:] == 7).all()
    ctypes.memmove(buffer, before, len(before))
    _convert.arrow_write(column, data.data_ptr(), num_bytes, offsets.data_ptr(), 3)
    assert bytes(data[:3].numpy()) == b"abc"


def test_offsets_changed_between_the_passes_are_rejected():
    ends = i32(0, 1, 3, 4)
    column, _, num_bytes, *_ = imported(Producer(b"u", [b"\x05", ends, b"abcd"], 3, null_count=1), b"--")
    assert num_bytes == 4
    ends[1] = 4
    data, offsets = torch.zeros(64, dtype=torch.uint8), torch.zeros(4, dtype=torch.int32)
    with pytest.raises(ValueError, match=CHANGED):
        _convert.arrow_write(column, data.data_ptr(), num_bytes, offsets.data_ptr(), 4)
    assert not data[num_bytes:].any()


def test_a_stream_that_fails_without_a_message():
    producer = Streaming(b"u", utf8(b"a"), 1, chunks=3)
    producer.fields_fails_after, producer.fields_error = 1, None
    with pytest.raises(RuntimeError, match="^StringTensor.from_arrow: the Arrow stream failed: Input/output"):
        StringTensor.from_arrow(producer)
    assert sorted(producer.released) == ["array", "schema", "stream"]


def test_a_stream_without_a_schema():
    producer = Streaming(b"u", utf8(b"a"), 1)
    producer.schema = Schema  # type: ignore[method-assign,assignment]
    with pytest.raises(
        ValueError, match=r"^StringTensor.from_arrow: expected an Arrow stream with a schema, got none$"
    ):
        StringTensor.from_arrow(producer)
    assert producer.released == ["stream"]


# Prefixes of each character width of a str, as each width has its own decoder.
BEFORE = [b"", b"caf\xc3\xa9 ", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xf0\x9f\x98\x80" + b"a" * 40]


def decoded(raw: bytes) -> str | tuple[int, str]:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        return error.start, error.reason


@pytest.mark.parametrize("before", BEFORE)
def test_every_lead_and_second_byte_is_validated_as_by_python(before: bytes):
    seconds = [b"", *(bytes([b]) for b in (0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0))]
    rests = [b"", b"\x80", b"\x80\x80", b"\x80A", b"A\x80", b"\x80\x80\x80"]
    for lead, second, rest in itertools.product(range(0x80, 0x100), seconds, rests):
        raw = before + bytes([lead]) + second + rest
        want = decoded(raw)
        s = StringTensor.from_list(["", raw])
        if isinstance(want, str):
            assert s.tolist() == ["", want]
            s.__arrow_c_array__()
            continue
        with pytest.raises(ValueError, match="invalid UTF-8") as caught:
            s.tolist()
        assert f"at [1], byte {want[0]}: {want[1]} (pass" in str(caught.value)
        with pytest.raises(ValueError, match=r"invalid byte in the string at \[1\]"):
            s.__arrow_c_array__()


@pytest.mark.parametrize("character", ["é", "€", "😀"])
def test_long_strings_are_decoded_by_python(character: str):
    values = [character * n for n in (4095, 4096, 5461, 5462, 8192, 8193, 20_000)]
    assert StringTensor.from_list(values).tolist() == values


def test_a_str_of_one_surrogate():
    with pytest.raises(ValueError, match="^op: expected text that UTF-8 can hold, got a lone surrogate at codepoint 1"):
        _convert.measure("a\ud800", -1, "op")


@pytest.mark.parametrize("name", [3, "\ud800", None])
def test_a_type_without_a_name_is_an_object(name: Any):
    class Meta(type):
        @property
        def __name__(cls) -> Any:  # type: ignore[override]
            if name is None:
                raise KeyError("no name")
            return name

    class Nameless(metaclass=Meta):
        pass

    with pytest.raises(TypeError) as caught:
        StringTensor.from_list([Nameless()])
    assert str(caught.value) == "StringTensor.from_list: expected str or bytes at [0], got an object"
    assert caught.value.__context__ is None
