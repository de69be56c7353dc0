"""The calls that are counted: functions on small inputs, which are the same on every machine.

A name is that of a function, or of one and an input: `function/input`. Inputs are drawn from fixed seeds, with integer
arithmetic only.
"""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

import torch_stringops
from torch_stringops import StringTensor

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))
from fuzz.write_samples import line_of

OPS = torch.ops.stringops
TEXT_BYTES = 64 * 1024


class Random:
    """SplitMix64."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, n: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return (z ^ z >> 31) % n

    def of(self, items: Sequence[Any]) -> Any:
        return items[self.below(len(items))]

    def word_of(self, words: Sequence[str]) -> str:
        """A word of a distribution similar to Zipf's law: each doubling of the rank has the same probability."""
        return words[self.below(1 << self.below(len(words).bit_length()))]


def words_of(scripts: Sequence[str], seed: int) -> list[str]:
    """1,024 words of 1 to 14 characters; some exceed the 11 bytes that a slot of a table holds."""
    random, words = Random(seed), {}
    while len(words) < 1024:
        script = random.of(scripts)
        words["".join(random.of(script) for _ in range(1 + random.below(7) + random.below(8)))] = None
    return list(words)


def text_of(words: Sequence[str], spaces: Sequence[str]) -> list[str]:
    """Strings of 2 to 20 words separated by spaces."""
    random, rows, size = Random(3), [], 0
    while size < TEXT_BYTES:
        row = random.word_of(words)
        for _ in range(1 + random.below(19)):
            row += random.of(spaces) + random.word_of(words)
        rows.append(row)
        size += len(row.encode())
    return rows


def fields_of(delimiter: str, count: int = 20) -> list[str]:
    """Lines of fields, 5 % of them empty."""
    random, rows, size = Random(4), [], 0
    while size < TEXT_BYTES:
        fields = ("" if random.below(20) == 0 else random.word_of(ASCII_WORDS) for _ in range(count))
        rows.append(delimiter.join(fields))
        size += len(rows[-1])
    return rows


def drawn(count: int = 8192) -> list[str]:
    """Words, one in 16 of which is not in the vocabulary."""
    random = Random(5)
    return [random.word_of(WORLD_WORDS if random.below(16) == 0 else ASCII_WORDS) for _ in range(count)]


def pair(texts: StringTensor) -> tuple[Tensor, Tensor]:
    return texts.data, texts.offsets


def strings(texts: Sequence[str]) -> StringTensor:
    return StringTensor.from_list(list(texts))


ASCII_WORDS = words_of(["etaoinsrhldcum7"], 1)
WORLD_WORDS = words_of(["аеионтср", "日本語文字東京", "するのカタナ", "éeünçao", "🙂🚀🎉"], 2)
ASCII = strings(text_of(ASCII_WORDS, " "))
WORLD = strings(text_of(WORLD_WORDS, "    \u3000\u2003\u00a0"))
LOG = strings(["".join(text_of(ASCII_WORDS, [" ", " ", " ", " ", ": ", "\t", "\n"]))])
FIELDS, TWO_BYTES = strings(fields_of(",")), strings(fields_of("::"))
OTHERS = FIELDS.split_ragged(",")[0]
WORDS, OTHERS = strings(drawn()), torch.cat([OTHERS, OTHERS])[:8192]
HALF = torch.where(torch.arange(8192) % 2 == 0, WORDS, OTHERS)
COLUMN, ROW = WORDS[:50].reshape(50, 1), OTHERS[:200]
RANDOM = Random(7)
PRICES = strings([f"{RANDOM.below(10000)}.{RANDOM.below(90) + 10}" for _ in range(1000)])
TIMES = torch.tensor([RANDOM.below(2**32) for _ in range(1000)])
DOCUMENTS = strings([f'{{"id": {i * 977}, "words": ["{word}", "b", "{word}"]}}' for i, word in enumerate(drawn(2048))])
WORD = r"\w+|[^\w\s]"
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
TENS = torch.arange(0, 8201, 10).clamp(max=8192)  # row splits of ten elements
LENGTHS = torch.tensor([RANDOM.below(21) for _ in range(800)])
SPLITS = torch.cat([torch.zeros(1, dtype=torch.int64), LENGTHS.cumsum(0)])
IDS = torch.tensor([[RANDOM.below(80) % 72 - 8 for _ in range(32)] for _ in range(256)])
POSITIONS = torch.tensor([RANDOM.below(8192) for _ in range(8192)])
TABLE = torch_stringops.vocab_build(ASCII_WORDS)


