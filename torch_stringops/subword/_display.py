"""What notebooks and terminals show of a SubwordTokenizer: its tokens, and texts with their tokens in colours."""

from __future__ import annotations

import os
import sys
from html import escape
from itertools import islice
from typing import NamedTuple

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_flag
from torch_stringops._html import MAX_ROWS, printable, table
from torch_stringops._types import StringsLike, Text
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.printing import string_repr

_OP = "SubwordTokenizer.show_tokens"
# Light backgrounds for black text, as codes of terminals of 256 colours.
_COLORS = (217, 159, 229, 183, 157, 223, 153, 193, 225, 195, 216, 189)
# The levels of red, green and blue of these codes.
_LEVELS = (0, 95, 135, 175, 215, 255)

MAX_TEXTS = 100
MAX_TOKENS = 1000
# Maximum number of characters shown of a token, or of the text between two.
_MAX_TEXT = 100


class Part(NamedTuple):
    """A token of a text, or the bytes between two tokens, which have no id."""

    text: str
    id: int | None
    ends_line: bool


def tokens_table(tokens: StringTensor, special: list[int], settings: str) -> str:
    """Returns the sizes and the first tokens as HTML: special ones before others."""
    size = len(tokens)
    skipped = set(special)
    others = (id for id in range(size) if id not in skipped)
    first = sorted(special)[: MAX_ROWS // 2]
    first += islice(others, MAX_ROWS - len(first))
    rows: list[list[object]] = []
    for id in first:
        begin, end = tokens.offsets[id : id + 2].tolist()
        rows.append([id, string_repr(tokens.data, begin, end), "special" if id in skipped else ""])
    if size > len(rows):
        rows.append(["…", "…", ""])
    facts = [("ids", f"{size:,}"), ("of special tokens", f"{len(special):,}")]
    return table(f"SubwordTokenizer({settings})", facts, ["id", "token", ""], rows)


class ShownTokens:
    """Texts with their tokens marked: in colours by id in a notebook and in a terminal, else divided by `|`.

    Attributes:
        num_texts, num_tokens: the number of texts and tokens that are shown.
    """

    def __init__(self, rows: list[list[Part]], more: bool, color: bool | None) -> None:
        self.num_texts = len(rows)
        self.num_tokens = sum(part.id is not None for row in rows for part in row)
        self._rows, self._more, self._color = rows, more, color

    def __repr__(self) -> str:
        color = self._color
        if color is None:
            color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        rows = [_terminal(row) if color else _plain(row) for row in self._rows]
        return "\n".join([*rows, "…"] if self._more else rows)

    def _repr_html_(self) -> str:
        rows = ["".join(_html(part) for part in row) or "&nbsp;" for row in self._rows]
        if self._more:
            rows.append("…")
        style = "font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.7"
        return f'<div style="{style}">' + "".join(f"<div>{row}</div>" for row in rows) + "</div>"


def _color_of(id: int) -> int:
    return _COLORS[id % len(_COLORS)]


def _plain(row: list[Part]) -> str:
    pieces: list[str] = []
    for i, part in enumerate(row):
        if i and not row[i - 1].ends_line and (part.id is not None or row[i - 1].id is not None):
            pieces.append("|")
        pieces.append(part.text + ("\n" if part.ends_line else ""))
    return "".join(pieces)


def _terminal(row: list[Part]) -> str:
    pieces: list[str] = []
    before, underlined = -1, False
    for part in row:
        color = -1 if part.id is None else _color_of(part.id)
        # Of two adjacent tokens of one colour, one is underlined, which shows where the other ends.
        underlined = color == before != -1 and not underlined
        text = part.text if color < 0 else f"\x1b[{'4;' * underlined}38;5;16;48;5;{color}m{part.text}\x1b[0m"
        pieces.append(text + ("\n" if part.ends_line else ""))
        before = color
    return "".join(pieces)


def _html(part: Part) -> str:
    text = f"<bdi>{escape(part.text)}</bdi>"
    if part.id is not None:
        code = _color_of(part.id) - 16
        red, green, blue = (_LEVELS[code // unit % 6] for unit in (36, 6, 1))
        style = f"color:#000;background:#{red:02x}{green:02x}{blue:02x};margin-right:1px"
        text = f'<span title="{part.id}" style="{style}">{text}</span>'
    return text + ("<br>" if part.ends_line else "")


def _part(raw: bytes, id: int | None) -> Part:
    """Bytes that are not UTF-8 become escapes."""
    text = printable(raw[: 4 * _MAX_TEXT].decode(errors="backslashreplace"))
    shown = text[:_MAX_TEXT] + "…" if len(text) > _MAX_TEXT else text
    return Part(shown, id, raw.endswith(b"\n"))


class Display:
    """The method of SubwordTokenizer that shows texts."""

    def show_tokens(
        self, texts: StringsLike, *, add_special_tokens: bool = False, color: bool | None = None
    ) -> ShownTokens:
        r"""Returns an object that shows texts with their tokens marked, in colours by id.

        A notebook shows it in colours, with the ids as tooltips. In a terminal, its repr has colours; elsewhere, a `|`
        between the tokens. Control characters are shown as escapes. If a character is divided into several tokens, each
        of them shows all of it. A token that covers no bytes, such as a special one, is shown as `id_to_token` returns
        it.

        Args:
            texts: strings `[*S]`, in any form that `as_strings` accepts; the first 100 are shown, and their first 1,000
                tokens.
            add_special_tokens: add the special tokens of the tokenizer's template around each text.
            color: whether the repr has colours, as escape sequences. None: if the output is a terminal, and the
                environment variable NO_COLOR is not set.

        Example:
            >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" b": 257}
            >>> pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
            >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern)
            >>> tokenizer.show_tokens(["to be", "é"])
            to| b|e
            é|é
        """
        adds = check_flag(_OP, "add_special_tokens", add_special_tokens)
        colored = None if color is None else check_flag(_OP, "color", color)
        strings = strings_argument(_OP, "texts", texts)
        flat = strings.reshape([-1]) if strings.shape else strings.reshape([1])
        shown = flat[:MAX_TEXTS]
        ids, *others = (t.tolist() for t in self.encode_spans(shown, add_special_tokens=adds))
        row_splits, begins, ends = others
        names: dict[int, bytes] = {}
        rows: list[list[Part]] = []
        left = MAX_TOKENS
        for i, raw in enumerate(shown.tolist(as_bytes=True)):
            row: list[Part] = []
            at = 0  # the end of the bytes that tokens cover
            first, last = row_splits[i], row_splits[i + 1]
            for j in range(first, min(last, first + left)):
                id, begin, end = ids[j], begins[j], ends[j]
                if begin > at:
                    row.append(_part(raw[at:begin], None))
                if begin == end and id not in names:
                    names[id] = self._name(id)
                row.append(_part(raw[begin:end] if begin < end else names[id], id))
                at = max(at, end)
            if at < len(raw) and last - first <= left:
                row.append(_part(raw[at:], None))
            rows.append(row)
            left -= last - first
            if left < 0:
                break
        return ShownTokens(rows, left < 0 or len(flat) > len(rows), colored)

    def _name(self, id: int) -> bytes:
        name = self.id_to_token(id) or b""
        return name.encode() if isinstance(name, str) else name

    def id_to_token(self, id: int) -> Text | None:
        raise NotImplementedError

    def encode_spans(
        self, input: StringsLike, *, add_special_tokens: bool = False, max_length: int | None = None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        raise NotImplementedError
