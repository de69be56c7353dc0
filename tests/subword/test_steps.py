"""Files of tokenizers with other steps, fields left out, and damage: read as `tokenizers` does, or refused."""

import base64
import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("sentencepiece")

from support import published_patterns as published
from support import subword as make
from support import subword_characters, subword_suffix, subword_unigram, subword_wordpiece
from tokenizers import AddedToken, Regex, Tokenizer
from tokenizers import decoders as d
from tokenizers import models as m
from tokenizers import normalizers as n
from tokenizers import pre_tokenizers as p

from torch_stringops import DecodeStream, SubwordTokenizer

OP = "SubwordTokenizer.from_file"
BLANK = "\u2581"
Json = dict[str, Any]
NAMES = ("bytes", "characters", "wordpiece", "unigram", "suffix", "metaspace")

TEXTS = [
    "", "  ", " ", BLANK, "a", "éa e\u0301", " a  b ", "the the", "I'm x2 33 don't . , !", "aX \x01X", "中文 abc",
]  # fmt: skip
TEXTS += [
    f"{BLANK}a", "<unk> [UNK]", "ﬁ １ İ", "\u093f다람쥐", "a<m> b", "b <m>a", f"x{BLANK}<m>  b", " <m>", "<m>",
]  # fmt: skip


def state(step: Any) -> Json:
    found: Json = json.loads(step.__getstate__())
    return found


@cache
def files() -> dict[str, Json]:
    """A file of each kind of model."""
    tokenizer = make.trained(make.byte_level(published.LLAMA3), 500)
    tokenizer.add_tokens([AddedToken("<x>", lstrip=True)])
    bert = subword_wordpiece.trained(400, 0)
    bert.enable_padding(length=8, pad_id=0, pad_token="[PAD]")
    bert.enable_truncation(12)
    found = {
        "bytes": tokenizer,
        "characters": subword_characters.llama2(0, 300)[0],
        "wordpiece": bert,
        "unigram": subword_unigram.KINDS["unigram, T5"](0, 400)[0],
        "suffix": subword_suffix.clip(0, 600)[0],
        "metaspace": subword_characters.metaspace("first", True)(0, 300)[0],
    }
    return {name: json.loads(tokenizer.to_str()) for name, tokenizer in found.items()}


@cache
def steps() -> dict[str, list[Any]]:
    bytes_, meta, suffix = p.ByteLevel(add_prefix_space=False), p.Metaspace(), d.BPEDecoder("a")
    fallback, fuse, strip, replace = d.ByteFallback(), d.Fuse(), d.Strip(" ", 1, 0), d.Replace(BLANK, " ")
    rules = base64.b64encode(subword_unigram.charsmap()).decode()
    normalizers = [
        *(
            n.BertNormalizer(),
            n.NFC(),
            n.NFD(),
            n.NFKC(),
            n.NFKD(),
            n.Lowercase(),
            n.Strip(),
            n.StripAccents(),
            n.Nmt(),
        ),
        *(
            n.Prepend(BLANK),
            n.Prepend("x"),
            n.Replace(" ", BLANK),
            n.Replace("a", ""),
            n.Replace(Regex(" {2,}"), BLANK),
        ),
        *(n.ByteLevel(), n.Sequence([n.Prepend(BLANK), n.Replace(" ", BLANK)])),
    ]
    splits = [
        *(bytes_, p.ByteLevel(), p.ByteLevel(use_regex=False), p.Whitespace(), p.WhitespaceSplit()),
        *(p.BertPreTokenizer(), meta, p.Metaspace(BLANK, "first"), p.Metaspace(BLANK, "never", False)),
        *(p.Punctuation(), p.Digits(True), p.CharDelimiterSplit(" "), p.Split(" ", "merged_with_next")),
        *(p.UnicodeScripts(), p.FixedLength(3), p.Sequence([p.Whitespace(), bytes_]), p.Sequence([meta, bytes_])),
        *(p.Sequence([bytes_, meta]), p.Sequence([p.WhitespaceSplit(), meta]), p.Sequence([bytes_, bytes_])),
    ]  # fmt: skip
    decoders = [
        *(d.ByteLevel(), d.Metaspace(), d.Metaspace(BLANK, "never"), suffix, d.WordPiece(), d.WordPiece("##", False)),
        *(fallback, fuse, strip, d.Strip(" ", 0, 1), replace, d.CTC()),
        *map(d.Sequence, ([replace, fallback, fuse, strip], [suffix, d.Metaspace()], [d.Metaspace(), suffix])),
        *map(d.Sequence, ([suffix, strip], [d.ByteLevel(), strip], [replace, d.ByteLevel()], [fallback, fallback])),
        *map(d.Sequence, ([fuse, replace], [fuse, strip, strip], [d.WordPiece(), replace], [])),
    ]  # fmt: skip
    return {
        "normalizer": [None, *map(state, normalizers), {"type": "Precompiled", "precompiled_charsmap": rules}],
        "pre_tokenizer": [None, *map(state, splits)],
        "decoder": [None, *map(state, decoders)],
    }