def with_gaps() -> StringTensor:
    """Pairs of words, and a word that does not belong to the tensor after each."""
    pairs = WORDS[:8190].reshape(-1, 3)[:, :2]
    return StringTensor(pairs.data, pairs.offsets.contiguous())


def subwords(steps: str) -> Tensor:
    """A table of the bytes, and of each beginning of some words."""
    tokens = {bytes([byte]): byte for byte in range(256)}
    merges = []
    for word in drawn(512):
        text = f" {word}".encode()
        for n in range(2, len(text) + 1):
            parts = text[: n - 1], text[n - 1 : n], text[:n]
            merges.append([tokens.setdefault(part, len(tokens)) for part in parts])
    pieces = StringTensor.from_list(list(tokens))
    numbers = torch.tensor(merges)
    return torch.ops.stringops.subword_build(pieces.data, pieces.offsets, numbers, f"subword 1\nmodel bpe\n{steps}\n")


def patterns(count: int) -> list[str]:
    """A few begin in few ways, many in many, which are found in different ways."""
    found = []
    for i in range(count):
        rest, text = (i + 1) * 7919, ""
        while rest:
            rest, letter = divmod(rest, 26)
            text += chr(ord("a") + letter)
        found.append(text)
    return found


LLAMA3_TABLE = subwords("split llama3")
NFKC_TABLE = subwords("normalize nfkc\nsplit gpt2")
LOG_TIME = "%d/%b/%Y:%H:%M:%S %z"
WRITTEN, LOGGED = (torch_stringops.string_from_datetime(TIMES, format, "s") for format in ("iso8601", LOG_TIME))
PAIRS, GAPS = WORDS.reshape(-1, 2), with_gaps()
OPS = torch.ops.stringops

