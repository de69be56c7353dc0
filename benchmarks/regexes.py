"""Rows of regular expressions: sets, literals, and patterns of logs, dates, addresses, source code and words."""

from functools import partial
from itertools import pairwise
from time import process_time
from typing import Any

from benchmarks import ours
from benchmarks.measure import Comparison, Figure, Options, compare
from benchmarks.rows import Context, Operation, Row, rows

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
# Usual patterns: addresses, hashes, identifiers, numbers, dates, paths, names and texts in code, words of scripts.
USUAL = (
    r"""
[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}  \b[\w.+-]+@[\w-]+\.[\w.-]+\b  https?://[^\s<>\"']+
(https?|ftp)://([^/\s:]+)(:\d+)?(/\S*)?  \b(?:[a-z0-9-]+\.)+[a-z]{2,6}\b  \d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}
\b(?:\d{1,3}\.){3}\d{1,3}\b  \b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b
(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}  (?:[0-9a-f]{2}:){5}[0-9a-f]{2}  \b[a-f0-9]{32}\b  [a-f0-9]{40}
\b[a-f0-9]{64}\b  [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}  [A-Za-z0-9+/]{20,}={0,2}
(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?  0x[0-9a-fA-F]+  #[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b
\b\d{3}-\d{1,5}-\d{1,7}-\d{1,7}-\d\b  \b(?:\d{4}[ -]?){3}\d{4}\b  \+?\d{1,3}[ -.]?\(?\d{3}\)?[ -.]?\d{3}[ -.]?\d{4}
\b\d{3}-\d{2}-\d{4}\b  \bv?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?\b  \d+(?:\.\d+)+
[A-Za-z0-9_.-]+\s*(?:==|>=|<=|~=|!=)\s*[0-9][0-9A-Za-z.*]*  [-+]?\d*\.\d+(?:[eE][-+]?\d+)?  -?\b\d+(?:\.\d+)?\b
\b\d{1,3}(?:,\d{3})+\b  \d+(?:\.\d+)?%  [$€£]\s?\d+(?:[.,]\d{2})?  \b\d+(?:\.\d+)? ?[kMG]i?B\b  \d{4}-\d{2}-\d{2}
\b(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b  \b\d{1,2}:\d{2}(?::\d{2})?\b
\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?  \b\d{1,2}/\d{1,2}/\d{2,4}\b
\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2},? \d{4}\b  (?:/[\w.-]+)+  /(?:[^/\s]+/)*[^/\s]+
[A-Z]:\\(?:[^\\\s]+\\)*[^\\\s]+  \b[\w-]+\.(?:py|txt|json|md|so|h)\b  [a-z_]\w*(?:\.[a-z_]\w*)+  \b[a-z_]\w*\(
[A-Z][a-z]+(?:[A-Z][a-z]+)+  \b[a-z]+(?:[A-Z][a-z0-9]+)+\b  \b[a-z]+(?:_[a-z]+)+\b  (?:[a-z]+-)+[a-z]+
\b[A-Z][A-Z0-9_]{2,}\b  (\w+)\s*=\s*(\S+)  </?[a-z][a-z0-9]*(?:\s[^>]*)?>  &(?:[a-z]+|#\d+);  %\(\w+\)[sd]|\{\w*\}
"(?:[^"\\]|\\.)*"  '[^']*'|\"[^\"]*\"  \([^()]*\)  \[[^\]]+\]\([^)]+\)  \b[A-Z][a-z]+\b  \b\w{12,}\b  [a-z]{10,24}
\b\w+ly\b  \p{Lu}\p{Ll}+  \p{Cyrillic}+  \p{Han}{2,}  [\x{3b1}-\x{3c9}\x{3ac}-\x{3ce}]+  \p{L}+(?:[-'\x{2019}]\p{L}+)*
[^\x00-\x7F]+  [A-Z][^.!?]*[.!?]  \b(\w+)\s+(\w+)\b
""".strip()
    .replace("\n", "  ")
    .split("  ")
)
# Patterns that hold a count; a step of one must not change the engine noticeably.
GROWING = ("[a-z]{{10,{}}}", "[a-z]{{{}}}", r"\b[a-f0-9]{{{}}}\b", r"(?:\w{{1,{}}}[-_])+\w")


def usual(name: str, context: Context) -> Comparison:
    """The time of regex_count, compared with that of the fastest peer, by pattern."""

    def figures() -> list[Figure]:
        found = []
        for pattern in USUAL:
            operation = Operation("regex_count", BOTH, (pattern,))
            result = compare(name, operation.on(name, context), Options(rounds=5), lambda _: None)
            found.append(Figure(pattern, 1 / min(r.ratio.median for r in result.ratios), at_most=1 / 1.2))
        return found

    return Comparison(f"Usual patterns in {name}: time / that of the fastest of {BOTH}", figures=figures)


def growth(context: Context) -> Comparison:
    """The most by which the time grows when a count grows by one."""

    def seconds(pattern: str, corpus: Any) -> float:
        call, times = ours.made("regex_count", (corpus, pattern)), []
        for _ in range(6):
            begin = process_time()
            call()
            times.append(process_time() - begin)
        return min(times[1:])

    def figures() -> list[Figure]:
        corpus = context.corpus("metadata")
        times = {p: [seconds(p.format(k), corpus) for k in range(10, 70)] for p in GROWING}
        steps = {p: max(b / a for a, b in pairwise(t)) for p, t in times.items()}
        return [Figure(pattern.format("k"), step, at_most=2) for pattern, step in steps.items()]

    return Comparison("Patterns with a count of k: time with k + 1 / with k, at most", figures=figures)


ROWS: list[Row] = [
    *(
        row
        for name, op, inputs, peers, *arguments in TABLE
        for row in rows(op, inputs, peers, *arguments, name=f"regex/{name}/{{}}")
    ),
    *(Row(f"regex/usual/{name}", partial(usual, name)) for name in ("messages", "metadata", "records", "log", "W6")),
    Row("regex/growth", growth),
]
