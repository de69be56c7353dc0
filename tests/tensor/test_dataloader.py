"""DataLoader: string tensors are collated, batched by column, and sent to other processes in compact form."""

import multiprocessing
import pickle
from multiprocessing.reduction import ForkingPickler

import pytest
import torch
from support.cases import each
from support.strings import LAYOUTS
from support.surrogate import pair, same
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    SequentialSampler,
    TensorDataset,
    default_collate,
)

from torch_stringops import StringTensor
from torch_stringops.data import ColumnDataset, collate_strings
from torch_stringops.string_tensor import rebuild_sent

TEXTS = ["to be", "", "é日😀", "not\x00to be", "x" * 100, "a", "b"]


class Samples(Dataset):
    """Every kind of value in a sample. A class of this module, so that spawned processes can import it."""

    def __init__(self):
        self.strings = StringTensor.from_list(TEXTS)

    def __len__(self):
        return len(TEXTS)

    def __getitem__(self, i):
        return {"text": self.strings[i], "nested": [(self.strings[[i, 0]], i)], "raw": TEXTS[i]}


class Stream(IterableDataset):
    def __iter__(self):
        yield from TEXTS[:4]


def test_default_collate_stacks():
    s = StringTensor.from_list([["a", "b"], ["c", "d"]])
    assert default_collate([s, s]).tolist() == [s.tolist(), s.tolist()]
    assert default_collate([s[0, 0], s[1, 1]]).tolist() == ["a", "d"]
    batch = default_collate([{"t": s[0], "n": 1, "deep": (s[1], "raw")}] * 2)
    assert batch["t"].tolist() == [["a", "b"]] * 2
    assert batch["n"].tolist() == [1, 1]
    assert batch["deep"][0].tolist() == [["c", "d"]] * 2
    assert list(batch["deep"][1]) == ["raw", "raw"]


def test_default_collate_rejects_unequal_shapes():
    s = StringTensor.from_list(["a", "b"])
    with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
        default_collate([s, s[:1]])


def test_collate_strings_makes_string_tensors_of_python_strings():
    assert collate_strings(["a", "é"]).tolist() == ["a", "é"]
    assert collate_strings([b"\xff", b""]).tolist(as_bytes=True) == [b"\xff", b""]
    text, label = collate_strings([("a", 1), ("b", 2)])
    assert text.tolist() == ["a", "b"]
    assert label.tolist() == [1, 2]
    batch = collate_strings([{"q": ["a", "b"], "s": StringTensor.from_list("x")}] * 3)
    assert batch["q"][1].tolist() == ["b"] * 3
    assert batch["s"].tolist() == ["x"] * 3
    assert default_collate(["a"]) == ["a"], "default_collate itself still gives lists"


START_METHODS = [(0, None)] + [(2, method) for method in multiprocessing.get_all_start_methods()]


@pytest.fixture(params=START_METHODS, ids=lambda p: f"{p[0]} workers{f' by {p[1]}' if p[1] else ''}")
def workers(request):
    number, method = request.param
    return {"num_workers": number, "multiprocessing_context": method, "timeout": 60 if number else 0}


def test_every_kind_of_sample_by_every_start_method(workers):
    batches = list(DataLoader(Samples(), batch_size=3, collate_fn=collate_strings, **workers))
    for i, batch in enumerate(batches):
        texts = TEXTS[3 * i : 3 * i + 3]
        assert batch["text"].tolist() == batch["raw"].tolist() == texts
        nested, number = batch["nested"][0]
        assert nested.tolist() == [[text, TEXTS[0]] for text in texts]
        assert number.tolist() == list(range(3 * i, 3 * i + len(texts)))
        for s in (batch["text"], batch["raw"], nested):
            s.validate()
            assert s.is_contiguous()
            assert s.data.untyped_storage().nbytes() == s.data.numel()
            assert not s.data.is_shared()  # small tensors are sent as bytes
    assert len(batches) == 3


def test_columns_by_every_start_method(workers):
    s, y = StringTensor.from_list(TEXTS), torch.arange(len(TEXTS))
    seen = {}
    for text, label in DataLoader(ColumnDataset(s, y), batch_size=3, shuffle=True, **workers):
        assert text.is_contiguous()
        seen.update(zip(label.tolist(), text.tolist(), strict=True))
    assert [seen[i] for i in range(len(TEXTS))] == TEXTS


def test_a_string_tensor_is_a_dataset():
    s = StringTensor.from_list(TEXTS)
    assert [b.tolist() for b in DataLoader(s, batch_size=4)] == [TEXTS[:4], TEXTS[4:]]
    samples = next(iter(DataLoader(s, batch_size=2, collate_fn=list)))
    assert [sample.item() for sample in samples] == TEXTS[:2]
    assert [len(b) for b in DataLoader(s, batch_size=4, drop_last=True, shuffle=True)] == [4]


