"""Dates and times: as strings, as the time since 1970, and as fields of the calendar."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._checks import check_tensor
from torch_stringops._function_of import function_of
from torch_stringops._names import named
from torch_stringops._types import TimeUnit
from torch_stringops.ops import datetime as ops
from torch_stringops.string_tensor import StringTensor


@named
def string_from_datetime(input: Tensor, format: str = "iso8601", unit: TimeUnit = "ns") -> StringTensor:
    """Writes times since 1970-01-01 UTC as strings.

    "iso8601" writes `YYYY-MM-DDThh:mm:ss`, and the digits of the unit after a point, as NumPy's
    `datetime_as_string`. Other formats have the directives of `string_to_datetime`, which are written as by Python's
    `strftime`, in English: `%f` has 6 digits, with unit "ns" 9; `%z` is +0000, and `%Z` UTC. -2**63, which
    `string_to_datetime` gives with errors="fill", is "NaT".

    Args:
        input: int64 `[*S]`.
        format: "iso8601", or text with directives.
        unit: of `input`: "s", "ms", "us" or "ns".

    Returns:
        Strings `[*S]`, compact.

    Raises:
        TypeError: `input` is not a tensor.
        ValueError: its dtype is not int64; a time is not of the years 1 to 9999, and the message gives the index of
            the first; `format` or `unit` is not as above; or the result exceeds 2**31 - 1 bytes.

    See also: `string_to_datetime`, the inverse.

    Example:
        >>> import torch
        >>> times = torch.tensor([0, 1709206200])
        >>> string_from_datetime(times, unit="s").tolist()
        ['1970-01-01T00:00:00', '2024-02-29T11:30:00']
        >>> string_from_datetime(times, "%a %d %b %Y, %I:%M %p", unit="s").tolist()
        ['Thu 01 Jan 1970, 12:00 AM', 'Thu 29 Feb 2024, 11:30 AM']
    """
    check_tensor("string_from_datetime", "input", input)
    return ops._string_from_datetime(StringTensor, input, format, unit)


@named
def datetime_fields(input: Tensor, unit: TimeUnit = "ns") -> dict[str, Tensor]:
    """Divides times since 1970-01-01 UTC into fields of the calendar: features for models.

    The operations are torch's, so that the function is compiled and exported as any other, for the CPU and for others.
    The values are those of the attributes of the same names of pandas, except that `nanosecond` is the whole fraction
    of the second.

    Args:
        input: int64 `[*S]`, of any years.
        unit: of `input`: "s", "ms", "us" or "ns".

    Returns:
        int64 `[*S]` for each of `year`, `month` (1 to 12), `day` (from 1), `hour`, `minute`, `second`, `nanosecond`
            (0 to 999,999,999), `weekday` (Monday is 0) and `day_of_year` (from 1).

    Raises:
        TypeError: `input` is not a tensor.
        ValueError: its dtype is not int64, or `unit` is not as above.

    See also: `string_to_datetime`.

    Example:
        >>> times = StringTensor.from_list(["2024-02-29 12:30", "1969-12-31 23:59:59"]).to_datetime(unit="s")
        >>> fields = datetime_fields(times, unit="s")
        >>> fields["day_of_year"], fields["weekday"], fields["second"]
        (tensor([ 60, 365]), tensor([3, 2]), tensor([ 0, 59]))
    """
    check_tensor("datetime_fields", "input", input)
    return ops._datetime_fields(input, unit)


string_to_datetime = function_of(StringTensor.to_datetime)
