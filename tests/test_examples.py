"""The examples run on small files. Those of loaders/, ray_corpus.py and cpp_host/ are run by tests of data and tensor."""

import csv
import importlib
import json
import math
import random
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
import torch
from support.cases import each

from torch_stringops.nn import CountVectorizer

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
EAGER = ("--no-compile", "--no-export")
WORDS = {"fruit": ["apple", "pear", "plum", "fig"], "tool": ["saw", "file", "drill", "plane", "rasp"]}


def rows(count: int = 200) -> list[tuple[str, str]]:
    """Texts with words of their label, and some with characters that are special in file formats."""
    rng = random.Random(0)
    drawn = [(label, rng.choices(WORDS[label], k=rng.randint(1, 12))) for label in rng.choices(list(WORDS), k=count)]
    return [(" ".join(words), label) for label, words in drawn] + [('a "plum",\nand a fig', "fruit"), ("", "tool")]


class Run:
    """Runs a program in this process, where torch is imported already. Returns what it prints."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, name: str, *arguments: object) -> str:
        self.monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        self.monkeypatch.syspath_prepend(str(EXAMPLES))
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return self.capsys.readouterr().out

    def error(self, name: str, *arguments: object) -> str:
        """What a program prints before it ends with an error."""
        with pytest.raises(SystemExit) as raised:
            self(name, *arguments)
        printed = self.capsys.readouterr().err
        return printed if isinstance(raised.value.code, int) else f"{printed}{raised.value.code}"


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(monkeypatch, capsys)


def run(name: str, *arguments: object) -> str:
    """Runs a program in a process of its own. Returns what it prints."""
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def options(**values: object) -> list[object]:
    return [part for name, value in values.items() for part in ("--" + name.replace("_", "-"), value)]


def train(run: Callable[..., str], path: Path, *arguments: object) -> str:
    """Trains on a file briefly; returns the output."""
    output = path.parent / "output"
    settings = ["--data", path, "--output", output, "--epochs", 5, "--batch-size", 16]
    printed = run("train_text_classifier.py", *settings, *arguments)
    assert accuracy(printed, "test accuracy") > 90 > accuracy(printed, "majority class")
    assert (output / "classes.txt").read_text().split() == ["fruit", "tool"]
    return printed


def accuracy(printed: str, name: str) -> float:
    (line,) = [line for line in printed.splitlines() if line.startswith(name)]
    return float(line.removeprefix(name).split("%")[0])


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows()])
    return path


def test_csv(run_here: Run, csv_file: Path):
    printed = train(run_here, csv_file, *EAGER)
    assert "strings/s" in printed
    assert "loss" in printed
    pytest.importorskip("matplotlib")
    image = csv_file.parent / "output" / "confusion.png"
    assert image.read_bytes().startswith(b"\x89PNG")


def test_json_lines_with_columns_of_other_names(run_here: Run, tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps({"body": text, "kind": label}) for text, label in rows()))
    train(run_here, path, "--text-column", "body", "--label-column", "kind", *EAGER)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_arrow_files(run_here: Run, tmp_path: Path, suffix: str):
    arrow = pytest.importorskip("pyarrow")
    path = tmp_path / f"rows.{suffix}"
    texts, labels = zip(*rows(), strict=True)
    table = arrow.table({"text": texts, "label": labels})
    if suffix == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    else:
        pytest.importorskip("pyarrow.feather").write_feather(table, path)
    train(run_here, path, *EAGER)


def test_a_seed_gives_equal_runs(run_here: Run, csv_file: Path):
    def result(seed: int) -> list[str]:
        printed = train(run_here, csv_file, *EAGER, "--seed", seed, "--epochs", 1)
        return [line.split("loss")[1].split()[0] for line in printed.splitlines() if "loss" in line]

    assert result(1) == result(1)


@pytest.mark.check
def test_compiled_exported_and_packaged_models_agree(csv_file: Path):
    printed = train(run, csv_file)
    for name in ("torch.compile", "torch.export", "saved and loaded", "AOTInductor"):
        assert any(line.split("same logits")[0].strip() == name for line in printed.splitlines()), name
    output = csv_file.parent / "output"
    assert (output / "classifier.pt2").exists()
    assert (output / "classifier_aoti.pt2").exists()


def test_errors_name_the_file_and_the_cure(run_here: Run, csv_file: Path, tmp_path: Path):
    error = partial(run_here.error, "train_text_classifier.py")
    missing = error("--data", csv_file, "--text-column", "body")
    assert "no column 'body'; it has text, label (see --text-column" in missing
    assert "No such file" in error("--data", tmp_path / "absent.csv")
    assert "expected a file named *.csv" in error("--data", tmp_path / "rows.xls")
    assert "--epochs: expected at least 1, got 0" in error("--epochs", 0)


def test_help_says_how_to_bring_data(run_here: Run, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit, match="0"):
        run_here("train_text_classifier.py", "--help")
    printed = capsys.readouterr().out
    for word in ("--data reviews.csv", "--label-column", "JSON lines", "--seed", "--device", "confusion.png"):
        assert word in printed


Load = Callable[[str], ModuleType]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module


@pytest.fixture
def text_data(load: Load) -> ModuleType:
    return load("text_data")


def test_files_are_in_train_or_test_whole(text_data: ModuleType):
    files = [f"file {i} " * (10 * i + 1) for i in range(12)]
    drawn = list(text_data.draw_test_files(files, 0.2, random.Random(0)))
    assert sorted(source for source, _ in drawn) == sorted(files)
    for_test = sum(len(source) for source, is_test in drawn if is_test)
    assert 0.1 < for_test / sum(map(len, files)) < 0.5


def test_the_standard_library_is_found(text_data: ModuleType):
    corpus = text_data.standard_library(seed=0, lines_per_chunk=16, num_packages=4)
    assert len(corpus.class_names) == 4
    for part in (corpus.train, corpus.test):
        assert torch.equal(part.labels.unique(), torch.arange(4))
    trained, tested = (set(part.text.tolist()) for part in (corpus.train, corpus.test))
    assert not trained & tested


@pytest.mark.check
def test_a_tokenizer_and_a_model_on_it(run_here: Run, tmp_path: Path):
    pytest.importorskip("tokenizers")
    small = options(vocab_size=300, strings=64, epochs=1, length=16, width=16)
    printed = run_here("train_subword_classifier.py", *small, *EAGER, "--output", tmp_path)
    assert "strings are equal" in printed
    assert "test accuracy" in printed
    assert (tmp_path / "tokenizer.json").exists()


@pytest.mark.check
def test_models_in_onnxruntime_have_the_logits_of_torch(tmp_path: Path):
    pytest.importorskip("tokenizers")
    pytest.importorskip("onnxruntime")
    few = options(strings=300, width=8, rounds=1, output=tmp_path)
    printed = run("onnx_models.py", *few, "--no-package", "--models", "words", "transformer")
    for form in ("library", "portable"):
        assert printed.count(f"onnxruntime, {form}") == 2
    assert printed.count("same logits of 300 strings") == 6


@pytest.mark.check
def test_pretraining_that_is_killed_has_the_losses_of_one_that_is_not(tmp_path: Path):
    pytest.importorskip("tokenizers")
    (tmp_path / "data").mkdir()
    for name in ("csv.py", "random.py", "tarfile.py"):
        shutil.copy(Path(csv.__file__).with_name(name), tmp_path / "data")
    small = options(steps=6, kill_at=5, checkpoint_every=3, length=32, width=32, depth=1, vocab_size=300)
    folders = ["--data", tmp_path / "data", "--output", tmp_path / "output"]
    printed = run("pretrain.py", *folders, *small, "--no-compile", "--processes", 1)
    assert "killed after step 5; its last checkpoint is of step 3" in printed
    assert "all 6 losses are equal" in printed


def test_log_features(run_here: Run, tmp_path: Path):
    log = tmp_path / "access.log"
    log.write_text(
        '10.0.0.7 - - [29/Feb/2024:12:30:00 +0000] "GET /films?q=jazz HTTP/1.1" 200 5120\n'
        '10.0.0.9 - bob [01/Mar/2024:23:30:00 +0000] "POST /login HTTP/1.1" 500 -\n'
        "another line\n"
    )
    printed = run_here("log_features.py", log, "--output", tmp_path / "features.pt")
    assert printed == "3 lines, 1 of another format, 1 errors\n     1 /login\n"
    found = torch.load(tmp_path / "features.pt")
    assert found["path"].tolist() == ["/films", "/login"]
    assert found["hour"].tolist() == [12, 23]
    assert found["size"].tolist() == pytest.approx([8.541, 0], abs=1e-3)


def test_tags(run_here: Run, tmp_path: Path):
    table = tmp_path / "films.csv"
    rows = [("comedy|drama", 3), ("drama", 2), ("comedy", 4), ("action|comedy", 4.5), ("action|", 5), ("", 3)]
    table.write_text("genres,rating\n" + "".join(f"{tags},{rating}\n" for tags, rating in rows * 3))
    printed = run_here("tags.py", table)
    assert printed.endswith("best to worst: action, comedy, drama\n")
    error, of_mean = map(float, re.findall(r"\d\.\d+", printed))
    assert error < 0.01 < of_mean


def test_search(run_here: Run, tmp_path: Path):
    notes = tmp_path / "notes.txt"
    notes.write_text("string tensors hold text\nhow to pad rows of ids\nsomething else\n")
    printed = run_here("search.py", notes, "string tensors", "pad", "absent").splitlines()
    assert [line.split("  ")[-1] for line in printed] == [
        *("string tensors", "string tensors hold text"),
        *("pad", "how to pad rows of ids", "absent"),
    ]


@each(("k1", "b"), [(1.5, 0.75), (1.2, 0.0), (0.0, 1.0), (2, 1)])
def test_scores_of_bm25_are_those_of_its_definition(load: Load, k1: float, b: float):
    draw = random.Random(1)
    words = [draw.choices(["to", "be", "or", "not", "été", "日本語"], k=draw.randrange(12)) for _ in range(30)]
    queries = [*words[:9], [], ["new"], ["to", "to"]]
    average = sum(map(len, words)) / len(words)
    want = torch.zeros(len(queries), len(words), dtype=torch.float64)
    for i, query in enumerate(queries):
        for j, doc in enumerate(words):
            for term in query:
                having, f = sum(term in other for other in words), doc.count(term)
                idf = math.log(1 + (len(words) - having + 0.5) / (having + 0.5))
                want[i, j] += f and idf * f * (k1 + 1) / (f + k1 * (1 - b + b * len(doc) / average))
    count = CountVectorizer(dtype=torch.float64)
    texts, asked = (list(map(" ".join, rows)) for rows in (words, queries))
    torch.testing.assert_close(load("search").BM25(texts, k1, b, count)(asked), want, rtol=1e-12, atol=1e-15)
    torch.testing.assert_close(load("search").BM25(texts, k1, b)(asked), want.float())


def test_deduplicate(run_here: Run, tmp_path: Path):
    sentence = "The quick brown fox jumps over the lazy dog near the river bank"
    other = "Another line of plain text that is not like the others"
    lines = [f"{sentence} today", f"{sentence} tonight", "12345 67890 --- 111", other, f"{sentence} today"]
    (tmp_path / "crawl.txt").write_text("\n".join(lines))
    printed = run_here("deduplicate.py", tmp_path / "crawl.txt", tmp_path / "clean.txt")
    assert printed == "lines 5, of text 4, without near duplicates 2\n"
    assert (tmp_path / "clean.txt").read_text().splitlines() == [lines[0], other]


@pytest.fixture(scope="module")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizers = pytest.importorskip("tokenizers")
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<|endoftext|>", "<extra_id_0>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    trained.train_from_iterator(["to be or not to be, that is the question"] * 10, trainer)
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    trained.save(str(path))
    return path


def test_programs_of_masks_and_spans(run_here: Run, tmp_path: Path, tokenizer_file: Path):
    texts = tmp_path / "notes.txt"
    texts.write_text("to be or not to be\nthat is the question\n" * 8)
    special = "<|endoftext|>"
    printed = run_here("masked_lm.py", tokenizer_file, texts, "--pad", special, "--mask", special)
    labels = re.findall(r"epoch \d: (\d+) labels in 2 batches\n", printed)
    assert len(labels) == 2
    assert all(int(count) > 0 for count in labels)
    printed = run_here("span_corruption.py", tokenizer_file, texts, "--pad", special, "--end", special)
    assert re.fullmatch(r"(input_ids \[8, \d+\] labels \[8, \d+\]\n){2}", printed)


def test_serving(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tokenizer_file: Path):
    pytest.importorskip("datasets")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    serving = importlib.import_module("serving")
    for name, few in {"CALLS": 5, "WARM": 1, "ROWS": 6000, "MAPS": 1}.items():
        monkeypatch.setattr(serving, name, few)
    monkeypatch.setattr(sys, "argv", ["serving.py", str(tokenizer_file), "--rounds", "1"])
    threads = torch.get_num_threads()
    try:
        serving.main()
        monkeypatch.setattr(sys, "argv", ["serving_model.py", "--rounds", "1", "--no-package"])
        importlib.import_module("serving_model").main()
    finally:
        torch.set_num_threads(threads)
    assert capsys.readouterr().out.count("p99") == 6 + 15


def test_the_table_lists_every_program():
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| [")]
    assert len(rows) == 16
    programs = {
        path.relative_to(EXAMPLES).as_posix()
        for path in EXAMPLES.rglob("*.py")
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    assert programs == set(re.findall(r"\]\(([\w/]+\.py)\)", text))
