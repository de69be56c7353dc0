"""as_strings: every container of strings, and missing strings."""

from collections.abc import Callable
from typing import Any

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.harness import OpSuite
from support.registry import PUBLIC, suite_of

import torch_stringops
from torch_stringops import StringTensor, as_ragged, as_strings
from torch_stringops.interop.strings import is_column

TEXTS = ["to", "", "é日😀", "a much longer string than twelve bytes", "to"]
WITHOUT = [*TEXTS[:2], None, *TEXTS[2:]]

SOURCES = {
    "list": list,
    "tuple": tuple,
    "object array": lambda v: np.array(v, dtype=object),
    "StringDType": lambda v: np.array(v, dtype=np.dtypes.StringDType(na_object=None)),
    "masked array": lambda v: (
        np.ma.array(["masked" if x is None else x for x in v], mask=[x is None for x in v])
        if None in v
        else np.ma.array(v)
    ),
    "pyarrow": pa.array,
    "pyarrow, large": lambda v: pa.array(v, pa.large_string()),
    "pyarrow, views": lambda v: pa.array(v, pa.string_view()),
    "pyarrow, chunks": lambda v: pa.chunked_array([v[:2], [], v[2:]], pa.string()),
    "pyarrow, dictionary": lambda v: pa.array(v).dictionary_encode(),
    "pyarrow, dictionary in chunks": lambda v: pa.chunked_array([v[:2], v[2:]], pa.string()).dictionary_encode(),
    "pandas": pd.Series,
    "pandas, object": lambda v: pd.Series(v, dtype=object),
    "pandas, category": lambda v: pd.Series(v, dtype="category"),
    "pandas, arrow": lambda v: pd.Series(v, dtype="string[pyarrow]"),
    "pandas, index": pd.Index,
    "pandas, arrow index": lambda v: pd.Index(v, dtype="string[pyarrow]"),
    "pandas, categorical": pd.Categorical,
    "polars": pl.Series,
    "polars, categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars, enum": lambda v: pl.Series(v, dtype=pl.Enum(sorted({x for x in v if x is not None}))),
    "datasets": lambda v: datasets.Dataset.from_dict({"text": v})["text"],
}


@each("source", SOURCES)
def test_every_source_gives_the_same_strings(source):
    assert as_strings(SOURCES[source](TEXTS)).tolist() == TEXTS


@each("source", SOURCES)
def test_the_default_device_does_not_matter(source):
    values = SOURCES[source](TEXTS)
    with torch.device("meta"):
        strings = as_strings(values)
    assert strings.tolist() == TEXTS


@each("source", SOURCES)
def test_a_missing_string_is_an_error_that_gives_its_position(source):
    with pytest.raises((ValueError, TypeError), match=r"^as_strings: .*at \[2\].*missing="):
        as_strings(SOURCES[source](WITHOUT))


@each("source", SOURCES)
@each("fill", ["", "<missing>", b"\xff"])
def test_missing_strings_are_replaced(source, fill):
    strings = as_strings(SOURCES[source](WITHOUT), missing=fill)
    raw = fill.encode() if isinstance(fill, str) else fill
    assert strings.tolist(as_bytes=True) == [raw if t is None else t.encode() for t in WITHOUT]


@pytest.mark.parametrize("nothing", [None, float("nan"), np.nan, pd.NA, pd.NaT], ids=repr)
def test_missing_values_in_lists(nothing):
    assert as_strings([["a", nothing], [nothing, "b"]], missing="-").tolist() == [["a", "-"], ["-", "b"]]
    with pytest.raises(ValueError, match=r"^as_strings: expected no missing strings, got one at \[1\] \(pass missing="):
        as_strings(["a", nothing])


@pytest.mark.parametrize("method", ["from_list", "from_numpy"])
def test_constructors_accept_missing(method):
    values = np.array(["a", None], dtype=object)
    given = values.tolist() if method == "from_list" else values
    assert getattr(StringTensor, method)(given, missing="?").tolist() == ["a", "?"]