def test_datasets_of_torch_accept_string_tensors():
    s, y = StringTensor.from_list(TEXTS), torch.arange(len(TEXTS))
    dataset = TensorDataset(s, y)
    text, label = next(iter(DataLoader(dataset, batch_size=2)))
    assert text.tolist() == TEXTS[:2]
    assert label.tolist() == [0, 1]
    sampler = BatchSampler(SequentialSampler(dataset), 5, drop_last=False)
    assert [t.tolist() for t, _ in DataLoader(dataset, sampler=sampler, batch_size=None)] == [TEXTS[:5], TEXTS[5:]]
    train, test = torch.utils.data.random_split(ColumnDataset(s, y), [5, 2])
    assert len(next(iter(DataLoader(train, batch_size=5)))[0]) == 5
    assert len(test) == 2
    assert next(iter(DataLoader(Stream(), batch_size=4, collate_fn=collate_strings))).tolist() == TEXTS[:4]


def test_named_columns_and_single_rows():
    s, y = StringTensor.from_list(TEXTS), torch.arange(len(TEXTS))
    dataset = ColumnDataset(text=s, label=y)
    assert len(dataset) == len(TEXTS)
    assert dataset[2]["text"].item() == TEXTS[2]
    assert dataset[1:3]["text"].tolist() == TEXTS[1:3]
    batch = next(iter(DataLoader(dataset, batch_size=2)))
    assert batch["text"].tolist() == TEXTS[:2]
    assert batch["label"].tolist() == [0, 1]


@pytest.mark.parametrize(("make", "error", "text"), [
    (lambda s: ColumnDataset(), TypeError, "expected columns"),
    (lambda s: ColumnDataset(s, text=s), TypeError, "all positional or all by name"),
    (
        lambda s: ColumnDataset(s, 1.5),
        TypeError,
        "column 1: expected `values` to be a StringTensor, or strings in a list, a NumPy array",
    ),
    (lambda s: ColumnDataset(a=s, b=s[:1]), ValueError, r"columns of one length, got \{'a': 7, 'b': 1\}"),
])  # fmt: skip
def test_bad_columns_are_rejected(make, error, text):
    with pytest.raises(error, match=text):
        make(StringTensor.from_list(TEXTS))


def _describe(s):
    return s.tolist(), s.is_contiguous(), s.is_shared()


def sent(s):
    return pickle.loads(bytes(ForkingPickler.dumps(s)))


@each("layout", LAYOUTS)
@each("shape", [(), (0,), (3,), (2, 3), (0, 2), (2, 0)])
def test_strings_arrive_in_another_process_compact(shape, layout):
    ids, s = pair(shape, layout)
    arrived = sent(s)
    same(arrived, ids)
    assert arrived.is_contiguous()
    assert arrived.data.untyped_storage().nbytes() == arrived.data.numel()


def test_large_strings_are_sent_in_shared_memory_and_shared_strings_stay_shared():
    large = StringTensor.from_list(["x" * 2**18])
    received = sent(large)
    assert received.is_shared()
    assert received.data.data_ptr() == large.data.data_ptr()
    shared = StringTensor.from_list(["a"]).share_memory_()
    assert sent(shared).data.data_ptr() == shared.data.data_ptr()
    assert not sent(large[:0]).is_shared()


@pytest.mark.parametrize(("forged", "error", "text"), [
    ((bytes(3), bytes([0, 0, 0, 0, 4, 0, 0, 0]), (2,), False), ValueError, "got 4 at row 0, position 1"),
    ((bytes(3), bytes([0, 0, 0, 0, 1, 0, 0, 0] * 2), (2,), False), RuntimeError, "shape"),
    ((bytes(3), bytes(7), (2,), False), ValueError, "multiple of element size"),
    ((bytes(3), bytes(12), (2,), False), RuntimeError, "shape"),
    ((bytes(3), bytes(8), (0,), False), RuntimeError, "shape"),
    ((bytes(3), bytes(4), (), False), ValueError, "offsets for every string"),
    ((bytes(3), b"", (3, 0), False), ValueError, "offsets for every string"),
    ((bytes(3), bytes(12), (3,), True), ValueError, "scalar"),
])  # fmt: skip
def test_forged_messages_are_rejected(forged, error, text):
    with pytest.raises(error, match=text):
        rebuild_sent(*forged)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_pool_receives_only_the_bytes_it_needs(method):
    s = StringTensor.from_list(["x" * 100_000, *TEXTS])[1:]
    with multiprocessing.get_context(method).Pool(1) as pool:
        strings, is_compact, _ = pool.apply_async(_describe, (s,)).get(60)
    assert strings == TEXTS
    assert is_compact


def _use_operators(s):
    # No operators of torch, which hang in such a child.
    s = pickle.loads(pickle.dumps(s))
    found = s == "7"
    gathered = torch.ops.stringops.string_tensor_pack(s.offsets[:-1], s.offsets[1:], s.data)
    return found.numpy().sum(), StringTensor(*gathered).tolist(), s.contiguous().is_contiguous()


def test_operators_work_in_a_forked_child_of_a_process_that_has_used_threads():
    s = StringTensor.from_list([f"{i}" for i in range(100_000)])
    want = _use_operators(s)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_use_operators, (s,)).get(60) == want
