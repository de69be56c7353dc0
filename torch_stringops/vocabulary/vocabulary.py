"""Vocabulary: a module that converts strings to ids and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import utf8
from torch_stringops._counting import count_strings
from torch_stringops._names import named_class
from torch_stringops._types import OptionalStrings, StringsLike, Text
from torch_stringops.functions.split import string_split_ragged
from torch_stringops.interop.lines import read_lines, write_lines
from torch_stringops.ops.split import delimiter_or_whitespace
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary._arguments import check_buckets, check_roles
from torch_stringops.vocabulary._lookup import VocabularyLookup
from torch_stringops.vocabulary._selection import Count, select_tokens
from torch_stringops.vocabulary._state import Index, Settings


@named_class
class Vocabulary(VocabularyLookup):
    """A module that converts strings to ids for `nn.Embedding`, and ids back to strings.

    The id of a token is its position. A string that is not a token gets the id of `unknown_token`; without one, an id
    after those of the tokens. Every id is thus a row of `nn.Embedding(vocabulary.num_ids, ...)`, unless
    `num_oov_buckets=0` is passed without an `unknown_token`, which gives ids of -1.

    A Vocabulary supports torch.compile(fullgraph=True), torch.export and AOTInductor as part of a model. Tokens are
    neither parameters nor buffers: they stay on the CPU, as all strings do, when the model is moved to another device
    or dtype; move the ids. `state_dict` contains the tokens and settings as one tensor of bytes, which
    replaces the state of any Vocabulary that loads it; the hash table is rebuilt, not saved. DistributedDataParallel
    and FSDP1 broadcast a digest of them: a rank with another vocabulary raises RuntimeError at its first call.

    Args:
        tokens: distinct strings `[V]`, or a list of `str` or `bytes`. Lookups are fastest with frequent tokens first.
        pad_token: the token whose id pads ids; one of the tokens. A string that equals it gets its id and is treated as
            padding, so choose one that does not occur in texts.
        unknown_token: the token whose id unknown strings get; one of the tokens.
        num_oov_buckets: if positive, an unknown string gets the id `V + XXH3(string) % num_oov_buckets` instead, which
            is the same on every machine. Default: 0 with an `unknown_token`, otherwise 1. If it is 0 without an
            `unknown_token`, unknown strings get -1, which `nn.Embedding` rejects.

    Attributes:
        tokens: strings `[V]`.
        counts: int64 `[V]`, the number of occurrences of each token, if the vocabulary was built by `from_strings`;
            otherwise None. Not part of the state.
        pad_token, pad_id: the token and its id, or None.
        unknown_token: the token, or None.
        unknown_id: the id of `unknown_token`; without one, the first id after the tokens, or -1 without buckets.
        num_oov_buckets: the number of ids after those of the tokens.
        num_ids: V + num_oov_buckets, the number of ids: `num_embeddings` of an `nn.Embedding`.

    Raises:
        TypeError: the type of an argument is not as above.
        ValueError: two tokens are equal, `pad_token` or `unknown_token` is not one of the tokens, or `num_oov_buckets`
            is not within [0, 2**62].

    Example:
        >>> text = StringTensor.from_list(["to be", "or not to be"])
        >>> vocabulary = Vocabulary.from_text(text)
        >>> vocabulary.tokens.tolist()
        ['<pad>', '<unk>', 'to', 'be', 'or', 'not']
        >>> vocabulary(["not", "to", "be", "seen"])
        tensor([5, 2, 3, 1])
        >>> vocabulary.decode([5, 2, 1]).tolist()
        ['not', 'to', '<unk>']

        A model pads ids with `pad_id`, which is also the `padding_idx` of the embedding:

        >>> from torch import nn
        >>> from torch_stringops import ragged_to_dense
        >>> embedding = nn.Embedding(vocabulary.num_ids, 8, padding_idx=vocabulary.pad_id)
        >>> ids, row_splits = vocabulary.split_encode(["to be", "to be or to be seen"])
        >>> padded = ragged_to_dense(ids, row_splits, padding_value=vocabulary.pad_id)
        >>> padded
        tensor([[2, 3, 0, 0, 0, 0],
                [2, 3, 4, 2, 3, 1]])
        >>> embedding(padded).shape
        torch.Size([2, 6, 8])
    """

    def __init__(
        self,
        tokens: StringsLike,
        *,
        pad_token: Text | None = None,
        unknown_token: Text | None = None,
        num_oov_buckets: int | None = None,
    ) -> None:
        super().__init__()
        roles = check_roles("Vocabulary", pad_token, unknown_token)
        num_oov_buckets = check_buckets("Vocabulary", num_oov_buckets, unknown_token)
        index = Index.of(strings_argument("Vocabulary", "tokens", tokens))
        ids = {name: index.find(token) for name, token in roles.items()}
        for name, found in ids.items():
            if found < 0:
                raise ValueError(
                    f"Vocabulary: expected `{name}` to be one of the tokens; it is not "
                    f"(pass {name}=None if there is none)"
                )
        self.counts = None
        self._set(index, Settings(ids.get("unknown_token", -1), ids.get("pad_token", -1), num_oov_buckets))

    @staticmethod
    def from_strings(
        input: OptionalStrings | Iterable[OptionalStrings],
        *,
        missing: Text | None = None,
        max_size: int | None = None,
        min_frequency: int = 1,
        specials: Sequence[Text] = (),
        pad_token: Text | None = "<pad>",
        unknown_token: Text | None = "<unk>",
        num_oov_buckets: int | None = None,
    ) -> Vocabulary:
        """Builds a vocabulary of the distinct strings of `input`, in order of frequency, then of first appearance.

        The strings are not split: `encode` looks up whole strings. `from_text` builds a vocabulary of words.
        The first tokens are `pad_token` and `unknown_token`, unless they are in `specials`, and then `specials`.

        Args:
            input: strings of any shape, or a list of `str` or `bytes`; or an iterable of these, which is read in
                chunks, for text that exceeds the size of a single tensor.
            missing: replaces missing strings, as in `as_strings`. Default: None, a missing string is an error.
            max_size: maximum number of tokens, including special ones.
            min_frequency: minimum number of occurrences of a string, at least 1. Does not apply to special tokens.
            specials: additional special tokens, in this order.
            pad_token: as in the constructor; its id is 0 by default. None for no such token.
            unknown_token: as in the constructor; its id is 1 by default. None for no such token.
            num_oov_buckets: as in the constructor.

        Raises:
            TypeError: the type of an argument is not as above.
            ValueError: a string is missing, `max_size` is less than the number of special tokens, or two of these are
                equal.

        Example:
            >>> words = StringTensor.from_list(["b", "a", "b", "", "c", "a", "b"])
            >>> vocabulary = Vocabulary.from_strings(words, min_frequency=2, specials=("<s>",))
            >>> vocabulary.tokens.tolist(), vocabulary.counts.tolist()
            (['<pad>', '<unk>', '<s>', 'b', 'a'], [0, 0, 0, 3, 2])
        """
        op = "Vocabulary.from_strings"
        return Vocabulary._from_counts(
            op,
            lambda: count_strings(input, op, missing),
            max_size=max_size,
            min_frequency=min_frequency,
            specials=specials,
            pad_token=pad_token,
            unknown_token=unknown_token,
            num_oov_buckets=num_oov_buckets,
        )

    @staticmethod
    def from_text(
        input: OptionalStrings | Iterable[OptionalStrings],
        delimiter: Text | None = "",
        *,
        skip_empty: bool = False,
        missing: Text | None = None,
        max_size: int | None = None,
        min_frequency: int = 1,
        specials: Sequence[Text] = (),
        pad_token: Text | None = "<pad>",
        unknown_token: Text | None = "<unk>",
        num_oov_buckets: int | None = None,
    ) -> Vocabulary:
        """Builds a vocabulary of the pieces of `input` at a delimiter, as `split_encode` makes them: by default, words.

        Args:
            input: text, as in `from_strings`.
            delimiter: the delimiter; `""` or None for whitespace, as in `split_encode`.
            skip_empty: drop empty pieces, as in `split_encode`.
            missing, max_size, min_frequency, specials, pad_token, unknown_token, num_oov_buckets: as in `from_strings`.

        Raises:
            TypeError, ValueError: as `from_strings`.

        Example:
            >>> texts = (line for line in ["to be", "or not to be"])
            >>> vocabulary = Vocabulary.from_text(texts, pad_token=None)
            >>> vocabulary.tokens.tolist()
            ['<unk>', 'to', 'be', 'or', 'not']
            >>> vocabulary.split_encode(["not to"])
            (tensor([4, 1]), tensor([0, 2]))
        """
        op = "Vocabulary.from_text"
        delimiter = utf8(op, "delimiter", delimiter_or_whitespace(delimiter))

        def pieces_of(text: StringTensor) -> StringTensor:
            return string_split_ragged(text, delimiter, skip_empty=skip_empty)[0]

        return Vocabulary._from_counts(
            op,
            lambda: count_strings(input, op, missing, pieces_of),
            max_size=max_size,
            min_frequency=min_frequency,
            specials=specials,
            pad_token=pad_token,
            unknown_token=unknown_token,
            num_oov_buckets=num_oov_buckets,
        )

    @staticmethod
    def _from_counts(
        op: str,
        count: Count,
        *,
        pad_token: Text | None,
        unknown_token: Text | None,
        num_oov_buckets: int | None,
        **options: Any,
    ) -> Vocabulary:
        """Builds a vocabulary of the strings that `select_tokens` selects with `options`."""
        num_oov_buckets = check_buckets(op, num_oov_buckets, unknown_token)
        tokens, counts = select_tokens(op, count, pad_token=pad_token, unknown_token=unknown_token, **options)
        vocabulary = Vocabulary(
            tokens, pad_token=pad_token, unknown_token=unknown_token, num_oov_buckets=num_oov_buckets
        )
        vocabulary.counts = counts
        return vocabulary

    @staticmethod
    def from_file(
        path: str | PathLike[str],
        *,
        pad_token: Text | None = "<pad>",
        unknown_token: Text | None = "<unk>",
        num_oov_buckets: int | None = None,
    ) -> Vocabulary:
        """Reads a vocabulary from a text file with one token per line.

        Lines end in LF or CR LF. The file does not contain the settings: pass those of the saved vocabulary. The
        defaults are those of `from_strings`. A file without these two tokens is an error unless None is passed for
        them, so that a word list is not read with different ids.

        Args:
            path: path of the file.
            pad_token: as in the constructor.
            unknown_token: as in the constructor.
            num_oov_buckets: as in the constructor.

        Raises:
            OSError: the file cannot be read.
            ValueError: two lines are equal, or `pad_token` or `unknown_token` is not a line of the file.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = Path(folder) / "words.txt"
            ...     _ = path.write_text("to\\nbe\\n")
            ...     Vocabulary.from_file(path, pad_token=None, unknown_token=None)
            Vocabulary(2, num_oov_buckets=1)
        """
        return Vocabulary(
            StringTensor(*read_lines(path)),
            pad_token=pad_token,
            unknown_token=unknown_token,
            num_oov_buckets=num_oov_buckets,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the tokens to a text file with one token per line, for `from_file`. The file is replaced atomically.

        `torch.save(vocabulary.state_dict(), path)` also saves the settings.

        Args:
            path: path of the file.

        Raises:
            OSError: the file cannot be written.
            ValueError: a token contains a line break; use `torch.save`.

        Example:
            >>> import os, tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "words.txt")
            ...     Vocabulary.from_strings(["to", "be"]).save(path)
            ...     Vocabulary.from_file(path)
            Vocabulary(4, pad_token='<pad>', unknown_token='<unk>')
        """
        write_lines(path, self._data, self._offsets, op="Vocabulary.save")
