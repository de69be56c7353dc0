"""Malformed Arrow structures of nested columns: members of pyarrow's structures set to wrong values, in a child process.

    python tests/interop/arrow_nested.py

Each import must end in an error of less than 1 KB or in valid strings. Wrong values that a consumer cannot detect, like
invalid pointers, are not tested; the buffers have room for slightly wrong sizes.
"""

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import pyarrow as pa  # noqa: E402
from support.arrow import Array, Release, Schema  # noqa: E402

from torch_stringops import as_ragged, as_strings  # noqa: E402

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
INTEGERS = [-(2**63), -1, 0, 1, 2, 3, 5, 2**60, 2**63 - 1]
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


def wrong_values(kind: Any, name: str) -> list[Any]:
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


class WrongMember:
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


def main() -> int:
    count = 0
    for label, column in COLUMNS.items():
        convert = as_ragged if "list" in label else as_strings
        for struct in (Schema, Array):
            for name, kind in struct._fields_:
                for wrong in wrong_values(kind, name):
                    for depth in range(3 if label == "list of dictionary" else 2):
                        print(f"{label}: {struct.__name__}.{name} = {str(wrong)[:40]}, depth {depth}", flush=True)
                        outcome = read(WrongMember(column, struct, depth, name, wrong), convert)
                        assert not outcome or outcome.startswith(f"{convert.__name__}: "), outcome[:2000]
                        assert len(outcome) < 1024, outcome[:2000]
                        count += 1
    print(f"{count} imports")
    return 0


if __name__ == "__main__":
    sys.exit(main())
