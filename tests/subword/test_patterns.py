"""Patterns that are searched for by the engine: what they become, and the pieces that `tokenizers` gives."""

import random
from typing import Any

import pytest
import torch
from support.cases import each
from support.strings import compact

from torch_stringops.subword._definition import Unsupported
from torch_stringops.subword._regex import PatternFault, translated
from torch_stringops.subword._splits import pattern_lines, split_lines


@pytest.mark.parametrize(("pattern", "text"), [
    ("ab|c+?", "ab|c+?"), (r"(?i:s)\.[^\n]", r"(?:[Ssſ])\.[^\x0a]"), (r"\x41\x{e9}\u00e9\t\-", r"Aéé\x09\-"),
    (r"[a-c&&[^b]]{2}[]-]", r"[ac]{2}[\-\]]"), (r"^a$", r"(?m:^)a(?m:$)"), (r"(a)(?<n>b)(?:c)", "(?:a)(?:b)(?:c)"),
    (r"a{1,3}+b++", "(?:a{1,3})+b++"),
    (r"a(?!\S)|b{,2}c", "a(?![^\\x09-\\x0d \x85\xa0\u1680\u2000-\u200a\u2028-\u2029\u202f\u205f\u3000])|b{0,2}c"),
    ("(?i)k", "[Kk\u212a]"),
])  # fmt: skip
def test_patterns_in_another_syntax(pattern: str, text: str):
    assert translated(pattern, "onig") == text


def test_places_and_ranges_of_another_engine():
    assert translated(r"^a{1,3}+$", "fancy") == r"\Aa{1,3}+\z"


@each(("pattern", "fault"), [
    ("a*", "a match that may be empty"), (r"\ba", r"\b"), (r"(a)\1", r"\1"), ("(?<=a)b", "(?<"), ("(?>a)b", "(?>"),
    (r"\p{Emoji}", r"\p{Emoji}"),
    ("(?i:stop)", "(?i) with letters that one character may stand for, such as ss"),
    ("(?i:é)", "(?i) with characters beyond ASCII"), ("a**", "a repetition of a repetition"),
    ("(a*)*b", "a repetition of what may be empty"), ("^*b", "a repetition of what matches a place"),
    ("a{2}?", "{2}?"), ("a{2,1}", "{2,1}"), ("{b", "{ at this place"), ("[a-c-e]", "a - inside of a class"),
    ("[c-a]", "a range that is none"), ("[[:alpha:]]", "[:"), ("[a--b]", "- at this place"),
    ("[^\\s\\S]", "a class without characters"), ("[a", "the end of the pattern at this place"),
    ("(a", "a ( without )"), ("a)", "a ) without ("),
])  # fmt: skip
def test_what_is_not_supported_is_named(pattern: str, fault: str):
    with pytest.raises(PatternFault) as error:
        translated(pattern, "onig")
    assert str(error.value) == fault


def test_what_the_engine_does_not_search_for_is_named():
    unsupported = Unsupported("op")
    assert pattern_lines("a(?=bc)", "onig", "isolated 0", "", unsupported) == []
    assert "what the operators do not search for (" in unsupported.found[0]
    assert unsupported.found[0].endswith('"a(?=bc)"')


# With the characters on which they depend.
PATTERNS = [
    r"\p{Lu}?\p{Ll}+|\d{1,3}|[^\s\w]+",
    r"(?i:'s|'re|'ll)|\w+|[^\w\s]+(?!\S)",
    r"\s+$|^\S+|[a-c]+?b",
    r"[\w&&[^\d_]]+|[²³\p{No}]",
    r"\p{Han}++|[\p{L}\p{M}&&[^\p{Han}]]+ ?",
    "a|ab|abc",
    # BLOOM; Kimi-K2, without its alternatives for numbers, signs and whitespace.
    " ?[^(\\s|[.,!?…。，、।۔،])]+",
    r"[\p{Han}]+|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'ll)?",
]
CHARACTERS = [*"abcsSſ'lL12²_.- \n\u3000é漢字", "re", "\u0301", "ab", "  "]


def pieces(line: str, texts: list[str]) -> list[list[str]]:
    """By a model without tokens, whose words are all unknown."""
    spec = f"subword 1\nmodel wordpiece 23 1000\nunk 0\n{line}\ndecode wordpiece 23 0\n"
    no_rows = torch.empty(0, 3, dtype=torch.int64)
    table = torch.ops.stringops.subword_build(*compact([b"\x07"]), no_rows, spec)
    raw = [text.encode() for text in texts]
    _, row_splits, begins, ends = torch.ops.stringops.subword_encode_spans(*compact(raw), table)
    spans = list(zip(begins.tolist(), ends.tolist(), strict=True))
    rows = zip(raw, row_splits[:-1].tolist(), row_splits[1:].tolist(), strict=True)
    return [[text[a:b].decode() for a, b in spans[first:last]] for text, first, last in rows]


def steps() -> list[Any]:
    from tokenizers import Regex, pre_tokenizers

    rng = random.Random(1)
    splits = [
        pre_tokenizers.Split(Regex(pattern), rng.choice(["removed", "isolated", "contiguous"]), invert)
        for pattern in PATTERNS
        for invert in (False, True)
    ]
    behaviors = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
    return [
        *splits,
        *(pre_tokenizers.Split(Regex(PATTERNS[0]), behavior) for behavior in behaviors),
        *(pre_tokenizers.Split("ab", behavior, True) for behavior in behaviors),
        *(pre_tokenizers.Punctuation(behavior) for behavior in behaviors),
        pre_tokenizers.Whitespace(),
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.CharDelimiterSplit("é"),
        pre_tokenizers.FixedLength(3),
        pre_tokenizers.Digits(True),
    ]


def test_pieces_of_each_step():
    pytest.importorskip("tokenizers")
    import json

    rng = random.Random(0)
    for step in steps():
        texts = ["".join(rng.choices(CHARACTERS, k=rng.randrange(1, 20))) for _ in range(50)]
        unsupported = Unsupported("op")
        (line,) = split_lines(json.loads(step.__getstate__()), True, unsupported)
        want = [[piece for piece, _ in step.pre_tokenize_str(text)] for text in texts]
        for text, got, expected in zip(texts, pieces(line, texts), want, strict=True):
            assert got == expected, (step, text)
