"""Files and folders of tokenizers: the reader is chosen by content, settings come from the files next to it."""

import base64
import gzip
import json
import re
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from support import published_patterns as published
from support import subword_unigram

import torch_stringops
from torch_stringops import SubwordTokenizer
from torch_stringops.subword._bytelevel import to_alphabet

BYTES = [bytes([byte]) for byte in range(256)]
TEXTS = ["to be or not", "", "  é\n", "中 12 <s> [INST]"]


def json_file() -> dict[str, Any]:
    step = {"type": "ByteLevel", "add_prefix_space": False}
    vocab = {to_alphabet(byte): byte[0] for byte in BYTES} | {"to": 256, "<pad>": 257}
    return {"model": {"type": "BPE", "vocab": vocab, "merges": ["t o"]}, "pre_tokenizer": step, "decoder": step}


def tekken_file(**parts: Any) -> dict[str, Any]:
    tokens = [*BYTES, b"to", b" be"]
    vocab = [{"rank": i, "token_bytes": base64.b64encode(token).decode()} for i, token in enumerate(tokens)]
    config = {"pattern": published.TEKKEN, "default_vocab_size": 262, "default_num_special_tokens": 5}
    special = [{"rank": i, "token_str": name} for i, name in enumerate(("<unk>", "<s>", "<pad>"))]
    return {"config": config, "vocab": vocab, "special_tokens": special} | parts


def rwkv_file() -> bytes:
    tokens = [*BYTES, b"to", b" be", "中".encode(), b"\xe4\xb8"]
    lines = [
        f"{i} {ascii(token.decode()) if token.isascii() else token} {len(token)}" for i, token in enumerate(tokens, 1)
    ]
    return "\n".join(lines).encode() + b"\n"


