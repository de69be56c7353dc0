from reference.inspect import string_length_ref
from support.families import ReduceSuite, ReduceTests
from support.harness import call


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
