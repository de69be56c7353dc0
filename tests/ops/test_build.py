"""Strings built from operands that broadcast: string_concat, string_repeat, string_format, string_replace_slice."""

import itertools
import re
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.build import string_concat_ref, string_repeat_ref
from support import draws, large, strategies
from support.cases import each
from support.families import ZipSuite, broadcast
from support.harness import Call, OpSuite, OpTests, call, check_malformed_lists
from support.traced import check_traced

from torch_stringops import StringTensor, string_concat, string_format, string_repeat, string_replace_slice

WORDS = [b"to", b"", "caf\u00e9".encode(), b"x" * 70, b"or not to be"]
ROWS = [[b"a", b"bc"], [b"", b"d" * 40], [b"ef", b"g"]]
MANY = WORDS * 1500


@st.composite
def shapes_that_broadcast(draw: st.DrawFn, operands: int) -> list[list[int]]:
    """Shapes of a few dimensions, each of which is a suffix of one shape, with 1 in some places."""
    # The shape of nested lists is known only if no dimension before the last one is 0.
    shape = [*draw(st.lists(st.integers(1, 4), max_size=2)), draw(st.sampled_from([0, 1, 2, 3, 17, 40]))]
    return [
        [draw(st.sampled_from([size, size, 1])) for size in shape[draw(st.integers(0, len(shape) - 1)) :]]
        for _ in range(operands)
    ]


def filled(shape: list[int], values: Any) -> Any:
    return [filled(shape[1:], values) for _ in range(shape[0])] if shape else next(values)


@st.composite
def concats(draw: st.DrawFn) -> Call:
    def strings() -> Any:
        while True:
            yield draw(strategies.strings)

    shapes = draw(shapes_that_broadcast(draw(st.integers(1, 4))))
    return call([filled(shape, strings()) for shape in shapes])


def drawn_concat(rng: draws.Random, n: int) -> Call:
    left, right = draws.alike(rng, n)
    return call([left, right, [rng.choice(left)]])


def too_many_strings(op: str) -> tuple[str, Call]:
    ((text, pair),) = ZipSuite.too_many_pairs()
    many, other = pair.args
    return text, call(many, large.repeated(1, (2**15,))) if op == "string_repeat" else call([many, other])


class TestStringConcat(OpTests):
    suite = OpSuite(
        op="string_concat",
        reference=lambda tensors: (broadcast(string_concat_ref, *tensors),),
        samples=[
            call([WORDS, [b"!"]]),
            call([[b"a"]]),
            call([[b"<"], WORDS, [b"|"], WORDS, [b">"]]),
            call([[[b"a"], [b"b"]], ROWS[0]]),
            call([ROWS, [[[b"1"]], [[b"2"]]], ROWS[1]]),
            call([[], [b"x"]]),
            call([[[], []], [b"x"]]),
            call([MANY, [[b"x" * 40], [b""]]]),
            call([[[word] for word in MANY], [[word, b"-"] for word in MANY]]),
        ],
        strategy=concats(),
        draw=drawn_concat,
        small=call([[b"ab c", b"d"], [b"x"]]),
        too_large=lambda: [
            (large.BYTES, call([[large.MEBIBYTE], [b"", *[b"a"] * 2048]])),
            (large.STRINGS, call([large.same_rows(large.MEBIBYTE, 2**16), large.same_rows(b"a", 2**16)])),
            too_many_strings("string_concat"),
        ],
        too_large_when_traced=lambda: [too_many_strings("string_concat")],
        errors=[
            (call([[[b"a", b"b"]], [b"a"], [b"a", b"b", b"c"]]), "expected shapes that broadcast, got [1, 2] and [3]")
        ],
    )

    def test_malformed_strings_of_a_list_are_rejected(self) -> None:
        check_malformed_lists(self.suite)


def repeated(strings: Any, counts: Any) -> Call:
    return call(strings, torch.tensor(counts, dtype=torch.int64))


@st.composite
def repeats(draw: st.DrawFn) -> Call:
    a, b = draw(shapes_that_broadcast(2))

    def strings() -> Any:
        while True:
            yield draw(strategies.strings)

    counts = [draw(st.integers(-1, 5)) for _ in range(torch.Size(b).numel())]
    return call(filled(a, strings()), torch.tensor(counts, dtype=torch.int64).reshape(b))


def drawn_repeat(rng: draws.Random, n: int) -> Call:
    return repeated(draws.flatten(draws.strings(rng, n))[:n], [rng.randrange(-1, 9)] * (n > 0) or [1])


