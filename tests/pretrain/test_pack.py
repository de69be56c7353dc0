"""Pack: blocks against an oracle in plain Python, the same for any ranks, workers and pauses."""

import json
import random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from torch.utils.data import DataLoader

from torch_stringops import SubwordTokenizer
from torch_stringops.pretrain import Pack, TokenDataset, packing, write_tokens
from torch_stringops.pretrain.permutation import BlockOrder, Permutation

EOS = 1


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """A dataset of documents of given lengths, in shards of a few documents."""
    tokenizer = SubwordTokenizer.from_tiktoken({bytes([byte]): byte for byte in range(256)}, r"\S+|\s+")

    def make_dataset(lengths, add_eos=True):
        folder = tmp_path_factory.mktemp("tokens")
        rng = random.Random(sum(lengths))
        texts = ["".join(rng.choices("abcdefg", k=length - add_eos)) for length in lengths]
        options = {"eos_id": EOS} if add_eos else {"add_eos": False}
        write_tokens(texts, tokenizer, folder, shard_bytes=200, progress=False, **options)
        return TokenDataset(folder)

    return make_dataset


@pytest.fixture(scope="module")
def dataset(make):
    rng = random.Random(1)
    return make([rng.choice([1, 2, 3, 7, 8, 9, 10, 17, 25, 60]) for _ in range(90)])


def batch_of_blocks(blocks, length, pad_id, mask_boundaries):
    """The oracle: blocks as lists of `(document, token)`."""
    found = {name: [] for name in ("input_ids", "labels", "position_ids", "document_ids")}
    bounds, at = [], 0
    for block in blocks:
        block = block + [(-1, pad_id)] * (length + 1 - len(block))
        found["input_ids"].append([token for _, token in block])
        found["document_ids"].append([document for document, _ in block[:-1]])
        labels, positions = [], []
        for i in range(length):
            document, (of_next, token) = block[i][0], block[i + 1]
            labels.append(-100 if of_next < 0 or (mask_boundaries and of_next != document) else token)
            starts = i == 0 or block[i - 1][0] != document
            positions.append(0 if starts else positions[-1] + 1)
            if starts:
                bounds.append(at + i)
        at += length
        found["labels"].append(labels)
        found["position_ids"].append(positions)
    return found | {"cu_seqlens": [*bounds, at]}


def tokens_of(dataset):
    return [(i, token) for i, row in enumerate(dataset) for token in row.tolist()]


def concatenated(dataset, length):
    tokens = tokens_of(dataset)
    return [tokens[at : at + length + 1] for at in range(0, len(tokens) - length, length)]


def lists(batch):
    return {name: tensor.tolist() for name, tensor in batch.items()}


@pytest.mark.parametrize("length", [1, 7, 64])
@pytest.mark.parametrize("masked", [False, True])
def test_concatenation(dataset, length, masked):
    pack = Pack(dataset, length, 3, mask_boundaries=masked)
    blocks = concatenated(dataset, length)
    expected = [batch_of_blocks(blocks[at : at + 3], length, 0, masked) for at in range(0, len(blocks), 3)]
    found = list(pack)
    assert [lists(batch) for batch in found] == expected
    assert (len(pack), pack.num_blocks, pack.padding) == (len(expected), len(blocks), 0)
    kinds = {name: tensor.dtype for name, tensor in found[0].items()}
    assert kinds.pop("cu_seqlens") == torch.int32
    assert set(kinds.values()) == {torch.int64}


@pytest.mark.parametrize("length", [1, 8, 30])
@pytest.mark.parametrize("masked", [False, True])
def test_documents_of_best_fit_are_whole(dataset, length, masked):
    pack = Pack(dataset, length, 3, "best_fit", mask_boundaries=masked, pad_id=9)
    rows = [row.tolist() for row in dataset]
    firsts = np.cumsum([0, *map(len, rows)])
    blocks, parts_of = [], {}
    for number in range(pack.num_blocks):
        blocks.append([])
        for document, begin, count in zip(*pack._packing.parts(number), strict=True):
            at = begin - firsts[document]
            part = rows[document][at : at + count]
            assert len(part) == count
            parts_of.setdefault(document, []).append((at, count))
            blocks[-1] += [(document, token) for token in part]
        assert 0 < len(blocks[-1]) <= length + 1
    for document, row in enumerate(rows):
        begins = range(0, max(len(row) - 1, 1), length)
        expected = [(at, min(length + 1, len(row) - at)) for at in begins]
        assert sorted(parts_of[document]) == expected
    found = [lists(batch) for batch in pack]
    assert found == [batch_of_blocks(blocks[at : at + 3], length, 9, masked) for at in range(0, len(blocks), 3)]
    used = sum(map(len, blocks))
    assert pack.padding == pytest.approx(1 - used / (pack.num_blocks * (length + 1)), abs=1e-12)


