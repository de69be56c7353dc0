"""For which columns the rows of docs/coming_from.md with a difference differ, by the left side of the row."""

import re
import unicodedata
from collections.abc import Callable
from typing import TypeAlias

from support.coming_from.bank import Text

Column: TypeAlias = list[Text]
Predicate: TypeAlias = Callable[[Column], bool]


def any_string(differs: Callable[[str], bool]) -> Predicate:
    """Columns with a string that differs. A byte that is not part of UTF-8 is a surrogate."""
    return lambda column: any(
        differs(s if isinstance(s, str) else s.decode("utf-8", "surrogateescape")) for s in column
    )


def not_utf8(string: str) -> bool:
    return any("\udc80" <= c <= "\udcff" for c in string)


def changed_by_icu(string: str) -> bool:
    return not_utf8(string) or "\0" in string


def tensorflow_characters(string: str) -> list[str]:
    """TensorFlow begins a character at each byte that is not 10xxxxxx."""
    data = string.encode("utf-8", "surrogateescape")
    found = re.findall(rb"[^\x80-\xbf][\x80-\xbf]*|^[\x80-\xbf]+", data)
    return [character.decode("utf-8", "surrogateescape") for character in found]


def lower(char: str) -> str:
    return "i" if char == "İ" else char.lower()


def upper(char: str) -> str:
    mapped = "ẞ" if char == "ß" else char.title() if len(char.upper()) > 1 else char.upper()
    return mapped if len(mapped) == 1 else char


def swap(char: str) -> str:
    return lower(char) if char.isupper() else upper(char) if char.islower() else char


def is_small_letter(char: str) -> bool:
    return char.islower() and unicodedata.category(char) not in ("Lm", "Lo")


def each(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda string: "".join(map(change, string))


def differ(python: Callable[[str], str], other: Callable[[str], str]) -> Predicate:
    return any_string(lambda string: python(string) != other(string))


lower_differs = differ(str.lower, each(lower))


def number(string: str) -> bool:
    """Numbers of Python, with whitespace of Unicode around them."""
    try:
        float(string.strip())
    except ValueError:
        return False
    return string.strip().isascii()


def padded(string: str) -> bool:
    return number(string) and string != string.strip()


def padded_beyond_ascii(string: str) -> bool:
    return number(string) and string.strip() != string.strip(" \t\n\v\f\r")


def loose_date(string: str) -> bool:
    """Dates with a year of two digits, or whitespace before."""
    return string in ("24-01-01", " 2024-02-29")


def no_strings(column: Column) -> bool:
    return not column


NOT_UTF8 = any_string(not_utf8)

# None: unpredictable, as of hashes. They differ for some columns.
DIFFERENCES: dict[str, Predicate | None] = {
    "[float(x) for x in n]": any_string(lambda s: s in ("١", "４", "\x1c1")),
    '[re.search(r"[be]$", x) is not None for x in s]': any_string(lambda s: s[-2:] in ("b\n", "e\n")),
    'tf.strings.lower(s, encoding="utf-8")': any_string(changed_by_icu),
    'tf.strings.upper(s, encoding="utf-8")': any_string(changed_by_icu),
    'tf.strings.length(s, unit="UTF8_CHAR")': any_string(lambda s: len(tensorflow_characters(s)) != len(s)),
    'tf.strings.substr(s, 0, 2, unit="UTF8_CHAR")': any_string(
        lambda s: "".join(tensorflow_characters(s)[:2]) != s[:2]
    ),
    "tf.strings.split(s)": NOT_UTF8,
    r'tf.strings.regex_replace(s, "(o)", r"<\1>")': NOT_UTF8,
    'tf.strings.regex_full_match(s, "[a-z ]*")': NOT_UTF8,
    "tf.strings.bytes_split(s)": any_string(bool),
    "tf.strings.to_number(n)": any_string(
        lambda s: s in ("0x10", "0X1p3", "nan(1)") or (number(s) and "_" in s) or padded_beyond_ascii(s)
    ),
    "tf.strings.to_hash_bucket_fast(s, 10)": None,
    'tf.keras.layers.TextVectorization(vocabulary=["to", "be"])(s)': NOT_UTF8,
    "tf.keras.layers.Hashing(10)(s)": None,
    "pc.utf8_lower(s)": lower_differs,
    "pc.utf8_upper(s)": differ(str.upper, each(upper)),
    "pc.utf8_capitalize(s)": differ(str.capitalize, lambda s: each(upper)(s[:1]) + each(lower)(s[1:])),
    "pc.utf8_swapcase(s)": differ(str.swapcase, each(swap)),
    "pc.utf8_is_lower(s)": any_string(lambda s: s.islower() and not any(map(is_small_letter, s))),
    'pc.match_substring_regex(s, pattern="o.")': NOT_UTF8,
    r'pc.replace_substring_regex(s, pattern="(o)", replacement=r"<\1>")': NOT_UTF8,
    'pc.split_pattern_regex(s, pattern="[oe]")': NOT_UTF8,
    "pc.utf8_split_whitespace(pc.utf8_trim_whitespace(s))": any_string(lambda s: not s.strip()),
    'pc.cast(n, "float64")': any_string(lambda s: s == "nan(1)" or (number(s) and "_" in s) or padded(s)),
    'pc.cast(pc.strptime(d, format="%Y-%m-%d", unit="s"), "int64")': any_string(
        lambda s: loose_date(s) or s in ("2023-02-29", "1900-02-29")
    ),
    'pc.min_max(s)["min"]': no_strings,
    'pc.min_max(s)["max"]': no_strings,
    "s.str.strip_chars()": any_string(lambda s: re.search(r"^\s*[\x1c-\x1f]|[\x1c-\x1f]\s*$", s) is not None),
    'd.str.to_datetime("%Y-%m-%d", time_unit="us").to_physical()': any_string(loose_date),
    'd.str.to_datetime("%Y-%m-%d", time_unit="us", strict=False).to_physical().fill_null(0)': any_string(loose_date),
    'j.str.json_path_match("$.a").fill_null("")': any_string(
        lambda s: s in ('{"a": -1.50e3}', '{"a": [1, 2]}', '{"a": {"b": 1}}', '{"a": null}')
    ),
    "n.cast(float)": any_string(lambda s: (number(s) and "_" in s) or padded(s)),
    "HashingVectorizer(n_features=16, norm=None).fit_transform(s).toarray()": no_strings,
    'n.astype("float64")': any_string(lambda s: s in ("١", "４", "\x1c1")),
    "StringNormalizer-10": lambda column: no_strings(column) or lower_differs(column),
    'tokenizer(s, padding=True, return_tensors="pt")': no_strings,
}
