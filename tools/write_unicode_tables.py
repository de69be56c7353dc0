"""Writes csrc/tables/case.cpp, the tables of character classes and case, and tests/golden/unicode.json.

Both come from Python's `str` methods, so that the operators agree with these. The Unicode version is that of the Python
that runs this file: Python 3.13 has Unicode 15.1. It needs no other package:

    python3.13 tools/write_unicode_tables.py

A table maps code points to small numbers, in two stages (csrc/core/two_stages.h): blocks of adjacent code points that
have the same numbers are stored once. `two_stages` makes them of any such map.
"""

import itertools
import json
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "csrc" / "tables" / "case.cpp"
GOLDEN = ROOT / "tests" / "golden" / "unicode.json"

CODEPOINTS = range(0x110000)
SURROGATES = range(0xD800, 0xE000)

# Table -> the method of `str`.
CASES = {"ToLower": str.lower, "ToUpper": str.upper, "ToTitle": str.title, "ToFolded": str.casefold}


def is_case_ignorable(c: str) -> bool:
    """Python has no method for it, but a sigma is the last letter of a word if only such characters precede it."""
    return f"A{c}\u03a3".lower().endswith("\u03c2") and not f"1{c}\u03a3".lower().endswith("\u03c2")


def is_cased(c: str) -> bool:
    """A letter after a cased character is not the first of its word."""
    return f"{c}A".title().endswith("a")


# In the order of the bits of CodepointFlag in csrc/core/unicode_case.h.
FLAGS: list[Callable[[str], bool]] = [
    str.isalpha,
    str.isalnum,
    str.isdigit,
    str.isspace,
    str.isupper,
    str.islower,
    lambda c: unicodedata.category(c) == "Lt",
    is_case_ignorable,
]


def two_stages(values: list[int], bits: int) -> tuple[int, list[int], list[int]]:
    """Compresses a map from code points to numbers, of which most of the last ones are 0.

    Returns `limit`, `blocks` and `entries`: `values[c]` is `entries[blocks[c >> bits] << bits | c & low_bits]` below
    `limit`, and 0 from there on. Block 0 has only zeros.
    """
    size = 1 << bits
    limit = max((c for c, value in enumerate(values) if value), default=-1) // size * size + size
    numbers: dict[tuple[int, ...], int] = {(0,) * size: 0}
    blocks = [numbers.setdefault(tuple(values[at : at + size]), len(numbers)) for at in range(0, limit, size)]
    return limit, blocks, [value for block in numbers for value in block]


def unit_of(values: list[int]) -> str:
    """The smallest type that holds all of them."""
    if min(values) < 0:
        return "int32_t"
    return "uint8_t" if max(values) < 2**8 else "uint16_t" if max(values) < 2**16 else "uint32_t"


def filled(items: Iterable[str]) -> str:
    """The items, each with its comma, in lines of up to 120 columns."""
    lines = [""]
    for item in items:
        if len(lines[-1]) + len(item) > 118:
            lines.append("")
        lines[-1] += item
    return "\n".join(f"  {line.rstrip()}" for line in lines)


