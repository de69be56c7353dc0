"""Writers of files: whole files after crashes and concurrent writes, leftovers, permissions, links, checksums."""

import contextlib
import multiprocessing
import os
import signal
import stat
import time

import pyarrow
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from torch_stringops import SubwordTokenizer, Vocabulary, VocabularyBuilder, _atomic
from torch_stringops._atomic import replacing
from torch_stringops.data import StringColumn, load, save
from torch_stringops.data.columns import arrow_files

WRITERS, SAVES = 8, 12
FORK = multiprocessing.get_context("fork")


@contextlib.contextmanager
def processes(*targets):
    """Runs functions in forked processes, which are killed at the end. All must end without an error before."""
    started = [FORK.Process(target=target) for target in targets]
    try:
        for process in started:
            process.start()
        yield started
    finally:
        for process in started:
            process.kill()
            process.join()


def content(writer: int) -> StringColumn:
    """Strings of several batches that tell their writer and their number."""
    return StringColumn([[f"writer {writer}"] * (1000 + 37 * writer)] * (1 + writer % 3))


def write(path, writer: int, saves: int = SAVES) -> None:
    torch.set_num_threads(1)
    for _ in range(saves):
        save(content(writer), path)


def read(path, until) -> None:
    torch.set_num_threads(1)
    wanted = [content(writer)[:].tolist() for writer in range(WRITERS)]
    while not until.is_set():
        assert load(path, verify=True)[:].tolist() in wanted


def test_readers_see_the_whole_file_of_one_of_several_writers(tmp_path):
    path = tmp_path / "a.arrow"
    save(content(0), path)
    done = FORK.Event()
    writers = [lambda w=w: write(path, w) for w in range(WRITERS)]
    with processes(*writers, *[lambda: read(path, done)] * 2) as started:
        for process in started[:WRITERS]:
            process.join(60)
        done.set()
        for process in started:
            process.join(60)
        assert [process.exitcode for process in started] == [0] * len(started)
    assert os.listdir(tmp_path) == ["a.arrow"]


def test_killed_writers_leave_the_earlier_file_and_the_next_removes_what_they_left(tmp_path):
    path = tmp_path / "a.arrow"
    save(content(0), path)
    wanted = [content(0)[:].tolist(), content(1)[:].tolist()]
    for delay in range(12):
        with processes(lambda: write(path, 1, 10**6)) as (writer,):
            time.sleep(0.01 + delay / 1000)
            os.kill(writer.pid, signal.SIGKILL)
            writer.join()
        assert load(path, verify=True)[:].tolist() in wanted
    save(["last"], path)
    assert os.listdir(tmp_path) == ["a.arrow"]


def die_within_a_write(path) -> None:
    with replacing(path) as file:
        file.write(b"half")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("name", ["a", "a" * 255, "é" * 127])
def test_leftovers_of_any_name(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"earlier")
    other = tmp_path / ".other.partial"
    other.touch()
    with processes(lambda: die_within_a_write(path)) as (writer,):
        writer.join(60)
        assert writer.exitcode == -signal.SIGKILL
    assert path.read_bytes() == b"earlier"
    assert len(os.listdir(tmp_path)) == 3
    with replacing(path) as file:
        file.write(b"later")
    assert sorted(os.listdir(tmp_path)) == sorted([name, other.name])
    assert path.read_bytes() == b"later"


def test_the_file_of_a_living_writer_is_not_removed(tmp_path):
    with replacing(tmp_path / "a") as first:
        first.write(b"first")
        with replacing(tmp_path / "a") as second:
            second.write(b"second")
        assert (tmp_path / "a").read_bytes() == b"second"
        assert len(os.listdir(tmp_path)) == 2
    assert (tmp_path / "a").read_bytes() == b"first"


def test_the_file_of_another_machine_is_removed_after_an_hour(tmp_path, monkeypatch):
    with monkeypatch.context() as other:
        other.setattr(_atomic, "_machine", lambda: "0" * 8)
        with processes(lambda: die_within_a_write(tmp_path / "a")) as (writer,):
            writer.join(60)
    (left,) = tmp_path.iterdir()
    save(["x"], tmp_path / "a")
    assert left.exists()
    os.utime(left, (time.time() - 4000,) * 2)
    save(["x"], tmp_path / "a")
    assert not left.exists()


def test_a_file_that_is_removed_before_it_is_locked_is_created_again(tmp_path, monkeypatch):
    lock = _atomic.fcntl.flock
    removed = []

    def slow_lock(descriptor, kind):
        if not removed:
            removed.extend(tmp_path.iterdir())
            removed[0].unlink()
        lock(descriptor, kind)

    monkeypatch.setattr(_atomic.fcntl, "flock", slow_lock)
    with replacing(tmp_path / "a") as file:
        file.write(b"x")
    assert len(removed) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_contents_are_on_disk_before_the_rename_and_the_rename_at_the_end(tmp_path, monkeypatch):
    calls = []
    for name in ("fsync", "replace"):
        function = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, f=function, n=name: (calls.append(n), f(*a))[1])
    save(["x"], tmp_path / "a")
    assert calls == ["fsync", "replace", "fsync"]