def written(path: Path, data: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


def rows(tokenizer: SubwordTokenizer, texts: list[str]) -> list[list[int]]:
    ids, row_splits = tokenizer.encode(texts)
    splits = row_splits.tolist()
    return [ids[a:b].tolist() for a, b in pairwise(splits)]


def test_an_id_of_tekken_is_a_rank_after_the_special_tokens(tmp_path: Path):
    tokenizer = SubwordTokenizer.from_file(written(tmp_path / "tekken.json", tekken_file()))
    # Text never gives a special token.
    assert rows(tokenizer, ["to", "<s>"]) == [[261], [5 + byte for byte in b"<s>"]]
    assert (tokenizer.vocab_size, tokenizer.pad_token, tokenizer.token_to_id("<s>")) == (262, "<pad>", 1)
    ids, row_splits = torch.tensor([1, 261, 4]), torch.tensor([0, 3])
    assert tokenizer.decode(ids, row_splits, False).tolist() == ["<s>to<SPECIAL_4>"]
    assert tokenizer.decode(ids, row_splits, True).tolist() == ["to"]


def test_tekken_without_special_tokens_has_those_of_its_time(tmp_path: Path):
    file = tekken_file()
    del file["special_tokens"]
    file["config"] |= {"default_vocab_size": 280, "default_num_special_tokens": 24}
    tokenizer = SubwordTokenizer.from_file(written(tmp_path / "tekken.json", file))
    assert [tokenizer.token_to_id(name) for name in ("<unk>", "[INST]", "[TOOL_CONTENT]", "<SPECIAL_23>")] == [
        0,
        3,
        19,
        23,
    ]


@pytest.mark.parametrize(("parts", "text"), [
    ({"config": {}}, "`default_num_special_tokens` in `config`"),
    ({"vocab": []}, "a `vocab` of at least 257 tokens, got 0"),
    (
        {"config": {"default_num_special_tokens": 4, "default_vocab_size": 2**64, "pattern": "a"}},
        f"a `vocab` of at least {2**64 - 4} tokens",
    ),
    ({"vocab": [{}] * 300}, "`token_bytes` in base64, got none in token 0"),
    ({"vocab": [{"token_bytes": "QQ=="}] * 300}, "distinct tokens"),
    ({"special_tokens": [{"rank": 5, "token_str": "a"}]}, "special tokens with `rank` below 5"),
])  # fmt: skip
def test_malformed_tekken(parts: dict[str, Any], text: str, tmp_path: Path):
    with pytest.raises(ValueError, match=text):
        SubwordTokenizer.from_file(written(tmp_path / "tekken.json", tekken_file(**parts)))


def longest_tokens(text: bytes) -> list[int]:
    """The oracle of RWKV: the longest token at each place."""
    ids = {token: i for i, token in enumerate([*BYTES, b"to", b" be", "中".encode(), b"\xe4\xb8"], 1)}
    found, at = [], 0
    while at < len(text):
        token = max((token for token in ids if text.startswith(token, at)), key=len)
        found.append(ids[token])
        at += len(token)
    return found


def test_rwkv_takes_the_longest_token(tmp_path: Path):
    tokenizer = SubwordTokenizer.from_file(written(tmp_path / "rwkv_vocab.txt", rwkv_file()))
    texts = [*TEXTS, "tot to be中与\u4e00", "x" * 300]
    assert rows(tokenizer, texts) == [longest_tokens(text.encode()) for text in texts]
    ids, row_splits = tokenizer.encode(texts)
    assert tokenizer.decode(ids, row_splits).tolist() == texts


@pytest.mark.parametrize(("data", "text"), [
    (b"1 'a' 2\n", "expected an id, a token and its length in bytes in line 1"),
    (b"1 'a' 1\n2 open('x') 1\n", "in line 2"),
    (b"1 'a' 1\n", "tokens of all bytes, got none of byte 0"),
])  # fmt: skip
def test_malformed_rwkv(data: bytes, text: str, tmp_path: Path):
    with pytest.raises(ValueError, match=text):
        SubwordTokenizer.from_file(written(tmp_path / "vocab.txt", data))


def test_a_file_that_does_not_describe_itself_names_its_reader(tmp_path: Path):
    for data, text in [
        (b"QQ== 0\nQg== 1\n", "ranks of tiktoken (use from_tiktoken)"),
        (b"[PAD]\n[UNK]\nto\n", "a list of tokens (use from_wordpiece)"),
        (b"\x89PNG", "expected a tokenizer.json, a tekken.json"),
        (b"", "expected a tokenizer.json, a tekken.json"),
        (b"{\xff}", "expected UTF-8"),
        (b"\x1f\x8b\x08", "expected a whole gzip file"),
    ]:
        with pytest.raises(ValueError, match=re.escape(text)):
            SubwordTokenizer.from_file(written(tmp_path / "file", data))


def test_compressed_files_and_models_of_sentencepiece(tmp_path: Path):
    plain = SubwordTokenizer.from_file(json.dumps(json_file()))
    path = written(tmp_path / "tokenizer.json.gz", gzip.compress(json.dumps(json_file()).encode()))
    assert rows(SubwordTokenizer.from_file(path), TEXTS) == rows(plain, TEXTS)
    pytest.importorskip("sentencepiece")
    model = next(iter(subword_unigram.MODELS.values()))(0, 300)
    path = written(tmp_path / "x.model", model)
    assert rows(SubwordTokenizer.from_file(path), TEXTS) == rows(SubwordTokenizer.from_sentencepiece(path), TEXTS)


@pytest.mark.parametrize("read", [SubwordTokenizer.from_pretrained, SubwordTokenizer.from_file])
def test_settings_of_a_folder(read: Callable[[Path], SubwordTokenizer], tmp_path: Path):
    written(tmp_path / "tokenizer.json", json_file())
    tokenizer = read(tmp_path)
    assert (tokenizer.pad_token, tokenizer.max_length) == (None, None)
    written(tmp_path / "special_tokens_map.json", {"pad_token": {"content": "<pad>", "lstrip": False}})
    config = {
        "padding_side": "left",
        "truncation_side": "left",
        "model_max_length": 3,
        "model_input_names": ["token_type_ids"],
    }
    written(tmp_path / "tokenizer_config.json", config)
    tokenizer = read(tmp_path)
    found = tokenizer(["to be", "to"])
    assert (tokenizer.pad_token, tokenizer.max_length) == ("<pad>", 3)
    assert found["input_ids"].tolist() == [[32, 98, 101], [257, 257, 256]]
    assert "token_type_ids" in found
    written(tmp_path / "tokenizer_config.json", {"pad_token": "to", "model_max_length": 1e30})
    tokenizer = read(tmp_path)
    assert (tokenizer.pad_token, tokenizer.max_length) == ("to", None)


def test_a_folder_of_bert(tmp_path: Path):
    written(tmp_path / "vocab.txt", b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nTo\nto\n")
    assert SubwordTokenizer.from_pretrained(tmp_path)(["To"])["input_ids"].tolist() == [[2, 5, 3]]
    written(tmp_path / "tokenizer_config.json", {"do_lower_case": False})
    assert SubwordTokenizer.from_pretrained(tmp_path)(["To"])["input_ids"].tolist() == [[2, 4, 3]]


def test_faults_of_folders(tmp_path: Path):
    with pytest.raises(ValueError, match=r"expected a folder with one of tokenizer\.json, "):
        SubwordTokenizer.from_pretrained(tmp_path)
    written(tmp_path / "tokenizer.json", json_file())
    for config, text in [
        (b"{", "expected JSON in"),
        (b"[]", "expected an object in"),
        ({"padding_side": "top"}, "`padding_side` of tokenizer_config.json to be left or right"),
        ({"pad_token": "none"}, "expected `pad_token` to be one of the tokens"),
        ({"padding_side": {"a": 1}}, "expected `padding_side` to be as the original library writes it, got dict"),
        (
            {"pad_token": {"content": [1]}},
            "expected `pad_token.content` to be as the original library writes it, got list",
        ),
    ]:
        written(tmp_path / "tokenizer_config.json", config)
        with pytest.raises(ValueError, match=text):
            SubwordTokenizer.from_pretrained(tmp_path)


def test_names_are_looked_for_in_the_cache_of_huggingface_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = written(tmp_path / "tokenizer.json", json_file())
    hub, errors = ModuleType("huggingface_hub"), ModuleType("huggingface_hub.errors")
    errors.HFValidationError = ValueError  # type: ignore[attr-defined]

    def cached(name: str, file: str) -> str | None:
        return str(path) if (name, file) == ("org/model", "tokenizer.json") else None

    hub.try_to_load_from_cache = cached  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", errors)
    assert rows(SubwordTokenizer.from_pretrained("org/model"), ["to"]) == [[256]]
    with pytest.raises(OSError, match="huggingface_hub.snapshot_download"):
        SubwordTokenizer.from_pretrained("org/other")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(OSError, match="expected a folder"):
        SubwordTokenizer.from_pretrained("org/model")
    with pytest.raises(TypeError, match="expected `name_or_path` to be a str or a path of str, got bytes"):
        SubwordTokenizer.from_pretrained(b"org/model")  # type: ignore[arg-type]


def test_scores_of_a_file_are_read_as_tokenizers_reads_them():
    tokenizers = pytest.importorskip("tokenizers")
    # The nearest float64 of the first score is another: the pieces of "ab" tie in `tokenizers`.
    scores = {"<unk>": "0.0", "a": "-12.130167007446289", "b": "-0.5", "ab": "-12.630167007446287"}
    vocab = ",".join(f'["{piece}",{score}]' for piece, score in scores.items())
    text = f'{{"version":"1.0","model":{{"type":"Unigram","unk_id":0,"vocab":[{vocab}]}}}}'
    original = tokenizers.Tokenizer.from_str(text)
    for source in (text, original):
        tokenizer = torch_stringops.SubwordTokenizer.from_file(source)
        assert rows(tokenizer, ["ab", "aab"]) == [original.encode(t).ids for t in ("ab", "aab")]


def test_objects_have_the_scores_that_they_were_read_with():
    found = SimpleNamespace(to_str=lambda: json.dumps(json_file()))
    assert rows(SubwordTokenizer.from_file(found), ["to"]) == [[256]]
