"""Fixtures of the tests of tables."""

import pytest

from torch_stringops.data import _csv, _jsonl, tables


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(_csv, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(_jsonl, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(tables, "_BATCH_ROWS", 3)
