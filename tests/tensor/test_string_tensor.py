"""StringTensor: construction, properties, comparison, and conversion to Python strings."""

import operator

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.strategies import tensors
from support.strings import compact
from support.surrogate import pair, words
from torch._subclasses.fake_tensor import FakeTensorMode

from torch_stringops import StringTensor


def make(data: bytes, offsets: list) -> StringTensor:
    return StringTensor(torch.tensor(list(data), dtype=torch.uint8), torch.tensor(offsets, dtype=torch.int32))


@pytest.mark.parametrize("shape", [(0,), (5,), (2, 3), (3, 0), (0, 3), (2, 3, 4), (2, 0, 3)])
def test_shape_is_that_of_the_offsets(shape):
    ids, s = pair(shape)
    assert s.shape == ids.shape
    assert isinstance(s.shape, torch.Size)
    assert s.size() == ids.size()
    assert s.size(-1) == ids.size(-1)
    assert s.dim() == s.ndim == ids.ndim
    assert s.numel() == s.nelement() == ids.numel()
    assert len(s) == len(ids)
    assert s.tolist() == words(ids)


def test_comparison_with_a_str_that_an_earlier_call_used_in_another_mode():
    s = StringTensor.from_list(["a", ""])
    with torch.inference_mode():
        assert (s == "a").tolist() == [True, False]
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        fake = StringTensor(mode.from_tensor(s.data), mode.from_tensor(s.offsets))
        assert (fake == "a").shape == (2,)
    for text in ("a", "", "b", "a"):
        assert (s == text).tolist() == (s == text.encode()).tolist() == [text == "a", text == ""]
        assert not (s == text).is_inference()


def test_rank_0():
    s = StringTensor.from_list("é")
    assert s.shape == ()
    assert s.ndim == 0
    assert s.numel() == 1
    assert s.item() == s.tolist() == "é"
    assert s.item(as_bytes=True) == "é".encode()
    for failing in (len, iter, list):
        with pytest.raises(TypeError, match="0-d StringTensor"):
            failing(s)


@pytest.mark.parametrize("values", [
    ["a", "b"], ("a", "b"), [["a", b"b\xff"], ("c", "")], [[[]], [[]]], np.array([["a", "bc"]]),
    np.array(["a", "bc"], dtype=object), "text", b"\x00",
])  # fmt: skip
def test_from_list_and_back(values):
    s = StringTensor.from_list(values)
    array = np.array(values, dtype=object)
    assert s.shape == array.shape

    def as_bytes(x):
        return [as_bytes(y) for y in x] if isinstance(x, list) else x.encode() if isinstance(x, str) else x

    assert s.tolist(as_bytes=True) == as_bytes(array.tolist())
    assert s.is_contiguous()


def test_from_list_returns_a_string_tensor_as_it_is():
    s = StringTensor.from_list(["a"])
    assert StringTensor.from_list(s) is s


@given(tensors)
def test_any_bytes_survive(strings):
    assert StringTensor.from_list(strings).tolist(as_bytes=True) == strings


@given(st.lists(st.text()))
def test_any_text_survives(strings):
    assert StringTensor.from_list(strings).tolist() == strings


@pytest.mark.parametrize(("values", "error", "words_of_it"), [
    ([["a", "b"], ["c"]], ValueError, ["[1]", "1", "2"]), (["a", ["b"]], (*BAD_ARGUMENT, TypeError), ["[1]"]),
    ([["a"], ["b"], [3]], TypeError, ["[2]", "int"]), (["a", None], ValueError, ["[1]", "missing"]),
    (["\ud800"], ValueError, ["[0]"]), (7, TypeError, ["int"]), (torch.tensor([1]), TypeError, ["Tensor"]),
])  # fmt: skip
def test_from_list_names_the_position_of_an_error(values, error, words_of_it):
    with pytest.raises(error) as raised:
        StringTensor.from_list(values)
    assert str(raised.value).startswith("StringTensor.from_list: ")
    for part in words_of_it:
        assert part in str(raised.value)


def test_errors_of_invalid_utf8_suggest_a_fix():
    s = StringTensor.from_list([b"ok", b"\xff"])
    with pytest.raises(BAD_ARGUMENT, match=r"tolist: invalid UTF-8 at \[1\], byte 0: .* \(pass errors="):
        s.tolist()
    with pytest.raises(BAD_ARGUMENT, match=r"StringTensor\.item: invalid UTF-8"):
        s[1].item()
    assert s.tolist(errors="replace") == ["ok", "\ufffd"]
    assert s.tolist(errors="backslashreplace") == ["ok", "\\xff"]
    assert s.tolist(as_bytes=True) == [b"ok", b"\xff"]


def test_item_requires_one_string():
    assert StringTensor.from_list([["x"]]).item() == "x"
    for s in (StringTensor.from_list(["a", "b"]), StringTensor.from_list([])):
        with pytest.raises(RuntimeError, match=f"with {s.numel()} elements cannot be converted to str"):
            s.item()


