"""Reads the models of SentencePiece, of the kinds Unigram and BPE."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._charsmap import is_charsmap
from torch_stringops.subword._definition import SPECIAL, Definition, Unsupported, check_id, hexed
from torch_stringops.subword._json import strings_of, tensor_of
from torch_stringops.subword._protobuf import fields
from torch_stringops.subword._unigram import UNKNOWN_PENALTY, byte_line, score_line, score_rows

SPACE = "\u2581".encode()

# Numbers of fields, and types of pieces, of sentencepiece_model.proto.
_PIECES, _TRAINER, _NORMALIZER, _DENORMALIZER = 1, 2, 3, 5
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
_UNIGRAM, _BPE = 1, 2
_OTHER_KINDS = {3: "word", 4: "char"}
_FLOAT = struct.Struct("<f")


@dataclass
class Model:
    """The settings of a file, with defaults for missing ones.

    Attributes:
        texts, scores, kinds: those of each piece, by id: strings, float64 and int32 `[N]`.
    """

    texts: StringTensor
    scores: Tensor
    kinds: Tensor
    kind: int = _UNIGRAM
    byte_fallback: bool = False
    suffix: bool = False
    unknown_surface: bytes = " \u2047 ".encode()
    charsmap: bytes = b""
    dummy_prefix: bool = True
    removes_spaces: bool = True
    escapes: bool = True
    denormalizes: bool = False
    delimiter: bytes = b""
    bos: int = 1
    eos: int = 2
    pad: int = -1

    @cached_property
    def _others(self) -> list[tuple[int, int]]:
        """The ids and the kinds of the pieces that are not NORMAL, which most are."""
        others = (self.kinds != NORMAL).nonzero().flatten()
        return list(zip(others.tolist(), self.kinds[others].tolist(), strict=True))

    @property
    def other_kinds(self) -> set[int]:
        return {kind for _, kind in self._others}

    def ids(self, *kinds: int) -> list[int]:
        """The ids of pieces of some kinds but NORMAL."""
        return [id for id, kind in self._others if kind in kinds]

    def found(self, *kinds: int) -> list[tuple[int, bytes]]:
        """Same as `ids`, with the texts of the pieces."""
        ids = self.ids(*kinds)
        return list(zip(ids, self.texts[ids].tolist(as_bytes=True), strict=True)) if ids else []


def parse_model(op: str, data: bytes) -> Model:
    """Reads a .model file.

    Raises:
        ValueError: it is not one.
    """
    model, rest = _read_pieces(op, data)
    for number, value in fields(op, rest):
        if number == _TRAINER:
            _read_trainer(op, _message(op, value), model)
        elif number == _NORMALIZER:
            _read_normalizer(op, _message(op, value), model)
        elif number == _DENORMALIZER:
            model.denormalizes = any(field == 2 and text for field, text in fields(op, _message(op, value)))
    _check_pieces(op, model)
    return model


def _read_pieces(op: str, data: bytes) -> tuple[Model, bytes]:
    """A model of the pieces in a file, and the fields that are not pieces.

    Raises:
        ValueError: a message is malformed.
    """
    native = _convert.sentencepiece_pieces(data)
    if native is None:
        return _malformed_pieces(op, data), data
    texts, offsets, scores, kinds, rest = native
    pieces = strings_of(texts, offsets), tensor_of(scores, torch.float64), tensor_of(kinds, torch.int32)
    return Model(*pieces), bytes(rest)


def _malformed_pieces(op: str, data: bytes) -> Model:
    """Same as above of any file: raises the error of a malformed one. In Python, for files that are rarely read."""
    pieces = [_piece(op, _message(op, value)) for number, value in fields(op, data) if number == _PIECES]
    texts, scores, kinds = zip(*pieces, strict=True) if pieces else ((), (), ())
    return Model(
        StringTensor.from_list(list(texts)),
        torch.tensor(scores, dtype=torch.float64, device="cpu"),
        torch.tensor(kinds, dtype=torch.int32, device="cpu"),
    )


def _message(op: str, value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError(f"{op}: expected a model of SentencePiece, got a number in place of a message")
    return value


def _number(op: str, value: int | bytes) -> int:
    """An int32 or a bool."""
    if isinstance(value, bytes):
        raise ValueError(f"{op}: expected a model of SentencePiece, got bytes in place of a number")
    value &= 0xFFFFFFFF
    return value - 2**32 if value >= 2**31 else value


def _piece(op: str, message: bytes) -> tuple[bytes, float, int]:
    """The text, the score and the kind of a piece."""
    text, score, kind = b"", 0.0, NORMAL
    for number, value in fields(op, message):
        if number == 1:
            text = _message(op, value)
        elif number == 2:
            bits = _message(op, value)
            if len(bits) != 4:
                raise ValueError(f"{op}: expected scores of four bytes, got {len(bits)}")
            score = _FLOAT.unpack(bits)[0]
        elif number == 3:
            kind = _number(op, value)
    return text, score, kind


def _read_trainer(op: str, message: bytes, model: Model) -> None:
    for number, value in fields(op, message):
        if number == 3:
            model.kind = _number(op, value)
        elif number == 24:
            model.suffix = bool(_number(op, value))
        elif number == 35:
            model.byte_fallback = bool(_number(op, value))
        elif number in (41, 42, 43):
            setattr(model, {41: "bos", 42: "eos", 43: "pad"}[number], _number(op, value))
        elif number == 44:
            model.unknown_surface = _message(op, value)
        elif number == 53:
            model.delimiter = _message(op, value)


def _read_normalizer(op: str, message: bytes, model: Model) -> None:
    for number, value in fields(op, message):
        if number == 2:
            model.charsmap = _message(op, value)
        elif number in (3, 4, 5):
            name = {3: "dummy_prefix", 4: "removes_spaces", 5: "escapes"}[number]
            setattr(model, name, bool(_number(op, value)))


def _check_pieces(op: str, model: Model) -> None:
    """Checks that SentencePiece itself makes, but for that of distinct pieces, which `subword_build` makes."""
    if len(model.ids(UNKNOWN)) != 1:
        raise ValueError(f"{op}: expected a model with one unknown piece, got {len(model.ids(UNKNOWN))}")
    if len(empty := (model.texts.length("byte") == 0).nonzero()):
        raise ValueError(f"{op}: expected pieces of at least one byte, got an empty one of id {int(empty[0])}")
    if len(bad := (~model.scores.isfinite()).nonzero()):
        id = int(bad[0])
        raise ValueError(f"{op}: expected finite scores, got {float(model.scores[id])} of id {id}")
    if model.byte_fallback:
        of_bytes = {text for _, text in model.found(BYTE)}
        if of_bytes != {b"<0x%02X>" % byte for byte in range(256)}:
            raise ValueError(f"{op}: expected pieces of all 256 bytes, got {len(of_bytes)}")


def read_sentencepiece(op: str, data: bytes, add_bos: bool, add_eos: bool) -> Definition:
    """Converts a .model file.

    Raises:
        ValueError: it is not one, or parts of it are not supported; the message names them all.
    """
    model = parse_model(op, data)
    unsupported = Unsupported(op)
    if model.kind not in (_UNIGRAM, _BPE):
        unsupported.add("model_type", _OTHER_KINDS.get(model.kind, model.kind))
    if model.denormalizes:
        unsupported.add("denormalizer_spec with a charsmap")
    if unknown_kinds := model.other_kinds - set(range(NORMAL, BYTE + 1)):
        unsupported.add("types of pieces", sorted(unknown_kinds))
    if model.charsmap and not is_charsmap(model.charsmap):
        unsupported.add("precompiled_charsmap that is malformed")
    unsupported.check()
    definition = Definition()
    of_bytes = [(int(text[3:5], 16), id) for id, text in model.found(BYTE)]
    _place_pieces(op, model, of_bytes, definition)
    unknown = model.ids(UNKNOWN)[0]
    definition.numbers = score_rows(op, _scores(model))
    before: list[str] = []
    after: list[str] = []
    for name, id, adds, ids in (("bos", model.bos, add_bos, before), ("eos", model.eos, add_eos, after)):
        if adds:
            if not 0 <= id < len(model.texts):
                raise ValueError(f"{op}: expected a model with an id of {name}, got {id}")
            ids.append(str(id))
    flags = (model.dummy_prefix, model.removes_spaces, model.escapes, model.suffix)
    definition.lines = [
        "model unigram sentencepiece" if model.kind == _UNIGRAM else "model sentencepiece_bpe",
        f"unk {unknown}",
        score_line(_rounded(_least_score(model) - UNKNOWN_PENALTY)),
        *([byte_line([id for _, id in sorted(dict(of_bytes).items())])] if model.byte_fallback else []),
        *_id_line("frozen", model.ids(USER_DEFINED)),
        *_id_line("unused", model.ids(UNUSED) if model.kind == _BPE else []),
        *([f"charsmap {hexed(model.charsmap)}"] if model.charsmap else []),
        "normalize sentencepiece " + " ".join(str(int(flag)) for flag in flags),
        # No text gives them.
        *(f"added {id} {SPECIAL} -" for id in model.ids(CONTROL)),
        f"template_single {' '.join([*before, 'A', *after])}",
        *_names(model),
        f"decode sentencepiece {2 if model.removes_spaces else int(model.dummy_prefix)}",
    ]
    if 0 <= model.pad < len(model.texts):
        definition.settings = {"pad": model.pad}
    return definition


def _names(model: Model) -> list[str]:
    """The directives of pieces that no text gives."""
    return [f"name {id} {hexed(text)}" for id, text in model.found(*_absent(model))]


def _absent(model: Model) -> tuple[int, ...]:
    """The kinds of pieces that no text gives."""
    return (UNKNOWN, CONTROL, BYTE, *((UNUSED,) if model.kind == _UNIGRAM else ()))


def _id_line(name: str, ids: list[int]) -> list[str]:
    return [f"{name} {' '.join(map(str, ids))}"] if ids else []


def _place_pieces(op: str, model: Model, of_bytes: list[tuple[int, int]], definition: Definition) -> None:
    """Sets the pieces of text, and the texts that the others decode to. `of_bytes` are bytes and their ids."""
    check_id(op, len(model.texts) - 1)
    is_found = torch.ones_like(model.kinds, dtype=torch.bool)
    is_found[model.ids(*_absent(model))] = False
    definition.pieces = model.texts.where(is_found, b"")
    definition.texts = dict(model.found(UNUSED))
    definition.texts |= {id: bytes([byte]) for byte, id in of_bytes}
    for id in model.ids(UNKNOWN):
        definition.texts[id] = model.unknown_surface


def _rounded(score: float) -> float:
    """Rounds a number to float32."""
    rounded: float = struct.unpack("<f", struct.pack("<f", score))[0]
    return rounded


def _least_score(model: Model) -> float:
    scores = model.scores.where(model.kinds == NORMAL, torch.inf)
    least = float(scores.min())
    return least if least < torch.inf else 0.0


def _scores(model: Model) -> Tensor:
    """By id. In Unigram, a piece that the user defined has a tenth for each byte after the first."""
    if model.kind == _BPE:
        return model.scores
    of_users = (0.1 * (model.texts.length("byte") - 1).double()).float().double()
    return of_users.where(model.kinds == USER_DEFINED, model.scores)
