"""VocabularyBuilder: the vocabulary of a single pass, from any pieces, and its files."""

import os
import pickle
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from torch_stringops import Vocabulary, VocabularyBuilder, _counting, as_strings
from torch_stringops.data import StringColumn
from torch_stringops.vocabulary import builder as vocabulary_builder

TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "to", "be", "", "é", "<unk>"]), max_size=9), max_size=6)
CHOICES = {
    "min_frequency": st.integers(1, 3),
    "max_size": st.none() | st.integers(3, 6),
    "specials": st.sampled_from([(), ("be",)]),
}


def same(vocabulary: Vocabulary, wanted: Vocabulary) -> bool:
    return vocabulary.tokens.tolist() == wanted.tokens.tolist() and torch.equal(vocabulary.counts, wanted.counts)


@settings(max_examples=15)
@given(texts=TEXTS, choice=st.fixed_dictionaries(CHOICES), cuts=st.lists(st.booleans(), min_size=6, max_size=6))
def test_any_pieces_give_the_vocabulary_of_a_single_pass(texts, choice, cuts):
    builders = [VocabularyBuilder()]
    for text, cut in zip(texts, cuts, strict=False):
        if cut:
            builders.append(VocabularyBuilder())
        builders[-1].add(text)
    first = builders[0]
    for other in builders[1:]:
        assert first.merge(other) is first
    wanted = Vocabulary.from_strings(as_strings([w for text in texts for w in text]), **choice)
    assert same(first.build(**choice), wanted)
    assert same(pickle.loads(pickle.dumps(first)).build(**choice), wanted)
    assert same(first.add([]).build(**choice), wanted)
    assert first.num_strings == sum(map(len, texts))


def test_pieces_of_strings_are_counted():
    text = ["to be", "", "or  not to be"]
    builder = VocabularyBuilder().add_text(StringColumn([text[:1], text[1:]]), " ", skip_empty=True)
    assert same(builder.build(), Vocabulary.from_text(text, delimiter=" ", skip_empty=True))
    assert repr(builder) == "VocabularyBuilder(6 strings)"


def test_a_builder_is_saved(tmp_path):
    builder = VocabularyBuilder().add_text(["a,b", "c,a"], ",")
    builder.save(tmp_path / "counts")
    loaded = VocabularyBuilder.load(tmp_path / "counts")
    assert VocabularyBuilder().merge(loaded).build().tokens.tolist()[2:] == ["a", "b", "c"]
    wanted = Vocabulary.from_text(["a,b", "c,a", "d"], delimiter=",")
    assert same(builder.add(["d"]).build(), wanted)
    assert same(loaded.add(["d"]).build(), wanted)
    assert os.listdir(tmp_path) == ["counts"]


def test_damaged_files_are_rejected(tmp_path):
    path = tmp_path / "counts"
    VocabularyBuilder().add(["a", "b"]).save(path)
    raw = path.read_bytes()
    for end in range(0, len(raw), 50):
        path.write_bytes(raw[:end])
        with pytest.raises(ValueError, match=r"VocabularyBuilder.load: .*counts: "):
            VocabularyBuilder.load(path)
    with pytest.raises(FileNotFoundError):
        VocabularyBuilder.load(tmp_path / "none")


@pytest.mark.parametrize(("call", "kind", "text"), [
    (lambda: VocabularyBuilder().add_text("", 3), TypeError, "VocabularyBuilder.add_text: expected `delimiter`"),
    (lambda: VocabularyBuilder().add(3), TypeError, "VocabularyBuilder.add: expected"),
    (lambda: VocabularyBuilder().merge(3), TypeError, "expected a VocabularyBuilder, got int"),
    (
        lambda: VocabularyBuilder().build(max_size=1),
        ValueError,
        "VocabularyBuilder.build: expected `max_size` >= 2",
    ),
])  # fmt: skip
def test_bad_arguments_are_rejected(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


TEXT = ["a", "b", "a", "c", "b", "d", "a", "e", "e", "f"]


def interrupted_at(line: int, other: VocabularyBuilder) -> VocabularyBuilder | None:
    """A builder that is interrupted before a line of its code, counted from 1. None if there are fewer lines."""
    files = vocabulary_builder.__file__, _counting.__file__
    left = line

    def trace(frame, event, arg):
        nonlocal left
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    builder = VocabularyBuilder().add(TEXT[:2])
    try:
        sys.settrace(trace)
        builder.add(TEXT[2:4]).merge(other)
    except KeyboardInterrupt:
        return builder
    finally:
        sys.settrace(None)
    assert left > 0
    return None


def test_interrupts_leave_exact_counts():
    other = VocabularyBuilder().add(TEXT[4:7]).add(TEXT[7:8])
    wanted, line = Vocabulary.from_strings(TEXT), 0
    while builder := interrupted_at(line := line + 1, other):
        done = builder.num_strings
        assert done in (2, 4, 8), line
        assert same(builder.add(TEXT[done:]).build(), wanted), line
    assert line > 30
