"""ColumnDataset of numbers, and of tables of pandas, polars, pyarrow and Hugging Face."""

import datetime
import decimal

import numpy as np
import pytest
import torch
from support.cases import each
from torch.utils.data import DataLoader

from torch_stringops import StringTensor
from torch_stringops.data import ColumnDataset

datasets = pytest.importorskip("datasets")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

COLUMNS = {"text": ["a", "bé", ""], "label": [1, 0, 2], "score": [0.5, float("nan"), -1.0], "good": [True, False, True]}
TABLES = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "pandas, nullable": lambda c: pd.DataFrame(c).astype({"text": "string", "label": "Int64", "good": "boolean"}),
    "pandas, Arrow": lambda c: pd.DataFrame(c).astype({"label": "int64[pyarrow]", "good": "bool[pyarrow]"}),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "pyarrow, chunks": lambda c: pa.concat_tables([pa.table(c)[:1], pa.table(c)[1:]]),
    "pyarrow, batch": lambda c: pa.RecordBatch.from_pydict(c),
    "datasets": datasets.Dataset.from_dict,
    "datasets, shuffled back": lambda c: datasets.Dataset.from_dict(
        {name: values[::-1] for name, values in c.items()}
    ).select([2, 1, 0]),
}


@each("kind", TABLES)
@each("workers", [0, 1])
def test_tables(kind, workers):
    dataset = ColumnDataset.from_table(TABLES[kind](COLUMNS))
    batch = next(iter(DataLoader(dataset, 3, num_workers=workers)))
    assert list(batch) == list(COLUMNS)
    assert type(batch["text"]) is StringTensor
    assert batch["text"].tolist() == COLUMNS["text"]
    assert batch["label"].dtype == torch.int64
    assert batch["label"].tolist() == COLUMNS["label"]
    assert batch["score"].dtype == (torch.float32 if kind == "dict" else torch.float64)
    torch.testing.assert_close(batch["score"].double(), torch.tensor(COLUMNS["score"]).double(), equal_nan=True)
    assert batch["good"].dtype == torch.bool
    assert batch["good"].tolist() == COLUMNS["good"]
    assert dataset[1]["label"].item() == 0


def test_keyword_arguments_of_a_frame():
    dataset = ColumnDataset(**pd.DataFrame(COLUMNS))
    assert dataset[0]["text"].item() == "a"
    assert dataset[[0, 2]]["label"].tolist() == [1, 2]
    named = {"self": [1, 2], "my column": ["a", "b"], "table": [3, 4], "columns": [5, 6]}
    assert list(ColumnDataset(**named)[0]) == list(ColumnDataset.from_table(named)[0]) == list(named)


KINDS = {
    "i1": "int8", "u1": "uint8", "i2": "int16", "u2": "uint16", "i4": "int32", "u4": "uint32", "u8": "uint64",
}  # fmt: skip
KINDS |= {"i8": "int64", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "?": "bool"}


@each("kind", KINDS)
@each("wrap", [np.asarray, pd.Series, lambda a: a[::-1][::-1], lambda a: a.astype(a.dtype.newbyteorder())])
def test_dtypes_of_columns(kind, wrap):
    array = np.array([0, 1, 1, 0]).astype(kind)
    column = ColumnDataset(wrap(array)).columns[0]
    assert column.dtype == getattr(torch, KINDS[kind])
    assert column.tolist() == array.tolist()
    ((batch,),) = DataLoader(ColumnDataset(wrap(array)), 4)
    assert batch.tolist() == array.tolist()


def test_memory_of_arrays_is_shared_if_it_can_be_written():
    array = np.arange(3)
    assert ColumnDataset(array).columns[0].data_ptr() == array.ctypes.data
    array.flags.writeable = False
    copied = ColumnDataset(array).columns[0]
    assert copied.data_ptr() != array.ctypes.data


def test_columns_of_rank_2():
    rows = [[1, 2], [3, 4]]
    fixed = pa.FixedSizeListArray.from_arrays(pa.array([1, 2, 3, 4]), 2)
    for column in (rows, np.array(rows), [np.array(r) for r in rows], pa.array(rows), fixed, pl.Series(rows)):
        assert ColumnDataset(column).columns[0].tolist() == rows
    assert ColumnDataset(datasets.Dataset.from_dict({"x": rows})["x"]).columns[0].tolist() == rows


def test_lists_do_not_depend_on_the_default_device():
    with torch.device("meta"):
        assert ColumnDataset([1.5, 2]).columns[0].device.type == "cpu"
    assert ColumnDataset(pd.Series([3, 4], dtype="category")).columns[0].tolist() == [3, 4]
    assert ColumnDataset(pd.Series([3, 4], dtype=object)).columns[0].tolist() == [3, 4]
    assert ColumnDataset([np.int32(3), True]).columns[0].tolist() == [3, 1]


DAY = datetime.date(2020, 1, 1)
MISSING = "expected no missing numbers, got one at"


