"""split_encode, against string_split_ragged and vocab_encode."""

from collections.abc import Iterator

import torch
from hypothesis import strategies as st
from reference.split import split_encode_ref, string_split_ragged_ref
from support import draws, large, strategies
from support.cases import each
from support.harness import Call, OpSuite, OpTests, call
from support.strings import compact
from support.vocabularies import table_of

import torch_stringops as so

DELIMITERS = ["", ",", "::", " ", "aa", "aba", "é", "\x00", "x" * 64, "x" * 65]

# A string longer than several blocks, and pieces longer than a block among short ones.
LONG = b" ".join(b"w%d" % (i % 97) for i in range(9000))
GIANT = b"ab " + b"x" * 30_000 + b"  cd " + b"y" * 8191 + b" z " + b"x" * 30_000


SMALL = table_of([b"to", b"be", b"", b"a word longer than a slot"])
TILED = table_of([b"w%d" % i for i in range(50)] + [b"x" * 30_000, b"y" * 8191, b"z"])


@st.composite
def calls(draw: st.DrawFn) -> Call:
    strings = draw(strategies.tensors)
    delimiter = draw(st.one_of(st.sampled_from(DELIMITERS), st.text("a:, \u3000", max_size=3)))
    pieces = sorted(set(string_split_ragged_ref(strings, delimiter)[0]))
    known = draw(st.lists(st.sampled_from(pieces), unique=True)) if pieces else []
    unknown = draw(st.sampled_from([{}, {"unknown_id": 5}, {"num_oov_buckets": 1}]))
    how = {"skip_empty": draw(st.booleans()), "lower": draw(st.booleans())}
    return call(strings, table_of(known), delimiter, **how, **unknown)


def drawn(rng: draws.Random, n: int) -> Call:
    delimiter = rng.choice(["", "", ",", *DELIMITERS])
    text = draws.strings(rng, n)
    words = {w for s in draws.flatten(text) for w in s.split(delimiter.encode() or None)}
    known = rng.sample(sorted(words), len(words) // 2)
    unknown = rng.choice([{}, {"unknown_id": 7}, {"unknown_id": -(2**63)}, {"num_oov_buckets": 1}])
    return call(text, table_of(known), delimiter, skip_empty=rng.random() < 0.5, **unknown)


def too_large() -> Iterator[tuple[str, Call]]:
    text = (
        r"the result needs more than 2147483647 ids; a tensor has at most 2147483647 \(pass fewer or shorter strings\)"
    )
    yield text, call(large.same_rows(b"," * (2**20 - 1), 2048), SMALL, ",")


class TestSplitEncode(OpTests):
    suite = OpSuite(
        op="split_encode",
        reference=split_encode_ref,
        samples=[
            call([b"to be  or\tnot", b"", b" a word "], SMALL),
            call([b"to,be,,or", b"", b",", b"a word longer than a slot,a word longer than a slit"], SMALL, ","),
            call([[b"to::be", b":::"], [b"", b"::::"]], SMALL, "::", unknown_id=7),
            call([b"to,be,,or", b"", b",", b",,,to"], SMALL, ",", skip_empty=True),
            call([[b"to::::be", b":::"], [b"", b"::to::::"]], SMALL, "::", unknown_id=7, skip_empty=True),
            call([LONG.replace(b" ", b",,"), b"", GIANT.replace(b" ", b",")], TILED, ",", skip_empty=True),
            call([b"to" + b"-" * 130 + b"be", b"-" * 130], SMALL, "-" * 65, skip_empty=True),
            call(["TO\tBe \u0130s".encode() + b" \xff\xc3", b"to"], SMALL, lower=True),
            call([], SMALL),
            call([[], []], SMALL, ","),
            call([b"to be", b""], table_of([]), num_oov_buckets=1),
            call([LONG, b"w1 w2", b"", GIANT, LONG], TILED),
            call([LONG.replace(b" ", b","), b"", GIANT.replace(b" ", b",")], TILED, ",", num_oov_buckets=1),
            call([LONG.replace(b" ", b"::"), b"", GIANT.replace(b" ", b"::")], TILED, "::"),
            call([b"to be or not to be " * 2] * 3000, SMALL),
            call([b"to" + b"-" * 65 + b"be", b"-" * 130], SMALL, "-" * 65),
        ],
        strategy=calls(),
        draw=drawn,
        too_large=too_large,
        errors=[
            (call([b"to"], SMALL.int()), "expected `table` to be uint8, got int32 (convert with .to(torch.uint8))"),
            (
                call([b"to"], SMALL[:-1]),
                f"expected `table` as vocab_build returns it, got {SMALL.numel() - 1} other bytes "
                "(rebuild it from the words)",
            ),
            (call([b"to"], SMALL, num_oov_buckets=-1), "expected `num_oov_buckets` within [0, 2**62], got -1"),
        ],
    )


@each("size", range(8180, 8205))
@each("delimiter", ["", ",", "::", ",,,"])
@each("skip_empty", [False, True])
def test_pieces_that_end_around_the_end_of_a_block(size: int, delimiter: str, skip_empty: bool, tier: str):
    cut = (delimiter or " ").encode()
    rows = [b"a" + cut + b"b" * size + cut + b"c", b"b" * size, cut + b"b" * 20_000 + cut, b"", b"c"]
    known = table_of([b"a", b"b" * size, b"b" * 20_000, b"c", b""])
    ids, row_splits = torch.ops.stringops.split_encode(*compact(rows), known, delimiter, skip_empty=skip_empty)
    want = split_encode_ref(rows, known, delimiter, skip_empty=skip_empty)
    assert (ids.tolist(), row_splits.tolist()) == want


def test_large_text_equals_the_two_operators(tier: str):
    words = [b"%d" % (i * i % 7919) for i in range(50_000)] + ["\u65e5\u672c\u3000\u8a9e".encode()] * 50
    rows = [b" ".join(words[i : i + 1 + i % 23]) for i in range(0, len(words), 11)]
    data, offsets = compact(rows)
    ops = torch.ops.stringops
    pieces, ends, row_splits = ops.string_split_ragged(data, offsets)
    unique = ops.string_unique(pieces, ends)
    table = ops.vocab_build(*unique[:2])
    ids, splits = ops.split_encode(data, offsets, table)
    assert torch.equal(ids, unique[2])
    assert torch.equal(splits, row_splits)


def test_a_vocabulary_splits_and_encodes():
    text = so.StringTensor.from_list(["to be", "or not to be"])
    vocabulary = so.Vocabulary(["<unk>", "to", "be"], unknown_token="<unk>", num_oov_buckets=0)
    ids, row_splits = vocabulary.split_encode(text)
    assert ids.tolist() == [1, 2, 0, 0, 1, 2]
    assert row_splits.tolist() == [0, 2, 6]
    ids, row_splits = vocabulary.split_encode(["to,be", "", "x"], ",")
    assert ids.tolist() == [1, 2, 0, 0]
    assert row_splits.tolist() == [0, 2, 3, 4]
    buckets = so.Vocabulary(["to", "be"], num_oov_buckets=4)
    words, _ = so.string_split_ragged(text)
    assert torch.equal(buckets.split_encode(text)[0], buckets.encode(words))
