"""Columns of strings, or of lists of strings, without any string, which Arrow gives the type null."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from torch_stringops import as_ragged, as_strings

EMPTY = {
    "pandas": lambda: pd.Series([], dtype=object),
    "polars": lambda: pl.Series("a", []),
    "pyarrow": lambda: pa.array([]),
    "chunks": lambda: pa.chunked_array([pa.nulls(0), pa.nulls(0)]),
}
MISSING = {
    "pandas": lambda: pd.Series([None, None], dtype=object),
    "NaN": lambda: pd.Series([np.nan, None], dtype=object),
    "polars": lambda: pl.Series("a", [None, None]),
    "pyarrow": lambda: pa.nulls(2),
    "slice": lambda: pa.nulls(5).slice(3),
    "chunks": lambda: pa.chunked_array([pa.nulls(1), pa.nulls(0), pa.nulls(1)]),
}
LISTS = {
    "pandas": lambda: pd.Series([[], None]),
    "polars": lambda: pl.Series("a", [[], None]),
    "pyarrow": lambda: pa.array([[], None]),
}


@pytest.mark.parametrize("source", EMPTY)
def test_a_column_without_rows(source):
    assert as_strings(EMPTY[source]()).tolist() == []


@pytest.mark.parametrize("source", MISSING)
def test_a_column_of_missing_strings(source):
    assert as_strings(MISSING[source](), missing="?").tolist() == ["?", "?"]
    with pytest.raises(ValueError, match=r"^as_strings: (column 'a': )?expected no missing strings, got one at \[0\]"):
        as_strings(MISSING[source]())


@pytest.mark.parametrize("source", LISTS)
def test_lists_without_strings(source):
    strings, row_splits = as_ragged(LISTS[source](), missing="?")
    assert (strings.tolist(), row_splits.tolist()) == ([], [0, 0, 0])


def test_lists_of_missing_strings():
    strings, row_splits = as_ragged(pa.array([[None], [None, None]]), missing="?")
    assert (strings.tolist(), row_splits.tolist()) == (["?"] * 3, [0, 1, 3])
    with pytest.raises(ValueError, match=r"^as_ragged: expected no missing strings, got one at \[0\]"):
        as_ragged(pa.array([[None]]))
