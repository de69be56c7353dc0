"""Arrow columns made of string tensors: shared memory, and strings that are not UTF-8."""

import gc

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from torch_stringops import StringTensor


def test_export_shares_and_releases_memory():
    s = StringTensor.from_list(["a", "bc", ""])
    back = StringTensor.from_arrow(s)
    assert back.data.data_ptr() == s.data.data_ptr()
    assert back.offsets.data_ptr() == s.offsets.data_ptr()
    del s
    gc.collect()
    assert back.tolist() == ["a", "bc", ""]


def test_unconsumed_capsules_are_freed():
    data = torch.zeros(3, dtype=torch.uint8)
    offsets = torch.tensor([0, 3], dtype=torch.int32)
    counts = [torch._C._storage_Use_Count(t.untyped_storage()._cdata) for t in (data, offsets)]
    for _ in range(100):
        StringTensor(data, offsets).__arrow_c_array__()
        StringTensor(data, offsets).__arrow_c_schema__()
    gc.collect()
    assert [torch._C._storage_Use_Count(t.untyped_storage()._cdata) for t in (data, offsets)] == counts


INVALID = (
    "StringTensor.__arrow_c_array__: expected valid UTF-8, got an invalid byte in the string at [{}] "
    "(ask for binary: pyarrow.array(strings, type=pyarrow.binary()))"
)
BAD_UTF8 = [b"\x80", b"\xc0\x80", b"\xc3", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xe2\x82", b"\xf0\x8f\xbf\xbf"]
BAD_UTF8 += [b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff", b"a" * 40 + b"\xe2\x28\xa1", b"\xf0\x9f\x98"]


@each("raw", BAD_UTF8)
def test_invalid_utf8_is_not_exported_as_text(raw):
    for values, row in (([b"ok", raw, b"ok"], 1), ([raw], 0), ([b"\xc3\xa9" * 30, b"", raw], 2)):
        with pytest.raises(ValueError, match="UTF-8") as caught:
            StringTensor.from_list(values).__arrow_c_array__()
        assert str(caught.value) == INVALID.format(row)


def test_string_cut_within_a_codepoint_is_not_exported_as_text():
    whole = StringTensor.from_list(["é"])
    cut = StringTensor(whole.data, torch.tensor([0, 1, 2], dtype=torch.int32))
    with pytest.raises(ValueError, match="UTF-8") as caught:
        cut.__arrow_c_array__()
    assert str(caught.value) == INVALID.format(0)


@given(st.lists(st.binary(max_size=6) | st.text(max_size=40).map(lambda t: t.encode("utf-8", "surrogatepass"))))
def test_export_takes_exactly_what_python_decodes(values):
    def is_text(raw: bytes) -> bool:
        try:
            raw.decode()
        except UnicodeDecodeError:
            return False
        return True

    s = StringTensor.from_list(values)
    if all(map(is_text, values)):
        assert StringTensor.from_arrow(s).tolist(as_bytes=True) == values
    else:
        with pytest.raises(ValueError, match="expected valid UTF-8"):
            s.__arrow_c_array__()


@each(("values", "text"), [
    ("a", "expected strings of rank 1, got shape [] (use .reshape(1))"),
    ([["a"]], "expected strings of rank 1, got `offsets` of shape [1, 2] (use .reshape(-1))"),
])  # fmt: skip
def test_only_rank_1_is_exported(values, text):
    with pytest.raises(ValueError, match="rank 1") as caught:
        StringTensor.from_list(values).__arrow_c_array__()
    assert str(caught.value) == "StringTensor.__arrow_c_array__: " + text


def test_bad_offsets_are_not_exported():
    s = StringTensor(torch.zeros(3, dtype=torch.uint8), torch.tensor([0, 4], dtype=torch.int32))
    with pytest.raises(ValueError, match=r"expected `offsets` non-decreasing within \[0, 3\] in each row, got 4"):
        s.__arrow_c_array__()