def test_single_strings_in_lists_are_strings():
    s = StringTensor.from_list(["b", "a", b"\xff"])
    assert as_strings(list(s)).equal(s)
    assert as_strings(tuple(s[:2]), missing="").tolist() == sorted(s[:2].tolist(), reverse=True)
    assert as_strings([[s[0], "é"], [b"x", None]], missing="?").tolist() == [["b", "é"], ["x", "?"]]
    assert s.__add__([s[1], s[0], "!"]).tolist(as_bytes=True) == [b"ba", b"ab", b"\xff!"]
    with pytest.raises(TypeError) as caught:
        as_strings(["a", s])
    assert str(caught.value) == (
        "as_strings: expected str or bytes in a list, got a StringTensor of shape [3] (join them by torch.stack or "
        "torch.cat)"
    )


def test_objects_of_pandas_that_pyarrow_cannot_export_are_named():
    column = pd.Series(["a", float("nan"), 3], dtype=object, name="col")
    for call, text in (
        (lambda: as_strings(column), "as_strings: column 'col': expected no missing strings, got one at [1]"),
        (lambda: as_strings(column, ""), "as_strings: column 'col': expected str or bytes at [2], got int"),
        (
            lambda: torch_stringops.string_lower(column[[0, 2]]),
            "string_lower: `input`: column 'col': expected str or bytes at [1], got int",
        ),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert str(caught.value).startswith(text)


def test_errors_give_the_name_of_the_column():
    text = r"^as_strings: column 'body': expected no missing strings, got one at \[1\] \(pass missing= "
    for column in (
        pd.Series(["a", None], name="body", dtype="string[pyarrow]"),
        pl.Series("body", ["a", None]),
        datasets.Dataset.from_dict({"body": ["a", None]})["body"],
    ):
        with pytest.raises(ValueError, match=text):
            as_strings(column)


def test_a_column_of_an_iterable_dataset_is_rejected():
    stream = datasets.Dataset.from_dict({"text": ["b", "a", "b"]}).to_iterable_dataset()["text"]
    with pytest.raises(TypeError, match=r"^as_strings: column 'text': expected `values` to be .*, got IterableColumn$"):
        as_strings(stream)
    assert torch_stringops.Vocabulary.from_strings(stream).tokens.tolist() == ["<pad>", "<unk>", "b", "a"]


def test_columns_of_datasets_keep_the_order_of_their_indices():
    dataset = datasets.Dataset.from_dict({"text": [str(i) for i in range(10)]})
    shuffled = dataset.shuffle(seed=1)
    assert as_strings(shuffled["text"]).tolist() == list(shuffled["text"]) != list(dataset["text"])
    assert as_strings(dataset.select([7, 7, 0])["text"]).tolist() == ["7", "7", "0"]
    assert as_strings(dataset.with_format("torch").sort("text", reverse=True)["text"])[0].item() == "9"


LISTS = [["a", "b"], [], ["c"], ["d", "", "e"]]
LIST_SOURCES = {
    "list": lambda v: pa.array(v, pa.list_(pa.string())),
    "large list": lambda v: pa.array(v, pa.large_list(pa.large_string())),
    "views": lambda v: pa.array(v, pa.list_(pa.string_view())),
    "chunks": lambda v: pa.chunked_array([v[:2], [], v[2:]], pa.list_(pa.string())),
    "dictionary": lambda v: pa.array(v, pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "slice": lambda v: pa.array([["x", "y"], *v, ["z"]], pa.list_(pa.string())).slice(1, len(v)),
    "pandas, arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "polars": lambda v: pl.Series(v, dtype=pl.List(pl.String)),
    "datasets": lambda v: datasets.Dataset.from_dict({"tags": v})["tags"],
}


# A column of objects has an Arrow type since pandas 3.
if hasattr(pd.Series, "__arrow_c_stream__"):
    LIST_SOURCES["pandas"] = pd.Series


@each("source", LIST_SOURCES)
def test_lists_of_strings_become_ragged_rows(source):
    strings, row_splits = as_ragged(LIST_SOURCES[source](LISTS))
    assert strings.tolist() == ["a", "b", "c", "d", "", "e"]
    assert row_splits.tolist() == [0, 2, 2, 3, 6]
    assert row_splits.dtype is torch.int64
    with torch.device("meta"):
        again = as_ragged(LIST_SOURCES[source](LISTS))
    assert (again[0].tolist(), again[1].tolist()) == (strings.tolist(), row_splits.tolist())


def test_lists_of_python_become_ragged_rows():
    strings, row_splits = as_ragged([["a", b"b"], [], ("c",)])
    assert (strings.tolist(), row_splits.tolist()) == (["a", "b", "c"], [0, 2, 2, 3])
    strings, row_splits = as_ragged([["a", None], None, ["b"]], missing="?")
    assert (strings.tolist(), row_splits.tolist()) == (["a", "?", "b"], [0, 2, 2, 3])
    for empty, rows in (([], 0), ([[], ()], 2)):
        strings, row_splits = as_ragged(empty)
        assert (strings.shape, row_splits.tolist()) == ((0,), [0] * (rows + 1))
    numbers, row_splits = as_ragged([[1, 2], [], (3,)])
    assert (numbers.tolist(), numbers.dtype, row_splits.tolist()) == ([1, 2, 3], torch.int64, [0, 2, 2, 3])
    assert as_ragged([[0.5], [True]])[0].tolist() == [0.5, 1.0]


@pytest.mark.parametrize(("values", "text"), [
    ([["a"], None], "expected no missing lists, got one at [1] (pass missing= to replace it)"),
    ([["a"], "b"], "expected lists, got str at [1] (use as_strings)"),
    ([["a"], 1], "expected lists, got int at [1]"),
    ([["a"], ["b", 1]], "list 1: expected str or bytes at [1], got int"),
    ([["a"], ["b", None]], "list 1: expected no missing strings, got one at [1]"),
    ([[1], ["b"]], "expected `values` to be a Tensor or numbers in a list, got a list of others"),
])  # fmt: skip
def test_other_lists_are_rejected(values, text):
    with pytest.raises((TypeError, ValueError)) as caught:
        as_ragged(values)
    assert str(caught.value).startswith(f"as_ragged: {text}")


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.large_string())], ids=str)
def test_a_column_without_lists_has_no_rows(kind):
    for column in (pa.array([], kind), pa.array(LISTS, kind).slice(len(LISTS))):
        strings, row_splits = as_ragged(column)
        assert strings.shape == (0,)
        assert strings.validate().tolist() == []
        assert row_splits.tolist() == [0]


