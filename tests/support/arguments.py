"""Every public function, class, method and operator with the arguments of a call that works, for tests that replace
one of them."""

import inspect
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch
from torch import tensor
from torch.nn import Module
from torch.utils import data as utils

import torch_stringops as so
from support.registry import OVERLOADS, suites
from support.subword_small import tokenizer
from support.subword_tables import TABLES
from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary, VocabularyBuilder, data, nn, pretrain

FILE = Path(__file__)
HERE = FILE.parent
TOKEN_FOLDER = tempfile.TemporaryDirectory()
TOKENS = StringTensor.from_list(["to", "be", "or", "not"])
MATRIX = StringTensor.from_list([["to", "be"], ["or", "not"]])
LISTS = StringTensor.from_list(["[1]", "[]"])
DATES = StringTensor.from_list(["2024-02-29", "1970-01-01"])
DIGITS = StringTensor.from_list(["1", "2"])
pretrain.write_tokens(TOKENS, tokenizer(), TOKEN_FOLDER.name, eos_id=0, progress=False)


def token_dataset() -> pretrain.TokenDataset:
    return pretrain.TokenDataset(TOKEN_FOLDER.name)


def by_name(*groups: tuple[str, Any]) -> dict[str, Any]:
    """A table from groups of names, separated by spaces, with their value."""
    return {name: value for names, value in groups for name in names.split()}


# Values of arguments without a default, by name.
VALID = by_name(
    ("input tokens column texts text_pair columns test_elements strings pieces", TOKENS),
    ("self other", MATRIX),
    ("data", TOKENS.data),
    ("offsets", TOKENS.offsets),
    ("boundaries", TOKENS.sort().values),
    ("array", TOKENS.numpy()),
    ("table", so.vocab_build(TOKENS)),
    ("tensors", [TOKENS, TOKENS]),
    ("values lengths", torch.arange(4)),
    ("row_splits", tensor([0, 2, 4])),
    ("dense", torch.arange(4).reshape(2, 2)),
    ("begins ids", tensor([0, 1])),
    ("ends", tensor([1, 2])),
    ("symbols", tensor([97, 98], dtype=torch.uint8)),
    ("mask condition", tensor([True, False])),
    ("index indices", tensor([[0, 1]])),
    ("numbers", torch.empty(0, 3, dtype=torch.int64)),
    ("rows", [(torch.arange(4), tensor([0, 2, 4]))]),
    ("dim dim0 source name_or_path start max_skip_count", 0),
    ("dim1 shifts mask_id destination length min max_length min_gram_length id epoch", 1),
    ("indices_or_sections chunks counts n max num_hashes ngram max_gram_length k batch_size", 2),
    ("num_ids num_bins", 3), ("width", 5), ("num_buckets", 7), ("dims", [1, 0]), ("sizes shape", [2, 2]),
    ("repeats", [1, 2]), ("split_sizes pad", [1, 1]), ("ngram_counts", [0]), ("ngram_indexes", [0, 1]), ("size", [2]),
    ("sentinel_ids", [1]), ("sources", [([1, 2], 1)]), ("text key token value fill_value src", "to"),
    ("sub sep delimiter old", "o"), ("new replacements rewrite", "0"), ("batch vocabulary", ["to", "be"]),
    ("template", "{}"), ("prefix", "t"), ("suffix", "e"), ("form", "NFC"), ("pattern", "(o)"),
    ("patterns", ["o", "be"]), ("mode", "TFIDF"), ("spec", "subword 1\nmodel bpe"),
    ("path", HERE / "no_such_folder" / "words.txt"),
    ("paths", FILE),
    ("folder", TOKEN_FOLDER.name),
    ("tier", so.simd_tier()),
    ("dataset", token_dataset()),
    ("tokenizer", tokenizer()),
    ("ranks", {bytes([byte]): byte for byte in range(256)}),
    ("state", data.StreamingDataset(FILE, batch_size=2).state_dict()),
    ("function", StringTensor.lower),
)  # fmt: skip
COMPARED = "damerau ratio jaro_winkler jaccard cdist less less_equal greater greater_equal minimum maximum equal"
# Other values, by function and argument.
VALID_FOR = by_name(
    (" ".join(f"string_{name}:other" for name in ("edit_distance", *COMPARED.split())), TOKENS),
    ("subword_encode_pairs:other string_ngrams_ragged:input Vocabulary.from_strings:input", TOKENS),
    ("broadcast_tensors:tensors string_searchsorted:values write_tokens:source", TOKENS),
    ("StringLookup.adapt:data TextVectorization.adapt:data", TOKENS),
    ("string_translate:table StringTensor.translate:table", {"o": None}),
    ("StringColumn.count:function StringColumn.filter:function", lambda s: s.contains("o")),
    ("write_tokens:eos_id StringTensor.select:index", 0),
    ("TokenDataset.__getitem__:index", 1),
    ("TokenDataset.__getitems__:indices", [0, 1]),
    ("write_tokens:progress", False),
    ("Pack.load_state_dict:state", pretrain.Pack(token_dataset(), 2, 1).state_dict()),
    ("Mix.load_state_dict:state", pretrain.Mix([([1, 2], 1)]).state_dict()),
    ("StringTensor.searchsorted:values where:input", MATRIX),
    ("string_to_number:input", DIGITS),
    ("string_unhex:input", StringTensor.from_list(["6162"])),
    ("string_unbase64:input", StringTensor.from_list(["YWJj"])),
    ("string_from_bytes:data", tensor([97, 98, 99, 100], dtype=torch.uint8)),
    ("string_from_number:input string_from_datetime:input datetime_fields:input", torch.arange(4)),
    ("ragged_count:ids split_to_sequence:input", torch.arange(4)),
    ("json_extract:input json_fields:input", LISTS),
    ("json_extract:path StringTensor.json_extract:path", "$[0]"),
    ("json_fields:fields StringTensor.json_fields:fields", {"a": "$[0]"}),
    ("string_to_datetime:input", DATES),
    ("tokenize_encode:tokenexp Vocabulary.tokenize_encode:tokenexp", "[a-z]+"),
    ("tokenizer:tokenexp tokenizer_ragged:tokenexp", "[a-z]+"),
    ("tfidf_vectorizer:pool_strings", TOKENS[:2]),
    ("string_siphash:key StringTensor.siphash:key", (1, 2)),
    ("string_searchsorted:input", TOKENS.sort().values),
    ("split:num_outputs StringTensor.repeat_interleave:repeats", 2),
    ("StringTensor.index_select:index", tensor([0, 1])),
    ("StringTensor.unflatten:sizes", [1, 2]),
    ("StringTensor.cuda:device", "cpu"),
    ("StringTensor.from_list:values as_strings:values", ["to", "be"]),
    ("as_ragged:values", pa.array([["to", "be"], []])),
    ("StringTensor:offsets", TOKENS.offsets),
    ("ColumnDataset.from_table:table", {"text": ["to", "be"]}),
    ("Vocabulary.from_file:pad_token Vocabulary.from_file:unknown_token", None),
    (" ".join(f"{name}.set_extra_state:state" for name in ("SubwordTokenizer", "TfidfVectorizer", "Vocabulary")), None),
    ("Vocabulary.from_file:path", HERE.parent / "golden" / "split.jsonl"),
    ("subword_encode:table subword_encode_spans:table subword_encode_pairs:table", TABLES["gpt2"]),
    ("subword_decode:table", TABLES["gpt2"]),
    ("subword_decode:row_splits", tensor([0, 1, 2])),
    ("SubwordTokenizer.from_file:source SubwordTokenizer.from_wordpiece:source", HERE / "no_such_file.json"),
    ("SubwordTokenizer.from_sentencepiece:source", HERE / "no_such_file.json"),
    ("SubwordTokenizer.from_pretrained:name_or_path", HERE / "no_such_folder"),
)

