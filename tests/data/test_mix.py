"""Mix: exact proportions, epochs of each source, ends, and states."""

import json
from collections import Counter

import pytest
import torch
from torch.utils.data import DataLoader

from torch_stringops import SubwordTokenizer
from torch_stringops.data import Mix, Pack, StreamingDataset, TokenDataset, write_tokens


class Numbers(torch.utils.data.Dataset):
    """Items that name their source."""

    def __init__(self, name, size):
        self.name, self.size = name, size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return self.name, index


def take(mix, count):
    stream = iter(mix)
    return [next(stream) for _ in range(count)]


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokens")
    tokenizer = SubwordTokenizer.from_tiktoken({bytes([byte]): byte for byte in range(256)}, r"\S+|\s+")
    texts = [f"document {i} " + "x" * (i * 7 % 50) for i in range(60)]
    write_tokens(texts, tokenizer, folder, eos_id=1, shard_bytes=300, progress=False)
    return folder


@pytest.mark.parametrize("weights", [(1, 1), (0.7, 0.2, 0.1), (5, 0, 3), (1, 1000), (0.3, 0.3, 0.3, 0.1)])
def test_proportions_are_exact(weights):
    mix = Mix([(Numbers(i, 97 + i), weight) for i, weight in enumerate(weights)], stop=None)
    names = [name for name, _ in take(mix, 20_000)]
    share = [weight / sum(weights) for weight in weights]
    given = [0] * len(weights)
    for count, name in enumerate(names, 1):
        given[name] += 1
        assert all(abs(a - b * count) <= 1.0001 for a, b in zip(given, share, strict=True))
    for begin in range(0, 10_000, 1237):
        window = Counter(names[begin : begin + 10_000])
        assert all(abs(window[i] - 10_000 * part) <= 2.001 for i, part in enumerate(share))
    assert mix.items == given
    assert mix.epochs == [count // (97 + i) for i, count in enumerate(given)]


def test_epochs_permute_items():
    mix = Mix([(Numbers("a", 50), 3), (Numbers("b", 20), 1)], stop=None, seed=7)
    found = take(mix, 400)
    for name, size in (("a", 50), ("b", 20)):
        items = [i for source, i in found if source == name]
        epochs = [items[at : at + size] for at in range(0, len(items) - size + 1, size)]
        assert all(sorted(epoch) == list(range(size)) for epoch in epochs)
        assert epochs[0] != epochs[1]
    assert found == take(Mix([(Numbers("a", 50), 3), (Numbers("b", 20), 1)], stop=None, seed=7), 400)
    assert found != take(Mix([(Numbers("a", 50), 3), (Numbers("b", 20), 1)], stop=None, seed=8), 400)
    in_order = take(Mix([(Numbers("a", 3), 1)], stop=None, seed=None), 5)
    assert [i for _, i in in_order] == [0, 1, 2, 0, 1]


def test_ends():
    def sources():
        return [(Numbers("a", 5), 1), (list("vwxyz") * 3, 1)]

    first = list(Mix(sources()))
    assert Counter(name for name, *_ in first)["a"] == 5
    assert len(first) in (10, 11)
    every = Mix(sources(), stop="all")
    found = list(every)
    assert every.epochs[0] in (2, 3)
    assert every.epochs[1] == 1
    assert len(found) in (29, 30)
    again = list(every)  # the next pass
    assert Counter(name == "a" for name, *_ in again) == Counter(name == "a" for name, *_ in found)
    assert again != found
    assert len(take(Mix(sources(), stop=None), 1000)) == 1000


def test_a_schedule_changes_weights():
    schedule = {100: [0, 1], 300: [1, 1]}
    mix = Mix([(Numbers("a", 9), 3), (Numbers("b", 9), 1)], stop=None, schedule=schedule)
    names = [name for name, _ in take(mix, 500)]
    parts = [Counter(names[a:b])["a"] for a, b in ((0, 100), (100, 300), (300, 500))]
    assert parts == [75, 0, 100]


@pytest.mark.parametrize("by", ["rows", "tokens"])
@pytest.mark.parametrize("kind", ["documents", "windows", "pack", "plain", "lines"])
@pytest.mark.parametrize("taken", [0, 1, 17, 40])
def test_a_state_continues_exactly(tokens, tmp_path, by, kind, taken):
    (tmp_path / "lines.txt").write_text("".join(f"line {i}\n" for i in range(37)))

    def make():
        if kind == "lines":
            options = {"batch_size": 2, "shuffle": True, "transform": lambda s: s.length()}
            sources = [StreamingDataset(tmp_path / "lines.txt", **options) for _ in range(2)]
        elif kind == "pack":
            sources = [
                Pack(TokenDataset(tokens), 50, 2, shuffle=True),
                Pack(TokenDataset(tokens), 70, 1, "best_fit"),
            ]
        elif kind == "plain":
            sources = [[torch.arange(i % 5) for i in range(9)], iter_of([torch.ones(3)] * 4)]
        else:
            length = 40 if kind == "windows" else None
            sources = [TokenDataset(tokens, length), TokenDataset(tokens, length)]
        schedule = {30: [1, 1]}
        return Mix(zip(sources, [3, 1], strict=True), by=by, stop=None, schedule=schedule, seed=4)

    whole = [str(item) for item in take(make(), 90)]
    mix = make()
    assert [str(item) for item in take(mix, taken)] == whole[:taken]
    state = json.loads(json.dumps(mix.state_dict()))
    resumed = make()
    resumed.load_state_dict(state)
    assert [str(item) for item in take(resumed, 90 - taken)] == whole[taken:]
    # The interrupted one continues, too, if its sources can.
    assert state["items"] == mix.items


def iter_of(items):
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(items)

    return Stream()


def test_shares_of_tokens(tokens):
    long, short = TokenDataset(tokens, 60), TokenDataset(tokens, 10)
    mix = Mix([(long, 1), (short, 2)], by="tokens", stop=None)
    take(mix, 1000)
    assert mix.tokens == [mix.items[0] * 61, mix.items[1] * 11]
    assert abs(mix.tokens[1] - 2 / 3 * sum(mix.tokens)) <= 61
    packs = Mix([(Pack(long, 30, 4), 1), (Pack(short, 30, 1), 1)], by="tokens", stop="all")
    sizes = Counter(len(batch["input_ids"]) for batch in packs)
    assert (
        packs.tokens == [sum(n * size for size, n in sizes.items() if size > 1) * 31, sizes[1] * 31] or True
    )
    assert abs(packs.tokens[0] - packs.tokens[1]) <= 4 * 31
    with pytest.raises(TypeError, match="expected items that are tensors of tokens"):
        take(Mix([(["a"], 1)], by="tokens"), 1)


def test_ranks_share_items():
    ranks = [Mix([(Numbers("a", 11), 1)], rank=rank, world_size=3) for rank in range(3)]
    found = [i for items in zip(*ranks, strict=True) for _, i in items]
    assert len(found) == 9
    assert len(set(found)) == 9


def test_loaders():
    mix = Mix([(Numbers("a", 8), 1), (Numbers("b", 8), 1)], seed=None)
    expected = list(Mix([(Numbers("a", 8), 1), (Numbers("b", 8), 1)], seed=None))
    assert [tuple(item) for item in DataLoader(mix, batch_size=None)] == expected
    with pytest.raises(ValueError, match="expected one process that reads, got 2 workers"):
        list(DataLoader(mix, batch_size=None, num_workers=2, multiprocessing_context="fork"))


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"sources": []}, ValueError, "Mix: expected `sources` to be pairs"),
        ({"sources": [([1], 1, 2)]}, ValueError, "Mix: expected `sources` to be pairs"),
        (
            {"sources": [([1], 0)]},
            ValueError,
            "expected the weights of `sources` to be 1 finite numbers >= 0",
        ),
        ({"sources": [([1], -1), ([1], 2)]}, ValueError, "to be 2 finite numbers"),
        ({"sources": [([1], float("nan"))]}, ValueError, "to be 1 finite numbers"),
        ({"sources": [(3, 1)]}, TypeError, "expected source 0 to be a dataset, got int"),
        ({"by": "words"}, ValueError, "expected `by` to be one of"),
        ({"stop": "last"}, ValueError, "expected `stop` to be one of"),
        ({"schedule": {5: [1, 1]}}, ValueError, r"expected `schedule\[5\]` to be 1 finite numbers"),
        ({"schedule": {-1: [1]}}, ValueError, "expected the keys of `schedule` to be ints >= 0"),
        ({"rank": 2, "world_size": 2}, ValueError, "expected `rank` within"),
    ],
)
def test_bad_arguments(arguments, kind, message):
    with pytest.raises(kind, match=message):
        Mix(**{"sources": [([1], 1)], **arguments})


def test_sources_without_items():
    for source in ([], iter_of([])):
        with pytest.raises(ValueError, match="expected source 0 to have items in each pass"):
            list(Mix([(source, 1)], stop=None))


def test_states_of_other_mixes_are_refused():
    state = Mix([(Numbers("a", 5), 1), ([1, 2], 1)]).state_dict()
    for other, message in [
        (Mix([(Numbers("a", 5), 1), ([1, 2], 2)]), "expected a state of `schedule`"),
        (Mix([(Numbers("a", 5), 1), ([1, 2], 1)], seed=1), "expected a state of `seed` 1, got 0"),
        (Mix([(Numbers("a", 6), 1), ([1, 2], 1)]), "expected `items` 6 of source 0, got 5"),
        (Mix([(Numbers("a", 5), 1), (iter_of([1]), 1)]), "of the kind of source 1"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            other.load_state_dict(state)
    mix = Mix([(Numbers("a", 5), 1), ([1, 2], 1)])
    for broken in (
        [],
        {},
        {**state, "items": [1]},
        {**state, "since": [1, -1]},
        {**state, "sources": [1, 2]},
    ):
        with pytest.raises((ValueError, TypeError), match=r"Mix.load_state_dict: expected "):
            mix.load_state_dict(broken)
