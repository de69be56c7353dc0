"""Remote files of servers that fail, stall, truncate or change: the rows of an undisturbed read, or an error that names the file."""

import errno
import os
import time

import aiohttp
import pytest
from support.remote_files import rows_of, text_of
from support.streams import open_stream

from torch_stringops.data import load, read_lines

pytestmark = pytest.mark.usefixtures("own_folders")


@pytest.mark.parametrize("fault", ["drop", 500, 503, 429, "half", "stall"])
def test_downloads_are_repeated(server, fault):
    for number in range(3):
        server.files[f"{number}.txt"] = text_of(number)
    server.faults["1.txt"] = [fault, fault]
    timeout = 0.4 if fault == "stall" else 60
    dataset = open_stream(f"{server.url}/*.txt", batch_size=100, timeout=timeout)
    assert rows_of(dataset) == [f"{n}/{row}" for n in range(3) for row in range(300)]
    assert server.gets["1.txt"] == 3


def test_a_download_may_take_longer_than_the_limit_of_aiohttp(server):
    server.files["0.txt"] = text_of(0)
    server.faults["0.txt"], server.pause = ["slow"] * 9, 4.0
    limit = aiohttp.ClientTimeout(total=2.0)
    dataset = open_stream(f"{server.url}/0.txt", batch_size=100, storage_options={"client_kwargs": {"timeout": limit}})
    assert len(rows_of(dataset)) == 300
    assert server.gets["0.txt"] == 1


def test_file_systems_may_raise_errors_of_their_own(memory, monkeypatch):
    class LibraryError(Exception):
        def __init__(self, status):
            self.code = status

    def get_file(fs, path, local, **options):
        raise LibraryError(403)

    memory.pipe_file("/b/1.txt", text_of(1))
    monkeypatch.setattr(type(memory), "get_file", get_file)
    with pytest.raises(PermissionError, match=r"memory://b/1\.txt: access is denied \(HTTP 403\)"):
        read_lines("memory://b/1.txt")


def test_a_full_disk_is_an_error_that_names_the_folder(memory, tmp_path, monkeypatch):
    memory.pipe_file("/b/0.txt", text_of(0))
    asked = []

    def get_file(fs, path, local, **options):
        asked.append(path)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(type(memory), "get_file", get_file)
    with pytest.raises(OSError, match=rf"memory://b/0\.txt: cannot be kept in {tmp_path}/c: No space left"):
        open_stream("memory://b/0.txt", batch_size=1, cache_dir=tmp_path / "c", fetch_ahead=0)
    assert asked == ["/b/0.txt"]
    assert sorted(os.listdir(tmp_path / "c")) == [".lock"]


@pytest.mark.parametrize(
    ("status", "error", "text"),
    [
        (403, PermissionError, r"access is denied \(HTTP 403\) \(see `storage_options`\)"),
        (404, FileNotFoundError, "there is no such file"),
        (410, OSError, "HTTP 410"),
    ],
)
def test_errors_that_stay_are_raised_at_once(server, status, error, text):
    server.files["0.txt"] = text_of(0)
    server.faults["0.txt"] = [status] * 100
    start = time.monotonic()
    with pytest.raises(error, match=rf"^StreamingDataset: {server.url}/0\.txt: {text}$"):
        open_stream(f"{server.url}/0.txt", batch_size=1, fetch_ahead=0)
    assert server.gets["0.txt"] == 1
    assert time.monotonic() - start < 5
    server.faults.clear()
    with pytest.raises(FileNotFoundError, match=rf"^read_lines: {server.url}/9\.txt: there is no such file$"):
        read_lines([f"{server.url}/0.txt", f"{server.url}/9.txt"])


def test_failures_are_counted(server, tmp_path):
    server.files["0.txt"] = text_of(0)
    server.faults["0.txt"] = [500] * 100
    with pytest.raises(OSError, match=r"0\.txt: cannot be read, after 3 attempts: HTTP 500"):
        open_stream(f"{server.url}/0.txt", batch_size=1, retries=2, fetch_ahead=0)
    assert server.gets["0.txt"] == 3
    assert list(tmp_path.rglob("*.partial")) == []
    with pytest.raises(OSError, match=r"a\.txt: cannot be read, after 1 attempts: ClientConnectorError"):
        open_stream("http://127.0.0.1:1/a.txt", batch_size=1, retries=0)


