"""Pickle, copy and torch.save: round trips are compact, and loaded strings are validated."""

import copy
import io
import pickle
import subprocess
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.strings import LAYOUTS
from support.surrogate import pair, same

from torch_stringops import StringTensor

SHAPES = [(), (0,), (3,), (2, 3), (0, 2), (2, 0)]


def by_torch(s):
    file = io.BytesIO()
    torch.save({"strings": s, "n": 1}, file)
    file.seek(0)
    return torch.load(file, weights_only=True)["strings"]


ROUND_TRIPS = {
    **{f"pickle {p}": lambda s, p=p: pickle.loads(pickle.dumps(s, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)},
    "torch.save, weights_only": by_torch,
    "deepcopy": copy.deepcopy,
}


@each("layout", LAYOUTS)
@each("how", ROUND_TRIPS)
def test_round_trips(how, layout):
    for shape in SHAPES:
        ids, s = pair(shape, layout)
        again = ROUND_TRIPS[how](s)
        same(again, ids)
        assert again.data.numel() == 0 or again.data.data_ptr() != s.data.data_ptr()


@pytest.mark.parametrize("how", [h for h in ROUND_TRIPS if h != "deepcopy"])
def test_a_slice_is_saved_with_only_its_own_bytes(how):
    s = StringTensor.from_list(["x" * 100_000, "yy", "z" * 100_000])[1:2]
    assert len(pickle.dumps(s)) < 2_000
    again = ROUND_TRIPS[how](s)
    assert again.is_contiguous()
    assert again.data.untyped_storage().nbytes() == 2
    assert again.offsets.untyped_storage().nbytes() == 8


def test_compact_strings_are_pickled_without_a_copy():
    """Otherwise workers of a DataLoader would get copies of tensors in shared memory."""
    s = StringTensor.from_list(["a", "b"])
    _, (data, offsets, scalar) = s.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
    assert data is s.data
    assert offsets is s.offsets
    assert scalar is False


def test_copy_shares_memory_and_deepcopy_keeps_sharing():
    s = StringTensor.from_list(["a", "b"])
    assert copy.copy(s).data is s.data
    first, second = copy.deepcopy([s, s[1:]])
    assert first.data is second.data
    assert first.data.data_ptr() != s.data.data_ptr()
    twice = copy.deepcopy([s, s])
    assert twice[0] is twice[1]


def test_safe_loading_needs_only_the_import():
    script = (
        "import io, sys, torch, torch_stringops\n"
        "s = torch.load(io.BytesIO(sys.stdin.buffer.read()), weights_only=True)\n"
        "print(s.tolist())"
    )
    file = io.BytesIO()
    torch.save(StringTensor.from_list(["saved", "elsewhere"]), file)
    done = subprocess.run([sys.executable, "-c", script], input=file.getvalue(), capture_output=True, check=False)
    assert done.stdout.decode().strip() == "['saved', 'elsewhere']", done.stderr.decode()


def test_loading_onto_meta_skips_the_validation():
    file = io.BytesIO()
    torch.save(StringTensor.from_list(["a"]), file)
    file.seek(0)
    assert torch.load(file, weights_only=True, map_location="meta").shape == (1,)


def test_a_resized_storage_is_rejected():
    s = StringTensor.from_list(["a"] * 100)
    s.offsets.untyped_storage().resize_(8)
    with pytest.raises(ValueError, match="the storage was resized"):
        s.validate()
    with pytest.raises(ValueError, match="the storage was resized"):
        pickle.dumps(s)


@pytest.mark.parametrize("name", ["data", "offsets"])
@pytest.mark.parametrize("read", ["tolist", "numpy", "__arrow_c_array__", "item"])
def test_strings_with_a_resized_storage_are_not_read(read, name):
    s = StringTensor.from_list(["one", "two"])
    s = s[1] if read == "item" else s
    storage = getattr(s, name).untyped_storage()
    storage.resize_(storage.nbytes() - 1)
    with pytest.raises(ValueError, match=f"{read}: expected `{name}` with a storage .*was resized"):
        getattr(s, read)()


def test_rows_apart_from_each_other_with_a_resized_storage_are_not_read():
    s = StringTensor.from_list([["one", "two"], ["three", "four"]])
    first = s[:, :1]
    assert not first.offsets.is_contiguous()
    # The last element that is read is not the last of the storage.
    storage = s.offsets.untyped_storage()
    storage.resize_(storage.nbytes() - 4)
    assert first.tolist() == [["one"], ["three"]]
    storage.resize_(storage.nbytes() - 1)
    for read in (first.tolist, first.validate):
        with pytest.raises(ValueError, match="the storage was resized"):
            read()


def rebuild(data, offsets, scalar=False):
    function, _ = StringTensor.from_list(["a"]).__reduce_ex__(2)
    return pickle.loads(pickle.dumps(Malformed(function, (data, offsets, scalar))))


class Malformed:
    def __init__(self, function, arguments):
        self.reduced = (function, arguments)

    def __reduce__(self):
        return self.reduced


@pytest.mark.parametrize(("offsets", "text"), [
    (torch.tensor([0, 9], dtype=torch.int32), "got 9 at row 0, position 1"),
    (torch.tensor([-5, 1], dtype=torch.int32), "got -5 first"),
    (torch.tensor([1, 0], dtype=torch.int32), "got 0 after 1"),
    (torch.tensor([0, 1]), "expected `offsets` to be int32"),
    (torch.empty(0, dtype=torch.int32), "expected `offsets` of shape"),
])  # fmt: skip
def test_malformed_pickles_are_rejected(offsets, text):
    with pytest.raises(BAD_ARGUMENT, match=text):
        rebuild(torch.zeros(3, dtype=torch.uint8), offsets)
    with pytest.raises(BAD_ARGUMENT, match="scalar"):
        rebuild(torch.zeros(3, dtype=torch.uint8), torch.zeros(3, dtype=torch.int32), True)


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@given(st.data())
def test_damaged_files_raise_or_load_valid_strings(data):
    s = pair((3, 2))[1]
    file = io.BytesIO()
    torch.save(s, file)
    raw = bytearray(file.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        loaded = torch.load(io.BytesIO(bytes(raw)), weights_only=True)
    except Exception:
        return
    if isinstance(loaded, StringTensor):
        loaded.validate().tolist(as_bytes=True)
