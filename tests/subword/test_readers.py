"""Readers of tokenizer.json and of tiktoken's files: what they accept, and how they reject the rest."""

import base64
import copy
import json
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from support import published_patterns as published
from support.cases import each
from support.strings import compact

from torch_stringops import SubwordTokenizer
from torch_stringops.subword._bytelevel import from_alphabet, to_alphabet
from torch_stringops.subword._definition import Definition
from torch_stringops.subword._huggingface import read_json
from torch_stringops.subword._json import parse_json
from torch_stringops.subword._readers import _definition_of
from torch_stringops.subword._splits import published_line
from torch_stringops.subword._tiktoken import ranks_of, read_ranks
from torch_stringops.subword._tokens import Tokens
from torch_stringops.subword._wordpiece import json_of_vocabulary

OP = "SubwordTokenizer.from_file"
OPS: Any = torch.ops.stringops

VOCAB = {to_alphabet(bytes([byte])): byte for byte in range(256)} | {"to": 256, "Ġbe": 257, "be": 258}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
FILE: dict[str, Any] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": BYTE_LEVEL,
    "post_processor": None,
    "decoder": BYTE_LEVEL,
    "model": {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": VOCAB,
        "merges": [["t", "o"], ["b", "e"], ["Ġ", "be"]],
    },
}


def changed(**parts: Any) -> dict[str, Any]:
    """The file with other parts; those of `model` are merged into it."""
    file = copy.deepcopy(FILE)
    file["model"] |= parts.pop("model", {})
    return file | parts


def read(**parts: Any) -> Definition:
    return read_json(OP, parse_json(OP, json.dumps(changed(**parts))))


def added(content: str, id: int = 0, **flags: bool) -> dict[str, Any]:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": id, "content": content} | dict.fromkeys(names, False) | flags


def test_the_directives_of_a_file():
    definition = read()
    assert definition.spec.splitlines() == [
        "subword 1",
        "model bpe",
        "bytes 1",
        "merges listed",
        "whole 0",
        "unk -1",
        "split gpt2",
        "decode bytelevel",
    ]
    assert definition.pieces[255:].tolist(as_bytes=True) == [b"\xff", b"to", b" be", b"be"]
    assert definition.numbers.tolist() == [
        [ord("t"), ord("o"), 256],
        [ord("b"), ord("e"), 258],
        [ord(" "), 258, 257],
    ]


def test_all_forms_of_a_source(tmp_path: Path):
    text = json.dumps(FILE)
    path = tmp_path / "tokenizer.json"
    path.write_text(text, encoding="utf-8")
    object_ = SimpleNamespace(to_str=lambda: text)
    sources = [path, str(path), text, "\n " + text, object_, SimpleNamespace(backend_tokenizer=object_)]
    found = [_definition_of(OP, source) for source in sources]
    assert all(d.spec == read().spec and d.pieces.equal(read().pieces) for d in found)


@pytest.mark.parametrize(("source", "error", "text"), [
    (3, TypeError, f"{OP}: expected the path or the text of a tokenizer.json, or an object with `to_str`"),
    ("{", ValueError, f"{OP}: expected JSON: "),
    ("{}", ValueError, f"{OP}: expected the JSON of a tokenizer, with an object `model`"),
    ("/nowhere/tokenizer.json", OSError, "No such file"),
])  # fmt: skip
def test_other_sources(source: Any, error: type[Exception], text: str):
    with pytest.raises(error, match=text.replace("(", r"\(")):
        _definition_of(OP, source)


def test_files_of_old_versions():
    model = {"unk_token": "", "continuing_subword_prefix": "", "end_of_word_suffix": "", "merges": ["t o"]}
    file = changed(model=model)
    for name in ("type", "byte_fallback", "ignore_merges"):
        del file["model"][name]
    assert read_json(OP, parse_json(OP, json.dumps(file))).numbers.tolist() == [[ord("t"), ord("o"), 256]]