@each(("column", "error", "text"), [
    ([1, None], ValueError, rf"{MISSING} \[1\] \(replace it by a number\)"),
    ([[1, 2], [3, None]], ValueError, rf"{MISSING} \[1\]\[1\]"),
    ([None, 1], ValueError, rf"{MISSING} \[0\]"),
    (pd.Series([1, None], dtype="Int64"), ValueError, rf"{MISSING} \[1\] \(replace them with .fillna\(0\)\)"),
    (pd.Series([True, None]), ValueError, rf"{MISSING} \[1\]"),
    (pl.Series([1.5, None]), ValueError, rf"{MISSING} \[1\] \(replace them with .fill_null\(0\)\)"),
    (pa.array([1, None]), ValueError, rf"{MISSING} \[1\] \(replace them with .fill_null\(0\)\)"),
    (pa.chunked_array([[True], [None]]), ValueError, rf"{MISSING} \[1\]"),
    (datasets.Dataset.from_dict({"n": [1, None]})["n"], ValueError, rf"{MISSING} \[1\]"),
    (np.ma.array([1, 2], mask=[False, True]), ValueError, rf"{MISSING} \[1\] \(replace them with .filled"),
    ([1, "a"], TypeError, r"expected a number at \[1\], got str"),
    (["a", 1], TypeError, r"expected str or bytes at \[1\], got int"),
    ([[1, 2], [3]], ValueError, "expected numbers of one shape that a tensor can hold"),
    (pa.array([[1], [2, 3]]), ValueError, "expected numbers of one shape that a tensor can hold"),
    ([2**70], ValueError, "expected numbers of one shape that a tensor can hold"),
    ([DAY], TypeError, "expected str or bytes at .0., got date"),
    (np.array([DAY], dtype="M8[D]"), TypeError, r"got datetime64\[D\] \(convert the column to integers\)"),
    (pd.to_datetime(pd.Series(["2020-01-01"])), TypeError, "convert the column to integers"),
    (pl.Series([DAY]), TypeError, "convert the column to integers"),
    (pa.array([DAY]), TypeError, "convert the column to integers"),
    (pa.array([decimal.Decimal("1.5")]), TypeError, "expected a column of strings"),
    (np.array(3), TypeError, "expected an array of str_"),
    (["a", None], ValueError, r"got one at \[1\] \(pass torch_stringops.as_strings\(column, missing=...\)\)"),
])  # fmt: skip
def test_columns_that_are_rejected(column, error, text):
    with pytest.raises(error, match=f"^ColumnDataset: column 'x': .*{text}"):
        ColumnDataset(x=column)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (3, "expected a table of pandas, polars, pyarrow or Hugging Face, or a dict of columns, got int"),
        (pl.LazyFrame({"a": [1]}), "got LazyFrame"),
        (pd.DataFrame({0: [1]}), r"expected names of columns to be str, got int \(rename them\)"),
        (datasets.DatasetDict({"train": datasets.Dataset.from_dict({"n": [1]})}), "got Dataset"),
    ],
)
def test_tables_that_are_rejected(table, text):
    with pytest.raises(TypeError, match=text):
        ColumnDataset.from_table(table)


def test_errors_name_the_column_once():
    with pytest.raises(ValueError, match=r"^ColumnDataset.from_table: column 'code': expected no missing strings"):
        ColumnDataset.from_table(pd.DataFrame({"code": ["a", None]}))


@pytest.mark.parametrize(
    ("index", "got"), [("text", "str"), (["text"], "a list of str"), (("text", 0), "a tuple of str")]
)
def test_the_name_of_a_column_is_not_an_index(index, got):
    label = torch.arange(2)
    for dataset, key in ((ColumnDataset(text=["a", "b"], label=label), "name"), (ColumnDataset(label), "position")):
        with pytest.raises(TypeError) as caught:
            dataset[index]
        assert str(caught.value) == (
            "ColumnDataset.__getitem__: expected an index of rows (an int, a slice, a list or tensor of ints, or a mask), "
            f"got {got} (`.columns[{key}]` is a column)"
        )


GAPS = {"text": ["a", None, ""], "label": [1, None, 2], "good": [None, False, True], "none": [None] * 3}


@each("kind", TABLES)
def test_missing_values_of_tables(kind):
    table = TABLES[kind](GAPS)
    missing = {"text": "?", "label": -1, "good": True, "none": 5}
    if kind in ("pandas", "pandas, Arrow"):
        table = pd.DataFrame(GAPS)
    batch = ColumnDataset.from_table(table, missing=missing)[[0, 1, 2]]
    assert batch["text"].tolist() == ["a", "?", ""]
    assert batch["label"].tolist() == [1, -1, 2]
    assert batch["label"].dtype == (torch.float64 if kind.startswith("pandas") and "null" not in kind else torch.int64)
    assert batch["good"].tolist() == [True, False, True]
    assert batch["none"].tolist() == [5, 5, 5]
    where = "ColumnDataset.from_table: "
    with pytest.raises(ValueError, match=f"^{where}column 'label', row 2: expected no missing numbers"):
        ColumnDataset.from_table(table, missing={"text": "?"})
    with pytest.raises(ValueError, match=f"^{where}expected names of columns in `missing`, got 'q'"):
        ColumnDataset.from_table(table, missing={"q": 1})


def test_tensors_of_a_dict_with_missing_values_elsewhere():
    table = {"n": torch.arange(2), "s": StringTensor.from_list(["a", "b"]), "x": [1.5, None]}
    dataset = ColumnDataset.from_table(table, missing=0)
    assert dataset.columns["n"] is table["n"]
    assert dataset.columns["s"] is table["s"]
    assert dataset[[0, 1]]["x"].tolist() == [1.5, 0]
