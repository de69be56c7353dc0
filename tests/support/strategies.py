"""Hypothesis strategies for strings: whitespace, malformed UTF-8, lengths around those of SIMD blocks."""

from typing import Any

from hypothesis import strategies as st

WHITESPACE = [
    b" ", b"\t", b"\n", b"\x0b", b"\x1c", b"\x1f", "\x85".encode(), "\xa0".encode(), "\u1680".encode(),
]  # fmt: skip
WHITESPACE += ["\u2000".encode(), "\u2003".encode(), "\u200a".encode(), "\u2028".encode(), "\u2029".encode()]
WHITESPACE += ["\u202f".encode(), "\u205f".encode(), "\u3000".encode()]
NEARLY = ["\u200b".encode(), "\ufeff".encode(), "\u0084".encode(), "\u2010".encode(), "\u3001".encode()]
MALFORMED = [
    b"\xc2", b"\xe2\x80", b"\x80\x83", b"\xc0\x80", b"\xed\xa0\x80", b"\xff", b"\xe3", b"\x80", b"\xe1\x9a",
]  # fmt: skip
TEXT = [
    b"a", b"b", b",", b"::", b"-", b"\x00", "é".encode(), "ß".encode(), "日本".encode(), "😀".encode(), b"word",
]  # fmt: skip

pieces = st.sampled_from(WHITESPACE + NEARLY + MALFORMED + TEXT)

# Long runs move the other pieces to every position around the ends of blocks of 16, 32 and 64 bytes.
runs = st.builds(lambda piece, n: piece * n, pieces, st.sampled_from([1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 130]))

strings = st.one_of(
    st.binary(max_size=12),
    st.lists(pieces, max_size=12).map(b"".join),
    st.lists(st.one_of(pieces, pieces, pieces, runs), max_size=8).map(b"".join),
)

# Strings of valid UTF-8.
text = st.one_of(
    st.text(max_size=12).map(str.encode),
    st.lists(st.sampled_from(WHITESPACE + NEARLY + TEXT), max_size=12).map(b"".join),
)


def tensors_of(string: st.SearchStrategy[bytes]) -> st.SearchStrategy[list[Any]]:
    rank1 = st.lists(string, max_size=12)
    rank2 = st.integers(0, 4).flatmap(
        lambda n: st.lists(st.lists(string, min_size=n, max_size=n), min_size=1, max_size=4)
    )
    return st.one_of(rank1, rank1, rank2)


rank1 = st.lists(strings, max_size=12)
tensors = tensors_of(strings)
