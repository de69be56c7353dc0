"""Methods that read values of JSON documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, overload

import torch
from torch import Tensor

from torch_stringops._types import JsonErrors
from torch_stringops.methods._base import Methods
from torch_stringops.ops import json

if TYPE_CHECKING:
    from typing_extensions import Self


class JsonMethods(Methods):
    """Values of JSON documents."""

    __slots__ = ()

    @overload
    def json_extract(self, path: str, dtype: None = None, errors: JsonErrors = "raise") -> tuple[Self, Tensor]: ...

    @overload
    def json_extract(self, path: str, dtype: torch.dtype, errors: JsonErrors = "raise") -> tuple[Tensor, Tensor]: ...

    @overload
    def json_extract(
        self, path: str, dtype: torch.dtype | None, errors: JsonErrors = "raise"
    ) -> tuple[Self | Tensor, Tensor]: ...

    def json_extract(
        self, path: str, dtype: torch.dtype | None = None, errors: JsonErrors = "raise"
    ) -> tuple[Self | Tensor, Tensor]:
        r"""Finds the value at a path of each JSON document.

        A document is one value of RFC 8259, in UTF-8, and all of it is checked: `NaN`, comments, trailing
        commas, a byte order mark, an empty string, and arrays and objects nested more than 1,024 deep are
        errors. Of equal keys of an object, the last one counts, as in Python.

        A path is a JSONPath (RFC 9535) of keys and indices: `$` is the document; `.key` has ASCII letters,
        digits, `_`, `-` and characters beyond ASCII; `["key"]` or `['key']` has any text, with JSON's
        escapes; `[0]` is an index, at most 2**31 - 1. There are no spaces outside of quotes. Half of a surrogate
        pair, which JSON allows as an escape, becomes U+FFFD, in keys as well.

        Args:
            path: path, such as `$.user.tags[0]["a b"]`.
            dtype: int64, float64 or bool: the type of the values. A value of another type is missing, and so is, for
                int64, a number with a fraction or an exponent, or that int64 does not hold. float64 is the nearest to
                the digits. None: strings, without their quotes and escapes; others as they stand in the document.
            errors: for strings that are not JSON: "raise" an error, or their values are "missing".

        Returns:
            values: strings `[*S]`, compact, or `dtype` `[*S]`; "", 0 or False if the value is missing.
            present: bool `[*S]`: whether there is a value. null is a value, "null", without a dtype, and
                missing with one.

        Raises:
            TypeError: an argument is of another type.
            ValueError: a string is not JSON, and `errors` is "raise": the message gives its index and the byte that
                is wrong; or `path`, `dtype` or `errors` is not as above; or the result exceeds 2**31 - 1 bytes.

        See also: `json_fields`, for several paths at once.

        Example:
            >>> s = StringTensor.from_list(['{"id": 7, "tags": ["a\\u00e9", {"b": 1.50}]}', '{"id": null}'])
            >>> values, present = s.json_extract("$.tags[0]")
            >>> values.tolist(), present.tolist()
            (['aé', ''], [True, False])
            >>> s.json_extract("$.tags[1]")[0].tolist()
            ['{"b": 1.50}', '']
            >>> s.json_extract("$.id", torch.int64)
            (tensor([7, 0]), tensor([ True, False]))
        """
        return json._json_fields(self, [path], [dtype], errors, "json_extract")[0]

    def json_fields(
        self, fields: Mapping[str, str | tuple[str, torch.dtype | None]], errors: JsonErrors = "raise"
    ) -> dict[str, tuple[Self | Tensor, Tensor]]:
        """Finds the values at several paths of each JSON document, in one pass.

        Args:
            fields: for each name of the result, a path as in `json_extract`, or a path and a dtype.
            errors: for strings that are not JSON: "raise" an error, or their values are "missing".

        Returns:
            For each name, `values` and `present` as in `json_extract`.

        Raises:
            TypeError: as `json_extract`.
            ValueError: as `json_extract`.

        Example:
            >>> s = StringTensor.from_list(['{"id": 7, "name": "a"}', '{"id": 8}'])
            >>> found = s.json_fields({"id": ("$.id", torch.int64), "name": "$.name"})
            >>> found["id"][0], found["name"][0].tolist(), found["name"][1]
            (tensor([7, 8]), ['a', ''], tensor([ True, False]))
        """
        names, paths, dtypes = json._named_fields("json_fields", fields)
        if not names:
            return {}
        return dict(zip(names, json._json_fields(self, paths, dtypes, errors, "json_fields"), strict=True))
