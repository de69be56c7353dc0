"""VocabularyBuilder: the vocabulary of a single pass, from any pieces, in memory and on disk."""

import os
import pickle

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from torch_stringops import Vocabulary, VocabularyBuilder, as_strings
from torch_stringops.data import StringColumn

TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "to", "be", "", "é", "<unk>"]), max_size=9), max_size=6)
CHOICES = {
    "min_frequency": st.integers(1, 3),
    "max_size": st.none() | st.integers(3, 6),
    "specials": st.sampled_from([(), ("be",)]),
}


def same(vocabulary: Vocabulary, wanted: Vocabulary) -> bool:
    return vocabulary.tokens.tolist() == wanted.tokens.tolist() and torch.equal(
        vocabulary.counts, wanted.counts
    )


# 1 byte: all words go to disk after each piece.
@pytest.mark.parametrize("max_bytes", [2**20, 200, 1])
@settings(max_examples=15)
@given(
    texts=TEXTS, choice=st.fixed_dictionaries(CHOICES), cuts=st.lists(st.booleans(), min_size=6, max_size=6)
)
def test_any_pieces_give_the_vocabulary_of_a_single_pass(max_bytes, texts, choice, cuts):
    builders = [VocabularyBuilder(max_bytes=max_bytes)]
    for text, cut in zip(texts, cuts, strict=False):
        if cut:
            builders.append(VocabularyBuilder(max_bytes=max_bytes if len(builders) % 2 else 2**20))
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
    builder = VocabularyBuilder(delimiter=" ", skip_empty=True).add(StringColumn([text[:1], text[1:]]))
    assert same(builder.build(), Vocabulary.from_strings(text, delimiter=" ", skip_empty=True))
    assert repr(builder) == "VocabularyBuilder(6 strings)"
    assert same(
        VocabularyBuilder(skip_empty=True).add(text).build(), Vocabulary.from_strings(text, skip_empty=True)
    )


@pytest.mark.parametrize("max_bytes", [2**20, 1])
def test_a_builder_is_saved(tmp_path, max_bytes):
    builder = VocabularyBuilder(delimiter=",", max_bytes=max_bytes, folder=tmp_path).add(["a,b", "c,a"])
    assert len(os.listdir(tmp_path)) == (max_bytes == 1)
    builder.save(tmp_path / "counts")
    loaded = VocabularyBuilder.load(tmp_path / "counts", folder=tmp_path)
    assert VocabularyBuilder(delimiter=",").merge(loaded).build().tokens.tolist()[2:] == ["a", "b", "c"]
    wanted = Vocabulary.from_strings(["a,b", "c,a", "d"], delimiter=",")
    assert same(builder.add(["d"]).build(), wanted)
    assert same(loaded.add(["d"]).build(), wanted)
    del builder, loaded
    assert os.listdir(tmp_path) == ["counts"]


def test_damaged_files_are_rejected(tmp_path):
    path = tmp_path / "counts"
    VocabularyBuilder(max_bytes=1).add(["a", "b"]).save(path)
    raw = path.read_bytes()
    for end in range(0, len(raw), 50):
        path.write_bytes(raw[:end])
        with pytest.raises(ValueError, match=r"VocabularyBuilder.load: .*counts: "):
            VocabularyBuilder.load(path)
    with pytest.raises(FileNotFoundError):
        VocabularyBuilder.load(tmp_path / "none")


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: VocabularyBuilder(delimiter=3), TypeError, "expected `delimiter`"),
        (lambda: VocabularyBuilder(max_bytes=0), ValueError, "expected `max_bytes` within"),
        (lambda: VocabularyBuilder().add(3), TypeError, "VocabularyBuilder.add: expected"),
        (lambda: VocabularyBuilder().merge(3), TypeError, "expected a VocabularyBuilder, got int"),
        (
            lambda: VocabularyBuilder().merge(VocabularyBuilder(delimiter="")),
            ValueError,
            "of equal `delimiter`",
        ),
        (
            lambda: VocabularyBuilder().build(max_size=1),
            ValueError,
            "VocabularyBuilder.build: expected `max_size` >= 2",
        ),
    ],
)
def test_bad_arguments_are_rejected(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
