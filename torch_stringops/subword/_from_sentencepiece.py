"""SubwordTokenizer.from_sentencepiece."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from torch_stringops._checks import quoted
from torch_stringops.subword._definition import Definition
from torch_stringops.subword._sentencepiece import read_sentencepiece

if TYPE_CHECKING:
    from typing import Self

    from torch_stringops._vocabulary_arguments import Text

_OP = "SubwordTokenizer.from_sentencepiece"


class FromSentencePiece:
    if TYPE_CHECKING:

        def __init__(self, definition: Definition) -> None: ...

        def _padded_with(self, op: str, pad_token: Text | None) -> Self: ...

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
        if isinstance(source, str | PathLike):
            data = Path(source).read_bytes()
        elif isinstance(source, bytes):
            data = source
        else:
            raise TypeError(
                f"{_OP}: expected `source` to be the path of a file or bytes, got {quoted(type(source).__name__)}"
            )
        definition = read_sentencepiece(_OP, data, bool(add_bos), bool(add_eos))
        return cls(definition)._padded_with(_OP, pad_token)
