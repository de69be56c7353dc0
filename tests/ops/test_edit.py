from reference.edit import string_reverse_ref
from support.families import MapSuite, MapTests


class TestStringReverse(MapTests):
    suite = MapSuite(
        op="string_reverse",
        reference=string_reverse_ref,
        samples=[["abc", "café", "日本語", "a😀b"], [b"\xff\xc3(", b"\xe6\x97a"]],
        text=False,
    )