def test_lists_whose_strings_follow_each_other_share_their_bytes():
    column = pa.array(LISTS, pa.list_(pa.string()))
    strings, _ = as_ragged(column.slice(1))
    assert strings.tolist() == ["c", "d", "", "e"]
    assert strings.data.data_ptr() == as_ragged(column)[0].data.data_ptr()
    assert strings.data.data_ptr() == column.values.buffers()[2].address


def test_lists_of_one_size_become_ragged_rows():
    column = pa.array([["a", "b"], ["c", "d"], ["e", "f"]], pa.list_(pa.string(), 2))
    strings, row_splits = as_ragged(column.slice(1))
    assert strings.tolist() == ["c", "d", "e", "f"]
    assert row_splits.tolist() == [0, 2, 4]


@each("strings", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())])
@each("lists", [pa.list_, pa.large_list, lambda t: pa.list_(t, 2)])
def test_missing_strings_outside_a_slice_are_ignored(lists, strings):
    column = pa.array([["a", None], ["b", "c"], ["d", "e"], [None, "f"]], lists(strings))
    for chunks in (column[1:3], pa.chunked_array([column[1:2], column[:0], column[2:3]])):
        words, row_splits = as_ragged(chunks)
        assert (words.tolist(), row_splits.tolist()) == (["b", "c", "d", "e"], [0, 2, 4])
    assert as_ragged(column[1:1])[1].tolist() == [0]
    with pytest.raises(ValueError, match=r"expected no missing strings, got one at \[2\] "):
        as_ragged(column[2:])


