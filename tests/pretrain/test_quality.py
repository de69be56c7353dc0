"""text_quality and gopher_filter: measures equal those of plain Python, and rules keep what they say."""

import random
from collections import Counter
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from torch_stringops import StringTensor, as_strings
from torch_stringops.data import StringColumn
from torch_stringops.pretrain import gopher_filter, text_quality

STOP = ("the", "be", "to", "of", "and", "that", "have", "with")
PROSE = (
    "The measures of a document are those that we have in mind, and every one of them ought to be simple. "
    "A reader who opens this page at random finds plain English with its usual words; lines differ from each other."
)


def parts(text: str, delimiter: str) -> list[str]:
    if delimiter == "\n\n":  # an empty line may have whitespace
        text = "\n".join(line if line.strip() else "" for line in text.split("\n"))
    return [part for piece in text.split(delimiter) if (part := piece.strip())]


def repeated(items: list[str]) -> list[str]:
    seen: set[str] = set()
    found = []
    for item in items:
        if item in seen:
            found.append(item)
        seen.add(item)
    return found


def share(part: float, whole: int) -> float:
    return part / max(whole, 1)


def measures(text: str) -> dict[str, float]:
    """The measures of a document, as the docstring describes them."""
    words, lines = text.split(), parts(text, "\n")
    found: dict[str, float] = {
        "words": len(words),
        "stop_words": len(set(words) & set(STOP)),
        "mean_word_length": share(sum(map(len, words)), len(words)),
        "hash_ratio": share(text.count("#"), len(words)),
        "ellipsis_ratio": share(text.count("...") + text.count("…"), len(words)),
        "alphabetic_words": share(sum(any(c.isalpha() for c in word) for word in words), len(words)),
        "bullet_lines": share(sum(line.startswith(("•", "-")) for line in lines), len(lines)),
        "ellipsis_lines": share(sum(line.endswith(("...", "…")) for line in lines), len(lines)),
    }
    for name, items in (("line", lines), ("paragraph", parts(text, "\n\n"))):
        again = repeated(items)
        found[f"duplicate_{name}s"] = share(len(again), len(items))
        found[f"duplicate_{name}_characters"] = share(sum(map(len, again)), len(text))
    for n in range(2, 11):
        grams = [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        if n < 5:
            gram, count = Counter(grams).most_common(1)[0] if grams else ((), 0)
            found[f"top_{n}gram"] = share(len(" ".join(gram)) * count, len(text))
            continue
        seen: set[tuple[str, ...]] = set()
        covered: set[int] = set()
        for i, gram in enumerate(grams):
            if gram in seen:
                covered.update(range(i, i + n))
            seen.add(gram)
        found[f"duplicate_{n}grams"] = share(sum(len(words[i]) for i in covered), len(text))
    return found


def check(texts: list[str]) -> None:
    found = text_quality(texts)
    expected = [measures(text) for text in texts]
    for name, values in found.items():
        assert values.tolist() == [row[name] for row in expected], name
    assert not expected or found.keys() == expected[0].keys()


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "the", " ", "\n", "\r\n", "\u3000", "- ", "#", "…", "...", "é", "\t"])).map(
            "".join
        )
    )
)
def test_measures_are_those_of_python(texts):
    check(texts)