@each(("parts", "names"), [
    ({"model": {"type": "WordLevel"}}, ["model "]),
    ({"model": {"dropout": 0.1}}, ["dropout 0.1"]),
    ({"model": {"end_of_word_suffix": "</w>", "ignore_merges": True}}, ["ignore_merges with"]),
    ({"model": {"new_field": 1}}, ["'new_field' 1"]),
    ({"normalizer": {"type": "ByteLevel"}}, ['normalizer {"type": "ByteLevel"}']),
    ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "ByteLevel"}]}}, ["ByteLevel"]),
    (
        {"normalizer": {"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""}},
        ["normalizer Replace: unknown pattern"],
    ),
    ({"pre_tokenizer": {"type": "UnicodeScripts"}}, ["UnicodeScripts"]),
    ({"decoder": {"type": "CTC"}}, ["decoder"]),
    ({"post_processor": {"type": "Unknown"}}, ["post_processor"]),
    ({"added_tokens": [added("x") | {"new_flag": True}]}, ["'new_flag' true"]),
    ({"added_tokens": [added("e\u0301", normalized=True)], "normalizer": {"type": "NFC"}}, ["normalizer changes"]),
    (
        {"added_tokens": [added("é", normalized=True)], "normalizer": {"type": "StripAccents"}},
        ["normalizer changes"],
    ),
    (
        {"normalizer": {"type": "ByteLevel"}, "model": {"dropout": 0.5}, "decoder": {"type": "CTC"}},
        ["dropout", "normalizer", "decoder"],
    ),
])  # fmt: skip
def test_one_error_names_every_unsupported_part(parts: dict[str, Any], names: list[str]):
    with pytest.raises(ValueError, match=f"^{OP}: {len(names)} part") as error:
        read(**parts)
    assert all(name in str(error.value) for name in names)


def test_unknown_bytes_need_fields_that_are_supported():
    vocab = {token: id for token, id in VOCAB.items() if token != "Z"}
    assert "unk -1" in read(model={"vocab": vocab}).lines
    assert "unk 256" in read(model={"vocab": vocab, "unk_token": "to"}).lines
    assert "unk -1" in read(model={"unk_token": "to", "fuse_unk": True, "byte_fallback": True}).lines
    for field in ("fuse_unk", "byte_fallback"):
        with pytest.raises(ValueError, match=field):
            read(model={"vocab": vocab, field: True})
    with pytest.raises(ValueError, match="unk_token that is not a token"):
        read(model={"vocab": vocab, "unk_token": "<unk>"})
    with pytest.raises(ValueError, match=r"unk_token that is not a token, .* \["):
        read(model={"vocab": vocab, "unk_token": ["<unk>"]})


@pytest.mark.parametrize(("model", "text"), [
    ({"merges": [["t", "x"]]}, "expected the tokens of merges in `vocab`"),
    ({"merges": ["t o o"]}, "expected merges of two tokens"),
    ({"vocab": VOCAB | {"x y": 258}}, "two tokens with one id"),
    ({"vocab": VOCAB | {"tt": -1}}, "expected ids below"), ({"vocab": VOCAB | {"tt": 2**30}}, "expected ids below"),
])  # fmt: skip
def test_malformed_models(model: dict[str, Any], text: str):
    with pytest.raises(ValueError, match=text):
        read(model=model)


def test_merges_of_a_model_that_has_none():
    file = '{"model": {"type": "WordPiece", "vocab": {"[UNK]": 0}, "merges": %s}}'
    with pytest.raises(ValueError, match=r"field 'merges' \[\"a b\"\]"):
        read_json(OP, parse_json(OP, file % '["a b"]'))
    with pytest.raises(ValueError, match=f"{OP}: expected JSON: Expecting value: line 1 column 67"):
        read_json(OP, parse_json(OP, file % "[}"))


def test_lines_of_a_vocabulary_end_as_in_text_files_of_python(tmp_path: Path):
    tokens = ["[UNK]", "[CLS]", "[SEP]", "", "to", "be"]
    path = tmp_path / "vocab.txt"
    for end in ("\n", "\r\n", "\r"):
        for last in ("", end):
            path.write_bytes((end.join(tokens) + last).encode())
            vocab: Tokens = json_of_vocabulary("x", path, lower=True)["model"]["vocab"]
            assert (vocab.strings.tolist(), vocab.ids.tolist()) == (tokens, [*range(6)])


