"""DecodeStream against that of `tokenizers`, on random streams."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch

pytest.importorskip("tokenizers")
pytest.importorskip("tiktoken")
pytest.importorskip("sentencepiece")

import tokenizers
from support.cases import each
from support.published_patterns import GPT2
from support.subword_peers import PEERS

from torch_stringops import DecodeStream, SubwordTokenizer

KINDS = [name for name in PEERS if "tiktoken" not in name and "sentencepiece" not in name]


def bytes_tokenizer() -> SubwordTokenizer:
    return SubwordTokenizer.from_tiktoken({bytes([byte]): byte for byte in range(256)}, GPT2, {"<end>": 256})


class Reference:
    """The stream of `tokenizers`, which begins anew where it raises."""

    def __init__(self, tokenizer: Any, skip: bool) -> None:
        self.tokenizer, self.skip = tokenizer, skip
        self.stream = tokenizers.decoders.DecodeStream(skip_special_tokens=skip)
        self.num_restarts = 0

    def step(self, id: int) -> str:
        try:
            return self.stream.step(self.tokenizer, id) or ""
        except Exception as error:
            if "Invalid prefix" not in str(error):
                raise
            self.num_restarts += 1
            self.stream = tokenizers.decoders.DecodeStream(skip_special_tokens=self.skip)
            return self.stream.step(self.tokenizer, id) or ""


def streams(peer: Any, size: int, rng: random.Random) -> Iterator[list[int]]:
    """Ids of texts, with some replaced by others, and ids at random."""
    for ids in peer.ids(peer.texts(rng, 60), True):
        yield ids
        yield [rng.randrange(size) if rng.random() < 0.2 else id for id in ids]
    for _ in range(40):
        yield [rng.randrange(size) for _ in range(rng.randrange(60))]
        yield [rng.randrange(min(size, 300)) for _ in range(rng.randrange(60))]  # bytes, in many of the files


@each("name", KINDS)
def test_random_streams(name: str):
    peer = PEERS[name](1, 800)
    if not isinstance(peer.tokenizer, tokenizers.Tokenizer):
        pytest.skip("of another library")
    tokenizer = peer.load()
    rng = random.Random(name)
    size = peer.tokenizer.get_vocab_size()
    for ids in streams(peer, size, rng):
        ids = [id for id in ids if peer.tokenizer.id_to_token(id) is not None]
        skip = rng.random() < 0.5
        reference, stream = Reference(peer.tokenizer, skip), DecodeStream(tokenizer, skip_special_tokens=skip)
        for at, id in enumerate(ids):
            assert stream.step(id) == reference.step(id), (ids[: at + 1], skip)


def test_streams_begin_anew():
    """Where `tokenizers` raises: the text of a token is another one after the next token."""
    peer = PEERS["llama-2"](1, 800)
    tokenizer = peer.load()
    rng = random.Random(5)
    restarts = 0
    for _ in range(300):
        reference, stream = Reference(peer.tokenizer, True), DecodeStream(tokenizer)
        for id in (rng.randrange(3, 259 if rng.random() < 0.8 else len(tokenizer)) for _ in range(30)):
            assert stream.step(id) == reference.step(id)
        restarts += reference.num_restarts
    assert restarts > 0


@pytest.mark.parametrize("name", ["gpt2", "llama-2", "wordpiece, uncased"])
def test_many_streams_at_once(name: str):
    tokenizer = PEERS[name](1, 800).load()
    rng = random.Random(name)
    together = DecodeStream(tokenizer, 17)
    alone = [DecodeStream(tokenizer) for _ in range(17)]
    for step in range(200):
        ids = [-1 if rng.random() < 0.1 else rng.randrange(len(tokenizer)) for _ in range(17)]
        want = ["" if id < 0 else stream.step(id) for stream, id in zip(alone, ids, strict=True)]
        form = rng.choice([list, torch.tensor, lambda ids: torch.tensor(ids).int()])
        assert together.step(form(ids)).tolist() == want
        if step % 20 == 19:
            row = rng.randrange(17)
            together.reset(row)
            alone[row] = DecodeStream(tokenizer)
    together.reset()
    ids = [rng.randrange(len(tokenizer)) for _ in range(17)]
    assert together.step(torch.tensor(ids)).tolist() == [DecodeStream(tokenizer).step(id) for id in ids]


def test_the_ids_of_a_batch_may_be_strided_or_expanded():
    streams = DecodeStream(bytes_tokenizer(), 3)
    assert streams.step(torch.tensor([97, 0, 98, 0, 99, 0])[::2]).tolist() == ["a", "b", "c"]
    assert streams.step(torch.tensor([97]).expand(3)).tolist() == ["a", "a", "a"]
    assert streams.step([-1, -1, -1]).tolist() == ["", "", ""]
    assert DecodeStream(bytes_tokenizer(), 0).step([]).tolist() == []


def test_streams_without_end():
    """A stream of bytes that are no character, and one of ids without text."""
    stream = DecodeStream(bytes_tokenizer())
    given = "".join(stream.step(0x80) for _ in range(2000))
    assert set(given) == {"\ufffd"}
    assert 1400 < len(given) <= 2000
    assert stream.step(97).endswith("a")
    assert [stream.step(256) for _ in range(2000)] == [""] * 2000
    assert stream.step(98) == "b"
    pieces = {bytes([byte]): byte for byte in range(256)}
    holes = SubwordTokenizer.from_tiktoken(pieces, GPT2, {"<end>": 300})  # ids 256 to 299 have no text
    stream = DecodeStream(holes)
    assert [stream.step(270) for _ in range(2000)] == [""] * 2000
    assert stream.step(98) == "b"


def test_special_tokens():
    tokenizer = bytes_tokenizer()
    assert [DecodeStream(tokenizer).step(256), DecodeStream(tokenizer, skip_special_tokens=False).step(256)] == [
        "",
        "<end>",
    ]


def test_other_integers_and_errors():
    stream = DecodeStream(bytes_tokenizer(), skip_unknown_ids=False)
    assert stream.step(torch.tensor(97)) == "a"
    assert stream.step(torch.tensor([98]).numpy()[0]) == "b"
    for bad in (257, -1, 2**70):
        with pytest.raises(ValueError, match=r"^DecodeStream.step: expected ids within \[0, 257\), got"):
            stream.step(bad)
    with pytest.raises(TypeError, match=r"^DecodeStream.step: expected an int, got float$"):
        stream.step(1.5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"^DecodeStream: expected a SubwordTokenizer, got int$"):
        DecodeStream(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^DecodeStream: expected `batch_size`"):
        DecodeStream(bytes_tokenizer(), -1)
    streams = DecodeStream(bytes_tokenizer(), 2, skip_unknown_ids=False)
    with pytest.raises(ValueError, match=r"^DecodeStream.step: expected ids of shape \[2\], got"):
        streams.step([1, 2, 3])
    with pytest.raises(ValueError, match=r"^DecodeStream.step: expected ids within .* at position 1$"):
        streams.step([97, 257])
    assert streams.step([97, 98]).tolist() == ["a", "b"]  # the call above changed no stream
    with pytest.raises(ValueError, match=r"^DecodeStream.reset: expected `row`"):
        streams.reset(2)
    for bad_ids, text in [
        ([97], "`ids` of 2 rows, got list"),
        (97, "`ids` of 2 rows, got int"),
        ([[97], [257]], r"ids within \[0, 257\), got 257"),
        ([[97], [[98]]], r"`ids` of rank 1, got shape \[1, 1\]"),
    ]:
        with pytest.raises(ValueError, match=f"^DecodeStream.reset: expected {text}$"):
            streams.reset(ids=bad_ids)
    with pytest.raises(ValueError, match="^DecodeStream.step: expected ids >= 0, got -1$"):
        DecodeStream(bytes_tokenizer()).step(-1)


@pytest.mark.parametrize("name", ["gpt2", "llama-2", "metaspace first", "wordpiece, uncased"])
def test_prompts_and_ids_beyond_the_vocabulary(name: str):
    peer = PEERS[name](1, 800)
    tokenizer = peer.load()
    rng, size = random.Random(name), len(tokenizer)
    for _ in range(100):
        skip, batch = rng.random() < 0.5, []
        for length in (0, 1, 5, 300):
            ids = [rng.randrange(size + 20 if rng.random() < 0.1 else min(size, 300)) for _ in range(length + 20)]
            batch.append((ids[:length], ids[length:]))
        prompts = [prompt for prompt, _ in batch]
        together = DecodeStream(tokenizer, 4, skip_special_tokens=skip, ids=prompts)
        found = [together.step(list(ids)).tolist() for ids in zip(*(steps for _, steps in batch), strict=True)]
        for row, (prompt, steps) in enumerate(batch):
            reference = Reference(peer.tokenizer, skip)
            reference.stream = tokenizers.decoders.DecodeStream(ids=prompt, skip_special_tokens=skip)
            stream = DecodeStream(tokenizer, skip_special_tokens=skip, ids=torch.tensor(prompt, dtype=torch.int32))
            want = [reference.step(id) for id in steps]
            assert [stream.step(id) for id in steps] == want == [texts[row] for texts in found], (prompt, steps)


def test_a_stream_follows_its_tokenizer():
    tokenizer = bytes_tokenizer()
    stream = DecodeStream(tokenizer)
    assert stream.step(0xC3) == ""
    tokenizer._table.share_memory_()
    assert stream.step(0xA9) == "é"
