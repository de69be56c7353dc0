"""Writers of files: whole files after crashes and concurrent writes, leftovers, permissions, links."""

import contextlib
import multiprocessing
import os
import signal
import stat
import time

import pytest
import torch

from torch_stringops import SubwordTokenizer, Vocabulary, VocabularyBuilder, _atomic
from torch_stringops._atomic import replacing
from torch_stringops.data import StringColumn, load, save

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
        assert load(path)[:].tolist() in wanted


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
        assert load(path)[:].tolist() in wanted
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


def test_a_save_that_fails_between_batches_leaves_the_earlier_file(tmp_path):
    save(["earlier"], tmp_path / "a")

    class Failing(StringColumn):
        passes = 0

        def __iter__(self):
            yield self[:1]
            self.passes += 1
            if self.passes == 2:  # the first one asks for UTF-8
                raise MemoryError

    with pytest.raises(MemoryError):
        save(Failing([["a"], ["b"]]), tmp_path / "a")
    assert load(tmp_path / "a")[:].tolist() == ["earlier"]
    assert os.listdir(tmp_path) == ["a"]
