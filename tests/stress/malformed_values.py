"""Malformed and unusual values of an argument, by its type in the schema.

For tensor arguments, a value is a name and a function from a valid argument to a malformed or unusual one; the function
raises if a valid argument has no such version. tests/support/harness.py has the malformed string pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torch_stringops import StringTensor

Make = Callable[[Tensor], Any]

INT64_MAX = 2**63 - 1
# Larger than any machine's memory, and than int32.
HUGE = 2**43

NAMES = (
    "uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 complex128"
)
DTYPES = [getattr(torch, name) for name in (NAMES + " bool float8_e4m3fn").split()]
STRING = StringTensor.from_list("text")
STRING_TENSOR = StringTensor.from_list(["to", "be"])
# Values of no type of an operator's arguments.
OTHERS: dict[str, Any] = {
    "None": None, "bytes": b"bytes", "an object": object(), "a dict": {"x" * 10**6: "x" * 10**6},
    "a StringTensor": STRING_TENSOR, "a single string": STRING, "a list of StringTensors": [STRING_TENSOR, STRING],
}  # fmt: skip


class Subclass(Tensor):
    pass


def with_storage(t: Tensor, keep: float) -> Tensor:
    """A copy whose storage was then resized to a fraction of its bytes; the tensor keeps its size."""
    copy = t.clone(memory_format=torch.contiguous_format)
    storage = copy.untyped_storage()
    storage.resize_(int(storage.nbytes() * keep))
    if t.numel() == 0:
        raise TypeError("nothing to cut")
    return copy


def wide(t: Tensor) -> Tensor:
    """Every element twice, along a new last dimension."""
    return torch.stack([t, t], dim=-1)


def misfit(t: Tensor) -> Tensor:
    """The same values at a storage offset of one element."""
    return torch.cat([t.reshape(-1)[:1], t.reshape(-1)])[1:].reshape(t.shape)


def at(t: Tensor, index: int, value: int) -> Tensor:
    changed = t.clone(memory_format=torch.contiguous_format).reshape(-1)
    changed[index] = value
    return changed.reshape(t.shape)


# The same values in another layout. The result must be that of a plain copy, or an error.
LAYOUTS: dict[str, Make] = {
    "as it is": lambda t: t,
    "at a storage offset": misfit,
    "strided": lambda t: wide(t)[..., 0],
    "transposed": lambda t: wide(t).movedim(-1, 0)[1],
    "expanded from one element": lambda t: t.reshape(-1)[:1].expand(t.numel()).reshape(t.shape),
    "of stride 0": lambda t: t.reshape(-1)[:1].as_strided(t.shape, [0] * t.dim()),
    "overlapping": lambda t: t.as_strided(t.shape, [1] * t.dim()),
    "reversed": lambda t: t.flip(-1),
    "a negative view": torch._neg_view,
    "a subclass": lambda t: t.as_subclass(Subclass),
    "a parameter": lambda t: torch.nn.Parameter(t.clone(), requires_grad=t.is_floating_point()),
    "requiring grad": lambda t: t.clone().requires_grad_(),
    "requiring grad, not a leaf": lambda t: t.clone().requires_grad_() * 1,
    "zeros without memory": lambda t: torch._efficientzerotensor(t.shape, dtype=t.dtype),
    "in shared memory": lambda t: t.clone().share_memory_(),
    "doubled by broadcasting": lambda t: t.expand(2, *t.shape),
}

# Other values, most of them malformed.
TENSORS: dict[str, Make] = {
    **{f"of dtype {dtype}": (lambda t, dtype=dtype: t.to(dtype)) for dtype in DTYPES},
    "conjugated": lambda t: t.to(torch.complex64).conj(),
    "the imaginary part of a conjugate": lambda t: t.to(torch.complex64).conj().imag,
    "quantised": lambda t: torch.quantize_per_tensor(t.float(), 0.1, 0, torch.quint8),
    "sparse": lambda t: t.to_sparse(),
    "sparse by rows": lambda t: t.reshape(1, -1).to_sparse_csr(),
    "in oneDNN's layout": lambda t: t.float().to_mkldnn(),
    "nested": lambda t: torch.nested.nested_tensor([t, t]),
    "nested, jagged": lambda t: torch.nested.nested_tensor([t, t], layout=torch.jagged),
    "on meta": lambda t: t.to("meta"),
    "of rank 0": lambda t: t.reshape(-1)[0],
    "of one more dimension before": lambda t: t[None],
    "of one more dimension after": lambda t: t[..., None],
    "of rank 40": lambda t: t.reshape([1] * 39 + [-1]),
    "of 64 dimensions of 1": lambda t: t.reshape(-1)[:1].reshape([1] * 64),
    "flattened": lambda t: t.reshape(-1),
    "empty": lambda t: t.reshape(-1)[:0],
    "empty, [0, 0]": lambda t: t.new_empty([0, 0]),
    "empty, [3, 0]": lambda t: t.new_empty([3, 0]),
    "empty, [0, 3]": lambda t: t.new_empty([0, 3]),
    "empty, [2**43, 0]": lambda t: t.new_empty([HUGE, 0]),
    "empty, [0, 2**43]": lambda t: t.new_empty([0, HUGE]),
    "empty, [2**43, 0, 2**18]": lambda t: t.new_empty([HUGE, 0, 2**18]),
    "empty, [0, 2**43, 2**43]": lambda t: t.new_empty(0).as_strided([0, HUGE, HUGE], [1, 1, 1]),
    "empty, [0, 2**63 - 1]": lambda t: t.new_empty(0).as_strided([0, INT64_MAX], [1, 1]),
    "empty, [2**63 - 1, 0]": lambda t: t.new_empty(0).as_strided([INT64_MAX, 0], [1, 1]),
    "one element less": lambda t: t[..., :-1],
    "one row less": lambda t: t[:-1],
    "one element more": lambda t: torch.cat([t, t[..., -1:]], dim=-1),
    "one element of 2**43": lambda t: t.reshape(-1)[:1].expand(HUGE),
    "one element of [2**43, 1]": lambda t: t.reshape(-1)[:1].expand(HUGE, 1),
    "one element of [2**31, 2**31]": lambda t: t.reshape(-1)[:1].expand(2**31, 2**31),
    "one element of [1, 2**62]": lambda t: t.reshape(-1)[:1].expand(1, 2**62),
    "storage emptied": lambda t: with_storage(t, 0),
    "storage cut to a half": lambda t: with_storage(t, 0.5),
    "storage emptied, of a strided view": lambda t: with_storage(wide(t), 0)[..., 0],
    "zeros": torch.zeros_like,
    "ones": torch.ones_like,
    "all -1": lambda t: torch.full_like(t, -1),
    "all least": lambda t: torch.full_like(t, torch.iinfo(t.dtype).min),
    "all largest": lambda t: torch.full_like(t, torch.iinfo(t.dtype).max),
    "all NaN": lambda t: torch.full_like(t, float("nan")),
    "all infinite": lambda t: torch.full_like(t, float("inf")),
    "first least": lambda t: at(t, 0, torch.iinfo(t.dtype).min),
    "first -1": lambda t: at(t, 0, -1),
    "first 1": lambda t: at(t, 0, 1),
    "last 2**31 - 1": lambda t: at(t, -1, 2**31 - 1),
    "last 2**32": lambda t: at(t, -1, 2**32),
    "last 2**63 - 1": lambda t: at(t, -1, INT64_MAX),
    "last 0": lambda t: at(t, -1, 0),
    "middle 2**63 - 1": lambda t: at(t, t.numel() // 2, INT64_MAX),
    "middle least": lambda t: at(t, t.numel() // 2, torch.iinfo(t.dtype).min),
    "falling": lambda t: t.reshape(-1).sort(descending=True).values.reshape(t.shape),
    "alternating": lambda t: torch.arange(t.numel()).remainder(2).mul(100).reshape(t.shape).to(t.dtype),
    "bits turned": lambda t: t.bitwise_not(),
    "a number": lambda _: 1,
    "a list": lambda t: t.tolist(),
    "str": lambda _: "text",
    "an array": lambda t: t.numpy(),
    "a list of tensors": lambda t: [t, t],
    **{name: (lambda _, value=value: value) for name, value in OTHERS.items()},
}

EDGES = "0 1 -1 2 7 100 2**15 2**24 2**31-1 2**31 -2**31 -2**31-1 2**32 2**43 2**62 2**62+1 2**63-1 2**63 -2**63"
EDGES += " -2**63+1 -2**63-1 2**64 -2**64 10**30 0.5 nan inf 1j True"
INTEGERS: dict[str, Any] = {
    **{text: eval(text, {"nan": math.nan, "inf": math.inf}) for text in EDGES.split()},
    "10**5000": 10**5000, "str": "1", "a list": [1], "a tensor": torch.tensor(1),
    "a tensor of two": torch.tensor([1, 1]), **OTHERS,
}  # fmt: skip

INTEGER_LISTS: dict[str, Any] = {
    **INTEGERS,
    **{f"[{name}]": [value] for name, value in INTEGERS.items()},
    "empty": [], "sum overflows": [INT64_MAX, INT64_MAX, 2], "sum overflows to the length": [INT64_MAX, INT64_MAX, 8],
    "negative and positive": [-1, 7], "100,000 zeros": [0] * 100_000, "tensors": [torch.tensor(1), torch.tensor(2)],
}  # fmt: skip

BOOLEANS: dict[str, Any] = {**INTEGERS, "False": False}

MEGABYTE = 1 << 20
STRINGS: dict[str, Any] = {
    "empty": "", "NUL": "\0", "NUL within": "left\0", "NUL before": "\0reference", "space": " ", "newlines": "\r\n",
    **{f"a megabyte of {text!r}": text * (MEGABYTE // len(text)) for text in ("x", "\0", "'\"", *"([\\|*", "a*")},
    "a megabyte of 4 bytes each": "\U0001f600" * (MEGABYTE // 4),
    "not ASCII": "ünïcödé", "last code point": "\U0010ffff", "surrogate": "\ud800",
    "surrogate before a megabyte": "\ud800" + "x" * MEGABYTE, "byte order mark": "\ufeff", "format": "%s%n{}{0}",
    "other case": "LEFT", "as a regex": "(", "bytes that are not UTF-8": b"\xff\xc0", "a number": 1, "2**64": 2**64,
    "a list": ["a"], "a tensor": torch.tensor(1), **OTHERS,
}  # fmt: skip

STRING_LISTS: dict[str, Any] = {
    **{f"[{name}]": [value] for name, value in STRINGS.items()},
    **STRINGS,
    "none at all": [],
    "100 patterns that make 8 states each": [f"a{{8}}b{i}" for i in range(100)],
    "the second wrong": ["a", "("],
    "10,000 of one letter": ["x"] * 10_000,
    "the empty one among others": ["a", ""],
}


def values_for(schema_type: str) -> dict[str, Any]:
    """Values of an attribute, by its type in the schema. An unknown type is an error: add its values."""
    plain = schema_type.replace("Optional[", "").rstrip("]") if "List" not in schema_type else schema_type
    table = {"int": INTEGERS, "SymInt": INTEGERS, "float": INTEGERS, "bool": BOOLEANS, "str": STRINGS}
    if plain in table:
        return table[plain]
    if "List[int]" in schema_type or "List[SymInt]" in schema_type:
        return INTEGER_LISTS
    if "List[str]" in schema_type:
        return STRING_LISTS
    raise KeyError(f"tests/stress/malformed_values.py has no values of type {schema_type}")
