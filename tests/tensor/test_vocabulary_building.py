"""Vocabulary: building from tokens and from text, and invalid arguments."""

import time
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support import strategies
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.vocabularies import WORDS, built, strings

from torch_stringops import StringTensor, Vocabulary, _convert, _counting, string_unique


def by_frequency(words: list[bytes], min_frequency: int, specials: list[bytes]) -> list[bytes]:
    counts = Counter(words)
    found = [w for w in counts if counts[w] >= min_frequency and w not in specials]
    return specials + sorted(found, key=lambda w: -counts[w])


class TestBuilding:
    def test_orders_by_frequency_then_first_seen_after_the_specials(self):
        vocabulary = built()
        assert vocabulary.tokens.tolist()[:6] == ["<pad>", "<unk>", "to", "be", "or", "not"]
        assert vocabulary.counts.tolist() == [0, 0, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1]

    @given(
        words=st.lists(strategies.strings, max_size=30).flatmap(
            lambda pool: st.lists(st.sampled_from(pool), max_size=60) if pool else st.just([])
        ),
        min_frequency=st.integers(1, 3),
        max_size=st.none() | st.integers(2, 10),
    )
    def test_agrees_with_counter(self, words: list[bytes], min_frequency: int, max_size: int | None):
        specials = [b"<unk>", b""]
        vocabulary = Vocabulary.from_strings(
            strings(words), min_frequency=min_frequency, max_size=max_size, specials=specials, pad_token=""
        )
        want = by_frequency(words, min_frequency, specials)[:max_size]
        assert vocabulary.tokens.tolist(as_bytes=True) == want
        assert vocabulary.counts.tolist() == [words.count(w) for w in want]
        number = {w: i for i, w in enumerate(want)}
        assert vocabulary(strings(words)).tolist() == [number.get(w, 0) for w in words]

    def test_takes_strings_of_any_shape(self):
        vocabulary = Vocabulary.from_strings(
            strings([["b", "a"], ["b", "c"]])[:, :1], unknown_token=None, pad_token=None
        )
        assert vocabulary.tokens.tolist() == ["b"]

    def test_many_specials_take_linear_time(self):
        """Comparing each with those before it took 9 s."""
        specials = [f"<{i}>" for i in range(40_000)]
        began = time.process_time()
        vocabulary = Vocabulary.from_strings(["a"], specials=specials, pad_token=None, unknown_token=None)
        assert time.process_time() - began < 3
        assert vocabulary.tokens.tolist() == [*specials, "a"]
        with pytest.raises(
            BAD_ARGUMENT, match="expected distinct `specials`, got equal ones at positions 7 and 40000$"
        ):
            Vocabulary.from_strings(["a"], specials=[*specials, "<7>"])

    def test_max_size_counts_the_specials(self):
        assert built(max_size=4).tokens.tolist() == ["<pad>", "<unk>", "to", "be"]
        assert built(max_size=2).tokens.tolist() == ["<pad>", "<unk>"]
        with pytest.raises(BAD_ARGUMENT, match="expected `max_size` >= 2, the number of specials, got 1"):
            built(max_size=1)

    @pytest.mark.parametrize(("arguments", "first"), [
        ({}, ["<pad>", "<unk>"]), ({"specials": ("<pad>", "<unk>")}, ["<pad>", "<unk>"]),
        ({"specials": ["<unk>", "<s>", "<pad>"]}, ["<unk>", "<s>", "<pad>"]),
        ({"specials": ("<s>", b"</s>")}, ["<pad>", "<unk>", "<s>", "</s>"]),
        ({"specials": ("<unk>",)}, ["<pad>", "<unk>"]), ({"pad_token": None}, ["<unk>"]),
        ({"unknown_token": None}, ["<pad>"]), ({"pad_token": "", "unknown_token": "be"}, ["", "be"]),
        ({"pad_token": None, "unknown_token": None}, []),
    ])  # fmt: skip
    def test_special_tokens_come_first(self, arguments: dict, first: list[str]):
        vocabulary = built(**arguments)
        tokens = vocabulary.tokens.tolist()
        assert tokens[: len(first)] == first
        assert sorted(tokens) == sorted(set(first) | set(WORDS))
        for name, default in (("pad_token", "<pad>"), ("unknown_token", "<unk>")):
            assert getattr(vocabulary, name) == arguments.get(name, default)

    def test_padding_has_the_first_id_and_unknown_words_the_second(self):
        vocabulary = built()
        assert (vocabulary.pad_token, vocabulary.pad_id) == ("<pad>", 0)
        assert (vocabulary.unknown_token, vocabulary.unknown_id) == ("<unk>", 1)
        assert vocabulary(strings(["to", "<pad>", "seen", "<unk>"])).tolist() == [2, 0, 1, 1]

    def test_padding_of_string_split_can_have_the_first_id(self):
        vocabulary = built(pad_token="")
        assert vocabulary(strings([["to", ""], ["seen", ""]])).tolist() == [[2, 0], [1, 0]]

    @pytest.mark.parametrize("name", ["pad_token", "unknown_token"])
    def test_tokens_with_a_role_must_be_tokens(self, name: str):
        text = rf"expected `{name}` to be one of the tokens; it is not \(pass {name}=None if there is none\)"
        with pytest.raises(BAD_ARGUMENT, match=text):
            Vocabulary(["a"], **{name: "<x>"})

    def test_padding_and_unknown_are_two_tokens(self):
        with pytest.raises(BAD_ARGUMENT, match="expected `pad_token` and `unknown_token` to differ"):
            Vocabulary(["a"], pad_token="a", unknown_token=b"a")
        with pytest.raises(BAD_ARGUMENT, match="expected `pad_token` and `unknown_token` to differ"):
            built(pad_token="<unk>")

    def test_tokens_must_be_distinct_and_of_rank_1(self):
        with pytest.raises(BAD_ARGUMENT, match="got equal ones at positions 0 and 2"):
            Vocabulary(["a", "b", "a"])
        with pytest.raises(BAD_ARGUMENT, match=r"expected `tokens` of rank 1, got shape \[1, 1\]"):
            Vocabulary([["a"]])

    def test_does_not_share_memory_with_its_tokens(self):
        tokens = strings(["a", "b", "c"])
        vocabulary = Vocabulary(tokens[1:])
        tokens.data.fill_(0)
        assert vocabulary.tokens.tolist() == ["b", "c"]
        assert vocabulary.data.numel() == 2


