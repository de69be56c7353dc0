"""Small tokenizers that need no other library: their tables, and for each table its oracle."""

import struct
from typing import Any

import torch
from reference.subword import Subword
from reference.subword_sentencepiece import SentencePiece
from torch import Tensor

import torch_stringops  # noqa: F401
from support.strings import compact
from support.subword_charsmap import CHARSMAP

# Each merge makes a token: of "t" and "o" the token "to".
MERGES = [
    (b"t", b"o"), (b"b", b"e"), (b" ", b"be"), (b" ", b"to"), (b"a", b"b"), (b"ab", b"ab"), (b"abab", b"abab"),
    (b"l", b"l"), (b"'", b"s"), (b"\xc3", b"\xa9"), (b"\xe6", b"\x97"), (b"\xe6\x97", b"\xa5"), (b"w", b"o"),
    (b"r", b"d"), (b"wo", b"rd"), (b" ", b" "), (b"  ", b"  "), (b"\n", b"\n"), (b"1", b"2"), (b":", b":"),
    (b"\x00", b"\x00"),
]  # fmt: skip

# The unknown token first. Text that is not valid UTF-8 has characters of one byte.
WORD_PIECES = [
    *(b"[UNK]", b"to", b"be", b"##be", b"a", b"##a", b"##b", b"ab", b"word", b"##s", b"x", b"##x", b"##xx", b"."),
    *(b"'", b",", b":", b"1", b"##2", b"e", b"##e", b"t", b"##o", "日".encode(), "é".encode(), b"\xff", b"##\xff"),
]  # fmt: skip

SPACE = "\u2581".encode()

# The unknown token first; the bytes of unknown characters, some of which are missing, after these.
SCORED_PIECES = [
    b"<unk>",
    *(piece.replace(b" ", SPACE) for piece in (b" ", b"a", b"b", b"to", b"xx", b"it", b" t", b" to", b"ab", b"abab")),
    *(
        piece.replace(b" ", SPACE)
        for piece in (b"o", b"e", b" be", b"t", b"x", b"'s", b"ord", b"w", b" w", b"1", b"12")
    ),
    *("é".encode(), "日".encode(), "日本".encode(), b"."),
]
_BYTES = len(SCORED_PIECES)
SCORED = [
    "unk 0",
    f"unk_score {struct.pack('>d', -25.0).hex()}",
    "byte_ids " + " ".join(str(_BYTES + byte if byte < 0xF0 else -1) for byte in range(256)),
]


def _scored(name: str) -> tuple[list[bytes], list[tuple[int, ...]]]:
    """Pieces, and rows of scores; those of single precision for SentencePiece."""
    names = [b"<0x%02X>" % byte if name == "unigram" else b"" for byte in range(0xF0)]
    pieces = [*SCORED_PIECES, *names]
    if name != "unigram":
        pieces[0] = b""
    scores = [-2.5 - 0.5 * (id % 7) - 0.25 * len(piece) for id, piece in enumerate(pieces)]
    return pieces, [(id, *struct.unpack(">ii", struct.pack(">d", score))) for id, score in enumerate(scores)]


HEADER = ["subword 1", "model bpe", "bytes 1"]
PLAIN = ["merges listed", "whole 0", "unk -1"]


def of(directives: str) -> list[str]:
    return directives.split("; ")


