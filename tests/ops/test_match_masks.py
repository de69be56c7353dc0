"""Matches and separators by masks: against the engine, for both match rules, across words, blocks and tasks.

Masks find the matches of small automata, those that are runs of classes, and several separators that are texts and sets.
"""

import itertools
import random
from collections.abc import Iterator

import pytest
import torch
from support.cases import each
from support.engines import without_masks
from support.published_patterns import PUBLISHED
from support.threads import on_threads

import torch_stringops as so

AUTOMATA = [
    "[a-z]+(?:ing|ed|s)", r"[a-z_]\w*\.[a-z_]\w*", r"\"[^\"\n]*\"|'[^'\n]*'", r"(\w+)@[\w.]+", "q[a-z]+x",
    "a(?:.*b)?", "a+b", "[ab]+b[ab]+", "a{2,5}", "a|ab", "ab|a", "ab|abc|b", "(?:a|b)c+", "a?b?c", "a*b", "[^a]+a",
    "é+a", "[^é]b", "a.b", "[a-c]+[b-d]+[c-e]", "x[^y]*y", "x[^y]+[^z]*z", "(?s).b", r"\d+(?:\.\d+)?%", "a*(?:b|c)",
    "ab+?c", "a[^a]*?a", "<[^>]*>", "(?i)a+S", "a[bc]{3}", "[а-я]+b", "b[а-я]+", "a+", "aa|b+", '"[^"]+"',
    "'[^'é]*'|<[^<>]+>", "%[^x]*x|\"[a-z]*'", "_[^\n]*z",
    "[a-z]+@[a-z]+", "x[xyz]*%[ab]+", "[^%]+%a[^%]*", r"[ab@]+\.[ab]+", "[a-z]*@b+",
    r"é?\w+@[b%]*1", "x[^_]*@%[^z]*z", "(?:a|b+)c@|[xy]c@b", "@+[^1]*b",
    r"\b[a-z]{2}\b", r"\B\w", r"\b[ab]+\B", r"@\b|\b[%@]", r"(?m)^[ab]+", r"(?m)[a-z]+$", r"a+(?!b)", r"[a-z]+(?=[^a])",
    "(?:[a-z]+-)+[a-z]+", "(?:[a-z]+ )+b", "a(?:b|(?:cd)+)*@", "(?:a{2})+b", "(?:[ab]{1,3}c)+", '"(?:[^"\'\n]|\'.)*"',
    "[a-z]{5}@", "[a-z]{3,8}", "[ab]{70}", r"\b[a-z]{2,4}\b", r"[a-z]{1,3}(?: [a-z]{2})*\b", "[ab]{1,3}[bc]{2}x?", "[a-z]{4,}1",
]  # fmt: skip
ALPHABET = "ab\"'éя.@_ csxyzgindeqб<>%1\n"

WORDS = r"'(?:[sdmt]|ll|ve|re)| ?\pL+| ?\pN+| ?[^\s\pL\pN]+|\s+"
RUNS = [
    *PUBLISHED.values(), WORDS, WORDS.replace("(?:", "(?i:").replace("s", "r", 1),
    r"\w+|[^\w\s]", r"\w+|[^\w\s]+", r"[^\w\s]|\w+", r"\w|[^\w\s]+", r"(\w+|[^\w\s])", r"((?:\w+)|([^\w\s]))",
    r"\d+|[A-Z][a-z]+|[a-z]+", r"\d+|[A-Z][a-z]*|[a-z]+", r"[A-Z][a-z]+|[a-z]+|\s", r"[A-Z][a-z]+",
    r"\pL+", r"\pL+|\pN+", r"\p{Lu}+|\p{Ll}+", r"\pL|\pN+", "[а-я]+", "[一-龥]+", "[^，]+", "[а-я]|[a-z]+", r"[^\s\pL]",
    r" ?\w+|[^\w\s]", r" ?\w+|\s+", r" ?\w+|\s", r"\s+| ?\w+", r"[ _]?[a-z]+|[ _]", r" ?[a-z]| ?[A-Z]+| ",
    r" ?[a-z]+| +", r" ?[^\s'a-z]+|[a-z]+|\s+", "'s| ?[a-z]+|'", "'s|'t|'ll|[a-z]+", "'s|'so|[a-z]+", "'s|[a-z]+|[^a-z]",
    r"'(?:s|ll)|\w+", r"\w{2,}", r"\w{3,}", r"\b\w\w+\b", r"\b\w+\b", r"\w+\w", r"\pL{2,}", r"\pL+\pL+\pL", r"[a-z]{32,}", r"[^,]{64,}", r"\S{40,}", r"[^,é]{65,}",
    r"[a-z]+(?:'[a-z]+)*", r"\w+(?:['.][a-z0-9A-Z_]+)?", r"\w+(?:'\w+)?|[^\w\s]", r"\pL+(?:['!]\pL+)*|\pN+(?:[.,]\pN+)?|[^\s\pL\pN]+",
    r"\d+(?:\.\d+)?|[A-Z][a-z]+|[a-z]+(?:'[a-z]+)+", r"\pL{1,}(?: \pL+)?", r"[A-Z][a-z]+|[a-z]+(?:'[a-z]+)?",
    "[ \u00a0\u3000]?[a-zé日]+", "[\u3000\u00a0]?\\pL+|\\pN+|!", "[\U0001f600_]?[a-z]+|[ \t]", "[\u3000!a]?[a-z\u3000]+", "[，é]?[a-z]",
    r"\w+?|\s", "(?:a|b)+|c", "(a)+|c", "(a){0}b+|c",
]  # fmt: skip
PIECES = [
    "'", "'s", "'ll", "'l", "'re", "''", "'S", "s", "l", "a", "ab", "abc", "A", "Ab", "AB", "z", "1", "12", " ", "  ", " \t",
    "\n", "\t", ".", "..", "_", "!", ",", "é", "É", "я", "Я", "日", "本，", "，", "ª", "٣", "²", "\u00a0", "\u3000", "\U0001f600",
    "\U00010400", "\u0301", "ǅ", "ſ", "\u212a", "\v", "\0", "\r\n", "\n ", " \n", "'ſ", "'VE", "'lL", "123", "1234", "(", "é́", "/", "\n/", ".1", "a'", "é!a", "\u0301A", "日A", "ʰ", "Ǆ",
]  # fmt: skip

