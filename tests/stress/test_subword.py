"""SubwordTokenizer against other libraries: the short form of `make stress CHECK=subword`."""

from collections import Counter

import pytest
import torch

pytest.importorskip("tokenizers")
pytest.importorskip("tiktoken")
pytest.importorskip("sentencepiece")

from stress.subword import compare
from support.subword_peer import Peer
from support.subword_peers import PEERS
from support.threads import divide_small_work

import torch_stringops


@pytest.fixture(autouse=True)
def settings():
    threads, tier = torch.get_num_threads(), torch_stringops.simd_tier()
    yield
    torch.set_num_threads(threads)
    divide_small_work(False)
    torch_stringops.set_simd_tier(tier)


def test_a_batch():
    counts: Counter[str] = Counter()
    assert compare("added tokens", 100, 0, counts) is None
    assert counts.total() >= 100


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch):
    def build(seed: int, size: int) -> Peer:
        peer = PEERS["gpt2"](seed, size)
        other = PEERS["gpt2"](seed + 1, size)
        monkeypatch.setattr(peer, "load", other.load, raising=False)
        return peer

    monkeypatch.setitem(PEERS, "wrong", build)
    found = compare("wrong", 100, 0, Counter())
    assert found is not None
    assert found.startswith("wrong, 400 tokens, seed 0, batch 0: ids of ")
