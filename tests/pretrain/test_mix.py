"""Mix: exact proportions, epochs of each source, ends, and states."""

import json
import random
from collections import Counter

import pytest
import torch
from support.cases import each
from support.streams import open_stream
from torch.utils.data import DataLoader

from torch_stringops import SubwordTokenizer
from torch_stringops.pretrain import Mix, Pack, TokenDataset, write_tokens


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


def test_shares_differ_by_less_than_an_item():
    """With any number of sources."""
    rng = random.Random(5)
    cases = [[0.9, 0.1], [0.6] + [0.1] * 4, [0.5, 0.3, 0.2], [1, 0, 0]]
    for size in (6, 7, 20, 60) * 3:
        row = [rng.random() ** 4 * (rng.random() < 0.7) for _ in range(size)]
        cases.append([row[0] + 1e-3, *row[1:]])
    for weights in cases:
        mix = Mix([(Numbers(i, 9), w) for i, w in enumerate(weights)], stop=None, seed=None)
        given = [0] * len(weights)
        for count, (name, _) in enumerate(take(mix, 1000), 1):
            given[name] += 1
            worst = max(abs(n - count * w / sum(weights)) for n, w in zip(given, weights, strict=True))
            assert worst < 1 - 0.4 / len(weights), (len(weights), count)


@pytest.mark.parametrize("stop", ["first", "all"])
@pytest.mark.parametrize("kind", ["map", "plain", "lines"])
def test_a_state_after_the_last_item_continues_with_the_next_pass(tmp_path, kind, stop):
    (tmp_path / "lines.txt").write_text("".join(f"line {i}\n" for i in range(12)))

    def make():
        if kind == "lines":
            options = {"batch_size": 2, "shuffle": True}
            sources = [open_stream(tmp_path / "lines.txt", seed=i, **options) for i in range(2)]
        else:
            sources = [Numbers("a", 5), Numbers("b", 4) if kind == "map" else iter_of("vwxyz")]
        return Mix(zip(sources, [2, 1], strict=True), stop=stop)

    whole = make()
    length = len(list(whole))
    mix = make()
    take(mix, length)
    resumed = make()
    resumed.load_state_dict(json.loads(json.dumps(mix.state_dict())))
    following = [str(item) for item in whole]
    assert [str(item) for item in resumed] == following
    assert len(following) > 2


def test_a_mix_whose_source_has_ended_stops_after_it_resumes(tmp_path):
    (tmp_path / "lines.txt").write_text("".join(f"line {i}\n" for i in range(12)))

    def make():
        sources = [open_stream(tmp_path / "lines.txt", batch_size=2, seed=i) for i in range(2)]
        return Mix(zip(sources, [1, 3], strict=True), stop="first")

    whole = [str(item) for item in make()]
    for taken in range(1, len(whole)):
        mix, resumed = make(), make()
        take(mix, taken)
        resumed.load_state_dict(json.loads(json.dumps(mix.state_dict())))
        assert [str(item) for item in resumed] == whole[taken:], taken


@pytest.mark.parametrize("weights", [(1, 1), (0.7, 0.2, 0.1), (5, 0, 3), (1, 1000), (0.3, 0.3, 0.3, 0.1)])
def test_proportions_are_exact(weights):
    mix = Mix([(Numbers(i, 97 + i), weight) for i, weight in enumerate(weights)], stop=None)
    names = [name for name, _ in take(mix, 5000)]
    share = [weight / sum(weights) for weight in weights]
    given = [0] * len(weights)
    for count, name in enumerate(names, 1):
        given[name] += 1
        assert all(abs(a - b * count) <= 1.0001 for a, b in zip(given, share, strict=True))
    for begin in range(0, 2500, 317):
        window = Counter(names[begin : begin + 2500])
        assert all(abs(window[i] - 2500 * part) <= 2.001 for i, part in enumerate(share))
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


@pytest.mark.parametrize("kind", ["documents", "windows", "pack", "plain", "lines"])
@pytest.mark.parametrize("taken", [0, 1, 17, 40])
def test_a_state_continues_exactly(tokens, tmp_path, kind, taken):
    (tmp_path / "lines.txt").write_text("".join(f"line {i}\n" for i in range(37)))

    def make():
        if kind == "lines":
            options = {"batch_size": 2, "shuffle": True, "transform": lambda s: s.length()}
            sources = [open_stream(tmp_path / "lines.txt", **options) for _ in range(2)]
        elif kind == "pack":
            sources = [Pack(TokenDataset(tokens), 50, 2, shuffle=True), Pack(TokenDataset(tokens), 70, 1, "best_fit")]
        elif kind == "plain":
            sources = [[torch.arange(i % 5) for i in range(9)], iter_of([torch.ones(3)] * 4)]
        else:
            length = 40 if kind == "windows" else None
            sources = [TokenDataset(tokens, length), TokenDataset(tokens, length)]
        return Mix(zip(sources, [3, 1], strict=True), stop=None, seed=4)

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


@each(("arguments", "kind", "message"), [
    ({"sources": []}, ValueError, "Mix: expected `sources` to be pairs"),
    ({"sources": [([1], 1, 2)]}, ValueError, "Mix: expected `sources` to be pairs"),
    ({"sources": [([1], 0)]}, ValueError, "expected weights that are finite numbers >= 0"),
    ({"sources": [([1], -1), ([1], 2)]}, ValueError, "expected weights"),
    ({"sources": [([1], float("nan"))]}, ValueError, "expected weights"),
    ({"sources": [(3, 1)]}, TypeError, "expected source 0 to be a dataset, got int"),
    ({"stop": "last"}, ValueError, "expected `stop` to be one of"),
    ({"rank": 2, "world_size": 2}, ValueError, "expected `rank` within"),
])  # fmt: skip
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
        (Mix([(Numbers("a", 5), 1), ([1, 2], 2)]), "expected a state of `weights`"),
        (Mix([(Numbers("a", 5), 1), ([1, 2], 1)], seed=1), "expected a state of `seed` 1, got 0"),
        (Mix([(Numbers("a", 6), 1), ([1, 2], 1)]), "expected `items` 6 of source 0, got 5"),
        (Mix([(Numbers("a", 5), 1), (iter_of([1]), 1)]), "of the kind of source 1"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            other.load_state_dict(state)
    mix = Mix([(Numbers("a", 5), 1), ([1, 2], 1)])
    for broken in ([], {}, {**state, "items": [1]}, {**state, "sources": [1, 2]}):
        with pytest.raises((ValueError, TypeError), match=r"Mix.load_state_dict: expected "):
            mix.load_state_dict(broken)
