import pytest
import torch
from hypothesis import strategies as st
from reference.join import string_join_ragged_ref, string_join_ref
from support import draws, large, strategies
from support.harness import Call, OpSuite, OpTests, call
from support.ragged import splits

from torch_stringops import StringTensor, string_join, string_join_ragged


class TestStringJoin(OpTests):
    suite = OpSuite(
        op="string_join",
        reference=string_join_ref,
        samples=[
            call([b"a", b"", b"c"], ", "),
            call([[b"to", b"be"], [b"or", b"not"]], " "),
            call([[[b"a"], [b"b"]]], "-"),
            call([[b"a", b"b"]]),
            call([]),
            call([[], []], "-"),
            call([[b"word", b"", b"other words"]] * 4000, "::"),
        ],
        strategy=st.builds(call, strategies.tensors_of(strategies.strings), st.sampled_from(["", ",", "::", "é"])),
    )


def ragged_call(strings: list[bytes], lengths: list[int], separator: str) -> Call:
    return call(strings, splits(lengths), separator)


@st.composite
def ragged_calls(draw: st.DrawFn) -> Call:
    rows = draw(st.lists(st.lists(strategies.strings, max_size=4), max_size=6))
    strings = [s for row in rows for s in row]
    return ragged_call(strings, [len(row) for row in rows], draw(st.sampled_from(["", ",", "::"])))


def draw_ragged(rng: draws.Random, n: int) -> Call:
    strings = draws.flatten(draws.strings(rng, n))
    lengths = [len(strings) // 3, 0, len(strings) - len(strings) // 3]
    return ragged_call(strings, lengths, rng.choice(["", ",", "::"]))


def refused() -> list[tuple[str, Call]]:
    return [(large.BYTES, ragged_call([b"a"] * 40_000, [40_000], "x" * 2**16))]


class TestStringJoinRagged(OpTests):
    suite = OpSuite(
        op="string_join_ragged",
        reference=string_join_ragged_ref,
        samples=[
            ragged_call([b"to", b"be", b"or"], [2, 0, 1], "-"),
            ragged_call([b"a", b""], [2], ""),
            ragged_call([], [], "-"),
            ragged_call([], [0, 0], "-"),
            ragged_call([b"word", b"", b"other words"] * 4000, [3, 1, 0, 2] * 2000, "::"),
        ],
        strategy=ragged_calls(),
        draw=draw_ragged,
        small=ragged_call([b"ab c", b"d"], [2], ""),
        too_large=refused,
        errors=[
            (
                ragged_call([b"a", b"b"], [1], ""),
                "expected `row_splits` non-decreasing from 0 to 2 (strings), got 1 after 0 at position 1",
            )
        ],
    )


def test_join_along_any_axis():
    s = StringTensor.from_list([["a", "b"], ["c", "d"]])
    assert s.join("-", dim=0).tolist() == ["a-c", "b-d"]
    assert s.join("-").tolist() == ["a-b", "c-d"]
    assert s.join("-", dim=0).join("+").shape == ()
    assert StringTensor.from_list("abc").join("-").item() == "abc"
    assert StringTensor.from_list([["a"], ["b"]])[:, :0].join("-").tolist() == ["", ""]
    with pytest.raises(IndexError, match="Dimension out of range"):
        s.join("-", dim=2)


def test_join_inverts_split():
    strings = ["a,b,,c", "", ",", "d"]
    pieces, row_splits = StringTensor.from_list(strings).split_ragged(",")
    assert string_join_ragged(pieces, row_splits, ",").tolist() == strings


def test_lists_are_accepted():
    assert string_join([["a", "b"]], "-").tolist() == ["a-b"]
    assert string_join_ragged(["a", "b"], torch.tensor([0, 2]), "-").tolist() == ["a-b"]


def test_too_large_result_is_rejected_before_allocation():
    strings = StringTensor.from_list([["a"] * 40_000])
    with pytest.raises(ValueError, match="string_join: the result needs 2621414464 bytes"):
        string_join(strings, "x" * 2**16)
