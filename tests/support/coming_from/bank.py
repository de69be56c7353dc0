"""Strings and numbers on which docs/coming_from.md is compared with other libraries. They separate the libraries:
whitespace, case, clusters of code points, digits of other scripts, NUL, invalid UTF-8."""

from typing import TypeAlias

Text: TypeAlias = str | bytes

WHITESPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2003\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
NO_WHITESPACE = "\0\x7f\u180e\u200b\u200d\u2060\ufeff"

WORDS = """
|a|be|to be|or|Not|oo|tobe|beto|to|o|tT|TtabtT|be be|bebe|bebebe|-|+|a--b|<1>|\\1|o.|abc|abcdef|abcdefghi|a\\b|a_b|"|'
|-7|+7|7|-|x-7|0042|-|- 1|+-1|é|日本|日本語の文|a b c d|one two three four|to be or not to be|  to   be |a-b-c|,|a,b,,c|ab12cd
|don't stop.|He said "no", (ok)! what?; so: x<br />y|a"b|<br/>|<b"r />|x.y|''|U.S.A.|toe|obe|Straße|STRASSE|ÀB|  ünï ÀB
""".replace("\n", "").split("|")

# Case: several characters, final sigma, Turkish, title case, other scripts.
CASE = [
    "ß", "ẞ", "Σ", "ΑΣ", "ΑΣΑ", "ΣΑΣ.", "σς", "ΆΣ", "İ", "ı", "I", "i", "i̇", "ŉ", "ǆ", "ǅ", "Ǆ", "ǰ", "ﬁ", "ﬀi",
    "ΐ", "ᾳ", "ᾼ", "ᾈ", "ა", "Ა", "ꭰ", "Ꭰ", "Ω", "K", "Å", "ſ", "µ", "ÿ", "Ⅻ", "ⅻ", "ⓐ", "Ⓐ", "ĸ", "ª", "ʰ", "ˀ", "ⁱ",
    "ﾞ", "ա", "և", "𐐀", "𐐨", "aB", "Ab1c", "o'neil", "a-b", "ab'Cd",
]  # fmt: skip
CLUSTERS = [
    "e\u0301", "\u0301", "a\u0301b\u0323", "é", "👍🏽", "a👍🏽b", "👨\u200d👩\u200d👧", "🇫🇷🇩🇪", "க்ஷி", "한",
    "\u1112\u1161\u11ab",
]  # fmt: skip
CLUSTERS += ["\r\n", "a\r\nb", "q\u0323\u0307", "①", "ﷺ", "¼", "Å", "ｆｕｌｌ", "ﾊﾞ", "x²", "٣", "१२", "𝟘"]
LINES = ["e\n", "be\n\n", "e\nx", "b\r\n", "o\nb"]
LONG = ["to be or not " * 12, "é" * 70, "日本" * 40 + "!", "a" * 260, "oO " * 40 + "be"]
INVALID = [
    b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"to\xffbe", b"\xe2\x82", b"\xc0\x80", b"\xf0\x9f\x98 x",
    b"o\xc3(o",
]  # fmt: skip

TEXTS = list(dict.fromkeys([*WORDS, *(f"a{c}b" for c in WHITESPACE + NO_WHITESPACE), *CASE, *CLUSTERS, *LINES, *LONG]))
TEXTS += [f"{c}x {c}{c}" for c in WHITESPACE + NO_WHITESPACE]

# Whole columns, for functions of several strings, such as sorts.
COLUMNS: list[list[Text]] = [
    [],
    ["b", "a", "b", "", "a\0", "a"],
    ["to be", "not", "to", "be be", "ß", "b", "é", "z"],
    list(TEXTS[::3]),
]
STRINGS: list[list[Text]] = [*([text] for text in TEXTS), *([text] for text in INVALID), *COLUMNS]

NUMBER_TEXTS = """
|0|1|-1|+1|-0|1.5|-2.5|1e3|1E3|1e+3|1e400|1e-400|-1e400|1.|.|.5|-.5|+.5|-|+| | 1|1 | 1 |1 2|1_0|0x10|0X1p3|0b1|0o7|nan|NaN|NAN
|-nan|+nan|nan(1)|inf|Inf|-inf|+inf|infinity|Infinity|-infinity|1e|1e+|1e3.5|1,000|1,5|١|４|¹|½|−1|true|None|null|0.1|16777217|3.4028236e38
|1e39|1e-46|00012|--1|+-1|1d|1f|1L|1e 3|123456789012345678901234567890|0.30000000000000004|2.2250738585072011e-308|4.9e-324|9007199254740993
""".replace("\n", "").split("|")
NUMBER_TEXTS += [
    "\t1", "1\n", "1\r\n", "1\0", "\0", "1\xa0", "\u20031", "\u3000" + "1", "1\x85", "\x1c1", "1\v", "1\f", "1" * 400,
    "0." + "3" * 400,
]  # fmt: skip
NUMBERS: list[list[Text]] = [
    [], ["1", "-2.5", "1e3"], *([text] for text in dict.fromkeys(NUMBER_TEXTS)), [b"\xff"], [b"1\xff"],
]  # fmt: skip

DATE_TEXTS = """
2024-02-29|2023-02-29|1970-01-01|1969-12-31|1900-02-29|2000-02-29|2024-13-01|2024-00-10|2024-01-00|2024-1-1|24-01-01|2024-01-32
|1999-12-31|2000-01-01|2038-01-19|1600-02-29|2100-02-28|1972-06-30|2016-12-31|1582-10-15|1800-03-01|2400-02-29|2024-12-31|2024-02-28
|1677-09-21|2262-04-11|0001-01-01|9999-12-31|2024-02-29 12:00|2024-02-29T12:00:00|2024/02/29||x|2024-02|2024-02-29x| 2024-02-29|2024-02-29
""".replace("\n", "").split("|")
DATES: list[list[Text]] = [
    [],
    ["2024-02-29", "1970-01-02"],
    *([text] for text in dict.fromkeys(DATE_TEXTS)),
    [b"\xff"],
]

DOCUMENTS: list[list[Text]] = [
    [],
    ['{"a": "b"}', '{"a": "c", "b": 1}'],
    *(
        [text]
        for text in (
            '{"a": "to \\"be\\""}', '{"a": "\\u00e9\\ud83d\\ude00\\n"}', '{"a": ""}', '{"b": "x", "a": "日本"}',
            '{"a": 1}', '{"a": -1.50e3}', '{"a": true}', '{"a": [1, 2]}', '{"a": {"b": 1}}', '{"a": null}',
            '{"a": "x", "a": "y"}', '{"b": {"a": "x"}}', "{}", "[]", '["a"]', '"a"', "1", "null", '  {"a" : "x"}  ', "",
            "{", '{"a": "x"', "{'a': 'x'}", '{"a": x}', '{"a": "x"} y', '{"a": 01}', '{"a": "\t"}',
        )
    ),
]  # fmt: skip