def outcome(file: Json, texts: list[str] = TEXTS) -> str:
    """ "same", "refused", "read" if `tokenizers` refuses the file and this library does not, or what differs."""
    text = json.dumps(file)
    try:
        original = Tokenizer.from_str(text)
    except BaseException:  # a panic of Rust is not an Exception
        original = None
    try:
        tokenizer = SubwordTokenizer.from_file(text)
    except ValueError as error:
        message = str(error)
        assert message.startswith(f"{OP}: expected ") or "not supported:" in message
        return "refused"
    if original is None:
        return "read"
    original.no_truncation()
    original.no_padding()
    for special in (False, True):
        try:
            want = [encoding.ids for encoding in original.encode_batch(texts, add_special_tokens=special)]
        except Exception:  # a Unigram model without an unknown token
            with pytest.raises(ValueError, match="has a character that is not a piece"):
                tokenizer.encode(texts, add_special_tokens=special)
            return "same"
        ids, row_splits = tokenizer.encode(texts, add_special_tokens=special)
        for text, row, found in zip(texts, want, ids.split(row_splits.diff().tolist()), strict=True):
            if found.tolist() != row:
                return f"{found.tolist()} instead of {row} for {text!a}"
    rows = [row for row in want if row] + [[id] for id in range(original.get_vocab_size())]
    for row, text in zip(rows, original.decode_batch(rows), strict=True):
        if (decoded := tokenizer.decode_ids(row)) != text:
            return f"{decoded!a} instead of {text!a} for {row}"
    return "same"


@pytest.mark.parametrize("name", NAMES)
def test_each_step_with_each_model(name: str):
    same = 0
    for part, choices in steps().items():
        for step in choices:
            found = outcome(files()[name] | {part: step})
            assert found in ("same", "refused"), (part, step)
            same += found == "same"
            if part == "pre_tokenizer" and "ByteLevel" in json.dumps(step) and name in ("wordpiece", "unigram"):
                assert found == "refused", step  # their words would be the alphabet of bytes
    assert same > 40


