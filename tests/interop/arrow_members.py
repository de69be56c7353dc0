"""Malformed Arrow structures: every member of every structure of the C interfaces set to a wrong value, in a child process.

    python tests/interop/arrow_members.py

The members are those of the ctypes structures. Wrong values that a consumer cannot detect, like an invalid pointer to
the buffers, are not tested. Each import must end in an error of less than 1 KB or in valid strings, and each
structure must be released once, unless its `release` was removed.
"""

import ctypes
import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.arrow import Array, Producer, Schema, Stream, Streaming, i32, i64, view  # noqa: E402

from torch_stringops import StringTensor  # noqa: E402

STRUCTURES: tuple[Any, ...] = (Schema, Array, Stream)
ROOM = 16  # strings in the buffers. The array has three, so that slightly wrong sizes stay within the buffers
TEXT = b"some text, with more than twelve bytes" * ROOM
BUFFERS = {
    b"u": [b"\xff" * ROOM, i32(*range(ROOM + 1)), TEXT],
    b"U": [b"\xff" * ROOM, i64(*range(ROOM + 1)), TEXT],
    b"vu": [b"\xff" * ROOM, (view(TEXT[:3]) + view(TEXT[:20])) * ROOM, TEXT, i64(len(TEXT)), *[None] * ROOM],
}
INTEGERS = [-(2**63), -1, 0, 1, 2, 3, 4, 5, 7, 2**60, 2**63 - 1]
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


class WrongMember:
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


class WrongProducer(WrongMember, Producer):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        capsules = super().__arrow_c_array__(requested_schema)
        self.handed = [made for made in self.keep if isinstance(made, (Schema, Array))]
        return capsules


class WrongStream(WrongMember, Streaming):
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
    assert not outcome or outcome.partition(": ")[2].startswith("StringTensor.from_arrow: "), outcome[:2000]
    assert len(outcome) < 1024, outcome[:2000]
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


def main() -> int:
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
