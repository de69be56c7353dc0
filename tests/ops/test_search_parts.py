"""Search in a part of each string, and search without regard to case."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import search as oracles
from reference.case import simple_fold, string_simple_fold_ref
from support.cases import each
from support.traced import check_traced

import torch_stringops as so
from torch_stringops import StringTensor

TEXTS = ["", "ab", "ba\xe9", "\xe9\xe9aba", "aaaa", "b\u65e5\u672cab"]
LIMITS = [-9, -3, -1, 0, 1, 2, 5, 9]


@each("sub", ["", "a", "ab", "\xe9", "aa"])
@each("name", ["find", "rfind"])
def test_parts_of_python(name: str, sub: str):
    s = StringTensor.from_list(TEXTS)
    raw = [text.encode() for text in TEXTS]
    for start, end in itertools.product(LIMITS, [None, *LIMITS]):
        got = getattr(s, name)(sub, start=start, end=end)
        assert got.tolist() == [getattr(text, name)(sub, start, end) for text in TEXTS], (start, end)
        got = getattr(s, name)(sub, unit="byte", start=start, end=end)
        assert got.tolist() == [getattr(text, name)(sub.encode(), start, end) for text in raw], (start, end)


def test_parts_of_other_shapes():
    table = StringTensor.from_list([["aba", "b"], ["a", ""]])
    assert table.find(["a", "b"], start=-2).tolist() == [[2, 0], [0, -1]]
    assert table.reshape(2, 2, 1).rfind(["a", ""], end=2).tolist() == [[[0, 2], [-1, 1]], [[0, 1], [-1, 0]]]
    assert so.string_find("aba", "a", start=1).item() == 2
    assert so.string_rfind("aba", b"a", end=-1).item() == 0


# All code points equal to another one but for case, whose foldings are of one or several code points, of one size or not.
LETTERS = "kK\u212asS\u017f\xdf\u1e9e\xe9\xc9\u03c3\u03c2\u03a3\u0390\u1fd3\ufb05\ufb06\u0130iI\u0131\u2c65\u023a\u1f80\u1f88.\\\\E1\u58dd"
letters = st.text(st.sampled_from(LETTERS), max_size=6)
wild = st.lists(st.one_of(letters.map(str.encode), st.sampled_from([b"\xff", b"\xc5", b"\xe1\xba"])), max_size=4)
wild = wild.map(b"".join)


def folded(value: Any) -> Any:
    return string_simple_fold_ref(value.encode() if isinstance(value, str) else value)


@given(st.lists(wild, min_size=1, max_size=6), st.one_of(letters, wild))
def test_search_ignores_case(strings: list[bytes], sub: str | bytes):
    s, key = StringTensor.from_list(strings), folded(sub)
    for name in ("find", "rfind", "contains", "count", "startswith", "endswith"):
        reference = getattr(oracles, f"string_{name}_ref")
        want = [reference(folded(string), key) for string in strings]
        for other in (sub, [sub], StringTensor.from_list([sub] * len(strings))):
            assert getattr(s, name)(other, ignore_case=True).tolist() == want, name
    equal = [folded(string) == key for string in strings]
    assert s.eq(sub, ignore_case=True).tolist() == equal
    assert so.string_equal(s, sub, ignore_case=True).tolist() == equal
    assert s.isin([sub, "k"], ignore_case=True).tolist() == [folded(string) in (key, folded("k")) for string in strings]


def replaced(text: str, old: str, new: str, count: int) -> str:
    if not old:
        return text.replace(old, new, count)
    text_key, key, result, at = simple_fold(text), simple_fold(old), "", 0
    while count != 0 and (found := text_key.find(key, at)) >= 0:
        result += text[at:found] + new
        at, count = found + len(key), count - 1
    return result + text[at:]


@given(st.lists(letters, min_size=1, max_size=6), letters, st.sampled_from(["", "x", "\\1", "K\\"]), st.integers(-2, 2))
def test_replacement_ignores_case(texts: list[str], old: str, new: str, count: int):
    got = so.string_replace(texts, old, new, count, ignore_case=True).tolist()
    assert got == [replaced(text, old, new, count) for text in texts]
    assert so.string_replace(texts, old.encode(), new.encode(), count, ignore_case=True).tolist() == got


def test_tuples_ignore_case():
    s = StringTensor.from_list(["\xc9t\xe9", "Kit", "x"])
    assert s.startswith(("\xe9", "kI"), ignore_case=True).tolist() == [True, True, False]
    assert s.endswith((), ignore_case=True).tolist() == [False] * 3


def test_errors_of_ignored_case():
    s = StringTensor.from_list([b"a\xff"])
    for name in ("find", "rfind"):
        with pytest.raises(ValueError, match=rf"^StringTensor.{name}: expected `unit` to be 'codepoint' with `ig"):
            getattr(s, name)("a", unit="byte", ignore_case=True)
        with pytest.raises(ValueError, match=rf"^StringTensor.{name}: expected `unit` to be 'byte' or 'codepoint', g"):
            getattr(s, name)("a", unit="char", start=1, ignore_case=True)
    with pytest.raises(ValueError, match=r"^StringTensor.replace: expected `old` to be UTF-8 with `ignore_case`$"):
        s.replace(b"\xff", "", ignore_case=True)
    with pytest.raises(ValueError, match=r"^StringTensor.replace: invalid UTF-8 in row 0 at byte 1$"):
        s.replace("a", "", ignore_case=True)


def test_parts_and_ignored_case_in_a_program():
    def model(s: StringTensor) -> Any:
        return (
            s.find("\xe9", start=1, ignore_case=True),
            s.rfind(["a", "\xc9"], end=-1),
            s.replace("a.", "\\", ignore_case=True),
            s.isin(["A.B"], ignore_case=True),
            s.startswith(("\xe9", "A"), ignore_case=True),
        )

    check_traced(model, StringTensor.from_list(["a.b", "\xe9T\xc9"]))
