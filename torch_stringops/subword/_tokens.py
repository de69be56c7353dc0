"""The tokens of a file, and their ids."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torch_stringops.functions.joining import cat
from torch_stringops.ops.vocabulary import _vocab_build, _vocab_encode
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._definition import check_id


class Tokens:
    """Distinct tokens with distinct ids. Of equal tokens, the last one counts.

    Args:
        op: the function that errors name.
        strings: strings `[N]`.
        ids: int64 `[N]`.
        noun: what an id is called in errors.

    Raises:
        ValueError: an id is not within [0, MAX_IDS), or two tokens have one id.
    """

    def __init__(self, op: str, strings: StringTensor, ids: Tensor, noun: str = "id") -> None:
        try:
            self._table = _vocab_build(strings)
        except ValueError:  # equal tokens
            last = dict(zip(strings.tolist(as_bytes=True), ids.tolist(), strict=True))
            strings, ids = StringTensor.from_list(list(last)), ids.new_tensor(list(last.values()))
            self._table = _vocab_build(strings)
        self.strings, self.ids = strings, ids
        self.num_ids = 0
        if len(ids) == 0:
            self._places = ids.new_zeros(0)
            return
        least, most = (int(id) for id in ids.aminmax())
        check_id(op, least)
        check_id(op, most)
        self.num_ids = most + 1
        self._places = torch.full([self.num_ids], -1, dtype=torch.int64, device="cpu")
        self._places[ids] = torch.arange(len(ids), device="cpu")
        if int((self._places >= 0).sum()) < len(ids):
            raise ValueError(f"{op}: expected distinct {noun}s of tokens, got two tokens with one {noun}")

    def __len__(self) -> int:
        return len(self.strings)

    def has(self, id: int) -> bool:
        """Whether there is a token of this id."""
        return 0 <= id < self.num_ids and int(self._places[id]) >= 0

    def find(self, strings: StringTensor) -> Tensor:
        """The ids of strings `[*S]`, or -1, as int64 `[*S]`."""
        if len(self) == 0:
            return torch.full(list(strings.shape), -1, dtype=torch.int64, device="cpu")
        places = _vocab_encode(strings, self._table)
        return self.ids[places].where(places >= 0, -1)

    def ids_of(self, tokens: Sequence[str]) -> list[int]:
        """`find` of str."""
        found = StringTensor.from_list([token.encode("utf-8", "surrogatepass") for token in tokens])
        ids: list[int] = self.find(found).tolist()
        return ids

    def id_of(self, token: object) -> int:
        """The id of a token, or -1, also of a value of a file that is not a str."""
        return self.ids_of([token])[0] if isinstance(token, str) else -1

    def by_id(self, strings: StringTensor | None = None) -> StringTensor:
        """The tokens, or other strings `[N]`, at their ids; those of the other ids are empty."""
        return cat([self.strings if strings is None else strings, StringTensor.from_list([""])])[self._places]
