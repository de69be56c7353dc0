import torch
from hypothesis import strategies as st
from reference.string_unique import string_unique_ref
from support import strategies
from support.harness import OpSuite, OpTests, call
from support.strings import compact, decode

WORDS = [b"", b"a", b"a\x00", b"b" * 11, b"b" * 12, b"b" * 11 + b"c", b"x" * 500, b"x" * 499 + b"y"]


@st.composite
def repeated(draw: st.DrawFn) -> list[bytes]:
    pool = draw(st.lists(strategies.strings, min_size=1, max_size=6))
    return draw(st.lists(st.sampled_from(pool), max_size=40))


class TestStringUnique(OpTests):
    suite = OpSuite(
        op="string_unique",
        reference=string_unique_ref,
        samples=[
            call([b"to", b"be", b"or", b"not", b"to", b"be"]),
            call([]),
            call([[b"", b"a"], [b"a", b""]]),
            call([WORDS, WORDS[::-1]]),
            # More distinct strings than the table starts with, short and long, several times over.
            call([b"%d" % (i % 3000) * (1 + i % 5) for i in range(9000)]),
        ],
        strategy=st.one_of(strategies.tensors, repeated()).map(call),
    )


def test_rows_that_overlap_count_by_their_bytes():
    data, _ = compact([b"ababab"])
    offsets = torch.tensor([[0, 2, 4], [1, 3, 5], [2, 4, 6]], dtype=torch.int32)
    unique_data, unique_offsets, inverse, counts = torch.ops.stringops.string_unique(data, offsets)
    assert decode(unique_data, unique_offsets) == [b"ab", b"ba"]
    assert inverse.tolist() == [[0, 0], [1, 1], [0, 0]]
    assert counts.tolist() == [4, 2]


def test_no_rows_and_no_columns():
    data = torch.empty(0, dtype=torch.uint8)
    for shape in [(0, 4), (3, 1), (2, 0, 5)]:
        result = torch.ops.stringops.string_unique(data, torch.zeros(shape, dtype=torch.int32))
        assert [list(r.shape) for r in result] == [[0], [1], [*shape[:-1], shape[-1] - 1], [0]]


def test_tables_that_grow_many_times():
    words = [b"%d" % i for i in range(60_000)]
    unique_data, unique_offsets, inverse, counts = torch.ops.stringops.string_unique(
        *compact([*words, *words])
    )
    assert decode(unique_data, unique_offsets) == words
    assert inverse.tolist() == [*range(60_000)] * 2
    assert counts.eq(2).all()


def test_a_string_of_rank_0_keeps_its_rank():
    from torch_stringops import StringTensor, string_unique

    unique, inverse, counts = string_unique(StringTensor.from_list("word"))
    assert unique.tolist() == ["word"]
    assert inverse.shape == ()
    assert counts.tolist() == [1]
