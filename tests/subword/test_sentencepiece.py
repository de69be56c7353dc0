"""Readers of Unigram models and of models of SentencePiece: what they accept, and how they reject the rest."""

import base64
import random
import re
import struct
from pathlib import Path
from typing import Any

import pytest
import torch
from support.cases import each
from support.subword_charsmap import CHARSMAP, charsmap

from torch_stringops import SubwordTokenizer, _convert  # type: ignore[attr-defined]
from torch_stringops.subword._protobuf import fields
from torch_stringops.subword._sentencepiece import _malformed_pieces, _read_pieces, parse_model

SPACE = "\u2581"


def field(number: int, value: "int | float | bytes | str") -> bytes:
    if isinstance(value, float):
        return bytes([number << 3 | 5]) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value & (2**64 - 1))
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def varint(value: int) -> bytes:
    found = b""
    while value >= 0x80:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def piece(text: str, score: float, kind: int = 1) -> bytes:
    return field(1, field(1, text) + field(2, float(score)) + field(3, kind))


PIECES = [
    piece("<unk>", 0, 2), piece("<s>", 0, 3), piece("</s>", 0, 3), piece(SPACE, -2), piece("to", -2.5),
    piece(SPACE + "to", -3), piece("be", -3), piece("<x>", 0, 4),
]  # fmt: skip
MODEL = b"".join(PIECES)


def rows(tokenizer: SubwordTokenizer, texts: list[str], **options: Any) -> list[list[int]]:
    ids, splits = tokenizer.encode(texts, **options)
    return [row.tolist() for row in torch.tensor_split(ids, splits[1:-1])]


@pytest.mark.parametrize("kind", [1, 2])
def test_a_model(kind: int, tmp_path: Path):
    path = tmp_path / "x.model"
    path.write_bytes(MODEL + field(2, field(3, kind) + field(43, -1)) + field(3, field(2, CHARSMAP)))
    t = SubwordTokenizer.from_sentencepiece(path, add_bos=True, add_eos=True, pad_token="</s>")
    assert rows(t, ["to  be", "<x>Tobe?", "", " ", "<s>"]) == [[5, 3, 6], [3, 7, 4, 6, 0], [], [], [3, 0]]
    assert rows(t, ["to"], add_special_tokens=True) == [[1, 5, 2]]
    assert t.decode([1, 5, 3, 6, 0, 2]).item() == "to be \u2047 "
    assert t.special_ids == [1, 2]
    assert (t.token_to_id("<s>"), t.token_to_id(SPACE + "to"), t.token_to_id("<unk>")) == (1, 5, 0)
    assert (t.id_to_token(7), t.pad_id, len(t)) == ("<x>", 2, 8)
    other = SubwordTokenizer.from_sentencepiece(path)
    other.load_state_dict(t.state_dict())
    assert rows(other, ["to"], add_special_tokens=True) == [[1, 5, 2]]


def test_byte_fallback():
    names = b"".join(piece(f"<0x{byte:02X}>", 0, 6) for byte in range(256))
    t = SubwordTokenizer.from_sentencepiece(MODEL + names + field(2, field(35, 1)))
    assert rows(t, ["é"]) == [[3, 8 + 0xC3, 8 + 0xA9]]
    assert t.decode([8 + 0xC3, 8 + 0xA9, 8 + 0xC3, 4]).item() == "é\ufffdto"
    assert t.id_to_token(8) == "<0x00>"


def test_sums_of_long_texts():
    """SentencePiece subtracts sums beyond 100,000, so that the ids after it are those of nearly equal sums again."""
    sentencepiece = pytest.importorskip("sentencepiece")
    rng = random.Random(0)
    six = {"a": -10, "bc": -10.0005, "ab": -10, "c": -10, "b": -50}
    cases = [(six, 0, ["abc" * 5010, "abc" * 50_100])]
    for scale in (0.01, 1, 10, 10, 100, 1000):
        pieces = {c: -scale * rng.choice([1, 2, 1.0005, 5]) for c in "abcd" + SPACE}
        for _ in range(30):
            text = rng.choice(["", SPACE, SPACE * 2]) + "".join(rng.choices("abcd", k=rng.randint(2, 5)))
            pieces[text] = -scale * rng.choice([-1, 1, 1, 1.00005, 1.0005, 2, 2.0005, 2.00003])
        words = ["".join(rng.choices("abcdé", k=rng.randint(1, 12))) for _ in range(100)]
        texts = [by.join(rng.choices(words, k=20_000)) for by in (" ", "")]
        cases.append((pieces, 1, [*texts, texts[0][:1000]]))
    for pieces, prefix, texts in cases:
        data = b"".join([PIECES[0], *(piece(text, score) for text, score in pieces.items())])
        data += field(3, field(3, prefix) + field(4, 0))
        want = sentencepiece.SentencePieceProcessor(model_proto=data).encode(texts)
        t = SubwordTokenizer.from_sentencepiece(data)
        assert rows(t, texts) == want, pieces
        assert [rows(t, [text])[0] for text in texts] == want, pieces
        ids, splits, *_ = t.encode_spans(texts)
        assert [row.tolist() for row in torch.tensor_split(ids, splits[1:-1])] == want, pieces


