"""tokenizer and tokenizer_ragged: their suites."""

from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st
from reference.tokenizer import tokenizer_ragged_ref, tokenizer_ref
from support import draws, large
from support.cases import each
from support.harness import Call, OpSuite, OpTests, call
from support.tokenizer import (
    CHARACTER_MODES,
    CLASSES,
    FLAGS,
    LITERALS,
    MEMBERS,
    NEGATIONS,
    PADS,
    PATTERNS,
    PIECES,
    QUANTIFIERS,
    attributes,
    bracket,
)

import torch_stringops as so


def sample(strings: Any, **how: Any) -> Call:
    return call(strings, **attributes(**how))


SAMPLES = [
    sample([b"Hello World", b"", "été à\u3000la plage".encode(), b" a  b "], separators=[" "]),
    sample([[b"foobar, foo", b"12"], [b"", b"\x00\x02"]], mark=True, mincharnum=2, tokenexp=r"\w+"),
    sample(["aé日\n😀".encode(), b"", b"\x00"], mark=True, pad_value="", separators=[""]),
    sample([b"", b"  "], mark=True, separators=[" "]),
    sample([b"a,b;c d", b"ab", b",;"], mark=True, pad_value="<pad>", separators=[",", "[; ]", ""]),
    sample([[b"abcd", b"ab"]], mincharnum=3, pad_value="日", tokenexp="ab|bcd"),
    sample([], mark=True, tokenexp="a"),
    sample([[], []], separators=["a+"]),
]  # fmt: skip

# Strings much longer than a block, and many strings per block.
LONG = [
    sample([b"ab cd  " * 3000, b"x" * 10000, b" " * 9000, b"", b"y " * 3], separators=[" +"]),
    sample([b"ab cd, " * 3000, b"x" * 10000, b", " * 4500, b"", b"y,"], mark=True, tokenexp="[a-z]+"),
    sample([("日本 é" * 1200 + "x" * 63).encode() * 2, b"", b"a"], mark=True, pad_value="", separators=[""]),
    sample([b"k=v,", b"", b","] * 1500, separators=[",", "="]),
    sample(["日本\u3000語".encode() * 1500, b"x" * 9000], mincharnum=2, separators=["\u3000"]),
    sample([b"a1b22c333" * 1200, b"9" * 9000], mincharnum=2, tokenexp=r"\d+"),
    sample([b"foo, bar.\n" * 900, b"x1" * 4500], tokenexp=r"[a-z]+\d|[.,]"),
]  # fmt: skip

ERRORS = [
    (sample([b"a"], mincharnum=0, separators=[" "]), "expected `mincharnum` >= 1, got 0"),
    (sample([b"a"], mincharnum=-(2**63), tokenexp="a"), f"expected `mincharnum` >= 1, got {-(2**63)}"),
    (sample([b"a"]), "expected one of `separators` and `tokenexp`, got neither"),
    (sample([b"a"], separators=[" "], tokenexp="a"), "expected one of `separators` and `tokenexp`, got both"),
    (sample([b"a"], separators=[]), "expected `separators` to hold at least one pattern, got none"),
    (sample([b"a"], tokenexp=""), "expected `tokenexp` to be a pattern, got an empty string"),
    (sample([b"a"], mincharnum=2, separators=[""]), "expected `mincharnum` 1 if each character is a token, got 2"),
    (sample([b"a"], mincharnum=3, tokenexp="."), "expected `mincharnum` 1 if each character is a token, got 3"),
    (sample([[[b"a"]]], tokenexp="a"), "expected strings of shape [C] or [N, C], got shape [1, 1, 1]"),
    (sample([[[]]], tokenexp="a"), "expected strings of shape [C] or [N, C], got shape [1, 1, 0]"),
]  # fmt: skip

brackets = st.builds(
    bracket,
    st.sampled_from(NEGATIONS),
    st.lists(st.sampled_from(MEMBERS), min_size=1, max_size=4),
    st.sampled_from(QUANTIFIERS),
    st.sampled_from(FLAGS),
)
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
# Runs move the other pieces to every position around the ends of blocks of 16, 32 and 64 bytes.
runs = st.builds(lambda p, n: p * n, st.sampled_from(PIECES), st.sampled_from([1, 7, 15, 16, 31, 33, 63, 64, 65]))
long_texts = st.lists(st.one_of(st.sampled_from(PIECES), runs), max_size=6).map("".join)


@st.composite
def calls(draw: st.DrawFn, padded: bool) -> Call:
    on_masks = draw(st.booleans())
    pattern = st.one_of(st.sampled_from(CLASSES + LITERALS), brackets) if on_masks else st.sampled_from(PATTERNS)
    string = (long_texts if on_masks else texts).map(str.encode)
    way = draw(st.integers(0, 9))
    how: dict[str, Any] = {"mark": draw(st.booleans()), "mincharnum": draw(st.sampled_from([1, 1, 2, 3]))}
    if way == 0:
        how |= {"mincharnum": 1} | draw(st.sampled_from(CHARACTER_MODES))
    elif way < 5:
        how["tokenexp"] = draw(pattern)
    else:
        how["separators"] = draw(st.lists(st.one_of(pattern, pattern, st.just("")), min_size=1, max_size=3))
        if how["separators"] == [""]:
            how["mincharnum"] = 1
    if padded:
        how["pad_value"] = draw(st.sampled_from(PADS))
    columns = draw(st.integers(0, 3))
    rows = st.lists(st.lists(string, min_size=columns, max_size=columns), min_size=1, max_size=3)
    return call(draw(st.one_of(st.lists(string, max_size=8), rows)), **how)


