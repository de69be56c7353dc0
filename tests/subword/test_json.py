"""The native reader of tokenizers' JSON against Python's json, on random and damaged documents."""

import base64
import json
import random
from math import inf
from typing import Any

import pytest
import torch

from torch_stringops import StringTensor, _convert
from torch_stringops.subword._json import (
    JsonValue,
    of_base64,
    parse_json,
    read_merges,
    read_pieces,
    read_tokens,
    read_vocabulary,
)
from torch_stringops.subword._tiktoken import read_rank_lines
from torch_stringops.subword._tokens import Tokens

OP = "SubwordTokenizer.from_file"
CHARACTERS = [
    "a", "Ġ", "é", "\u4e2d", "\U0001f600", "\ud83d", "\ude00", '"', "\\", "/", "\n", "\0", "\x7f", "{", "]", ",",
]  # fmt: skip


def text(rng: random.Random) -> str:
    return "".join(rng.choice(CHARACTERS) for _ in range(rng.randrange(5)))


def number(rng: random.Random) -> Any:
    return rng.choice([rng.randrange(-5, 300), 2**70, -(2**64), 0.5, -1e30, 1e-7, True, None, "1", -0.0])


def vocab(rng: random.Random) -> Any:
    kind = rng.randrange(10)
    if kind < 5:
        return {text(rng): number(rng) if rng.random() < 0.05 else rng.randrange(300) for _ in range(rng.randrange(6))}
    if kind < 9:
        return [[text(rng), number(rng)][: 1 + (rng.random() < 0.9)] for _ in range(rng.randrange(6))]
    return number(rng)


def merges(rng: random.Random) -> Any:
    pairs = [[text(rng) for _ in range(2 + (rng.random() < 0.05))] for _ in range(rng.randrange(6))]
    return [" ".join(pair) if rng.random() < 0.5 else pair for pair in pairs]


def document(rng: random.Random) -> str:
    model = {"type": "BPE", "vocab": vocab(rng), "more": [{}, text(rng)], "merges": merges(rng)}
    found = {"version": text(rng), "model": model, "vocab": vocab(rng), "last": None}
    written = json.dumps(found, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 0, "\t"]))
    return written.replace(" ", rng.choice([" ", "\n\t", "\r "])) if rng.random() < 0.2 else written


def damaged(rng: random.Random, data: bytes) -> bytes:
    """The bytes, of which some are changed, left out or written twice."""
    changed = bytearray(data)
    for _ in range(rng.randrange(3)):
        at, size = rng.randrange(len(changed)), rng.randrange(4)
        changed[at : at + size] = rng.choice(
            [b"", b",", b"}", b'"', b"\\", b"\\u12", b"\xff", b"0", b"-", b"\0", b"NaN", changed[at : at + size] * 2]
        )
    return bytes(changed)


def expected(data: bytes) -> Any:
    """The document, or the error; objects are lists of pairs."""
    try:
        json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"{OP}: expected UTF-8: {error}"
    except ValueError as error:
        return f"{OP}: expected JSON: {error}"
    return json.loads(data)


def outcome(read: Any, *args: Any) -> Any:
    try:
        return read(OP, *args)
    except ValueError as error:
        return str(error)


def encoded(tokens: list[str]) -> list[bytes]:
    return [token.encode("utf-8", "surrogatepass") for token in tokens]


def check_vocabulary(value: JsonValue) -> None:
    pairs = json.loads(value.text[value.begin : value.end], object_pairs_hook=tuple)
    found = outcome(read_vocabulary, value)
    if not isinstance(pairs, tuple) or any(type(id) is not int for _, id in pairs):
        assert found == f"{OP}: expected an object of token -> id as `vocab`"
        return
    assert found[0].tolist(as_bytes=True) == encoded([token for token, _ in pairs])
    assert found[1].tolist() == [min(max(id, -(2**63)), 2**63 - 1) for _, id in pairs]


