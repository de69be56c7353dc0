"""accelerate: a tokenizer of `transformers` whose calls are served by this library."""

from __future__ import annotations

import copy
import copyreg
import importlib
from functools import cache, update_wrapper
from types import FunctionType
from typing import Any, TypeVar

from torch_stringops._checks import quoted
from torch_stringops.transformers import _calls
from torch_stringops.transformers._watch import Watch

T = TypeVar("T")

_OP = "accelerate"

# The options of calls on one text that have a short way.
_PLAIN = frozenset({"add_special_tokens", "return_tensors"})


def accelerate(tokenizer: T) -> T:
    """Returns a copy of a fast tokenizer of `transformers` that gives the same, faster.

    Calls on texts, single, in lists and in pairs, and decoding of batches are served by the operators of
    SubwordTokenizer. The `encodings` of a result, which `word_ids()`, `char_to_token()` and the like need, are
    computed by `tokenizers` when they are read. What the operators do not do goes to the original as before: words
    (`is_split_into_words`), offsets, overflow, `truncation="only_second"`, single decoding. So do calls after a change
    to a state that is not supported.

    The copy is a `PreTrainedTokenizerFast` with the same class name. Added tokens, and changes of the parts of
    `backend_tokenizer`, count from the next call on, which takes as long as loading.

    Args:
        tokenizer: an instance of `transformers.PreTrainedTokenizerFast`. It stays as it is.

    Returns:
        The copy. An accelerated tokenizer is returned as it is.

    Raises:
        ImportError: `transformers` 5 or later is not installed.
        TypeError: `tokenizer` is not such a tokenizer.
        ValueError: its parts are not supported, as in `SubwordTokenizer.from_file`, or its class has calls of its own.

    Example:
        tokenizer = accelerate(AutoTokenizer.from_pretrained("Qwen/Qwen3-8B"))
        batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    """
    base = _library().TokenizersBackend
    if isinstance(tokenizer, _Encoding):
        return tokenizer
    if not isinstance(tokenizer, base):
        raise TypeError(
            f"{_OP}: expected a fast tokenizer of transformers (PreTrainedTokenizerFast), got "
            f"{quoted(type(tokenizer).__name__)}"
        )
    kind: Any = type(tokenizer)
    if kind._encode_plus is not base._encode_plus:
        raise ValueError(f"{_OP}: {kind.__name__} has an `_encode_plus` of its own")
    found: Any = copy.deepcopy(tokenizer)
    watch = Watch()
    table, error = watch.table_or_error(found._tokenizer)
    if table is None:
        raise ValueError(error.replace("SubwordTokenizer.from_file", _OP))
    found.__class__ = _accelerated_class(kind)
    found.__dict__["_stringops_watch"] = watch
    return found  # type: ignore[no-any-return]


def _library() -> Any:
    try:
        return importlib.import_module("transformers.tokenization_utils_tokenizers")
    except ImportError as error:
        raise ImportError(f"{_OP}: needs transformers >= 5: {error}") from error


class _Encoding:
    """The calls of an accelerated tokenizer. Its class is made of this one and that of the original."""

    _stringops_watch: Watch
    _stringops_batch: Any  # transformers.BatchEncoding

    def _encode_plus(self, text: Any, text_pair: Any = None, **options: Any) -> Any:
        try:
            found = _calls.encode(self, self._stringops_watch, self._stringops_batch, text, text_pair, options)
        except Exception:
            found = None  # the original raises an error of its own
        if found is None:
            return super()._encode_plus(text, text_pair, **options)  # type: ignore[misc]
        return found

    def __reduce_ex__(self, protocol: Any) -> Any:
        reduced = super().__reduce_ex__(protocol)
        if isinstance(reduced, tuple) and reduced[0] is copyreg.__newobj__:  # type: ignore[attr-defined]
            kind, *rest = reduced[1]
            if "_stringops_base" in vars(kind):  # pickle does not find the class by its name
                return _new, (kind._stringops_base, *rest), *reduced[2:]
        return reduced


