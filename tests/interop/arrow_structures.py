"""Malformed Arrow structures: every member of every structure of the C interfaces set to a wrong value, in a child process.

    python tests/interop/arrow_structures.py

First of columns of strings, by a producer that counts releases: each structure must be released once, unless its
`release` was removed. Then of nested columns of pyarrow. Wrong values that a consumer cannot detect, like an invalid
pointer to the buffers, are not tested; the buffers have room for slightly wrong sizes. Each import must end in an error
of less than 1 KB or in valid strings.
"""

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import pyarrow as pa  # noqa: E402
from support.arrow import Array, Producer, Release, Schema, Stream, Streaming, i32, i64, view  # noqa: E402

from torch_stringops import StringTensor, as_ragged, as_strings  # noqa: E402

INTEGERS = [-(2**63), -1, 0, 1, 2, 3, 4, 5, 7, 2**60, 2**63 - 1]


def require_error_or_nothing(text: str, op: str) -> None:
    """A text of an error, "" without one."""
    assert not text or text.startswith(f"{op}: "), text[:2000]
    assert len(text) < 1024, text[:2000]


# Columns of strings.

STRUCTURES: tuple[Any, ...] = (Schema, Array, Stream)
ROOM = 16  # strings in the buffers. The array has three, so that slightly wrong sizes stay within the buffers
TEXT = b"some text, with more than twelve bytes" * ROOM
BUFFERS = {
    b"u": [b"\xff" * ROOM, i32(*range(ROOM + 1)), TEXT],
    b"U": [b"\xff" * ROOM, i64(*range(ROOM + 1)), TEXT],
    b"vu": [b"\xff" * ROOM, (view(TEXT[:3]) + view(TEXT[:20])) * ROOM, TEXT, i64(len(TEXT)), *[None] * ROOM],
}
TEXTS = [None, b"", b"\xff" * 10**6, b"u" * 10**6, b"+s", b"vuu", b"u:", b"\n"]
NOWHERE = 64


def wrong_values(kind: Any, name: str) -> list[Any]:
    if kind is ctypes.c_int64:
        return INTEGERS
    if kind is ctypes.c_char_p:
        return TEXTS
    if kind is ctypes.c_void_p:
        # Private data of the producer, and members that a column of strings does not use.
        return [None] if name == "private_data" else [None, NOWHERE]
    return [kind()]  # a function, or the buffers: NULL


def members() -> Iterator[tuple[Any, str, Any]]:
    for struct in STRUCTURES:
        for name, kind in struct._fields_:
            for wrong in wrong_values(kind, name):
                yield struct, name, wrong


class OfProducer:
    """A producer that sets one member of a structure to a wrong value."""

    struct: Any
    name: str
    wrong: Any
    handed: list[Any]  # structures in capsules, which release them if no consumer has taken them
    made_schemas: int

    def spoil(self, made: Any) -> Any:
        if type(made) is self.struct:
            setattr(made, self.name, self.wrong)
        return made

    def schema(self) -> Any:
        self.made_schemas += 1
        return self.spoil(super().schema())  # type: ignore[misc]

    def array(self) -> Any:
        return self.spoil(super().array())  # type: ignore[misc]


class WrongProducer(OfProducer, Producer):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        capsules = super().__arrow_c_array__(requested_schema)
        self.handed = [made for made in self.keep if isinstance(made, (Schema, Array))]
        return capsules


class WrongStream(OfProducer, Streaming):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        capsule = super().__arrow_c_stream__(requested_schema)
        self.handed = [self.spoil(self.keep[-1])]
        return capsule


def check(maker: Any, format: bytes, fails: bool, struct: Any, name: str, wrong: Any) -> str:
    buffers = BUFFERS[format]
    # The buffers after the fourth are room for a wrong number of buffers.
    fields = {"n_buffers": 4} if format == b"vu" else {}
    producer = maker(format, buffers, 3, **fields)
    producer.struct, producer.name, producer.wrong, producer.made_schemas = struct, name, wrong, 0
    if fails:
        producer.fields_fails_after = 0
        producer.fields_error = wrong if isinstance(wrong, bytes) else b"the disk is full"
    try:
        strings = StringTensor.from_arrow(producer, missing="gone")
        strings.validate().tolist(errors="replace")
        outcome = ""
        del strings
    except (TypeError, ValueError, RuntimeError) as error:
        outcome = f"{type(error).__name__}: {error}"
    require_error_or_nothing(outcome.partition(": ")[2], "StringTensor.from_arrow")
    gc.collect(0)
    for made in producer.handed:
        if made.release:
            made.release(ctypes.addressof(made))
    made = {"schema": producer.made_schemas, "array": producer.made}
    if isinstance(producer, Streaming):
        made["stream"] = 1
    for structure, count in made.items():
        expected = 0 if (structure, name) == (struct.__name__.lower(), "release") else count
        released = producer.released.count(structure)
        assert released == expected, f"{structure}: {released} releases, expected {expected}; {outcome}"
    producer.alive.clear()
    return outcome


