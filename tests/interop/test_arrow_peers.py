"""Arrow columns to and from pyarrow, polars and pandas."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torch_stringops import StringTensor

texts = st.lists(st.none() | st.text(max_size=30), max_size=20)


@given(texts, st.integers(0, 5), st.sampled_from(["string", "large_string", "string_view", "binary", "large_binary"]))
def test_pyarrow_arrays_and_slices(values, skip, kind):
    pa = pytest.importorskip("pyarrow")
    column = pa.array(values, getattr(pa, kind)()).slice(skip)
    expected = [b"?" if v is None else v.encode() for v in values[skip:]]
    assert StringTensor.from_arrow(column, missing="?").tolist(as_bytes=True) == expected
    if all(v is not None for v in values[skip:]):
        s = StringTensor.from_arrow(column)
        assert pa.array(s).to_pylist() == values[skip:]
        for wanted in ("large_string", "string_view"):
            assert pa.array(s, getattr(pa, wanted)()).equals(pa.array(values[skip:], getattr(pa, wanted)()))
        for wanted in ("binary", "large_binary", "binary_view"):
            assert pa.array(s, getattr(pa, wanted)()).equals(pa.array(expected, getattr(pa, wanted)()))


def test_pyarrow_arrays_share_bytes_or_are_cast():
    pa = pytest.importorskip("pyarrow")
    s = StringTensor.from_list(["a", "bc"])
    assert pa.array(s).buffers()[2].address == s.data.data_ptr()
    assert pa.table({"a": s}, pa.schema([("a", pa.large_string())]))["a"].to_pylist() == ["a", "bc"]
    raw = StringTensor.from_list([b"\xff\xfe"])
    assert pa.array(raw, pa.binary(2)).to_pylist() == pa.array(raw, pa.large_binary()).to_pylist() == [b"\xff\xfe"]
    with pytest.raises(ValueError, match=r"StringTensor.__arrow_array__: expected valid UTF-8"):
        pa.array(raw, pa.large_string())


def test_binary_of_one_size():
    pa = pytest.importorskip("pyarrow")
    column = pa.array([b"ab", None, b"ef", b"gh"], pa.binary(2))
    assert StringTensor.from_arrow(column[1:], missing=b"\xff").tolist(as_bytes=True) == [b"\xff", b"ef", b"gh"]
    chunks = pa.chunked_array([column[2:], column[:0], column[3:]])
    assert StringTensor.from_arrow(chunks).tolist() == ["ef", "gh", "gh"]
    assert StringTensor.from_arrow(column[2:].dictionary_encode()).tolist() == ["ef", "gh"]


@given(st.lists(texts, max_size=4))
def test_pyarrow_chunked_arrays(chunks):
    pa = pytest.importorskip("pyarrow")
    column = pa.chunked_array(chunks, type=pa.string())
    expected = ["" if v is None else v for chunk in chunks for v in chunk]
    assert StringTensor.from_arrow(column, missing="").tolist() == expected


@given(texts)
def test_polars_series(values):
    pl = pytest.importorskip("polars")
    s = StringTensor.from_arrow(pl.Series(values, dtype=pl.String), missing="né")
    expected = ["né" if v is None else v for v in values]
    assert s.tolist() == expected
    assert pl.Series(s).to_list() == expected


def test_pandas_series():
    pd = pytest.importorskip("pandas", minversion="3")
    assert StringTensor.from_arrow(pd.Series(["a", None, "né"], dtype="str"), missing="").tolist() == ["a", "", "né"]


def test_pyarrow_memory_is_given_back():
    pa = pytest.importorskip("pyarrow")
    before = pa.total_allocated_bytes()
    s = StringTensor.from_arrow(pa.array(["x" * 1000] * 1000))
    assert pa.total_allocated_bytes() > before
    del s
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_arrow_schema_is_utf8():
    pa = pytest.importorskip("pyarrow")
    assert pa.DataType._import_from_c_capsule(StringTensor.from_list([]).__arrow_c_schema__()) == pa.string()
    assert pa.array(StringTensor.from_list([b"\xff"]), type=pa.binary()).to_pylist() == [b"\xff"]