def test_numpy_gives_an_object_array():
    ids, s = pair((2, 3))
    array = s.numpy()
    assert array.dtype == object
    assert array.shape == (2, 3)
    assert array.tolist() == words(ids)
    assert StringTensor.from_list("x").numpy().item() == "x"
    assert np.array_equal(np.asarray(s), array)
    assert np.asarray(s, dtype="U9").dtype == "<U9"


def u8(*sizes: int) -> torch.Tensor:
    return torch.empty(sizes, dtype=torch.uint8)  # pages that are never written take no memory


def i32(*sizes: int) -> torch.Tensor:
    return torch.zeros(sizes, dtype=torch.int32)


@each(("data", "offsets", "text"), [
    (torch.zeros(2), i32(2), "expected `data` to be uint8, got float32"),
    (u8(1, 2), i32(2), "expected `data` of rank 1, got shape [1, 2]"),
    (u8(2), torch.zeros(2), "expected `offsets` to be int32, got float32"),
    (u8(2), i32(), "expected `offsets` of shape [..., n + 1] with n >= 0, got shape []"),
    (u8(2), i32(3, 0), "expected `offsets` of shape [..., n + 1] with n >= 0, got shape [3, 0]"),
    (u8(4)[::2], i32(2), "expected `data` to be contiguous, got stride 2"),
    (u8(2), i32(2).to("meta"), "expected all tensors on one device"),
    (u8(2**31), i32(2), "expected `data` of at most 2147483647 bytes, got 2147483648 (pass fewer or shorter strings)"),
    (u8(0), torch.empty(2**31, dtype=torch.int32), "expected `offsets` of at most 2147483647 elements, got 2147483648 (s"),
    (u8(2**31), i32(2).long(), "expected `offsets` to be int32, got int64 (convert with .to(torch.int32))"),
])  # fmt: skip
def test_constructor_checks_metadata(data, offsets, text):
    with pytest.raises(BAD_ARGUMENT) as error:
        StringTensor(data, offsets)
    assert str(error.value).startswith("StringTensor: ")
    assert text in str(error.value)


def test_constructor_requires_tensors():
    with pytest.raises(TypeError, match="expected `data` to be a Tensor, got bytes"):
        StringTensor(b"a", torch.tensor([0, 1], dtype=torch.int32))
    with pytest.raises(BAD_ARGUMENT, match=r"shape \[2\] if `scalar`"):
        StringTensor(torch.zeros(0, dtype=torch.uint8), torch.zeros(3, dtype=torch.int32), scalar=True)


@pytest.mark.parametrize(("offsets", "text"), [
    ([0, 4], "got 4 at row 0, position 1"), ([-1, 2], "got -1 first at row 0, position 0"),
    ([0, 2, 1], "got 1 after 2 at row 0, position 2"), ([[0, 1], [3, 2]], "got 2 after 3 at row 1, position 1"),
    ([[[0, 1]], [[0, 9]]], "got 9 at row 1, position 1"),
])  # fmt: skip
def test_validate_and_operators_name_the_position_of_an_error(offsets, text):
    s = make(b"abc", offsets)
    with pytest.raises(BAD_ARGUMENT, match="non-decreasing within .0, 3. in each row, " + text):
        s.validate()
    with pytest.raises(BAD_ARGUMENT, match=text):
        s == s  # noqa: B015 - the error is the point


def test_validate_accepts_rows_that_overlap_and_leave_gaps():
    for s in (make(b"abc", [[1, 2], [0, 3]]), make(b"", [0]), make(b"abc", [3])):
        assert s.validate() is s


def test_equality():
    s = StringTensor.from_list([["a", "b"], ["", "é"]])
    t = StringTensor.from_list(["a", "é"])
    assert (s == t).tolist() == [[True, False], [False, True]]
    assert (s != t).tolist() == [[False, True], [True, False]]
    assert (s == "é").tolist() == [[False, False], [False, True]]
    assert (s == b"a").tolist() == [[True, False], [False, False]]
    assert operator.eq("a", s).tolist() == [[True, False], [False, False]]
    assert (s[0, 0] == "a").shape == ()
    assert (s[0, 0] == "a").item() is True
    assert s.equal(s.clone())
    assert not s.equal(s.T)
    assert not s.equal(s.flatten())
    assert (s == 3) is False
    assert (s != 3) is True
    for wrong in (3, None):
        with pytest.raises(
            TypeError, match="^StringTensor.eq: expected `other` to be a StringTensor, or strings in a list"
        ):
            s.eq(wrong)


