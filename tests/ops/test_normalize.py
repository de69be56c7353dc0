import json
import random
import unicodedata
import zlib
from pathlib import Path

import pytest
import torch
from hypothesis import strategies as st
from reference.normalize import string_normalize_ref, string_strip_accents_ref
from support.cases import each
from support.families import MapSuite, MapTests
from support.harness import call
from support.strategies import MALFORMED, tensors_of
from support.strings import compact, decode

import torch_stringops
from torch_stringops import StringTensor

FORMS = ["NFC", "NFD", "NFKC", "NFKD"]
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "normalization.json").read_text(encoding="utf-8"))

# Marks of several classes, code points that decompose, compose, or are excluded from composition, and Hangul.
MARKS = "\u0300\u0301\u0308\u0323\u0327\u0344\u0345\u05b0\u05bc\u3099\u0f71\u0f72\u0f73\u302e"
OTHERS = "aeoq\u00e9\u1e69\u00a0\u0958\u0f43\u2126\u09c7\u09be\ufb01\ufdfa\u304b\u6f22\U0001d15e\U0001f600"
HANGUL = "\u1100\u1112\u1161\u1175\u1176\u11a7\u11a8\u11c2\u11c3\uac00\uac01\uac1c\ud7a3"
PIECES = [c.encode() for c in MARKS + OTHERS + HANGUL] + MALFORMED

strings = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)

SAMPLES = [
    ["cafe\u0301", "caf\u00e9", "\u1e69", "s\u0307\u0323", "\u0307\u0323", "\ufb01ve \u2460", "\uac01"],
    ["\u1100\u1161\u11a8", "\uac00\u11a8", "\u11a8", "\u212b", "plain", "\u0f73\u0f71", "\u09c7\u09be"],
    [b"e\xff\xcc\x81", b"e\xcc\x81\xff\xcc\x81", b"\xcc", b"\xe1\x84\x80\xe1\x85", b"\xc3\xa9\x81"],
    ["a" + "\u0301\u0323" * 40, "a" + "\u0323" * 100 + "\u0301" * 100, MARKS * 3, "\u0995\u09be\u09bc\u09be"],
]


def drawn(rng: random.Random, n: int) -> list[bytes]:
    return [b"".join(rng.choices(PIECES, k=rng.choice([0, 1, 2, 5, 12, 40]))) for _ in range(n)]


class TestStringNormalize(MapTests):
    suite = MapSuite(
        op="string_normalize",
        reference=string_normalize_ref,
        samples=[call(sample, form) for sample in SAMPLES for form in FORMS],
        strategy=st.builds(call, tensors_of(strings), st.sampled_from(FORMS)),
        draw=lambda rng, n: call(drawn(rng, n), rng.choice(FORMS)),
        small=call([b"ab c", b"d"], "NFC"),
        text=False,
        errors=[(call([b"a"], "nfc"), "expected `form` to be 'NFC', 'NFD', 'NFKC' or 'NFKD', got 'nfc'")],
    )


class TestStringStripAccents(MapTests):
    suite = MapSuite(
        op="string_strip_accents",
        reference=string_strip_accents_ref,
        samples=[*SAMPLES, ["\u00c5ngstr\u00f6m", "\u0e40\u0e14\u0e47\u0e01", "\u0903\u093e\u0947"]],
        strategy=st.builds(call, tensors_of(strings)),
        draw=lambda rng, n: call(drawn(rng, n)),
        text=False,
    )


@pytest.mark.parametrize("name", ["", "after q + dot below", "before dot below"])
def test_every_code_point(name: str) -> None:
    """With the tables' version of Unicode, which may be newer than this Python's."""
    assert GOLDEN["unicode"] == torch_stringops.unicode_version()
    before, after = {
        "": ("", ""),
        "after q + dot below": ("q\u0323", ""),
        "before dot below": ("", "\u0323"),
    }[name]
    texts = [before + chr(c) + after for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    s = StringTensor.from_list(texts)
    for form in FORMS:
        results = s.normalize(form).tolist()
        assert zlib.crc32("\n".join(results).encode()) == GOLDEN["checksums"][f"{form} {name}".strip()], form


@pytest.mark.parametrize("form", FORMS)
def test_long_runs_of_marks_take_no_quadratic_time(form: str) -> None:
    n = 250_000  # Python's own takes quadratic time
    first = "a\u05b0" if "D" in form else "\u1ea1\u05b0"
    below = "\u0323" * (n if "D" in form else n - 1)
    want = first + "\u05b0" * (n - 1) + below + "\u0301" * n + "\u0345" * n
    text = "a" + "\u0301\u0323\u05b0\u0345" * n
    assert StringTensor.from_list([text]).normalize(form).tolist() == [want]


@each("cols", [1, 5, 400])
@each("every", [1, 3, 64, 130])
@each("form", FORMS)
def test_changes_among_strings_that_stay_as_they_are(cols: int, every: int, form: str) -> None:
    marked, plain = "e\u0301", ["x", "", "\u00e9t\u00e9", "\u65e5\u672c", "long " * 9]
    flat = [marked.encode() if i % every == 0 else plain[i % 5].encode() for i in range(1200)]
    rows = [flat[i : i + cols] for i in range(0, len(flat), cols)]
    want = [[string_normalize_ref(s, form) for s in row] for row in rows]
    assert decode(*torch.ops.stringops.string_normalize(*compact(rows), form)) == want


@pytest.mark.parametrize("form", ["NFD", "NFKD"])
def test_few_changes_in_much_ascii(form: str) -> None:
    """Blocks that stay as they are, between others, and strings of several blocks."""
    texts = ["plain text " * (i % 9) for i in range(4000)]
    texts[1000] = texts[3000] = "\u1ebf q\u0301\u0323 \ud55c\uae00"
    texts[2000] = "a" * 20_000 + "\u00e9\u0323"
    want = [unicodedata.normalize(form, text) for text in texts]
    assert StringTensor.from_list(texts).normalize(form).tolist() == want