def ragged(samples: list[Call]) -> list[Call]:
    return [Call(s.args, {k: v for k, v in s.kwargs.items() if k != "pad_value"}) for s in samples]


def drawn(rng: draws.Random, n: int) -> Call:
    how: dict[str, Any] = {"mark": rng.random() < 0.5, "mincharnum": rng.choice([1, 1, 2, 3])}
    patterns = rng.choice([CLASSES + LITERALS, PATTERNS])
    way = rng.randrange(3)
    if way == 0:
        how |= {"mincharnum": 1} | rng.choice(CHARACTER_MODES)
    elif way == 1:
        how["tokenexp"] = rng.choice(patterns)
    else:
        how["separators"] = [rng.choice(patterns) for _ in range(rng.choice([1, 1, 2]))]
    return call(draws.strings(rng, n, utf8=True), **how, pad_value=rng.choice(PADS))


def drawn_ragged(rng: draws.Random, n: int) -> Call:
    return ragged([drawn(rng, n)])[0]


def too_large_padded() -> Iterator[tuple[str, Call]]:
    text = large.PADDING + r"tokens .* offsets \(use tokenizer_ragged\)"
    yield large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048), separators=[","])
    yield text, call(large.long_row(), separators=[","])
    yield large.BYTES, call(large.long_row(3, 2000), separators=[","], pad_value="x" * 2**20)


def too_large_ragged() -> Iterator[tuple[str, Call]]:
    yield large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048), separators=[","])


# Patterns for the masks and for the engine, and a malformed one.
FRESH: dict[str, Callable[[int], dict[str, Any]]] = {
    "a new expression": lambda i: {"tokenexp": f"[a-c]+x?|zq{i:08}"},
    "a new set": lambda i: {"separators": [f"[,;{chr(0x100 + i % 0x500)}]", " "]},
    "a new literal": lambda i: {"separators": [f"zq{i:08}"]},
    "new separators": lambda i: {"separators": [f"b+|zq{i:08}", ",+|x?y"], "mincharnum": 2},
    "a new one that is wrong": lambda i: {"tokenexp": f"[a-c]+(x?|zq{i:08}"},
}
SHARED: dict[str, Any] = {
    "small": call([b"ab c", b"d"], tokenexp="[a-z]+"),
    "fresh": FRESH,
    "exclusive": ("separators", "tokenexp"),
}


class OnBothPaths(OpTests):
    def test_samples_match_the_oracle(self, tier: str, path: str) -> None:
        super().test_samples_match_the_oracle(tier)

    def test_drawn_calls_match_the_oracle(self, path: str) -> None:
        super().test_drawn_calls_match_the_oracle()


class TestTokenizer(OnBothPaths):
    suite = OpSuite(
        op="tokenizer",
        reference=tokenizer_ref,
        samples=SAMPLES + LONG,
        strategy=calls(padded=True),
        errors=[(bad, f"tokenizer: {text}") for bad, text in ERRORS],
        draw=drawn,
        too_large=too_large_padded,
        **SHARED,
    )


class TestTokenizerRagged(OnBothPaths):
    suite = OpSuite(
        op="tokenizer_ragged",
        reference=tokenizer_ragged_ref,
        samples=ragged(SAMPLES + LONG),
        strategy=calls(padded=False),
        errors=[
            (bad, f"tokenizer_ragged: {text}")
            for bad, (_, text) in zip(ragged([bad for bad, _ in ERRORS]), ERRORS, strict=True)
            if "of shape" not in text
        ],
        draw=drawn_ragged,
        too_large=too_large_ragged,
        **SHARED,
    )


del OnBothPaths  # otherwise pytest would collect it too


@each("mark", [False, True])
@each("size", [1, 2, 7, 8, 63, 64, 65, 127, 128, 129, 300])
@each("separators", [[" "], [""]])
def test_padding_of_all_sizes(separators: list[str], size: int, mark: bool, tier: str):
    pad = ("0123456789" * 30)[:size]
    rows = [" ".join("ab" * (i % 3) + "x" * (i % 70) for _ in range(i % 20)) for i in range(100)]
    got = so.tokenizer(rows, mark=mark, pad_value=pad, separators=separators)
    tokens = [[t for t in row.split(" ") if t] if separators == [" "] else list(row) for row in rows]
    marked = [["\x02", *t, "\x03"] if mark else t for t in tokens]
    width = max(map(len, marked))
    assert got.tolist() == [t + [pad] * (width - len(t)) for t in marked]
