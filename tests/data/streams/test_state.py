"""States of StreamingDataset: what is resumed is exact or refused, and epochs follow each other."""

import json
import random
from pathlib import Path

import pytest
import torch
from support.streams import open_stream
from torch.utils.data import DataLoader

from torch_stringops.data import StreamingDataset


def write(folder: Path, counts: list[int]) -> None:
    for number, count in enumerate(counts):
        (folder / f"{number}.txt").write_text("".join(f"{number}/{i}\n" for i in range(count)))


def rows_of(batches) -> list[str]:
    return [row for batch in batches for row in batch.tolist()]


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, [5, 0, 9, 1, 17])
    return tmp_path


OPTIONS = {"batch_size": 3, "shuffle": True, "seed": 3, "buffer_rows": 8, "buffer_bytes": 4096}


def dataset_of(folder, **changed) -> StreamingDataset:
    return open_stream(str(folder / "*.txt"), **{**OPTIONS, **changed})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shuffle": False}, "expected a state of `shuffle` False, got True"),
        ({"seed": 4}, "expected a state of `seed` 4, got 3"),
        ({"buffer_rows": 9}, "expected a state of `buffer_rows` 9, got 8"),
        ({"buffer_bytes": 64}, "expected a state of `buffer_bytes` 64, got 4096"),
    ],
)
def test_other_settings_are_refused(folder, changed, message):
    state = dataset_of(folder).state_dict()
    with pytest.raises(ValueError, match=message):
        dataset_of(folder, **changed).load_state_dict(state)


def test_other_columns_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("text,n\na,1\n")
    state = open_stream(tmp_path / "a.csv", batch_size=1).state_dict()
    with pytest.raises(ValueError, match="expected a state of `columns` 'text', got None"):
        open_stream(tmp_path / "a.csv", batch_size=1, columns="text").load_state_dict(state)


def test_other_files_are_refused(folder):
    state = json.loads(json.dumps(dataset_of(folder).state_dict()))
    text = (folder / "0.txt").read_text()
    (folder / "0.txt").write_text(text.replace("0/4", "0/40"))
    with pytest.raises(ValueError, match=r"0\.txt: expected the size in bytes of the state, 20, got 21"):
        dataset_of(folder).load_state_dict(state)
    (folder / "0.txt").write_text(text.replace("/4", "\n\n"))
    with pytest.raises(ValueError, match=r"0\.txt: expected the number of rows of the state, 5, got 7"):
        dataset_of(folder).load_state_dict(state)
    (folder / "0.txt").rename(folder / "0a.txt")
    with pytest.raises(ValueError, match=r"0a\.txt: expected the name of the state, 0\.txt, got 0a\.txt"):
        dataset_of(folder).load_state_dict(state)
    for name in ("epoch", "first", "step", "step_rows"):
        with pytest.raises(TypeError, match=rf"expected `state\['{name}'\]`"):
            dataset_of(folder).load_state_dict({**state, name: None})
    with pytest.raises(TypeError, match=r"expected `state\['files'\]` to be a list"):
        dataset_of(folder).load_state_dict({**state, "files": [1]})
    with pytest.raises(ValueError, match="expected a state of `version` 2, got None"):
        dataset_of(folder).load_state_dict({"epoch": 0, "first": 0, "step": 0})


def test_the_order_of_paths_does_not_matter(folder):
    paths = sorted(folder.glob("*.txt"))
    want = rows_of(dataset_of(folder))
    dataset = open_stream(paths[::-1], **OPTIONS)
    assert rows_of(dataset) == want
    dataset.load_state_dict(dataset_of(folder).state_dict())