# The public classes, each with an object and the class of torch whose methods it inherits.
CLASSES: dict[type, tuple[Any, type]] = {
    StringTensor: (MATRIX, object), Vocabulary: (Vocabulary(TOKENS), Module),
    VocabularyBuilder: (VocabularyBuilder(), object), SubwordTokenizer: (tokenizer(), Module),
    so.DecodeStream: (so.DecodeStream(tokenizer()), object),
    nn.CountVectorizer: (nn.CountVectorizer().fit(TOKENS), Module),
    nn.HashingVectorizer: (nn.HashingVectorizer(), Module),
    nn.TfidfVectorizer: (nn.TfidfVectorizer().fit(TOKENS), Module),
    nn.Hashing: (nn.Hashing(3), Module), nn.Normalize: (nn.Normalize(), Module),
    nn.StringLookup: (nn.StringLookup(vocabulary=["to", "be"]), Module),
    nn.TextVectorization: (nn.TextVectorization(vocabulary=["to", "be"]), Module),
    data.CollateText: (data.CollateText(tokenizer()), object),
    data.StringColumn: (data.StringColumn([TOKENS]), object),
    data.ColumnDataset: (data.ColumnDataset(TOKENS), utils.Dataset),
    pretrain.TokenDataset: (token_dataset(), utils.Dataset),
    pretrain.Pack: (pretrain.Pack(token_dataset(), 2, 1), utils.IterableDataset),
    pretrain.Mix: (pretrain.Mix([([1, 2], 1)]), utils.IterableDataset),
    data.StreamingDataset: (data.StreamingDataset(FILE, batch_size=2), utils.IterableDataset),
    data.StreamOptions: (data.StreamOptions(), object),
}  # fmt: skip

