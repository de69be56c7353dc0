"""string_base64, string_unbase64, string_url_quote, string_url_unquote and escape_regex."""

import base64
import itertools
import urllib.parse

import pytest
from hypothesis import strategies as st
from reference.escape import string_base64_ref, string_unbase64_ref, string_url_quote_ref, string_url_unquote_ref
from support import draws, large, strategies
from support.cases import each
from support.families import MapSuite, MapTests, broadcast
from support.harness import OpSuite, OpTests, call
from support.traced import check_traced

from torch_stringops import StringTensor, escape_regex, regex_full_match

BYTES = [bytes(range(256))[i : i + n] for n in (1, 2, 3, 4, 5, 63, 64, 200) for i in (0, 56, 190)]


class TestStringBase64(MapTests):
    suite = MapSuite(
        op="string_base64",
        reference=string_base64_ref,
        samples=[["", "a", "caf\u00e9", *BYTES], call(["", *BYTES], True)],
        text=False,
    )


ENCODED = st.binary(max_size=40).map(base64.b64encode)
BAD = "string_unbase64: expected strings of base64 with padding, got another string at index "
BAD_URL = "string_unbase64: expected strings of base64 for URLs, got another string at index "


class TestStringUnbase64(OpTests):
    suite = OpSuite(
        op="string_unbase64",
        reference=lambda strings, *args: (broadcast(lambda s: string_unbase64_ref(s, *args), strings),),
        samples=[
            call([b"", b"YQ==", b"YWI=", b"YWJj", *map(base64.b64encode, BYTES)]),
            call([[b"YQ"], [b"_-8="]], True),
            call([]),
            call([b"YWJjZGVm", b""] * 4000),
            call([base64.urlsafe_b64encode(raw).rstrip(b"=") for raw in BYTES], True),
        ],
        strategy=st.builds(call, strategies.tensors_of(ENCODED)),
        draw=lambda rng, n: call([base64.b64encode(draws.string(rng)) for _ in range(n)]),
        small=call([b"YWJj", b"YQ=="]),
        too_large=lambda: [(large.STRINGS, call(large.same_rows(b"YWJj" * 2**19, 2048)))],
        errors=[
            (call([[b"YQ=="], [b"Y"]]), f"{BAD}[1, 0]"),
            (call([b"", b"YW Jj"]), f"{BAD}[1]"),
            (call([b"-_-_"]), f"{BAD}[0]"),
            (call([b"YQ"]), f"{BAD}[0]"),
            (call([b"YWJj", b"+/+/"], True), f"{BAD_URL}[1]"),
        ],
    )


def is_base64(text: bytes, urlsafe: bool) -> bool:
    try:
        string_unbase64_ref(text, urlsafe)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("urlsafe", [False, True])
def test_every_other_string_is_rejected(urlsafe: bool):
    texts = [bytes(t) for n in range(6) for t in itertools.product(b"AQ-+=", repeat=n)]
    texts += [text[:i] + bytes([byte]) + text[i:] for text in (b"Y", b"YQ=", b"YWJ", b"YWJjYQ=") for i in range(4)
              for byte in range(256)]  # fmt: skip
    for text in texts:
        strings = StringTensor.from_list([b"YWJj", text])
        if is_base64(text, urlsafe):
            assert strings.unbase64(urlsafe).tolist(as_bytes=True)[1] == string_unbase64_ref(text, urlsafe)
        else:
            with pytest.raises(ValueError, match=r"at index \[1\]"):
                strings.unbase64(urlsafe)


class TestStringUrlQuote(MapTests):
    suite = MapSuite(
        op="string_url_quote",
        reference=string_url_quote_ref,
        samples=[["", "a b/\u00e9?x=1&y=%20", *BYTES], call(["a b/c", *BYTES], ""), call([*BYTES], "?&%")],
        text=False,
        errors=[(call(["a"], "\u00e9"), "expected `safe` to be ASCII characters, got others")],
    )


class TestStringUrlUnquote(MapTests):
    suite = MapSuite(
        op="string_url_unquote",
        reference=string_url_unquote_ref,
        samples=[["", "a%20b%2F", "%", "%2", "%%41", "%4%41", "%zz%aF%Fa", "%25" * 50, b"\xff%ff", "x" * 99 + "%41"]],
        text=False,
    )  # fmt: skip


TEXTS = [
    "a b/c", "caf\u00e9", "%E6%97%A5", "%E6%97", "\u00e9%A9", "%E6\u00e9%", "%c3%a9\u65e5", "%F0%9F%98%80!%80",
]  # fmt: skip


def test_quoting_is_that_of_urllib():
    s = StringTensor.from_list(TEXTS)
    for safe in ("/", "", "%/", "~ "):
        assert s.url_quote(safe).tolist() == [urllib.parse.quote(text, safe=safe) for text in TEXTS]
    for errors in ("replace", "ignore"):
        assert s.url_unquote(errors).tolist() == [urllib.parse.unquote(t, errors=errors) for t in TEXTS]
    kept = s.url_unquote("surrogateescape")
    assert kept.tolist(as_bytes=True) == [urllib.parse.unquote_to_bytes(text) for text in TEXTS]
    with pytest.raises(ValueError, match="^StringTensor.url_unquote: expected `errors` to be 'replace', 'ig"):
        s.url_unquote("strict")


@each("byte", range(256))
def test_each_byte_is_quoted_and_read_again(byte: int):
    raw = bytes([byte])
    s = StringTensor.from_list([raw])
    assert s.url_quote("").tolist() == [urllib.parse.quote(raw, safe="")]
    assert s.url_quote("").url_unquote("surrogateescape").tolist(as_bytes=True) == [raw]
    if byte < 0x80:
        assert regex_full_match([raw, b"no"], escape_regex(raw.decode())).tolist() == [True, False]


def test_escaped_patterns_are_those_of_re2():
    re2 = pytest.importorskip("re2")
    texts = [*map(chr, range(0x100)), "a.b", "(c++)", "\0\\x00", "日本 [x]", ""]
    want = [re2.escape(text) for text in texts]
    assert [escape_regex(text) for text in texts] == want
    assert [escape_regex(text.encode()) for text in texts] == [text.encode() for text in want]
    assert escape_regex(texts).tolist() == want
    with pytest.raises(ValueError, match="^escape_regex: invalid UTF-8 in row 0 at byte 0"):
        escape_regex([b"\xff"])


def test_functions_are_traced():
    def f(s: StringTensor) -> tuple[StringTensor, ...]:
        quoted = s.url_quote("")
        encoded = quoted.base64(urlsafe=True)
        return encoded, encoded.unbase64(True).url_unquote(), escape_regex(quoted)

    check_traced(f, StringTensor.from_list(["a.b", "日 本", ""]))