class TestTextInChunks:
    def check(self, input, **options) -> None:
        vocabulary = Vocabulary.from_text(input, **options) if options else Vocabulary.from_strings(input)
        assert vocabulary.tokens.tolist() == built().tokens.tolist()
        assert vocabulary.counts.tolist() == built().counts.tolist()

    @pytest.mark.parametrize(
        "input",
        [
            WORDS,
            tuple(WORDS),
            np.array(WORDS),
            [word.encode() for word in WORDS],
            iter(WORDS),
            [strings(WORDS[:4]), strings([]), strings([WORDS[4:8], WORDS[8:12]]), strings(WORDS[12:])],
            iter([WORDS[:1], WORDS[1:1], tuple(WORDS[1:8]), np.array(WORDS[8:])]),
            (chunk for chunk in ["to", ["be"], "or", "not", strings("to"), strings(WORDS[5:12]), b"to"]),
        ],
        ids=lambda input: type(input).__name__,
    )
    def test_takes_strings_and_iterables_of_them(self, input, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(_counting, "_STRINGS_PER_CHUNK", 2)
        self.check(input)

    def test_takes_lines_with_a_delimiter(self):
        lines = ["to,be,or,not", "to,be", "that,is,the,question,a much longer word,", "to"]
        for input in (lines, strings(lines), iter(lines), [lines[:1], lines[1:]]):
            self.check(input, delimiter=",")
        self.check(lines, delimiter=b",")
        assert Vocabulary.from_text([" b a\t", "", "b\u3000"]).tokens.tolist()[2:] == ["b", "a"]

    @pytest.mark.parametrize("delimiter", [None, ","])
    def test_empty_pieces_are_left_out(self, delimiter):
        vocabulary = Vocabulary.from_text(["a,,b", "", "a"], delimiter=delimiter, skip_empty=True)
        words = {None: ["a,,b", "a"], ",": ["a", "b"]}[delimiter]
        assert vocabulary.tokens.tolist() == ["<pad>", "<unk>", *words]

    def test_empty_input(self):
        for input in ([], (), iter([]), [[]], strings([]), strings([[], []])):
            assert Vocabulary.from_strings(input).tokens.tolist() == ["<pad>", "<unk>"]

    @given(
        chunks=st.lists(st.lists(st.sampled_from([b"a", b"b", b"", b"a longer word", b"c" * 20]), max_size=9)),
        waiting=st.integers(1, 20),
        max_bytes=st.integers(40, 200),
        small=st.integers(0, 9),
        gathered=st.integers(1, 40),
    )
    def test_the_chunks_do_not_matter(
        self, chunks: list[list[bytes]], waiting: int, max_bytes: int, small: int, gathered: int
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_counting, "_MIN_PENDING", waiting)
            patch.setattr(_counting, "MAX_BYTES", max_bytes)
            patch.setattr(_counting, "_SMALL_ITEM", small)
            patch.setattr(_counting, "_BYTES_PER_CHUNK", gathered)
            words, counts = _counting.count_strings(map(strings, chunks), "test", None)
        counted = Counter(word for chunk in chunks for word in chunk)
        assert words.tolist(as_bytes=True) == list(counted)
        assert counts.tolist() == list(counted.values())

    def test_known_words_are_hashed_a_few_times_only(self, monkeypatch: pytest.MonkeyPatch):
        """400 chunks. Hashing all known words again with each chunk would take 200 times as many strings."""
        hashed = 0

        def counting(part: StringTensor):
            nonlocal hashed
            hashed += part.numel()
            return string_unique(part)

        monkeypatch.setattr(_counting, "string_unique", counting)
        monkeypatch.setattr(_counting, "_MIN_PENDING", 1)
        monkeypatch.setattr(_counting, "_SMALL_ITEM", 0)
        words = [f"{i}" for i in range(4000)]
        _counting.count_strings((strings(words[i : i + 10]) for i in range(0, 4000, 10)), "test", None)
        assert hashed < 5 * len(words)

    def test_small_items_are_gathered(self, monkeypatch: pytest.MonkeyPatch):
        """A chunk costs as much as counting 2,000 words."""
        chunks = []

        def counting(part: StringTensor):
            chunks.append(part.numel())
            return string_unique(part)

        monkeypatch.setattr(_counting, "string_unique", counting)
        large = strings(["x"] * 1024)
        words, _ = _counting.count_strings(
            iter(["a", ["b", "\xe9"], strings([b"\xff"]), strings("c"), large, [b"d"], ("a",)]), "test", None
        )
        assert chunks[:3] == [5, 1024, 2]
        assert words.tolist(as_bytes=True) == [b"a", b"b", b"\xc3\xa9", b"\xff", b"c", b"x", b"d"]

    @pytest.mark.parametrize("in_place", [True, False])
    def test_texts_of_every_storage(self, in_place, monkeypatch):
        class Text(str):
            __slots__ = ()

        words = ["", "a\0b", "\xe9", "日本", "😀", "x" * 5000, Text("sub"), "é" * 20000]
        items = [*words, words, tuple(words), [word.encode() for word in words], [], [Text("sub"), b"\xff"]]
        monkeypatch.setattr(_counting, "_STRINGS_PER_CHUNK", 10)
        try:
            _convert.uses_layout(in_place)
            chunks = [chunk.tolist(as_bytes=True) for chunk in _counting._chunks(iter(items), "test")]
        finally:
            _convert.uses_layout(True)
        encoded = [word.encode() for word in words]
        assert [text for chunk in chunks for text in chunk] == [*(encoded * 4), b"sub", b"\xff"]
        assert [len(chunk) for chunk in chunks] == [16, 16, 2]

    @pytest.mark.parametrize(("item", "text"), [
        ("\ud800", "test: `input`: expected text that UTF-8 can hold, got a lone surrogate at codepoint 0"),
        (["a", "b\ud800"], r"test: `input`: expected text that UTF-8 can hold at \[1\], got a lone surrogate"),
        (["a", None], r"test: `input`: expected no missing strings, got one at \[1\]"),
        (["a", ["b"]], r"test: `input`: expected str or bytes at \[1\], as at \[0\], got list"),
        (3, "test: expected `input` to be a StringTensor, or strings in a list, .* got int$"),
    ])  # fmt: skip
    def test_items_that_are_not_text(self, item, text):
        with pytest.raises((TypeError, ValueError), match=text):
            list(_counting._chunks(iter(["a", item]), "test"))

    def test_errors_of_the_iterator_are_passed_on(self):
        def texts():
            yield "a"
            raise OSError("disk")

        with pytest.raises(OSError, match="disk"):
            list(_counting._chunks(texts(), "test"))

    def test_arguments_of_gather_texts(self):
        with pytest.raises(TypeError, match="test: expected an iterator"):
            _convert.gather_texts([], bytearray(), bytearray(4), 1, 1, 1, "test")
        with pytest.raises(ValueError, match="test: expected a chunk with its first offset"):
            _convert.gather_texts(iter([]), bytearray(), bytearray(3), 1, 1, 1, "test")

    def test_an_item_may_be_overwritten_afterwards(self):
        def texts():
            item, reused = strings(["a", "b"]), ["a", "b"]
            yield item
            item.data.copy_(torch.tensor(list(b"cd"), dtype=torch.uint8))
            yield item
            yield reused
            reused[0] = "e"
            yield reused

        words, counts = _counting.count_strings(texts(), "test", None)
        assert words.tolist() == ["a", "b", "c", "d", "e"]
        assert counts.tolist() == [2, 3, 1, 1, 1]

    @pytest.mark.parametrize(("input", "text"), [
        (None, "expected a StringTensor, a list of str, or an iterable of these, got NoneType$"),
        (3, "or an iterable of these, got int$"),
        (Counter(WORDS), r"got Counter \(pass a list: its order determines the ids\)"),
        (set(WORDS), r"got set \(pass a list: its order determines the ids\)"),
        ([1], "got int"), (["a", 1], r"got int"), (iter(["a", 1]), "got int"),
    ])  # fmt: skip
    def test_rejects_other_types(self, input, text: str):
        with pytest.raises(TypeError, match=text):
            Vocabulary.from_strings(input)


class TestArguments:
    @each(("arguments", "error", "text"), [
        ({"num_oov_buckets": -1}, ValueError, r"`num_oov_buckets` within \[0, 2\*\*62\], got -1$"),
        ({"num_oov_buckets": 2**62 + 1}, ValueError, r"within \[0, 2\*\*62\], got 4611686018427387905$"),
        ({"num_oov_buckets": 2**63}, ValueError, r"within \[0, 2\*\*62\], got 9223372036854775808$"),
        ({"num_oov_buckets": 10**5000}, ValueError, r"got an int of 16610 bits$"),
        ({"pad_token": 1}, TypeError, "expected `pad_token` to be str or bytes, got int$"),
        ({"unknown_token": ["a"]}, TypeError, "expected `unknown_token` to be str or bytes, got list$"),
        ({"unknown_token": "\ud800"}, ValueError, "`unknown_token` to be text that UTF-8 can hold"),
    ])  # fmt: skip
    def test_arguments_of_both_constructors(self, arguments: dict, error: type[Exception], text: str):
        for build in (lambda **a: Vocabulary(["a"], **a), built):
            with pytest.raises(error, match="^Vocabulary.*" + text):
                build(**arguments)

    @each(("arguments", "error", "text"), [
        ({"max_size": -1}, ValueError, "expected `max_size` >= 0, got -1"),
        ({"min_frequency": 0}, ValueError, "expected `min_frequency` >= 1, got 0"),
        ({"specials": "<s>"}, TypeError, r"`specials` to be a tuple or list .* got str \(pass a tuple of one"),
        ({"specials": 5}, TypeError, "`specials` to be a tuple or list of str or bytes, got int$"),
        ({"specials": {"a"}}, TypeError, "`specials` to be a tuple or list of str or bytes, got set$"),
        ({"specials": ("a", 1)}, TypeError, r"expected `specials\[1\]` to be str or bytes, got int"),
        ({"specials": ("a", "b", b"a")}, ValueError, "distinct `specials`, got equal ones at positions 0 and 2"),
    ])  # fmt: skip
    def test_arguments_of_from_strings(self, arguments: dict, error: type[Exception], text: str):
        with pytest.raises(error, match=r"^Vocabulary\.from_strings: .*" + text):
            built(**arguments)

    def test_the_delimiter_is_text(self):
        with pytest.raises(ValueError, match=r"^Vocabulary\.from_text: expected `delimiter` to be text that UTF-8"):
            Vocabulary.from_text(["a"], "\ud800")

    def test_integers_of_numpy_are_ints(self):
        vocabulary = built(num_oov_buckets=np.int64(3), max_size=np.int32(4), min_frequency=np.uint8(2))
        assert (len(vocabulary), vocabulary.num_ids) == (4, 7)
        assert type(vocabulary.num_oov_buckets) is int
        assert Vocabulary(["a"], num_oov_buckets=2**62)(["b"]).item() >= 1
        assert len(built(min_frequency=2**70)) == 2

    @pytest.mark.parametrize("tokens", [None, 1, [1], {"a"}])
    def test_tokens_of_another_type(self, tokens):
        with pytest.raises(TypeError, match="^Vocabulary: (expected )?`tokens`"):
            Vocabulary(tokens)
