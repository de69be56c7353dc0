"""String tensors for PyTorch: text in, tensors out, in eager mode, compiled and exported.

    StringTensor      strings of any shape, stored as two tensors, with the methods of a tensor
    as_strings        lists, NumPy arrays and columns of tables as a StringTensor; as_ragged for columns of lists
    Vocabulary        strings to ids and back, as a module; VocabularyBuilder builds one from parts
    SubwordTokenizer  text to the ids of a language model and back, as a module; DecodeStream for ids one by one
    nn                modules that learn from text: TextVectorization, StringLookup, CountVectorizer, ...
    data              columns, files larger than memory, datasets and collate functions for DataLoader
    pretrain          quality and duplicates of text, tokens in files, and packed batches of them
    export            a model that takes strings as a program for batches of every size

nn, data, pretrain and SubwordTokenizer are loaded when they are used first; torch_stringops.distributed, .onnx, .ray
and .transformers have to be imported. Most functions that take strings are methods of StringTensor, too: `s.lower()` is
`string_lower(s)`. `python -m torch_stringops` prints versions, CPU tiers and the build, for reports of bugs.
"""

# isort: off
from torch_stringops import _native as _native  # must be imported first, see there

# isort: on
import typing as _typing
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType

from torch_stringops import _core as _core
from torch_stringops import _torch_function as _torch_function
from torch_stringops._arguments import as_strings as as_strings
from torch_stringops._contents import by_family as _by_family
from torch_stringops._export import export as export
from torch_stringops._names import reject_scripts as _reject_scripts
from torch_stringops._native import library_path as library_path
from torch_stringops._native import set_simd_tier as set_simd_tier
from torch_stringops._native import simd_tier as simd_tier
from torch_stringops._native import simd_tiers as simd_tiers
from torch_stringops._native import unicode_version as unicode_version
from torch_stringops._ragged_arguments import as_ragged as as_ragged
from torch_stringops._types import StringsLike as StringsLike
from torch_stringops._version import __version__ as __version__
from torch_stringops.functions.build import string_center as string_center
from torch_stringops.functions.build import string_concat as string_concat
from torch_stringops.functions.build import string_format as string_format
from torch_stringops.functions.build import string_ljust as string_ljust
from torch_stringops.functions.build import string_repeat as string_repeat
from torch_stringops.functions.build import string_replace_slice as string_replace_slice
from torch_stringops.functions.build import string_rjust as string_rjust
from torch_stringops.functions.build import string_slice as string_slice
from torch_stringops.functions.build import string_zfill as string_zfill
from torch_stringops.functions.case import string_capitalize as string_capitalize
from torch_stringops.functions.case import string_casefold as string_casefold
from torch_stringops.functions.case import string_lower as string_lower
from torch_stringops.functions.case import string_normalizer as string_normalizer
from torch_stringops.functions.case import string_swapcase as string_swapcase
from torch_stringops.functions.case import string_title as string_title
from torch_stringops.functions.case import string_upper as string_upper
from torch_stringops.functions.classes import string_is_alnum as string_is_alnum
from torch_stringops.functions.classes import string_is_alpha as string_is_alpha
from torch_stringops.functions.classes import string_is_ascii as string_is_ascii
from torch_stringops.functions.classes import string_is_digit as string_is_digit
from torch_stringops.functions.classes import string_is_lower as string_is_lower
from torch_stringops.functions.classes import string_is_space as string_is_space
from torch_stringops.functions.classes import string_is_upper as string_is_upper
from torch_stringops.functions.compare import string_cdist as string_cdist
from torch_stringops.functions.compare import string_damerau as string_damerau
from torch_stringops.functions.compare import string_edit_distance as string_edit_distance
from torch_stringops.functions.compare import string_equal as string_equal
from torch_stringops.functions.compare import string_greater as string_greater
from torch_stringops.functions.compare import string_greater_equal as string_greater_equal
from torch_stringops.functions.compare import string_isin as string_isin
from torch_stringops.functions.compare import string_jaccard as string_jaccard
from torch_stringops.functions.compare import string_jaro_winkler as string_jaro_winkler
from torch_stringops.functions.compare import string_less as string_less
from torch_stringops.functions.compare import string_less_equal as string_less_equal
from torch_stringops.functions.compare import string_ratio as string_ratio
from torch_stringops.functions.datetime import datetime_fields as datetime_fields
from torch_stringops.functions.datetime import string_from_datetime as string_from_datetime
from torch_stringops.functions.datetime import string_to_datetime as string_to_datetime
from torch_stringops.functions.distinct import string_unique_consecutive as string_unique_consecutive
from torch_stringops.functions.distinct import string_value_counts as string_value_counts
from torch_stringops.functions.edit import string_reverse as string_reverse
from torch_stringops.functions.encoding import string_bytes as string_bytes
from torch_stringops.functions.encoding import string_codepoints as string_codepoints
from torch_stringops.functions.encoding import string_from_bytes as string_from_bytes
from torch_stringops.functions.encoding import string_from_codepoints as string_from_codepoints
from torch_stringops.functions.encoding import string_is_utf8 as string_is_utf8
from torch_stringops.functions.encoding import string_repair as string_repair
from torch_stringops.functions.escape import escape_regex as escape_regex
from torch_stringops.functions.escape import string_base64 as string_base64
from torch_stringops.functions.escape import string_unbase64 as string_unbase64
from torch_stringops.functions.escape import string_url_quote as string_url_quote
from torch_stringops.functions.escape import string_url_unquote as string_url_unquote
from torch_stringops.functions.hash import string_crc32 as string_crc32
from torch_stringops.functions.hash import string_hash as string_hash
from torch_stringops.functions.hash import string_hash_bucket as string_hash_bucket
from torch_stringops.functions.hash import string_minhash as string_minhash
from torch_stringops.functions.hash import string_murmur3 as string_murmur3
from torch_stringops.functions.hash import string_siphash as string_siphash
from torch_stringops.functions.join import string_join as string_join
from torch_stringops.functions.join import string_join_ragged as string_join_ragged
from torch_stringops.functions.joining import broadcast_tensors as broadcast_tensors
from torch_stringops.functions.joining import cat as cat
from torch_stringops.functions.joining import stack as stack
from torch_stringops.functions.joining import where as where
from torch_stringops.functions.json import json_extract as json_extract
from torch_stringops.functions.json import json_fields as json_fields
from torch_stringops.functions.length import string_length as string_length
from torch_stringops.functions.length import string_width as string_width
from torch_stringops.functions.ngram import string_char_ngrams_ragged as string_char_ngrams_ragged
from torch_stringops.functions.ngram import string_ngrams_ragged as string_ngrams_ragged
from torch_stringops.functions.normalize import string_normalize as string_normalize
from torch_stringops.functions.normalize import string_strip_accents as string_strip_accents
from torch_stringops.functions.number import string_from_number as string_from_number
from torch_stringops.functions.number import string_hex as string_hex
from torch_stringops.functions.number import string_to_number as string_to_number
from torch_stringops.functions.number import string_unhex as string_unhex
from torch_stringops.functions.pack import string_tensor_pack as string_tensor_pack
from torch_stringops.functions.pack import string_tensor_unpack as string_tensor_unpack
from torch_stringops.functions.ragged import dense_to_ragged as dense_to_ragged
from torch_stringops.functions.ragged import ragged_lengths as ragged_lengths
from torch_stringops.functions.ragged import ragged_mask as ragged_mask
from torch_stringops.functions.ragged import ragged_to_dense as ragged_to_dense
from torch_stringops.functions.ragged_rows import ragged_add_special as ragged_add_special
from torch_stringops.functions.ragged_rows import ragged_concat as ragged_concat
from torch_stringops.functions.ragged_rows import ragged_count as ragged_count
from torch_stringops.functions.ragged_rows import ragged_ngrams as ragged_ngrams
from torch_stringops.functions.ragged_rows import ragged_truncate as ragged_truncate
from torch_stringops.functions.ragged_rows import ragged_unique as ragged_unique
from torch_stringops.functions.regex import regex_contains as regex_contains
from torch_stringops.functions.regex import regex_count as regex_count
from torch_stringops.functions.regex import regex_extract as regex_extract
from torch_stringops.functions.regex import regex_extract_groups as regex_extract_groups
from torch_stringops.functions.regex import regex_find as regex_find
from torch_stringops.functions.regex import regex_find_all_ragged as regex_find_all_ragged
from torch_stringops.functions.regex import regex_find_all_spans_ragged as regex_find_all_spans_ragged
from torch_stringops.functions.regex import regex_full_match as regex_full_match
from torch_stringops.functions.regex import regex_replace as regex_replace
from torch_stringops.functions.regex import regex_split_ragged as regex_split_ragged
from torch_stringops.functions.regex import regex_split_spans_ragged as regex_split_spans_ragged
from torch_stringops.functions.search import string_contains as string_contains
from torch_stringops.functions.search import string_count as string_count
from torch_stringops.functions.search import string_endswith as string_endswith
from torch_stringops.functions.search import string_find as string_find
from torch_stringops.functions.search import string_replace as string_replace
from torch_stringops.functions.search import string_rfind as string_rfind
from torch_stringops.functions.search import string_startswith as string_startswith
from torch_stringops.functions.search_many import regex_contains_any as regex_contains_any
from torch_stringops.functions.search_many import string_contains_any as string_contains_any
from torch_stringops.functions.search_many import string_extract_many as string_extract_many
from torch_stringops.functions.search_many import string_replace_many as string_replace_many
from torch_stringops.functions.search_many import string_translate as string_translate
from torch_stringops.functions.segments import string_script as string_script
from torch_stringops.functions.segments import string_segments_ragged as string_segments_ragged
from torch_stringops.functions.sort import string_argmax as string_argmax
from torch_stringops.functions.sort import string_argmin as string_argmin
from torch_stringops.functions.sort import string_argsort as string_argsort
from torch_stringops.functions.sort import string_bucketize as string_bucketize
from torch_stringops.functions.sort import string_max as string_max
from torch_stringops.functions.sort import string_maximum as string_maximum
from torch_stringops.functions.sort import string_min as string_min
from torch_stringops.functions.sort import string_minimum as string_minimum
from torch_stringops.functions.sort import string_searchsorted as string_searchsorted
from torch_stringops.functions.sort import string_sort as string_sort
from torch_stringops.functions.sort import string_topk as string_topk
from torch_stringops.functions.split import split_encode as split_encode
from torch_stringops.functions.split import string_partition as string_partition
from torch_stringops.functions.split import string_rpartition as string_rpartition
from torch_stringops.functions.split import string_rsplit_ragged as string_rsplit_ragged
from torch_stringops.functions.split import string_split as string_split
from torch_stringops.functions.split import string_split_exact as string_split_exact
from torch_stringops.functions.split import string_split_ragged as string_split_ragged
from torch_stringops.functions.split import string_splitlines_ragged as string_splitlines_ragged
from torch_stringops.functions.strip import string_lstrip as string_lstrip
from torch_stringops.functions.strip import string_remove_prefix as string_remove_prefix
from torch_stringops.functions.strip import string_remove_suffix as string_remove_suffix
from torch_stringops.functions.strip import string_rstrip as string_rstrip
from torch_stringops.functions.strip import string_strip as string_strip
from torch_stringops.functions.subword import subword_build as subword_build
from torch_stringops.functions.subword import subword_decode as subword_decode
from torch_stringops.functions.subword import subword_encode as subword_encode
from torch_stringops.functions.subword import subword_encode_pairs as subword_encode_pairs
from torch_stringops.functions.subword import subword_encode_spans as subword_encode_spans
from torch_stringops.functions.tensor import split as split
from torch_stringops.functions.tensor import split_to_sequence as split_to_sequence
from torch_stringops.functions.tfidf import tfidf_vectorizer as tfidf_vectorizer
from torch_stringops.functions.tokenizer import tokenize_encode as tokenize_encode
from torch_stringops.functions.tokenizer import tokenizer as tokenizer
from torch_stringops.functions.tokenizer import tokenizer_ragged as tokenizer_ragged
from torch_stringops.functions.vocabulary import string_unique as string_unique
from torch_stringops.functions.vocabulary import vocab_build as vocab_build
from torch_stringops.functions.vocabulary import vocab_encode as vocab_encode
from torch_stringops.string_tensor import StringTensor as StringTensor
from torch_stringops.vocabulary import Vocabulary as Vocabulary
from torch_stringops.vocabulary import VocabularyBuilder as VocabularyBuilder

