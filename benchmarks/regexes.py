"""Rows of regular expressions: sets, literals, and patterns of logs, dates, addresses, source code and words."""

from typing import Any

from benchmarks.rows import Row, rows

LINE = r"(\d+\.\d+\.\d+\.\d+) \S+ \[([^\]]+)\]"
FIELDS = (
    r"(\d+)\.(\d+)\.(\d+)\.(\d+) (\S+) \[(\d+)/(\w+)/(\d+):(\d+):(\d+):(\d+)\] "
    r'"(\S+) (?:/|http://)([^" ]+)'
)
TIME = r"^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)"
RECORD = r"([^,]+),sha256=([0-9A-Za-z_-]+),([0-9]+)"
LINK = r"https?://([0-9A-Za-z.-]+)/"
TAG = r"<([a-z]+)[^>]*>"
GENERAL = r"\w+|[^\w\s]"
NAMES = "[A-Za-z]+(?:['-][A-Za-z]+)*"
ATTRIBUTES = r"[a-z_][a-z_0-9]*\.[a-z_][a-z_0-9]*"
QUOTED = r"""\"[^\"\n]*\"|'[^'\n]*'"""
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|"
    r"\s+(?!\S)|\s"
)
BOTH = "pyarrow polars"
# Operation/name, operator, inputs, peers, pattern and further arguments.
TABLE: list[tuple[Any, ...]] = [
    ("contains/digits", "regex_contains", "messages; metadata", BOTH, r"\d+"),
    ("contains/literal", "regex_contains", "W3; metadata", BOTH, "the"),
    ("contains/general", "regex_contains", "W1; messages", BOTH, "q[a-z]+x"),
    ("contains/address", "regex_contains", "contacts", BOTH, r"(\w+)@[\w.]+"),
    ("contains/link", "regex_contains", "metadata; pages", BOTH, LINK),
    ("full_match", "regex_full_match", "W1; words of metadata", f"{BOTH} tensorflow onnxruntime", "[a-z ]+"),
    ("replace/spaces", "regex_replace", "W1; metadata; pages", f"{BOTH} tensorflow", r"\s+", "_"),
    ("replace/words", "regex_replace", "messages; metadata", BOTH, r"\w+", "_"),
    ("replace/either", "regex_replace", "W1; metadata", BOTH, "the|and|of", "_"),
    ("replace/date", "regex_replace", "contacts; log", BOTH, r"(\d+)-(\d+)-(\d+)", r"\3.\2.\1"),
    ("replace/tags", "regex_replace", "pages; JSON", f"{BOTH} tensorflow", TAG, ""),
    ("extract/line", "regex_extract", "server log", BOTH, LINE, 2),
    ("extract/link", "regex_extract", "metadata; log", BOTH, LINK, 1),
    ("extract/hash", "regex_extract", "records", BOTH, RECORD, 2),
    ("extract_groups/line", "_regex_extract_groups", "server log", BOTH, FIELDS, [*range(1, 14)]),
    ("extract_groups/time", "_regex_extract_groups", "log", BOTH, TIME, [*range(1, 7)]),
    ("count/words", "regex_count", "messages; pages", BOTH, r"\w+"),
    ("count/general", "regex_count", "W1; metadata", BOTH, GENERAL),
    ("split/spaces", "regex_split_ragged", "W3; metadata", "pyarrow", r"\s+"),
    ("split/either", "regex_split_ragged", "metadata", "pyarrow", "the|and|of"),
    ("split/tags", "regex_split_ragged", "pages", "pyarrow", TAG),
    ("find_all/words", "regex_find_all_ragged", "W3; messages", "polars", r"\w+"),
    ("find_all/digits", "regex_find_all_ragged", "contacts; log", "polars", r"\d+"),
    ("find_all/names", "regex_find_all_ragged", "W6; messages", "polars", NAMES),
    ("find_all/attributes", "regex_find_all_ragged", "W6; records", "polars", ATTRIBUTES),
    ("find_all/texts", "regex_find_all_ragged", "W6; JSON", "polars", QUOTED),
    ("find_all/forms", "regex_find_all_ragged", "metadata; pages", "polars", "[a-z]+(?:ing|ed|s)"),
    ("find_all/calls", "regex_find_all_ragged", "W6; metadata", "polars", r"[a-zA-Z_][a-zA-Z_0-9]*\("),
    ("find_all/ends", "regex_find_all_ragged", "W6; metadata", "polars", "[a-z]+[.]"),
    ("find_all/tags", "regex_find_all_ragged", "pages", "polars", TAG),
    ("find_all/cl100k", "regex_find_all_ragged", "W1", "polars", CL100K),
    ("find_all/either", "regex_find_all_ragged", "W6; metadata", "polars", "the|and|of"),
]
ROWS: list[Row] = [
    row
    for name, op, inputs, peers, *arguments in TABLE
    for row in rows(op, inputs, peers, *arguments, name=f"regex/{name}/{{}}")
]
