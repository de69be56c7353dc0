"""Look-aheads, possessive repetitions and case-insensitive groups in regex_*: the patterns of pre-tokenizers, against the
`regex` module if it is installed, and literal cases."""

import itertools
import random
import re
from contextlib import nullcontext
from itertools import pairwise

import pytest
import torch
from support.cases import each
from support.engines import by_closure, without_masks
from support.errors import BAD_ARGUMENT
from support.published_patterns import GPT2, LLAMA3, PUBLISHED

import torch_stringops as so

SMALL = [
    r"a+(?!b)", r"a*+b", r"[ab]*+a", r"a{1,2}+a", r"(?:a(?=b))+|b", r"(?i:k|s)+", r"\w++(?= )", r"[ab]?+a", r"a+?(?!a)",
    r"(?=a)[ab]+", r"(?!a)[ab]+", r"a??(?=b)", r"(?:a|b(?!c))*", r"x*(?=b)|a", r"(?i)(?:É|ß)+", r"(a)(?!b)|(b)",
    r"a?+a+", r"[ab]?+[bc]+", r" ?+\s+", r"b?+[^a]+", r"a?+b+", r"[a-c]?+c", r"[ab]?+b++|c",
]  # fmt: skip
LETTERS = ["'", "s", "S", "t", "l", "L", "v", "e", "r", "E", "a", "B", "ʰ", "中", "1", "2", "²", "!", "/", " ", " ", "\n", "\r", "\t", "é"]  # fmt: skip


def find_all(pattern: str, texts: list[str]) -> list[list[str]]:
    pieces, row_splits = so.regex_find_all_ragged(texts, pattern)
    flat = pieces.tolist()
    return [flat[a:b] for a, b in itertools.pairwise(row_splits.tolist())]


def random_texts(letters: list[str], count: int, longest: int) -> list[str]:
    rng = random.Random(11)
    return ["".join(rng.choices(letters, k=rng.randint(0, longest))) for _ in range(count)]


# RE2's and the module's \s and \w differ beyond ASCII: the module gets RE2's.
def expected(pattern: str, texts: list[str]) -> list[list[str]]:
    regex = pytest.importorskip("regex")
    pattern = pattern.replace(r"[^\s", r"[^\t\n\f\r ").replace(r"\s", r"[\t\n\f\r ]").replace(r"\S", r"[^\t\n\f\r ]")
    compiled = regex.compile(pattern.replace(r"\w", "[0-9A-Za-z_]").replace("$", r"\Z"), regex.VERSION0)
    return [[m[0] for m in compiled.finditer(text)] for text in texts]


@pytest.mark.parametrize("name", PUBLISHED)
def test_patterns_of_pre_tokenizers(name: str):
    texts = random_texts(LETTERS, 2000, 12)
    assert find_all(PUBLISHED[name], texts) == expected(PUBLISHED[name], texts)


@each("pattern", SMALL)
def test_small_patterns_on_every_short_text(pattern: str):
    texts = ["".join(t) for n in range(6) for t in itertools.product("abc ", repeat=n)]
    texts += random_texts(["K", "k", "\u212a", "s", "ſ", "é", "É", "ß", "ẞ", "x", "b"], 300, 5)
    want = expected(pattern, texts)
    if re.search(r"[*?]", pattern):  # the module may return an empty match at the end of another, and ours does
        want = [[piece for piece in pieces if piece] for pieces in want]
        assert [[p for p in pieces if p] for pieces in find_all(pattern, texts)] == want
    else:
        assert find_all(pattern, texts) == want


def test_literal_cases():
    assert find_all(GPT2, ["it's  here \n", "a 'll x'"]) == [
        ["it", "'s", " ", " here", " \n"],
        ["a", " '", "ll", " x", "'"],
    ]
    assert find_all(LLAMA3, ["It'S 12345!!\n\n  x\r\n "]) == [
        ["It", "'S", " ", "123", "45", "!!\n\n", " ", " x", "\r\n", " "]
    ]
    assert find_all(r"a++a|a", ["aaa"]) == [["a", "a", "a"]]
    assert find_all(r"a(?=b)", ["abaa"]) == [["a"]]
    assert so.regex_extract("abc abd", r"(ab)(?=d)(.)", 2).tolist() == "d"
    assert so.regex_replace("a1 a2 b", r"(\w)(\d)(?!x)", r"\2\1").tolist() == "1a 2a b"
    assert so.regex_contains(["ab", "ac"], "a(?!b)").tolist() == [False, True]
    assert so.regex_full_match(["ab", "ac"], "a(?!b).").tolist() == [False, True]
    assert so.regex_split_ragged("a b  c", r"\s+(?!\s)")[0].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("pattern", ["(?=ab)", "(?!a+)", "(?:ab)++", "(?<=a)b", "(?=a|)"])
