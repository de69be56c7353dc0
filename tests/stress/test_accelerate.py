"""Random calls of accelerated tokenizers: the short form of `make stress CHECK=accelerate`."""

from typing import Any

import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("transformers.tokenization_utils_tokenizers")

from stress.accelerate import compare
from support.subword_peers import PEERS

from torch_stringops.transformers import _table

pytestmark = pytest.mark.check


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch):
    encode = _table.Table.encode

    def wrong(self: Any, *arguments: Any) -> Any:
        rows = encode(self, *arguments)
        rows.ids[-1:] += 1
        return rows

    monkeypatch.setattr(_table.Table, "encode", wrong)
    found = compare("gpt2", PEERS["gpt2"](1, 500).tokenizer, [], 100, 0)
    assert found is not None
    assert found.startswith("gpt2, transformers, seed 0, call ")
    assert "input_ids: " in found