# Directives after the header. Ids of tokens end before 300.
SPECS = {
    "gpt2": [*PLAIN, *of("split gpt2; decode bytelevel")],
    "llama3": of(
        "merges listed; whole 1; unk -1; split llama3 digits=3 marks=0 newline_tail=1 contractions=2 end=hf; "
        f"added 300 1 {b'<s>'.hex()}; added 301 0 {b'</s>'.hex()}; added_match longest; "
        "template_single 300 A 301; template_pair 300:0 A:0 301:0 B:1 301:2; decode bytelevel; "
        f"text 301 {b'end'.hex()}"
    ),
    "o200k": [*PLAIN, *of("split o200k digits=3 contractions=1 slash=1; decode bytelevel")],
    "deepseek": [*PLAIN, *of("split deepseek; decode bytelevel")],
    "ranks": of(
        "merges ranks; whole 1; unk -1; "
        "split llama3 digits=3 marks=0 newline_tail=1 contractions=2 end=tiktoken; decode bytelevel"
    ),
    "steps": [
        *PLAIN,
        *of(
            f"normalize nfc; split digits each=1; prefix_space 1; split gpt2; added 300 17 {b'to be'.hex()}; "
            f"added 301 6 {b'word'.hex()}; added 302 8 {b'::'.hex()}; added 303 0 {b'::-'.hex()}; "
            "added_match longest; decode bytelevel"
        ),
    ],
    "wordpiece": of(
        f"model wordpiece 2323 20; unk 0; normalize bert 1 1 1 1; split bert; added 300 1 {b'<s>'.hex()}; "
        f"added 301 16 {'NÉW'.encode().hex()}; added_match longest; template_single 300 A 300; "
        "decode wordpiece 2323 1"
    ),
    "characters": of(
        "bytes 0; merges listed; whole 0; unk 255; byte_fallback 1; fuse_unk 1; normalize prepend e29681; "
        f"normalize replace 20 e29681; added 300 1 {b'<s>'.hex()}; added_match longest; "
        "template_single 300 A; decode replace e29681 20; decode byte_fallback; decode fuse_strip 20 1"
    ),
    "metaspace": of(
        "bytes 0; unk -1; byte_fallback 1; normalize strip 0 1; normalize lower; "
        f"split metaspace e29681 first 1; added 300 16 {b'be'.hex()}; added_match longest; "
        "decode metaspace e29681 1"
    ),
    "decomposed": of(
        "bytes 0; unk 2; byte_fallback 1; normalize nmt; normalize nfkd; normalize strip_accents; "
        f"normalize nfkc; normalize nfd; added 300 16 {'é'.encode().hex()}; decode byte_fallback"
    ),
    "crossing": of(
        "bytes 0; unk 2; normalize runs blank 2 20; split metaspace e29681 always 0; "
        "split literal 656e merged_with_next 1; decode strip 61 1; decode join 20"
    ),
    "no split": [*PLAIN, *of("decode bytelevel")],
    "patterns": [
        *PLAIN,
        *of(
            f"split pattern {rb'[a-z]+(?![:.])|(?m:^)[ 0-9]{1,3}?'.hex()} merged_with_next 0; "
            f"split pattern {rb'ab|a|[^a-b]+'.hex()} removed 1; split punctuation merged_with_previous; "
            "decode bytelevel"
        ),
    ],
    "warm": [
        *PLAIN,
        *of("prefix_space 1; split gpt2; decode bytelevel"),
        "warm " + " ".join(text.hex() for text in (b"abc", b"word  be's", b"\xff\xe6 xx", b"a" * 40, b"12:: ::to")),
    ],
    "words": [*PLAIN, *of("split words; split punctuation contiguous; split fixed 3; decode bytelevel")],
    "unigram": [
        "model unigram huggingface",
        *SCORED,
        *of(
            f"charsmap {CHARSMAP.hex()}; normalize precompiled; split whitespace; "
            f"split metaspace {SPACE.hex()} always 1; added 300 1 {b'<s>'.hex()}; added_match longest; "
            f"template_single 300 A; decode metaspace {SPACE.hex()} 1"
        ),
    ],
    "sentencepiece unigram": [
        "model unigram sentencepiece",
        *SCORED,
        *of(
            f"frozen 5; charsmap {CHARSMAP.hex()}; normalize sentencepiece 1 1 1 0; "
            f"added 300 1 -; template_single 300 A; name 300 {b'<s>'.hex()}; decode sentencepiece 2"
        ),
    ],
    "sentencepiece bpe": [
        "model sentencepiece_bpe",
        *SCORED,
        *of(
            f"frozen 5 6; unused 8 9; charsmap {CHARSMAP.hex()}; "
            "normalize sentencepiece 1 0 1 0; decode sentencepiece 1"
        ),
    ],
}


# Models of characters, and merges of theirs.
CHARACTERS: dict[str, list[tuple[bytes, bytes]]] = {
    "characters": [],
    "metaspace": [],
    "decomposed": [],
    "crossing": [(b"o", b"\xe2\x96\x81"), (b"<0xC3>", b"<0xA9>")],
}