@each(("data", "text"), [
    (MODEL[:-1], "one that is cut off"),
    (MODEL + b"\x80", "a number in it that is cut off or too long"),
    (MODEL + b"\x80" * 11, "a number in it that is cut off or too long"),
    (MODEL + b"\x0b", "a field of kind 3"), (MODEL + field(1, 1), "a number in place of a message"),
    (MODEL + field(2, field(3, b"")), "bytes in place of a number"),
    (MODEL + field(1, field(2, b"\0\0")), "scores of four bytes, got 2"),
    (b"", "one unknown piece, got 0"), (MODEL + PIECES[0], "one unknown piece, got 2"),
    (MODEL + piece("", 0), "an empty one of id 8"),
    (MODEL + piece("x", float("inf")), "finite scores, got inf of id 8"),
    (MODEL + field(2, field(35, 1)), "all 256 bytes, got 0"),
])  # fmt: skip
def test_malformed_models(data: bytes, text: str):
    with pytest.raises(ValueError, match=f"SubwordTokenizer.from_sentencepiece: expected .*{text}"):
        SubwordTokenizer.from_sentencepiece(data)


def test_equal_pieces_are_found_when_the_table_is_built():
    with pytest.raises(ValueError, match="expected distinct tokens, got equal ones at positions 3 and 8"):
        SubwordTokenizer.from_sentencepiece(MODEL + PIECES[3])


def test_unsupported_parts_are_named_at_once():
    data = MODEL + piece("y", 0, 9) + field(2, field(3, 3)) + field(3, field(2, b"\xff" * 9))
    with pytest.raises(ValueError, match="4 part") as error:
        SubwordTokenizer.from_sentencepiece(data + field(5, field(2, b"x")))
    for name in ('model_type "word"', "types of pieces [9]", "precompiled_charsmap", "denormalizer_spec"):
        assert name in str(error.value)


def test_other_errors():
    with pytest.raises(TypeError, match="to be the path of a file or bytes, got 'int'"):
        SubwordTokenizer.from_sentencepiece(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a model with an id of bos, got -1"):
        SubwordTokenizer.from_sentencepiece(MODEL + field(2, field(41, -1)), add_bos=True)


def unigram(**parts: Any) -> dict[str, Any]:
    vocab = [["<unk>", 0.0], [SPACE, -2.0], ["to", -2.5], [SPACE + "to", -3.0], ["ab", -50.0]]
    model = {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False}
    rules = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(CHARSMAP).decode()}
    return {
        "model": model | parts.pop("model", {}),
        "normalizer": rules | parts.pop("rules", {}),
        "pre_tokenizer": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always"},
        "decoder": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always"},
    }


def read(file: dict[str, Any]) -> SubwordTokenizer:
    import json

    return SubwordTokenizer.from_file(json.dumps(file))


def test_a_unigram_file():
    t = read(unigram())
    assert rows(t, ["To to", "abab", "xyab"]) == [[3, 3], [1, 4, 4], [1, 0, 4]]
    assert t.token_to_id(SPACE + "to") == 3
    assert read(unigram(rules={"precompiled_charsmap": ""})).encode(["X"])[0].tolist() == [1, 0]


def test_a_run_of_unknown_characters_may_be_a_piece():
    # The two characters have a greater sum than the piece.
    t = read(unigram(model={"vocab": [["<unk>", 30.0], [SPACE, 30.0], ["ab", 30.0]]}))
    assert rows(t, ["ab", "abc"]) == [[1, 2], [1, 0]]


def test_a_model_without_an_unknown_token():
    """As in `tokenizers`, a character that is not a piece is an error, unless a piece that ends with it is better."""
    tokenizers = pytest.importorskip("tokenizers")
    rng = random.Random(5)
    failed = served = 0
    for trial in range(40):
        letters = [*rng.sample("abcé", 3), SPACE, *(f"<0x{byte:02X}>" for byte in b"abc\xc3\xa9")]
        pieces = {"".join(rng.choices(f"abcé{SPACE}", k=rng.randint(2, 4))) for _ in range(8)}
        vocab = [(piece, -float(rng.randint(1, 30))) for piece in [*letters, *sorted(pieces)]]
        theirs = tokenizers.Tokenizer(tokenizers.models.Unigram(vocab, None, trial % 2 == 0))
        if trial % 3:
            theirs.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(split=trial % 3 == 1)
        ours = SubwordTokenizer.from_file(theirs.to_str())
        texts = ["".join(rng.choices("aabbccé ", k=rng.randint(0, 9))) for _ in range(40)]
        wants = []
        for text in texts:
            try:
                wants.append(theirs.encode(text).ids)
            except Exception:  # tokenizers has no class of its own
                wants.append(None)
        for text, want in zip(texts, wants, strict=True):
            if want is not None:
                assert ours.encode_text(text) == ours.encode_spans([text])[0].tolist() == want
                continue
            with pytest.raises(ValueError, match=r"^SubwordTokenizer.encode_text: a character is not"):
                ours.encode_text(text)
        assert rows(ours, [text for text, want in zip(texts, wants, strict=True) if want is not None]) == [
            want for want in wants if want is not None
        ]
        failed, served = failed + wants.count(None), served + len(wants) - wants.count(None)
        if None in wants:
            first = f"row {wants.index(None)} has a character that is not a piece"
            for encode in (ours.encode, ours.encode_spans):
                with pytest.raises(ValueError, match=rf"^SubwordTokenizer.{encode.__name__}: {first}"):
                    encode(texts)
        ours.warm([text for text, want in zip(texts, wants, strict=True) if want is not None])
    assert failed > 200
    assert served > 200