def members(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of a file, but for those in vocabularies."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    for name, item in items:
        yield (*path, name)
        if name not in ("vocab", "merges"):
            yield from members(item, (*path, name))


def changed(file: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """A file with a change of one member."""
    found = copy.copy(file)
    if len(path) == 1:
        change(found, path[0])
    else:
        found[path[0]] = changed(found[path[0]], path[1:], change)
    return found


def drop(holder: Any, name: Any) -> None:
    del holder[name]


def setting(value: Any) -> Callable[[Any, Any], None]:
    return lambda holder, name: holder.__setitem__(name, value)


@pytest.mark.parametrize("name", NAMES)
def test_each_field_left_out_or_null(name: str):
    # Templates without a text, a token of a template that has no ids, for which `tokenizers` fails in every call, and
    # steps of a decoder in another order.
    known = {
        *(
            ("post_processor", "single", 1),
            ("post_processor", "pair", 1),
            ("post_processor", "special_tokens", "<s>"),
        ),
        ("decoder", "decoders", 2),
    }
    file = files()[name]
    for path in members(file):
        for change in (drop, setting(None)):
            other = changed(file, path, change)
            found = outcome(other, TEXTS[:12])
            assert found in ("same", "refused", "read"), path
            if found == "refused" and path not in known:
                with pytest.raises(BaseException, match=r"."):
                    Tokenizer.from_str(json.dumps(other))


def test_a_template_with_a_token_that_it_does_not_list():
    """`tokenizers` reads the file, and panics in each call that adds special tokens."""
    special = {"SpecialToken": {"id": "<x>", "type_id": 0}}
    a, b = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    step = {"type": "TemplateProcessing", "single": [special, a], "pair": [a, b], "special_tokens": {}}
    file = json.dumps(files()[NAMES[0]] | {"post_processor": step})
    with pytest.raises(BaseException, match="no entry found for key"):
        Tokenizer.from_str(file).encode("a")
    with pytest.raises(ValueError, match='a token that `special_tokens` does not list "<x>"'):
        SubwordTokenizer.from_file(file)


def test_an_added_token_of_which_the_normalizer_leaves_nothing():
    """It is never found."""
    original = Tokenizer(m.BPE({"a": 0, "x": 1, " ": 2, "b": 3}, []))
    original.normalizer = n.Replace("x", "")
    original.add_tokens([AddedToken(content, normalized=True) for content in ("xx", "ab")])
    ours = SubwordTokenizer.from_file(original.to_str())
    for text in ("axb", "a b", "xx", "ab", "baxxbab", ""):
        assert ours.encode_text(text) == original.encode(text).ids


@pytest.mark.filterwarnings("ignore:.*the file has defaults")
def test_damaged_files():
    values: list[Any] = [
        None, 5, -1, 2**70, 0.5, "", "x", "\ud800", [], {}, [1], ["a"], [None], {"a": 1}, True,
    ]  # fmt: skip
    values += [{"type": "Sequence"}, {"type": 5}, [[]], [{}], {"String": 5}, {"Regex": "("}]
    rng = random.Random(0)
    found = []
    for _ in range(400):
        file: Any = rng.choice(list(files().values()))
        part = rng.choice(list(steps()))
        file = file | ({part: rng.choice(steps()[part])} if rng.random() < 0.3 else {})
        path = rng.choice(list(members(file)))
        file = changed(file, path, drop if rng.random() < 0.3 else setting(rng.choice(values)))
        try:
            SubwordTokenizer.from_file(json.dumps(file))
        except ValueError as error:
            message = str(error)
            found.append(message)
            assert message.startswith(f"{OP}: expected ") or "not supported:" in message, path
    assert 100 < len(found) < 400


def test_errors_name_the_place():
    model = {"type": "BPE", "vocab": {}, "merges": []}
    pieces = {"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "Metaspace"}]}
    for parts, place in [
        ({"normalizer": 5}, "`normalizer` to be as the original library writes it, got int"),
        ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, "x"]}}, r"`normalizer.normalizers\[1\]`"),
        ({"pre_tokenizer": pieces}, r"`pre_tokenizer.pretokenizers\[1\].replacement` .*, got NoneType"),
        ({"added_tokens": [{"content": ["a"]}]}, r"`added_tokens\[0\].content` .*, got list"),
        ({"post_processor": {"type": "BertProcessing", "sep": ["a"], "cls": ["b"]}}, "`post_processor.sep`"),
        ({"padding": {"é": 1}}, "`padding.pad_id`"),
    ]:
        with pytest.raises(ValueError, match=f"^{OP}: expected {place}"):
            SubwordTokenizer.from_file(json.dumps({"model": model} | parts))
    with pytest.raises(ValueError, match=f"^{OP}: expected JSON: maximum recursion depth"):
        SubwordTokenizer.from_file('{"model":' + "[" * 100_000)


def test_added_tokens_of_normalized_text():
    """Where the table writes spaces for the character that stands for them: in `<m> b`, rstrip leaves that character."""
    choices = [
        *((step, None) for step in (n.Replace(" ", BLANK), n.Sequence([n.Prepend(BLANK), n.Replace(" ", BLANK)]))),
        *((n.Prepend(BLANK), p.Metaspace(BLANK, scheme)) for scheme in ("always", "first", "never")),
        # Those that drop the first character, after which "first" puts nothing before a piece.
        *((step, p.Metaspace(BLANK, "first")) for step in (n.Strip(), n.Replace("a", ""), n.Nmt(), n.BertNormalizer())),
    ]
    for name in ("characters", "unigram"):
        for normalizer, split in choices:
            for flags in ({}, {"rstrip": True}, {"lstrip": True}, {"single_word": True}):
                file = files()[name] | {"normalizer": state(normalizer), "pre_tokenizer": split and state(split)}
                assert outcome(file) == "same"
                original = Tokenizer.from_str(json.dumps(file))
                original.add_tokens([AddedToken(token, normalized=True, **flags) for token in ("<m>", f"{BLANK}a")])
                assert outcome(json.loads(original.to_str())) == "same", (name, normalizer, split, flags)


def test_a_byte_level_decoder_after_characters():
    stream = DecodeStream(SubwordTokenizer.from_file(json.dumps(files()["bytes"] | {"pre_tokenizer": None})))
    ids = [files()["bytes"]["model"]["vocab"][character] for character in ("Ã", "©")]
    assert [stream.step(id) for id in ids] == ["", "é"]
