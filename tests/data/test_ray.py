"""torch_stringops.ray: functions of strings on Arrow tables, and collating. With Ray, if it is installed."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest
import torch

from torch_stringops import Vocabulary, as_strings
from torch_stringops.ray import CollateStrings, MapStrings

HAS_RAY = importlib.util.find_spec("ray") is not None
TABLE = pyarrow.table({"text": pyarrow.chunked_array([["To be", ""], ["é"]]), "n": [1, 2, 3]})


def test_a_function_of_strings_replaces_a_column_or_adds_one():
    lower = MapStrings(lambda s: s.lower(), "text")(TABLE)
    assert lower.to_pydict() == {"text": ["to be", "", "é"], "n": [1, 2, 3]}
    added = MapStrings(lambda s: s.length(), "text", "length")(TABLE)
    assert added.column("length").to_pylist() == [5, 0, 1]
    vocabulary = Vocabulary(["to", "be"], num_oov_buckets=0)
    ids = MapStrings(lambda s: vocabulary.split_encode(s, delimiter="", lower=True), "text", "ids")(TABLE)
    assert ids.column("ids").to_pylist() == [[0, 1], [], [-1]]
    words = MapStrings(lambda s: s.split_ragged(" "), "text")(TABLE)
    assert words.column("text").to_pylist() == [["To", "be"], [""], ["é"]]
    raw = MapStrings(lambda s: as_strings([b"\xff"] * len(s)), "text")(TABLE)
    assert raw.column("text").type == pyarrow.binary()


def test_missing_strings():
    table = pyarrow.table({"text": ["a", None]})
    with pytest.raises(ValueError, match="missing"):
        MapStrings(lambda s: s, "text")(table)
    assert MapStrings(lambda s: s, "text", missing="-")(table).column("text").to_pylist() == ["a", "-"]


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_collating_needs_ray():
    with pytest.raises(ImportError, match="needs Ray Data"):
        CollateStrings()


@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")
def test_batches_are_strings_and_tensors():
    batch = CollateStrings()(TABLE)
    assert batch["text"].tolist() == ["To be", "", "é"]
    assert torch.equal(batch["n"], torch.arange(1, 4))


@pytest.mark.check
@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")
def test_a_dataset_on_a_local_cluster():
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        dataset = ray.data.from_arrow([TABLE, TABLE])
        lower = dataset.map_batches(MapStrings(lambda s: s.lower(), "text"), batch_format="pyarrow")
        batches = list(lower.iter_torch_batches(batch_size=4, collate_fn=CollateStrings()))
        assert [s for batch in batches for s in batch["text"].tolist()] == ["to be", "", "é"] * 2
    finally:
        ray.shutdown()


@pytest.mark.check
@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")
def test_the_example_gives_the_ids_of_python_strings(tmp_path):
    import pyarrow.parquet

    texts = ["To be", "or not to be", "", "Éé be"] * 50
    for number in range(2):
        pyarrow.parquet.write_table(pyarrow.table({"text": texts}), tmp_path / f"{number}.parquet")
    example = Path(__file__).parents[2] / "examples" / "ray_corpus.py"
    found = []
    for plain in ([], ["--plain"]):
        output = tmp_path / f"ids{len(plain)}"
        options = ["--data", f"{tmp_path}/*.parquet", "--output", str(output), *plain]
        subprocess.run([sys.executable, str(example), *options], check=True)
        ids = pyarrow.parquet.read_table(output).column("ids").to_pylist()
        found.append(sorted(map(list, ids)))
    assert found[0] == found[1]
    assert len(found[0]) == 400