class TestStringRepeat(OpTests):
    suite = OpSuite(
        op="string_repeat",
        reference=lambda strings, counts: (broadcast(string_repeat_ref, strings, counts.tolist()),),
        samples=[
            repeated(WORDS, [0, 3, 2, 5, -1]),
            repeated(WORDS, 3),
            repeated([b"ab"], [[1, 2], [40, 0]]),
            repeated(ROWS, [[[1]], [[2]]]),
            repeated([], [3]),
            repeated([[], []], 2),
            repeated([b"a", b"-=", "\u00e9\u65e5".encode()], [400, 300, 200]),
            repeated(MANY, [[1], [2]]),
            repeated([[word] for word in MANY], [[1, 0]]),
        ],
        strategy=repeats(),
        draw=drawn_repeat,
        small=repeated([b"ab c", b"d"], [2]),
        too_large=lambda: [
            (large.BYTES, repeated([b"ab"], [2**62])),
            (large.BYTES, repeated([b"ab", b"c"], [2**63 - 1])),
            (large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2**16), large.repeated(2**40, (2**16, 1)))),
            (
                "expected `counts` of at most 2147483647 elements, got 2147483648",
                call([[]], large.repeated(1, (2**31, 1))),
            ),
            too_many_strings("string_repeat"),
        ],
        too_large_when_traced=lambda: [too_many_strings("string_repeat")],
        errors=[
            (repeated([b"a", b"b"], [1, 2, 3]), "expected shapes that broadcast, got [2] and [3]"),
            (
                call([b"a"], torch.tensor([1], dtype=torch.int32)),
                "expected `counts` to be int64, got int32 (convert with .to(torch.int64))",
            ),
        ],
    )


def test_plus_concatenates_with_strings_of_any_kind() -> None:
    s = StringTensor.from_list(["a", "é"])
    assert (s + s).tolist() == ["aa", "éé"]
    assert (s + "x").tolist() == ["ax", "éx"]
    assert ("x" + s).tolist() == ["xa", "xé"]
    assert (b"x" + s + ["1", "2"]).tolist() == ["xa1", "xé2"]
    numbers = ["1", "2"]
    assert (numbers + s).tolist() == ["1a", "2é"]
    for other in (1, torch.tensor([1, 2])):
        with pytest.raises(TypeError, match="unsupported operand"):
            s + other
        with pytest.raises(TypeError, match="unsupported operand"):
            other + s


def test_times_repeats_each_string() -> None:
    s = StringTensor.from_list(["a", "bc"])
    assert (s * 2).tolist() == (2 * s).tolist() == ["aa", "bcbc"]
    counts = torch.tensor([[1], [0]])
    assert (s * counts).tolist() == (counts * s).tolist() == [["a", "bc"], ["", ""]]
    for counts in (1.5, True, None):
        with pytest.raises(TypeError, match="unsupported operand"):
            s * counts
    with pytest.raises(TypeError, match="string_repeat: expected `counts` to be an int or a Tensor, got float"):
        string_repeat(s, 1.5)


def test_counts_beyond_int64() -> None:
    assert string_repeat([""], 2**70).tolist() == [""]
    assert string_repeat(["a"], -(2**70)).tolist() == [""]
    with pytest.raises(ValueError, match="string_repeat: the result needs more than 2147483647 bytes"):
        string_repeat(["a"], 2**70)