@each("source", LIST_SOURCES)
def test_a_missing_list_is_an_error_or_an_empty_row(source):
    column = LIST_SOURCES[source]([["a"], None, ["b"]])
    with pytest.raises(ValueError, match=r"expected no missing lists, got one at \[1\] \(pass missing= "):
        as_ragged(column)
    strings, row_splits = as_ragged(column, missing="")
    assert (strings.tolist(), row_splits.tolist()) == (["a", "b"], [0, 1, 1, 2])


def test_a_missing_list_over_strings_drops_them():
    # In Arrow, a missing list may cover strings, which then do not belong to any row.
    child = pa.array(["a", "hidden", "b"])
    column = pa.ListArray.from_buffers(
        pa.list_(pa.string()),
        3,
        [pa.py_buffer(b"\x05"), pa.py_buffer(np.array([0, 1, 2, 3], np.int32).tobytes())],
        children=[child],
    )
    strings, row_splits = as_ragged(column, missing="")
    assert (strings.tolist(), row_splits.tolist()) == (["a", "b"], [0, 1, 1, 2])


def test_chunks_that_share_their_dictionary_read_it_once():
    words = pa.array([f"word {i}" for i in range(1000)])
    codes = [pa.array([i, 999 - i], pa.uint16()) for i in range(50)]
    column = pa.chunked_array([pa.DictionaryArray.from_arrays(c, words) for c in codes])
    assert as_strings(column).tolist() == column.to_pylist()


@pytest.mark.parametrize(
    "code", [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()], ids=str
)
@given(codes=st.lists(st.one_of(st.none(), st.integers(0, 2)), max_size=6), cut=st.integers(0, 6))
def test_dictionaries_of_every_type_of_code(code, codes, cut):
    column = pa.DictionaryArray.from_arrays(pa.array(codes, code), pa.array(["a", "", "ccc"])).slice(cut)
    want = [v if v is not None else "?" for v in column.to_pylist()]
    assert as_strings(column, missing="?").tolist() == want


def test_rows_with_a_null_entry_of_a_dictionary_are_missing():
    words = pa.array(["b", None, "a"])
    unused = pa.DictionaryArray.from_arrays(pa.array([0, 2, 0], pa.int8()), words)
    assert as_strings(unused).tolist() == ["b", "a", "b"]
    used = pa.DictionaryArray.from_arrays(pa.array([0, 2, 1, None], pa.int8()), words)
    for column, at in ((used, 2), (used.slice(1), 1), (pa.chunked_array([unused, used]), 5)):
        with pytest.raises(ValueError, match=rf"expected no missing strings, got one at \[{at}\] "):
            as_strings(column)
        want = ["?" if v is None else v for v in column.to_pylist()]
        assert as_strings(column, missing="?").tolist() == want
    nested = pa.ListArray.from_arrays(pa.array([0, 1, 3], pa.int32()), used.slice(0, 3))
    assert as_ragged(nested, missing="?")[0].tolist() == ["b", "a", "?"]


def test_columns_of_lists_are_errors_that_suggest_as_ragged():
    assert StringTensor.from_arrow(pa.array(["a", "b", "a"]).dictionary_encode()).tolist() == ["a", "b", "a"]
    for convert in (StringTensor.from_arrow, as_strings, torch_stringops.string_length):
        with pytest.raises(
            TypeError, match=r"got a column of lists \(strings, row_splits = torch_stringops.as_ragged\(column\) gives"
        ):
            convert(pa.array([["a"]]))


@each(("values", "got"), [
    ("a", "str (use as_strings)"), (StringTensor.from_list(["a"]), "StringTensor (use as_strings)"),
    (np.array([["a"], []], dtype=object), "ndarray (use as_strings, or values.tolist() for lists of strings)"),
    (pa.array(["a"]), "a column of strings (use as_strings)"),
    (pd.Series(["a"]), "a column of strings (use as_strings)"),
    (torch.zeros(2), "Tensor"), (None, "NoneType"), (3, "int"),
])  # fmt: skip
def test_as_ragged_takes_lists_and_columns_of_lists_only(values, got):
    with pytest.raises(TypeError) as caught:
        as_ragged(values)
    assert str(caught.value) == f"as_ragged: expected `values` to be lists or a column of lists of strings, got {got}"