@pytest.mark.parametrize("words", [1, 3, 40])
def test_documents_of_few_different_words(words: int):
    rng = random.Random(words)
    known = [f"word{i}" for i in range(words)]
    texts = []
    for length in (0, 1, 4, 5, 9, 10, 11, 60, 300):
        lines = [rng.choices(known, k=rng.randint(0, 12)) for _ in range(length // 6 + 1)]
        texts += [" ".join(rng.choices(known, k=length)), "\n".join(map(" ".join, lines))]
    check(texts)


def test_lines_of_whitespace_end_paragraphs():
    space = "".join(c for c in map(chr, range(0x110000)) if c.isspace())
    texts = [f"a b{end}a b" for end in ("\n\n", "\r\n\r\n", "\n \t\n", f"\n{space}\n", "\n\n \n\n", "\n.\n")]
    assert text_quality(texts)["duplicate_paragraphs"].tolist() == [0.5] * 5 + [0]
    check(texts)


def test_documents_do_not_share_what_they_repeat():
    check([PROSE, PROSE, "", PROSE + "\n" + PROSE, "one two three four five", "one two three four five"])


def test_shapes_and_types():
    found = text_quality(as_strings([["a b", ""], ["c", "#"]]))
    assert all(values.shape == (2, 2) for values in found.values())
    kinds = {name: values.dtype for name, values in found.items() if values.dtype != torch.float64}
    assert kinds == {"words": torch.int64, "stop_words": torch.int64}
    assert all(values.shape == () for values in text_quality("a b").values())
    assert all(values.shape == (0,) for values in text_quality([]).values())
    assert text_quality("The end", stop_words=["The"])["stop_words"] == 1


def test_invalid_utf8():
    with pytest.raises(ValueError, match=r"^text_quality: "):
        text_quality([b"\xff"])


# A document of which each measure is more than 0.
REPETITIVE = "\n\n".join(["- " + PROSE[:200] + " # ...", "the end of 1 …"] * 3)
OPEN: dict[str, Any] = {
    "min_words": 0, "min_mean_word_length": 0, "min_alphabetic_words": 0, "min_stop_words": 0,
    **dict.fromkeys(["max_words", "max_mean_word_length", "max_symbol_ratio"], 1000),
    **dict.fromkeys([f"max_{name}_lines" for name in ("bullet", "ellipsis", "duplicate")], 1),
    "max_duplicate_line_characters": 1, "max_duplicate_paragraphs": 1, "max_duplicate_paragraph_characters": 1,
    "max_top_ngrams": {}, "max_duplicate_ngrams": {},
}  # fmt: skip


@each("name", [name for name in OPEN if "ngrams" not in name])
def test_a_limit_decides_alone(name: str):
    kind, measure = name.split("_", 1)
    measured = {"symbol_ratio": "ellipsis_ratio"}.get(measure, measure)
    value = text_quality(REPETITIVE)[measured].item()
    assert value > 0
    step = value / 1000 if kind == "min" else -value / 1000
    assert gopher_filter(REPETITIVE, **{**OPEN, name: value})
    assert not gopher_filter(REPETITIVE, **{**OPEN, name: value + step})


@pytest.mark.parametrize("n", range(2, 11))
def test_limits_of_ngrams(n: int):
    name, measure = ("top_ngrams", f"top_{n}gram") if n < 5 else ("duplicate_ngrams", f"duplicate_{n}grams")
    value = text_quality(REPETITIVE)[measure].item()
    assert value > 0
    assert gopher_filter(REPETITIVE, **{**OPEN, f"max_{name}": {n: value}})
    assert not gopher_filter(REPETITIVE, **{**OPEN, f"max_{name}": {n: value * 0.999}})


def test_the_published_limits():
    text = PROSE + " Nobody measures what books say, but most bad pages look odd long before anyone tries them out."
    assert len(text.split()) > 50
    assert gopher_filter([PROSE, text, REPETITIVE, text * 2]).tolist() == [False, True, False, False]


def test_a_column_is_filtered():
    column = StringColumn([[PROSE, "short"], ["also short"]])
    assert column.filter(lambda s: gopher_filter(s, min_words=20))[:].tolist() == [PROSE]


@pytest.mark.parametrize(("changed", "kind"), [
    ({"max_top_ngrams": {5: 0.1}}, ValueError), ({"max_duplicate_ngrams": {4: 0.1}}, ValueError),
    ({"max_top_ngrams": [0.1]}, ValueError), ({"min_words": "1"}, TypeError),
    ({"stop_words": ["a", "a"]}, ValueError),
])  # fmt: skip
def test_bad_arguments(changed, kind):
    with pytest.raises(kind, match=r"^gopher_filter: "):
        gopher_filter(["a"], **changed)


@pytest.mark.check
def test_exported_programs():
    class Keep(torch.nn.Module):
        def forward(self, data: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
            return gopher_filter(StringTensor(data, offsets), min_words=20)

    s = as_strings([PROSE, "a b", REPETITIVE])
    module = torch.export.export(Keep(), (s.data, s.offsets), strict=False).module()
    assert module(s.data, s.offsets).tolist() == [True, False, False]
    other = s[[2, 1, 0]]
    assert module(other.data, other.offsets).tolist() == [False, False, True]
