"""A state that is saved at the end of a pass resumes with the next epoch, in every dataset and DataLoader."""

import json

import pytest
from support.streams import open_stream
from torch.utils.data import DataLoader

from torch_stringops import SubwordTokenizer
from torch_stringops.data.streams import stepped_dataset
from torch_stringops.pretrain import Mix, Pack, TokenDataset, write_tokens

try:
    from torchdata.stateful_dataloader import StatefulDataLoader
except ImportError:
    StatefulDataLoader = None


@pytest.fixture(scope="module")
def datasets(tmp_path_factory):
    """Functions that make datasets of 1 to 7 batches, whose order differs between epochs."""
    folder = tmp_path_factory.mktemp("ends")
    lines = [f"line {i}" for i in range(26)]
    (folder / "lines.txt").write_text("\n".join(lines))
    tokenizer = SubwordTokenizer.from_tiktoken({bytes([byte]): byte for byte in range(256)}, r"\S+|\s+")
    write_tokens(lines, tokenizer, folder / "tokens", eos_id=0, progress=False)

    def stream(batch_size=4, **options):
        return open_stream(folder / "lines.txt", batch_size=batch_size, shuffle=True, **options)

    def pack():
        return Pack(TokenDataset(folder / "tokens"), 20, 1, shuffle=True)

    return {
        "stream": stream,
        "stream of one batch": lambda: stream(26),
        "rank with a batch less": lambda: stream(5, even=False, rank=1, world_size=5),
        "pack": pack,
        "stream with threads": lambda: stream(threads=2, drop_last=True),
        "mix until one ends": lambda: Mix([(stream(), 1), (pack(), 2)]),
        "mix of all": lambda: Mix([(pack(), 1), (stream(9), 1)], stop="all"),
    }


def run(dataset, loader, workers):
    """The batches of a pass, and the states after the last one and after the loop."""
    if loader is not dataset and type(loader) is not DataLoader:
        state = loader.state_dict
    else:
        state = lambda: dataset.state_dict(*([len(found)] if workers else []))  # noqa: E731
    found, last = [], None
    for batch in loader:
        found.append(str(batch))
        last = json.dumps(state())
    return found, [last, json.dumps(state())]


@pytest.mark.filterwarnings("ignore")
def test_the_next_epoch_follows(datasets, monkeypatch):
    monkeypatch.setattr(stepped_dataset, "_MAX_PREFETCH", 2)
    in_process = [("loop", 0, False), (DataLoader, 0, False), (StatefulDataLoader, 0, False)]
    in_workers = [(DataLoader, 2, False), (StatefulDataLoader, 2, False), (StatefulDataLoader, 3, True)]
    for number, (name, make) in enumerate(datasets.items()):
        want = [run(dataset, dataset, 0)[0] for dataset in [make()] for _ in range(4)]
        assert want[0] != want[1] or len(want[0]) == 0, name
        for kind, workers, persistent in in_process + (in_workers if number < 4 else []):
            if kind is None or (len(want[0]) == 1 and kind is DataLoader and workers):
                continue  # torchdata is not installed, or a rank whose state is not that of rank 0

            def open_with(dataset, kind=kind, workers=workers, persistent=persistent):
                if kind == "loop":
                    return dataset
                options = {"persistent_workers": persistent, "multiprocessing_context": "fork"}
                return kind(dataset, batch_size=None, num_workers=workers, **(options if workers else {}))

            dataset = make()
            loader = open_with(dataset)
            for epoch in range(1 if workers else 2):
                found, states = run(dataset, loader, workers)
                assert found == want[epoch], (name, kind, workers, epoch)
                for where, state in zip(("in the loop", "after it"), states, strict=True):
                    again = make()
                    resumed = open_with(again)
                    (resumed if kind is StatefulDataLoader else again).load_state_dict(json.loads(state))
                    after = [run(again, resumed, workers)[0] for _ in range(2)]
                    if kind is StatefulDataLoader and workers and len(want[0]) == 1 and where == "in the loop":
                        assert after[0] == []  # an epoch that is as short as what is read ahead
                        after = [after[1], run(again, resumed, workers)[0]]
                    assert after == want[epoch + 1 : epoch + 3], (name, kind, workers, epoch, where)


@pytest.mark.filterwarnings("ignore")
def test_states_within_a_pass_of_workers(datasets, monkeypatch):
    """The state of each batch of two epochs, also of the first ones, before all workers have read."""
    monkeypatch.setattr(stepped_dataset, "_MAX_PREFETCH", 2)
    if StatefulDataLoader is None:
        pytest.skip("torchdata is not installed")
    make = datasets["stream"]

    def open_with(dataset):
        return StatefulDataLoader(dataset, batch_size=None, num_workers=2, multiprocessing_context="fork")

    want = [run(dataset, dataset, 0)[0] for dataset in [make()] for _ in range(3)]
    loader, length = open_with(make()), len(want[0])
    flat = [batch for epoch in want for batch in epoch]
    for epoch in range(2):
        for number, batch in enumerate(loader, 1 + epoch * length):
            assert str(batch) == flat[number - 1]
            resumed = open_with(make())
            resumed.load_state_dict(loader.state_dict())
            found = [str(batch) for batch in resumed]
            assert found == flat[number : number + len(found)], number
            assert len(found) == (length - number % length), number
