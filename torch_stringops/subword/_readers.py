"""The readers of SubwordTokenizer: files and objects of other libraries."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from torch_stringops._checks import quoted
from torch_stringops.subword._definition import Definition
from torch_stringops.subword._files import folder_of, read_path, read_word_pieces
from torch_stringops.subword._huggingface import read_json
from torch_stringops.subword._json import parse_json
from torch_stringops.subword._sentencepiece import read_sentencepiece
from torch_stringops.subword._state import SubwordState
from torch_stringops.subword._tiktoken import ranks_of, read_ranks

if TYPE_CHECKING:
    from typing_extensions import Self

    from torch_stringops._types import Text

_OP = "SubwordTokenizer"


class HasText(Protocol):
    """A `tokenizers.Tokenizer`."""

    def to_str(self, pretty: bool = ...) -> str: ...


class HasBackend(Protocol):
    """A fast tokenizer of `transformers`."""

    @property
    def backend_tokenizer(self) -> HasText: ...


class HasRanks(Protocol):
    """A `tiktoken.Encoding`."""

    _mergeable_ranks: dict[bytes, int]
    _pat_str: str
    _special_tokens: dict[str, int]


class Readers(SubwordState):
    """A SubwordState that can be read from files."""

    if TYPE_CHECKING:

        def token_to_id(self, token: Text) -> int | None: ...

    @classmethod
    def from_file(cls, source: str | PathLike[str] | HasText | HasBackend, *, pad_token: Text | None = None) -> Self:
        """Reads a tokenizer.json, the format of Hugging Face's `tokenizers`, or another file that describes itself.

        Ids, and the text of decoded ids, are those of the library that the file belongs to.

        Args:
            source: the path of a tokenizer.json; or its text, a str that begins with `{`; or a
                `tokenizers.Tokenizer`; or a fast tokenizer of `transformers`, of which padding, `model_max_length`
                and `model_input_names` are taken as well. Or the path of a tekken.json of Mistral, a model of
                SentencePiece, a vocabulary of RWKV, or one of these files compressed by gzip; or of a folder, as in
                `from_pretrained`.
            pad_token: the token that pads rows. None: that of the file or the object, if it names one.

        Raises:
            OSError: the file cannot be read.
            TypeError: `source` is none of these.
            ValueError: the file is none of these, and the message names the reader to use if it is known; or it has
                parts that are not supported, of which the message names all, or has no token `pad_token`.

        Example:
            >>> import json
            >>> from torch_stringops.subword._bytelevel import to_alphabet
            >>> vocab = {to_alphabet(bytes([byte])): byte for byte in range(256)} | {"to": 256}
            >>> text = json.dumps({
            ...     "model": {"type": "BPE", "vocab": vocab, "merges": ["t o"]},
            ...     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
            ...     "decoder": {"type": "ByteLevel"},
            ... })
            >>> SubwordTokenizer.from_file(text).encode(["to be"])
            (tensor([256,  32,  98, 101]), tensor([0, 4]))
        """
        op = f"{_OP}.from_file"
        definition = _definition_of(op, source)
        if hasattr(source, "backend_tokenizer"):
            definition.settings |= _settings_of(source)
        _warn_of(op, definition)
        return cls(definition)._padded_with(op, pad_token or definition.pad_token)

    @classmethod
    def from_pretrained(cls, name_or_path: str | PathLike[str], *, pad_token: Text | None = None) -> Self:
        """Reads the tokenizer in the folder of a model.

        Args:
            name_or_path: the path of a folder that contains tokenizer.json, tekken.json, a model of SentencePiece or
                vocab.txt. Sides of padding and truncation, `model_max_length`, `model_input_names` and the padding
                token are those of tokenizer_config.json and special_tokens_map.json, if these files exist. Or the name
                of a model whose files are in the cache of `huggingface_hub`; nothing is downloaded.
            pad_token: the token that pads rows. None: that of the files, if they name one.

        Raises:
            OSError: there is no such folder, or a file cannot be read.
            ValueError: the folder has none of these files, or a file is not supported; see `from_file`.

        Example:
            >>> import json, os, tempfile
            >>> from torch_stringops.subword._bytelevel import to_alphabet
            >>> vocab = {to_alphabet(bytes([byte])): byte for byte in range(256)} | {"to": 256, "<pad>": 257}
            >>> model = {"type": "BPE", "vocab": vocab, "merges": ["t o"]}
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     for name, found in {
            ...         "tokenizer.json": {
            ...             "model": model, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
            ...             "decoder": {"type": "ByteLevel"}},
            ...         "tokenizer_config.json": {"pad_token": "<pad>", "padding_side": "left"},
            ...     }.items():
            ...         with open(os.path.join(folder, name), "w") as file:
            ...             json.dump(found, file)
            ...     tokenizer = SubwordTokenizer.from_pretrained(folder)
            >>> tokenizer(["to be", "to"])["input_ids"]
            tensor([[256,  32,  98, 101],
                    [257, 257, 257, 256]])
        """
        op = f"{_OP}.from_pretrained"
        definition = read_path(op, folder_of(op, name_or_path))
        _warn_of(op, definition)
        return cls(definition)._padded_with(op, pad_token or definition.pad_token)

    @classmethod
    def from_tiktoken(
        cls,
        ranks: HasRanks | Mapping[bytes, int] | str | PathLike[str],
        pattern: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
        *,
        pad_token: Text | None = None,
    ) -> Self:
        r"""Reads the ranks of `tiktoken`.

        Ids are those of `encode(text, allowed_special="all")`: special tokens in the text become their ids. Without
        `special_tokens`, ids are those of `encode_ordinary`.

        Args:
            ranks: a `tiktoken.Encoding`, which has the other arguments too; or a dict of bytes -> rank; or the path of
                a file of lines of a token in base64 and its rank.
            pattern: the regular expression that cuts text into words; docs/subword_internals.md has its limits.
            special_tokens: token -> id.
            pad_token: the token that pads rows.

        Raises:
            OSError: the file cannot be read.
            TypeError: the type of an argument is not as above.
            ValueError: the pattern is not supported, the file is malformed, a byte has no rank, or there is no token
                `pad_token`.

        Example:
            >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"be": 256}
            >>> pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
            >>> SubwordTokenizer.from_tiktoken(ranks, pattern, {"<|end|>": 257}).encode("to be<|end|>")[0]
            tensor([116, 111,  32, 256, 257])
        """
        op = f"{_OP}.from_tiktoken"
        given: Any = ranks
        if hasattr(given, "_mergeable_ranks"):
            if pattern is None:
                pattern = given._pat_str
            if special_tokens is None:
                special_tokens = given._special_tokens
            given = given._mergeable_ranks
        if not isinstance(pattern, str):
            raise TypeError(f"{op}: expected `pattern` to be a str, got {type(pattern).__name__}")
        definition = read_ranks(op, ranks_of(op, given), pattern, special_tokens or {})
        return cls(definition)._padded_with(op, pad_token)

    @classmethod
    def from_wordpiece(cls, source: str | PathLike[str], *, lower: bool = True, pad_token: Text | None = None) -> Self:
        """Reads a vocab.txt, the vocabulary of a BERT model.

        Ids are those of `transformers.BertTokenizerFast`: text is cleaned, Chinese characters are words, and `[CLS]`
        and `[SEP]` are the special tokens of its template.

        Args:
            source: the path of a file of lines of one token, whose number, from 0, is its id. The tokens `[UNK]`,
                `[CLS]` and `[SEP]` must be among them.
            lower: lower-case text, and strip its accents: True for models that are called "uncased".
            pad_token: the token that pads rows. None: `[PAD]`, if it is one of the tokens.

        Raises:
            OSError: the file cannot be read.
            ValueError: a token is missing.

        Example:
            >>> import os, tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "vocab.txt")
            ...     with open(path, "w") as file:
            ...         _ = file.write("[PAD]\\n[UNK]\\n[CLS]\\n[SEP]\\nto\\n##ken\\n##s\\n")
            ...     tokenizer = SubwordTokenizer.from_wordpiece(path)
            >>> tokenizer(["Tokens", "to"])["input_ids"]
            tensor([[2, 4, 5, 6, 3],
                    [2, 4, 3, 0, 0]])
        """
        op = f"{_OP}.from_wordpiece"
        return cls(read_word_pieces(op, source, lower))._padded_with(op, pad_token)

    @classmethod
    def from_sentencepiece(
        cls,
        source: str | PathLike[str] | bytes,
        *,
        add_bos: bool = False,
        add_eos: bool = False,
        pad_token: Text | None = None,
    ) -> Self:
        r"""Reads a model of SentencePiece, of the kind Unigram or BPE.

        Ids and the text of decoded ids are those of `sentencepiece` 0.2.3. Those of a tokenizer.json that was converted
        from the same model may differ from them.

        Args:
            source: the path of a .model file, or its bytes.
            add_bos: the template of special tokens has the model's `<s>` before a text.
            add_eos: the template has the model's `</s>` after a text.
            pad_token: the token that pads rows. None: that of the model, if it has one.

        Raises:
            OSError: the file cannot be read.
            TypeError: `source` is none of these.
            ValueError: the file is not such a model, or has parts that are not supported, of which the message names
                all; or it has no such token.

        Example:
            >>> import struct
            >>> def piece(text, score, kind=1):
            ...     text = text.encode()
            ...     message = b"\n" + bytes([len(text)]) + text + b"\x15" + struct.pack("<f", score) + bytes([24, kind])
            ...     return b"\n" + bytes([len(message)]) + message
            >>> model = piece("<unk>", 0, kind=2) + piece("\u2581to", -1) + piece("\u2581be", -1) + piece("\u2581", -2)
            >>> tokenizer = SubwordTokenizer.from_sentencepiece(model)
            >>> ids, row_splits = tokenizer.encode(["to  be", "it"])
            >>> ids.tolist(), tokenizer.decode(ids, row_splits).tolist()
            ([1, 2, 3, 0], ['to be', ' \u2047 '])
        """
        op = f"{_OP}.from_sentencepiece"
        if isinstance(source, str | PathLike):
            data = Path(source).read_bytes()
        elif isinstance(source, bytes):
            data = source
        else:
            raise TypeError(
                f"{op}: expected `source` to be the path of a file or bytes, got {quoted(type(source).__name__)}"
            )
        definition = read_sentencepiece(op, data, bool(add_bos), bool(add_eos))
        return cls(definition)._padded_with(op, pad_token)

    def _padded_with(self, op: str, pad_token: Text | None) -> Self:
        """Sets the padding token, which must be one of the tokens."""
        if pad_token is not None:
            id = self.token_to_id(pad_token)
            if id is None:
                raise ValueError(f"{op}: expected `pad_token` to be one of the tokens, got {quoted(pad_token)}")
            self._settings = self._settings._replace(pad=id)
            self._mark()
        return self


def _warn_of(op: str, definition: Definition) -> None:
    if definition.not_defaults:
        warnings.warn(
            f"{op}: the file has defaults that calls of this library do not have: "
            f"{', '.join(definition.not_defaults)} (see the arguments of a call)",
            stacklevel=4,
        )


def _definition_of(op: str, source: Any) -> Definition:
    """What a path, a text that begins with `{`, or an object of `tokenizers` or `transformers` says."""
    tokenizer = getattr(source, "backend_tokenizer", source)
    if hasattr(tokenizer, "to_str"):
        found = parse_json(op, tokenizer.to_str())
        if tokenizer is not source:  # those of the backend are of its last call
            found["padding"] = found["truncation"] = None
        return read_json(op, found, from_file=False)
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return read_json(op, parse_json(op, source))
    if isinstance(source, str | PathLike):
        return read_path(op, source)
    raise TypeError(
        f"{op}: expected the path or the text of a tokenizer.json, or an object with `to_str` or "
        f"`backend_tokenizer`, got {type(source).__name__}"
    )


def _settings_of(tokenizer: Any) -> dict[str, int]:
    """The settings of a tokenizer of `transformers` that its file does not have."""
    settings = {
        "pads_left": int(tokenizer.padding_side == "left"),
        "truncates_left": int(getattr(tokenizer, "truncation_side", "right") == "left"),
        "types": int("token_type_ids" in tokenizer.model_input_names),
        "pad_type": tokenizer.pad_token_type_id,
    }
    if tokenizer.pad_token_id is not None:
        settings["pad"] = tokenizer.pad_token_id
    if tokenizer.model_max_length < 2**31:  # otherwise it stands for "none"
        settings["max_length"] = tokenizer.model_max_length
    return settings
