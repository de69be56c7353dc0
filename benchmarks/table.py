"""The rows: an operator, its inputs, its peers, arguments, and how results are compared.

Inputs are names of corpora (corpora.py, kinds.py) and of texts (text.py), which `; ` divides. `rows` makes a row of
each, whose name is the operator, a label and the input; `row` makes one of drawn inputs.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks import canonical, inputs, kinds
from benchmarks.corpora import Corpus
from benchmarks.inputs import BEGIN, END, WIDTH
from benchmarks.peers import Fresh
from benchmarks.rows import Row, row, rows

# What is compared of a result and its inputs, if libraries do not define the same result.


def distinct(out: Any, _: Any) -> Any:
    """The number of distinct hashes: each library has another hash."""
    return np.array([len(np.unique(np.asarray(canonical.of(out))))])


def in_order(out: Any, values: Any) -> Any:
    """The strings at the positions, as some orders of equal strings are not stable."""
    return [values[0].encoded[i] for i in np.asarray(canonical.of(out)).tolist()]


def counted(out: Any, _: Any) -> Any:
    """Each string followed by its count, sorted: peers have another order, and some return less."""
    words, counts = out
    pieces = canonical.of(words).pieces()
    return [b"%s %d" % pair for pair in sorted(zip(pieces, counts, strict=True))]


def columns(out: Any, _: Any) -> Any:
    """The values of each column, as Python shows them."""
    lists = (c.to_list() if hasattr(c, "to_list") else c.tolist() if hasattr(c, "tolist") else c for c in out)
    return [list(map(repr, column)) for column in lists]


# Forms of a corpus that are converted. A Fresh input is made anew before each call.


def new_strings(found: Corpus) -> Any:
    """New `str`, as CPython keeps the UTF-8 of one that was encoded."""
    return (Fresh(lambda: [s.decode() for s in found.encoded]),)


def same(make: Callable[[Corpus], Any], found: Corpus) -> Any:
    value = make(found)
    return (Fresh(lambda: value),)


def arrow(kind: str, found: Corpus) -> Any:
    import pyarrow as pa

    return pa.array(found.strings, getattr(pa, kind)())


LIST = partial(same, lambda c: c.strings)
STRING_DTYPE = partial(same, lambda c: np.array(c.strings, dtype=np.dtypes.StringDType()))
FIXED_WIDTH = partial(same, lambda c: np.array(c.encoded))
LARGE, VIEW = (partial(same, partial(arrow, kind)) for kind in ("large_utf8", "string_view"))

ARROW, BOTH, ALL = "pyarrow", "pyarrow polars", "pyarrow polars tensorflow"
WIDE, LONG = "W3; messages; metadata", "W3; metadata; pages"
COMMONEST = inputs.with_commonest
PAD = {"rjust": BOTH, "ljust": BOTH, "center": ARROW, "zfill": BOTH}
CASE = {"lower": ALL, "upper": ALL, "swapcase": ARROW}
CLASSES = {
    **dict.fromkeys(("alpha", "alnum", "lower"), "words of W3"),
    **dict.fromkeys(("digit", "space", "upper"), "W1"),
    "ascii": "W3",
}
# fmt: off
CHARACTERS = [
    *(r for op, by in CASE.items() for r in rows(f"string_{op}", "words of W3; messages; metadata", by)),
    *rows("string_title", "words of W3; metadata; pages", ARROW),
    *rows("string_capitalize", "words of W3; metadata; pages", ARROW),
    *rows("string_casefold", WIDE, "python"),
    *(r for op, on in CLASSES.items() for r in rows(f"string_is_{op}", f"{on}; messages; words of metadata", ARROW)),
    *rows("string_length", "words of W3; messages; pages", BOTH),
    *rows("string_width", "W3; words of messages", "wcwidth"),
    *rows("string_is_utf8", "W1; messages; pages", "python"),
    *rows("string_repair", "W3; messages; pages", "tensorflow python"),
    *rows("string_codepoints", "W3; messages; pages", "tensorflow python"),
    *rows("string_bytes", "W1; messages", "python"),
    *rows("string_from_codepoints", "W3; messages", "tensorflow python"),
    *rows("string_segments_ragged", "W3; messages", "regex", "grapheme", label="graphemes/"),
    *rows("string_segments_ragged", "W3; messages", "regex", "word", label="words/"),
    *rows("string_reverse, graphemes", "W3; messages", "polars", name="string_reverse/graphemes/{}"),
    *rows("string_reverse", "words of W3; messages; metadata", ARROW),
    *rows("string_strip", WIDE, BOTH, None),
    *rows("string_strip", "W1; messages; metadata", BOTH, "e\u00e9", label="e\u00e9 "),
    *rows("string_remove_prefix", "W3; metadata", "polars", "th", label="th "),
    *rows("string_normalize", "words of W3; messages; pages", BOTH, "NFC", label="NFC "),
    *rows("string_normalize", "W3; messages; pages", BOTH, "NFKD", label="NFKD "),
]
BUILDING = [
    *rows("string_concat", WIDE, ALL, "-x"),
    *rows("string_repeat", WIDE, ARROW, 3),
    *(r for op, by in PAD.items() for r in rows(f"string_{op}", "W3; messages; words of metadata", by, 16)),
    *rows("string_slice", WIDE, BOTH, 1, 5),
    *rows("string_slice", WIDE, BOTH, -3, label="from the end/"),
    *rows("string_hex", "W3; messages; records", "polars"),
    *rows("string_base64", "W1; messages; pages", "polars"),
    *rows("string_join_ragged", "W1; messages; metadata", ARROW, " ", label="words of "),
    *row("string_from_number/prices", "string_from_number", partial(inputs.values_of, "prices"), BOTH),
    *row("string_from_number/floats", "string_from_number", partial(inputs.values_of, "floats"), BOTH),
    *row("string_from_datetime/log", "string_from_datetime", inputs.seconds, BOTH, kinds.WEB, "s"),
]
TRANSLATED = {"e": "\xe9", "o": "oo", "t": "T", "_": None, "-": None}
SEARCH = [
    *rows("string_find", LONG, BOTH, "byte", given=COMMONEST),
    *rows("string_find", LONG, "python", given=COMMONEST, label="code points of "),
    *rows("string_find.each", "W3; messages", "python", given=inputs.with_a_word_each,
          name="string_find/a word for each of {}"),
    *(r for op in ("contains", "count", "startswith", "endswith")
      for r in rows(f"string_{op}", LONG, f"{BOTH} python", given=COMMONEST)),
    *rows("string_contains, ignore_case", LONG, BOTH, given=COMMONEST, name="string_contains/ignore_case/{}"),
    *rows("string_replace", LONG, f"{BOTH} python", "word", given=COMMONEST),
    *rows("string_rfind", LONG, "python", given=COMMONEST),
    *rows("string_translate", "W6; lines of W5; metadata; pages", "polars python", TRANSLATED),
    *(r for op in ("string_contains_any", "string_extract_many", "string_replace_many")
      for count, on in ((10, "lines of W5; messages"), (1000, "lines of W5; log"), (10_000, "words of W6; metadata"))
      for r in rows(op, on, "polars", label=f"{count} in ",
                    given=partial(inputs.with_patterns, count, "replace" in op))),
    *(r for count, on in ((10, "lines of W5; log"), (100, "W6; metadata"))
      for r in rows("regex_contains_any", on, "polars re2", label=f"{count} in ",
                    given=partial(inputs.with_regexes, count))),
]
# An answer that comes early, late or never in documents.
IN_DOCUMENTS = {"string_contains": BOTH, "string_contains, ignore_case": BOTH, "string_find": BOTH,
                "string_rfind": "python", "string_split_ragged": BOTH, "string_contains_any": "polars"}
DOCUMENTS = [
    r for op, by in IN_DOCUMENTS.items() for size in (1, 10, 100) for place in ("early", "late", "never")
    for r in row(f"{op}/{place} in {size} KB", op,
                 partial(inputs.documents_and_patterns if op.endswith("any") else inputs.documents, size, place), by,
                 *{"string_find": ["byte"], "string_split_ragged": [1]}.get(op, []))
]
PEERS = f"{ALL} numpy pandas python"
DUPLICATES = {"threshold": 0.8, "ngram": 5, "hashes": 128}
EDITS = [*range(1, 19), *range(40, 61)]  # similarities above 0.84 or below 0.76
ORDER = [
    *rows("string_equal", "words of W1; messages; words of metadata", PEERS, given=inputs.with_the_commonest_string,
          name="string_equal/{}, with one"),
    *rows("string_equal", "W1; messages; metadata", PEERS, given=inputs.with_others,
          name="string_equal/{}, with others"),
    *rows("string_less", WIDE, BOTH, given=inputs.with_shuffled),
    *rows("string_argsort", WIDE, BOTH, check=in_order),
    *rows("string_sort", "words of W1; messages; metadata", "polars python"),
    *rows("string_searchsorted", WIDE, "polars python", given=inputs.with_sorted),
    *rows("string_min", "W1; messages; metadata", BOTH),
    *rows("string_hash", "words of W1; messages; words of metadata", "polars tensorflow", check=distinct),
    *rows("string_siphash", "W3; messages", "tensorflow", [1, 2]),
    *rows("string_murmur3", "W3; messages", "onnxruntime", 0, False),
    *rows("string_isin", "W3; messages; words of metadata", ARROW, given=inputs.with_some),
    *rows("string_unique", "words of W1; 3M hexadecimal numbers; words of metadata; words of log", PEERS,
          check=counted),
    *rows("unique, sorted", "hexadecimal numbers; UUIDs; words of messages; records", f"{BOTH} python"),
    *rows("string_edit_distance", "W1; messages", "rapidfuzz tensorflow", given=inputs.pairs),
    *(r for op in ("edit_distance", "damerau", "ratio", "jaro_winkler")
      for r in row(f"string_{op}/all pairs", f"string_{op}, all pairs", inputs.names, "rapidfuzz")),
    *row("string_edit_distance/all pairs, up to 2", "string_edit_distance, all pairs", inputs.names, "rapidfuzz",
         max_distance=2),
    *row("string_edit_distance/random strings of 100 KB", "string_edit_distance", inputs.long_strings, "rapidfuzz"),
    *row("near_duplicates/copies with an edit", "near_duplicates", partial(inputs.documents_with_copies, [1]),
         "datasketch", **DUPLICATES),
    *row("near_duplicates/edited copies", "near_duplicates", partial(inputs.documents_with_copies, EDITS),
         "datasketch", **DUPLICATES),
]
SPLITS = "pyarrow polars tensorflow openvino tokenizers pandas python"
PADDED = "onnxruntime tensorflow"
ONNX = {"mark": False, "mincharnum": 1}
WORD, GENERAL = "[a-zA-Z0-9_]+", r"[0-9A-Za-z_]+|[^0-9A-Za-z_ \t\n\f\r]"
TOKENS = {
    "words": (WORD, "W1; messages; pages", "openvino polars"),
    "general": (GENERAL, "W6; metadata", "polars"),
    "runs": (f"{GENERAL}+", "W6; metadata", "openvino polars"),
    "camel": (r"[0-9]+|[A-Z][a-z]+|[a-z]+", "W6; records; log", "polars"),
    "gpt2": (r"'(?:[sdmt]|ll|ve|re)| ?\pL+| ?\pN+| ?[^\s\pL\pN]+|\s+", "W6; messages; pages", "polars"),
    "letters": (r"\pL+|\pN+", "W3; messages", "polars"),
}
SPLITTING = [
    *rows("string_split_ragged", "W1; W6; metadata; pages; log", SPLITS, "", name="string_split/{}"),
    *rows("string_split_ragged", "W3; messages", "pyarrow polars tokenizers pandas python", "", name="string_split/{}"),
    *rows("string_split_ragged", "W5", "pyarrow polars tensorflow openvino python", "", name="string_split/{}"),
    *rows("string_split_ragged", "W4; records", f"{ALL} pandas numpy python", ",", name="string_split/{}"),
    *rows("string_split", "W1p; W6; metadata", PADDED, "", name="string_split/{}, padded"),
    *rows("string_split", "W4; records", "onnxruntime", ",", name="string_split/{}, padded"),
    *rows("string_split_ragged", "W1", ARROW, "", 1, name="string_split, limit/{}, 1"),
    *rows("string_split_ragged", "log", ARROW, "", 3, name="string_split, limit/{}, 3"),
    *rows("string_split_ragged", "metadata", BOTH, ": ", 1, name="string_split, limit/{}, 1"),
    *rows("string_split_ragged", "pages", BOTH, "</p>", name="string_split, delimiter/{} at </p>"),
    *rows("string_split_ragged", "log", BOTH, "  ", name="string_split, delimiter/{} at two spaces"),
    *(r for kind, (pattern, on, by) in TOKENS.items()
      for r in rows("tokenizer_ragged", on, by, name=f"tokenizer/{kind}/{{}}", tokenexp=pattern, **ONNX)),
    *rows("tokenizer_ragged", "W3; messages", "polars", name="tokenizer/characters/{}", separators=[""], **ONNX),
    *(r for kind, on, how in (("words", "W1; messages", {"tokenexp": WORD}),
                              ("runs", "W6; metadata", {"tokenexp": f"{GENERAL}+"}),
                              ("texts", "W2; metadata", {"separators": [", ", " "]}),
                              ("characters", "W1; messages", {"separators": [""]}))
      for r in rows("tokenizer", on, "onnxruntime", name=f"tokenizer/{kind}/{{}}, padded",
                    pad_value="", **ONNX, **how)),
    *rows("string_ngrams_ragged", "W1; messages; metadata", "tensorflow", 2),
    *rows("string_char_ngrams_ragged", "words of W1; words of W3; words of messages", "tensorflow python", 3, 3),
]
ENCODERS = "parts tokenizers tensorflow openvino python"
LOOKUPS = "onnxruntime tensorflow openvino pyarrow polars pandas python"
LOWER = {"tokenexp": r"[^\s\pZ]+", "lower": True}
LOWERED = partial(inputs.with_vocabulary, lower=True)
TFIDF = {"max_gram_length": 2, "max_skip_count": 1, "min_gram_length": 1, "mode": "TFIDF", "ngram_counts": [0, 2000]}
VECTORIZERS = {
    "words": ("CountVectorizer", "W1; messages; metadata", {}),
    "2-grams": ("CountVectorizer", "W1; metadata", {"ngram_range": (1, 2)}),
    "char_wb": ("CountVectorizer", "W3; metadata", {"analyzer": "char_wb", "ngram_range": (3, 4)}),
    "weights": ("TfidfVectorizer", "W3; metadata", {"norm": None}),
    "hashes": ("HashingVectorizer", "W3; metadata", {"norm": None}),
}
INT = {"max_tokens": 5000, "output_mode": "int", "output_sequence_length": 12}
VOCABULARIES = [
    *rows("split_encode", "W1", f"{ENCODERS} onnxruntime pyarrow polars", given=inputs.with_vocabulary),
    *rows("split_encode", "metadata", ENCODERS, given=inputs.with_vocabulary),
    *(r for on, by in (("W2", f"{ENCODERS} onnxruntime pyarrow polars"), ("pages", ENCODERS))
      for r in rows("split_encode", on, by, given=partial(inputs.with_vocabulary, most=30_000),
                    name="split_encode/{}, 30k words")),
    *(r for on, by in (("W1", "parts tokenizers tensorflow"), ("W3; metadata", "parts tokenizers"))
      for r in rows("tokenize_encode", on, by, given=LOWERED, name="tokenize_encode/{}, lower", **LOWER)),
    *row("vocab_build/30k", "vocab_build", partial(inputs.words_only, 30_000), "polars tensorflow python"),
    *row("vocab_build/1M", "vocab_build", partial(inputs.words_only, 1_000_000), "polars tensorflow python"),
    *rows("vocab_build", "words of metadata", "polars tensorflow python",
          given=lambda c: inputs.with_vocabulary(c)[1:]),
    *row("vocab_encode/29k", "vocab_encode", partial(inputs.vocabulary_and_tokens, 30_000), LOOKUPS),
    *row("vocab_encode/1M", "vocab_encode", partial(inputs.vocabulary_and_tokens, 1_000_000), LOOKUPS),
    *rows("vocab_encode", "words of messages; words of metadata", LOOKUPS, given=inputs.with_vocabulary),
    *row("vocab_encode/UUIDs, hits", "vocab_encode", partial(inputs.lookups, True), f"{BOTH} python"),
    *row("vocab_encode/UUIDs, misses", "vocab_encode", partial(inputs.lookups, False), f"{BOTH} python"),
    *rows("string_normalizer", "words of W1; words of W3; words of messages", "onnxruntime", label="LOWER ",
          given=inputs.with_stopwords, case_change_action="LOWER", is_case_sensitive=True),
    *row("tfidf_vectorizer/ints 1000 rows", "tfidf_vectorizer", inputs.tfidf, "onnxruntime", **TFIDF),
    *rows("TextVectorization", "W3; metadata", "keras", label="int ", **INT),
    *rows("TextVectorization", "W1; metadata", "keras", label="count ", max_tokens=500, output_mode="count"),
    *rows("TextVectorization, adapt", "W1; metadata", "keras", name="TextVectorization/adapt {}", max_tokens=5000),
    *(r for kind, (layer, on, how) in VECTORIZERS.items()
      for r in rows(layer, on, "scikit_learn", name=f"vectorizers/{kind} {{}}", **how)),
    *row("from_strings/lists of 15 words", "from_strings", inputs.lists_of_words, "parts python"),
    *rows("from_strings", "messages", "python", label="lists of the words of ",
          given=lambda c: ([s.split() for s in c.strings],)),
]
USERS = {"id": ("$.id", torch.int64), "name": ("$.user.name", None), "score": ("$.user.score", torch.float64),
         "text": ("$.text", None), "ok": ("$.ok", torch.bool)}
SHAPES = {"service": ("$.service", None), "name": ("$.shape.name", None), "fields": ("$.shape.fields", torch.int64),
          "text": ("$.text", None)}
VALUES = [
    *rows("string_to_number", "integers", ALL, torch.int64, name="string_to_number/{} to int64"),
    *rows("string_to_number", "prices", ALL, torch.float32, name="string_to_number/{} to float32"),
    *rows("string_to_number", "floats", ALL, torch.float64, name="string_to_number/{} to float64"),
    *rows("string_to_datetime", "web times", f"{BOTH} pandas", kinds.WEB, name="string_to_datetime/log", unit="s"),
    *rows("string_to_datetime", "log", f"{BOTH} pandas", kinds.ISO, given=inputs.heads, label="times of ", unit="s"),
    *row("datetime_fields", "datetime_fields", inputs.seconds, "pandas"),
    *rows("json_extract", "users", "polars", "$.text", name="json_extract/text"),
    *rows("json_extract", "JSON", "polars", "$.shape.name", label="name of "),
    *rows("json_extract", "JSON", "polars", "$.text", label="text of "),
    *rows("json_fields", "users", "polars python", USERS, check=columns, name="json_fields"),
    *rows("json_fields", "JSON", "polars python", SHAPES, check=columns),
]
TORCH = "torch numpy tensorflow"
MOVING = [
    *(r for share, given in inputs.MASKS.items()
      for r in rows("x[i]", "words of W1; W1; metadata", BOTH, given=given, name=f"gather/mask {share}/{{}}")),
    *rows("x[i]", "words of W1; W1; messages; pages", BOTH, given=inputs.with_order, name="gather/permutation/{}"),
    *rows("where", "words of W1; messages", BOTH, given=inputs.with_reversed, name="gather/where/{}"),
    *rows("cat", "words of W1; words of metadata", BOTH, 1000, 100, label="1000 x 100 "),
    *rows("cat", "words of W1; words of metadata", BOTH, 2, 50_000, label="2 x 50000 "),
    *rows("stack", "words of W1; words of metadata", BOTH, 1000, 100, label="1000 x 100 "),
    *rows("split_to_sequence", "W1; metadata", "onnxruntime", 1000),
    *row("split_to_sequence/numbers", "split_to_sequence", inputs.matrix, "onnxruntime torch", 1000),
    *row("split_to_sequence/numbers, copied", "split_to_sequence, copied", inputs.matrix, "onnxruntime", 1000),
    *rows("string_tensor_pack", "W1", "openvino python", given=inputs.ranges_of_words, label="words of "),
    *rows("string_tensor_unpack", "W1; messages", "openvino"),
    *rows("from_list", "W1", f"{ALL} numpy pandas", given=LIST),
    *rows("from_list", "W3; messages; pages", f"{ALL} numpy pandas", given=new_strings),
    *rows("from_list", "long strings", BOTH, given=LIST, name="from_list/1 MB"),
    *rows("to_list", "W3; messages; pages", "pyarrow polars numpy pandas"),
    *rows("from_numpy", "W1; messages", ARROW, given=STRING_DTYPE, label="StringDType of "),
    *rows("from_numpy", "W1", ARROW, given=FIXED_WIDTH, label="S of "),
    *rows("from_arrow", "W1", ARROW, given=LARGE, label="large_utf8 of "),
    *rows("from_arrow", "W1; messages", ARROW, given=VIEW, label="string_view of "),
    *row("ragged_to_dense/W1", "ragged_to_dense", inputs.ragged_numbers, TORCH, WIDTH),
    *row("dense_to_ragged/W1", "dense_to_ragged", inputs.dense_numbers, TORCH),
    *row("ragged_mask/W1", "ragged_mask", lambda context: inputs.ragged_numbers(context)[1:], TORCH, WIDTH),
    *row("ragged_ngrams/numbers", "ragged_ngrams", inputs.ragged_numbers, "numpy", 2),
    *row("ragged_truncate/numbers", "ragged_truncate", inputs.ragged_numbers, "tensorflow", 5),
    *row("ragged_concat/numbers", "ragged_concat", inputs.ragged_numbers, "tensorflow"),
    *row("ragged_add_special/numbers", "ragged_add_special", inputs.ragged_numbers, "tensorflow", BEGIN, END),
    *row("ragged_unique/numbers", "ragged_unique", partial(inputs.ragged_numbers, below=30), "python"),
    *row("ragged_count/numbers", "ragged_count", partial(inputs.ragged_numbers, below=30), "tensorflow", 30),
]
# fmt: on
ROWS: list[Row] = [*CHARACTERS, *BUILDING, *SEARCH, *DOCUMENTS, *ORDER, *SPLITTING, *VOCABULARIES, *VALUES, *MOVING]
