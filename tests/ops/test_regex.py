"""Suites of regex_*, on patterns that mean the same in RE2 and in Python."""

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference import regex_functions as reference
from support import draws
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.families import MapSuite, MapTests, RaggedSuite, RaggedTests, ReduceSuite, ReduceTests, StringsSuite
from support.harness import OpTests, call
from support.traced import check_traced

import torch_stringops as so

TEXTS = [
    "to be or not to be", "", "x = 12, café=3.5", "日本 é1é", "aab abb b", "2026-11-22 a@b.org", "\n a\v\t",
]  # fmt: skip

# Sets and literals, which need no engine, and others.
SETS = [
    "[a-z]+", r"\w+", r"\d+", r"\s+", r"\S+", r"\w", " ", ",", "[^a-z ]+", "[ ,.]", "a", "[^,]", "é", "to be", "ab",
]  # fmt: skip
GENERAL = [
    "a|ab", "ab|a", r"\w+|[^\w\s]", "(?i)TO", r"\bb", r"b\b", "^a", r"a\z", "(?m)^.", "a.b", "(?s:.)", "a.*b", "a.*?b",
    "a+?b", r"\d+\.\d+|\d+", "[é日]+", "é|本", r"[a-z]+[.]", "aa?b{1,2}",
    "to|be|b", r"\w+@", r"[a-z_]\w* ", "(?i)to|or", "[^,]+,", r"\b(?:to|or)\b",
    "[ab]*bb", "(?:to b|be o)[er]",
]  # fmt: skip
EMPTY = ["", "x*", "[a-z]*", r"\b", "^", "()", "a?", "(?:)|b", r"\s*", "(?m)^", r"\z"]
GROUPS = [
    "(a+)(b*)", r"(\w+)@(\w+)\.org", "(x)|(a)", r"(\d+)-(\d+)", "(é)?(.)", r"(\w+)\s+(\w+)", "((a)b)", "(a)?b()",
    r"(?P<name>\w) (b)", r"(^|\s)(t\w*)", r"(\d{4})-(\d\d)-(\d+)", "([a-z]{2}) (b)", "([^ ]+) ((b)?e)", "(a+) (b)",
    "((ab))", "(([a-z]+))", r"(\d+)-(\d{2})(-\d*)", r"([a-z]* )([^ab\n]+)b?", "(a{1,2})(b)( *)", "((a)){0}b", "((a)+)",
    r"(b)\s*(.*)\z", r"(\S+)\s*=\s*(\S+)", r"(to|\d\d)\s*(.)",
]  # fmt: skip
PATTERNS = SETS + GENERAL + EMPTY + GROUPS