def split_of(pattern: str, behavior: str = "Isolated", invert: bool = False) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def with_splits(*splits: dict[str, Any]) -> list[str]:
    last = BYTE_LEVEL | {"use_regex": False}
    lines = read(pre_tokenizer={"type": "Sequence", "pretokenizers": [*splits, last]}).lines
    return [line for line in lines if line.startswith("split ")]


def test_behaviors_of_splits():
    for behavior, invert in [("Isolated", False), ("Isolated", True), ("Removed", True)]:
        lines = with_splits(split_of(published.GPT2, behavior, invert))
        assert lines == [f"split published onig {published.GPT2.encode().hex()}"]
    for behavior, name in [("Removed", "removed"), ("MergedWithNext", "merged_with_next")]:
        (line,) = with_splits(split_of(published.GPT2, behavior))
        assert line.startswith("split pattern ")
        assert line.endswith(f" {name} 0")
    with pytest.raises(ValueError, match='"behavior": "Other"'):
        with_splits(split_of(published.GPT2, "Other"))


def test_deepseek_is_one_step_for_three_splits():
    splits = [split_of(pattern) for pattern in published.DEEPSEEK]
    texts = " ".join(pattern.encode().hex() for pattern in published.DEEPSEEK)
    assert with_splits(*splits) == [f"split published onig {texts}"]
    assert same_ids(f"split published onig {texts}", "split deepseek")
    others = [split_of(published.DEEPSEEK[0], "Removed", True), *splits[1:]]
    assert [line.split(" ")[1] for line in with_splits(*others)] == ["pattern"] * 3
    for some in (splits[:1], splits[1:], splits[2:], splits[::-1]):
        lines = with_splits(*some)
        assert [line.split(" ")[1] for line in lines] == ["pattern"] * len(some)


def test_other_patterns_are_searched_for():
    assert with_splits(split_of("a+b")) == [f"split pattern {b'a+b'.hex()} isolated 0"]
    assert with_splits(split_of(published.GPT2) | {"pattern": {"String": " "}}) == ["split literal 20 isolated 0"]
    ranks = {bytes([byte]): byte for byte in range(256)}
    lines = read_ranks("from_tiktoken", ranks_of("from_tiktoken", ranks), "a+b", {}).lines
    assert f"split pattern {b'a+b'.hex()} removed 1" in lines


def test_a_pattern_that_is_not_supported_is_shown():
    with pytest.raises(ValueError, match=r'pre_tokenizer Split: pattern with \\b: "\\\\ba"'):
        with_splits(split_of(r"\ba"))
    with pytest.raises(ValueError, match=r'pattern with \\b: "\\\\ba"'):
        read_ranks("from_tiktoken", ranks_of("from_tiktoken", {bytes([byte]): byte for byte in range(256)}), r"\ba", {})
    with pytest.raises(ValueError, match='"String": ""'):
        with_splits(split_of(published.GPT2) | {"pattern": {"String": ""}})


LLAMA = "llama3 digits={} marks={} newline_tail={} contractions={} end={}"


