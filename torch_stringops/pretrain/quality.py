"""Measures of the quality of documents, and the rules of Gopher, which keep documents by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.functions.regex import regex_contains
from torch_stringops.functions.vocabulary import vocab_build, vocab_encode
from torch_stringops.string_tensor import StringTensor

# The words of which Gopher's rules want two.
STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")
# Lines of whitespace alone, with the line feeds around them.
_EMPTY_LINES = r"\n[\t-\r\x1c-\x20\x{85}\p{Z}]*\n"
# The lengths of n-grams of which the most frequent one counts, and of those whose repetitions count.
_TOP, _REPEATED = range(2, 5), range(5, 11)
# Gopher's limits of the shares of characters in n-grams.
_MAX_TOP = {2: 0.20, 3: 0.18, 4: 0.16}
_MAX_REPEATED = {5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}
# An odd number of 64 bits: products with it differ in all bits.
_MULTIPLIER = -7046029254386353131


@named
def text_quality(input: StringsLike, *, stop_words: Sequence[str] = STOP_WORDS) -> dict[str, Tensor]:
    """Measures documents for quality filters: their words, symbols and lines, and what they repeat.

    Words are the parts between whitespace, as in `split_ragged`, with their punctuation. Lines are the parts
    between line feeds, and paragraphs those between lines that are empty or whitespace, both without whitespace
    at their ends; empty ones do not count. Characters are code points.

    | name | of each document |
    |---|---|
    | `words` | the number of words, int64 |
    | `stop_words` | how many of the stop words occur, int64 |
    | `mean_word_length` | characters of a word |
    | `hash_ratio`, `ellipsis_ratio` | the number of "#", and that of "..." and "…", divided by that of words |
    | `alphabetic_words` | the share of words that have a letter |
    | `bullet_lines`, `ellipsis_lines` | the share of lines that begin with "•" or "-"; that end with "..." or "…" |
    | `duplicate_lines`, `duplicate_paragraphs` | the share of those that are equal to an earlier one |
    | `duplicate_line_characters`, `duplicate_paragraph_characters` | the share of the document's characters in them |
    | `top_2gram`, `top_3gram`, `top_4gram` | the share in the most frequent n-gram of words |
    | `duplicate_5grams` to `duplicate_10grams` | the share in n-grams of words that are equal to an earlier one |

    For the most frequent n-gram, the characters of its words and the spaces between them count, times the
    number of its occurrences; of equally frequent n-grams, the first one counts. For repeated n-grams, spaces
    do not count, and a word that belongs to several of them counts once.

    A share of nothing is 0. N-grams, lines and paragraphs are compared by hashes of 64 bits.

    Args:
        input: documents `[*S]`, in any form that `as_strings` accepts.
        stop_words: the words that `stop_words` counts. Case matters.

    Returns:
        A dict of tensors `[*S]`, float64 unless the table says otherwise.

    Raises:
        ValueError: a document is not valid UTF-8.

    Example:
        >>> found = text_quality(["to be or not to be", "- one ...\\n- two"])
        >>> found["words"], found["stop_words"], found["bullet_lines"]
        (tensor([6, 5]), tensor([2, 0]), tensor([0., 1.], dtype=torch.float64))
        >>> found["top_2gram"]  # twice "to be", of 18 characters
        tensor([0.5556, 0.3333], dtype=torch.float64)
    """
    strings = strings_argument("text_quality", "input", input)
    documents = strings.reshape(-1)
    found = _of_words(documents, stop_words) | _of_lines(documents)
    return {name: values.reshape(strings.shape) for name, values in found.items()}


@named
def gopher_filter(
    input: StringsLike,
    *,
    min_words: int = 50,
    max_words: int = 100_000,
    min_mean_word_length: float = 3,
    max_mean_word_length: float = 10,
    max_symbol_ratio: float = 0.1,
    max_bullet_lines: float = 0.9,
    max_ellipsis_lines: float = 0.3,
    min_alphabetic_words: float = 0.8,
    min_stop_words: int = 2,
    stop_words: Sequence[str] = STOP_WORDS,
    max_duplicate_lines: float = 0.3,
    max_duplicate_line_characters: float = 0.2,
    max_duplicate_paragraphs: float = 0.3,
    max_duplicate_paragraph_characters: float = 0.2,
    max_top_ngrams: Mapping[int, float] = _MAX_TOP,
    max_duplicate_ngrams: Mapping[int, float] = _MAX_REPEATED,
) -> Tensor:
    """Tells which documents Gopher's rules of quality and repetition keep, for `StringColumn.filter`.

    Each argument is a limit of a measure of `text_quality`; a document at the limit is kept. The defaults are
    the published ones (Rae et al., 2021, appendix A1.1).

    Args:
        input: documents `[*S]`, in any form that `as_strings` accepts.
        min_words, max_words: limits of `words`.
        min_mean_word_length, max_mean_word_length: limits of `mean_word_length`.
        max_symbol_ratio: limit of `hash_ratio` and of `ellipsis_ratio`.
        max_bullet_lines, max_ellipsis_lines: limits of `bullet_lines` and `ellipsis_lines`.
        min_alphabetic_words: limit of `alphabetic_words`.
        min_stop_words: limit of `stop_words`, the number of stop words that occur.
        stop_words: as in `text_quality`.
        max_duplicate_lines, max_duplicate_line_characters: limits of the measures of these names.
        max_duplicate_paragraphs, max_duplicate_paragraph_characters: limits of the measures of these names.
        max_top_ngrams: a dict from n within [2, 4] to the limit of `top_<n>gram`.
        max_duplicate_ngrams: a dict from n within [5, 10] to the limit of `duplicate_<n>grams`.

    Returns:
        bool `[*S]`.

    Raises:
        ValueError: a document is not valid UTF-8, or an n is not as above.

    Example:
        >>> from torch_stringops.data import StringColumn
        >>> column = StringColumn([["to be or not to be, that is the question", "# # # ..."]])
        >>> len(column.filter(lambda s: gopher_filter(s, min_words=5, max_top_ngrams={})))
        1
    """
    for name, limits, lengths in (
        ("max_top_ngrams", max_top_ngrams, _TOP),
        ("max_duplicate_ngrams", max_duplicate_ngrams, _REPEATED),
    ):
        if not isinstance(limits, Mapping) or not all(n in lengths for n in limits):
            raise ValueError(
                f"gopher_filter: expected `{name}` to map lengths within [{lengths[0]}, {lengths[-1]}] to shares"
            )
    found = text_quality(input, stop_words=stop_words)
    at_most = {
        "words": max_words,
        "mean_word_length": max_mean_word_length,
        "hash_ratio": max_symbol_ratio,
        "ellipsis_ratio": max_symbol_ratio,
        "bullet_lines": max_bullet_lines,
        "ellipsis_lines": max_ellipsis_lines,
        "duplicate_lines": max_duplicate_lines,
        "duplicate_line_characters": max_duplicate_line_characters,
        "duplicate_paragraphs": max_duplicate_paragraphs,
        "duplicate_paragraph_characters": max_duplicate_paragraph_characters,
        **{f"top_{n}gram": limit for n, limit in max_top_ngrams.items()},
        **{f"duplicate_{n}grams": limit for n, limit in max_duplicate_ngrams.items()},
    }
    at_least = {
        "words": min_words,
        "mean_word_length": min_mean_word_length,
        "alphabetic_words": min_alphabetic_words,
        "stop_words": min_stop_words,
    }
    kept = [found[name] <= limit for name, limit in at_most.items()]
    kept += [found[name] >= limit for name, limit in at_least.items()]
    return torch.stack(kept).all(dim=0)


class _Parts(NamedTuple):
    """The words, lines or paragraphs of documents.

    Attributes:
        strings: of all documents, `[T]`.
        row_splits: int64 `[N + 1]`, in elements.
        rows: the document of each, int64 `[T]`.
        lengths: their characters, int64 `[T]`.
    """

    strings: StringTensor
    row_splits: Tensor
    rows: Tensor
    lengths: Tensor

    @staticmethod
    def of(documents: StringTensor, delimiter: str) -> _Parts:
        strings, row_splits = documents.split_ragged(delimiter)
        if delimiter:
            strings = strings.strip()
        lengths = strings.length()
        rows = torch.repeat_interleave(row_splits.diff(), output_size=lengths.shape[0])
        return _Parts(strings, row_splits, rows, lengths)

    def sums(self, values: Tensor) -> Tensor:
        """The sums of the documents, int64 `[N]`; of bool or int64 `[T]`."""
        return _sums(values, self.rows, self.row_splits.shape[0] - 1)


def _sums(values: Tensor, rows: Tensor, count: int) -> Tensor:
    """The sums of the values of each row, int64 `[count]`."""
    return values.new_zeros(count, dtype=torch.int64).index_add(0, rows, values.long())


def _share(part: Tensor, whole: Tensor) -> Tensor:
    return part.double() / whole.clamp(min=1)


def _of_words(documents: StringTensor, stop_words: Sequence[str]) -> dict[str, Tensor]:
    words, row_splits, rows, lengths = parts = _Parts.of(documents, "")
    counts = row_splits.diff()
    table = vocab_build(list(stop_words))
    # Which stop words occur in each document; the last column is for other words.
    ids = vocab_encode(words, table, unknown_id=len(stop_words))
    occurs = counts.new_zeros([counts.shape[0], len(stop_words) + 1], dtype=torch.bool)
    occurs[rows, ids] = True
    num_ellipses = documents.count("...") + documents.count("…")
    return {
        "words": counts,
        "stop_words": occurs[:, :-1].sum(dim=1),
        "mean_word_length": _share(parts.sums(lengths), counts),
        "hash_ratio": _share(documents.count("#"), counts),
        "ellipsis_ratio": _share(num_ellipses, counts),
        "alphabetic_words": _share(parts.sums(regex_contains(words, r"\p{L}")), counts),
        **_of_ngrams(parts, documents.length()),
    }


def _of_lines(documents: StringTensor) -> dict[str, Tensor]:
    lines = _Parts.of(documents, "\n")
    count = lines.sums(lines.lengths > 0)
    is_bullet = lines.strings.startswith("•") | lines.strings.startswith("-")
    is_cut = lines.strings.endswith("...") | lines.strings.endswith("…")
    found = {
        "bullet_lines": _share(lines.sums(is_bullet), count),
        "ellipsis_lines": _share(lines.sums(is_cut), count),
    }
    num_characters = documents.length()
    paragraphs = documents.regex_replace(_EMPTY_LINES, "\n\n")
    for name, parts in (("line", lines), ("paragraph", _Parts.of(paragraphs, "\n\n"))):
        has_text = parts.lengths > 0
        keys = parts.strings.hash() + parts.rows * _MULTIPLIER
        order, equals_previous = _grouped(keys)
        is_repeated = torch.empty_like(has_text).scatter(0, order, equals_previous) & has_text
        found[f"duplicate_{name}s"] = _share(parts.sums(is_repeated), parts.sums(has_text))
        characters = parts.sums(parts.lengths * is_repeated)
        found[f"duplicate_{name}_characters"] = _share(characters, num_characters)
    return found


def _grouped(keys: Tensor) -> tuple[Tensor, Tensor]:
    """An order in which equal keys follow each other, in their order; and whether each there equals the one before."""
    ordered, order = keys.sort(stable=True)
    equals_previous = torch.zeros_like(keys, dtype=torch.bool)
    equals_previous[1:] = ordered[1:] == ordered[:-1]
    return order, equals_previous


def _of_ngrams(words: _Parts, num_characters: Tensor) -> dict[str, Tensor]:
    """The measures of n-grams. Those of n words are looked for where n-grams of n - 1 words occur twice or more."""
    row_splits, rows = words.row_splits, words.rows
    count = row_splits.shape[0] - 1
    hashes = words.strings.hash()
    # The characters before each word, of all documents, and the words from each one to the end of its document.
    begins = torch.nn.functional.pad(words.lengths.cumsum(0), [1, 0])
    places = torch.arange(rows.shape[0], device=rows.device)
    left = row_splits[1:].index_select(0, rows) - places
    # The n-grams that may occur twice: of the words that begin at `at`, with `keys`.
    at = (left >= 2).nonzero().flatten()
    keys = (rows * _MULTIPLIER + hashes).index_select(0, at)
    found: dict[str, Tensor] = {}
    for n in range(2, _REPEATED[-1] + 1):
        keys = keys * _MULTIPLIER + hashes.index_select(0, at + n - 1)
        order, equals_previous = _grouped(keys)
        equals_next = torch.zeros_like(equals_previous)
        equals_next[:-1] = equals_previous[1:]
        if n in _TOP:
            firsts = (equals_next & ~equals_previous).nonzero().flatten()
            lasts = (equals_previous & ~equals_next).nonzero().flatten()
            begin = at.index_select(0, order.index_select(0, firsts))
            sizes = lasts - firsts + 1
            characters = _of_most_frequent(words, begins, n, begin, sizes)
            found[f"top_{n}gram"] = _share(characters, num_characters)
        else:
            is_repeated = torch.empty_like(equals_previous).scatter(0, order, equals_previous)
            begin = at.index_select(0, is_repeated.nonzero().flatten())
            # The words of the next n-gram count there.
            stop = torch.minimum(begin + n, torch.cat([begin[1:], begin.new_full([1], rows.shape[0])]))
            characters = begins.index_select(0, stop) - begins.index_select(0, begin)
            characters = _sums(characters, rows.index_select(0, begin), count)
            found[f"duplicate_{n}grams"] = _share(characters, num_characters)
        occurs_again = torch.empty_like(equals_previous).scatter(0, order, equals_previous | equals_next)
        fits = left.index_select(0, at) > n
        chosen = (occurs_again & fits).nonzero().flatten()
        at, keys = at.index_select(0, chosen), keys.index_select(0, chosen)
    return found


def _of_most_frequent(words: _Parts, begins: Tensor, n: int, at: Tensor, sizes: Tensor) -> Tensor:
    """The characters of the n-gram of each document that occurs most often, times its number, int64 `[N]`.

    Args:
        begins: the characters before each word.
        at: the words where n-grams that occur twice or more begin for the first time, int64 `[K]`.
        sizes: how often each of them occurs.
    """
    row_splits, total = words.row_splits, words.rows.shape[0]
    # By the number, then by the position. If each n-gram occurs once, it is the first one of the document.
    first = row_splits[:-1]
    ranks = sizes * (total + 1) - at
    best = (total + 1 - first).scatter_reduce(0, words.rows.index_select(0, at), ranks, "amax")
    number = (best + total) // (total + 1)
    first = number * (total + 1) - best
    has_ngrams = row_splits.diff() >= n
    stop = torch.where(has_ngrams, first + n, first)
    characters = begins.index_select(0, stop) - begins.index_select(0, first) + n - 1
    return characters * number * has_ngrams
