"""docs/coming_from.md: each expression on the right runs, and equals the one on the left if that library is installed."""

import importlib
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import torch_stringops
import torch_stringops.nn
from torch_stringops import StringTensor, Vocabulary

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "coming_from.md").read_text(encoding="utf-8")
STRINGS = ["to be", "Not", "  ünï ÀB", "be", ""]
NUMBERS = ["1", "-2.5", "1e3"]

OURS = {
    **{name: getattr(torch_stringops, name) for name in torch_stringops.__all__},
    "nn": torch_stringops.nn,
    "torch": torch,
    "Vocabulary": Vocabulary,
}


def rows() -> list[Any]:
    found = []
    for section in PAGE.split("\n## ")[1:]:
        library = section.split("\n", 1)[0]
        for left, right in re.findall(r"^\| (?!---)(.+?) \| (`.+) \|$", section, re.MULTILINE):
            found.append(pytest.param(library, left, right, id=f"{library}: {left.strip('`')}"))
    return found


def code(cell: str) -> tuple[str, bool]:
    """The expression at the beginning of a cell, and whether words follow it, which say how it differs."""
    match = re.match(r"`(.+?)`(.*)$", cell)
    assert match, cell
    return match[1], bool(match[2])


def namespace(library: str) -> dict[str, Any]:
    if library == "TensorFlow":
        tf = pytest.importorskip("tensorflow")
        return {"tf": tf, "s": tf.constant(STRINGS), "n": tf.constant(NUMBERS)}
    if library == "pyarrow.compute":
        pa = pytest.importorskip("pyarrow")
        pc = importlib.import_module("pyarrow.compute")
        return {"pc": pc, "s": pa.array(STRINGS), "n": pa.array(NUMBERS)}
    pl = pytest.importorskip("polars")
    return {"pl": pl, "s": pl.Series(STRINGS), "n": pl.Series(NUMBERS)}


def plain(value: Any) -> Any:
    """Results of any library as nested lists of str and numbers."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], torch.Tensor) and len(value[0]):
        values, row_splits = value
        if row_splits.numel() == len(STRINGS) + 1 and int(row_splits[-1]) == len(values):
            at = row_splits.tolist()
            return [plain(values[a:b]) for a, b in itertools.pairwise(at)]
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    for name in ("to_list", "to_pylist"):
        if hasattr(value, name):
            return plain(getattr(value, name)())
    if isinstance(value, np.ndarray) or (hasattr(value, "numpy") and not isinstance(value, StringTensor)):
        return plain(np.asarray(value).tolist())
    if isinstance(value, StringTensor):
        return value.tolist()
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.parametrize(("library", "left", "right"), rows())
def test_row(library: str, left: str, right: str):
    expression, differs = code(right)
    ours = eval(
        expression, {**OURS, "s": StringTensor.from_list(STRINGS), "n": StringTensor.from_list(NUMBERS)}
    )
    assert ours is not None
    if library in ("ONNX", "torchtext") or differs or not left.startswith("`"):
        return
    theirs = eval(code(left)[0], namespace(library))
    if isinstance(ours, type):  # a class of a module
        return
    if hasattr(theirs, "_fields"):  # of several results, the first ones
        ours, theirs = tuple(ours)[: len(theirs)], tuple(theirs)
    assert plain(ours) == plain(theirs)


def test_rows_are_found():
    assert len(rows()) > 90