if _typing.TYPE_CHECKING:
    from torch_stringops import data as data
    from torch_stringops import distributed as distributed
    from torch_stringops import nn as nn
    from torch_stringops import pretrain as pretrain
    from torch_stringops.subword import DecodeStream as DecodeStream
    from torch_stringops.subword import SubwordTokenizer as SubwordTokenizer

# What is loaded when it is used first: modules; and names, with the modules that have them.
_LATER_MODULES = ("data", "distributed", "nn", "onnx", "pretrain", "transformers")
_LATER = {"DecodeStream": "torch_stringops.subword", "SubwordTokenizer": "torch_stringops.subword"}

__all__ = [
    *(
        name
        for name, value in globals().items()
        if name == "__version__" or not (name.startswith("_") or isinstance(value, _ModuleType))
    ),
    *_LATER,
]
_reject_scripts(globals()[name] for name in __all__ if name not in _LATER)
__doc__ = f"{__doc__ or ''}\nFunctions by family:\n\n{_by_family(globals())}"

if not _typing.TYPE_CHECKING:  # type checkers would take any name for one of the package

    def __getattr__(name: str) -> object:
        if name in _LATER_MODULES:
            return _import_module(f"{__name__}.{name}")
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(_LATER[name]), name)
        return value

    def __dir__() -> list[str]:
        return [*globals(), *_LATER, *_LATER_MODULES]