def is_piece(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 2 and type(item[0]) is str and type(item[1]) in (int, float)


def check_pieces(value: JsonValue) -> None:
    items = value.parse(OP)
    found = outcome(read_pieces, value, False)
    if not isinstance(items, list) or not all(map(is_piece, items)):
        assert found == f"{OP}: expected a list of [piece, score] as `vocab`"
        return
    assert found[0].tolist(as_bytes=True) == encoded([piece for piece, _ in items])
    assert str(found[1].tolist()) == str([float(score) for _, score in items])
    assert found[1].allclose(read_pieces(OP, value, True)[1], rtol=1e-15, equal_nan=True)


def check_merges(value: JsonValue) -> None:
    items = value.parse(OP)
    found = outcome(read_merges, value)
    if not isinstance(items, list):
        assert found == f"{OP}: expected a list of merges of two tokens"
        return
    pairs = [item.split(" ") if isinstance(item, str) else item for item in items]
    if any(not isinstance(pair, list) or [type(token) for token in pair] != [str, str] for pair in pairs):
        assert found.startswith(f"{OP}: expected merges of two tokens, got '")
        return
    assert found[0].tolist(as_bytes=True) == [encoded(pair) for pair in pairs]
    assert found[1].tolist(as_bytes=True) == [[token] for token in encoded([a + b for a, b in pairs])]


def values_of(found: dict[str, Any]) -> list[JsonValue]:
    model = found.get("model")
    holders = (found, model if isinstance(model, dict) else {})
    return [holder[name] for holder in holders for name in ("vocab", "merges") if name in holder]


def check_fault(found: dict[str, Any], want: str) -> None:
    """A fault inside of a value is found by those who read it."""
    faults = [
        [outcome(read_vocabulary, value), outcome(read_merges, value), outcome(read_pieces, value, True)]
        for value in values_of(found)
    ]
    assert any(want in outcomes and all(isinstance(o, str) for o in outcomes) for outcomes in faults), want


@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_of_python(seed: int):
    rng, numbers = random.Random(seed), [0, 0]
    for _ in range(250):
        data = document(rng).encode("utf-8", "replace")
        data = damaged(rng, data) if rng.random() < 0.5 else data
        want, found = expected(data), outcome(parse_json, data)
        numbers[isinstance(want, str)] += 1
        if isinstance(want, str) and isinstance(found, dict):
            check_fault(found, want)
        elif not isinstance(want, dict):
            assert found == (want if isinstance(want, str) else f"{OP}: expected a JSON object"), data
        else:
            for value in values_of(found):
                check_vocabulary(value)
                check_pieces(value)
                check_merges(value)
            model = found.get("model")
            for holder in (found, model if isinstance(model, dict) else {}):
                holder |= {name: value.parse(OP) for name, value in holder.items() if isinstance(value, JsonValue)}
            assert str(found) == str(want)
    assert min(numbers) > 40


def test_a_value_is_read_where_it_is():
    # The last of equal names counts. A name may have escapes.
    written = r'{"vocab": {}, "model": 1, "model": {"vocab": [], "\u0076ocab": {"x": 7}}, "mergest": 1}'
    found = parse_json(OP, written)
    tokens, ids = read_vocabulary(OP, found["model"]["vocab"])
    assert (found["vocab"].parse(OP), tokens.tolist(), ids.tolist()) == ({}, ["x"], [7])
    value = JsonValue(b"[1", 0, 2)
    with pytest.raises(ValueError, match=r"x: expected JSON: Expecting ',' delimiter: line 1 column 3"):
        read_merges("x", value)
    for begin, end in ((-1, 1), (2, 1), (0, 3)):
        with pytest.raises(ValueError, match="expected a range of the file"):
            _convert.json_merges(b"[]", begin, end)


def test_tokens_of_tekken():
    items: list[Any] = [{"rank": i, "token_bytes": base64.b64encode(bytes([i] * i)).decode()} for i in range(9)]
    value = JsonValue(data := json.dumps(items).encode(), 0, len(data))
    for count in (0, 4, 9, 12):
        strings, length = read_tokens(OP, value, count)
        decoded = of_base64(strings).tolist(as_bytes=True)
        assert (decoded, length) == ([bytes([i] * i) for i in range(min(count, 9))], 9)
    for bad in (
        1,
        {},
        {"token_bytes": None},
        {"token_bytes": "QQ="},
        {"token_bytes": "=AAA"},
        {"token_bytes": "\xe9AAA"},
    ):
        data = json.dumps([*items[:3], bad, *items]).encode()
        strings, length = read_tokens(OP, JsonValue(data, 0, len(data)), 9)
        assert (len(of_base64(strings)), length) == (3, 13)
    data = b'[{"token_bytes": "QUE=", "token_bytes": "QR=="}]'  # the last one counts; unused bits are ignored
    strings, _ = read_tokens(OP, JsonValue(data, 0, len(data)), 1)
    assert of_base64(strings).tolist() == ["A"]


def rank_lines(data: bytes) -> Any:
    tokens, ranks = read_rank_lines("x", data)
    return tokens.tolist(as_bytes=True), ranks.tolist()


def test_lines_of_ranks():
    rng = random.Random(0)
    tokens = [rng.randbytes(rng.randrange(1, 9)) for _ in range(500)]
    for end in (b"\n", b"\r\n", b"\r", b"\n\n"):
        lines = [base64.b64encode(token) + b" " * rng.randrange(1, 3) + b"%d" % i for i, token in enumerate(tokens)]
        assert rank_lines(end.join(lines)) == rank_lines(end.join(lines) + end) == (tokens, [*range(500)])
    assert rank_lines(b"") == ([], [])
    assert rank_lines(b"= 3\nQQ== 99999999999999999999\nQR== 1") == ([b"", b"A", b"A"], [3, 2**63 - 1, 1])
    for line in (
        b"QQ==",
        b"QQ== ",
        b"QQ= 1",
        b"Q=== 1",
        b"QQ==QQ== 1",
        b"QQQ== 1",
        b"QQ== 1 ",
        b"QQ== x",
        b"QQ== 1_0",
        b"QQ== +1",
        b"QQ== \xd9\xa1",
        b"QQ==\t1",
        b" 1",
        b"\xff 1",
    ):
        with pytest.raises(ValueError, match="^x: expected a token in base64 and its rank in line 3$"):
            rank_lines(b"QQ== 1\n\n" + line + b"\nQg== 2")


def test_of_equal_tokens_the_last_one_counts():
    tokens = Tokens("x", StringTensor.from_list(["b", "a", "b"]), torch.tensor([0, 1, 3]))
    assert (len(tokens), tokens.num_ids, tokens.ids_of(["a", "b", "c"])) == (2, 4, [1, 3, -1])
    assert tokens.by_id().tolist() == ["", "a", "", "b"]
    assert [tokens.has(id) for id in range(-1, 5)] == [False, False, True, False, True, False]
    empty = Tokens("x", StringTensor.from_list([]), torch.empty(0, dtype=torch.int64))
    assert (len(empty), empty.id_of("a"), empty.by_id().tolist()) == (0, -1, [])
    with pytest.raises(ValueError, match="x: expected distinct ids of tokens, got two tokens with one id"):
        Tokens("x", StringTensor.from_list(["a", "b"]), torch.tensor([1, 1]))


# Numbers, against those that `tokenizers` reads.
def imprecise(*numbers: str) -> list[float]:
    text = json.dumps([["", 0]] * len(numbers)).replace("0", "{}").format(*numbers).encode()
    scores: list[float] = torch.frombuffer(_convert.json_pieces(text, 0, len(text))[-1], dtype=torch.float64).tolist()
    return scores


def texts_of_numbers(n: int) -> list[str]:
    rng = random.Random(3)
    digits = lambda size: "".join(rng.choice("0123456789") for _ in range(size))  # noqa: E731
    kinds = [
        lambda: repr(-rng.random() * 20),
        lambda: f"-{rng.randrange(30)}.{digits(rng.randrange(1, 25))}",
        lambda: f"{rng.randrange(10 ** rng.randrange(1, 25))}.0",
        lambda: f"{rng.random() * 10.0 ** rng.randrange(-20, 20):.{rng.randrange(20)}e}",
        lambda: f"{digits(1)}.{digits(3)}e-{rng.randrange(250, 330)}",
    ]
    return [rng.choice(kinds)() for _ in range(n)]


def test_numbers_are_read_as_in_tokenizers():
    tokenizers = pytest.importorskip("tokenizers")
    given = texts_of_numbers(5000)
    rows = ",".join(f'["a{i}",{number}]' for i, number in enumerate(given))
    text = f'{{"version":"1.0","model":{{"type":"Unigram","unk_id":0,"vocab":[{rows}]}}}}'
    # to_str writes the digits that identify the float64.
    written = json.loads(tokenizers.Tokenizer.from_str(text).to_str())["model"]["vocab"]
    expected = [float(score) for _, score in written]
    assert imprecise(*given) == expected
    assert [float(n) for n in given] != expected


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.0", 0.0), ("-1.5", -1.5), ("2e3", 2000.0), ("1E-400", 0.0), ("0e999", 0.0), ("-12.5e-1", -1.25)],
)
def test_simple_numbers(text: str, number: float):
    assert imprecise(text) == [number]


def test_minus_zero_keeps_its_sign():
    assert str(imprecise("-0.0", "-0e1")) == "[-0.0, -0.0]"


def test_too_large_numbers_are_infinite():
    assert imprecise("1e999", "-1e309", "10e308", "1e99999999999999999999") == [inf, -inf, inf, inf]
    assert imprecise("Infinity", "-Infinity") == [inf, -inf]
