"""Fixtures of the tests of the data layer."""

import fsspec
import pytest
from support.http_server import FileServer

from torch_stringops.data import _download, _table_blocks, tables


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(_table_blocks, "_TABLE_BYTES", 64)
    monkeypatch.setattr(_table_blocks, "_STREAM_BYTES", 64)
    monkeypatch.setattr(tables, "_BATCH_ROWS", 3)


@pytest.fixture
def own_temporary_folder(tmp_path, monkeypatch):
    """The folders of temporary caches are in a folder of the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(_download, "_FIRST_DELAY_S", 0.01)


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
