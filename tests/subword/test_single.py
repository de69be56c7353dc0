"""`encode_text`, `decode_ids` and `count_tokens`, one text at a time, against `tokenizers`, `tiktoken` and
`sentencepiece`, and against `encode` and `decode`."""

import copy
import pickle
import random

import pytest
import torch

pytest.importorskip("tokenizers")
pytest.importorskip("tiktoken")
pytest.importorskip("sentencepiece")

from support.cases import each
from support.published_patterns import GPT2
from support.subword_peers import PEERS
from support.threads import in_parallel, on_threads

from torch_stringops import StringTensor, SubwordTokenizer


def bytes_tokenizer() -> SubwordTokenizer:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" b": 257}
    return SubwordTokenizer.from_tiktoken(ranks, GPT2, {"<end>": 258})


@each("name", PEERS)
def test_texts_of_all_kinds(name: str):
    peer = PEERS[name](1, 800)
    tokenizer = peer.load()
    texts = peer.texts(random.Random(name), 100)
    want = peer.ids(texts)
    for text, ids in zip(texts, want, strict=True):
        assert tokenizer.encode_text(text) == ids, ascii(text)
    for skip in (False, True):
        decoded = peer.decoded(want, skip)
        for ids, text in zip(want, decoded, strict=True):
            assert tokenizer.decode_ids(ids, skip_special_tokens=skip) == text
    for text, ids in zip(texts, peer.ids(texts, True), strict=True):
        if type(peer).__name__ != "Tiktoken":
            assert tokenizer.encode_text(text, add_special_tokens=True) == ids, ascii(text)
    assert tokenizer.count_tokens(texts).tolist() == [len(ids) for ids in want]


@pytest.mark.parametrize("name", ["gpt2", "o200k", "llama-2", "wordpiece, uncased"])
def test_tiers(name: str, tier: str):
    tokenizer = PEERS[name](1, 800).load()
    rng = random.Random(name)
    for text in PEERS[name](1, 800).texts(rng, 100):
        assert tokenizer.encode_text(text) == tokenizer.encode([text])[0].tolist()
        ids = [rng.randrange(len(tokenizer)) for _ in range(rng.randrange(12))]
        assert tokenizer.decode_ids(ids) == tokenizer.decode([ids])[0].item()


def test_forms_of_texts_and_ids():
    tokenizer = bytes_tokenizer()
    for text in ("", "to be", "café", "日本", "😀", "é" * 3000, "日" * 3000, "to be " * 30_000):
        raw = text.encode()
        want = tokenizer.encode([text])[0].tolist()
        assert tokenizer.encode_text(text) == want
        assert tokenizer.encode_text(raw) == want
        assert tokenizer.encode_text(text) == want  # its UTF-8 may be cached now
        assert tokenizer.decode_ids(want) == text
    assert tokenizer.encode_text(b"to\xff") == [256, 255]
    ids = [256, 257, 101]
    for form in (ids, tuple(ids), torch.tensor(ids), torch.tensor(ids, dtype=torch.int32), torch.tensor(ids).numpy()):
        assert tokenizer.decode_ids(form) == "to be"
    assert tokenizer.decode_ids([]) == ""
    assert tokenizer.decode_ids([255, 256]) == "�to"
    assert tokenizer.decode_ids([256, 258]) == "to"
    assert tokenizer.decode_ids([256, 258], skip_special_tokens=False) == "to<end>"


class Text(str):
    pass


def test_subclasses_of_str_are_texts():
    tokenizer = bytes_tokenizer()
    assert tokenizer.encode_text(Text("to be")) == [256, 257, 101]


def test_count_tokens_of_shapes():
    tokenizer = bytes_tokenizer()
    strings = StringTensor.from_list([["to", "to be"], ["", "b"]])
    assert tokenizer.count_tokens(strings).tolist() == [[1, 3], [0, 1]]
    assert tokenizer.count_tokens([]).tolist() == []
    assert tokenizer.count_tokens("to be").item() == 3