def writers(folder):
    (folder / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\n[PAD]\na\n")
    return {
        "save": lambda path: save(["a"], path),
        "Vocabulary": Vocabulary.from_strings(["a"]).save,
        "VocabularyBuilder": VocabularyBuilder().add(["a"]).save,
        "SubwordTokenizer": SubwordTokenizer.from_wordpiece(folder / "vocab.txt").save,
    }


@pytest.mark.parametrize("name", ["save", "Vocabulary", "VocabularyBuilder", "SubwordTokenizer"])
def test_every_writer_leaves_the_earlier_file_if_it_fails(tmp_path_factory, tmp_path, monkeypatch, name):
    path = tmp_path / "file"
    write = writers(tmp_path_factory.mktemp("other"))[name]
    path.write_bytes(b"earlier")

    def fail(descriptor):
        raise OSError("no space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="no space left"):
            write(path)
    assert path.read_bytes() == b"earlier"
    assert os.listdir(tmp_path) == ["file"]
    write(path)
    assert path.read_bytes() != b"earlier"
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "none" / "file")


def test_permissions(tmp_path):
    for mask, mode in ((0o022, 0o644), (0o077, 0o600)):
        earlier = os.umask(mask)
        try:
            save(["x"], tmp_path / str(mask))
        finally:
            os.umask(earlier)
        assert stat.S_IMODE((tmp_path / str(mask)).stat().st_mode) == mode
    (tmp_path / "a").touch()
    (tmp_path / "a").chmod(0o664)
    save(["x"], tmp_path / "a")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o664


def test_links_and_files_that_are_not_regular(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/target")
    for text in ("first", "second"):
        save([text], tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert load(tmp_path / "folder" / "target")[0].item() == text
    assert os.listdir(tmp_path / "folder") == ["target"]
    with pytest.raises(IsADirectoryError):
        save(["x"], tmp_path / "folder")
    Vocabulary.from_strings(["x"]).save("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    path = tmp_path_factory.mktemp("checked") / "a.arrow"
    save(StringColumn([["to", "be"], ["or", "not", ""], ["é"]]), path)
    return path


def test_checksums_are_those_of_xxh3(checked):
    xxhash = pytest.importorskip("xxhash")
    reader = pyarrow.ipc.open_file(checked)
    batch, metadata = reader.get_batch_with_custom_metadata(1)
    _, offsets, data = batch.column(0).buffers()
    assert metadata[b"torch_stringops.xxh3_64"].decode().split() == [
        xxhash.xxh3_64_hexdigest(offsets.to_pybytes()[:16]),
        xxhash.xxh3_64_hexdigest(data.to_pybytes()[:5]),
    ]
    assert load(checked, verify=True)[:].tolist() == ["to", "be", "or", "not", "", "é"]


@given(data=st.data())
def test_damaged_batches_are_found(checked, tmp_path_factory, data):
    """No change of a bit changes strings without an error; a change of padding is none of a string."""
    raw = bytearray(checked.read_bytes())
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= 1 << data.draw(st.integers(0, 7))
    path = tmp_path_factory.mktemp("damaged") / "a.arrow"
    path.write_bytes(raw)
    with contextlib.suppress(ValueError):
        assert load(path, verify=True)[:].tolist() == ["to", "be", "or", "not", "", "é"]


def test_a_damaged_batch_is_named(checked, tmp_path):
    raw = checked.read_bytes()
    (tmp_path / "a.arrow").write_bytes(raw.replace(b"ornot", b"ornut"))
    assert load(tmp_path / "a.arrow")[:].tolist()[3] == "nut"
    with pytest.raises(ValueError, match=r"load: .*a\.arrow: batch 1: expected the checksums"):
        load(tmp_path / "a.arrow", verify=True)


def test_files_without_checksums_or_with_other_batches(checked, tmp_path):
    reader = pyarrow.ipc.open_file(checked)
    batches = [reader.get_batch_with_custom_metadata(i) for i in range(3)]
    path = tmp_path / "b.arrow"

    def rewritten(schema, found):
        with pyarrow.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, schema) as writer:
            for batch, metadata in found:
                writer.write_batch(batch.replace_schema_metadata(schema.metadata), custom_metadata=metadata)
        return path

    cases = [
        (reader.schema, [(batch, None) for batch, _ in batches], "batch 0: expected checksums, .*got none"),
        (reader.schema.remove_metadata(), batches, "expected checksums, .* got none"),
        (reader.schema, batches[:2], "expected 6 strings, got 5"),
        (reader.schema, batches[::-1], "batch 0: expected the batches of `save` in their order"),
    ]
    for schema, found, text in cases:
        rewritten(schema, found)
        load(path)
        with pytest.raises(ValueError, match=rf"load: .*b\.arrow: {text}"):
            load(path, verify=True)


def test_slices_of_larger_tensors_have_checksums(tmp_path):
    words = StringColumn([["a", "bc", "def", "g"]])
    save(words[1:3], tmp_path / "a.arrow")
    assert load(tmp_path / "a.arrow", verify=True)[:].tolist() == ["bc", "def"]


def test_a_save_that_fails_between_batches_leaves_the_earlier_file(tmp_path, monkeypatch):
    save(["earlier"], tmp_path / "a")

    def fail(strings, number):
        if number:
            raise MemoryError
        return {}

    monkeypatch.setattr(arrow_files, "batch_metadata", fail)
    with pytest.raises(MemoryError):
        save(StringColumn([["a"], ["b"]]), tmp_path / "a")
    assert load(tmp_path / "a")[:].tolist() == ["earlier"]
    assert os.listdir(tmp_path) == ["a"]
