"""Writes csrc/ort/result_types.h: the types of the results of every operator, which onnxruntime asks for in advance.

    python tools/write_result_types.py

Schemas do not have them, so they are those of the samples of the operators' suites (tests/ops).
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from torch import Tensor

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.harness import OpSuite  # noqa: E402
from support.registry import PACKAGED, REGISTERED, suite_of  # noqa: E402

HEADER = ROOT / "csrc" / "ort" / "result_types.h"
START = """\
// The types of the results of operators: those of torch, `any` if they depend on the arguments, and for a list of
// tensors one type, or `mixed`. Written by tools/write_result_types.py.
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


def result_types(suite: OpSuite) -> str:
    """The types of the results, a word for each result of the schema."""
    results = []
    for sample in suite.samples:
        args, kwargs = suite.tensors(sample)
        found = suite.overload(*args, **kwargs)
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
        lines.append(f'    {{"{name}", "{result_types(suite)}"}},\n')
    HEADER.write_text(START + "".join(lines) + END, encoding="utf-8")


if __name__ == "__main__":
    main()