@each(("pattern", "scanner"), [
    (published.GPT2, "gpt2"), (published.TIKTOKEN_R50K, "gpt2"), (published.LLAMA3, LLAMA.format(3, 0, 1, 2, "hf")),
    (published.LLAMA3.removeprefix("(?i:'s|'t|'re|'ve|'m|'ll|'d)|"), LLAMA.format(3, 0, 1, 0, "hf")),
    (published.QWEN2, LLAMA.format(1, 0, 1, 2, "hf")), (published.QWEN3_5, LLAMA.format(1, 1, 1, 2, "hf")),
    (published.SEED_CODER, LLAMA.format(1, 0, 0, 2, "hf")),
    (published.TIKTOKEN_CL100K, LLAMA.format(3, 0, 1, 2, "tiktoken")),
    (published.O200K, "o200k digits=3 contractions=1 slash=1"), (published.TEKKEN, "o200k digits=1 contractions=0 slash=1"),
    (published.GPT2 + "|x", None), (published.GPT2[:-1], "gpt2"), (published.GPT2[:-2], None), ("|" + published.GPT2, None),
    (published.LLAMA3.replace("[^\\s\\p{L}", "[^\\s\\p{L}\\p{M}"), None),
])  # fmt: skip
def test_known_patterns(pattern: str, scanner: str | None):
    line = published_line([pattern], "fancy")
    assert (line is None) == (scanner is None)
    assert line is None or same_ids(line, f"split {scanner}")


def test_a_possessive_range_is_known_to_one_engine_only():
    assert published_line([published.TIKTOKEN_CL100K], "onig") is None


def test_texts_tell_known_patterns_apart():
    scanners = ["gpt2", "o200k digits=3 contractions=1 slash=1", "o200k digits=1 contractions=0 slash=1", "deepseek"]
    scanners += [LLAMA.format(3, 0, 1, contractions, "hf") for contractions in (0, 1, 2)]
    scanners += [
        LLAMA.format(*settings)
        for settings in [(1, 0, 1, 2, "hf"), (3, 1, 1, 2, "hf"), (3, 0, 0, 2, "hf"), (3, 0, 1, 2, "tiktoken")]
    ]
    for one, other in combinations(scanners, 2):
        assert not same_ids(f"split {one}", f"split {other}"), (one, other)


def same_ids(line: str, other: str) -> bool:
    """Whether tables with these splits encode texts alike. Each two bytes of a word merge."""
    characters = "aB1 \n!/'slL\u0301é中"
    texts = ["".join(text) for text in product(characters, repeat=3)]
    texts += ["a1234b", "'lla", "'LLa", "!\n/ a", "  \n\n ", "AbCdE", "a\u0301b!\u0301c", "!abé", "中a アー"]
    found = sorted(set("".join(texts).encode()))
    pairs = list(product(found, repeat=2))
    pieces = [bytes([byte]) for byte in range(256)] + [bytes(pair) for pair in pairs]
    merges = torch.tensor([[*pair, 256 + k] for k, pair in enumerate(pairs)])
    rows = []
    for split in (line, other):
        table = OPS.subword_build(*compact(pieces), merges, f"subword 1\nmodel bpe\n{split}\n")
        rows.append(OPS.subword_encode(*compact([text.encode() for text in texts]), table)[0])
    return torch.equal(*rows)


def test_added_tokens_get_the_ids_that_tokenizers_gives_them():
    # As `tokenizers` does: the id of the model, else the next one after the number of tokens, whatever the file says.
    lines = read(added_tokens=[added("<s>", 500, special=True), added("to", 7), added("<e>", 501)]).lines
    assert [line.split()[:3] for line in lines if line.startswith("added ")] == [
        ["added", "256", "0"],
        ["added", "259", "1"],
        ["added", "260", "0"],
    ]


def test_added_tokens_and_tokens_that_text_cannot_give_have_a_text():
    tokens = [added("<s é>"), added("<sé>")]
    definition = read(added_tokens=tokens, model={"vocab": VOCAB | {"a b": 259}})
    assert definition.pieces[259:].tolist(as_bytes=True) == [b"", b"", b""]
    # The decoder of `tokenizers` takes the characters of the alphabet as bytes, if a token has no others.
    assert definition.texts == {259: b"a b", 261: b"<s\xe9>"}