def test_errors():
    tokenizer = bytes_tokenizer()
    for other in (5, None, ["to"], StringTensor.from_list(["to"])):
        name = type(other).__name__
        with pytest.raises(TypeError, match=rf"^SubwordTokenizer.encode_text: expected str or bytes, got {name}$"):
            tokenizer.encode_text(other)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^SubwordTokenizer.encode_text: .* got a lone surrogate at codepoint 1"):
        tokenizer.encode_text("a\ud800")
    for bad in (259, -1):
        with pytest.raises(
            ValueError,
            match=rf"^SubwordTokenizer.decode_ids: expected `ids` within \[0, 259\), got {bad} at position 1$",
        ):
            tokenizer.decode_ids([0, bad])
    with pytest.raises(ValueError, match="SubwordTokenizer.decode_ids: expected `ids` of rank 1"):
        tokenizer.decode_ids([[1], [2]])
    with pytest.raises(TypeError, match="SubwordTokenizer.decode_ids"):
        tokenizer.decode_ids(["a"])  # type: ignore[list-item]
    with pytest.raises((TypeError, ValueError), match="SubwordTokenizer.decode_ids"):
        tokenizer.decode_ids([2**70])


def test_a_new_table_is_used():
    tokenizer = bytes_tokenizer()
    other = SubwordTokenizer.from_tiktoken({bytes([byte]): byte for byte in range(256)}, GPT2)
    assert tokenizer.encode_text("to be") == [256, 257, 101]
    tokenizer.load_state_dict(other.state_dict())
    assert tokenizer.encode_text("to") == list(b"to")
    tokenizer.warm(["to to"])
    assert tokenizer.encode_text("to") == list(b"to")


def test_memory_of_the_table_may_be_moved():
    """As torch does when it sends a tensor to another process."""
    tokenizer = bytes_tokenizer()
    assert tokenizer.encode_text("to be") == [256, 257, 101]
    before = tokenizer._table.data_ptr()
    tokenizer._table.share_memory_()
    assert tokenizer._table.data_ptr() != before
    assert tokenizer.encode_text("to be") == [256, 257, 101]
    assert tokenizer.decode_ids([256]) == "to"
    tokenizer._table.untyped_storage().resize_(0)
    with pytest.raises((ValueError, RuntimeError)):
        tokenizer.encode_text("to be")


@each("name", PEERS)
def test_long_texts_on_several_threads(name: str):
    """Parts of a text are encoded by tasks of their own, and give its ids."""
    tokenizer = PEERS[name](1, 800).load()
    rng = random.Random(name)
    texts = PEERS[name](1, 800).texts(rng, 100)
    text = ""
    while len(text) < 100_000:
        text += rng.choice(texts) + rng.choice(["", "a  ", "b c", "it' s", " ", "\n", "Z "])
    want = tokenizer.encode([text])[0].tolist()
    for threads in (1, 2, 3):
        with on_threads(threads):
            assert tokenizer.encode_text(text) == want


@pytest.mark.parametrize("kind", ["llama3", "wordpiece, uncased"])
@pytest.mark.parametrize("step", [("Replace", "n t", "z"), ("Prepend", "t"), ("Strip",), ("NFKC",)])
def test_long_texts_under_normalizers(kind: str, step: tuple[str, ...]):
    """Some normalizers of a part of a text give something else than those of the text."""
    from tokenizers import normalizers

    peer = PEERS[kind](1, 800)
    peer.tokenizer.normalizer = getattr(normalizers, step[0])(*step[1:])
    text = "ten then cat in the \ufb01n to be " * 4000
    with on_threads(3):
        assert peer.load().encode_text(text) == peer.ids([text])[0]


def test_copies_and_pickles():
    tokenizer = bytes_tokenizer()
    tokenizer.encode_text("to")
    for made in (copy.copy(tokenizer), copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
        assert made.encode_text("to be") == [256, 257, 101]
    assert "_opened" in vars(tokenizer)


def test_threads():
    tokenizer = PEERS["llama3"](1, 800).load()
    rng = random.Random(3)
    texts = [*PEERS["llama3"](1, 800).texts(rng, 100), "the cat sat on the mat. " * 3000]
    want = [tokenizer.encode([text])[0].tolist() for text in texts]

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(200):
            at = rng.randrange(len(texts))
            ids = tokenizer.encode_text(texts[at])
            assert (ids, tokenizer.decode_ids(ids)) == (want[at], tokenizer.decode([ids])[0].item()), texts[at]

    in_parallel(work, range(8))