def test_files_in_another_folder_are_the_same(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("moved")
    for path in folder.glob("*.txt"):
        (other / path.name).write_bytes(path.read_bytes())
    dataset = dataset_of(folder)
    iterator = iter(dataset)
    before = [next(iterator) for _ in range(2)]
    resumed = dataset_of(other)
    resumed.load_state_dict(dataset.state_dict())
    assert rows_of([*before, *resumed]) == rows_of(dataset_of(folder))


def test_epochs_follow_each_other(folder):
    def epoch(number):
        dataset = dataset_of(folder)
        dataset.set_epoch(number)
        return rows_of(dataset)

    dataset = dataset_of(folder)
    assert [rows_of(dataset) for _ in range(3)] == [epoch(0), epoch(1), epoch(2)]
    # A pass that is left early is not ended.
    for _ in dataset:
        break
    assert rows_of(dataset) == epoch(3)
    dataset.set_epoch(1)
    assert rows_of(dataset) == epoch(1)
    # A resumed pass is followed by a whole one.
    resumed = dataset_of(folder)
    resumed.load_state_dict({**dataset_of(folder).state_dict(), "step": 4})
    assert len(resumed) == len(dataset_of(folder)) - 4
    assert rows_of(resumed) == epoch(0)[12:]
    assert len(resumed) == len(dataset_of(folder))
    assert rows_of(resumed) == epoch(1)


@pytest.mark.parametrize("persistent", [False, True])
def test_epochs_in_workers(folder, persistent):
    def epoch(number):
        dataset = dataset_of(folder)
        dataset.set_epoch(number)
        return rows_of(dataset)

    dataset = dataset_of(folder)
    loader = DataLoader(dataset, batch_size=None, num_workers=3, persistent_workers=persistent)
    assert [rows_of(loader) for _ in range(3)] == [epoch(0), epoch(1), epoch(2)]
    assert dataset.state_dict(2)["epoch"] == 2
    with pytest.raises(ValueError, match=r"expected `batches`, .*: state_dict\(batches\)"):
        dataset.state_dict()
    dataset.set_epoch(7)
    assert dataset.state_dict()["step"] == 0
    assert rows_of(loader) == epoch(7)
    resumed = dataset_of(folder)
    resumed.load_state_dict(dataset.state_dict(4))
    loader = DataLoader(resumed, batch_size=None, num_workers=2)
    assert rows_of(loader) == epoch(7)[12:]
    assert rows_of(loader) == epoch(8)


def test_workers_whose_generator_is_seeded_again(folder):
    dataset = dataset_of(folder)
    found = []
    for _ in range(3):
        generator = torch.Generator().manual_seed(0)
        found.append(rows_of(DataLoader(dataset, batch_size=None, num_workers=2, generator=generator)))
    assert all(sorted(rows) == sorted(found[0]) for rows in found)
    assert len(set(map(tuple, found))) == 3


def test_random_resumes_take_every_row_once(tmp_path):
    """Chains of interruptions, each resumed with other numbers of ranks, threads and rows of a batch."""
    draw = random.Random(5)
    write(tmp_path, [40, 3, 0, 71, 16])
    for _ in range(60):
        options = {
            "shuffle": draw.random() < 0.8,
            "seed": draw.randrange(9),
            "buffer_rows": draw.choice([1, 7, 30, 500]),
        }
        paths = str(tmp_path / "*.txt")
        whole = rows_of(open_stream(paths, batch_size=7, **options))
        found, state = [], None
        while len(found) < len(whole):
            size = draw.choice([1, 2, 3])
            batch_size, steps = draw.randrange(1, 20), draw.randrange(5)
            by_rank, states = [], []
            for rank in range(size):
                dataset = open_stream(
                    paths,
                    batch_size=batch_size,
                    even=False,
                    rank=rank,
                    world_size=size,
                    threads=draw.choice([0, 0, 0, 2]),
                    **options,
                )
                if state is not None:
                    dataset.load_state_dict(json.loads(json.dumps(state)))
                iterator = iter(dataset)
                by_rank.append([batch.tolist() for batch, _ in zip(iterator, range(steps), strict=False)])
                states.append(dataset.state_dict(steps))
                iterator.close()
            assert all(s == states[0] for s in states)
            state = states[0]
            for step in range(steps):
                found += [row for rank in by_rank for row in (rank[step] if step < len(rank) else [])]
        assert found == whole