def test_padding_and_truncation_become_settings():
    padding = {
        "strategy": "BatchLongest", "direction": "Left", "pad_to_multiple_of": None, "pad_id": 1, "pad_type_id": 0,
        "pad_token": "x",
    }  # fmt: skip
    truncation = {"direction": "Left", "max_length": 9, "strategy": "LongestFirst", "stride": 0}
    want = {"pad": 1, "pad_type": 0, "pads_left": 1, "max_length": 9, "truncates_left": 1}
    definition = read(padding=padding, truncation=truncation)
    assert (definition.settings, definition.not_defaults) == (want, [])
    # Files of older versions do not name the direction.
    assert read(truncation={"max_length": 9, "strategy": "LongestFirst", "stride": 0}).settings["truncates_left"] == 0
    parts = {"padding": padding, "truncation": truncation}
    for part, setting, expected in [
        ("padding", {"strategy": {"Fixed": 128}}, "padding to 128 ids"),
        ("padding", {"pad_to_multiple_of": 8}, "padding to a multiple of 8"),
        ("truncation", {"strategy": "OnlyFirst"}, "truncation of pairs by OnlyFirst"),
        ("truncation", {"strategy": "OnlySecond"}, "truncation of pairs by OnlySecond"),
        ("truncation", {"stride": 2}, "rows of the ids that truncation leaves out, with a stride"),
    ]:
        text = json.dumps(changed(**parts | {part: parts[part] | setting}))
        with pytest.warns(UserWarning, match=f"^{OP}: the file has .*: {expected} \\(see") as warnings:
            SubwordTokenizer.from_file(text)
        assert [warning.filename for warning in warnings] == [__file__]


def test_alphabet():
    every = bytes(range(256))
    assert from_alphabet(to_alphabet(every)) == every
    assert from_alphabet("a b") is None


def rank_dict(source: Any) -> dict[bytes, int]:
    tokens = ranks_of("x", source)
    return dict(zip(tokens.strings.tolist(as_bytes=True), tokens.ids.tolist(), strict=True))


def test_rank_files(tmp_path: Path):
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"\xff\n": 256}
    path = tmp_path / "x.tiktoken"
    path.write_bytes(b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items()))
    for source in (path, str(path), ranks):
        assert rank_dict(source) == ranks
    path.write_bytes(b"QQ== 1\n= 7\n")  # as the file of Whisper ends
    assert rank_dict(path) == {b"A": 1, b"": 7}
    path.write_bytes(b"QQ== 1\nQQ==\n")
    with pytest.raises(ValueError, match="x: expected a token in base64 and its rank in line 2"):
        ranks_of("x", path)
    with pytest.raises(TypeError, match="x: expected `ranks` to be a dict"):
        ranks_of("x", 3)
    with pytest.raises(TypeError, match="x: expected `ranks` of bytes -> int, got str -> int"):
        ranks_of("x", {"a": 1})


RANKS = {bytes([byte]): byte for byte in range(256)}


def test_the_empty_token_has_an_id_that_no_text_gives():
    definition = read_ranks("x", ranks_of("x", RANKS | {b"": 300}), published.GPT2, {})
    assert (len(definition.pieces), definition.pieces[300].item(), definition.texts) == (301, "", {300: b""})


def test_fields_of_a_template_that_tokenizers_ignores():
    step = {
        "type": "TemplateProcessing",
        "single": [{"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {},
        "add_tool_tokens": True,
    }
    assert "template_single A" in read(post_processor=step).lines


def test_a_byte_level_file_without_a_decoder():
    definition = read(decoder=None)
    assert definition.lines[-1] == "decode join 20"
    assert definition.texts[257] == "Ġbe".encode()


@pytest.mark.parametrize(("ranks", "special", "text"), [
    ({b"a": 0}, {}, "expected ranks of all bytes, got none of byte 0"),
    (RANKS | {b"ab": 3}, {}, "two tokens with one rank"),
    (RANKS, {"<s>": 3}, "expected ids of special tokens that are not ranks, got 3"),
    (RANKS, {"": 300}, "an empty special token"),
    (RANKS, {"<s>": 300, "<s>1": 301}, "special tokens of which one begins with another"),
])  # fmt: skip
def test_malformed_ranks(ranks: dict[bytes, int], special: dict[str, int], text: str):
    with pytest.raises(ValueError, match=text):
        read_ranks("x", ranks_of("x", ranks), published.GPT2, special)
