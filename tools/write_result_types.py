"""Writes csrc/ort/result_types.h: the dtypes of the results of operators. onnxruntime needs them when it loads a model.

    python tools/write_result_types.py

Operators whose first results are named data and offsets are left out: csrc/ort/schema_op.cpp derives their dtypes.

The fake kernels tell the others (torch_stringops/ops), which get the samples of the operators' suites (tests/ops) with
every type in place of each other tensor and attribute of a type, and with both values of each bool.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._pytree import tree_map_only

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.errors import BAD_ARGUMENT  # noqa: E402
from support.harness import OpSuite  # noqa: E402
from support.registry import PACKAGED, REGISTERED, suite_of  # noqa: E402

DTYPES = (torch.bool, torch.uint8, torch.int32, torch.int64, torch.uint32, torch.float32, torch.float64)
HEADER = ROOT / "csrc" / "ort" / "result_types.h"
START = """\
// The types of the results of operators that return no strings: those of torch, `any` if they depend on the arguments,
// and for a list of tensors one type, or `mixed`. Written by tools/write_result_types.py.
#pragma once

#include <string_view>

namespace stringops::ort {

struct ResultTypes {
  std::string_view op;  // with the overload
  std::string_view types;
};

inline constexpr ResultTypes kResultTypes[] = {
"""
END = """\
};

}  // namespace stringops::ort
"""


def dtype_name(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def merged(names: Sequence[str]) -> str:
    return names[0] if len(set(names)) == 1 else "any"


def variants(suite: OpSuite) -> Iterator[dict[str, Any]]:
    """The arguments of the samples, and those with another type or bool."""
    schema = suite.overload._schema.arguments
    for sample in suite.samples:
        args, kwargs = suite.tensors(sample)
        given = dict(zip((a.name for a in schema), args, strict=False)) | kwargs
        yield given
        for argument in schema:
            name, kind = argument.name, str(argument.real_type)
            if isinstance(given.get(name), Tensor) and not name.endswith(("data", "offsets")):
                yield from ({**given, name: given[name].to(dtype)} for dtype in DTYPES)
            elif "ScalarType" in kind or kind == "bool":
                yield from ({**given, name: value} for value in (DTYPES if kind != "bool" else (False, True)))


def result_types(suite: OpSuite) -> str:
    """The types of the results, a word for each result of the schema."""
    results = []
    mode = FakeTensorMode(shape_env=ShapeEnv())
    for given in variants(suite):
        faked = tree_map_only(Tensor, mode.from_tensor, given)
        try:
            with mode:
                found = suite.overload(**faked)
        except BAD_ARGUMENT:
            continue
        results.append([dtype_name(t) for t in ([found] if isinstance(found, Tensor) else found)])
    if str(suite.overload._schema.returns[0].type) != "List[Tensor]":
        return " ".join(merged(names) for names in zip(*results, strict=True))
    lists = [names for names in results if names]
    if any(len(set(names)) > 1 for names in lists):
        return "mixed"
    return merged([names[0] for names in lists])


def main() -> None:
    lines = []
    for name in REGISTERED:
        suite = suite_of(name.removeprefix("_packaged_") if name in PACKAGED else name)
        types = result_types(suite)
        names = [result.name for result in suite.overload._schema.returns]
        if names[:2] != ["data", "offsets"]:
            lines.append(f'    {{"{name}", "{types}"}},\n')
        elif types.split() != ["uint8", "int32", *["int64"] * (len(names) - 2)]:
            raise ValueError(f"{name} returns {types}: csrc/ort/schema_op.cpp expects int64 after strings")
    HEADER.write_text(START + "".join(lines) + END, encoding="utf-8")


if __name__ == "__main__":
    main()
