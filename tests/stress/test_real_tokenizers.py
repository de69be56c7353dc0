"""Tokenizer files of published models: the short form of `make stress CHECK=real_tokenizers`, skipped without a network."""

from collections.abc import Callable

import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("tiktoken")
pytest.importorskip("sentencepiece")

from stress.real_tokenizers import LONG, compare
from subword.real import SOURCES, RealFile, files


@pytest.fixture(scope="module")
def small_files() -> list[RealFile]:
    try:
        return list(files(small=True))
    except OSError as error:
        pytest.skip(f"packages cannot be downloaded: {error}")


def test_small_files(small_files: list[RealFile]):
    assert len(small_files) >= len({source.package for source in SOURCES if source.small})
    for file in small_files:
        peer = file.peer()
        assert compare(file, peer, peer.load(), 500, 0, LONG[:1]) is None, file.name


def test_a_difference_is_found(small_files: list[RealFile], monkeypatch: pytest.MonkeyPatch):
    file = next(file for file in small_files if "pix2tex" in file.name)
    peer = file.peer()
    ids: Callable[[list[str]], list[list[int]]] = peer.ids
    monkeypatch.setattr(peer, "ids", lambda texts, special=False: [[1, *row] for row in ids(texts)])
    found = compare(file, peer, peer.load(), 500, 0)
    assert found is not None
    assert found.startswith("batch 0: ids of ")


def test_packages_have_exact_versions():
    assert all(source.package.count("==") == 1 for source in SOURCES)
