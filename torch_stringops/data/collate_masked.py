"""CollateMaskedLM and CollateSpanCorruption: batches whose labels are tokens that the input lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.utils.data import get_worker_info

from torch_stringops._checks import check_int, check_number
from torch_stringops._names import named_class
from torch_stringops.data._passes import Passes, Position
from torch_stringops.data.collate_text import CollateText
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword import SubwordTokenizer
from torch_stringops.subword._padding import Width
from torch_stringops.subword._padding import batch as padded

NDArray = np.ndarray[Any, Any]

# The label that losses of torch ignore.
_NO_LABEL = -100
# Of the chosen tokens, the shares that the mask replaces, and a random token.
_MASKED, _RANDOM = 0.8, 0.1


class _Rows(NamedTuple):
    """Ragged rows of tokens, and which of them the tokenizer's template and text give as special tokens."""

    ids: NDArray
    row_splits: NDArray
    is_special: NDArray
    starts_word: NDArray


class _Corruption:
    """Reads texts, and holds the generator of random numbers of this process."""

    _op: str

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        text: str,
        max_length: int | None,
        seed: int | None,
        rank: int | None,
    ) -> None:
        self._texts = CollateText(tokenizer, text, None)
        self.tokenizer = tokenizer
        self.max_length = max_length if max_length is None else check_int(self._op, "max_length", max_length, 1)
        if tokenizer.pad_id is None:
            raise ValueError(f"{self._op}: expected a tokenizer with a `pad_id` (pass `pad_token` to from_file)")
        self.pad_id = tokenizer.pad_id
        self.seed = seed if seed is None else check_int(self._op, "seed", seed, 0, 2**63 - 1)
        self._given_rank = rank if rank is None else check_int(self._op, "rank", rank, 0)
        self._sent_rank = 0  # in a worker that does not inherit torch.distributed
        self._passes = Passes()
        self._made: tuple[int, int, np.random.Generator] | None = None
        self._special = np.array(sorted({*tokenizer.special_ids, self.pad_id}), np.int64)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of the next pass, before an iterator of DataLoader is created."""
        self._passes.set(Position(check_int(self._op, "epoch", epoch, 0), 0))

    def _random(self) -> np.random.Generator:
        """The generator of this process, which is made again after `set_epoch`.

        A worker of DataLoader counts the pass in which it starts, since nothing else tells it the epoch.
        """
        info = get_worker_info()
        worker, setting = 0 if info is None else info.id + 1, self._passes.setting
        if self._made is None or self._made[:2] != (worker, setting):
            epoch = self._passes.begin().epoch
            self._passes.end()
            first = int(torch.randint(2**62, ()).item()) if self.seed is None else self.seed
            key = np.random.PCG64([first, epoch, self._rank(), worker])
            self._made = worker, self._passes.setting, np.random.Generator(key)
        return self._made[2]

    def _rank(self) -> int:
        if self._given_rank is not None:
            return self._given_rank
        is_known = dist.is_available() and dist.is_initialized()
        return dist.get_rank() if is_known else self._sent_rank

    def _rows(self, batch: Sequence[Any] | StringTensor | Mapping[str, Any], special: bool) -> _Rows:
        texts = self._texts._texts_of(batch)
        limit = self.tokenizer.max_length if self.max_length is None else self.max_length
        found = self.tokenizer.encode_spans(texts, add_special_tokens=special, max_length=limit)
        ids, row_splits, begins, ends = (part.numpy() for part in found)
        is_special = np.isin(ids, self._special) | ((begins == ends) & (begins == 0))
        return _Rows(ids, row_splits, is_special, _starts_of_words(texts, row_splits, begins))

    def _padded(self, ids: NDArray, row_splits: NDArray, fill: int) -> dict[str, Tensor]:
        rows = torch.from_numpy(ids), torch.from_numpy(row_splits)
        return padded(*rows, [len(row_splits) - 1], fill, Width(0, False, 1), "right")

    def __getstate__(self) -> dict[str, Any]:
        # Workers that are not forked are told the rank.
        return {**self.__dict__, "_made": None, "_sent_rank": self._rank()}


def _starts_of_words(texts: StringTensor, row_splits: NDArray, begins: NDArray) -> NDArray:
    """Whether each token begins at a space, or after one but not after a token of spaces; others begin no word.

    The first token of a text may be among the others. Tokens of one character begin at the same place.
    """
    data, offsets = texts.data.numpy(), texts.offsets.numpy()
    at = offsets[:-1].repeat(np.diff(row_splits)).astype(np.int64) + begins
    is_space = np.append(np.isin(data, np.frombuffer(b" \t\n\r\f\v", np.uint8)), True)
    # A token of spaces belongs to the word after it: no other bytes are between the begins of both.
    letters = np.append(0, np.cumsum(~is_space))
    follows_letters = np.diff(letters[at], prepend=-1) > 0
    found: NDArray = is_space[at] | (is_space[at - 1] & follows_letters)
    return found


@named_class
class CollateMaskedLM(_Corruption):
    r"""Collates texts to batches of a masked language model, such as BERT's.

    Each token of the text is chosen with a given probability, and is then the label at its position. Of the
    chosen tokens, 80 % are replaced by the mask, 10 % by a random token, and 10 % stay. Special tokens are
    neither chosen nor used as random tokens.

    Args:
        tokenizer: a SubwordTokenizer with a `pad_id`. Its template adds special tokens to each text.
        mask_id: the id of the mask.
        probability: the probability that a token, or a word, is chosen.
        whole_words: choose all tokens of a word or none. A word begins where a text begins, and at or after
            whitespace. A token of whitespace alone belongs to the word after it.
        seed: the seed of the choices, which depend on it, the epoch, the rank and the worker of DataLoader, and are the
            same in every run. A pass over a DataLoader whose workers start anew is an epoch; persistent workers,
            and loops without workers, go on in the numbers of theirs. `set_epoch` chooses an epoch, such as that in
            which training resumes. None: torch's default generator gives the seed.
        text: the name of the column of texts, if rows are dicts.
        max_length: maximum length of a row with its special tokens. None: that of the tokenizer.
        rank: the rank of this process. Default: that of torch.distributed, or 0.

    Returns:
        `input_ids` and `attention_mask`, int64 `[N, L]`, and `labels`, int64 `[N, L]`, the ids of the chosen tokens,
        -100 elsewhere.

    Raises:
        TypeError, ValueError: an argument is not as above; a batch has no rows.

    Example:
        >>> from torch_stringops import SubwordTokenizer
        >>> ranks = {bytes([byte]): byte for byte in range(256)}
        >>> special = {"<pad>": 256, "<mask>": 257}
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, r"\S+|\s+", special, pad_token="<pad>")
        >>> batch = CollateMaskedLM(tokenizer, mask_id=257, probability=0.5)(["to be or not to be", "that"])
        >>> list(batch), batch["labels"].shape
        (['input_ids', 'attention_mask', 'labels'], torch.Size([2, 18]))
    """

    _op = "CollateMaskedLM"

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        mask_id: int,
        probability: float = 0.15,
        *,
        whole_words: bool = False,
        seed: int | None = 0,
        text: str = "text",
        max_length: int | None = None,
        rank: int | None = None,
    ) -> None:
        super().__init__(tokenizer, text, max_length, seed, rank)
        self.mask_id = check_int(self._op, "mask_id", mask_id, 0, tokenizer.vocab_size - 1)
        self.probability = _share(self._op, "probability", probability)
        self.whole_words = bool(whole_words)
        self._plain = np.setdiff1d(np.arange(tokenizer.vocab_size), [*self._special, self.mask_id])
        if len(self._plain) == 0:
            raise ValueError(f"{self._op}: expected a tokenizer with tokens that are not special")

    def __call__(self, batch: Sequence[Any] | StringTensor | Mapping[str, Any]) -> dict[str, Tensor]:
        rows, random = self._rows(batch, special=True), self._random()
        is_chosen = random.random(len(rows.ids)) < self.probability
        if self.whole_words and len(rows.ids):
            # The number of each token's word: special tokens are words of their own.
            begins = rows.starts_word | rows.is_special
            begins[1:] |= rows.is_special[:-1]
            begins[rows.row_splits[:-1][np.diff(rows.row_splits) > 0]] = True
            is_chosen = is_chosen[begins.nonzero()[0]][begins.cumsum() - 1]
        is_chosen &= ~rows.is_special
        labels = np.where(is_chosen, rows.ids, _NO_LABEL)
        way = random.random(len(rows.ids))
        others = self._plain[random.integers(len(self._plain), size=len(rows.ids))]
        ids = np.where(is_chosen & (way < _MASKED), self.mask_id, rows.ids)
        ids = np.where(is_chosen & (way >= _MASKED) & (way < _MASKED + _RANDOM), others, ids)
        labels_batch = self._padded(labels, rows.row_splits, _NO_LABEL)
        return self._padded(ids, rows.row_splits, self.pad_id) | {"labels": labels_batch["input_ids"]}


@named_class
class CollateSpanCorruption(_Corruption):
    r"""Collates texts to batches of T5's denoising: sentinels replace spans of tokens, which are the labels.

    In a text of n tokens, `round(n * density)` tokens are in spans, at least one and at most n - 1. The
    number of spans is this number divided by `mean_length`, rounded, and at least one. Before each span is a
    part that stays. The lengths of spans and parts are random: all divisions are equally likely. In the
    input, sentinel i replaces span i; the labels are each sentinel followed by the tokens of its span. A text
    of less than two tokens has no spans, and its only label is `eos_id`.

    Args:
        tokenizer: a SubwordTokenizer with a `pad_id`.
        sentinel_ids: the ids of sentinels, in their order; T5's are 32099, 32098, ... Their number is the
            maximum number of spans of a text.
        density: the share of tokens in spans.
        mean_length: the mean number of tokens of a span.
        seed: as in `CollateMaskedLM`.
        eos_id: the id that ends inputs and labels, or None.
        text: the name of the column of texts, if rows are dicts.
        max_length: maximum number of tokens of a text, before spans are replaced. None: that of the tokenizer.
        rank: as in `CollateMaskedLM`.

    Returns:
        `input_ids` and `attention_mask`, int64 `[N, L]`, and `labels`, int64 `[N, M]`, padded by -100.

    Raises:
        TypeError, ValueError: an argument is not as above; a batch has no rows.

    Example:
        >>> from torch_stringops import SubwordTokenizer
        >>> ranks = {bytes([byte]): byte for byte in range(256)}
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, r"\S+|\s+", {"<pad>": 256}, pad_token="<pad>")
        >>> collate = CollateSpanCorruption(tokenizer, sentinel_ids=[300, 301], density=0.4, mean_length=2, eos_id=1)
        >>> batch = collate(["0123456789"])
        >>> int((batch["input_ids"] >= 300).sum()), batch["labels"].shape  # 6 + 2 + 1, 4 + 2 + 1
        (2, torch.Size([1, 7]))
    """

    _op = "CollateSpanCorruption"

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        sentinel_ids: Sequence[int],
        density: float = 0.15,
        mean_length: float = 3.0,
        *,
        seed: int | None = 0,
        eos_id: int | None = None,
        text: str = "text",
        max_length: int | None = None,
        rank: int | None = None,
    ) -> None:
        super().__init__(tokenizer, text, max_length, seed, rank)
        if not isinstance(sentinel_ids, Sequence) or len(sentinel_ids) == 0:
            raise TypeError(f"{self._op}: expected `sentinel_ids` to be a list of ids")
        self.sentinel_ids = [check_int(self._op, "sentinel_ids", id, 0, 2**31 - 1) for id in sentinel_ids]
        self.density = _share(self._op, "density", density)
        self.mean_length = check_number(self._op, "mean_length", mean_length)
        if not 1 <= self.mean_length < 2**31:
            raise ValueError(f"{self._op}: expected `mean_length` within [1, 2**31), got {mean_length:.6g}")
        self.eos_id = eos_id if eos_id is None else check_int(self._op, "eos_id", eos_id, 0, 2**31 - 1)

    def __call__(self, batch: Sequence[Any] | StringTensor | Mapping[str, Any]) -> dict[str, Tensor]:
        rows, random = self._rows(batch, special=False), self._random()
        lengths = np.diff(rows.row_splits)
        has_spans = lengths > 1
        noise = np.clip(np.rint(lengths * self.density), 1, np.maximum(lengths - 1, 1)).astype(np.int64)
        spans = np.maximum(np.rint(noise / self.mean_length), 1).astype(np.int64)
        spans = np.minimum(np.minimum(spans, len(self.sentinel_ids)), np.minimum(noise, lengths - noise))
        noise, spans = np.where(has_spans, noise, 0), np.where(has_spans, spans, 0)
        # Parts that stay and spans follow each other; the sizes of the 2 * spans parts of each row.
        sizes = np.empty(2 * int(spans.sum()), np.int64)
        sizes[0::2] = _divided(lengths[has_spans] - noise[has_spans], spans[has_spans], random)
        sizes[1::2] = _divided(noise[has_spans], spans[has_spans], random)
        is_span = np.zeros(len(rows.ids), np.bool_)
        is_span[has_spans.repeat(lengths)] = np.arange(len(sizes)).repeat(sizes) % 2 == 1
        begins = is_span.copy()
        begins[1:] &= ~is_span[:-1]  # a row begins with a token that stays
        firsts = begins.cumsum() - begins  # spans before each token, of all rows
        number = firsts - (spans.cumsum() - spans).repeat(lengths)
        sentinels = np.array(self.sentinel_ids, np.int64)[np.minimum(number, len(self.sentinel_ids) - 1)]
        ids = np.where(begins, sentinels, rows.ids)
        inputs = self._ended(ids, ~is_span | begins, rows.row_splits)
        # A sentinel stands before the first token of its span.
        counts = is_span.astype(np.int64) + begins
        labels = rows.ids.repeat(counts)
        labels[(counts.cumsum() - counts)[begins]] = sentinels[begins]
        row_splits = np.append(0, counts.cumsum())[rows.row_splits]
        targets = self._ended(labels, np.ones(len(labels), np.bool_), row_splits)
        found = self._padded(*inputs, self.pad_id)
        return found | {"labels": self._padded(*targets, _NO_LABEL)["input_ids"]}

    def _ended(self, ids: NDArray, keeps: NDArray, row_splits: NDArray) -> tuple[NDArray, NDArray]:
        """The ids that are kept, and the one that ends a row."""
        splits = np.append(0, keeps.cumsum())[row_splits]
        ids = ids[keeps]
        if self.eos_id is None:
            return ids, splits
        return np.insert(ids, splits[1:], self.eos_id), splits + np.arange(len(splits))


def _divided(totals: NDArray, parts: NDArray, random: np.random.Generator) -> NDArray:
    """Divides each total into so many parts of at least one, in any way with equal probability; the parts in order."""
    # Of the totals[i] - 1 places between items, parts[i] - 1 are cuts: those of the least random numbers.
    places = totals - 1
    of = np.arange(len(totals)).repeat(places)
    order = np.lexsort((random.random(len(of)), of))
    rank = np.arange(len(of)) - (places.cumsum() - places).repeat(places)
    is_cut = np.zeros(len(of), np.bool_)
    is_cut[order] = rank < (parts - 1).repeat(places)
    # An item begins a part if it is the first of its total, or after a cut.
    begins = np.ones(int(totals.sum()), np.bool_)
    is_first = np.zeros(len(begins), np.bool_)
    is_first[totals.cumsum() - totals] = True
    begins[~is_first] = is_cut
    return np.diff(np.append(begins.nonzero()[0], len(begins)))


def _share(op: str, name: str, value: float) -> float:
    value = check_number(op, name, value)
    if not 0 < value < 1:
        raise ValueError(f"{op}: expected `{name}` within (0, 1), got {value:.6g}")
    return value