def check_strings() -> None:
    count, outcomes = 0, set()
    for struct, name, wrong in members():
        for maker in (WrongProducer, WrongStream):
            if maker is WrongProducer and struct is Stream:
                continue
            for format in BUFFERS:
                for fails in (False, True) if maker is WrongStream else (False,):
                    case = f"{struct.__name__}.{name} = {str(wrong)[:40]}, {format!r}, {maker.__name__}, {fails=}"
                    print(case, flush=True)  # the last line is the case that crashed the process
                    outcomes.add(check(maker, format, fails, struct, name, wrong))
                    count += 1
    print(f"{count} imports, {len(outcomes)} outcomes")


# Nested columns.

WORDS = pa.array([f"word {i}" for i in range(64)])
LISTS = pa.array([["a", "b"], [], ["c"], None] * 16)
COLUMNS = {
    "list": LISTS.slice(0, 4),
    "large list": LISTS.cast(pa.large_list(pa.large_string())).slice(0, 4),
    "fixed-size list": pa.array([["a", "b"]] * 32, pa.list_(pa.string(), 2)).slice(0, 4),
    "dictionary": pa.DictionaryArray.from_arrays(pa.array([*range(60), None, 1, 2, 3], pa.int8()), WORDS).slice(56, 6),
    "dictionary with a null word": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2] * 8, pa.int8()), pa.array(["a", None, "b"] * 8)
    ).slice(0, 4),
    "list of dictionary": pa.array(
        [["a", "b"], [], ["c"]] * 16, pa.list_(pa.dictionary(pa.int16(), pa.string()))
    ).slice(0, 4),
}
FORMATS = [
    None, b"", b"+", b"+w:", b"+w:-1", b"+w:99999999999999999999", b"+w:x", b"+l", b"+L", b"+vl", b"c", b"S", b"g",
    b"u", b"i" * 10**6,
]  # fmt: skip

pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def inner(struct: Any) -> Any:
    """The structure inside: the dictionary, or the only child; None if there is none."""
    kind = type(struct)
    if struct.dictionary:
        return kind.from_address(struct.dictionary)
    if struct.n_children == 1:
        return kind.from_address(
            ctypes.c_void_p.from_address(ctypes.cast(struct.children, ctypes.c_void_p).value).value
        )
    return None


def wrong_values_inside(kind: Any, name: str) -> list[Any]:
    if kind is ctypes.c_int64:
        return INTEGERS
    if name == "format":
        return FORMATS
    if name in ("children", "dictionary", "buffers", "release"):
        return [None]
    return []


alive: list[Any] = []  # keeps callbacks alive


def restore_before_release(struct: Any, name: str) -> None:
    """Restores the right value before pyarrow releases the structure, as it uses the members."""
    field = getattr(type(struct), name)
    truth = ctypes.string_at(ctypes.addressof(struct) + field.offset, field.size)
    release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.cast(struct.release, ctypes.c_void_p).value)

    def restored(address: int) -> None:
        ctypes.memmove(address + field.offset, truth, field.size)
        release(address)

    alive.append(Release(restored))
    struct.release = alive[-1]


class OfPyarrow:
    def __init__(self, column: Any, struct: Any, depth: int, name: str, wrong: Any) -> None:
        self.capsules = column.__arrow_c_array__()
        schema, array = (
            kind.from_address(pointer(capsule, name_of))
            for kind, capsule, name_of in zip(
                (Schema, Array), self.capsules, (b"arrow_schema", b"arrow_array"), strict=True
            )
        )
        at = schema if struct is Schema else array
        for _ in range(depth):
            at = inner(at)
        if name != "release":
            restore_before_release(at, name)
        field = getattr(type(at), name)
        if wrong is None:  # a NULL of any pointer type
            ctypes.memset(ctypes.addressof(at) + field.offset, 0, field.size)
        else:
            setattr(at, name, wrong)

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.capsules


def read(column: Any, convert: Callable[..., Any]) -> str:
    """The error text, or "" if there is no error."""
    try:
        result = convert(column, missing="gone")
    except (TypeError, ValueError) as error:
        return str(error)
    strings = result[0] if isinstance(result, tuple) else result
    strings.validate().tolist(errors="replace")
    return ""


def check_nested() -> None:
    count = 0
    for label, column in COLUMNS.items():
        convert = as_ragged if "list" in label else as_strings
        for struct in (Schema, Array):
            for name, kind in struct._fields_:
                for wrong in wrong_values_inside(kind, name):
                    for depth in range(3 if label == "list of dictionary" else 2):
                        print(f"{label}: {struct.__name__}.{name} = {str(wrong)[:40]}, depth {depth}", flush=True)
                        outcome = read(OfPyarrow(column, struct, depth, name, wrong), convert)
                        require_error_or_nothing(outcome, convert.__name__)
                        count += 1
    print(f"{count} imports of nested columns")


if __name__ == "__main__":
    check_strings()
    check_nested()
