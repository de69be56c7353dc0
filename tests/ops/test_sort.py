import time

import torch
from hypothesis import strategies as st
from reference.sort import string_argsort_ref, string_max_ref, string_min_ref, string_searchsorted_ref, string_sort_ref
from support import draws, strategies
from support.harness import Call, OpSuite, OpTests, call
from support.strings import compact

from torch_stringops import StringTensor

# Strings that share their first bytes, around the eight that are compared at once.
ALIKE = [
    b"", b"a", b"a\x00", b"abcdefg", b"abcdefgh", b"abcdefgi", b"abcdefghi", b"b" * 40, b"b" * 41, b"\xff",
]  # fmt: skip
alike = st.one_of(st.sampled_from(ALIKE), strategies.strings)
WORDS = [b"to", b"be", b"or", b"not", b"to", b"be"]

SORT_SAMPLES = [
    call(WORDS), call(WORDS, True), call(ALIKE[::-1] + ALIKE),
    call([[b"b", b"a"], [b"", "é".encode()], [b"z", b"z"]], True),
    call([[[b"b", b"a"]], [[b"c", b"a"]]]), call([]), call([[], []]),
    call([b"%d" % (i * 7919 % 10007) for i in range(10007)]),
    call([[b"abcdefgh%d" % (i * j % 7) for i in range(60)] for j in range(200)], True),
]  # fmt: skip
PATHS = sorted(
    [b"/usr/lib/python/%s/%s" % (a, b) for a in (b"a", b"abcdefgh", b"b") for b in (b"", b"x" * 9, *WORDS)] * 3
)
LINES = [b"a line that has a number, %d" % (i // 3) for i in range(99)]  # sorted
COUNTED = [
    call(WORDS, False, 2), call(WORDS, True, 0), call([WORDS, ALIKE[:6]], True, 1), call([], False, 0),
    *(call(lines, down, k) for lines in (LINES, LINES[::-1]) for down in (False, True) for k in (1, 20, 30, 99)),
    call([b"%d" % (i * 7919 % 10007) for i in range(10007)], True, 40), call(LINES + LINES[::3] + LINES[50:], False, 60),
]  # fmt: skip
# Sorted rows, of which each string may be better than all before it; equal ones are adjacent.
NUMBERS = [b"number %05d" % (i // 7) for i in range(3000)]
COUNTED += [call(row, down, 10) for row in (NUMBERS, NUMBERS[::-1]) for down in (False, True)]
sort_calls = st.builds(call, strategies.tensors_of(alike), st.booleans())


class TestStringArgsort(OpTests):
    suite = OpSuite(
        op="string_argsort", reference=string_argsort_ref, samples=SORT_SAMPLES, strategy=sort_calls, too_large=list
    )


class TestStringSort(OpTests):
    suite = OpSuite(
        op="string_sort",
        reference=string_sort_ref,
        samples=[*SORT_SAMPLES, *COUNTED],
        strategy=sort_calls,
        errors=[(call(WORDS, False, n), f"expected `count` within [-1, 6], got {n}") for n in (-2, 7)],
    )


def rows_of_some(rng: draws.Random, n: int) -> Call:
    return call([draws.string(rng) for _ in range(max(n, 1))])


def extremes(op: str, reference: object) -> OpSuite:
    return OpSuite(
        op=op,
        reference=reference,  # type: ignore[arg-type]
        samples=[
            call(WORDS),
            call(ALIKE),
            call(ALIKE[::-1]),
            call([[b"b", b"a"], [b"", "é".encode()], [b"z", b"z"]]),
            call([[[b"b", b"a"]], [[b"c", b"a"]]]),
            call([[WORDS[i % 6] for i in range(j, j + 3)] for j in range(9000)]),
            call([[b"b", b"a"], [b"", "é".encode()], [b"\xff", b"\xff"]], True),
            call([[[b"b", b"a"]], [[b"a", b"c"]]], True),
            call([[b"%d" % (i * 7919 % 10007)] for i in range(10007)], True),
            call([NUMBERS, NUMBERS[::-1], NUMBERS[:1500] + NUMBERS[::-1][:1500], [b""] * 3000]),
        ],
        strategy=st.builds(
            call,
            st.integers(1, 4).flatmap(
                lambda n: st.lists(st.lists(alike, min_size=n, max_size=n), min_size=1, max_size=4)
            ),
            st.booleans(),
        ),
        draw=rows_of_some,
        errors=[
            (call([]), "expected at least one string in each row, got shape [0]"),
            (call([[], []]), "expected at least one string in each row, got shape [2, 0]"),
            (call([[], []], True), "expected at least one string in each row, got shape [2, 0]"),
        ],
    )


class TestStringMin(OpTests):
    suite = extremes("string_min", string_min_ref)


class TestStringMax(OpTests):
    suite = extremes("string_max", string_max_ref)


@st.composite
def search_calls(draw: st.DrawFn) -> Call:
    rows = [sorted(draw(st.lists(alike, min_size=3, max_size=3))) for _ in range(draw(st.integers(1, 3)))]
    if len(rows) > 1:
        values = [draw(st.lists(alike, min_size=2, max_size=2)) for _ in rows]
        return call(rows, values, draw(st.booleans()))
    row = sorted(draw(st.lists(alike, max_size=12)))
    return call(row, draw(strategies.tensors_of(alike)), draw(st.booleans()))


def draw_search(rng: draws.Random, n: int) -> Call:
    row = sorted(draws.string(rng) for _ in range(n // 2))
    return call(row, [rng.choice(row) if row and rng.random() < 0.5 else draws.string(rng) for _ in range(n)])


class TestStringSearchsorted(OpTests):
    suite = OpSuite(
        op="string_searchsorted",
        reference=string_searchsorted_ref,
        samples=[
            call(sorted(WORDS), [b"be", b"c", b"", b"zzz"]),
            call(sorted(WORDS), [b"be", b"c", b"", b"zzz"], True),
            call(ALIKE, [ALIKE, ALIKE[::-1]], True),
            call([b"abcdefgh"] * 100 + [b"abcdefghi"] * 5, [b"abcdefgh", b"abcdefgha", b"abcdefghi"]),
            call([[b"a", b"b"], [b"", b"z"]], [[b"b", b"b\x00", b""], [b"", b"zz", b"a"]]),
            call([], [b"a", b""]),
            call([b"a"], []),
            call(sorted(b"%d" % i for i in range(5000)), [b"%d" % (i * 7919 % 10007) for i in range(10007)]),
            # Groups of strings that share more and more bytes, and values that leave them everywhere.
            *(
                call(
                    PATHS,
                    [path[:k] + end for path in PATHS for k in range(22) for end in (b"", b"!", b"~", b"\x00")],
                    right,
                )
                for right in (False, True)
            ),
        ],
        strategy=search_calls(),
        draw=draw_search,
        too_large=list,
        errors=[
            (
                call([[b"a"], [b"b"]], [b"a", b"b"]),
                "expected one row of sorted strings, or one for each row of `values`, got shapes [2, 1] and [2]",
            )
        ],
    )


def test_strings_that_are_not_sorted_give_positions_within_the_row(tier: str) -> None:
    row = compact([b"%d" % (i * 7919 % 101) for i in range(101)])
    positions = torch.ops.stringops.string_searchsorted(*row, *row)
    assert positions.min() >= 0
    assert positions.max() <= 101


def test_selection_of_a_sorted_row_of_few_values_takes_linear_time() -> None:
    row = StringTensor.from_list(["no"] * 100_000 + ["yes"] * 300_000)
    start = time.process_time()
    assert row.topk(20_000).values[-1].item() == "yes"
    assert time.process_time() - start < 1