# Receivers of methods that a matrix does not have.
RECEIVERS = {
    "StringTensor.item": TOKENS[0], "StringTensor.normalizer": TOKENS, "StringTensor.__arrow_c_array__": TOKENS,
    "StringLookup.adapt": nn.StringLookup(), "TextVectorization.adapt": nn.TextVectorization(),
    "StringTensor.to_number": DIGITS, "StringTensor.json_extract": LISTS, "StringTensor.json_fields": LISTS,
    "StringTensor.to_datetime": DATES, "StringTensor.unhex": StringTensor.from_list(["6162"]),
    "StringTensor.unbase64": StringTensor.from_list(["YWJj"]), "StringTensor.searchsorted": MATRIX.sort().values,
}  # fmt: skip
# These fail with any arguments: there is no assignment, no device, no folder and no file.
NEVER = by_name(
    ("load read_arrow read_csv read_jsonl read_parquet save StringTensor.__setitem__ StringTensor.pin_memory", 0),
    ("Vocabulary.save VocabularyBuilder.load VocabularyBuilder.merge VocabularyBuilder.save", 0),
    ("SubwordTokenizer.from_file SubwordTokenizer.from_pretrained SubwordTokenizer.from_sentencepiece", 0),
    ("SubwordTokenizer.from_tiktoken SubwordTokenizer.from_wordpiece SubwordTokenizer.load SubwordTokenizer.save", 0),
).keys()
# Special methods whose arguments come from users; the others get objects made by Python or torch.
SPECIAL = by_name(("array arrow_c_array contains eq ne getitem getitems setitem", 0)).keys()


@dataclass
class Subject:
    """A callable, the arguments of a call that works, and the arguments to try, by index or name."""

    name: str
    function: Callable[..., Any]
    args: list[Any]
    kwargs: dict[str, Any]
    tried: dict[int | str, str]  # each with the name of its parameter

    @property
    def errors_name(self) -> str:
        """The name at the beginning of errors: of objects that are made or called, that of the class."""
        name = self.name.removeprefix("stringops::").removesuffix(".__init__").removesuffix(".forward")
        return name.partition(".")[0] if self.name.startswith("stringops::") else name


def subject(name: str, function: Callable[..., Any], *receiver: Any) -> Subject:
    made = Subject(name, function, [*receiver], {}, {})
    parameters = list(inspect.signature(function).parameters.values())
    for parameter in parameters[len(receiver) :]:
        value = parameter.default
        if parameter.kind is parameter.VAR_KEYWORD or parameter.name == "args":
            continue
        if f"{name}:{parameter.name}" in VALID_FOR:
            value = VALID_FOR[f"{name}:{parameter.name}"]
        elif value is parameter.empty:
            assert parameter.name in VALID, f"{name}: give VALID a value for {parameter.name}"
            value = VALID[parameter.name]
        if parameter.kind is parameter.KEYWORD_ONLY:
            made.kwargs[parameter.name] = value
            made.tried[parameter.name] = parameter.name
        else:
            made.args.append(value)
            made.tried[len(made.args) - 1] = parameter.name
    return made


def methods(kind: type, receiver: Any, inherited: type) -> Iterator[Subject]:
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        if getattr(inherited, name, None) is getattr(kind, name, None) or (
            name.startswith("_") and name.strip("_") not in SPECIAL
        ):
            continue
        if isinstance(found, (staticmethod, classmethod)):
            yield subject(f"{kind.__name__}.{name}", getattr(kind, name))
        elif inspect.isfunction(found):
            full = f"{kind.__name__}.{name}"
            yield subject(full, found, RECEIVERS.get(full, receiver))


def subjects() -> Iterator[Subject]:
    for name in so.__all__:
        function = getattr(so, name)
        if inspect.isfunction(function) and name != "export":  # its arguments are those of torch.export
            yield subject(name, function)
    for name, function in vars(data).items():
        if inspect.isfunction(function):
            yield subject(name, function)
    for kind, (receiver, inherited) in CLASSES.items():
        if kind is not SubwordTokenizer:  # built by from_file and others
            yield subject(kind.__name__, kind)
        yield from methods(kind, receiver, inherited)
    for overload in OVERLOADS:
        op, _, name = overload.partition(".")
        suite = next(c.suite for c in suites(op) if c.suite.overload_name == (name or "default"))
        args, kwargs = suite.tensors(suite.samples[0])
        arguments = suite.overload._schema.arguments
        tried: dict[int | str, str] = {i: arguments[i].name for i in range(len(args))}
        tried |= {a.name: a.name for a in arguments if a.kwarg_only}
        yield Subject(f"stringops::{overload}", suite.overload, list(args), dict(kwargs), tried)


SUBJECTS = {s.name: s for s in subjects()}
