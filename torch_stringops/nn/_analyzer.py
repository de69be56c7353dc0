"""Base of the modules with scikit-learn's arguments for text: from texts to terms, which are words or n-grams.

`AnalyzerArguments` declares the arguments for type checkers, and `Analyzer` their defaults. Modules that take more
arguments pass these on as keywords.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from itertools import pairwise
from typing import Any, TypedDict, TypeVar

import torch
from torch import Tensor, nn

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_choice, check_int
from torch_stringops._types import Accents, Analysis, StringsLike, Text
from torch_stringops.functions.build import string_concat
from torch_stringops.functions.ngram import string_ngrams_ragged
from torch_stringops.functions.ragged_rows import ragged_concat
from torch_stringops.nn._learning import Rows
from torch_stringops.nn._token_pattern import SPACE, WORDS, parsed, select
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary.vocabulary import Vocabulary

F = TypeVar("F", bound=Callable[..., None])


class AnalyzerArguments(TypedDict, total=False):
    """The arguments of `Analyzer`."""

    strip_accents: Accents | None
    lowercase: bool
    preprocessor: Callable[[StringTensor], StringTensor] | None
    tokenizer: Callable[[StringTensor], Rows] | None
    stop_words: StringsLike | None
    token_pattern: str
    ngram_range: tuple[int, int]
    analyzer: Analysis | Callable[[StringTensor], Rows]


def passes_on(base: type) -> Callable[[F], F]:
    """Decorates an `__init__` that passes other keywords on to that of `base`: its signature shows them, too."""

    def decorate(init: F) -> F:
        own = signature(init)
        parameters = [p for p in own.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        inherited = [p for name, p in signature(base.__init__).parameters.items() if name not in own.parameters]  # type: ignore[misc]
        complete = own.replace(parameters=[parameters[0], *inherited, *parameters[1:]])
        init.__signature__ = complete  # type: ignore[attr-defined]
        return init

    return decorate


class Analyzer(nn.Module):
    """Arguments and steps of scikit-learn's vectorizers, from texts to terms."""

    def __init__(
        self,
        *,
        strip_accents: Accents | None = None,
        lowercase: bool = True,
        preprocessor: Callable[[StringTensor], StringTensor] | None = None,
        tokenizer: Callable[[StringTensor], Rows] | None = None,
        stop_words: StringsLike | None = None,
        token_pattern: str = r"(?u)\b\w\w+\b",
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Analysis | Callable[[StringTensor], Rows] = "word",
    ) -> None:
        super().__init__()
        op = type(self).__name__
        self.strip_accents = check_choice(op, "strip_accents", strip_accents, (None, "ascii", "unicode"))
        self._marks = _combining() if strip_accents == "unicode" else ""
        self.lowercase = bool(lowercase)
        for name, value in (("preprocessor", preprocessor), ("tokenizer", tokenizer)):
            if value is not None and not callable(value):
                raise TypeError(f"{op}: expected `{name}` to be a function or None, got {type(value).__name__}")
        self.preprocessor, self.tokenizer = preprocessor, tokenizer
        self.stop_words = stop_list(op, stop_words)
        self.token_pattern = token_pattern
        self._pattern = parsed(op, token_pattern)
        self.ngram_range = _checked_range(op, ngram_range)
        self.analyzer: Any = analyzer
        if not callable(analyzer):
            check_choice(op, "analyzer", analyzer, ("word", "char", "char_wb"))

    def _documents(self, input: StringsLike) -> StringTensor:
        op = type(self).__name__
        strings = strings_argument(op, "input", input)
        if strings.dim() != 1:
            raise ValueError(f"{op}: expected texts of rank 1, got shape {list(strings.shape)}")
        return strings

    def _terms(self, strings: StringTensor) -> Rows:
        """The terms of each text, as ragged rows; those of a row are in any order."""
        if callable(self.analyzer):
            return self.analyzer(strings)  # type: ignore[no-any-return]
        strings = self._prepared(strings)
        least, most = self.ngram_range
        if self.analyzer == "char":
            # As in scikit-learn, a single character of whitespace stays as it is.
            return strings.regex_replace(f"[{SPACE}]{{2,}}", " ").char_ngrams_ragged(least, most)
        if self.analyzer == "char_wb":
            return _ngrams_of_words(strings, least, most)
        tokens, row_splits = self._pattern.find(strings) if self.tokenizer is None else self.tokenizer(strings)
        if self.stop_words is not None:
            tokens, row_splits = select(tokens, row_splits, ~tokens.isin(self.stop_words))
        if self.ngram_range == (1, 1):
            return tokens, row_splits
        return string_ngrams_ragged(tokens, row_splits, [*range(least, most + 1)])

    def _ids(self, strings: StringTensor, vocabulary: Vocabulary) -> tuple[Tensor, Tensor]:
        """The ids of the terms of each text, as ragged rows; -1 for those that are not in the vocabulary."""
        if not self._are_words():
            terms, row_splits = self._terms(strings)
            return vocabulary(terms), row_splits
        # Words are looked up without being written.
        plain = self.strip_accents is None and self.preprocessor is None
        if not plain:
            strings = self._prepared(strings)
        ids, row_splits = vocabulary.tokenize_encode(
            strings, tokenexp=WORDS, mincharnum=self._pattern.least, lower=plain and self.lowercase
        )
        if self.stop_words is not None:  # of which a vocabulary that was passed may have some
            is_stop = torch.zeros(len(vocabulary) + 1, dtype=torch.bool, device="cpu")
            is_stop[vocabulary(self.stop_words)] = True  # the last one for those that are not terms
            ids = ids.masked_fill(is_stop[ids], -1)
        return ids, row_splits

    def _are_words(self) -> bool:
        """Whether the terms are words of a least length."""
        is_run = self._pattern.whole is None and self._pattern.least > 0
        return self.analyzer == "word" and self.ngram_range == (1, 1) and self.tokenizer is None and is_run

    def _prepared(self, strings: StringTensor) -> StringTensor:
        """The texts in lower case and without accents."""
        if self.preprocessor is not None:
            return self.preprocessor(strings)
        if self.lowercase:
            strings = strings.lower()
        if self.strip_accents == "ascii":
            return strings.normalize("NFKD").regex_replace(r"[^\x00-\x7f]+", "")
        if self.strip_accents == "unicode":
            return strings.normalize("NFKD").regex_replace(self._marks, "")
        return strings

    def _growth(self) -> int:
        """About how many times the bytes of a text its terms have."""
        least, most = self.ngram_range
        return 1 if callable(self.analyzer) else sum(range(least, most + 1))

    def extra_repr(self) -> str:
        analyzer = getattr(self.analyzer, "__name__", type(self.analyzer).__name__)
        named = {"analyzer": self.analyzer if isinstance(self.analyzer, str) else analyzer}
        named |= {"ngram_range": self.ngram_range}
        return ", ".join(f"{name}={value!r}" for name, value in named.items())


