import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference import case as oracles
from support import draws, strategies
from support.cases import each
from support.families import MapSuite, MapTests
from support.harness import Call, call
from support.strings import compact, decode
from support.threads import on_threads
from support.unicode import CODEPOINTS, RECORDED, agrees_with_python, checksum, codepoint_strings

# Characters of one, two, three and four bytes whose case changes: to the same size, to another one, to several; what is
# ignored between them; and bytes that are no characters.
LETTERS = [
    "a", "Z", "\xe9", "\xc9", "\xff", "\u0178", "\u0434", "\u0414", "\u03b1", "\u0391", "\u10d0", "\u1c90",
]  # fmt: skip
LETTERS += ["\u13a0", "\uab70", "\u24b6", "\u24d0", "\uff21", "\uff41", "\U00010400", "\U00010428"]
GROWING = ["\u0130", "\u0149", "\u01f0", "\u0390", "\u1e9e", "\xdf", "\ufb03", "\u1f80", "\u1fb3", "\u0587"]
GROWING += [
    "\u023a", "\u2c65", "\u0250", "\u2c6f", "\u212a", "\u212b", "\u2126", "\u0131", "\u017f", "\ua7c5",
]  # fmt: skip
TITLES = ["\u01c4", "\u01c5", "\u01c6", "\u1f88", "\u1ffc"]
SIGMAS = ["\u03a3", "A\u03a3", "\u03a3b", "\u03c3", "\u03c2", "A.\u03a3"]
OTHERS = [
    "'", ".", "1", " ", "\xad", "\u0301", "\u0345", "\u2019", "\u65e5", "\U0001f600", "\u00b2", "\u02b0",
]  # fmt: skip
PIECES = [c.encode() for c in LETTERS + LETTERS + GROWING + TITLES + SIGMAS + OTHERS]
PIECES += [b"\xff", b"\xce", b"\xa3", b"\xe1\xbc", b"\xed\xa0\x80"]

same_sizes = [c.encode() for c in LETTERS + OTHERS]
pieces = st.sampled_from(PIECES)
runs = st.builds(lambda piece, n: piece * n, pieces, st.sampled_from([1, 2, 3, 7, 15, 16, 31, 32, 33, 64]))
strings = st.one_of(
    st.lists(st.one_of(pieces, runs), max_size=8).map(b"".join),
    st.lists(st.sampled_from(same_sizes), max_size=30).map(b"".join),
)


def draw(rng: draws.Random, n: int) -> Call:
    kind = rng.choice([PIECES, same_sizes, [b"a", b"B", b" "]])
    return call([b"".join(rng.choices(kind, k=rng.choice([0, 1, 5, 20]))) for _ in range(n)])


def suite(op: str, reference: Callable[[bytes], bytes]) -> MapSuite:
    samples: list[Any] = [
        ["Hello world", "HELLO, wORLD", "they're Bill's", "\u0130stanbul", "stra\xdfe", "\ufb03"],
        ["\u039f\u0394\u039f\u03a3 \u03a3\u0391\u03a3.", "\u01c4 \u01c6", "\u041f\u0440\u0438\u0432\u0415\u0422", ""],
        [b"\xff\xc3(A", b"\xe6\x97a\xce\xa3", b"A\xff\xce\xa3"],
    ]  # fmt: skip
    drawn = st.one_of(strategies.tensors_of(strings), strategies.tensors)
    return MapSuite(op=op, reference=reference, samples=samples, text=False, strategy=st.builds(call, drawn), draw=draw)


class TestStringLower(MapTests):
    suite = suite("string_lower", oracles.string_lower_ref)


class TestStringSimpleFold(MapTests):
    suite = suite("_string_simple_fold", oracles.string_simple_fold_ref)


class TestStringUpper(MapTests):
    suite = suite("string_upper", oracles.string_upper_ref)


class TestStringCasefold(MapTests):
    suite = suite("string_casefold", oracles.string_casefold_ref)


class TestStringTitle(MapTests):
    suite = suite("string_title", oracles.string_title_ref)


class TestStringCapitalize(MapTests):
    suite = suite("string_capitalize", oracles.string_capitalize_ref)


class TestStringSwapcase(MapTests):
    suite = suite("string_swapcase", oracles.string_swapcase_ref)


