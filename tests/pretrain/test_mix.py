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
    """With any number of sources, and if weights change at any time: a change must not starve a source."""
    rng = random.Random(5)
    frequent = {step: [0.9, 0.1] for step in range(5, 1000, 5)}
    cases = [
        ([0.9, 0.1], frequent),
        ([0.6] + [0.1] * 4, {}),
        ([0.5, 0.3, 0.2], {7: [1, 0, 0], 90: [0, 1, 1]}),
    ]
    for size in (6, 7, 20, 60):
        for changes in (0, 3, 40):
            rows = [[rng.random() ** 4 * (rng.random() < 0.7) for _ in range(size)] for _ in range(changes + 1)]
            rows = [[row[0] + 1e-3, *row[1:]] for row in rows]
            cases.append((rows[0], {rng.randrange(1000): row for row in rows[1:]}))
    for first, schedule in cases:
        mix = Mix([(Numbers(i, 9), w) for i, w in enumerate(first)], stop=None, seed=None, schedule=schedule)
        weights, share, given = first, [0.0] * len(first), [0] * len(first)
        for count, (name, _) in enumerate(take(mix, 1000)):
            weights = schedule.get(count, weights)
            share = [part + w / sum(weights) for part, w in zip(share, weights, strict=True)]
            given[name] += 1
            worst = max(abs(a - b) for a, b in zip(given, share, strict=True))
            assert worst < 1 - 0.4 / len(first), (len(first), len(schedule), count)


def test_tokens_of_other_sizes_keep_their_shares():
    """Also if weights change: within the longest item."""
    rng = random.Random(6)
    sources = [[torch.zeros(rng.randrange(1, most)) for _ in range(50)] for most in (100, 3, 30, 60, 9, 40)]
    schedule = {step: [rng.random() for _ in sources] for step in range(3, 900, 7)}
    mix = Mix([(source, 1) for source in sources], stop=None, seed=1, by="tokens", schedule=schedule)
    weights, share = [1] * 6, [0.0] * 6
    for count, (item, _) in enumerate(zip(mix, range(1000), strict=False)):
        weights = schedule.get(count, weights)
        share = [part + item.numel() * w / sum(weights) for part, w in zip(share, weights, strict=True)]
        assert max(abs(a - b) for a, b in zip(mix.tokens, share, strict=True)) <= 100, count


def test_tokens_are_refused_on_ranks(tokens):
    """Items of other sizes would give each rank another order, and another number of batches."""
    for make in (
        lambda: Mix([(Numbers("a", 5), 1)], by="tokens", rank=1, world_size=2),
        lambda: iter(Mix([(Pack(TokenDataset(tokens), 50, 2, rank=0, world_size=2), 1)], by="tokens")).__next__(),
    ):
        with pytest.raises(ValueError, match='expected one rank with by="tokens".* got 2'):
            make()


def test_a_source_whose_weight_is_0_at_first_is_read_to_its_end():
    mix = Mix([(Numbers("a", 5), 1), (Numbers("b", 4), 0)], stop="all", schedule={20: [1, 1]})
    found = [name for name, _ in mix]
    assert (found.count("b"), mix.epochs[1]) == (4, 1)
    assert set(found[:20]) == {"a"}


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
            sources = [open_stream(tmp_path / "lines.txt", **options) for _ in range(2)]
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
    assert packs.tokens == [sum(n * size for size, n in sizes.items() if size > 1) * 31, sizes[1] * 31] or True
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


@each(("arguments", "kind", "message"), [
    ({"sources": []}, ValueError, "Mix: expected `sources` to be pairs"),
    ({"sources": [([1], 1, 2)]}, ValueError, "Mix: expected `sources` to be pairs"),
    ({"sources": [([1], 0)]}, ValueError, "expected the weights of `sources` to be 1 finite numbers >= 0"),
    ({"sources": [([1], -1), ([1], 2)]}, ValueError, "to be 2 finite numbers"),
    ({"sources": [([1], float("nan"))]}, ValueError, "to be 1 finite numbers"),
    ({"sources": [(3, 1)]}, TypeError, "expected source 0 to be a dataset, got int"),
    ({"by": "words"}, ValueError, "expected `by` to be one of"),
    ({"stop": "last"}, ValueError, "expected `stop` to be one of"),
    ({"schedule": {5: [1, 1]}}, ValueError, r"expected `schedule\[5\]` to be 1 finite numbers"),
    ({"schedule": {-1: [1]}}, ValueError, "expected the keys of `schedule` to be ints >= 0"),
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
        {**state, "owed": [1, 0]},
        {**state, "owed": [float("nan"), 0]},
        {**state, "largest": 0},
        {**state, "sources": [1, 2]},
    ):
        with pytest.raises((ValueError, TypeError), match=r"Mix.load_state_dict: expected "):
            mix.load_state_dict(broken)
