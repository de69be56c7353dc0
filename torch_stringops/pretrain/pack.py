"""Batches of blocks of a fixed number of tokens, for training a language model."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import check_choice, check_int
from torch_stringops._names import named_class
from torch_stringops._types import PackMode
from torch_stringops.data.streams.passes import Position
from torch_stringops.data.streams.stepped_dataset import SteppedDataset
from torch_stringops.data.streams.steps import Steps
from torch_stringops.pretrain.packing import BestFit, Concatenation, Packing
from torch_stringops.pretrain.permutation import BlockOrder
from torch_stringops.pretrain.token_dataset import TokenDataset

_OP = "Pack"
# A change of the blocks or their order for equal settings changes this number.
_VERSION = 1
# The label that losses of torch ignore.
_NO_LABEL = -100


@named_class
class Pack(SteppedDataset[dict[str, Tensor]]):
    """Packs the tokens of a TokenDataset into blocks of a fixed length, and yields batches of these.

    Use it in a loop, or in DataLoader with `batch_size=None`. A batch is a dict of tensors, where B is
    `batch_size` and L is `length`:

    | name | type | content |
    |---|---|---|
    | `input_ids` | int64 `[B, L + 1]` | the tokens of each block: `[:, :L]` are inputs |
    | `labels` | int64 `[B, L]` | the token after each input, or -100 if none is to be predicted |
    | `position_ids` | int64 `[B, L]` | the position of each input in its document, from 0 in each block |
    | `document_ids` | int64 `[B, L]` | the document of each input in the dataset, -1 for padding |
    | `cu_seqlens` | int32 `[n + 1]` | the bounds of documents among the B * L inputs; padding counts as one |

    Attention within documents takes `document_ids` (a mask of FlexAttention) or `cu_seqlens` (kernels for sequences of
    different lengths, torch.nested); docs/scale.md shows both.

    With `mode="concat"`, documents follow each other, and block i begins at token `i * length`: two adjacent
    blocks have one token in common, the last label of the one and the first input of the other. The last
    tokens, which do not fill a block, are left out. With `mode="best_fit"`, documents are not cut, unless
    they are longer than a block: each is put into the fullest block that has room for it, the longest first,
    within windows of 2^20 documents. The rest of a block is padding.

    A step is a batch on every rank: the next `batch_size * world_size` blocks of the epoch. Their order depends on the
    dataset, `length`, `mode`, `shuffle`, `seed` and the epoch, but not on ranks, workers or `batch_size`; a state
    resumes at the block after the last step, on any number of ranks. `drop_last`, `even`, `rank`, `world_size`,
    `state_dict`, `load_state_dict` and `set_epoch` are as in StreamingDataset. A state fits JSON.

    Args:
        dataset: the documents. The `length` of the dataset is not used.
        length: L, the number of inputs of a block.
        batch_size: the number of blocks of a batch, on each rank.
        mode: "concat" or "best_fit".
        pad_id: the id of padding, with "best_fit". Default: the id that ends documents, or 0 if there is none.
        mask_boundaries: do not predict the first token of a document: its label is -100.
        shuffle: permute the blocks of each epoch; with "best_fit", the windows, and the blocks of each.
        seed: the seed of the order.
        drop_last: drop the last step if it is not complete.
        even: repeat blocks so that all ranks have the same number.
        rank, world_size: the rank of this process, and the number of ranks. Default: those of
            torch.distributed, if it is initialized, otherwise 0 and 1.

    Attributes:
        padding: the share of padding in the tokens of all blocks.
        num_blocks: the number of blocks of an epoch, on all ranks together.

    Raises:
        OSError: a file of the dataset has been truncated.
        TypeError, ValueError: an argument is not as above.

    Example:
        >>> import tempfile
        >>> from torch_stringops import SubwordTokenizer
        >>> from torch_stringops.pretrain import TokenDataset, write_tokens
        >>> ranks = {bytes([byte]): byte for byte in range(256)}
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, r"\\S+|\\s+")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = write_tokens(["to be", "or"], tokenizer, folder, eos_id=0, progress=False)
        ...     (batch,) = Pack(TokenDataset(folder), length=4, batch_size=2)
        >>> batch["input_ids"]
        tensor([[116, 111,  32,  98, 101],
                [101,   0, 111, 114,   0]])
        >>> batch["position_ids"].tolist(), batch["cu_seqlens"].tolist()
        ([[0, 1, 2, 3], [0, 1, 0, 1]], [0, 4, 6, 8])
    """

    _op = _OP

    def __init__(
        self,
        dataset: TokenDataset,
        length: int,
        batch_size: int,
        mode: PackMode = "concat",
        *,
        pad_id: int | None = None,
        mask_boundaries: bool = False,
        shuffle: bool = False,
        seed: int = 0,
        drop_last: bool = False,
        even: bool = True,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> None:
        if not isinstance(dataset, TokenDataset):
            raise TypeError(f"{_OP}: expected `dataset` to be a TokenDataset, got {type(dataset).__name__}")
        self.dataset = dataset
        self.length = check_int(_OP, "length", length, 1, 2**31 - 2)
        self._set_up(batch_size, drop_last, even, rank, world_size)
        if self.batch_size * self.length >= 2**31:
            raise ValueError(f"{_OP}: expected less than 2**31 inputs of a batch, got {batch_size} * {length}")
        check_choice(_OP, "mode", mode, ("concat", "best_fit"))
        self.mode = mode
        eos_id = dataset.manifest.get("eos_id")
        self.pad_id = (eos_id or 0) if pad_id is None else check_int(_OP, "pad_id", pad_id, 0)
        self.mask_boundaries, self.shuffle = bool(mask_boundaries), bool(shuffle)
        self.seed = check_int(_OP, "seed", seed, 0, 2**63 - 1)
        self._packing: Packing = (Concatenation if mode == "concat" else BestFit)(dataset, self.length)

    @property
    def num_blocks(self) -> int:
        return self._packing.num_blocks

    @property
    def padding(self) -> float:
        return 1 - self._packing.num_used / max(1, self.num_blocks * (self.length + 1))

    def _batches(self, position: Position, steps: Steps, numbers: range) -> Generator[dict[str, Tensor], None, None]:
        order = BlockOrder(self._packing.runs(), [self.seed, position.epoch] if self.shuffle else None)
        for step in numbers:
            blocks = [order.block(row) for range_ in steps.of(step) for row in range(*range_)]
            yield self._batch(blocks)

    def _batch(self, blocks: list[int]) -> dict[str, Tensor]:
        shape = len(blocks), self.length + 1
        ids = np.full(shape, self.pad_id, np.int64)
        documents = np.full(shape, -1, np.int64)
        for row, block in enumerate(blocks):
            parts = self._packing.parts(block)
            at = 0
            for document, begin, count in zip(*(part.tolist() for part in parts), strict=True):
                ids[row, at : at + count] = self.dataset._read(begin, begin + count)
                documents[row, at : at + count] = document
                at += count
        inputs = documents[:, :-1]
        begins = np.ones(inputs.shape, np.bool_)
        begins[:, 1:] = inputs[:, 1:] != inputs[:, :-1]
        places = np.arange(self.length)
        positions = places - np.maximum.accumulate(np.where(begins, places, 0), axis=1)
        labels = ids[:, 1:].copy()
        has_none = documents[:, 1:] < 0
        if self.mask_boundaries:
            has_none |= documents[:, 1:] != inputs
        labels[has_none] = _NO_LABEL
        bounds = np.append(begins.reshape(-1).nonzero()[0], inputs.size).astype(np.int32)
        arrays = {
            "input_ids": ids,
            "labels": labels,
            "position_ids": positions,
            "document_ids": np.ascontiguousarray(inputs),
            "cu_seqlens": bounds,
        }
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def _num_rows(self) -> int:
        return self.num_blocks

    def _settings(self) -> dict[str, Any]:
        manifest = self.dataset.manifest
        return {
            "version": _VERSION,
            "tokenizer": manifest.get("tokenizer"),
            "documents": self.dataset.num_documents,
            "tokens": self.dataset.num_tokens,
            "length": self.length,
            "mode": self.mode,
            "mask_boundaries": self.mask_boundaries,
            **({"pad_id": self.pad_id} if self.mode == "best_fit" else {}),
            "shuffle": self.shuffle,
            **({"seed": self.seed} if self.shuffle else {}),
        }
