"""Values of JSON documents: json_extract, json_fields, and their operators _json_spans and _json_unquote."""

import json
import random
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference.json import json_spans_ref, json_unquote_ref, text_of
from support import draws, strategies
from support.cases import each
from support.families import MapSuite, MapTests, ReduceSuite, ReduceTests
from support.harness import Call, call
from support.traced import check_traced

from torch_stringops import StringTensor, json_extract, json_fields

DOCUMENTS: list[str | bytes] = [
    '{"a": 1, "b": [true, false, null, -1.5e3, "x\\n"], "c": {"d": {"e": []}}}',
    ' { "a" : { "b" : "caf\u00e9" } , "a" : { "c" : 2 } } ', '{"a": {"b": 1}, "a": 7}',
    '{"a": 7, "a": {"b": 1}, "\\u0061": {"b": 2}}', '[1, [2, {"a": 3}], "4"]',
    '{"a b": {"": {"\\u00e9\\ud83d\\ude00": "\\ud83d\\ude00\\ud800\\udc00 \\ud800 \\udc00x\\ud800\\ud801"}}}',
    "0", "-0", "-0.0E+01", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", '"\u65e5\u672c \U0001f600"', '""', "null", "[]", "{}", "\t\r\n [ ] ",
    '{"a":{},"b":[[],[[]],{}]}',
    '["' + "long text " * 20 + '", {"a": "' + "\u00e9" * 50 + '"}]',
]  # fmt: skip
WRONG: list[str | bytes] = [
    "", " ", "nul", "True", "NaN", "-Infinity", "01", "-", "+1", ".5", "1.", "1.e5", "1e", "1e+", "1 2", "[1,]",
    "[,1]", "[1 2]", "[1", "[", "]", "{", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1', '{"a" 1}', "{a:1}", "{1:1}",
    '{"a":1]', "[1}", "'a'", '"a', '"\\', '"\\x"', '"\\u12"', '"\\u12G4"', '"a\nb"', '"\x00"', '"a"b', "// a\n1",
    "\ufeff1", b'"\xff"', b'"\xed\xa0\x80"', b'"\xe6\x97"', b'"abcdefgh\xc3"', b"[1,\xc2\xa02]", "1\x00",
    '"eight or more, \x1f"',
]  # fmt: skip
PATHS = [
    "$", "$.a", "$.a.b", "$[1]", "$.b[4]", "$.c.d", '$["a b"][""]["\\u00e9\\ud83d\\ude00"]', "$['a'].c", "$[1][1].a",
]  # fmt: skip


