"""Functions of ragged rows take lists and arrays, as functions on strings do."""

import numpy as np
import pytest
import torch
from support.cases import each

import torch_stringops as so

ROW_SPLITS = [0, 2, 2, 3]
NUMBERS = {"ints": [7, 8, 9], "floats": [0.5, 1.0, 2.0], "bools": [True, False, True], "rows": [[1, 2], [3, 4], [5, 6]]}
STRINGS = ["a", "b", "a"]

CALLS = {
    "ragged_to_dense": lambda v, r: so.ragged_to_dense(v, r),
    "ragged_ngrams": lambda v, r: so.ragged_ngrams(v, r, 2),
    "ragged_truncate": lambda v, r: so.ragged_truncate(v, r, 1),
    "ragged_concat": lambda v, r: so.ragged_concat([(v, r), (v, r)]),
    "ragged_add_special": lambda v, r: so.ragged_add_special(v, r),
}
OF_VECTORS = {
    "ragged_unique": lambda v, r: so.ragged_unique(v, r, True),
    "ragged_add_special at both ends": lambda v, r: so.ragged_add_special(v, r, v[0], v[0]),
}
OF_STRINGS = {
    "string_join_ragged": lambda v, r: so.string_join_ragged(v, r, "-"),
    "string_ngrams_ragged": lambda v, r: so.string_ngrams_ragged(v, r, 2),
}
OF_IDS = {"ragged_count": lambda v, r: so.ragged_count(v, r, 10), "string_from_codepoints": so.string_from_codepoints}
OF_SPLITS = {"ragged_mask": lambda v, r: so.ragged_mask(r), "ragged_lengths": lambda v, r: so.ragged_lengths(r)}


def lists(result):
    return [lists(r) for r in result] if isinstance(result, tuple) else (result.tolist(), list(result.shape))


def forms(values):
    yield values
    yield tuple(values)
    yield np.array(values)


@each("values", [*NUMBERS.values(), STRINGS])
@each("name", [*CALLS, *OF_VECTORS, *OF_STRINGS, *OF_IDS, *OF_SPLITS])
def test_lists_are_tensors(name, values):
    call = (CALLS | OF_VECTORS | OF_STRINGS | OF_IDS | OF_SPLITS)[name]
    strings = isinstance(values[0], str)
    if (name in OF_VECTORS and isinstance(values[0], list)) or (name in OF_STRINGS and not strings):
        return
    if name in OF_IDS and values != NUMBERS["ints"]:
        return
    tensor = so.StringTensor.from_list(values) if strings else torch.tensor(values)
    if name in OF_VECTORS and not strings and name != "ragged_unique":
        want = call(tensor, torch.tensor(ROW_SPLITS))
        assert lists(so.ragged_add_special(values, ROW_SPLITS, values[0], values[0])) == lists(want)
        return
    want = lists(call(tensor, torch.tensor(ROW_SPLITS)))
    for given in forms(values):
        for splits in (*forms(ROW_SPLITS), np.array(ROW_SPLITS, dtype=np.int32), torch.tensor(ROW_SPLITS)):
            assert lists(call(given, splits)) == want
        assert lists(call(given, range(4))) == lists(call(tensor, torch.arange(4)))


def test_dense_lists():
    assert lists(so.dense_to_ragged([[1, 0], [2, 3]], [1, 2])) == [([1, 2, 3], [3]), ([0, 1, 3], [3])]
    assert so.dense_to_ragged([["a", ""], ["b", "c"]], np.array([1, 2]))[0].tolist() == ["a", "b", "c"]
    assert so.dense_to_ragged([[1, 0], [2, 3]], padding_value=0)[1].tolist() == [0, 1, 3]


def test_columns_of_other_libraries():
    pa = pytest.importorskip("pyarrow")
    assert so.ragged_to_dense(pa.array(["a", "b", "c"]), ROW_SPLITS).tolist() == [["a", "b"], ["", ""], ["c", ""]]


def test_no_elements():
    assert so.ragged_to_dense([], [0, 0]).shape == (1, 0)
    assert so.ragged_count([], [0, 0], 3).tolist() == [[0, 0, 0]]
    assert so.string_join_ragged([], [0, 0]).tolist() == [""]
    assert so.string_from_codepoints([], [0, 0]).tolist() == [""]


def test_lists_in_a_traced_program():
    def model(ids):
        return so.ragged_to_dense(ids, [0, 1, 3], width=2)

    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    assert compiled(torch.tensor([7, 8, 9])).tolist() == [[7, 0], [8, 9]]


@each(("call", "error", "text"), [
    (lambda: so.ragged_lengths(["a"]), TypeError, "to be a Tensor or numbers in a list, got a list of others"),
    (
        lambda: so.ragged_mask([0, None]),
        ValueError,
        r"ragged_mask: expected no missing numbers in `row_splits`, got one at \[1\]$",
    ),
    (lambda: so.ragged_mask([0.0, 2.0]), ValueError, "expected `row_splits` to be int64, got float32"),
    (lambda: so.ragged_mask([[0, 2]]), ValueError, r"of shape \[n \+ 1\] with n >= 0, got shape \[1, 2\]"),
    (lambda: so.ragged_lengths(None), TypeError, "expected `row_splits` to be a Tensor, got NoneType"),
    (
        lambda: so.ragged_unique([1, None], [0, 2]),
        ValueError,
        r"ragged_unique: expected no missing numbers in `values`, got one at \[1\]$",
    ),
    (
        lambda: so.ragged_to_dense([[1, 2], [3, None]], [0, 2]),
        ValueError,
        r"no missing numbers in `values`, got one at \[1, 1\]$",
    ),
    (
        lambda: so.ragged_to_dense([1.0, float("nan"), "a"], [0, 2]),
        TypeError,
        "numbers in a list, got a list of others",
    ),
    (lambda: so.ragged_unique(["a", None], [0, 2]), ValueError, r"no missing strings, got one at \[1\]"),
    *(
        (lambda function=function: function({1}, [0, 1]), TypeError, "`values` to be a Tensor or a StringTensor, got set")
        for function in (so.ragged_unique, so.ragged_to_dense)
    ),
    (lambda: so.ragged_concat([([1], [0, 1]), (["a"], [0, 1])]), TypeError, "ragged_concat"),
])  # fmt: skip
def test_values_that_are_rejected(call, error, text):
    with pytest.raises(error, match=text):
        call()