SEPARATORS = [
    [", ", " "], [" ", ", "], ["，", "。"], ["ab", "ba"], ["ba", "aab", "b"], ["a", "ab"], ["aa"], ["aa", "a,"], [", |; "], ["[,;]", "ab"],
    [r",\s|\s\(|\)\s|\.\s", " "], ["，+", "日|é"], ["aba", "bab", "ab"], ["a|ab|b,", "ab,"], ["é,", "[é，]+"], ["aaab", "b  "],
    ["é日", "日"], ["(ab)|(ba)", "(a)"], ["ab", "[^\\0-\\x{10FFFF}]"],
]  # fmt: skip
LETTERS = [*"aaab,; ().", "é", "日", "，", "。", "ab", ", "]
ATOMS = ["a", "b", ".", "[^a]", "é", "[aé]"]
REPEATS = ["", "*", "+", "?", "{2}", "{1,2}", "+?"]


def small_patterns() -> Iterator[str]:
    repeated = [atom + repeat for atom in ATOMS for repeat in REPEATS]
    yield from repeated
    for a, b, join in itertools.product(repeated, repeated, ("", "|")):
        yield f"{a}{join}{b}"
        if repeated.index(a) % 5 == 0:
            yield from (f"(?:{a}{join}{b})a", f"b(?:{a}{join}{b})", f"(?:{a}{join}{b})+b")


def tokens(strings: so.StringTensor, **how: object) -> list[torch.Tensor]:
    return list(torch.ops.stringops.tokenizer_ragged(strings.data, strings.offsets, **how))


def results(strings: so.StringTensor, pattern: str) -> list[torch.Tensor]:
    """By all operators; of published patterns, which have look-aheads, only the first matches."""
    ops, given = torch.ops.stringops, (strings.data, strings.offsets, pattern)
    found = [
        *ops.regex_find_all_ragged(*given),
        *ops.regex_find_all_spans_ragged(*given),
        *ops.regex_split_ragged(*given),
        *ops.regex_split_spans_ragged(*given),
        *ops.regex_replace(*given, "<->"),
        *ops.regex_replace(*given, r"-\0+"),
        ops.regex_find(*given, 0),
        *ops.regex_extract(*given, 0),
        ops.regex_contains(*given),
    ]
    if pattern in PUBLISHED.values():
        return found
    found += tokens(strings, tokenexp=pattern)
    if pattern in RUNS:
        found += [t for count in (2, 5) for t in tokens(strings, tokenexp=pattern, mincharnum=count)]
        found += tokens(strings, separators=[pattern], mincharnum=3)
    return found


def compare(texts: list[str], pattern: str | list[str]) -> None:
    strings = so.StringTensor.from_list(texts)

    def find() -> list[torch.Tensor]:
        return results(strings, pattern) if isinstance(pattern, str) else tokens(strings, separators=pattern)

    by_masks = find()
    with without_masks():
        assert all(map(torch.equal, by_masks, find())), pattern
    if len(strings.data) > 100_000:  # which is divided among tasks
        with on_threads(3):
            assert all(map(torch.equal, by_masks, find())), pattern