@pytest.mark.parametrize(("file", "text"), [
    (unigram(model={"unk_id": 5}), r"`unk_id` within \[0, 5\), got 5"),
    (unigram(model={"vocab": [["a", 0.0], ["a", 0.0]]}), "distinct pieces"),
    (unigram(model={"vocab": [["a", float("inf")]]}), "finite scores"),
    (unigram(model={"alpha": 0.1}), "field 'alpha' 0.1"),
    (unigram(rules={"precompiled_charsmap": "?"}), "not base64"),
    (unigram(rules={"precompiled_charsmap": "////"}), "malformed"),
    (unigram(rules={"precompiled_charsmap": base64.b64encode(charsmap({b"a": b"b" * 97})).decode()}), "malformed"),
])  # fmt: skip
def test_other_unigram_files(file: dict[str, Any], text: str):
    with pytest.raises(ValueError, match=text):
        read(file)


def random_field(rng: random.Random) -> bytes:
    number = rng.choice([1, 1, 1, 2, 3, 3, 16, 2**40])
    kind = rng.choice([0, 0, 1, 2, 2, 2, 5, 5, rng.randrange(8)])
    raw = rng.randbytes(rng.randrange(5))
    values = {
        0: varint(rng.choice([0, 1, 6, 2**31, 2**32 + 5, 2**64 - 1])),
        1: rng.randbytes(8),
        2: varint(len(raw)) + raw,
        5: rng.randbytes(4),
    }
    return varint(number << 3 | kind) + values.get(kind, b"")


def random_model(rng: random.Random) -> bytes:
    """Pieces with fields in any order, repeated and of any kind, and a few other fields."""
    parts = []
    for _ in range(rng.randrange(6)):
        text = field(1, rng.randbytes(rng.choice([0, 3, 200])))
        usual = [text, field(2, rng.random()), field(3, rng.choice([1, 6, 7, -1, 2**33]))]
        inner = rng.sample(usual, rng.randrange(4)) + [random_field(rng)] * (rng.random() < 0.2)
        parts.append(field(1, b"".join(inner)))
    parts += [random_field(rng) for _ in range(rng.choice([0, 0, 1]))] + [field(2, field(3, 1))]
    rng.shuffle(parts)
    raw = bytearray(b"".join(parts))
    for _ in range(rng.choice([0, 0, 1, 2])):
        raw[rng.randrange(len(raw))] = rng.choice([0, 8, 10, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    return bytes(raw[: rng.randrange(len(raw))] if rng.random() < 0.1 else raw)


def test_native_pieces_are_those_of_the_reader_in_python():
    rng, natives, errors = random.Random(3), 0, 0
    for _ in range(5000):
        data = random_model(rng)
        want: Any = None
        try:
            want = _malformed_pieces("op", data)
        except ValueError as error:
            text = str(error)
        if want is None:
            errors += 1
            assert _convert.sentencepiece_pieces(data) is None
            with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
                parse_model("op", data)
            continue
        natives += _convert.sentencepiece_pieces(data) is not None
        got, rest = _read_pieces("op", data)
        assert got.texts.tolist(as_bytes=True) == want.texts.tolist(as_bytes=True)
        assert got.scores.tolist() == pytest.approx(want.scores.tolist(), rel=0, abs=0, nan_ok=True)
        assert got.kinds.tolist() == want.kinds.tolist()
        others = [pair for pair in fields("op", data) if pair[0] != 1]
        assert [pair for pair in fields("op", rest) if pair[0] != 1] == others
    assert natives > 2000
    assert errors > 500


def test_a_number_of_more_than_64_bits_is_read_in_python():
    last = b"\xff" * 9 + b"\x7f"  # 70 bits
    data = field(1, field(1, "to") + b"\x18" + last)
    assert _convert.sentencepiece_pieces(data) is None
    assert _read_pieces("op", data)[0].kinds.tolist() == [-1]