@pytest.mark.parametrize("times", [2, 3, 8, 9, 20])
def test_repetitions_of_strings_of_every_short_size(times: int) -> None:
    texts = ["abcdefgh"[i % 8] * (i // 2) + "x" * (i - i // 2) for i in range(200)]
    for made in (texts, texts[::-1]):
        assert (StringTensor.from_list(made) * times).tolist() == [text * times for text in made]


def test_rank_0() -> None:
    s = StringTensor.from_list("ab")
    assert string_concat(s, "c", "d").shape == (s * 2).shape == string_repeat(s, torch.tensor(2)).shape == ()
    assert string_concat("a", "b").item() == "ab"
    assert (s + StringTensor.from_list(["c"])).shape == (s * torch.tensor([2])).shape == (1,)
    with pytest.raises(TypeError, match="string_concat: expected at least one operand, got none"):
        string_concat()


def test_operators_are_traced() -> None:
    s = StringTensor.from_list(["a", "b"])
    check_traced(lambda s, n: string_concat(s, "-", s) * n + "!", s, 3)


NAMES, SCORES = ["ada", "é", ""], [0.5, 1e20, -0.0]


@pytest.mark.parametrize(
    "template", ["", "{{}}", "{}", "{} is {}", "{1}{0}{1}", "{name}: {0}{{{name}}}", "é{}{name}", "\0{}\n"]
)
def test_templates_are_those_of_str_format(template: str) -> None:
    want = [template.format(n, s, name=n) for n, s in zip(NAMES, SCORES, strict=True)]
    got = string_format(template, NAMES, torch.tensor(SCORES, dtype=torch.float64), name=NAMES)
    assert got.tolist() == (want if "{" in template.replace("{{", "") else want[0])


def test_columns_of_a_template_broadcast() -> None:
    rows = StringTensor.from_list([["a"], ["b"]])
    assert string_format("{}{}{}", rows, torch.tensor([1, 2]), 3).tolist() == [["a13", "a23"], ["b13", "b23"]]
    assert string_format("{0}{0}", 1.5).item() == "1.51.5"
    assert string_format("{} {}", True, torch.tensor([True])).tolist() == ["True True"]
    assert string_format("{0}", ["a"], ["ignored", "too"]).tolist() == ["a"]


@each(("template", "text"), [
    ("{:>8}", "expected fields without a format specification or conversion, got ':>8'"),
    ("{0!r}", "expected fields without a format specification or conversion, got '0!r'"),
    ("{0.x}", "expected fields with a position or a name, got '0.x'"),
    ("{x[0]}", "expected fields with a position or a name, got 'x[0]'"),
    ("{", "expected braces of `template` in pairs, got a single '{'"),
    ("}", "expected braces of `template` in pairs, got a single '}'"),
    ("{}}", "expected braces of `template` in pairs, got a single '}'"),
    ("{}{0}", "expected all fields with a position or none, got both in `template`"),
    ("{}{}", "expected columns for all fields of `template`, which has column 1"),
    ("{x}", "expected columns for all fields of `template`, which has the column 'x'"),
    ("{" + "9" * 5000 + "}", "expected columns for all fields of `template`, which has column 9999"),
])  # fmt: skip
def test_other_templates_are_rejected(template: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"^string_format: {re.escape(text)}"):
        string_format(template, ["a"])


def replaced(characters: str, start: int | None, stop: int | None, by: str) -> str:
    made = list(characters)
    made[start:stop] = by
    return "".join(made)


BOUNDS = [None, 0, 1, 3, 9, -1, -3, -9]
SLICED = ["", "a", "caf\u00e9", "\u65e5\u672c\u8a9e", "abcdefgh"]


@each(("start", "stop"), list(itertools.product(BOUNDS, BOUNDS)))
def test_replaced_slices_are_those_of_lists(start: int | None, stop: int | None) -> None:
    got = string_replace_slice(SLICED, start, stop, "-\u00e9-").tolist()
    assert got == [replaced(text, start, stop, "-\u00e9-") for text in SLICED]
    raw = string_replace_slice(SLICED, start, stop, "-", unit="byte").tolist(as_bytes=True)
    text = [string.encode().decode("latin-1") for string in SLICED]
    assert raw == [replaced(string, start, stop, "-").encode("latin-1") for string in text]


def test_replaced_slices_are_those_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(SLICED)
    for start, stop in itertools.product(BOUNDS, BOUNDS):
        want = series.str.slice_replace(start, stop, "xy").tolist()
        assert string_replace_slice(SLICED, start, stop, "xy").tolist() == want


def test_slices_without_a_beginning() -> None:
    s = StringTensor.from_list(["caf\u00e9", "ab"])
    for unit in ("codepoint", "grapheme"):
        assert s.slice(None, -1, unit).tolist() == ["caf", "a"]
    assert s.slice(None).equal(s)


def test_replacements_of_slices_broadcast() -> None:
    s = StringTensor.from_list(["ab", "cd"])
    assert s.replace_slice(0, 1, [["x"], [""]]).tolist() == [["xb", "xd"], ["b", "d"]]
    assert string_replace_slice("abc", 1).item() == "a"
    with pytest.raises(ValueError, match="^string_replace_slice: expected `unit` to be 'byte' or 'codepoint', g"):
        string_replace_slice("a", 0, 1, unit="word")


def test_formats_and_replaced_slices_are_traced() -> None:
    def f(s: StringTensor, t: torch.Tensor) -> StringTensor:
        return string_format("{}={t}", s.replace_slice(1, -1, "*"), t=t)

    check_traced(f, StringTensor.from_list(["abcd", "é", ""]), torch.tensor([1, 22, 3]))
