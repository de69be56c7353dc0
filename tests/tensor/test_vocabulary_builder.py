"""VocabularyBuilder: the vocabulary of a single pass, from any pieces, in memory and on disk."""

import ctypes
import errno
import multiprocessing
import os
import pickle
import re
import resource
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from torch_stringops import StringTensor, Vocabulary, VocabularyBuilder, _counting, as_strings
from torch_stringops.data import StringColumn, read_lines
from torch_stringops.vocabulary import _spills
from torch_stringops.vocabulary import builder as vocabulary_builder

TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "to", "be", "", "é", "<unk>"]), max_size=9), max_size=6)
CHOICES = {
    "min_frequency": st.integers(1, 3),
    "max_size": st.none() | st.integers(3, 6),
    "specials": st.sampled_from([(), ("be",)]),
}


def same(vocabulary: Vocabulary, wanted: Vocabulary) -> bool:
    return vocabulary.tokens.tolist() == wanted.tokens.tolist() and torch.equal(vocabulary.counts, wanted.counts)


# 1 byte: all words go to disk after each piece.
@pytest.mark.parametrize("max_bytes", [2**20, 200, 1])
@settings(max_examples=15)
@given(texts=TEXTS, choice=st.fixed_dictionaries(CHOICES), cuts=st.lists(st.booleans(), min_size=6, max_size=6))
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
    builder = VocabularyBuilder().add_text(StringColumn([text[:1], text[1:]]), " ", skip_empty=True)
    assert same(builder.build(), Vocabulary.from_text(text, delimiter=" ", skip_empty=True))
    assert repr(builder) == "VocabularyBuilder(6 strings)"


@pytest.mark.parametrize("max_bytes", [2**20, 1])
def test_a_builder_is_saved(tmp_path, max_bytes):
    builder = VocabularyBuilder(max_bytes=max_bytes, folder=tmp_path).add_text(["a,b", "c,a"], ",")
    assert len(os.listdir(tmp_path)) == (max_bytes == 1)
    builder.save(tmp_path / "counts")
    loaded = VocabularyBuilder.load(tmp_path / "counts", folder=tmp_path)
    assert VocabularyBuilder().merge(loaded).build().tokens.tolist()[2:] == ["a", "b", "c"]
    wanted = Vocabulary.from_text(["a,b", "c,a", "d"], delimiter=",")
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


@pytest.mark.parametrize(("call", "kind", "text"), [
    (lambda: VocabularyBuilder().add_text("", 3), TypeError, "VocabularyBuilder.add_text: expected `delimiter`"),
    (lambda: VocabularyBuilder(max_bytes=0), ValueError, "expected `max_bytes` within"),
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


MB = 2**20


def numbered(begin: int, count: int, size: int, separator: bytes = b"") -> StringTensor:
    """Distinct words of `size` bytes; with a separator, 1,000 in a string."""
    digits = torch.full([count, size + len(separator)], ord("x"), dtype=torch.uint8)
    rest = torch.arange(begin, begin + count)
    for j in range(min(size, 7)):
        digits[:, j] = 48 + rest % 10
        rest //= 10
    digits[:, size:] = torch.tensor(list(separator), dtype=torch.uint8)
    step = digits.shape[1] * (1000 if separator else 1)
    return StringTensor(digits.reshape(-1), torch.arange(0, digits.numel() + 1, step, dtype=torch.int32))


# By kind: 1.5 to 3 million words, or 0.2 million long ones.
INPUTS = {
    "words": lambda _: (numbered(k, 10_000, 10) for k in range(0, 3_000_000, 10_000)),
    "one tensor": lambda _: numbered(0, 3_000_000, 10),
    "long words": lambda _: (numbered(k, 1000, 500) for k in range(0, 200_000, 1000)),
    "texts": lambda _: numbered(0, 2_000_000, 7, b" "),
    "a column": lambda folder: read_lines(folder / "lines"),
    "lists": lambda _: (numbered(k, 10_000, 7).tolist() for k in range(0, 1_500_000, 10_000)),
}


def peak_bytes() -> int:
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) << 10


def use_bounded_memory(kind: str, max_bytes: int, folder) -> None:
    torch.set_num_threads(1)
    # The C library keeps freed blocks of up to 32 MB for later (as many as it likes): the peak would
    # measure its choice. With a fixed M_MMAP_THRESHOLD (-3), what is freed is given back at once.
    assert ctypes.CDLL(None).mallopt(-3, 1 << 17) == 1
    builder = VocabularyBuilder(max_bytes=max_bytes, folder=folder)
    for _ in range(2):  # code and buffers that are made once
        VocabularyBuilder(max_bytes=MB, folder=folder).add(numbered(0, 100_000, 7)).build(min_frequency=2)
    given = INPUTS[kind](folder)
    add = builder.add_text if kind == "texts" else builder.add
    for use in (lambda: add(given), lambda: builder.build(min_frequency=2)):
        ctypes.CDLL(None).malloc_trim(0)  # so that free memory of the heap is not counted before
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # the peak begins anew
        before = peak_bytes()
        use()
        assert peak_bytes() - before <= max_bytes, f"{(peak_bytes() - before) / MB:.0f} MB"


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="a system without peaks of memory")
@pytest.mark.parametrize(
    "kind", [kind if kind == "texts" else pytest.param(kind, marks=pytest.mark.check) for kind in INPUTS]
)
def test_memory_is_bounded(tmp_path, kind):
    if kind == "a column":
        (tmp_path / "lines").write_bytes(b"".join(b"line %d\n" % i for i in range(3_000_000)))
    # A fresh process, as freed memory of the tests before would count.
    process = multiprocessing.get_context("spawn").Process(target=use_bounded_memory, args=(kind, 64 * MB, tmp_path))
    process.start()
    process.join(100)
    assert process.exitcode == 0