def test_a_server_that_does_not_tell_the_size(server):
    server.files["0.txt"] = text_of(0)
    server.has_sizes = False
    with pytest.raises(ValueError, match="the server does not tell the size"):
        read_lines(f"{server.url}/0.txt")


@pytest.mark.parametrize("change", ["content", "size"])
def test_a_file_that_has_changed_is_named(server, change):
    for number in range(3):
        server.files[f"{number}.txt"] = text_of(number)
    size = len(text_of(0))
    dataset = open_stream(f"{server.url}/*.txt", batch_size=300, cache_bytes=size, fetch_ahead=0)
    server.files["1.txt"] = text_of(7) if change == "content" else text_of(1) + b"more\n"
    what = "another ETag" if change == "content" else f"expected {size} bytes, got {size + 5}"
    iterator = iter(dataset)
    next(iterator)
    with pytest.raises(OSError, match=rf"1\.txt has changed since it was listed: {what}"):
        next(iterator)
    # A copy of the earlier file is not taken for the new one.
    assert sorted(rows_of(open_stream(f"{server.url}/*.txt", batch_size=50)))[-1] != "2/99" or (change == "size")


def test_secrets_are_not_shown(server):
    token, user = "s3cr3t-t0ken", "al1ce:pa55word"
    server.files["0.txt"] = text_of(0)
    url = f"{server.url}/0.txt?sig={token}".replace("://", f"://{user}@")
    dataset = open_stream(url, batch_size=300)
    texts = [repr(dataset.files), str(dataset.state_dict())]
    assert dataset.state_dict()["files"][0][0] == f"{server.url}/0.txt"
    # A token may differ when a run is resumed.
    other = open_stream(url.replace(token, "another"), batch_size=300)
    other.load_state_dict(dataset.state_dict())
    once = {"batch_size": 1, "retries": 0, "fetch_ahead": 0}
    bad = [
        ([500], lambda: open_stream(url + "1", **once)),
        ([403], lambda: open_stream(url + "2", **once)),
        (["half"], lambda: open_stream(url + "3", **once)),
        ([], lambda: open_stream(url.replace("0.txt", "1.txt"), **once)),
        ([], lambda: read_lines(f"{server.url}/{token}?x={token}".replace(token, "x", 1))),
        ([], lambda: load(url)),
        ([], lambda: open_stream(f"http://{user}@127.0.0.1:1/x?k={token}", **once)),
        ([], lambda: read_lines("ftp://127.0.0.1:1/x", storage_options={"password": token})),
        ([], lambda: read_lines("memory://x", storage_options={"nested": [{"key": token}], "sk": user})),
        ([], lambda: read_lines(f"foo://{user}@a/b?x={token}")),
    ]
    for faults, call in bad:
        server.faults["0.txt"] = faults
        with pytest.raises((OSError, ValueError)) as caught:
            call()
        error = caught.value
        while error is not None:
            texts += [str(error), repr(error), *getattr(error, "__notes__", [])]
            error = error.__context__
    assert len(texts) >= 2 + 2 * len(bad)
    for text in texts:
        assert token not in text
        assert "pa55word" not in text


@pytest.mark.parametrize("change", ["truncated", "emptied", "written"])
def test_a_copy_that_something_else_has_changed_is_fetched_again(memory, tmp_path, change):
    for number in range(2):
        memory.pipe_file(f"/b/{number}.txt", text_of(number))
    cache = tmp_path / "c"
    list(open_stream("memory://b/*.txt", batch_size=100, cache_dir=cache))
    (copy,) = cache.glob("*-0.txt")
    if change == "written":
        copy.write_bytes(copy.read_bytes().replace(b"0/1", b"9/1"))
    else:
        os.truncate(copy, 50 if change == "truncated" else 0)
    dataset = open_stream("memory://b/*.txt", batch_size=100, cache_dir=cache)
    assert rows_of(dataset) == [f"{number}/{row}" for number in range(2) for row in range(300)]


def test_a_cache_folder_that_cannot_be_used(memory, tmp_path):
    memory.pipe_file("/b/0.txt", text_of(0))
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError, match=f"StreamingDataset: cannot use `cache_dir` {tmp_path}/file: "):
        open_stream("memory://b/0.txt", batch_size=1, cache_dir=tmp_path / "file")
