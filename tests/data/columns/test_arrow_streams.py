"""load: Arrow streams, folders of Hugging Face's save_to_disk, and large_utf8."""

import json
import multiprocessing
import os
import pickle

import pyarrow
import pyarrow.parquet
import pytest
from support.limited import anonymous_bytes
from support.streams import open_stream
from torch.utils.data import DataLoader

from torch_stringops.data import ColumnDataset, load, read_arrow, read_parquet
from torch_stringops.data.columns import arrow_maps

WORDS = ["to", "be", "", "é日😀", "not\0"]


def stream(path, *batches, kind=None, name="text"):
    schema = pyarrow.schema([(name, kind or pyarrow.utf8())])
    with pyarrow.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(pyarrow.record_batch([pyarrow.array(batch, schema[0].type)], schema=schema))
    return path


def is_mapped(found) -> bool:
    """Whether the bytes of the first chunk are those of a mapped file."""
    at = found.chunks[0].data.data_ptr()
    with open("/proc/self/maps") as maps:
        for line in maps:
            begin, end = (int(n, 16) for n in line.split()[0].split("-"))
            if begin <= at < end:
                return ".arrow" in line
    return False


def test_a_stream_is_mapped(tmp_path):
    found = load(stream(tmp_path / "a.arrow", WORDS, [], WORDS[:2]))
    assert is_mapped(found)
    assert found[:].tolist() == WORDS + WORDS[:2]
    assert [len(chunk) for chunk in found.chunks] == [5, 0, 2]
    assert pickle.loads(pickle.dumps(found))[[-1, 3]].tolist() == ["be", "é日😀"]
    assert len(load(stream(tmp_path / "none.arrow"))) == 0
    assert load([tmp_path / "none.arrow", tmp_path / "a.arrow"])[0].item() == "to"


def test_streams_that_are_truncated_are_errors(tmp_path):
    path = stream(tmp_path / "a.arrow", WORDS, WORDS, WORDS)
    raw = path.read_bytes()
    for end in range(len(raw)):  # also between two batches
        path.write_bytes(raw[:end])
        with pytest.raises(ValueError, match=r"load: .*a\.arrow: "):
            load(path)


@pytest.mark.parametrize("kind", [pyarrow.large_utf8(), pyarrow.large_binary()])
def test_large_columns(tmp_path, monkeypatch, kind):
    words = [word.encode() for word in WORDS] * 10
    path = stream(tmp_path / "a.arrow", words, words[:3], kind=kind)
    assert load(path)[:].tolist(as_bytes=True) == words + words[:3]
    for limit in (arrow_maps.MAX_BYTES, 13):
        monkeypatch.setattr(arrow_maps, "MAX_BYTES", limit)
        monkeypatch.setattr(arrow_maps, "_MAX_STRINGS", 7)
        found = load(path)
        assert is_mapped(found)
        assert found[:].tolist(as_bytes=True) == words + words[:3]
        assert max(len(chunk) for chunk in found.chunks) <= 7
        assert max(int(chunk.offsets[-1]) for chunk in found.chunks) <= limit
    monkeypatch.setattr(arrow_maps, "MAX_BYTES", 8)
    with pytest.raises(ValueError, match="expected strings of at most .* got a longer one at position 3"):
        load(path)


def test_damaged_offsets_of_large_columns(tmp_path):
    path = stream(tmp_path / "a.arrow", WORDS, kind=pyarrow.large_utf8())
    raw = path.read_bytes()
    at = raw.index(b"".join(n.to_bytes(8, "little") for n in (0, 2, 4, 4)))
    for value in (-1, 2**40, 3):
        path.write_bytes(raw[: at + 8] + value.to_bytes(8, "little", signed=True) + raw[at + 16 :])
        if value != 3:
            with pytest.raises(ValueError, match="expected `offsets` non-decreasing and within `data`"):
                load(path)


datasets = pytest.importorskip("datasets")


@pytest.fixture
def saved(tmp_path):
    dataset = datasets.Dataset.from_dict({"text": [f"row {i}" for i in range(100)], "n": list(range(100))})
    dataset.save_to_disk(tmp_path / "saved", num_shards=3)
    return tmp_path / "saved"


