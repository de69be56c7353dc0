"""Fixtures of the tests of the data layer."""

import fsspec
import pytest
from support.http_server import FileServer

from torch_stringops.data.files import remote
from torch_stringops.data.tables import blocks, readers


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "_TABLE_BYTES", 64)
    monkeypatch.setattr(blocks, "_STREAM_BYTES", 64)
    monkeypatch.setattr(readers, "_BATCH_ROWS", 3)


@pytest.fixture
def own_folders(tmp_path, monkeypatch):
    """Temporary folders and the default cache of remote files are in folders of the test."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr(remote, "_FIRST_DELAY_S", 0.01)


@pytest.fixture
def memory():
    fs = fsspec.filesystem("memory")
    fs.store.clear()
    yield fs
    fs.store.clear()


@pytest.fixture
def server():
    pytest.importorskip("aiohttp")
    server = FileServer()
    yield server
    server.close()
