"""polars: Series of strings, as views of 16 bytes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from benchmarks import canonical, inputs
from benchmarks.corpora import Corpus
from benchmarks.peers import THREADS

if pl.thread_pool_size() != THREADS:
    raise ImportError("polars has another number of threads: set POLARS_MAX_THREADS before it is imported")


def strings(corpus: Corpus) -> Any:
    return pl.Series("strings", corpus.strings)


def numbers(array: Any) -> Any:
    return pl.Series(array)


# Its classes are Unicode's, and it has no look-ahead nor possessive repetition, which make no difference in the rows.
IN_ASCII = {
    r"\s+(?!\S)|": "",
    **{f"{repeat}+": repeat for repeat in ("?", "*", "+", "3}")},
    r"[^\w\s]": r"[^0-9A-Za-z_\t\n\f\r ]",
    r"[\w.]": "[0-9A-Za-z_.]",
    r"\b": r"(?-u:\b)",
    r"\d": "[0-9]",
    r"\w": "[0-9A-Za-z_]",
    r"\s": r"[\t\n\f\r ]",
    r"\S": r"[^\t\n\f\r ]",
}


def in_ascii(pattern: str) -> str:
    for part, ascii_only in IN_ASCII.items():
        pattern = pattern.replace(part, ascii_only)
    return pattern


def split(corpus: Corpus, delimiter: str, maxsplit: int = -1) -> dict[str, Callable[[], Any]]:
    series = strings(corpus)
    if maxsplit >= 0:  # a struct of maxsplit + 1 fields, of which the last ones may be null
        return {"splitn": partial(series.str.splitn, delimiter, maxsplit + 1)}
    if delimiter:
        return {"": partial(series.str.split, delimiter)}
    return {
        'split(" ")': partial(series.str.split, " "),
        "empty pieces filtered out": lambda: series.str.split(" ").list.eval(NONEMPTY),
        r"extract_all(\S+)": partial(series.str.extract_all, r"\S+"),
    }


def tokens(corpus: Corpus, tokenexp: str = "", separators: Any = None, **_: Any) -> dict[str, Callable[[], Any]]:
    """Matches, or characters."""
    series = strings(corpus)
    if tokenexp:
        return {"": partial(series.str.extract_all, in_ascii(tokenexp))}
    return {'split("")': partial(series.str.split, ""), "(?s).": partial(series.str.extract_all, "(?s).")}


def regex(method: str) -> Callable[..., Callable[[], Any]]:
    def make(corpus: Corpus, pattern: str, *rest: Any) -> Callable[[], Any]:
        call = getattr(strings(corpus).str, method)
        return partial(call, in_ascii(pattern), *(r.replace("\\", "$") if isinstance(r, str) else r for r in rest))

    return make


def full_match(corpus: Corpus, pattern: str) -> Callable[[], Any]:
    return partial(strings(corpus).str.contains, f"^(?:{in_ascii(pattern)})$")


def any_regex(corpus: Corpus, patterns: list[str]) -> Callable[[], Any]:
    either = "|".join(patterns).replace(r"\b", r"(?-u:\b)")  # its \b is that of Unicode
    return partial(strings(corpus).str.contains, either)


def many(method: str) -> Callable[..., Callable[[], Any]]:
    """Search for many patterns; it takes the one that is first in the list, so that the longest stand first."""

    def make(corpus: Corpus, patterns: Corpus, *new: Corpus) -> Callable[[], Any]:
        lists = [strings(words).implode() for words in (patterns, *new)]
        leftmost = {} if method == "contains_any" else {"leftmost": True}
        return partial(getattr(strings(corpus).str, method), *lists, **leftmost)

    return make


def translate(corpus: Corpus, table: dict[str, str | None]) -> Callable[[], Any]:
    return partial(strings(corpus).str.replace_many, [*table], [new or "" for new in table.values()])


def enum(tokens: Corpus, words: Corpus) -> Callable[[], Any]:
    """Builds its table in each call."""
    return partial(strings(tokens).cast, pl.Enum(words.strings), strict=False)


def vocab_build(words: Corpus) -> Any:
    series = strings(words)
    return partial(pl.Enum, series), lambda enum: series.cast(enum).to_physical()


def split_encode(corpus: Corpus, words: Corpus) -> Callable[[], Any]:
    series, known = strings(corpus), pl.List(pl.Enum(words.strings))
    return lambda: series.str.split(" ").cast(known, strict=False)


def in_parts(corpus: Corpus, count: int, size: int) -> Callable[[], Any]:
    parts = list(map(pl.Series, inputs.parts(corpus.strings, count, size)))
    return lambda: pl.concat(parts, rechunk=True)


def equal(corpus: Corpus, other: Corpus) -> Callable[[], Any]:
    series, against = strings(corpus), other.strings[0] if len(other) == 1 else strings(other)
    return lambda: series == against


def decode_json(corpus: Corpus, fields: dict[str, Any]) -> Callable[[], Any]:
    """Reads the fields of a type: structs of the paths."""
    types: dict[str, Any] = {}
    for path, dtype in fields.values():
        *parents, leaf = path[2:].split(".")
        inner = types
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[leaf] = TO.get(str(dtype), pl.String)

    def struct(found: dict[str, Any]) -> Any:
        return pl.Struct({name: struct(kind) if isinstance(kind, dict) else kind for name, kind in found.items()})

    series, dtype = strings(corpus), struct(types)
    return lambda: leaves(series.str.json_decode(dtype))


def leaves(series: Any) -> list[Any]:
    if series.dtype != pl.Struct:
        return [series]
    return [leaf for field in series.struct.fields for leaf in leaves(series.struct.field(field))]


NONEMPTY = pl.element().filter(pl.element() != "")
TO = {
    "torch.int64": pl.Int64,
    "torch.float32": pl.Float32,
    "torch.float64": pl.Float64,
    "torch.bool": pl.Boolean,
}
CALLS: dict[str, Any] = {
    "string_lower": lambda s: s.str.to_lowercase(),
    "string_upper": lambda s: s.str.to_uppercase(),
    "string_length": lambda s: s.str.len_chars(),
    "string_find": lambda s, word, *_: s.str.find(word, literal=True).fill_null(-1),
    "string_contains": lambda s, word: s.str.contains(word, literal=True),
    "string_contains, ignore_case": lambda s, word: s.str.contains(f"(?i){word}"),
    "string_count": lambda s, word: s.str.count_matches(word, literal=True),
    "string_startswith": lambda s, word: s.str.starts_with(word),
    "string_endswith": lambda s, word: s.str.ends_with(word),
    "string_replace": lambda s, word, new: s.str.replace_all(word, new, literal=True),
    "string_strip": lambda s, chars: s.str.strip_chars(chars),
    "string_remove_prefix": lambda s, prefix: s.str.strip_prefix(prefix),
    "string_normalize": lambda s, form: s.str.normalize(form),
    "string_concat": lambda s, between: pl.select(pl.concat_str([s, pl.lit(between), s])).to_series(),
    "string_rjust": lambda s, width: s.str.pad_start(width),
    "string_ljust": lambda s, width: s.str.pad_end(width),
    "string_zfill": lambda s, width: s.str.zfill(width),
    "string_slice": lambda s, start, stop=None: s.str.slice(start, None if stop is None else stop - start),
    "string_reverse, graphemes": lambda s: s.str.reverse(),
    "string_hex": lambda s: s.cast(pl.Binary).bin.encode("hex"),
    "string_base64": lambda s: s.str.encode("base64"),
    "string_less": lambda s, other: s < other,
    "string_argsort": lambda s: s.arg_sort(),
    "string_sort": lambda s: s.sort(),
    "string_min": lambda s: [s.min()],
    "string_searchsorted": lambda row, s: row.search_sorted(s, "left"),
    "string_hash": lambda s: s.hash(),
    "string_unique": lambda s: s.value_counts(),
    "unique, sorted": lambda s: s.unique().sort(),
    "string_to_number": lambda s, dtype: s.cast(TO[str(dtype)]),
    "string_from_number": lambda values: values.cast(pl.String),
    "string_to_datetime": lambda s, format, unit: s.str.to_datetime(format, time_unit="ms"),
    "json_extract": lambda s, path: s.str.json_path_match(path),
    "x[i]": lambda s, index: s.filter(index) if index.dtype == pl.Boolean else s.gather(index),
    "where": lambda a, b, mask: a.zip_with(mask, b),
    "to_list": lambda s: s.to_list(),
    "from_list": pl.Series,
}
MADE: dict[str, Any] = {
    "string_equal": equal,
    "==": equal,
    "regex_contains": regex("contains"),
    "regex_full_match": full_match,
    "regex_replace": regex("replace_all"),
    "regex_extract": regex("extract"),
    "_regex_extract_groups": lambda corpus, pattern, _: regex("extract_groups")(corpus, pattern),
    "regex_count": regex("count_matches"),
    "regex_find_all_ragged": regex("extract_all"),
    "string_split_ragged": split,
    "tokenizer_ragged": tokens,
    "regex_contains_any": any_regex,
    "string_contains_any": many("contains_any"),
    "string_extract_many": many("extract_many"),
    "string_replace_many": many("replace_many"),
    "string_translate": translate,
    "string_from_datetime": lambda times, format, unit: partial(
        pl.Series(times.astype(f"datetime64[{unit}]").astype("datetime64[ms]")).dt.strftime, format
    ),
    "json_fields": decode_json,
    "vocab_build": vocab_build,
    "vocab_encode": enum,
    "split_encode": split_encode,
    "cat": in_parts,
    "stack": in_parts,
}


def ids(out: Any) -> Any:
    return out.to_physical().cast(pl.Int64).fill_null(-1)


READS: dict[str, Any] = {
    "string_split_ragged": lambda out: (
        canonical.of([[p for p in row if p is not None] for row in out.struct.unnest().rows()])
        if out.dtype == pl.Struct
        else out
    ),
    "string_unique": lambda out: (out["strings"], out["count"].to_numpy()),
    "string_to_datetime": lambda out: out.to_physical() // 1000,
    "_regex_extract_groups": lambda out: canonical.joined(out.struct.unnest()),
    "vocab_encode": ids,
    "split_encode": lambda out: canonical.from_ids(
        ids(out.explode()).to_numpy(), np.cumsum([0, *out.list.len().to_list()])
    ),
}
DIFFERS = {
    "string_split_ragged": "it splits at spaces only, or its `\\S` takes U+001C-001F for text",
    "string_from_number": "it writes whole numbers and exponents differently from Python's repr",
    "string_lower": "its version of Unicode is another",
    "string_upper": "its version of Unicode is another",
    "string_reverse, graphemes": "its version of Unicode is another",
    "string_contains, ignore_case": "it folds characters one by one",
}
