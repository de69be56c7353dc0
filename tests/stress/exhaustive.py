"""Splitting of every short string, UTF-8 validation of every short sequence, and every small pattern, compared with
oracles.

    stress exhaustive [split] [utf8] [patterns]

split  strings of up to 6 of 4 letters x delimiters of up to 2 x maxsplit -1 to 4 x both values of `compat`, with empty
       pieces kept or skipped, against the oracle
utf8   the validity, and the position of the first invalid byte, of every sequence of 1 to 3 bytes, and of 4 bytes for
       every pair of lead and second byte, against CPython's decoder
patterns  patterns of up to 3 of 9 atoms, with and without repetitions, on all strings of up to 4 of 4 letters:
       masks and the automaton against RE2, the longest matches, the first ones, and what their groups capture

On every CPU tier, except patterns. The first difference ends the run with code 1.
"""

import argparse
import itertools
import re
import sys
import time
from collections.abc import Callable, Iterator

import torch
from reference.split import split_one
from support.engines import by_closure, without_masks
from support.strings import compact

import torch_stringops

LETTERS = "a, b"
split_ragged = torch.ops.stringops.string_split_ragged.default
characters = torch.ops.stringops.tokenizer_ragged.default


def every_split(length: int) -> Iterator[int]:
    """For each delimiter, maxsplit and options, checks all texts; yields their number."""
    texts = [bytes(t) for n in range(length + 1) for t in itertools.product(LETTERS.encode(), repeat=n)]
    data, offsets = compact(texts)
    delimiters = ["", *("".join(d) for n in (1, 2) for d in itertools.product(LETTERS, repeat=n))]
    for delimiter, maxsplit, compat, skip_empty in itertools.product(
        delimiters, range(-1, 5), ("reference", "onnxruntime"), (False, True)
    ):
        how = {"compat": compat, "skip_empty": skip_empty}
        want = [split_one(t, delimiter, maxsplit, **how) for t in texts]
        for tier in torch_stringops.simd_tiers():
            torch_stringops.set_simd_tier(tier)
            pieces, ends, row_splits = split_ragged(data, offsets, delimiter, maxsplit, **how)
            raw, splits = bytes(pieces.numpy()), row_splits.tolist()
            flat = [raw[a:b] for a, b in itertools.pairwise(ends.tolist())]
            for text, pieces_of, (a, b) in zip(texts, want, itertools.pairwise(splits), strict=True):
                if flat[a:b] != pieces_of:
                    sys.exit(
                        f"split: {text!r} at {delimiter!r}, {maxsplit}, {how}, {tier}: {flat[a:b]}, expected {pieces_of}"
                    )
        yield len(texts)


def error_at(sequence: bytes) -> int | None:
    try:
        sequence.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def check_verdicts(sequences: list[bytes]) -> None:
    """The operator names the first invalid row; the rows after it are checked in another call."""
    want = {row: at for row, s in enumerate(sequences) if (at := error_at(s)) is not None}
    data, offsets = compact(sequences)
    for tier in torch_stringops.simd_tiers():
        torch_stringops.set_simd_tier(tier)
        got: dict[int, int] = {}
        first = 0
        while first < len(sequences):
            try:
                characters(data, offsets[first:], separators=[""])
            except (ValueError, RuntimeError) as error:
                row, byte = re.search(r"in row (\d+) at byte (\d+)", str(error)).groups()  # type: ignore[union-attr]
                got[first + int(row)] = int(byte)
                first += int(row) + 1
            else:
                break
        if got != want:
            row = min(set(got.items()) ^ set(want.items()))[0]
            sys.exit(f"utf8: {sequences[row].hex()}, {tier}: invalid at {got.get(row)}, expected {want.get(row)}")


def every_utf8(last: int) -> Iterator[int]:
    """For each first byte up to `last`, checks all sequences; yields their number."""
    for lead in range(last + 1):
        check_verdicts([bytes([lead])])
        for second in range(256):
            sequences = [bytes([lead, second])]
            sequences += [bytes([lead, second, third]) for third in range(256)]
            sequences += [bytes([lead, second, third, fourth]) for third in (0x80, 0xBF) for fourth in (0x80, 0xC0)]
            check_verdicts(sequences)
        yield 1 + 256 * len(sequences)


ATOMS = ["a", "b", ".", "[^a]", "é", "^", "$", r"\b", r"\B"]
REPEATS = ["", "*", "+", "?", "{2}", "*?", "??", "{1,2}"]


def small_patterns() -> Iterator[str]:
    """Of one atom, then two, then three."""
    repeated = [atom + repeat for atom in ATOMS for repeat in REPEATS]
    yield from repeated
    for a, b, join in itertools.product(repeated, repeated, ("", "|")):
        pair = f"{a}{join}{b}"
        yield from (pair, f"(?:{pair})*", f"(?:{pair})+?", f"(?:{pair})?a", f"b(?:{pair}){{2}}")


def grouped(pattern: str) -> str:
    """With a group around up to two letters, and one around all of it."""
    letters = re.sub(r"(?<![\\^])[ab]", r"(\g<0>)", pattern, count=2)
    return f"({letters})"


def every_pattern(length: int, step: int) -> Iterator[int]:
    """Every step-th pattern; yields the number of texts of each."""
    texts = ["".join(t) for n in range(length + 1) for t in itertools.product("abé\n", repeat=n)]
    strings = compact([text.encode() for text in texts])
    ops = torch.ops.stringops

    def results(pattern: str) -> list[torch.Tensor]:
        return [
            *ops.regex_find_all_spans_ragged(*strings, pattern),
            *ops.regex_find_all_ragged(*strings, pattern),
            *ops.tokenizer_ragged(*strings, tokenexp=pattern),
            ops.regex_contains(*strings, pattern),
            ops.regex_full_match(*strings, pattern),
        ]

    def groups(pattern: str) -> list[torch.Tensor]:
        count = len(re.findall(r"\((?!\?)", pattern))
        return [t for g in range(1, count + 1) for t in ops.regex_find_all_spans_ragged(*strings, pattern, g)]

    for pattern in itertools.islice(small_patterns(), 0, None, step):
        by_masks = results(pattern)
        with without_masks():
            got, got_groups = results(pattern), groups(grouped(pattern))
        with by_closure():
            want, want_groups = results(pattern), groups(grouped(pattern))
        equal = all(map(torch.equal, by_masks, want)) and all(map(torch.equal, got, want))
        equal = equal and torch.equal(got_groups[0], got[0])
        # RE2 finds some matches, of empty loops with `$` or `\b`, by one engine if groups are needed and not by the other.
        if torch.equal(want_groups[0], want[0]):
            equal = equal and all(map(torch.equal, got_groups, want_groups))
        if not equal:
            sys.exit(f"patterns: {pattern!r}: masks or the automaton differ from RE2")
        yield len(texts)


CHECKS: dict[str, Callable[[], Iterator[int]]] = {
    "split": lambda: every_split(6),
    "utf8": lambda: every_utf8(255),
    "patterns": lambda: every_pattern(4, 1),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", help=", ".join(CHECKS))
    for name in parser.parse_args().checks or CHECKS:
        began = time.monotonic()
        checked = 0
        for count in CHECKS[name]():
            checked += count
            if sys.stderr.isatty():
                print(f"\r{name}: {checked:,}", end="", file=sys.stderr, flush=True)
        tiers = ", ".join(torch_stringops.simd_tiers())
        print(f"{name}: {checked:,} equal on {tiers}, {time.monotonic() - began:.0f} s", flush=True)
    return 0