def test_lists_and_arrays_of_strings_compare():
    s = StringTensor.from_list([["a", "é"], ["c", ""]])
    for other in (["a", ""], ("a", ""), [b"a", b""], np.array(["a", ""]), np.array(["a", ""], dtype=object)):
        assert (s == other).tolist() == s.eq(other).tolist() == [[True, False], [False, True]]
        assert (s != other).tolist() == [[False, True], [True, False]]
    assert s.where(s == [["a"], ["c"]], ["x", "y"]).tolist() == [["a", "y"], ["c", "y"]]
    assert (s == [1, 2]) is False
    assert (s != [1, 2]) is True
    with pytest.raises(TypeError, match=r"^StringTensor.eq: `other`: expected str or bytes at \[0\], got int$"):
        s.eq([1])


def test_masked_fill():
    s = StringTensor.from_list(["a", "", "c"])
    assert s.masked_fill(s == "", "?").tolist() == ["a", "?", "c"]
    assert torch.masked_fill(s, s != "", StringTensor.from_list("é")).tolist() == ["é", "", "é"]
    for wrong, error in ((3, TypeError), (s, RuntimeError), (["x"], RuntimeError)):
        with pytest.raises(error, match="masked_fill: expected `value`"):
            s.masked_fill(s == "", wrong)
    with pytest.raises(TypeError, match="masked_fill: expected `mask` to be a bool tensor, got torch.int64"):
        s.masked_fill(torch.tensor([1, 0, 0]), "x")


def test_in_compares_for_rank_0_too():
    s = StringTensor.from_list(["a b", "c"])
    assert "a b" in s[0]
    assert "b" not in s[0]


def test_errors_of_wrong_calls_suggest_the_right_ones():
    with pytest.raises(TypeError, match=r"got list alone \(.*StringTensor\.from_list"):
        StringTensor(["a"])
    s = StringTensor.from_list(["a b"])
    for op in (torch.ops.stringops.string_split, torch.ops.stringops.string_split.default):
        with pytest.raises(TypeError, match=r"string_split: .* \(pass its `data` and `offsets`\)"):
            op(s)


def test_validate_reads_offsets_once(monkeypatch):
    """Another thread writes valid offsets after the invalid ones were found."""
    s = StringTensor.from_list(["ab", "c"])
    s.offsets[1] = 9
    real = np.ndarray.tolist

    class Written(np.ndarray):
        def tolist(self):
            s.offsets[1] = 2
            return real(self)

    copied = torch.Tensor.numpy
    monkeypatch.setattr(torch.Tensor, "numpy", lambda t: copied(t).view(Written))
    with pytest.raises(ValueError, match="got 9 at row 0, position 1"):
        s.validate()


def test_contains_hash_and_truth():
    s = StringTensor.from_list(["a", "b"])
    assert "b" in s
    assert b"a" in s
    assert s[0] in s
    assert "c" not in s
    assert 3 not in s
    assert len({s, s, s.clone()}) == 2
    assert bool(s[0]) is True
    assert bool(StringTensor.from_list("")) is False
    with pytest.raises(ValueError, match="expected `offsets` non-decreasing within"):
        bool(StringTensor(s.data, torch.tensor([0, 99], dtype=torch.int32), scalar=True))
    with pytest.raises(RuntimeError, match="the truth of a StringTensor with 2 strings is ambiguous"):
        bool(s)


def test_strings_are_not_assigned_in_place():
    s = StringTensor.from_list(["a"])
    with pytest.raises(TypeError, match=r"torch\.where"):
        s[0] = "b"
    for name in ("data", "offsets"):
        with pytest.raises(AttributeError, match="StringTensor: strings are immutable"):
            setattr(s, name, getattr(s, name))
        with pytest.raises(AttributeError):
            delattr(s, name)


def test_iteration_gives_slices_as_torch_does():
    ids, s = pair((2, 3))
    assert [part.tolist() for part in s] == words(ids)
    assert [part.item() for part in s[0]] == words(ids)[0]


def test_string_tensors_have_no_other_attributes():
    with pytest.raises(AttributeError):
        StringTensor.from_list(["a"]).other = 1


def test_compact_equals_its_oracle():
    data, offsets = compact([[b"ab", b"c"], [b"", b"d"]])
    assert StringTensor(data, offsets).is_contiguous()
    assert not StringTensor(data, offsets.flip(0)).is_contiguous()
    assert not StringTensor(torch.cat([data, data]), offsets).is_contiguous()
    gap = torch.tensor([[0, 1], [data.numel() - 1, data.numel()]], dtype=torch.int32)
    assert not StringTensor(data, gap).is_contiguous()
    assert StringTensor(data, offsets.flip(0)).contiguous().is_contiguous()


def test_torch_tensor_of_strings_says_what_to_do():
    s = StringTensor.from_list(["a", "b"])
    for make in (torch.tensor, torch.as_tensor, lambda t: torch.tensor([t, t])):
        with pytest.raises(TypeError, match=r"torch.tensor, .* makes tensors of numbers: use s.to_number\(\), "):
            make(s)