@given(sizes=st.lists(st.integers(0, 30), max_size=40), num_bytes=st.integers(1, 60), begin=st.integers(0, 5))
def test_pieces_of_a_chunk(sizes, num_bytes, begin):
    strings = as_strings(["x" * size for size in sizes])[begin:]
    pieces = list(vocabulary_builder._cut([strings], num_bytes))
    assert [s for piece in pieces for s in piece.tolist()] == strings.tolist()
    if len(pieces) > 1:
        assert all(len(p) == 1 or sum(4 + len(s) for s in p.tolist()) <= num_bytes for p in pieces)


def test_partitions_that_are_too_large_are_divided(monkeypatch):
    monkeypatch.setattr(_spills, "PARTITIONS", 3)
    monkeypatch.setattr(vocabulary_builder, "_MIN_PIECE", 2000)
    builder = VocabularyBuilder(max_bytes=1)
    words = [str(i % 300) for i in range(900)]
    for at in range(0, 900, 100):
        builder.add(words[at : at + 100])
    sums = list(builder._sums(builder._counts.spills))
    assert len(sums) > 3
    assert sum(len(piece.words) for piece in sums) == 300
    assert same(builder.build(), Vocabulary.from_strings(words))
    assert same(pickle.loads(pickle.dumps(builder)).build(max_size=50), Vocabulary.from_strings(words, max_size=50))


TEXT = ["a", "b", "a", "c", "b", "d", "a", "e", "e", "f"]


def interrupted_at(line: int, folder, other: VocabularyBuilder) -> VocabularyBuilder | None:
    """A builder that is interrupted before a line of its code, counted from 1. None if there are fewer lines."""
    files = vocabulary_builder.__file__, _spills.__file__, _counting.__file__
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

    builder = VocabularyBuilder(max_bytes=1, folder=folder).add(TEXT[:2])
    try:
        sys.settrace(trace)
        builder.add(TEXT[2:4]).merge(other)
    except KeyboardInterrupt:
        return builder
    finally:
        sys.settrace(None)
    assert left > 0
    return None


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.check)])
def test_interrupts_leave_exact_counts(tmp_path, monkeypatch, step):
    monkeypatch.setattr(_spills, "PARTITIONS", 2)
    other = VocabularyBuilder(max_bytes=1, folder=tmp_path).add(TEXT[4:7])
    other.max_bytes = 2**20
    other.add(TEXT[7:8])
    wanted, line = Vocabulary.from_strings(TEXT), 0
    while builder := interrupted_at(line := line + step, tmp_path, other):
        done = builder.num_strings
        assert done in (2, 4, 8), line
        assert same(builder.add(TEXT[done:]).build(), wanted), line
    assert line > 150


def test_an_error_of_closing_a_file_names_it(tmp_path):
    builder = VocabularyBuilder(max_bytes=1, folder=tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large: .*vocabulary"):
            builder.add(TEXT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert same(builder.build(), Vocabulary.from_strings(TEXT))


def test_files_of_spills_are_whole(tmp_path, monkeypatch):
    save, left = _spills.np.save, 0

    def full(file, array, **options):
        nonlocal left
        left -= 1
        if left < 0:
            file.write(b"part")
            raise OSError(errno.ENOSPC, "No space left on device")
        save(file, array, **options)

    monkeypatch.setattr(_spills.np, "save", full)
    for left in range(8):
        builder = VocabularyBuilder(max_bytes=1, folder=tmp_path)
        with pytest.raises(OSError, match="No space left on device: .*vocabulary"):
            builder.add(TEXT)
        left = 10**9
        assert os.listdir(builder._folder.name) == []
        assert same(builder.build(), Vocabulary.from_strings(TEXT))
    builder = VocabularyBuilder(max_bytes=1, folder=tmp_path).add(TEXT)
    (path,) = (spill.path for spill in builder._counts.spills)
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) - 1)
    with pytest.raises(OSError, match=f"VocabularyBuilder: {path} has changed: "):
        builder.build()