def test_a_folder_of_hugging_face(saved):
    found = load(saved, column="text")
    assert is_mapped(found)
    assert found[:].tolist() == [f"row {i}" for i in range(100)]
    assert len(pickle.dumps(found)) < 1000
    assert pickle.loads(pickle.dumps(found))[[99]].tolist() == ["row 99"]
    (batch,) = DataLoader(ColumnDataset(load([str(saved)], column="text")), batch_size=100, num_workers=1)
    assert batch[0].tolist()[50] == "row 50"
    with pytest.raises(ValueError, match=r"expected one column, got 2 \(pass column=\)"):
        load(saved)
    path = next(saved.glob("data-00001*"))
    os.truncate(path, path.stat().st_size - 8)
    with pytest.raises(ValueError, match=rf"load: {path}: expected an end mark of the stream"):
        load(saved, column="text")


def test_rows_that_were_selected_and_large_strings(tmp_path):
    features = datasets.Features({"text": datasets.Value("large_string")})
    dataset = datasets.Dataset.from_dict({"text": [f"row {i}" for i in range(100)]}, features=features)
    dataset.select([5, 3, 99]).save_to_disk(tmp_path / "a")
    assert load(tmp_path / "a")[:].tolist() == ["row 5", "row 3", "row 99"]


def test_other_folders(saved, tmp_path):
    datasets.DatasetDict(train=datasets.load_from_disk(str(saved))).save_to_disk(tmp_path / "splits")
    with pytest.raises(ValueError, match=r"splits: expected the folder of one split, got those of several"):
        load(tmp_path / "splits")
    assert len(load(tmp_path / "splits" / "train", column="text")) == 100
    with pytest.raises(ValueError, match=r"load: .*: expected a file, or a folder with the state\.json"):
        load(tmp_path)
    state = saved / "state.json"
    content = json.loads(state.read_text())
    state.write_text(json.dumps(content | {"_indices_files": [{"filename": "indices.arrow"}]}))
    with pytest.raises(ValueError, match=r"expected no indices of rows"):
        load(saved, column="text")
    state.write_text("{}")
    with pytest.raises(ValueError, match=r"state\.json: expected the names of data files"):
        load(saved, column="text")


def test_opening_a_folder_does_not_copy_it(tmp_path):
    """The memory of a process, without pages of files, stays far below the size of the strings."""

    def use():
        before = anonymous_bytes()
        found = load(tmp_path / "a")
        assert len(found) == 200_000
        assert anonymous_bytes() - before < 4_000_000
        assert found[-1].item() == "x" * 100

    datasets.Dataset.from_dict({"text": ["x" * 100] * 200_000}).save_to_disk(tmp_path / "a")
    process = multiprocessing.get_context("fork").Process(target=use)
    process.start()
    process.join(60)
    assert process.exitcode == 0


def test_paths_that_are_not_utf8(tmp_path):
    table = pyarrow.table({"text": ["to", "be"], "n": [1, 2]})

    def path_of(suffix):
        return os.fsencode(tmp_path) + b"/caf\xe9" + suffix

    with pyarrow.OSFile(path_of(b".parquet"), "wb") as sink:
        pyarrow.parquet.write_table(table, sink)
    for suffix, new in ((b".arrow", pyarrow.ipc.new_file), (b".feather", pyarrow.ipc.new_stream)):
        with pyarrow.OSFile(path_of(suffix), "wb") as sink, new(sink, table.schema) as writer:
            writer.write_table(table)
    for suffix, read in ((b".parquet", read_parquet), (b".arrow", read_arrow), (b".feather", read_arrow)):
        path = os.fsdecode(path_of(suffix))
        assert read(path)["n"].tolist() == [1, 2], suffix
        assert [batch["text"].tolist() for batch in open_stream(path, batch_size=2)] == [["to", "be"]]


def test_errors_of_damaged_shards_name_the_file(tmp_path):
    path = tmp_path / "a.parquet"
    table = pyarrow.table({"text": [f"text {i}" for i in range(500)]})
    pyarrow.parquet.write_table(table, path, compression="zstd", use_dictionary=False)
    raw = bytearray(path.read_bytes())
    raw[60:90] = bytes(30)
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=f"^StreamingDataset: {path}: "):
        list(open_stream(path, batch_size=9))