def all_texts(letters: str, longest: int) -> list[str]:
    return ["".join(text) for n in range(longest + 1) for text in itertools.product(letters, repeat=n)]


def text_of_pieces(rng: random.Random) -> str:
    return "".join(rng.choices(rng.sample(PIECES, rng.randint(2, 9)), k=rng.choice([0, 1, 3, 8, 60, 70, 200])))


@pytest.mark.parametrize("letters", ["ab", "abé\n"])
def test_small_patterns_on_all_short_texts(letters: str):
    for pattern in small_patterns():
        compare(all_texts(letters, 5 if letters == "ab" else 3), pattern)


@each(("pattern", "letters"), [
    (WORDS, "'sl A"), (r"\d+|[A-Z][a-z]+|[a-z]+", "'sl A"), (r" ?\w+|\s+", "'sl A"), (r"\w+(?:'\w+)?", "'sl A"),
    (r"[sl]+(?:['A][sl]+)*|.", "'sl A"), *((pattern, "'s1\n A!") for pattern in PUBLISHED.values()),
    (PUBLISHED["o200k"], "'sS日\u0301!"), (PUBLISHED["tekken"], "'sS日\u0301!"),
])  # fmt: skip
def test_runs_on_all_short_texts(pattern: str, letters: str):
    compare(all_texts(letters, 5), pattern)


@each("pattern", AUTOMATA)
@each("size", [8, 70, 3000])
def test_random_texts(tier: str, pattern: str, size: int):
    rng = random.Random(f"{pattern} {size}")
    for few in (2, 4, len(ALPHABET)):
        letters = rng.sample(ALPHABET, few) + [c for c in ALPHABET if c in pattern] * (few == 4)
        for alphabet in (letters, [c for c in letters if c.isascii()] or ["a"]):
            texts = ["".join(rng.choices(alphabet, k=rng.randrange(size))) for _ in range(60_000 // size // 10 + 3)]
            compare(texts, pattern)


@each("pattern", RUNS)
def test_random_texts_of_runs(pattern: str):
    rng = random.Random(pattern)
    compare([text_of_pieces(rng) for _ in range(200)], pattern)


@each("separators", SEPARATORS)
def test_random_texts_with_separators(separators: list[str]):
    rng = random.Random(str(separators))
    texts = ["".join(rng.choices(LETTERS, k=rng.choice([0, 1, 3, 8, 60, 70, 200]))) for _ in range(200)]
    compare(texts + all_texts("ab, ", 4), separators)
    compare(["".join(rng.choices(LETTERS, k=30_000)) for _ in range(3)], separators)


@each("pattern", AUTOMATA)
def test_strings_longer_than_a_block(pattern: str):
    rng = random.Random(pattern)
    texts = []
    for size in (8191, 8192, 8193, 5, 20000, 0, 40):
        letters = rng.sample(ALPHABET, 3) + [c for c in ALPHABET if c in pattern]
        texts.append("".join(rng.choices(letters, k=size)))
        texts.append("a" * size + "b")
    compare(texts, pattern)


@each("pattern", [
    *PUBLISHED.values(), WORDS, r"\w+|[^\w\s]", r"\d+|[A-Z][a-z]+|[a-z]+", r"\pL{2,}", r" ?\w+|\s+",
    "[ \u00a0\u3000]?[a-zé日]+", r"\w+(?:'\w+)?|[^\w\s]", r"\pL+(?:['!]\pL+)*",
])  # fmt: skip
def test_long_strings_of_runs_that_blocks_and_tasks_divide(pattern: str):
    rng = random.Random(pattern)
    texts = ["".join(text_of_pieces(rng) for _ in range(60)) for _ in range(6)]
    compare([text * (1 + 20000 // (len(text) + 1)) for text in texts], pattern)
    compare([text * (1 + 100_000 // (len(text) + 1)) for text in texts[:2]], pattern)


def test_literal_cases_of_separators():
    tokens, row_splits = so.tokenizer_ragged(["a, b c,d", " x", ", "], separators=[", ", " "])
    assert (tokens.tolist(), row_splits.tolist()) == (["a", "b", "c,d", "x"], [0, 3, 4, 4])
    assert so.tokenizer_ragged(["aabab"], separators=["ba", "ab"])[0].tolist() == ["aa", "b"]
    assert so.tokenizer_ragged(["你好，世界。"], separators=["，", "。"])[0].tolist() == ["你好", "世界"]