@each(("column", "text"), [
    (pa.array([[["a"]]]), "expected a column of strings or of lists of strings, got one of lists of lists"),
    (pa.array([[1]]), "expected a column of strings, got int64"),
    (pa.array([1, 2]).dictionary_encode(), "expected a column of strings, got int64"),
    (pa.table({"a": ["x"]}), "expected a column of strings, got Arrow format '+s' (a table: pass one of its columns)"),
])  # fmt: skip
def test_other_columns_are_rejected(column, text):
    with pytest.raises(TypeError) as caught:
        as_ragged(column)
    assert str(caught.value) == f"as_ragged: {text}"
    if isinstance(column, pa.Table) or not pa.types.is_list(column.type):
        with pytest.raises(TypeError) as caught:
            as_strings(column)
        assert str(caught.value) == f"as_strings: {text}"


@pytest.mark.parametrize(
    "values", [1, None, 1.5, {"a": 1}, {"a"}, object(), torch.zeros(2)], ids=lambda value: type(value).__name__
)
def test_non_strings_are_a_type_error(values):
    with pytest.raises(TypeError, match="^as_strings: expected `values` to be a StringTensor, or strings in a list"):
        as_strings(values)


def function_of(suite: OpSuite) -> Callable[[Any], Any]:
    """The public function of strings, with the other arguments of the suite's smallest call."""
    call, positions = suite.small_call(), {position for position, _ in suite.string_pairs()}

    def function(strings: Any) -> Any:
        if suite.op == "string_normalizer":  # its stop words are no positional argument
            return torch_stringops.string_normalizer(strings, **call.kwargs)
        args = (strings if i in positions else arg for i, arg in enumerate(call.args))
        return getattr(torch_stringops, suite.op)(*args, **call.kwargs)

    return function


# Of all operators whose first argument is strings.
FUNCTIONS = {
    op: function_of(suite_of(op)) for op in PUBLIC if 0 in {position for position, _ in suite_of(op).string_pairs()}
}


@each("function", FUNCTIONS)
def test_functions_accept_all_kinds_of_strings(function):
    call = FUNCTIONS[function]
    values = {
        "string_to_number": ["1", "2"],
        "string_to_datetime": ["2024-02-29", "1969-07-20T20:17"],
        "string_unbase64": ["YQ==", "YiBj"],
        "string_unhex": ["61", "62"],
    }.get(function, ["a", "b c"])
    want = torch.utils._pytree.tree_leaves(call(as_strings(values)))
    for form in (values, np.array(values), pa.array(values), pd.Series(values)):
        got = torch.utils._pytree.tree_leaves(call(form))
        assert all(torch.equal(a, b) for a, b in zip(got, want, strict=True))


def test_a_column_of_lists_is_rejected():
    with pytest.raises(TypeError, match=r"^string_split: `input`: expected strings, got a column of lists"):
        torch_stringops.string_split(pa.array([["a"]]))


class StreamingColumn:
    """A column of a streaming dataset of Hugging Face has a name, but no length."""

    column_name = "text"

    def __iter__(self):
        return iter(["a", "b", "a"])


class LoadedColumn(StreamingColumn):
    def __len__(self):
        return 3


def test_columns_are_known_by_their_members():
    for column in (np.array(["a"]), pd.Series(["a"]), pd.Index(["a"]), pa.array(["a"]), LoadedColumn()):
        assert is_column(column)
    for other in ("a", ["a"], iter(["a"]), {"a": 1}, StreamingColumn(), None):
        assert not is_column(other)


def test_columns_of_streaming_datasets_are_iterated():
    lookup = torch_stringops.nn.StringLookup(num_oov_indices=0)
    lookup.adapt(StreamingColumn())
    assert lookup.get_vocabulary() == ["a", "b"]
    assert torch_stringops.Vocabulary.from_strings(StreamingColumn()).tokens.tolist()[-2:] == ["a", "b"]


def test_an_index_of_pandas_is_a_column_of_ragged_functions():
    rows = torch_stringops.ragged_to_dense(pd.Index(["a", "b", "c"]), [0, 1, 3])
    assert rows.tolist() == [["a", ""], ["b", "c"]]