CASES: dict[str, Callable[[], Any]] = {
    "_string_cat": lambda: OPS._string_cat([*pair(WORDS), *pair(OTHERS)] * 5, [81920]),
    "_string_gather": lambda: WORDS[POSITIONS],
    "_string_masked_select/few": lambda: WORDS[torch.arange(8192) % 3 == 0],
    "_string_masked_select/most": lambda: WORDS[torch.arange(8192) % 20 != 0],
    "_string_where": lambda: OPS._string_where(torch.arange(8192) % 3 == 0, *pair(WORDS), *pair(OTHERS)),
    "_strings_to_dense": lambda: torch_stringops.ragged_to_dense(WORDS, TENS, 16, "<pad>"),
    "_json_spans": lambda: DOCUMENTS.json_extract("$.words[2]"),
    "dense_to_ragged": lambda: torch_stringops.dense_to_ragged(torch.full((800, 20), 7), LENGTHS),
    "ragged_count": lambda: torch_stringops.ragged_count(POSITIONS % 30, TENS, 30),
    "ragged_to_dense": lambda: torch_stringops.ragged_to_dense(torch.arange(int(SPLITS[-1])), SPLITS, 16),
    "regex_find_all_ragged/general": lambda: ASCII.regex_find_all_ragged(WORD),
    "regex_find_all_ragged/gpt2": lambda: ASCII.regex_find_all_ragged(GPT2),
    "regex_find_all_ragged/joined": lambda: ASCII.regex_find_all_ragged("[a-z]+(?:['-][a-z]+)*"),
    "regex_find_all_ragged/llama3": lambda: ASCII.regex_find_all_ragged(LLAMA3),
    "regex_find_all_ragged/set": lambda: ASCII.regex_find_all_ragged(r"\w+"),
    "regex_find_all_ragged/texts": lambda: ASCII.regex_find_all_ragged("the|and|of"),
    "regex_replace/set": lambda: ASCII.regex_replace(r"\s+", "_"),
    "split_strings": lambda: OPS.split_strings(*pair(WORDS.reshape(-1, 8)), [2, 2, 2, 2], 1),
    "split_encode/comma": lambda: torch_stringops.split_encode(FIELDS, TABLE, ","),
    "split_encode/comma_skip_empty": lambda: torch_stringops.split_encode(FIELDS, TABLE, ",", skip_empty=True),
    "split_encode/whitespace": lambda: torch_stringops.split_encode(ASCII, TABLE),
    "string_argsort": lambda: WORDS.argsort(),
    "string_base64": lambda: ASCII.base64(),
    "string_char_ngrams_ragged": lambda: WORDS.char_ngrams_ragged(3, 6, marks=True),
    "string_codepoints/ascii": lambda: ASCII.codepoints(),
    "string_codepoints/utf8": lambda: WORLD.codepoints(),
    "string_concat": lambda: torch_stringops.string_concat(WORDS, "-ed", WORDS),
    "string_contains/ascii": lambda: ASCII.contains("th"),
    "string_contains_any/few": lambda: ASCII.contains_any(patterns(10)),
    "string_contains_any/many": lambda: ASCII.contains_any(patterns(1000)),
    "string_count/ascii": lambda: ASCII.count("e"),
    "string_crc32": lambda: WORDS.crc32(),
    "string_damerau/all_pairs": lambda: COLUMN.damerau(ROW),
    "string_edit_distance/all_pairs": lambda: COLUMN.edit_distance(ROW),
    "string_edit_distance/utf8": lambda: WORLD[:100].edit_distance(WORLD[100:200]),
    "string_edit_distance/words": lambda: WORDS[:400].edit_distance(OTHERS[:400]),
    "string_equal": lambda: WORDS == HALF,
    "string_equal/gaps": lambda: GAPS == "the",
    "string_find/ascii": lambda: ASCII.find("th"),
    "string_find/utf8": lambda: WORLD.find("th"),
    "string_from_datetime": lambda: torch_stringops.string_from_datetime(TIMES, unit="s"),
    "string_hash": lambda: WORDS.hash(7),
    "string_hash/gaps": lambda: GAPS.hash(7),
    "string_hex": lambda: ASCII.hex(),
    "string_is_alpha/ascii": lambda: WORDS.is_alpha(),
    "string_is_lower/utf8": lambda: WORLD.is_lower(),
    "string_is_utf8/utf8": lambda: WORLD.is_utf8(),
    "string_jaccard": lambda: WORDS[:4096].jaccard(OTHERS[:4096], 3),
    "string_jaro_winkler/all_pairs": lambda: COLUMN.jaro_winkler(ROW),
    "string_join_ragged": lambda: torch_stringops.string_join_ragged(WORDS, TENS, " "),
    "string_length/ascii": lambda: ASCII.length(),
    "string_length/gaps": lambda: GAPS.length(),
    "string_length/utf8": lambda: WORLD.length(),
    "string_less": lambda: WORDS < OTHERS,
    "string_lower/ascii": lambda: ASCII.lower(),
    "string_lower/gaps": lambda: GAPS.lower(),
    "string_lower/pairs": lambda: PAIRS.lower(),
    "string_lower/utf8": lambda: WORLD.lower(),
    "string_minhash": lambda: WORDS[:256].minhash(64, 3),
    "string_minhash/text": lambda: ASCII.minhash(64, 5, method="bins"),
    "string_ngrams_ragged": lambda: torch_stringops.string_ngrams_ragged(WORDS, TENS, 2),
    "string_normalize/ascii": lambda: ASCII.normalize("NFC"),
    "string_normalize/nfc": lambda: WORLD.normalize("NFC"),
    "string_normalize/nfkd": lambda: WORLD.normalize("NFKD"),
    "string_ratio/all_pairs": lambda: COLUMN.ratio(ROW),
    "string_repair/utf8": lambda: WORLD.repair(),
    "string_replace/ascii": lambda: ASCII.replace("e", "and"),
    "string_replace/utf8_limited": lambda: WORLD.replace(" ", "_", 2),
    "string_reverse/ascii": lambda: ASCII.reverse(),
    "string_reverse/utf8": lambda: WORLD.reverse(),
    "string_rjust": lambda: WORDS.rjust(12),
    "string_siphash": lambda: WORDS.siphash([1, 2]),
    "string_slice/ascii": lambda: ASCII.slice(2, -2),
    "string_slice/utf8": lambda: WORLD.slice(2, -2),
    "string_split/whitespace": lambda: ASCII.split(),
    "string_split_ragged/comma": lambda: FIELDS.split_ragged(","),
    "string_split_ragged/comma_skip_empty": lambda: FIELDS.split_ragged(",", skip_empty=True),
    "string_split_ragged/gaps": lambda: GAPS.split_ragged("e"),
    "string_split_ragged/two_bytes": lambda: TWO_BYTES.split_ragged("::"),
    "string_split_ragged/two_bytes_skip_empty": lambda: TWO_BYTES.split_ragged("::", skip_empty=True),
    "string_split_ragged/whitespace": lambda: ASCII.split_ragged(),
    "string_split_ragged/whitespace_one_string": lambda: LOG.split_ragged(),
    "string_split_ragged/whitespace_utf8": lambda: WORLD.split_ragged(),
    "string_startswith/ascii": lambda: ASCII.startswith("th"),
    "string_strip": lambda: WORDS.strip(),
    "string_strip/gaps": lambda: GAPS.strip(),
    "string_tensor_pack": lambda: torch_stringops.string_tensor_pack(
        WORDS.offsets[:-1][POSITIONS], WORDS.offsets[1:][POSITIONS], WORDS.data
    ),
    "string_tensor_unpack": lambda: torch_stringops.string_tensor_unpack(WORDS),
    "string_title/ascii": lambda: ASCII.title(),
    "string_title/utf8": lambda: WORLD.title(),
    "string_to_datetime/iso8601": lambda: WRITTEN.to_datetime(unit="s"),
    "string_to_datetime/log": lambda: LOGGED.to_datetime(LOG_TIME, unit="s"),
    "string_to_number": lambda: PRICES.to_number(torch.float32),
    "string_unique": lambda: WORDS.unique(sorted=False),
    "_string_unique_sorted": lambda: WORDS.unique(),
    "string_upper/utf8": lambda: WORLD.upper(),
    "string_url_quote": lambda: WORLD.url_quote(),
    "string_width/ascii": lambda: ASCII.width(),
    "string_width/utf8": lambda: WORLD.width(),
    "subword_encode/deepseek": lambda: OPS.subword_encode(*pair(ASCII), subwords("split deepseek")),
    "subword_encode/gpt2": lambda: OPS.subword_encode(*pair(ASCII), subwords("split gpt2")),
    "subword_encode/llama3": lambda: OPS.subword_encode(*pair(ASCII), LLAMA3_TABLE),
    "subword_encode/llama3_world": lambda: OPS.subword_encode(*pair(WORLD), LLAMA3_TABLE),
    "subword_encode/nfkc": lambda: OPS.subword_encode(*pair(ASCII), NFKC_TABLE),
    "subword_encode/nfkc_world": lambda: OPS.subword_encode(*pair(WORLD), NFKC_TABLE),
    "subword_encode/o200k": lambda: OPS.subword_encode(*pair(ASCII), subwords("split o200k")),
    "subword_encode_spans": lambda: OPS.subword_encode_spans(*pair(ASCII), LLAMA3_TABLE),
    "tfidf_vectorizer": lambda: torch_stringops.tfidf_vectorizer(
        IDS, max_gram_length=2, max_skip_count=1, min_gram_length=1, mode="TF", ngram_counts=[0, 64],
        ngram_indexes=[i * 5 % 128 for i in range(128)],
        pool_int64s=[*range(64), *(id for i in range(64) for id in (i, i * 7 % 64))],
    ),
    "tokenize_encode/general": lambda: torch_stringops.tokenize_encode(ASCII, TABLE, tokenexp=WORD),
    "tokenize_encode/set": lambda: torch_stringops.tokenize_encode(ASCII, TABLE, tokenexp="[a-zA-Z0-9_]+"),
    "tokenizer_ragged/characters": lambda: torch_stringops.tokenizer_ragged(WORLD, tokenexp="."),
    "tokenizer_ragged/general": lambda: torch_stringops.tokenizer_ragged(ASCII, tokenexp=WORD),
    "tokenizer_ragged/set": lambda: torch_stringops.tokenizer_ragged(ASCII, tokenexp="[a-zA-Z0-9_]+"),
    "vocab_build": lambda: torch_stringops.vocab_build(ASCII_WORDS),
    "vocab_encode": lambda: torch_stringops.vocab_encode(WORDS, TABLE),
}  # fmt: skip


class Recorded(TorchDispatchMode):
    """The calls of our operators, as lines of text (tests/fuzz/write_samples.py)."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, str] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func._schema.name.removeprefix("stringops::")
        if name != func._schema.name:
            self.lines[name] = line_of(func, args, kwargs or {}, {}, "0")
        return func(*args, **(kwargs or {}))


def line_of_case(name: str) -> str:
    """The call of the operator that the name begins with."""
    with Recorded() as recorded:
        CASES[name]()
    return recorded.lines[re.split("[./]", name)[0]]
