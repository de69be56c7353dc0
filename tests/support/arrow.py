"""A producer of Arrow structures through the PyCapsule protocol, which counts releases and exports any given values."""

import ctypes
from array import array
from typing import Any, ClassVar

Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Schema(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p), ("release", Release), ("private_data", ctypes.c_void_p),
    ]  # fmt: skip


class Array(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p), ("release", Release),
        ("private_data", ctypes.c_void_p),
    ]  # fmt: skip


GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Array))
GetError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", GetSchema),
        ("get_next", GetNext),
        ("get_last_error", GetError),
        ("release", Release),
        ("private_data", ctypes.c_void_p),
    ]


def address(buffer: array | bytes | None) -> int | None:
    if buffer is None:
        return None
    if isinstance(buffer, bytes):
        return ctypes.cast(ctypes.c_char_p(buffer), ctypes.c_void_p).value
    return buffer.buffer_info()[0]


FULL = b"the disk is full"


class Producer:
    """Makes Arrow structures from buffers, and counts how often each is released."""

    # All instances, as a consumer may call `release` after the test's last reference to the producer is gone.
    alive: ClassVar[list["Producer"]] = []

    def __init__(self, format: bytes, buffers: list[Any], length: int, /, chunks: int = 1, **fields: Any) -> None:
        self.format, self.buffers, self.length, self.chunks, self.fields = (
            format, buffers, length, chunks, fields,
        )  # fmt: skip
        self.alive.append(self)
        self.released: list[str] = []
        self.made = 0
        self.keep: list[Any] = []

    def _on_release(self, name: str, struct: type[ctypes.Structure]) -> Any:
        def release(pointer: int) -> None:
            self.released.append(name)
            ctypes.memset(pointer + struct.release.offset, 0, 8)

        callback = Release(release)
        self.keep.append(callback)
        return callback

    def schema(self) -> Schema:
        made = Schema(format=self.format, release=self._on_release("schema", Schema))
        made.dictionary = self.fields.get("schema_dictionary")
        self.keep.append(made)
        return made

    def array(self) -> Array:
        pointers = (ctypes.c_void_p * max(len(self.buffers), 1))(*[address(b) for b in self.buffers])
        made = Array(length=self.length, n_buffers=len(self.buffers), release=self._on_release("array", Array))
        made.buffers = ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))
        for name, value in self.fields.items():
            if name != "schema_dictionary":
                setattr(made, name, value)
        self.keep += [pointers, made]
        self.made += 1
        return made

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        schema, made = self.schema(), self.array()
        return (
            capsule_new(ctypes.addressof(schema), b"arrow_schema", None),
            capsule_new(ctypes.addressof(made), b"arrow_array", None),
        )


class Streaming(Producer):
    """The same, as a stream of `chunks` chunks that fails after `fails_after`."""

    __arrow_c_array__ = property()  # type: ignore[assignment]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        def get_schema(_: int, out: Any) -> int:
            ctypes.memmove(out, ctypes.byref(self.schema()), ctypes.sizeof(Schema))
            return 0

        def get_next(_: int, out: Any) -> int:
            if self.made == self.fields_fails_after:
                return 5
            if self.made == self.chunks:
                ctypes.memset(out, 0, ctypes.sizeof(Array))
                return 0
            ctypes.memmove(out, ctypes.byref(self.array()), ctypes.sizeof(Array))
            return 0

        made = Stream(
            GetSchema(get_schema),
            GetNext(get_next),
            GetError(lambda _: address(self.fields_error)),
            self._on_release("stream", Stream),
        )
        self.keep.append(made)
        return capsule_new(ctypes.addressof(made), b"arrow_array_stream", None)

    fields_fails_after = -1
    fields_error: bytes | None = FULL


class Encoded(Streaming):
    """A dictionary-encoded stream: int8 codes into the strings of another producer."""

    def __init__(self, words: Producer, codes: list[int], chunks: int = 1) -> None:
        super().__init__(b"c", [None, bytes(codes)], len(codes), chunks)
        self.words = words

    def schema(self) -> Schema:
        made = super().schema()
        made.dictionary = ctypes.addressof(self.words.schema())
        return made

    def array(self) -> Array:
        made = super().array()
        made.dictionary = ctypes.addressof(self.words.array())
        return made


def i32(*values: int) -> array:
    return array("i", values)


def i64(*values: int) -> array:
    return array("q", values)


def view(raw: bytes, buffer: int = 0, at: int = 0, size: int | None = None) -> bytes:
    length = len(raw) if size is None else size
    if length <= 12:
        return length.to_bytes(4, "little", signed=True) + raw.ljust(12, b"\0")
    rest = raw[:4] + buffer.to_bytes(4, "little", signed=True) + at.to_bytes(4, "little", signed=True)
    return length.to_bytes(4, "little") + rest


def utf8(*strings: bytes) -> list[Any]:
    ends = [0]
    for s in strings:
        ends.append(ends[-1] + len(s))
    return [None, i32(*ends), b"".join(strings)]
