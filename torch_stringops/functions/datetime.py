"""Dates and times: as strings, as the time since 1970, and as fields of the calendar."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops._names import ERRORS, name_error, named
from torch_stringops._types import NumberErrors, StringsLike, TimeUnit
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


# Written by tools/write_functions.py, from methods of StringTensor: string_to_datetime


def string_to_datetime(
    input: StringsLike,
    format: str = "iso8601",
    *,
    unit: TimeUnit = "ns",
    errors: NumberErrors = "raise",
    fill: int | Tensor | None = None,
) -> Tensor:
    """Converts the date and time in each string to the time since 1970-01-01 UTC, like datetime64 of NumPy.

    "iso8601" reads `YYYY-MM-DD`, or this and `T` or a space and `hh`, `hh:mm`, `hh:mm:ss`, `hh:mm:ss.f` or
    `hh:mm:ss,f`, with 1 to 9 digits `f`; after the time, there may be an offset from UTC: `Z`, `+hh`, `+hhmm` or
    `+hh:mm`, also with `-`. Other formats have directives of Python's `strptime`, and a string has exactly that
    text:

    - `%Y` (4 digits, from 0001), `%y` (2 digits: 69 to 99 are 1969 to 1999, others 2000 to 2068), `%m`, `%d`,
      `%j` (day of the year), `%H`, `%I` (1 to 12, of the half day `%p`), `%M`, `%S`: one or two digits, `%j` one
      to three, of which the next one is taken if the number stays within its limits; `%e` as `%d`, also with a
      space in place of the first digit; `%f`, 1 to 9 digits of a fraction.
    - `%B`, `%b`, `%A`, `%a`, `%p`: English names of months and weekdays (`%b`, `%a`: their first three letters),
      AM and PM, in any case. Weekdays are not compared with the date.
    - `%z`: an offset as above; `%Z`: UTC or GMT, in any case; `%s`: the seconds since 1970, to which
      `%f` is added: "-2.5" is 1.5 s before 1970, as `string_from_datetime` writes it.
    - `%F`, `%T`, `%D`, `%R`: `%Y-%m-%d`, `%H:%M:%S`, `%m/%d/%y`, `%H:%M`; `%%`: a percent sign. Whitespace, `%n`
      and `%t`: one or more characters of ASCII whitespace.

    Parts that a format lacks are those of 1900-01-01 00:00 UTC, as in Python. Dates must exist. A leap second,
    60, is an error, as in Python's datetime and pandas; pyarrow takes it for the next minute. Digits of a fraction
    that the unit does not have are dropped.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        format: "iso8601", or directives, of which each part of a time has at most one.
        unit: of the result: "s", "ms", "us" or "ns".
        errors: for strings that are not of the format, and times that int64 does not hold: "raise" an error, or
            "fill" gives `fill`.
        fill: with errors="fill", an int, or an int64 tensor of rank 0; None for -2**63, NumPy's NaT.

    Returns:
        int64 `[*S]`.

    Raises:
        ValueError: a string is not of the format, or its time beyond int64, and `errors` is "raise": the message
            gives the index of the first; or an argument is not as above; or `fill` is given without
            errors="fill".

    See also: `string_from_datetime`, the inverse; `datetime_fields`.

    Example:
        >>> s = StringTensor.from_list(["2024-02-29 12:30:00.5+01:00", "1970-01-01"])
        >>> s.to_datetime(unit="ms")
        tensor([1709206200500,             0])
        >>> StringTensor.from_list(["29 Feb 2024", "30 Feb 2024"]).to_datetime(
        ...     "%d %b %Y", unit="s", errors="fill", fill=-1
        ... )
        tensor([1709164800,         -1])
    """
    try:
        return strings_argument("string_to_datetime", "input", input).to_datetime(
            format, unit=unit, errors=errors, fill=fill
        )
    except ERRORS as error:
        name_error(error, "string_to_datetime")
        raise
