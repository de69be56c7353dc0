"""string_segments_ragged by words and sentences, and \\p{} of the properties that divide text."""

import itertools
import json
import random
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from reference.breaks import PICTOGRAPHS, SENTENCE_BREAK, WORD_BREAK, sentences_ref, words_ref

from torch_stringops import StringTensor, regex_contains, string_segments_ragged

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "segments.json").read_text(encoding="utf-8"))
POOLS = {"word": sorted({*WORD_BREAK, *PICTOGRAPHS, "$"}), "sentence": sorted({*SENTENCE_BREAK, "$"})}
REFERENCES: dict[str, Callable[[str], list[str]]] = {"word": words_ref, "sentence": sentences_ref}
# Characters to which Unicode 16 or 17 gave another class.
CHANGED = {*"\xb8\u0295\u037e\u19da\u2cf9\u2cfa\u2cfb\ufe10\ufe12\ufe14\ufe15\ufe16\ufe54\uff1b;"}
UNITS = pytest.mark.parametrize("unit", ["word", "sentence"])


def segments(texts: list[str], unit: str) -> list[list[str]]:
    values, splits = string_segments_ragged(texts, unit)
    strings, ends = values.tolist(), splits.tolist()
    return [strings[a:b] for a, b in itertools.pairwise(ends)]


@UNITS
def test_samples_of_the_standard(unit: str, tier: str) -> None:
    want = [["".join(chr(int(c, 16)) for c in s.split()) for s in line.split("|")] for line in GOLDEN[unit]]
    assert segments(["".join(row) for row in want], unit) == want


@UNITS
def test_pairs_and_random_strings(unit: str) -> None:
    rng = random.Random(0)
    pool = POOLS[unit]
    texts = ["", *(a + b for a in pool for b in pool)]
    texts += ["".join(rng.choices(pool, k=rng.randrange(14))) for _ in range(4000)]
    # Few characters, so that rules with several of them are met.
    for _ in range(4000):
        few = rng.sample(pool, 5)
        texts.append("".join(rng.choices(few, k=rng.randrange(14))))
    assert segments(texts, unit) == [REFERENCES[unit](text) for text in texts]


@UNITS
def test_forms_of_a_call(unit: str) -> None:
    texts = ['a a"a 1,1. \u65e5! ', "", '\u05d0"1 a\u200d\u2764', "a.a. a. 1"]
    s = StringTensor.from_list([texts, texts[::-1]])
    values, splits = s.segments_ragged(unit)
    want = [segment for text in texts + texts[::-1] for segment in REFERENCES[unit](text)]
    assert values.tolist() == want
    compiled = torch.compile(lambda t: t.segments_ragged(unit), fullgraph=True, backend="eager")
    assert compiled(s)[0].tolist() == want
    assert compiled(s)[1].tolist() == splits.tolist()
    with pytest.raises(ValueError, match="UTF-8"):
        s.from_list([b"a\xff"]).segments_ragged(unit)


@pytest.mark.parametrize("name", ["Word_Break", "Sentence_Break"])
def test_classes_are_those_of_the_package_regex(name: str) -> None:
    """Its Unicode version may be later: characters are compared that this Python knows, too, apart from CHANGED."""
    regex = pytest.importorskip("regex")
    chars = [chr(c) for c in range(0x30000) if unicodedata.category(chr(c)) not in ("Cn", "Co", "Cs")]
    values = {"Word_Break": WORD_BREAK, "Sentence_Break": SENTENCE_BREAK}[name].values()
    for value in sorted(set(values)):
        pattern = rf"\p{{{name}={value}}}"
        found = StringTensor.from_list(chars)[regex_contains(chars, pattern)].tolist()
        assert {*found} ^ {*regex.findall(pattern, "".join(chars))} <= CHANGED, pattern


def test_names_of_classes() -> None:
    for name in ("Word_Break", "Word_Break=", "Word_Break=Greek", "=ALetter", "Break=ALetter", "ALetter"):
        with pytest.raises(ValueError, match="unknown class"):
            regex_contains(["a"], rf"\p{{{name}}}")
    assert regex_contains(["a", "1"], r"\p{^Word_Break=ALetter}").tolist() == [False, True]