def stop_list(op: str, stop_words: StringsLike | None) -> StringTensor | None:
    """The argument `stop_words` as strings of rank 1."""
    if stop_words is None:
        return None
    words: Any = sorted(stop_words) if isinstance(stop_words, set | frozenset) else stop_words
    if isinstance(words, str) and words == "english":
        try:
            words = sorted(import_module("sklearn.feature_extraction.text").ENGLISH_STOP_WORDS)
        except ImportError:
            raise ImportError(
                f'{op}: stop_words="english" is the list of scikit-learn, which is not installed (install it, or pass '
                "a list of words)"
            ) from None
    if isinstance(words, str | bytes):
        raise ValueError(
            f'{op}: expected `stop_words` to be "english", scikit-learn\'s list, or a list of words, got another string'
        )
    strings = strings_argument(op, "stop_words", words)
    if strings.dim() != 1:
        raise ValueError(f"{op}: expected `stop_words` of rank 1, got shape {list(strings.shape)}")
    return strings


def _ngrams_of_words(strings: StringTensor, least: int, most: int) -> Rows:
    """N-grams of characters of each word between two spaces; a shorter word is an n-gram itself."""
    words, row_splits = strings.split_ragged()
    padded = string_concat(" ", words, " ")
    ngrams, splits = padded.char_ngrams_ragged(least, most)
    row_of_ngrams = splits[row_splits]
    if least <= 3:  # a word with its spaces has at least three characters
        return ngrams, row_of_ngrams
    short, splits_of_short = select(padded, row_splits, padded.length() < least)
    return ragged_concat([(ngrams, row_of_ngrams), (short, splits_of_short)])


def _checked_range(op: str, ngram_range: tuple[int, int]) -> tuple[int, int]:
    if not isinstance(ngram_range, Sequence) or isinstance(ngram_range, Text) or len(ngram_range) != 2:
        raise TypeError(f"{op}: expected `ngram_range` to be a pair of ints, got {type(ngram_range).__name__}")
    least, most = (check_int(op, "ngram_range", n, 1, 2**16) for n in ngram_range)
    if least > most:
        raise ValueError(f"{op}: expected `ngram_range` in ascending order, got ({least}, {most})")
    return least, most


@cache
def _combining() -> str:
    """A pattern of the characters that Python's `unicodedata` names combining, as scikit-learn does."""
    marks = [c for c in range(0x300, 0x20000) if unicodedata.combining(chr(c))]
    begins = [marks[0], *(b for a, b in pairwise(marks) if b > a + 1)]
    ends = [*(a for a, b in pairwise(marks) if b > a + 1), marks[-1]]
    return "[" + "".join(rf"\x{{{a:x}}}-\x{{{b:x}}}" for a, b in zip(begins, ends, strict=True)) + "]+"
