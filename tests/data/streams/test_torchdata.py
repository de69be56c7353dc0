"""StatefulDataLoader of torchdata resumes a StreamingDataset; skipped if torchdata is not installed."""

import pytest
from support.streams import open_stream

loaders = pytest.importorskip("torchdata.stateful_dataloader")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("workers", [0, 2])
def test_a_stateful_loader_resumes_at_the_next_batch(tmp_path, workers):
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("".join(f"{number}/{i}\n" for i in range(7 * number)))

    def loader():
        dataset = open_stream(str(tmp_path / "*.txt"), batch_size=9, shuffle=True, buffer_rows=9)
        return loaders.StatefulDataLoader(dataset, batch_size=None, num_workers=workers)

    want = [batch.tolist() for batch in loader()]
    assert sum(map(len, want)) == 42
    for taken in (1, 2, 4):
        first = loader()
        iterator = iter(first)
        got = [next(iterator).tolist() for _ in range(taken)]
        state = first.state_dict()
        del iterator
        again = loader()
        again.load_state_dict(state)
        assert got + [batch.tolist() for batch in again] == want