def characters(name: str) -> tuple[list[bytes], list[tuple[int, ...]], str]:
    blank = "\u2581".encode()
    pieces = [b"<0xC3>", b"<0xA9>"] if name == "crossing" else [b"<0x%02X>" % byte for byte in range(256)]
    pieces += [
        b"?", blank, *(bytes([byte]) for byte in range(0x61, 0x7B)), b"'", b":", b"1", b"2", "日".encode(),
    ]  # fmt: skip
    ids = {piece: id for id, piece in enumerate(pieces)}
    numbers = []
    known = [(left.replace(b" ", blank), right.replace(b" ", blank)) for left, right in MERGES]
    for left, right in [*known, *CHARACTERS[name]]:
        if left in ids and right in ids:
            ids.setdefault(left + right, len(pieces))
            if ids[left + right] == len(pieces):
                pieces.append(left + right)
            numbers.append((ids[left], ids[right], ids[left + right]))
    return pieces, numbers, "\n".join(["subword 1", "model bpe", *SPECS[name]]) + "\n"


def definition(name: str) -> tuple[list[bytes], list[tuple[int, ...]], str]:
    """Pieces, numbers and spec, the arguments of subword_build."""
    if "unk_score" in str(SPECS[name]):
        return *_scored(name), "\n".join(["subword 1", *SPECS[name]]) + "\n"
    if name == "wordpiece":
        return list(WORD_PIECES), [], "\n".join(["subword 1", *SPECS[name]]) + "\n"
    if name in CHARACTERS:
        return characters(name)
    pieces = [bytes([byte]) for byte in range(256)]
    ids = {piece: id for id, piece in enumerate(pieces)}
    numbers = []
    for left, right in MERGES:
        ids[left + right] = len(pieces)
        pieces.append(left + right)
        numbers.append((ids[left], ids[right], ids[left + right]))
    spec = "\n".join([*HEADER, *SPECS[name]]) + "\n"
    return pieces, [] if "merges ranks" in spec else numbers, spec


def _build(name: str) -> tuple[Tensor, Any]:
    pieces, numbers, spec = definition(name)
    rows = torch.tensor(numbers, dtype=torch.int64).reshape(-1, 3)
    oracle = SentencePiece if "sentencepiece" in name else Subword
    return torch.ops.stringops.subword_build(*compact(pieces), rows, spec), oracle(pieces, numbers, spec)


_TABLES = {name: _build(name) for name in SPECS}
TABLES = {name: table for name, (table, _) in _TABLES.items()}
_ORACLES = {table.numpy().tobytes(): oracle for table, oracle in _TABLES.values()}


def oracle_of(table: Any) -> Any:
    """The oracle of one of TABLES."""
    return _ORACLES[table.numpy().tobytes()]


def scored(model: str, pieces: list[str], scores: list[float], *directives: str) -> tuple[Tensor, Any]:
    """A table of pieces with scores, the unknown one first, and its oracle."""
    numbers = [(id, *struct.unpack(">ii", struct.pack(">d", score))) for id, score in enumerate(scores)]
    unknown = f"unk_score {struct.pack('>d', min(scores) - 10.0).hex()}"
    spec = "\n".join(["subword 1", f"model {model}", "unk 0", unknown, *directives, ""])
    encoded = [piece.encode() for piece in pieces]
    table = torch.ops.stringops.subword_build(*compact(encoded), torch.tensor(numbers, dtype=torch.int64), spec)
    return table, (Subword if "huggingface" in model else SentencePiece)(encoded, numbers, spec)


def check_ids(table: Tensor, oracle: Any, texts: list[str], spans: bool = False) -> None:
    strings = compact([text.encode() for text in texts])
    wanted = [oracle.encode_one(text.encode(), False, -1) for text in texts]
    ids, splits = torch.ops.stringops.subword_encode(*strings, table)
    got = [row.tolist() for row in torch.tensor_split(ids, splits[1:-1])]
    for text, row, want in zip(texts, got, wanted, strict=True):
        assert row == [id for id, _ in want], ascii(text)[:200]
    if spans:
        _, _, begins, ends = torch.ops.stringops.subword_encode_spans(*strings, table)
        found = list(zip(begins.tolist(), ends.tolist(), strict=True))
        assert found == [span for row in wanted for _, span in row]
