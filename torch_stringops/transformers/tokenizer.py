"""Tokenizer: a `tokenizers.Tokenizer` whose calls are served by this library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from torch_stringops._checks import quoted
from torch_stringops.transformers import _calls
from torch_stringops.transformers._batches import Wanted, list_columns, single_columns
from torch_stringops.transformers._watch import Watch
from torch_stringops.transformers.encoding import EncodedBatch, Encoding, original_of

if TYPE_CHECKING:
    import tokenizers

    # One text or a pair; words instead of texts if `is_pretokenized`.
    Words = str | list[str] | tuple[str, ...]
    Input = Words | tuple[Words, Words] | list[Words]

_OP = "Tokenizer"


class Tokenizer:
    """A `tokenizers.Tokenizer` that gives the same, faster.

    It has the attributes and methods of the `tokenizers.Tokenizer` that it is made of, such as `normalizer`,
    `enable_truncation`, `enable_padding`, `add_tokens`, `save` and `train`. `encode`, `encode_batch` and
    `encode_batch_fast` of texts and pairs of texts, `decode` and `decode_batch` are served by the operators of
    SubwordTokenizer. Words (`is_pretokenized`), a stride, `strategy="only_second"`, ids outside the vocabulary, and all
    calls after a change to a state that is not supported go to the original.

    Its state is looked at in each call, so that changes of the original count too. After a change of tokens or parts,
    the next call takes as long as loading. Pickles and copies have an original of their own.

    Args:
        tokenizer: a `tokenizers.Tokenizer`.

    Raises:
        TypeError: `tokenizer` is not a `tokenizers.Tokenizer`.
        ValueError: its parts are not supported, as in `SubwordTokenizer.from_file`.

    Example:
        >>> from tokenizers import Tokenizer as Original, models
        >>> tokenizer = Tokenizer(Original(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])))
        >>> tokenizer.encode("aba").ids
        [2, 0]
        >>> [encoding.tokens for encoding in tokenizer.encode_batch(["ab", "ba"])]
        [['ab'], ['b', 'a']]
    """

    __slots__ = ("_original", "_watch")

    _original: Any
    _watch: Watch

    def __init__(self, tokenizer: tokenizers.Tokenizer) -> None:
        import tokenizers

        if not isinstance(tokenizer, tokenizers.Tokenizer):
            raise TypeError(f"{_OP}: expected a tokenizers.Tokenizer, got {quoted(type(tokenizer).__name__)}")
        watch = Watch()
        table, error = watch.table_or_error(tokenizer)
        if table is None:
            raise ValueError(error.replace("SubwordTokenizer.from_file", _OP))
        self._set(tokenizer, watch)

    @classmethod
    def from_file(cls, path: str) -> Tokenizer:
        """Reads a tokenizer.json, by `tokenizers`."""
        import tokenizers

        return cls(tokenizers.Tokenizer.from_file(path))

    @classmethod
    def from_str(cls, json: str) -> Tokenizer:
        """Reads the text of a tokenizer.json, by `tokenizers`."""
        import tokenizers

        return cls(tokenizers.Tokenizer.from_str(json))

    @classmethod
    def from_pretrained(cls, identifier: str, revision: str = "main", token: str | None = None) -> Tokenizer:
        """Reads the tokenizer.json of a repository of the Hugging Face Hub, by `tokenizers`."""
        import tokenizers

        return cls(tokenizers.Tokenizer.from_pretrained(identifier, revision, token))

    @property
    def original(self) -> tokenizers.Tokenizer:
        """The `tokenizers.Tokenizer`."""
        found: tokenizers.Tokenizer = self._original
        return found

    def encode(
        self,
        sequence: Words,
        pair: Words | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding | tokenizers.Encoding:
        """Encodes one text, or a pair."""
        if is_pretokenized is False and type(sequence) is str and (pair is None or type(pair) is str):
            others = None if pair is None else [pair]
            found = self._served([sequence], others, add_special_tokens, "encode_batch")
            if found is not None:
                return Encoding(found, 0)
        original: tokenizers.Encoding = self._original.encode(sequence, pair, is_pretokenized, add_special_tokens)
        return original

    def encode_batch(
        self, input: Sequence[Input], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding] | list[tokenizers.Encoding]:
        """Encodes several texts, or several pairs."""
        found: list[Encoding] = self._encode_batch("encode_batch", input, is_pretokenized, add_special_tokens)
        return found

    def encode_batch_fast(
        self, input: Sequence[Input], is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> list[Encoding] | list[tokenizers.Encoding]:
        """Same as `encode_batch`; all offsets are (0, 0), as in `tokenizers`."""
        method = "encode_batch_fast"
        found: list[Encoding] = self._encode_batch(method, input, is_pretokenized, add_special_tokens)
        return found

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Returns the text of ids."""
        plain = type(ids) in (list, tuple) and set(map(type, ids)) <= {int}
        if plain and type(skip_special_tokens) is bool:
            try:
                table = self._watch.table(self._original)
                if table is not None:
                    return table.decode_one([*ids], skip_special_tokens)
            except Exception:
                pass  # the original leaves out the id, or raises an error of its own
        text: str = self._original.decode(ids, skip_special_tokens)
        return text

    def decode_batch(self, sequences: Sequence[Sequence[int]], skip_special_tokens: bool = True) -> list[str]:
        """Returns the text of each row of ids."""
        if type(skip_special_tokens) is bool and type(sequences) in (list, tuple):
            try:
                rows, table = _calls.rows_of(sequences), self._watch.table(self._original)
                if rows is not None and table is not None:
                    found = _calls.decode(table, rows, skip_special_tokens)
                    if found is not None:
                        return found
            except Exception:
                pass  # the original raises an error of its own
        texts: list[str] = self._original.decode_batch(sequences, skip_special_tokens)
        return texts

    def token_to_id(self, token: str) -> int | None:
        """Returns the id of a token, as `tokenizers` writes it, or None."""
        found: int | None = self._original.token_to_id(token)
        return found

    def id_to_token(self, id: int) -> str | None:
        """Returns the token of an id, as `tokenizers` writes it, or None."""
        found: str | None = self._original.id_to_token(id)
        return found

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Returns the number of tokens."""
        size: int = self._original.get_vocab_size(with_added_tokens)
        return size

    def post_process(
        self,
        encoding: Encoding | tokenizers.Encoding,
        pair: Encoding | tokenizers.Encoding | None = None,
        add_special_tokens: bool = True,
    ) -> tokenizers.Encoding:
        """Truncates, adds special tokens, and pads, as `tokenizers` does."""
        second = None if pair is None else original_of(pair)
        found: tokenizers.Encoding = self._original.post_process(original_of(encoding), second, add_special_tokens)
        return found

    def _encode_batch(self, method: str, input: Any, is_pretokenized: Any, special: Any) -> Any:
        found = None
        if is_pretokenized is False and type(input) in (list, tuple):
            if _calls.is_list(input):
                found = self._served(list(input), None, special, method)
            elif all(type(one) is tuple and len(one) == 2 and _calls.is_list(one) for one in input):
                texts, others = [first for first, _ in input], [second for _, second in input]
                found = self._served(texts, others, special, method) if texts else None
        if found is None:
            return getattr(self._original, method)(input, is_pretokenized, special)
        return [Encoding(found, row) for row in range(len(input))]

    def _served(self, texts: list[str], others: list[str] | None, special: Any, method: str) -> EncodedBatch | None:
        """Encodes by the operators; None: only the original does the same."""
        try:
            return self._encoded(texts, others, special, method)
        except Exception:
            return None  # the original raises an error of its own

    def _encoded(self, texts: list[str], others: list[str] | None, special: Any, method: str) -> EncodedBatch | None:
        backend: Any = self._original
        if type(special) is not bool or backend.encode_special_tokens:
            return None
        table, truncation, padding = self._watch.table(backend), backend.truncation, backend.padding
        if table is None or (truncation is not None and truncation["stride"]):
            return None
        cut = _calls.cut_of(table, truncation, others is not None)
        if cut is None:
            return None
        state = (special, truncation, padding, method)
        originals = _calls.encodings_of(self._watch, table, backend, texts, others, *state)
        # `tokenizers` finds the special tokens of pairs. Its `encode_batch_fast` gives both texts of a pair the type 0
        # if there is no template.
        types, marks = others is None or method == "encode_batch", others is None
        ids, every = Wanted(special, False, False, False, False), Wanted(special, types, True, marks, False)
        columns: Callable[[Wanted], dict[str, Any]]
        if others is None and len(texts) == 1:

            def columns(wanted: Wanted) -> dict[str, Any]:
                row = single_columns(table, texts[0], *cut, padding, wanted)
                return {name: [values] for name, values in row.items()}

        else:
            if others is None:
                rows = table.encode(texts, special, *cut)
            else:
                rows = table.encode_pairs(texts, others, special, *cut)
            columns = partial(list_columns, table, rows, padding)
        return EncodedBatch(originals, columns(ids)["input_ids"], partial(columns, every))

    def _set(self, original: Any, watch: Watch) -> None:
        object.__setattr__(self, "_original", original)
        object.__setattr__(self, "_watch", watch)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in Tokenizer.__slots__:
            raise AttributeError(name)
        return getattr(self._original, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._original, name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._original)})

    def __repr__(self) -> str:
        return repr(self._original)

    def __getstate__(self) -> tuple[Any, Watch]:
        return self._original, self._watch

    def __setstate__(self, state: tuple[Any, Watch]) -> None:
        self._set(*state)