def first_fit_of_every(counts, capacity):
    """Best-fit decreasing, part by part: the number of blocks."""
    rooms = []
    for count in sorted(counts, reverse=True):
        fits = [i for i, room in enumerate(rooms) if room >= count]
        if fits:
            rooms[min(fits, key=lambda i: rooms[i])] -= count
        else:
            rooms.append(capacity - count)
    return len(rooms)


@given(st.lists(st.integers(1, 12), max_size=60), st.integers(12, 40))
def test_best_fit_is_that_of_the_definition(counts, capacity):
    blocks = packing.best_fit(np.array(counts, dtype=np.int64), capacity)
    used = np.bincount(blocks, np.array(counts, dtype=float)) if counts else np.empty(0)
    assert (used <= capacity).all()
    assert (used > 0).all()
    assert len(used) == first_fit_of_every(counts, capacity)


def test_windows_of_best_fit(dataset, monkeypatch):
    monkeypatch.setattr(packing, "_WINDOW", 11)
    pack = Pack(dataset, 20, 1, "best_fit")
    found = torch.cat([batch["input_ids"].flatten() for batch in pack])
    every = torch.tensor([token for _, token in tokens_of(dataset)])
    repeated = sum(-(-max(len(row) - 1, 1) // 20) - 1 for row in dataset)
    assert int((found == EOS).sum()) >= int((every == EOS).sum())
    assert (found != EOS).sum() == (every != EOS).sum() + repeated
    again = [lists(batch) for batch in Pack(dataset, 20, 1, "best_fit", shuffle=True)]
    assert sorted(map(str, again)) == sorted(str(lists(batch)) for batch in pack)


@pytest.mark.check
def test_padding_of_prose(make):
    rng = np.random.default_rng(0)
    lengths = np.exp(rng.normal(4.5, 1.2, 3000)).astype(int).clip(2, 5000)
    pack = Pack(make(lengths.tolist()), 2048, 4, "best_fit")
    assert pack.padding < 0.005


@each("mode", ["concat", "best_fit"])
@each("shuffle", [False, True])
@each("ranks", [2, 3, 4])
def test_blocks_are_the_same_on_any_number_of_ranks(dataset, mode, shuffle, ranks):
    options = {"mode": mode, "shuffle": shuffle, "seed": 5}
    alone = torch.cat([batch["input_ids"] for batch in Pack(dataset, 16, 1, **options)])
    packs = [Pack(dataset, 16, 2, rank=rank, world_size=ranks, **options) for rank in range(ranks)]
    steps = list(zip(*packs, strict=True))
    assert len(steps) == len(packs[0])
    found = torch.cat([batch["input_ids"] for step in steps for batch in step])
    repeated = packs[0].num_blocks % (2 * ranks) and -packs[0].num_blocks % (2 * ranks) % ranks
    assert torch.equal(found[: len(alone)], alone)
    assert len(found) == len(alone) + repeated
    once = [Pack(dataset, 16, 2, rank=rank, world_size=ranks, even=False, **options) for rank in range(ranks)]
    assert sum(len(batch["input_ids"]) for pack in once for batch in pack) == len(alone)


@pytest.mark.parametrize("mode", ["concat", "best_fit"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_a_state_continues_with_the_next_block(dataset, mode, shuffle):
    options = {"mode": mode, "shuffle": shuffle, "seed": 2}
    whole = Pack(dataset, 16, 1, **options)
    epochs = [[batch["input_ids"] for batch in whole] for _ in range(2)]
    assert torch.equal(torch.cat(epochs[0]), torch.cat(epochs[1])) != shuffle
    for taken, (batch_size, ranks) in [(0, (3, 1)), (2, (2, 2)), (3, (1, 4)), (4, (4, 2))]:
        before = [Pack(dataset, 16, 2, rank=rank, world_size=2, **options) for rank in range(2)]
        streams = [iter(pack) for pack in before]
        done = [next(stream)["input_ids"] for _ in range(taken) for stream in streams]
        state = json.loads(json.dumps(before[0].state_dict()))
        after = [Pack(dataset, 16, batch_size, rank=rank, world_size=ranks, **options) for rank in range(ranks)]
        for pack in after:
            pack.load_state_dict(state)
        rest = [batch["input_ids"] for step in zip(*after, strict=True) for batch in step]
        found = torch.cat([*done, *rest])
        assert torch.equal(found[: whole.num_blocks], torch.cat(epochs[0]))
        # The next pass is the next epoch.
        first = next(iter(after[0]))["input_ids"]
        assert torch.equal(first[:1], epochs[1][0])


def test_workers_give_the_same_batches(dataset):
    pack = Pack(dataset, 16, 2, shuffle=True)
    expected = [lists(batch) for batch in pack]
    pack.set_epoch(0)
    loader = DataLoader(pack, batch_size=None, num_workers=2, multiprocessing_context="fork")
    stream = iter(loader)
    found = [lists(next(stream)) for _ in range(3)]
    with pytest.raises(ValueError, match="expected `batches`, the number of batches received in this pass"):
        pack.state_dict()
    state = pack.state_dict(3)
    resumed = Pack(dataset, 16, 2, shuffle=True)
    resumed.load_state_dict(state)
    assert found + [lists(batch) for batch in resumed] == expected
    assert found + [lists(batch) for batch in stream] == expected


@pytest.mark.parametrize(("changed", "name"), [
    ({"length": 15}, "length"), ({"mode": "best_fit"}, "mode"), ({"shuffle": True}, "shuffle"),
    ({"mask_boundaries": True}, "mask_boundaries"),
])  # fmt: skip
def test_states_of_other_settings_are_refused(dataset, make, changed, name):
    arguments = {"length": 16, "batch_size": 2}
    state = Pack(dataset, **arguments).state_dict()
    with pytest.raises(ValueError, match=f"Pack.load_state_dict: expected a state of `{name}`"):
        Pack(dataset, **{**arguments, **changed}).load_state_dict(state)
    with pytest.raises(ValueError, match="expected a state of `documents` 2, got 90"):
        Pack(make([3, 40]), **arguments).load_state_dict(state)
    arguments["mode"] = "best_fit"
    state = Pack(dataset, **arguments, pad_id=3).state_dict()
    with pytest.raises(ValueError, match=r"expected a state of `pad_id` 4, got 3"):
        Pack(dataset, **arguments, pad_id=4).load_state_dict(state)
    for broken in ({**state, "first": -1}, {**state, "step": "a"}, [], {**state, "epoch": None}):
        with pytest.raises((TypeError, ValueError), match=r"Pack.load_state_dict: expected `state"):
            Pack(dataset, **arguments, pad_id=3).load_state_dict(broken)


@pytest.mark.parametrize(
    ("changed", "kind", "message"),
    [
        ({"dataset": [1]}, TypeError, "Pack: expected `dataset` to be a TokenDataset, got list"),
        ({"length": 0}, ValueError, "Pack: expected `length` within"),
        ({"batch_size": 0}, ValueError, "Pack: expected `batch_size` >= 1, got 0"),
        ({"batch_size": 2**30}, ValueError, r"Pack: expected less than 2\*\*31 inputs of a batch"),
        ({"mode": "first"}, ValueError, "Pack: expected `mode` to be one of"),
        ({"rank": 1}, ValueError, "Pack: expected `rank` and `world_size` together"),
        ({"pad_id": -1}, ValueError, "Pack: expected `pad_id` >= 0, got -1"),
        ({"seed": -1}, ValueError, "Pack: expected `seed` within"),
    ],
)
def test_bad_arguments(dataset, changed, kind, message):
    with pytest.raises(kind, match=message):
        Pack(**{"dataset": dataset, "length": 8, "batch_size": 2, **changed})


@pytest.mark.parametrize("lengths", [[], [1], [0, 0], [0, 1]])
def test_few_tokens(make, lengths):
    dataset = make(lengths, add_eos=False)
    assert list(Pack(dataset, 4, 2)) == []
    packed = list(Pack(dataset, 4, 2, "best_fit"))
    assert len(packed) == sum(lengths)
    for batch in packed:
        assert batch["labels"].tolist() == [[-100] * 4]


@given(st.integers(1, 5000), st.integers(0, 2**63 - 1))
def test_permutations(size, seed):
    found = Permutation(size, [seed]).of(np.arange(size))
    assert np.array_equal(np.sort(found), np.arange(size))


def test_permutations_mix():
    size = 100_000
    found = Permutation(size, [3]).of(np.arange(size))
    assert abs(np.corrcoef(found, np.arange(size))[0, 1]) < 0.02
    # About one number in a random permutation is at its place, and one follows its predecessor.
    assert (found == np.arange(size)).sum() < 8
    assert (np.diff(found) == 1).sum() < 8
    assert (found != Permutation(size, [4]).of(np.arange(size))).mean() > 0.99


def test_runs_stay_together():
    bounds = np.array([0, 5, 5, 9, 20])
    order = BlockOrder(bounds, [1, 2])
    found = [order.block(row) for row in range(20)]
    assert sorted(found) == list(range(20))
    runs = np.searchsorted(bounds, found, side="right")
    assert (np.diff(runs) != 0).sum() == 2