class _Calling(_Encoding):
    """The same for an original whose calls are those of the library: short ways for one text."""

    def __call__(self, text: Any = None, *arguments: Any, **options: Any) -> Any:
        found = self._plain(text, options) if type(text) is str and not arguments else None
        return super().__call__(text, *arguments, **options) if found is None else found  # type: ignore[misc]

    def encode(self, text: Any, *arguments: Any, **options: Any) -> Any:
        found = self._plain(text, options) if type(text) is str and not arguments else None
        if found is None:
            return super().encode(text, *arguments, **options)  # type: ignore[misc]
        return found["input_ids"]

    def _plain(self, text: str, options: dict[str, Any]) -> Any:
        if options and not options.keys() <= _PLAIN:
            return None
        special, tensors = options.get("add_special_tokens", True), options.get("return_tensors")
        try:
            if tensors is not None and not _calls.can_make(tensors):
                return None
            return _calls.encode_plain(self, self._stringops_watch, self._stringops_batch, text, special, tensors)
        except Exception:
            return None  # the original raises an error of its own


class _Tokenizing(_Encoding):
    """The same for an original whose `tokenize`, which reads the encodings only, is that of the library."""

    def tokenize(self, text: Any, pair: Any = None, add_special_tokens: bool = False, **options: Any) -> Any:
        options |= {"text": text, "text_pair": pair, "add_special_tokens": add_special_tokens}
        return super(_Encoding, self)._encode_plus(**options).tokens()  # type: ignore[misc]


class _Decoding(_Encoding):
    """The same for an original whose decoding is that of the library."""

    clean_up_tokenization_spaces: bool

    def decode(self, token_ids: Any, skip_special_tokens: bool = False, **options: Any) -> Any:
        cleans = options.get("clean_up_tokenization_spaces")
        if not (self.clean_up_tokenization_spaces if cleans is None else cleans):
            try:
                found = self._decode_rows(token_ids, skip_special_tokens)
            except Exception:
                found = None  # the original raises an error of its own
            if found is not None:
                return found
        return super().decode(token_ids, skip_special_tokens, **options)  # type: ignore[misc]

    def _decode_rows(self, token_ids: Any, skip_special_tokens: bool) -> list[str] | None:
        rows = _calls.rows_of(token_ids)
        table = None if rows is None else self._stringops_watch.table(self._tokenizer)  # type: ignore[attr-defined]
        if rows is None or table is None:
            return None
        return _calls.decode(table, rows, skip_special_tokens)

    def batch_decode(self, sequences: Any, skip_special_tokens: bool = False, **options: Any) -> Any:
        # The original converts tensors to lists first.
        if hasattr(sequences, "ndim") and sequences.ndim == 2 and len(sequences):
            return self.decode(sequences, skip_special_tokens, **options)
        return super().batch_decode(sequences, skip_special_tokens, **options)  # type: ignore[misc]


@cache
def _accelerated_class(kind: Any) -> Any:
    library = _library()
    base = library.TokenizersBackend

    def same(*names: str) -> bool:
        return all(getattr(kind, name) is getattr(base, name) for name in names)

    # What the short ways leave out must be the library's.
    calls = ("__call__", "encode", "set_truncation_and_padding", "_get_padding_truncation_strategies")
    ours = (
        *((_Calling,) if same(*calls) and not hasattr(kind, "_switch_to_input_mode") else ()),
        *((_Tokenizing,) if same("tokenize") else ()),
        *((_Decoding,) if same("decode", "batch_decode", "_decode") else ()),
        _Encoding,
    )
    for mixin in ours:
        for name, method in vars(mixin).items():
            if isinstance(method, FunctionType) and hasattr(base, name) and name != "__reduce_ex__":
                update_wrapper(method, getattr(base, name))  # for its signature
    body = {
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
        "_stringops_base": kind,
        "_stringops_batch": library.BatchEncoding,
    }
    return type(kind)(kind.__name__, (*ours, kind), body)


def _new(kind: Any, *arguments: Any) -> Any:
    """Creates an empty accelerated tokenizer of a class of `transformers`, for pickle and copies."""
    accelerated = _accelerated_class(kind)
    return accelerated.__new__(accelerated, *arguments)
