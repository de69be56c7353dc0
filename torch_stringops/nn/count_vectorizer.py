"""CountVectorizer: a module from texts to counts of their words or n-grams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_int, dtype_name
from torch_stringops._counting import Counter
from torch_stringops._names import named_class
from torch_stringops._types import StringsLike, Text
from torch_stringops.functions.ragged_rows import ragged_count
from torch_stringops.functions.sort import string_argsort
from torch_stringops.nn._analyzer import Analyzer, AnalyzerArguments, passes_on
from torch_stringops.nn._row_counts import RowCounts, chunks, count_ids, count_in_chunks
from torch_stringops.ops import vocabulary as vocabulary_ops
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class CountArguments(AnalyzerArguments, total=False):
    """The arguments of `CountVectorizer` but for `dtype`, whose default is another in `TfidfVectorizer`."""

    max_df: float
    min_df: float
    max_features: int | None
    vocabulary: StringsLike | Mapping[str, int] | set[str] | None
    binary: bool
    sparse: bool


@named_class
class CountVectorizer(Analyzer):
    r"""A module from texts to counts of their terms, with the arguments and results of scikit-learn's.

    Terms are words, or n-grams of words or of characters. `fit` learns them, and a call is `transform`: a matrix with a
    row for each text and a column for each term, in the order of the terms. It is sparse, in compressed rows
    (`torch.sparse_csr`), unless `sparse` is False. Dense results can be compiled and exported.

    `state_dict` contains the terms; it can be loaded into a module with another vocabulary. The other arguments are not
    part of it.

    Args:
        strip_accents: "ascii" drops all characters that are not ASCII after the compatibility decomposition (NFKD);
            "unicode" drops combining marks after it; None for neither.
        lowercase: change the texts to lower case first.
        preprocessor: a function from strings `[N]` to strings, in place of these two steps, such as `Normalize`.
        tokenizer: a function from strings `[N]` to `(tokens, row_splits)`, in place of `token_pattern`.
        stop_words: a list of words that are dropped, before n-grams are formed; or "english", the list of scikit-learn
            if it is installed; for the analyzer "word".
        token_pattern: a regular expression of words, as `re.findall` takes it, with at most one group. `\w`, `\d` and
            `\s` are of Unicode. `\b` may stand around a pattern of word characters, the rest has the syntax of
            `regex_contains`.
        ngram_range: least and greatest number of words or characters of an n-gram.
        analyzer: "word", n-grams of words, joined with " "; "char", n-grams of characters; "char_wb", n-grams of the
            characters of each word with a space on both sides; or a function from strings `[N]` to
            `(terms, row_splits)`.
        max_df: drop terms that more texts than this number have; a float is a share of the texts.
        min_df: drop terms that fewer texts than this number have; a float is a share of the texts.
        max_features: keep this number of terms, the most frequent ones; None for all.
        vocabulary: the terms: a list in the order of the columns, a set, or a mapping from terms to columns. There is
            then nothing to learn.
        binary: return 1 for terms that a text has, instead of how often it has them.
        dtype: of the result: torch.int64, int32, float64 or float32.
        sparse: whether the result is sparse.

    Differences from scikit-learn:
        | case | here | scikit-learn |
        |---|---|---|
        | `preprocessor`, `tokenizer`, `analyzer` as functions | on StringTensor and ragged rows | on a str |
        | `input`, `encoding`, `decode_error` | none: texts are strings of UTF-8 | files, other encodings |
        | classes and case of characters | Unicode of `unicode_version()` | of Python's version |
        | indices of the result | int64, sorted | int32 |

    Raises:
        TypeError: the type of an argument is not as above.
        ValueError: an argument is not as above.

    Example:
        >>> count = CountVectorizer(ngram_range=(1, 2), min_df=2)
        >>> count.fit_transform(["To be, or not to be!", "Let it be.", "Not to be"]).to_dense()
        tensor([[2, 1, 1, 2, 2],
                [1, 0, 0, 0, 0],
                [1, 1, 1, 1, 1]])
        >>> count.get_feature_names_out()
        ['be', 'not', 'not to', 'to', 'to be']
    """

    _dtypes: tuple[torch.dtype, ...] = (torch.int64, torch.int32, torch.float64, torch.float32)

    @passes_on(Analyzer)
    def __init__(
        self,
        *,
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: StringsLike | Mapping[str, int] | set[str] | None = None,
        binary: bool = False,
        dtype: torch.dtype = torch.int64,
        sparse: bool = True,
        **text: Unpack[AnalyzerArguments],
    ) -> None:
        super().__init__(**text)
        op = type(self).__name__
        self.max_df, self.min_df = _frequency(op, "max_df", max_df), _frequency(op, "min_df", min_df)
        self.max_features = None if max_features is None else check_int(op, "max_features", max_features, 1)
        self.binary, self.sparse = bool(binary), bool(sparse)
        self.dtype = check_dtype(op, dtype, self._dtypes)
        self.fixed_vocabulary_ = vocabulary is not None
        self._set_terms(StringTensor.from_list([]) if vocabulary is None else _given_terms(op, vocabulary))

    def fit(self, input: StringsLike) -> Self:
        """Learns the terms of texts.

        Args:
            input: texts, strings `[N]`, in any form that `as_strings` accepts.

        Returns:
            The module.

        Raises:
            ValueError: the texts have no terms, or none within the limits; or `max_df` is fewer texts than `min_df`.
        """
        strings = self._documents(input)
        if not self.fixed_vocabulary_:
            self._set_terms(self._limited(strings))
        return self

    def fit_transform(self, input: StringsLike) -> Tensor:
        """Learns the terms of texts, and returns their matrix: `fit`, then a call."""
        strings = self._documents(input)
        return self.fit(strings)(strings)

    def forward(self, input: StringsLike) -> Tensor:
        """Returns the matrix of counts, `transform` of scikit-learn.

        Args:
            input: texts, strings `[N]`, in any form that `as_strings` accepts.

        Returns:
            `[N, V]`, where V is the number of terms, of `dtype`: sparse in compressed rows, or dense.

        Raises:
            RuntimeError: the module has no vocabulary yet.
            ValueError: a dense result has 2**31 counts or more.
        """
        strings = self._documents(input)
        self._check_fitted()
        if self.sparse:
            counts = self._counts(strings)
            return counts.matrix(self._values(counts), len(self.vocabulary), True)
        ids, row_splits = self._ids(strings, self.vocabulary)
        return self._dense(ragged_count(ids, row_splits, len(self.vocabulary), binary=self.binary))

    if TYPE_CHECKING:  # nn.Module returns Any

        def __call__(self, input: StringsLike) -> Tensor: ...

    @property
    def vocabulary_(self) -> dict[Text, int]:
        """The column of each term, as in scikit-learn."""
        return {term: column for column, term in enumerate(self.get_feature_names_out())}

    def get_feature_names_out(self) -> list[Text]:
        """Returns the terms in the order of the columns. `vocabulary.tokens` has them as a StringTensor."""
        self._check_fitted()
        names: list[Text] = self.vocabulary.tokens.tolist()
        return names

    def _set_terms(self, terms: StringTensor) -> None:
        self.vocabulary = Vocabulary(terms, num_oov_buckets=0)

    def _check_fitted(self) -> None:
        if len(self.vocabulary) == 0:
            op = type(self).__name__
            raise RuntimeError(f"{op}: expected a vocabulary, got none (call fit, or load_state_dict)")

    def _learn(self, strings: StringTensor) -> tuple[StringTensor, Tensor, Tensor]:
        """The terms of the texts in order, int64 numbers of texts that have each, and of its occurrences.

        If `binary`, several occurrences in a text count as one.
        """
        in_texts, in_all = Counter(), Counter()
        for part in chunks(strings, self._growth()):
            terms, row_splits = self._terms(part)
            words, ids, occurrences = vocabulary_ops._string_unique(terms)
            texts = torch.bincount(count_ids(ids, row_splits, len(words)).columns, minlength=len(words))
            in_texts.add_counts(words, texts)
            in_all.add_counts(words, texts if self.binary else occurrences)
        in_texts.merge()
        in_all.merge()  # has the same words in the same order
        order = string_argsort(in_texts.words)
        return in_texts.words[order], in_texts.counts[order], in_all.counts[order]

    def _counts(self, strings: StringTensor) -> RowCounts:
        """How often each text has each term."""
        size = len(self.vocabulary)
        return count_in_chunks(strings, self._growth(), lambda part: count_ids(*self._ids(part, self.vocabulary), size))

    def _values(self, counts: RowCounts) -> Tensor:
        """The values of the sparse result."""
        values = counts.values.to(self.dtype)
        return torch.ones_like(values) if self.binary else values

    def _dense(self, counts: Tensor) -> Tensor:
        """The dense result, of dense counts that are 1 at most if `binary`."""
        return counts.to(self.dtype)

    def _limited(self, strings: StringTensor) -> StringTensor:
        """The terms of the texts within the limits."""
        op = f"{type(self).__name__}.fit"
        terms, in_texts, in_all = self._learn(strings)
        if len(terms) == 0:
            raise ValueError(f"{op}: expected texts with terms, got none (all tokens may be stop words)")
        high, low = (limit if isinstance(limit, int) else limit * len(strings) for limit in (self.max_df, self.min_df))
        if high < low:
            raise ValueError(f"{op}: expected `max_df` of at least as many texts as `min_df`, got {high} and {low}")
        numbers = in_texts.double()  # which a float is compared with exactly
        kept = ((numbers >= low) & (numbers <= high)).nonzero().squeeze(1)
        if self.max_features is not None and len(kept) > self.max_features:
            # Of equally frequent terms at the limit, scikit-learn keeps those that NumPy's sort has first.
            order = (-in_all[kept].to(self.dtype).numpy()).argsort()[: self.max_features]
            kept = kept[torch.from_numpy(order)].sort().values
        if len(kept) == 0:
            raise ValueError(f"{op}: expected terms within `min_df` and `max_df`, got none")
        return terms[kept]


def _given_terms(op: str, vocabulary: StringsLike | Mapping[str, int] | set[str]) -> StringTensor:
    """The argument `vocabulary` of scikit-learn as strings in the order of the columns."""
    given: Any = vocabulary
    if isinstance(given, Mapping):
        columns = {term: check_int(op, "vocabulary", column, 0) for term, column in given.items()}
        given = sorted(columns, key=columns.__getitem__)
        if [columns[term] for term in given] != list(range(len(given))):
            raise ValueError(f"{op}: expected `vocabulary` with the columns 0 to {len(given) - 1}, each once")
    elif isinstance(given, set | frozenset):
        given = sorted(given)
    terms = strings_argument(op, "vocabulary", given)
    if terms.dim() != 1 or terms.numel() == 0:
        raise ValueError(f"{op}: expected `vocabulary` of rank 1, not empty, got shape {list(terms.shape)}")
    return terms


def check_dtype(op: str, dtype: Any, allowed: tuple[torch.dtype, ...]) -> torch.dtype:
    """Returns the argument `dtype` if it is one of these."""
    if not isinstance(dtype, torch.dtype):
        raise TypeError(f"{op}: expected `dtype` to be a torch.dtype, got {type(dtype).__name__}")
    if dtype not in allowed:
        expected = ", ".join(map(dtype_name, allowed))
        raise ValueError(f"{op}: expected `dtype` to be one of {expected}, got {dtype_name(dtype)}")
    return dtype


def _frequency(op: str, name: str, value: Any) -> int | float:
    """The argument `max_df` or `min_df`: a number of texts, or a share of them."""
    if isinstance(value, float | np.floating):
        if not 0 <= value <= 1:
            raise ValueError(f"{op}: expected `{name}` within [0.0, 1.0], or an int, got {value}")
        return float(value)
    return check_int(op, name, value, 1)
