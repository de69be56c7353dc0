"""docs/coming_from.md: both sides of each row on the bank of strings. A row that says how they differ differs for the columns
that `DIFFERENCES` selects and for no others; any other row is equal for all."""

import importlib.util
import inspect
import re
import types

import pytest
import torch
from support.cases import each
from support.coming_from.differences import DIFFERENCES
from support.coming_from.peers import EVALUATE, NOT_COMPARABLE, RECORDED_LIBRARIES, recorded, theirs
from support.coming_from.rows import ERROR, PAGE, Row, ours, plain, rows

import torch_stringops
from torch_stringops import StringTensor

ROWS = rows()


@pytest.mark.check
@each("row", ROWS)
def test_row(row: Row):
    results = [
        (column, ours(row, column), other)
        for column, other in zip(row.columns, theirs(row), strict=True)
        if other != NOT_COMPARABLE
    ]
    assert sum(own != ERROR for _, own, _ in results) > len(results) / 2, "the row does not run"
    differing = [column for column, own, other in results if own != other]
    differs = DIFFERENCES[row.left] if row.note else lambda column: False
    if differs is None:
        assert differing
    else:
        assert differing == [column for column, _, _ in results if differs(column)]
        assert bool(differing) == bool(row.note)


def test_differences_are_rows():
    assert sorted(row.left for row in ROWS if row.note) == sorted(DIFFERENCES)
    assert len(ROWS) > 100


@pytest.mark.parametrize("library", RECORDED_LIBRARIES)
def test_every_row_is_recorded(library: str):
    of_library = {row.left: row for row in ROWS if row.library == library}
    found = recorded()[library]["rows"]
    assert found.keys() == of_library.keys()
    for left, row in of_library.items():
        assert len(found[left]) == len(row.columns), "record again: see tests/support/coming_from/record.py"


@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="needs TensorFlow")
def test_the_recorded_is_what_tensorflow_returns():
    _, evaluate = EVALUATE["TensorFlow"]
    for row in ROWS:
        if row.library == "TensorFlow":
            assert [plain(evaluate(row, column)) for column in row.columns] == theirs(row), row


def test_functions_that_are_methods():
    text = PAGE.read_text(encoding="utf-8")
    functions_only = re.search(r"These are functions only: (.*?)\.\s", text, re.DOTALL)
    methods_of_torch = re.search(r"torch's methods, on strings: (.*?)\.\s", text, re.DOTALL)
    assert functions_only
    assert methods_of_torch
    missing, torchs = [], ["split"]  # which is both
    for name in torch_stringops.__all__:
        function, method = getattr(torch_stringops, name), name.removeprefix("string_")
        if not isinstance(function, types.FunctionType) or not name.startswith(("string_", "regex_")):
            continue
        if not hasattr(StringTensor, method):
            missing.append(name)
        elif f"`s.{method}`" in methods_of_torch[1]:
            torchs.append(method)
            assert hasattr(torch.Tensor, method)
        elif name not in ("string_split", "string_split_ragged"):  # functions without the method's other arguments
            (_, *of_function), (_, *of_method) = (
                [(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()]
                for f in (function, getattr(StringTensor, method))
            )
            assert of_function == of_method, name
    assert re.findall(r"`(\w+)`", functions_only[1]) == sorted(missing)
    assert sorted([*re.findall(r"`s\.(\w+)`", methods_of_torch[1]), "split"]) == sorted(torchs)