PIECES = [
    "a", "b", "ab", "aab", "x", "to be", "T", "tO", "é", "日本", "\U0001f600", " ", "  ", "\t", "\n", "\v", ",", ".", "-",
    "1", "22", "2.5", "@", "_", "a@b.org", "\0", "a" * 70, " b" * 40,
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
tensors = st.one_of(
    st.lists(texts, max_size=8),
    st.integers(0, 3).flatmap(lambda n: st.lists(st.lists(texts, min_size=n, max_size=n), min_size=1, max_size=3)),
).map(lambda nested: [[s.encode() for s in row] if isinstance(row, list) else row.encode() for row in nested])


# Errors of all operators: strings, pattern, text.
COMPILE = "cannot compile `pattern`: "
ERRORS = [
    (["a"], "(", COMPILE + r"missing ) of the group at position 0 (write \( for a parenthesis)"),
    (["a"], r"(a)\1", COMPILE + r"unsupported reference \1 to a group at position 3 (write \\ for a backslash)"),
    (
        ["a"],
        "é(?=ab)",
        COMPILE
        + "look-ahead at other than one character at position 1 (look at a character or a class, as in (?=[a-z]))",
    ),
    (
        ["a"],
        "(?<!a)",
        COMPILE + "unsupported look-behind at position 0 (match what is before it, too, and use a group for the rest)",
    ),
    (["a"], "a**", COMPILE + "repeated repetition ** at position 1 (put what is repeated in a group, as in (?:a*)*)"),
    ([b"a", b"\xff"], "(a)", "invalid UTF-8 in row 1 at byte 0"),
    ([b"a", b"aa\xc3", b"\x80"], "(x)", "invalid UTF-8 in row 1 at byte 2"),
    # Continuation bytes after a whole block, around which masks look for gaps between matches.
    ([b"ab1 " * 2047 + b"ab1a " + b"\x80" * 40_000], "([a-z]+)[0-9]", "invalid UTF-8 in row 0 at byte 8193"),
]
BAD_GROUPS = [
    (("(a)", -1), "expected `group` >= 0, got -1"),
    (("(a)", 2), "expected `group` from 0 to 1, the last group of `pattern`, got 2"),
    (("a", 2**62), f"expected `group` from 0 to 0, the last group of `pattern`, got {2**62}"),
]
BAD_EXTRACTED = [(("(a)", -2), "expected `group` >= 0, got -2"), *BAD_GROUPS[1:]]
UNIT = "expected `unit` to be 'byte' or 'codepoint', got 'char'"
BACKSLASH = "expected `rewrite` with \\0 to \\9 and \\\\, got a backslash"
BAD_REWRITES = [
    (("a", "x\\"), f"{BACKSLASH} alone at byte 1"),
    (("a", r"\n"), f"{BACKSLASH} before another character at byte 0"),
    (("a", "é\\é"), f"{BACKSLASH} before another character at byte 2"),
    (("(a)", r"\1\2"), r"expected `rewrite` with groups up to \1 of `pattern`, got \2 at byte 2"),
    (("a", b"\xff"), "expected `rewrite` to be UTF-8"),
]


def fields(
    op: str, oracle: Callable[..., Any], calls: list[tuple[Any, ...]], bad: list[tuple[Any, str]] = ()
) -> dict[str, Any]:
    """The fields of a suite of `op`, whose arguments after the strings are one of `calls`: a pattern, and the rest."""
    rest = calls[0][1:]
    errors = [(call(strings, pattern, *rest), text) for strings, pattern, text in ERRORS]
    errors += [(call(["a"], *arguments), text) for arguments, text in bad]
    return {
        "op": op,
        "reference": oracle,
        "samples": [call(TEXTS, *arguments) for arguments in calls[:: len(calls) // 4]],
        "strategy": st.builds(lambda strings, chosen: call(strings, *chosen), tensors, st.sampled_from(calls)),
        "errors": [(wrong, f"{op.removeprefix('_')}: {text}") for wrong, text in errors],
        # The results of all but tests are as large as long strings of one letter.
        "small": call([b"ab c", b"d"], " " if "split" in op or "replace" in op else "([a-z]+)", *rest),
        "draw": lambda rng, n: call(draws.strings(rng, n, utf8=True), *rng.choice(calls)),
        "fresh": {
            "a new pattern": lambda i: {"pattern": f"([a-c]+)x?|zq{i:08}"},
            "a new one that is wrong": lambda i: {"pattern": f"[a-c]+(x?|zq{i:08}"},
        },
    }


class OnEveryPattern(OpTests):
    def test_every_pattern_matches_the_oracle(self, tier: str) -> None:
        calls: list[tuple[Any, ...]] = CALLS[self.suite.op]
        for arguments in calls:
            encoded = [s.encode() for s in TEXTS + TEXTS[:1] * 20]
            want = self.suite.reference(encoded, *arguments)
            assert self.suite.run(call(encoded, *arguments)) == want, arguments


ALONE = [(pattern,) for pattern in PATTERNS]
OF_GROUPS = [(pattern, group) for pattern in GROUPS for group in (1, 2)]
MATCHES = [(pattern, 0) for pattern in PATTERNS] + OF_GROUPS
REWRITES = [
    *((pattern, "-") for pattern in PATTERNS),
    *((pattern, rewrite) for pattern in GROUPS for rewrite in (r"<\2|\1>", r"\\\0é", "")),
    *((pattern, r"[\0]", count) for pattern in (r"\w+", "é", "x*", ",") for count in (1, 2, 0, -1)),
]
UNITS = ("codepoint", "byte")
EXTRACTED = MATCHES + [(pattern, -1) for pattern in PATTERNS]  # -1: the first group, if there is one
EXTRACTED_GROUPS = [(pattern, groups) for pattern in GROUPS for groups in ([1], [0, 1], [1, 1, 0], [])]
EXTRACTED_SPANS = [(*given, unit) for given in EXTRACTED for unit in UNITS]
MATCH_SPANS = [(*given, unit) for given in MATCHES for unit in UNITS]
SPLIT_SPANS = [(pattern, unit) for pattern in PATTERNS for unit in UNITS]
CALLS: dict[str, list[tuple[Any, ...]]] = {
    "regex_contains": ALONE, "regex_full_match": ALONE, "regex_replace": REWRITES, "regex_count": ALONE,
    "regex_extract": EXTRACTED, "_regex_extract_groups": EXTRACTED_GROUPS, "regex_find": EXTRACTED_SPANS,
    "regex_split_ragged": ALONE, "regex_split_spans_ragged": SPLIT_SPANS, "regex_find_all_ragged": MATCHES,
    "regex_find_all_spans_ragged": MATCH_SPANS,
}  # fmt: skip


class TestRegexContains(OnEveryPattern, ReduceTests):
    suite = ReduceSuite(**fields("regex_contains", reference.contains_ref, ALONE))


class TestRegexFullMatch(OnEveryPattern, ReduceTests):
    suite = ReduceSuite(**fields("regex_full_match", reference.full_match_ref, ALONE))


class TestRegexReplace(OnEveryPattern, MapTests):
    suite = MapSuite(**fields("regex_replace", reference.replace_ref, REWRITES, BAD_REWRITES))


class TestRegexExtract(OnEveryPattern, MapTests):
    suite = MapSuite(**fields("regex_extract", reference.extract_ref, EXTRACTED, BAD_EXTRACTED))


class GroupsSuite(StringsSuite):
    """Of strings [groups, *S]; the reference is that of one group."""

    def of_all(self, strings: Any, pattern: str, groups: list[int]) -> tuple[Any]:
        return ([super(GroupsSuite, self).of_all(strings, pattern, group)[0] for group in groups],)


class TestRegexExtractGroups(OnEveryPattern, OpTests):
    suite = GroupsSuite(
        **fields(
            "_regex_extract_groups",
            reference.extract_ref,
            EXTRACTED_GROUPS,
            [((pattern, [0, group]), text) for (pattern, group), text in BAD_GROUPS],
        ),
        name_in_errors="regex_extract_groups",
    )


class TestRegexCount(OnEveryPattern, ReduceTests):
    suite = ReduceSuite(**fields("regex_count", reference.count_ref, ALONE))


class TestRegexFind(OnEveryPattern, ReduceTests):
    suite = ReduceSuite(
        **fields(
            "regex_find",
            reference.find_ref,
            EXTRACTED_SPANS,
            [*BAD_EXTRACTED, (("a", 0, "char"), UNIT)],
        )
    )


class TestRegexSplitRagged(OnEveryPattern, RaggedTests):
    suite = RaggedSuite(**fields("regex_split_ragged", reference.split_ref, ALONE))


class TestRegexSplitSpansRagged(OnEveryPattern, RaggedTests):
    suite = RaggedSuite(
        **fields("regex_split_spans_ragged", reference.split_spans_ref, SPLIT_SPANS, [(("a", "char"), UNIT)])
    )


class TestRegexFindAllRagged(OnEveryPattern, RaggedTests):
    suite = RaggedSuite(**fields("regex_find_all_ragged", reference.find_all_ref, MATCHES, BAD_GROUPS))


class TestRegexFindAllSpansRagged(OnEveryPattern, RaggedTests):
    suite = RaggedSuite(
        **fields(
            "regex_find_all_spans_ragged",
            reference.find_all_spans_ref,
            MATCH_SPANS,
            [*BAD_GROUPS, (("a", 0, "char"), UNIT)],
        )
    )


del OnEveryPattern  # otherwise pytest would collect it too


# Unless a pattern prefers an empty match, Python finds the same matches in one call.
@each("pattern", sorted({p for p in PATTERNS if p not in ("(?:)|b", "(a)?b()")}))
def test_the_oracle_finds_what_python_finds(pattern: str):
    compiled = reference.python_pattern(pattern)
    for text in TEXTS:
        assert [m.span() for m in compiled.finditer(text)] == [m.span() for m in reference.matches(text, pattern)]
        if compiled.groups == 0:
            assert compiled.findall(text) == reference.find_all_ref(text, pattern)
            assert compiled.split(text) == reference.split_ref(text, pattern)
            assert compiled.sub("-", text, count=2) == reference.replace_ref(text, pattern, "-", 2)


def test_loops_of_alternatives_match_as_those_of_python(tier: str):
    rng = random.Random(7)
    # In these, a way through the loop takes bytes that another way has taken before.
    cases = [(r"\b(?:ba|ab|a?b)+", "ba" * 10), ("-(?:ab|ba|a?b)+", "-" + "ba" * 10), ("x(?:abc?|ababab)+", "xabababc")]
    for _ in range(300):
        # No way is empty, as Python ends a loop there.
        letters = [rng.choices(["a", "b", "c", "a?", "b?"], k=rng.randint(0, 3)) for _ in range(rng.randint(2, 4))]
        ways = ["".join([*some, rng.choice("abc")]) for some in letters]
        pattern = f"{rng.choice(['', '-', 'c'])}(?:{'|'.join(ways)}){rng.choice(['+', '{2,}', '{1,5}'])}"
        unit = "".join(rng.choices("abc", k=rng.randint(1, 4)))
        cases.append((pattern, "-" + unit * rng.randint(1, 12) + rng.choice(["", "-", "c"])))
    for pattern, text in cases:
        found = [m.group() for m in re.finditer(pattern, text)]
        assert so.regex_find_all_ragged([text], pattern)[0].tolist() == found, (pattern, text)


def test_long_texts_match_as_those_of_python(tier: str):
    rng = random.Random(8)

    def item() -> str:
        chars = rng.choice(["[a-z]", r"\d", r"\w", r"\s", "[^=]", "[^b]", "é", "b", "1", "(?:ab|b1?)"])
        return chars + rng.choice(["", "", "+", "*", "?", "{2}", "+?"])

    for _ in range(200):
        middle, last = rng.choice("=:-b"), rng.choice(["", ":", r"\b"])
        pattern = f"{item()}({item()}{item()}){middle}({item()}|{item()}){last}"
        letters = ["=", "b", *rng.sample("a1:- \né", 3)]
        texts = ["".join(rng.choices(letters, k=rng.choice([9, 300, 9000, 20000]))) for _ in range(5)]
        found = [list(re.finditer(pattern, text, re.ASCII)) for text in texts]
        assert so.regex_contains(texts, pattern).tolist() == [bool(m) for m in found], pattern
        assert so.regex_find_all_ragged(texts, pattern)[0].tolist() == [m[0] for ms in found for m in ms], pattern
        assert so.regex_extract(texts, pattern, 1).tolist() == [ms[0][1] if ms else "" for ms in found], pattern


@each(
    "pattern", ["привет", "(ПРИВЕТ)", "привет[а-я]*", r"\d?привет", "привет|ńń", "ńń+", "привет$", "(?:да|нет)!", "ask"]
)
def test_letters_of_any_case(pattern: str):
    """In short strings and long ones, after text that resembles a match."""
    matches = ["приВет", "ПРИВЕТЫ", "1привет", "ŃńŃ", "Да!", "нЕТ!", "ask", "A\u017f\u212a"]
    texts = [before + match + after for before in ("", "при" * 9, "x" * 900, "ńпРи" * 900) for match in matches
             for after in ("", "-", "ńпривет" * 40)] + [""]  # fmt: skip
    s = so.StringTensor.from_list(texts)
    for strings in (s, so.StringTensor.from_list(texts * 9)):
        found = [list(re.finditer(pattern, text, re.IGNORECASE)) for text in strings.tolist()]
        folds = f"(?i){pattern}"
        assert strings.regex_contains(folds).tolist() == [bool(ms) for ms in found]
        assert strings.regex_count(folds).tolist() == [len(ms) for ms in found]
        assert strings.regex_extract(folds, 0).tolist() == [ms[0][0] if ms else "" for ms in found]
        assert strings.regex_find_all_ragged(folds)[0].tolist() == [m[0] for ms in found for m in ms]
        assert strings.regex_replace(folds, "<>").tolist() == [
            re.sub(pattern, "<>", t, flags=re.I) for t in strings.tolist()
        ]
        full = [bool(re.fullmatch(pattern, text, re.IGNORECASE)) for text in strings.tolist()]
        assert strings.regex_full_match(folds).tolist() == full


# Literal cases of what Python writes differently, or does not have.
def test_syntax_of_re2():
    s = so.StringTensor.from_list(["aé日1", "K\u212a", "ab\n"])
    assert s.regex_find_all_ragged(r"\pL+")[0].tolist() == ["aé日", "K\u212a", "ab"]
    assert s.regex_replace(r"(?i)k", "x").tolist() == ["aé日1", "xx", "ab\n"]
    assert s.regex_contains("b$").tolist() == [False, False, False]  # Python's $ holds before a last line feed
    assert s.regex_full_match("(?s).{3}").tolist() == [False, False, True]
    assert s.regex_extract("(?<letter>[a-z])").tolist() == ["a", "", "a"]


def test_no_match_is_inside_a_codepoint():
    s = so.StringTensor.from_list(["日本é a", "é", ""])
    assert s.regex_replace(r"\B", "-").tolist() == ["-日-本-é- a", "-é-", "-"]
    assert s.regex_contains(r"\B").tolist() == [True, True, True]
    assert so.regex_contains("aé", r"a\B|é\B").tolist() is True
    assert so.regex_find_all_spans_ragged("a日a", r"\B")[0].tolist() == []


def test_after_an_empty_match_the_search_goes_on_at_the_next_codepoint():
    assert so.regex_find_all_ragged("aé", "(?s:.)*?")[0].tolist() == ["", "", ""]
    assert so.regex_find_all_ragged("aé", "|a")[0].tolist() == ["", "", ""]


def test_spans_select_the_pieces():
    s = so.StringTensor.from_list(["to be, or", "", "日本 é"])
    spans, row_splits = s.regex_find_all_spans_ragged(r"\pL+")
    pieces, same_splits = s.regex_find_all_ragged(r"\pL+")
    rows = torch.repeat_interleave(torch.arange(3), row_splits.diff())
    begins = s.offsets[:-1][rows, None] + spans
    assert so.string_tensor_pack(*begins.unbind(1), s.data).tolist() == pieces.tolist()
    assert torch.equal(row_splits, same_splits)


def test_defaults_of_the_methods():
    s = so.StringTensor.from_list(["é12 x", "y"])
    assert s.regex_extract(r"\d").tolist() == ["1", ""]
    assert s.regex_extract(r"(\d)(\d)").tolist() == ["1", ""]
    assert s.regex_extract(r"(\d)(\d)", 2).tolist() == ["2", ""]
    with pytest.raises(BAD_ARGUMENT, match="expected `group` from 0 to 0"):
        s.regex_extract(r"\d", 1)
    assert s.regex_replace(r"\d", "-").tolist() == s.regex_replace(r"\d", "-", -1).tolist() == ["é-- x", "y"]
    assert s.regex_replace(r"\d", "-", 1).tolist() == ["é-2 x", "y"]
    with pytest.raises(
        ValueError, match="^StringTensor.regex_replace: expected `count` >= 1, or -1 for no limit, got 0"
    ):
        s.regex_replace(r"\d", "-", 0)
    assert s.replace("1", "-", 0).tolist() == s.tolist()  # as in Python


NAMED = [
    r"(?P<name>\w+) (\w+)", r"(\w)(?<é>\w)(?P<x_1>\w)?", r"\((a)[(](?P<b>b)|((?P<c>c))", r"\Q(a)\E(b)",
    "(?i:a)(?P<a>b)", "a", r"(\d)\.(\d)-(\w),([a-c]*)(?P<run>[d-f]*):(g);(h)(!)", *GROUPS,
]  # fmt: skip


@each("pattern", NAMED)
def test_groups_have_the_names_of_python(pattern: str):
    # A run that begins 40 bytes or more after the mask gets a mask of its own.
    texts = [*TEXTS, "(a(b", "c", "(a)b", "1.2-x,abdef:g;h!", *(f"{'a' * n} b" for n in range(36, 48))]
    got = {name: group.tolist() for name, group in so.regex_extract_groups(texts, pattern).items()}
    python = pattern.replace("(?<", "(?P<").replace(r"\Q(a)\E", r"\(a\)")
    rows = [reference.extract_groups_ref(text, python) for text in texts]
    assert got == {name: [row[name] for row in rows] for name in rows[0]}
    assert list(got) == list(rows[0])


def test_groups_of_other_shapes():
    pattern = r"(\w)(?P<digits>\d*)"
    assert {k: v.item() for k, v in so.regex_extract_groups("a1", pattern).items()} == {"1": "a", "digits": "1"}
    table = so.StringTensor.from_list([["a1", "-"], ["b", "c22"]])
    assert table.regex_extract_groups(pattern)["digits"].tolist() == [["1", ""], ["", "22"]]
    assert table.T.regex_extract_groups(pattern)["1"].tolist() == [["a", "b"], ["", "c"]]
    assert table[:0].regex_extract_groups(pattern)["1"].shape == (0, 2)
    assert table.expand(5, 2, 2).regex_extract_groups(pattern)["1"].tolist() == [[["a", ""], ["b", "c"]]] * 5
    for wrong in ("(?<a>a)(?P<a>b)", "(?<2>a)(b)"):
        with pytest.raises(ValueError, match="^regex_extract_groups: expected `pattern` with groups of different na"):
            so.regex_extract_groups("a", wrong)


def test_groups_in_a_program():
    check_traced(lambda s: s.regex_extract_groups(r"(?P<letter>\w)(\d*)"), so.StringTensor.from_list(["a12", "-"]))


def test_find_is_the_span_of_the_first_match():
    s = so.StringTensor.from_list(["é12 3", "x", ""])
    assert [t.tolist() for t in s.regex_find(r"\d+")] == [[1, -1, -1], [3, -1, -1]]
    assert [t.tolist() for t in s.regex_find(r"\d+", unit="byte")] == [[2, -1, -1], [4, -1, -1]]
    assert [t.tolist() for t in s.regex_find("x*")] == [[0, 0, 0], [0, 1, 0]]
    assert [t.item() for t in so.regex_find("ab", "b")] == [1, 2]
    late = "y" + "x" * 12_000 + " x" + "x" * 8000  # searched in windows, before which masks see no text
    assert [t.tolist() for t in so.regex_find([late] * 2, r"\b[xz]")] == [[12002] * 2, [12003] * 2]


def test_defaults_that_are_traced():
    def model(s: so.StringTensor) -> Any:
        spans = s.regex_find_all_spans_ragged(r"\d", unit="codepoint")[0]
        return s.regex_extract(r"\d"), s.regex_replace(r"\d", ""), spans

    check_traced(model, so.StringTensor.from_list(["é12 x", "y"]))


def test_codepoints_of_long_strings_and_slices(tier: str):
    texts = ["é日1 a" * n for n in (0, 1, 300, 5000)]
    table = so.StringTensor.from_list([["x", text] for text in texts])
    for strings in (table[:, 1], so.StringTensor.from_list(texts)):
        spans, row_splits = strings.regex_find_all_spans_ragged("[0-9]", unit="codepoint")
        assert spans.tolist() == [list(m.span()) for text in texts for m in re.finditer("[0-9]", text)]
        assert row_splits.tolist() == [0, 0, 1, 301, 5301]


def test_replacements_of_all_sizes(tier: str):
    texts = ["ab" * n for n in (0, 1, 7, 100, 511, 512, 513, 20_000)] + ["x" * 70_000, ""]
    for rewrite in ("", "c", "c" * 300, r"\0\0"):
        python = rewrite.replace("\\0", r"\g<0>")
        assert so.regex_replace(texts, "b", rewrite).tolist() == [re.sub("b", python, t) for t in texts]


def test_a_result_beyond_the_limit_is_rejected():
    text = so.StringTensor.from_list(["a" * 10_000] * 3)
    with pytest.raises(BAD_ARGUMENT, match=r"^StringTensor.regex_replace: the result needs \d+ bytes; int32 offsets"):
        text.regex_replace("a", "b" * 1_000_000)