def repeated(values: list[int]) -> Iterator[str]:
    """The elements of an array, each with its comma; runs by the macros of csrc/tables/repeat.h."""
    for value, run in itertools.groupby(values):
        rest = len(list(run))
        for count in (512, 64, 8):
            for _ in range(rest // count):
                yield f"X{count}({value}),"
            rest %= count
        for _ in range(rest):
            yield f"{value},"


def array(name: str, values: list[int]) -> str:
    """The definition of a constant array."""
    body = filled(repeated(values))
    return f"const {unit_of(values)} {name}[{len(values)}] = {{\n{body}\n}};\n"


def stages(name: str, values: list[int], bits: int) -> tuple[str, str]:
    """The arrays of a table, and the expression of the table made of them."""
    limit, blocks, entries = two_stages(values, bits)
    arrays = array(f"k{name}Blocks", blocks) + array(f"k{name}Entries", entries)
    return arrays, f"{{k{name}Blocks, k{name}Entries, {limit:#x}}}"


def source(head: str, header: str, body: str, namespace: str = "stringops") -> str:
    """The text of a file of tables. `head` says of which data, and which tool wrote it."""
    return (
        f"// {head}; not edited by hand.\n"
        "//\n"
        "// Derived from the Unicode Character Database, (c) Unicode, Inc.: see THIRD_PARTY.md.\n"
        f'#include "{header}"\n#include "tables/repeat.h"\n\n'
        "// clang-format off\n"
        f"namespace {namespace} {{\n\n{body}\n}}  // namespace {namespace}\n"
    )


def flags_table() -> str:
    values = [sum(is_set(chr(c)) << bit for bit, is_set in enumerate(FLAGS)) for c in CODEPOINTS]
    # Being cased is not stored.
    assert all(is_cased(chr(c)) == bool(value & 0b1110000) for c, value in enumerate(values))
    arrays, table = stages("Flags", values, 7)
    return f"namespace {{\n{arrays}}}  // namespace\n\nconst FlagTable kFlags = {table};\n"


def case_table(name: str, method: Callable[[str], str]) -> str:
    """Ids of what to do: add a number to the code point (0 in id 0), or write a text instead of it."""
    results = [method(chr(c)) for c in CODEPOINTS]
    deltas = {0: 0}
    for c, result in enumerate(results):
        if len(result) == 1:
            deltas.setdefault(ord(result) - c, len(deltas))
    texts: dict[str, int] = {}
    for result in results:
        if len(result) > 1:
            texts.setdefault(result, len(deltas) + len(texts))
    ids = [texts[r] if r in texts else deltas[ord(r) - c] for c, r in enumerate(results)]
    arrays, table = stages(name, ids, 6)
    arrays += array(f"k{name}Deltas", list(deltas))
    rows = (f"{{{len(t.encode())}, {{{', '.join(map(str, t.encode()))}}}}}" for t in texts)
    arrays += f"const ShortText k{name}Texts[{len(texts)}] = {{\n"
    arrays += "".join(f"  {row},\n" for row in rows) + "};\n"
    made = f"{{{table}, k{name}Deltas, k{name}Texts, {len(deltas)}}}"
    return f"namespace {{\n{arrays}}}  // namespace\n\nconst CaseTable k{name} = {made};\n"


def tables() -> str:
    head = (
        f"// Unicode {unicodedata.unidata_version}. Written by tools/write_unicode_tables.py; not edited by hand.\n"
        "//\n"
        "// Derived from the Unicode Character Database, (c) Unicode, Inc.: see THIRD_PARTY.md.\n"
        '#include "core/unicode_case.h"\n#include "tables/repeat.h"\n\n'
        "// clang-format off\n"
        "namespace stringops {\n\n"
        f'const char kUnicodeVersion[] = "{unicodedata.unidata_version}";\n'
    )
    parts = [flags_table(), *(case_table(name, method) for name, method in CASES.items())]
    tail = (
        "}  // namespace stringops\n\n"
        "const char* stringops_unicode_version() {\n  return stringops::kUnicodeVersion;\n}\n"
    )
    return "\n".join([head, *parts, tail])


def checksum(results: Iterable[str]) -> int:
    return zlib.crc32("".join(results).encode())


def golden() -> str:
    """Checksums of the results for all code points, which tests compare with those of the operators.

    The last two entries depend on the tables of characters that are cased, and that are ignored at the end of a word.
    """
    strings = [chr(c) for c in CODEPOINTS if c not in SURROGATES]
    maps = ("lower", "upper", "casefold", "title", "capitalize", "swapcase")
    tests = ("isalpha", "isdigit", "isspace", "isupper", "islower", "isalnum")
    sums = {name: checksum(getattr(s, name)() for s in strings) for name in maps}
    sums |= {name: checksum(str(int(getattr(s, name)())) for s in strings) for name in tests}
    sums["title of c + 'A'"] = checksum((s + "A").title() for s in strings)
    sums["lower of 'A' + c + sigma"] = checksum(f"A{s}\u03a3".lower() for s in strings)
    return json.dumps({"unicode": unicodedata.unidata_version, "checksums": sums}, indent=2) + "\n"


if __name__ == "__main__":
    TABLES.write_text(tables(), encoding="utf-8")
    GOLDEN.write_text(golden(), encoding="utf-8")
    print(f"Unicode {unicodedata.unidata_version}: {TABLES.relative_to(ROOT)}, {GOLDEN.relative_to(ROOT)}")
