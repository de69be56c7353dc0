"""Writes samples.txt: the calls of all suites in tests/ops, and what torch gives for them. Run it after a suite changes.

    PYTHONPATH=.:tests python tests/fuzz/write_samples.py [FILE]

A line is a call, in columns: the operator, the hash of its results or, after "!", of its error (operator_call.h), and
arguments that are not the defaults, as name=value. Values are numbers, separated by commas; "texts", in which \\xNN is a
byte; tensors, as dtype[sizes] and then numbers, or the text of their bytes; @N, the result of line N, for tables; None.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from support.registry import classes_by_overload
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

FILE = Path(__file__).with_name("samples.txt")
BUILDS = ("vocab_build", "subword_build")
MAX_LINE, MAX_TABLE_LINE, MAX_BUILD_LINE = 600, 4000, 12_000
MAX_RESULT_BYTES = 1 << 19


class Unrepresentable(Exception):
    """The host has no such argument."""


class Builds(TorchDispatchMode):
    """Records the calls that build tables, by the bytes of the table."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[bytes, tuple[Any, Any]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func._schema.name.removeprefix("stringops::") in BUILDS and type(result) is Tensor:
            self.calls[raw(result)] = (func, args)
        return result


def raw(tensor: Tensor) -> bytes:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def text(value: bytes) -> str:
    return '"' + "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\x{c:02x}" for c in value) + '"'


def tensor_text(tensor: Tensor) -> str:
    dtype = str(tensor.dtype).removeprefix("torch.")
    has_type = not tensor.is_complex() and "float8" not in dtype
    if tensor.device.type != "cpu" or tensor.layout != torch.strided or not tensor.is_contiguous() or not has_type:
        raise Unrepresentable
    head = f"{dtype}[{','.join(map(str, tensor.shape))}]"
    if dtype in ("int32", "int64"):
        return head + ",".join(map(str, tensor.reshape(-1).tolist()))
    return head + text(raw(tensor))


def value_text(value: Any, lines: dict[bytes, int], name: str) -> str:
    if value is None:
        return "None"
    if isinstance(value, Tensor):
        if name == "table" and value.dtype == torch.uint8 and value.dim() == 1 and raw(value) in lines:
            return f"@{lines[raw(value)]}"
        return tensor_text(value)
    if isinstance(value, list | tuple):
        return ",".join(value_text(item, lines, name) for item in value) if value else "[]"
    if isinstance(value, str):
        return text(value.encode(errors="surrogateescape"))
    if isinstance(value, torch.dtype) and not value.is_complex:
        return str(value).removeprefix("torch.")
    if isinstance(value, bool | int | float):
        return repr(float(value)) if isinstance(value, float) else str(int(value))
    raise Unrepresentable


def hash_of(value: bytes) -> int:
    """FNV-1a, of 64 bits."""
    state = 0xCBF29CE484222325
    for byte in value:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


def outcome(overload: Any, args: Any, kwargs: Any) -> str:
    try:
        results = overload(*args, **kwargs)
    except Exception as error:
        return f"!{hash_of(str(error).encode(errors='surrogateescape')):016x}"
    results = [results] if isinstance(results, Tensor) else list(results)
    if sum(r.numel() * r.element_size() for r in results) > MAX_RESULT_BYTES:
        raise Unrepresentable
    parts = (str(r.dtype).removeprefix("torch.").encode() + str(list(r.shape)).encode() + raw(r) for r in results)
    return f"{hash_of(b''.join(parts)):016x}"


def line_of(overload: Any, args: Any, kwargs: Any, lines: dict[bytes, int], hash: str) -> str:
    schema = overload._schema
    given = dict(zip((a.name for a in schema.arguments), args, strict=False)) | kwargs
    columns = [f"{a.name}={value_text(given[a.name], lines, a.name)}" for a in schema.arguments if a.name in given]
    name = schema.name.removeprefix("stringops::") + (f".{schema.overload_name}" if schema.overload_name else "")
    return "\t".join([name, hash, *columns])


def calls() -> Iterator[tuple[Any, Any, Any]]:
    for name in sorted(classes_by_overload()):
        for test_class in classes_by_overload()[name]:
            suite = test_class.suite
            for call in [*suite.samples, *(call for call, _ in suite.errors)]:
                yield (suite.overload, *suite.tensors(call))


def samples() -> list[str]:
    """The lines. In a new process, as the import of the suites draws numbers and builds tables."""
    torch.manual_seed(0)
    builds = Builds()
    with builds:
        made = list(calls())
    used = {raw(a) for _, args, _ in made for a in args if isinstance(a, Tensor)} & builds.calls.keys()
    lines: list[str] = []
    numbers: dict[bytes, int] = {}
    for table, (overload, args) in builds.calls.items():
        if table not in used or len(table) > MAX_RESULT_BYTES:
            continue
        if len(line := line_of(overload, args, {}, {}, outcome(overload, args, {}))) <= MAX_BUILD_LINE:
            numbers[table] = len(lines)
            lines.append(line)
    for overload, args, kwargs in made:
        try:
            line = line_of(overload, args, kwargs, numbers, outcome(overload, args, kwargs))
        except Unrepresentable:
            continue
        limit = MAX_TABLE_LINE if "\ttable=@" in line else MAX_LINE
        if len(line) <= limit and line not in lines:
            lines.append(line)
    return lines


if __name__ == "__main__":
    file = Path(sys.argv[1]) if sys.argv[1:] else FILE
    file.write_text("".join(f"{line}\n" for line in samples()), encoding="ascii")