def documents(depth: int = 3) -> st.SearchStrategy[Any]:
    leaf = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**65), 2**65),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=9),
    )
    keys = st.sampled_from(["a", "b", "c", "d", "a b", "", "\u00e9"])
    return st.recursive(
        leaf, lambda v: st.one_of(st.lists(v, max_size=4), st.dictionaries(keys, v, max_size=4)), max_leaves=12
    )


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A document, or one with a character changed."""
    kind = draw(st.integers(0, 5))
    if kind == 0:
        text = draw(st.sampled_from([*DOCUMENTS, *WRONG]))
        raw = text if isinstance(text, bytes) else text.encode()
    else:
        indent, ascii = draw(st.sampled_from([None, None, 1])), draw(st.booleans())
        raw = json.dumps(draw(documents()), indent=indent, ensure_ascii=ascii).encode(errors="surrogatepass")
    if kind > 3:
        at = draw(st.integers(0, len(raw)))
        raw = (
            raw[:at] + draw(st.sampled_from([b"", b",", b'"', b"\\", b"]", b"}", b"0", b" ", b"\xff"])) + raw[at + 1 :]
        )
    return raw


def drawn_document(rng: draws.Random, depth: int = 0) -> Any:
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind > 5:
        if kind == 6:
            return [drawn_document(rng, depth + 1) for _ in range(rng.randrange(4))]
        return {rng.choice(["a", "b", "c", "d", "a b", ""]): drawn_document(rng, depth + 1) for _ in range(4)}
    return (
        None,
        True,
        rng.randrange(-(10**20), 10**20),
        rng.gauss(0, 1),
        "a\n\u00e9\U0001f600" * rng.randrange(9),
        "",
    )[kind]


def drawn(rng: draws.Random, n: int) -> Call:
    made = []
    for _ in range(n):
        raw = json.dumps(drawn_document(rng), ensure_ascii=rng.random() < 0.5).encode()
        if rng.random() < 0.3:
            at = rng.randrange(len(raw) + 1)
            raw = raw[:at] + rng.choice([b"", b",", b'"', b"\\", b"]", b"\xff"]) + raw[at + 1 :]
        made.append(raw)
    return call(made, rng.sample(PATHS, 3), "missing")


class SpansSuite(ReduceSuite):
    """The results have the axis of paths first."""

    def of_all(self, strings: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        return self.of_one(strings, *args, **kwargs)


class TestJsonSpans(ReduceTests):
    suite = SpansSuite(
        op="_json_spans",
        reference=json_spans_ref,
        samples=[
            call([*DOCUMENTS, *WRONG], PATHS, "missing"),
            call([[b"1", b"[2, 3]"], [b"", b"{}"]], ["$[1]"], "missing"),
            call(DOCUMENTS * 40, ["$.a"], "missing"),
        ],
        strategy=st.builds(
            call,
            strategies.tensors_of(texts()),
            st.lists(st.sampled_from(PATHS), min_size=1, max_size=5),
            st.just("missing"),
        ),
        draw=drawn,
        text=False,
        small=call([b"[1]", b"2"], ["$[0]"]),
        name_in_errors="json_extract",
        errors=[
            (
                call([["1", '{"a": [1, 2,]}']], ["$.a"]),
                "expected JSON, got other text at index [0, 1], byte 12 (errors='missing' skips it)",
            ),
            (
                call(["[" * 1025 + "]" * 1025], ["$.a"]),
                "expected JSON of at most 1024 brackets within each other, got other text at index [0], "
                "byte 1024 (errors='missing' skips it)",
            ),
            (call(["1"], ["$"], "fill"), "expected `errors` to be 'raise' or 'missing', got 'fill'"),
            (call(["1"], []), "expected at least one path, got none"),
        ],
    )


QUOTED = [
    '"a"', '""', '"', "", "a", '"\\n\\"\\u00e9\\ud83d\\ude00\\ud800"', '"\\\\"', "[1]", '"' + "text " * 30 + '\\/"',
]  # fmt: skip


class TestJsonUnquote(MapTests):
    suite = MapSuite(
        op="_json_unquote",
        reference=json_unquote_ref,
        samples=[QUOTED],
        strategy=st.builds(call, strategies.tensors_of(st.text().map(lambda s: json.dumps(s).encode()))),
        draw=lambda rng, n: call([json.dumps(draws.string(rng, utf8=True).decode()).encode() for _ in range(n)]),
        text=False,
    )


@each(("path", "at"), [
    ("", 0), ("a", 0), ("$.", 2), ("$..a", 2), ("$.a.", 4), ("$a", 1), ("$[", 2), ("$[]", 2), ("$[-1]", 2),
    ("$[01]", 3), ("$[1", 3), ("$[2147483648]", 11), ("$[*]", 2), ("$[1:2]", 3), ('$["a]', 2), ("$['a\"]", 2),
    ('$["a\\x"]', 2), ('$["a\n"]', 2), ("$.a b", 3), (" $", 0), ("$.a?", 3),
])  # fmt: skip
def test_malformed_paths(path: str, at: int) -> None:
    want = f'json_extract: expected a path such as $.a[0]["b"], of keys and indices after `$`, got another one at byte {at}'
    with pytest.raises(ValueError) as error:  # noqa: PT011
        json_extract(["1"], path)
    assert str(error.value) == want


def of_python(text: str) -> Any:
    def no_constant(name: str) -> Any:
        raise ValueError(name)

    return json.loads(text, parse_constant=no_constant)


def plain(value: Any) -> str:
    return text_of(json.dumps(value).encode()) if isinstance(value, str) else value


@given(st.lists(texts(), min_size=1, max_size=6))
def test_values_are_those_of_python(raw: list[bytes]) -> None:
    s = StringTensor.from_list(raw)
    found = {
        name: json_extract(s, "$.a", dtype, errors="missing")
        for name, dtype in {"text": None, "int": torch.int64, "float": torch.float64, "bool": torch.bool}.items()
    }
    for i, document in enumerate(raw):
        got = {name: values[i].item() if present[i] else None for name, (values, present) in found.items()}
        try:
            value = of_python(document.decode())
        except ValueError:  # also of bytes that are not UTF-8
            assert got == dict.fromkeys(got)
            continue
        if not isinstance(value, dict) or "a" not in value:
            assert got == dict.fromkeys(got)
            continue
        a = value["a"]
        assert got["text"] is not None
        assert got["text"] == plain(a) if isinstance(a, str) else of_python(got["text"]) == a
        assert got["bool"] == (a if isinstance(a, bool) else None)
        is_number = isinstance(a, (int, float)) and not isinstance(a, bool)
        assert got["int"] == (a if is_number and isinstance(a, int) and -(2**63) <= a < 2**63 else None)
        assert got["float"] == (float(a) if is_number else None)


def test_strings_across_the_blocks_of_masks() -> None:
    values = [
        "a" * begin + middle + "b" * rest
        for begin in (*range(50, 68), *range(4080, 4100), 9000)
        for middle in ("", "\\", '"\\"\n', "\u00e9", "\U0001f600\x01")
        for rest in (0, 1, 63, 70, 5000)
    ]
    for as_ascii in (False, True):
        lines = [json.dumps([value], ensure_ascii=as_ascii) for value in values]
        assert json_extract(StringTensor.from_list(lines), "$[0]")[0].tolist() == values


def test_missing_values_are_empty() -> None:
    s = StringTensor.from_list(['{"a": "5"}', '{"a": 5}', '{"a": 5.0}', '{"a": true}', '{"a": null}', "{}", "x"])
    text, present = s.json_extract("$.a", errors="missing")
    assert text.tolist() == ["5", "5", "5.0", "true", "null", "", ""]
    assert present.tolist() == [True] * 5 + [False] * 2
    wanted = {
        torch.int64: [0, 5, 0, 0, 0, 0, 0],
        torch.float64: [0, 5, 5, 0, 0, 0, 0],
        torch.bool: [0, 0, 0, 1, 0, 0, 0],
    }
    for dtype, want in wanted.items():
        values, present = s.json_extract("$.a", dtype, "missing")
        assert values.dtype == dtype
        assert values.tolist() == want
        assert present.tolist() == [bool(v) for v in want]


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3), (2, 1, 2)])
def test_results_have_the_shape_of_the_documents(shape: tuple[int, ...]) -> None:
    count = 1
    for size in shape:
        count *= size
    s = StringTensor.from_list([f'{{"a": "{"x" * i}"}}' for i in range(count)]).reshape(shape)
    found = s.json_fields({"a": "$.a", "b": ("$.a", torch.int64), "c": ("$.a", torch.bool)})
    want = StringTensor.from_list(["x" * i for i in range(count)]).reshape(shape)
    assert found["a"][0].tolist() == want.tolist()
    for values, present in found.values():
        assert tuple(values.shape) == tuple(present.shape) == shape


def test_depth() -> None:
    for open, close in (("[", "]"), ('{"a":', "}")):
        deepest = open * 1024 + "1" + close * 1024
        values, present = json_extract([deepest, open + deepest + close], "$", errors="missing")
        assert present.tolist() == [True, False]
        assert values.tolist() == [deepest, ""]
    values, present = json_extract(["[" * 10**6, '{"a":' * 10**6], "$", errors="missing")
    assert present.tolist() == [False, False]
    path = "$" + "[0]" * 1023
    assert json_extract(["[" * 1023 + "5" + "]" * 1023], path, torch.int64)[0].tolist() == [5]
    long = "$" + ".a" * 10**5
    assert json_extract(['{"a": 1}'], long)[1].tolist() == [False]


def test_one_pass_gives_what_each_path_gives() -> None:
    rng = random.Random(3)
    strings = StringTensor.from_list(drawn(rng, 300).args[0])
    found = json_fields(strings, {path: path for path in PATHS}, errors="missing")
    for path, (values, present) in found.items():
        alone, alone_present = json_extract(strings, path, errors="missing")
        assert values.tolist(as_bytes=True) == alone.tolist(as_bytes=True)
        assert torch.equal(present, alone_present)


def test_it_is_compiled_and_exported() -> None:
    fields: Any = {"a": ("$.a", torch.int64), "b": "$.b"}
    s = StringTensor.from_list(['{"a": 1, "b": "xyz"}', '{"b": "\\n"}', "?"])
    check_traced(lambda s: s.json_fields(fields, errors="missing"), s)


def test_arguments() -> None:
    s = StringTensor.from_list(["1"])
    with pytest.raises(ValueError, match="^json_fields: expected a path, or a path and a dtype, got a tuple of 1$"):
        json_fields(s, {"a": ("$",)})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="^json_fields: expected `fields` to be a dict, got list$"):
        json_fields(s, ["$"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^json_extract: expected paths to be str, got int$"):
        json_extract(s, 1)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="^json_extract: expected `dtype` to be a torch.dtype or None, got str$"):
        json_extract(s, "$", "int64")  # type: ignore[call-overload]
    with pytest.raises(
        ValueError, match="^json_extract: expected `dtype` to be int64, float64, bool or None, got float32$"
    ):
        json_extract(s, "$", torch.float32)
    with pytest.raises(
        ValueError, match=r"^StringTensor.json_fields: expected JSON, got other text at index \[1\], byte 1"
    ):
        StringTensor.from_list(["1", "[x"]).json_fields({"a": "$"})
    assert json_fields(s, {}) == {}