def test_others_are_rejected(pattern: str):
    with pytest.raises(
        BAD_ARGUMENT,
        match=r"^regex_contains: cannot compile `pattern`: (look-ahead at|possessive repetition of|unsupported look-behind)",
    ):
        so.regex_contains(["a"], pattern)


def test_large_patterns():
    pattern = "(?!b).*a" + 20 * "[ab]{1000}" + "c"
    assert so.regex_contains(["a", "b" + "a" * 20_001 + "c", "b" + "a" * 20_000 + "c"], pattern).tolist() == [
        False,
        True,
        False,
    ]


# A text is read backward once searches have read far in vain, and again once the automaton's memory is exhausted.
@pytest.mark.parametrize("pattern", [r"a[^b]*b(?!c)|a", r"[ab]*?a[ab]{12}c(?=b)|[ab]", r"\w{1,300}+1(?!a)"])
def test_long_texts(pattern: str):
    text = "".join(random.Random(2).choices("abc1 ,é", k=100_000))
    assert find_all(pattern, [text]) == expected(pattern, [text])


def test_on_torch_tensors():
    s = so.StringTensor.from_list(["it's", " a  b"])
    spans, row_splits = s.regex_find_all_spans_ragged(GPT2)
    assert spans.tolist() == [[0, 2], [2, 4], [0, 2], [2, 3], [3, 5]]
    assert torch.equal(row_splits, torch.tensor([0, 2, 5]))


# The text that is read backward for the groups of a match can begin inside the block before that of its end.
def test_groups_of_matches_of_all_lengths():
    pattern = r"(a*?)(a|é)((?:é|b)1|1)"
    for length in (*range(1, 12), *range(1015, 1034), 4096, 5000):
        text = "é" * 3 + "a" * length + "é1"
        begin, end = so.regex_find([text], pattern, 2)
        match = re.search(pattern, text)
        assert match
        assert (begin.item(), end.item()) == match.span(2)


# Many alternatives and many classes of characters, by every engine.
HEADS = ["a", "b", "é", "日", "[a-c]", "[^ab]", "(?:a|bc)", "a?b", "a{2}", r"\d", "(?:é日)?1", "[b日]c*"]
TAILS = ["", "a", "b*", "[é日]", "c|a", "1+?"]


def check(pattern: str, texts: list[str]) -> None:
    strings = so.StringTensor.from_list(texts)
    want = [[m.group() for m in re.finditer(pattern, text, re.ASCII) if m.group()] for text in texts]
    for context in (nullcontext, without_masks, by_closure):
        with context():
            found, row_splits = so.regex_find_all_ragged(strings, pattern)
            rows = [found[a:b].tolist() for a, b in pairwise(row_splits.tolist())]
            assert [[match for match in row if match] for row in rows] == want
            assert so.regex_contains(strings, pattern).tolist() == [
                re.search(pattern, text, re.ASCII) is not None for text in texts
            ]
            assert so.regex_full_match(strings, pattern).tolist() == [
                re.fullmatch(pattern, text, re.ASCII) is not None for text in texts
            ]


@each("seed", range(20))
def test_many_alternatives(seed: int):
    rng = random.Random(seed)
    alternatives = [rng.choice(HEADS) + rng.choice(TAILS) for _ in range(rng.randint(17, 40))]
    pattern = rng.choice(["{}", "(?:{}){{1,2}}b", "x(?:{})|b"]).format("|".join(alternatives))
    check(pattern, ["".join(rng.choices("abcé日1x", k=rng.randint(0, 12))) for _ in range(40)])


# More classes than a table of transitions has columns.
@pytest.mark.parametrize("pattern", ["{}", "(?:{}){{1,9}}!|日", "(?:(?:{})本?){{2}}。"])
def test_lists_of_words_with_thousands_of_classes(pattern: str):
    rng = random.Random(pattern)
    letters = [chr(c) for c in range(0x4E00, 0x4E00 + 3000)]
    words = ["".join(rng.choices(letters, k=rng.randint(1, 3))) for _ in range(4000)]
    texts = [
        "".join(rng.choices(letters + words, k=rng.randint(0, 30))) + rng.choice(["", "。", "!"]) for _ in range(40)
    ]
    check(pattern.format("|".join(words)), texts)
