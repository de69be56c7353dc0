"""string_segments_ragged, lengths, slices and the reverse in clusters, and string_script: composed of other operators."""

import collections
import itertools
import random

import pytest
import regex
import torch
from reference.segments import CLASSES, string_segments_ragged_ref
from support.traced import check_traced

from torch_stringops import StringTensor, regex_contains, string_script, string_segments_ragged

POOL = [*CLASSES, "a", "\xe9", "\u65e5"]


def segments(texts: list[str]) -> list[list[str]]:
    values, splits = string_segments_ragged(texts)
    strings, ends = values.tolist(), splits.tolist()
    return [strings[a:b] for a, b in itertools.pairwise(ends)]


def test_pairs_and_random_strings(tier: str) -> None:
    rng = random.Random(0)
    texts = [a + b for a in POOL for b in POOL]
    texts += ["".join(rng.choices(POOL, k=rng.randrange(12))) for _ in range(5000)]
    assert segments(texts) == [string_segments_ragged_ref(text) for text in texts]


def test_the_package_regex_agrees_on_the_basic_plane() -> None:
    """Its Unicode version may be later, and its rule of conjuncts does not ask for the consonant before."""
    rng = random.Random(0)
    letters = [
        chr(c) for c in (*range(0x20, 0x370), *range(0x1100, 0x1200), *range(0xAC00, 0xAC80), *range(0x4E00, 0x4E80))
    ]
    texts = ["".join(rng.choices(letters, k=20)) for _ in range(2000)]
    assert segments(texts) == [regex.findall(r"\X", text) for text in texts]


def test_strings_whose_clusters_are_code_points() -> None:
    """They are not searched for clusters if all strings are such."""
    rng = random.Random(3)
    pool = ["a", "\n", "\0", "\xe9", "\u2764", "\u200b", "\u0915", "\u65e5"]
    texts = ["", *("".join(rng.choices(pool, k=rng.randrange(9))) for _ in range(300))]
    for more in ([], ["\r\n"]):
        assert segments(texts + more) == [string_segments_ragged_ref(text) for text in texts + more]
    with pytest.raises(ValueError, match="string_segments_ragged.*UTF-8"):
        string_segments_ragged([b"a\xc3"])


def test_units_that_readers_see() -> None:
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    texts = [
        "e\u0301", "\r\n", "\uac01\u11a8", "\U0001f1e9\U0001f1ea\U0001f1eb", family + "!", "\u0915\u094d\u0937",
    ]  # fmt: skip
    want = [1, 1, 1, 2, 2, 1]
    s = StringTensor.from_list(texts)
    values, splits = s.segments_ragged()
    assert splits.diff().tolist() == want
    compiled = torch.compile(lambda t: t.segments_ragged(), fullgraph=True, backend="eager")
    assert compiled(s)[0].tolist() == values.tolist()
    assert "".join(values.tolist()) == "".join(texts)


def test_lengths_and_slices(tier: str) -> None:
    rng = random.Random(1)
    texts = ["", *("".join(rng.choices(POOL, k=rng.randrange(12))) for _ in range(300))]
    s = StringTensor.from_list(texts[:300]).reshape(20, 15)[1:, ::2]
    want = [string_segments_ragged_ref(text) for text in s.flatten().tolist()]
    assert s.length(unit="grapheme").flatten().tolist() == [len(clusters) for clusters in want]
    for start, stop in itertools.product((0, 1, 3, -1, -3, 99, -99), (None, 0, 2, -1, -2, 99, -99)):
        found = s.slice(start, stop, unit="grapheme")
        assert found.shape == s.shape
        assert found.flatten().tolist() == ["".join(clusters[start:stop]) for clusters in want]

    assert s.reverse(unit="grapheme").flatten().tolist() == ["".join(clusters[::-1]) for clusters in want]

    def head(t: StringTensor) -> tuple[StringTensor, torch.Tensor, StringTensor]:
        return t.slice(0, 2, "grapheme"), t.length("grapheme"), t.reverse("grapheme")

    strings, lengths, reverses = torch.compile(head, fullgraph=True, backend="eager")(s)
    assert strings.tolist() == s.slice(0, 2, "grapheme").tolist()
    assert lengths.tolist() == s.length("grapheme").tolist()
    assert reverses.tolist() == s.reverse("grapheme").tolist()
    with pytest.raises(TypeError, match="slice: expected `start` to be an int, got str"):
        s.slice("a", None, "grapheme")
    with pytest.raises(ValueError, match="expected `unit` to be 'codepoint' or 'grapheme', got 'byte'"):
        s.reverse("byte")
    for call in (StringTensor.length, StringTensor.reverse, lambda t, unit: t.slice(0, 1, unit)):
        with pytest.raises(ValueError, match="UTF-8"):
            call(StringTensor.from_list([b"\xff"]), unit="grapheme")


def test_errors() -> None:
    with pytest.raises(
        ValueError, match="string_segments_ragged: expected `unit` to be 'grapheme', 'word' or 'sentence', got 'line'"
    ):
        string_segments_ragged(["a"], "line")
    with pytest.raises(ValueError, match="UTF-8"):
        string_segments_ragged([b"\xff"])


def script_of(text: str) -> str:
    """The commonest script of the code points; of equal ones the first."""
    counts = collections.Counter(script for char in text if (script := SCRIPTS.get(char)))
    return max(counts, key=lambda name: counts[name], default="Common")


CHARS = list(map(chr, [*range(0x20, 0x3100), *range(0x4E00, 0x4F00)]))
# By the tables of regular expressions, which other code wrote.
SCRIPTS = {
    char: name
    for name in ("Latin", "Greek", "Cyrillic", "Hebrew", "Arabic", "Devanagari", "Hangul", "Hiragana", "Han")
    for char in StringTensor.from_list(CHARS)[regex_contains(CHARS, rf"\p{{{name}}}")].tolist()
}


def test_scripts(tier: str) -> None:
    rng = random.Random(2)
    pool = [*rng.sample(sorted(SCRIPTS), 300), *" 0.,!\u0301\u3001"]
    texts = ["", " 1", *("".join(rng.choices(pool, k=rng.randrange(9))) for _ in range(2000))]
    s = StringTensor.from_list(texts)
    found = s.script()
    assert found.tolist() == [script_of(text) for text in texts]
    assert len(set(found.tolist())) == 10
    rows = s[:2000].reshape(40, 50)[1:, ::3]
    assert rows.script().tolist() == [[script_of(text) for text in row] for row in rows.tolist()]
    assert s[5].script().item() == script_of(texts[5])
    check_traced(StringTensor.script, s[:50])
    assert string_script(["\u0414\u0430", b"\xff", "\u6f22\u5b57"]).tolist() == ["Cyrillic", "Common", "Han"]