NAMES = ["lower", "upper", "casefold", "title", "capitalize", "swapcase"]


def run(name: str, strings: Iterable[str | bytes]) -> list[bytes]:
    raw = [s.encode() if isinstance(s, str) else s for s in strings]
    return decode(*getattr(torch.ops.stringops, f"string_{name}")(*compact(raw)))


@pytest.mark.parametrize("name", NAMES)
def test_all_code_points_have_the_recorded_results(name: str):
    data, offsets = getattr(torch.ops.stringops, f"string_{name}")(*codepoint_strings())
    assert (checksum(data), len(offsets)) == (RECORDED[name], len(CODEPOINTS) + 1)


def test_characters_that_are_cased_or_ignored_are_the_recorded_ones():
    titles, _ = torch.ops.stringops.string_title(*codepoint_strings(after="A"))
    assert checksum(titles) == RECORDED["title of c + 'A'"]
    lower, _ = torch.ops.stringops.string_lower(*codepoint_strings("A", "\u03a3"))
    assert checksum(lower) == RECORDED["lower of 'A' + c + sigma"]


@pytest.mark.parametrize("name", NAMES)
def test_code_points_that_this_python_has(name: str):
    """Without letters of scripts that have no case, and code points that are not assigned."""
    cased = (c for c in CODEPOINTS if unicodedata.category(c) not in ("Lo", "Co", "Cn"))
    known = [c for c in cased if agrees_with_python(c)]
    assert len(known) > 4000
    for text in (known, [f"{c}A{c}" for c in known], [f"A{c}\u03a3" for c in known]):
        assert run(name, text) == [getattr(s, name)().encode() for s in text]


def positions() -> Iterator[bytes]:
    """Every piece at every position around the ends of vectors and of blocks, after letters of each size."""
    for fill in (b"aB", "\u0434\u0414".encode(), "\u65e5".encode()):
        for size in (*range(10), *range(29, 35), *range(61, 67), 8189, 8190, 8191, 8192):
            yield (fill * size)[:size]


@each("name", NAMES)
def test_pieces_around_the_ends_of_vectors_and_blocks(name: str, tier: str):
    reference = getattr(oracles, f"string_{name}_ref")
    for piece in ("\u03a3", "\u0130", "\u01c6", "\U00010400"):
        strings = [fill + piece.encode() for fill in positions()] + [b"Tail"]
        assert run(name, strings) == [reference(s) for s in strings]


@each("name", NAMES)
def test_strings_that_divide_code_points(name: str, tier: str):
    data, _ = compact(["\u0434\u03a3\u00e9\u10d0A".encode()])
    offsets = torch.tensor([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], dtype=torch.int32)
    strings = [bytes([b]) for b in data.tolist()]
    results = getattr(torch.ops.stringops, f"string_{name}")(data, offsets)
    assert decode(*results) == [getattr(oracles, f"string_{name}_ref")(s) for s in strings]


@each("name", NAMES)
def test_one_result_of_another_size_among_many(name: str, tier: str):
    """The later results move."""
    strings = ["Word", "\u0414\u043e\u043c"] * 3000
    for at in (0, 2999, 5999):
        changed = [*strings[:at], "\u0130\u0149\u1e9e\u023a", *strings[at:]]
        assert run(name, changed) == [getattr(s, name)().encode() for s in changed]


@each("name", NAMES)
def test_results_of_tasks_move_where_those_before_them_end(name: str):
    """More results that grow, and that shrink, than a result has room for; and memory that is not wasted."""
    grows, shrinks, same = (
        ["\u0149\u01f0 \u0130" * 10] * 2000,
        ["\u212a \u1e9e\u0131" * 10] * 2000,
        ["Word " * 9] * 2000,
    )
    operator = getattr(torch.ops.stringops, f"string_{name}")
    for strings in (
        grows + same,
        shrinks + same,
        same + grows,
        grows + shrinks,
        shrinks + grows + same,
        same * 3 + grows,
    ):
        expected = [getattr(s, name)().encode() for s in strings]
        for threads in (1, 2, 3, 16):
            with on_threads(threads):
                data, offsets = operator(*compact([s.encode() for s in strings]))
            assert decode(data, offsets) == expected
            assert data.untyped_storage().nbytes() <= 1.15 * data.numel()
