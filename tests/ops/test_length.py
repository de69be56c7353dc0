import pytest
import torch
from reference.length import string_length_ref
from support.families import ReduceSuite, ReduceTests
from support.harness import call
from support.strings import compact


class TestStringLength(ReduceTests):
    suite = ReduceSuite(
        op="string_length",
        reference=string_length_ref,
        samples=[
            ["abc", "café", "日本語", "a😀b"],
            call([b"\xff\xc3(", b"\xe6\x97a", b"\xed\xa0\x80"], "codepoint"),
            call([b"caf\xc3\xa9"], "byte"),
        ],
        errors=[
            (
                call([b"a"], "bytes"),
                "string_length: expected `unit` to be 'byte' or 'codepoint', got 'bytes'",
            )
        ],
        text=False,
    )


@pytest.mark.parametrize("text", ["é", "日", "😀", "a日", "a"])
@pytest.mark.parametrize("bad", [b"", b"\xff", b"\xf0\x9f", b"\x80"])
def test_lengths_of_long_strings_valid_or_not(text: str, bad: bytes, tier: str) -> None:
    """Strings longer than a block (8 KB), at every alignment, with invalid bytes at either end or in the middle."""
    for size in (8190, 8191, 8192, 8193, 20_001):
        body = (text * size).encode()[:size]
        strings = [b"x", body + bad, bad + body, body[: size // 2] + bad + body[size // 2 :], b"", body]
        assert torch.ops.stringops.string_length(*compact(strings)).tolist() == [
            string_length_ref(s) for s in strings
        ]


def test_a_string_that_begins_inside_a_code_point(tier: str) -> None:
    data, _ = compact(["日本語".encode()])
    offsets = torch.tensor([0, 2, 3, 4, 6, 7, 9], dtype=torch.int32)
    assert torch.ops.stringops.string_length(data, offsets).tolist() == [2, 1, 1, 2, 1, 2]
