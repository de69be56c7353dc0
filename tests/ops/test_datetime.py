"""Dates and times: string_to_datetime, string_from_datetime, datetime_fields."""

import random
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference.datetime import EPOCH, NOT_A_TIME, string_from_datetime_ref, string_to_datetime_ref
from support import draws, large, strategies
from support.families import ReduceSuite, ReduceTests, broadcast
from support.harness import Call, OpSuite, OpTests, call
from support.traced import check_traced

from torch_stringops import StringTensor, datetime_fields, string_from_datetime, string_to_datetime

UNITS = ["s", "ms", "us", "ns"]
ISO = [
    "1970-01-01", "2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "0001-01-01", "0000-01-01",
    "9999-12-31T23:59:59.999999999", "2024-02-29T12:30:15", "2024-02-29 12:30:15", "2024-02-29 12:30:15.5",
    "2024-02-29 12:30:15.123456789", "2024-02-29 12:30:15.1234567891", "2024-02-29 12:30:15.",
    "2024-02-29 12:30:15,123", "2024-02-29T12:30:15,5Z", "2024-02-29 12:30:15,", "2024-02-29 12:30", "2024-02-29 12",
    "2024-02-29 12Z", "2024-02-29 12:30+01", "2024-02-29 12:30:15Z", "2024-02-29 12:30:15.5-0130",
    "2024-02-29 12:30:15+23:59", "2024-02-29 12:30:15+24:00", "2024-02-29 12:30:15+01:60", "2024-02-29 12:30:15+1",
    "2024-02-29 12:30:15+01:", "2024-02-29 12:30:15 Z", "2024-02-29 12:30:60", "2024-02-29 24:00:00",
    "2024-02-29 12:60:00", "2024-02-29T", "2024-02-29t12:30:15", "2024-02-29Z", "2024-02-29 12:30:1", "2024-02-29 12:3",
    "2024-02-29 12.5", "2024-02-29 12:30.5", "20240229", "2024-2-29", "2024-13-01", "2024-00-01", "2024-01-00",
    "2024-01-32", "-024-01-01", "2024/02/29", " 2024-02-29", "2024-02-29 ", "2024-02-29\0",
    "\u0662\u0660\u0662\u0664-02-29", "", "NaT",
    # The limits of int64 in nanoseconds.
    "1677-09-21T00:12:43.145224192", "1677-09-21T00:12:43.145224193", "2262-04-11T23:47:16.854775807",
    "2262-04-11T23:47:16.854775808",
]  # fmt: skip
FORMATS = {
    "%Y-%m-%d %H:%M:%S": ["2024-02-29 12:30:15", "2024-2-9 1:3:5", "2024-02-29  \t12:30:15", "2024-02-2912:30:15"],
    "%Y-%m-%d": ["2024-02-29", "2024-2-29", "2024-02-30", "2024-02-290", "024-02-29"],
    "%Y-%m-%dT%H:%M:%S.%f%z": ["2024-02-29T12:30:15.25Z", "2024-02-29T12:30:15.123456789+0100", "2024-02-29T1:1:1.1Z"],
    "%d/%b/%Y:%T %z": ["29/Feb/2024:12:30:15 +0100", "1/JAN/1970:00:00:00 -00:30", "29/February/2024:12:30:15 Z"],
    "%A, %d %B %Y %I:%M %p": [
        "Thursday, 29 February 2024 12:30 AM",
        "monday, 1 MAY 2000 1:05 pm",
        "Mon, 1 May 2000 1:05 pm",
    ],
    "%a %e %b %y": ["Thu  9 Feb 69", "Thu 19 Feb 68", "Thu 9 Feb 00", "Thu  0 Feb 00", "Thu 09 Feb 00"],
    "%Y%j": ["2024366", "2023366", "2024060", "20241", "2024000", "2024367", "202438"],
    "%Y%m%d": ["202013", "202045", "20200103", "2020132", "202000", "2020332"],
    "%d%m%H": ["321", "311", "3112", "31123", "3111253", "1125", "032"],
    "%e%I%M": ["3213", "31125", "32131", " 9135", "311224"],
    "%j%H": ["3671", "36624", "36623", "3923", "4523", "45245"],
    "%s.%f": ["0.5", "-2.500000", "1.123456789", "1.", "1", "9223372036.854775807", "9223372036.854775808"],
    "%f %s": ["5 -1", "000001 1709209815"],
    "%D %R": ["02/29/24 12:30", "2/9/24 1:3", "13/01/24 00:00"],
    "%m%d%H": ["2512", "1131", "229", "022912", "1301", "010103"],
    "%Y-%m-%d%H": ["2024-01-4512", "2024-01-0512", "2024-01-45"],
    "%Y-%m-%dx%H:%M:%S": ["2024-01-05x01:02:03", "2024-01-05x1:02:03", "2024-01-05T01:02:03"],
    "%s": ["0", "-1", "1709209815", "9223372036", "9223372037", "99999999999999999999", "", "+1", "1.5"],
    "100%% %n%t%Y %Z": ["100%  2024 utc", "100% 2024 GMT", "100%2024 UTC", "100% 2024 CET"],
    "": ["", "x"],
    "literal": ["literal", "Literal"],
    "%H%p": ["12PM", "00pm", "1am"],
    "%I": ["12", "0", "13", "1"],
}


@st.composite
def times(draw: st.DrawFn) -> tuple[str, str]:
    """A format, and a text that is nearly of it."""
    format = draw(st.sampled_from(["iso8601", *FORMATS]))
    if draw(st.booleans()):
        text = draw(st.sampled_from(ISO if format == "iso8601" else FORMATS[format]))
    else:
        seconds = draw(st.integers(-62_135_596_800, 253_402_300_799))
        text = string_from_datetime_ref(seconds, format, "s").decode()
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(["", " ", "0", "9", ":", "-", "Z", "a", "é"])) + text[at + 1 :]
    return format, text


def samples() -> list[Call]:
    return [
        call(ISO, unit="ns", errors="fill"),
        call(FORMATS["%Y-%m-%d %H:%M:%S"], "%Y-%m-%d %H:%M:%S", unit="us", errors="fill"),
        call([["1970-01-02"], ["x"]], unit="s", errors="fill", fill=torch.tensor(7)),
    ]


def drawn(rng: draws.Random, n: int) -> Call:
    format = rng.choice(["iso8601", *FORMATS])
    given = ISO if format == "iso8601" else FORMATS[format]
    own = [
        string_from_datetime_ref(rng.randrange(-62_135_596_800, 253_402_300_799), format, "s").decode()
        for _ in range(n // 2)
    ]
    texts = [*own, *rng.choices(given, k=n - len(own))]
    return call([t.encode() for t in texts], format, unit=rng.choice(UNITS), errors="fill")


class TestStringToDatetime(ReduceTests):
    suite = ReduceSuite(
        op="string_to_datetime",
        reference=string_to_datetime_ref,
        samples=samples(),
        strategy=st.one_of(
            st.builds(
                lambda time, unit: call([time[1].encode()], time[0], unit=unit, errors="fill"),
                times(),
                st.sampled_from(UNITS),
            ),
            st.builds(lambda s: call(s, errors="fill"), strategies.tensors_of(strategies.strings)),
        ),
        draw=drawn,
        text=False,
        small=call([b"2024-02-29", b"1970-01-01T00:00:00"]),
        errors=[
            (
                call([["2024-02-29", "2024-02-30"], ["x", ""]]),
                "expected dates and times of `format`, got another string at index [0, 1] "
                "(errors='fill' gives `fill` instead)",
            ),
            (
                call(["2024-02-29", "2263-01-01"]),
                "expected times that int64 holds in units of ns, got another one at index [1] "
                "(errors='fill' gives `fill` instead)",
            ),
            (call(["2024-02-29"], unit="D"), "expected `unit` to be 's', 'ms', 'us' or 'ns', got 'D'"),
            (call(["2024-02-29"], errors="coerce"), "expected `errors` to be 'raise' or 'fill', got 'coerce'"),
            (
                call(["2024-02-29"], errors="fill", fill=torch.tensor(1.0)),
                "expected `fill` to be int64, got float32 (convert with .to(torch.int64))",
            ),
        ],
    )


@pytest.mark.parametrize("unit", UNITS)
def test_texts_of_every_format(unit: str) -> None:
    suite = TestStringToDatetime.suite
    for format, known in {"iso8601": ISO, **FORMATS}.items():
        texts = [text.encode() for text in known]
        want = [string_to_datetime_ref(text, format, unit, "fill") for text in texts]
        assert suite.run(call(texts, format, unit, "fill")) == (want,), format


# Errors of formats, which only the operator itself reads.
@pytest.mark.parametrize(("format", "text"), [
    ("%Y %", "expected a directive after the last `%` of `format`, got none"),
    ("%Y%Q", "expected `format` of the directives %Y .* %%, got another one at byte 2"),
    ("%Y %y", "expected `format` with one directive for each part of a time, got two for the same"),
    ("%m %j", "expected `format` with one directive for each part of a time, got two for the same"),
    ("%s %p", "expected `format` with one directive for each part of a time, got two for the same"),
    ("%F %d", "expected `format` with one directive for each part of a time, got two for the same"),
    ("x" * 1025, "expected `format` of at most 1024 bytes, got 1025"),
])  # fmt: skip
def test_malformed_formats(format: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"^string_to_datetime: {text}$"):
        string_to_datetime(["2024"], format)
    if "two for" not in text:
        with pytest.raises(ValueError, match=f"^string_from_datetime: {text}$"):
            string_from_datetime(torch.tensor(0), format)


def test_times_in_every_format() -> None:
    suite, times = TestStringFromDatetime.suite, torch.tensor(EDGES)
    calls = [call(times, format, "s") for format in WRITTEN]
    for sample in [*calls, *(call(times, "iso8601", unit) for unit in ("ns", "us"))]:
        assert suite.run(sample) == string_from_datetimes_ref(*sample.args), sample


def test_a_format_is_written_with_a_part_twice() -> None:
    assert string_from_datetime(torch.tensor([0]), "%Y %y %Y").tolist() == ["1970 70 1970"]


WRITTEN = ["iso8601", *FORMATS, "%d.%m.%Y", "%A %B%s", "%e%t%f%%"]
EDGES = [0, -1, 1, 10**9, -(10**9), -62_135_596_800, 253_402_300_799, 951_782_400, NOT_A_TIME]


def string_from_datetimes_ref(input: torch.Tensor, *args: Any) -> tuple[Any]:
    return (broadcast(lambda value: string_from_datetime_ref(value, *args), torch.atleast_1d(input).tolist()),)


class TestStringFromDatetime(OpTests):
    suite = OpSuite(
        op="string_from_datetime",
        reference=string_from_datetimes_ref,
        samples=[
            call(torch.tensor(EDGES), "iso8601", "s"),
            call(torch.tensor([1, -1, 1709209815123]), "%Y %f", "ms"),
            call(torch.tensor([2**63 - 1, -(2**63) + 1]), "%A %d %B %Y %H:%M:%S.%f", "ns"),
            call(torch.tensor(5)),
            call(torch.tensor([[], []], dtype=torch.int64)),
            call(torch.arange(20_000).reshape(-1, 5) * 10**13),
        ],
        strategy=st.builds(
            lambda values, format: call(torch.tensor(values, dtype=torch.int64), format, "s"),
            st.lists(st.integers(-62_135_596_800, 253_402_300_799), max_size=9),
            st.sampled_from(WRITTEN),
        ),
        draw=lambda rng, n: call(
            torch.tensor([rng.randrange(-(2**63), 2**63) for _ in range(n)]), rng.choice(WRITTEN), "ns"
        ),
        small=call(torch.tensor([1, 22])),
        too_large=lambda: [
            (large.OFFSETS, call(large.repeated(1, (2**30, 1)))),
            (large.BYTES, call(large.repeated(1, (2**30,)))),
        ],
        too_large_when_traced=lambda: [(large.OFFSETS, call(large.repeated(1, (2**30, 1))))],
        errors=[
            (
                call(torch.tensor([[0, 1], [253_402_300_800, 2]]), "iso8601", "s"),
                "expected times of the years 1 to 9999, got another one at index [1, 0]",
            ),
            (call(torch.tensor([0.0])), "expected `input` to be int64, got float32 (convert with .to(torch.int64))"),
            (call(torch.tensor([0]), "iso8601", "D"), "expected `unit` to be 's', 'ms', 'us' or 'ns', got 'D'"),
        ],
    )


@given(st.lists(st.integers(-62_135_596_800, 253_402_300_799), max_size=20))
def test_what_is_written_is_read(values: list[int]) -> None:
    want = torch.tensor(values, dtype=torch.int64)
    for format in ("iso8601", "%d/%b/%Y:%H:%M:%S %z", "%s"):
        strings = string_from_datetime(want, format, unit="s")
        assert torch.equal(strings.to_datetime(format, unit="s"), want)
    for unit in UNITS:
        strings = string_from_datetime(want, "%s.%f", unit=unit)
        assert torch.equal(strings.to_datetime("%s.%f", unit=unit), want)


def test_numbers_end_within_their_limits_as_in_python() -> None:
    for format, text in {"%Y%m%d": "202013", "%d%m": "32", "%H%M": "253", "%I%M": "137"}.items():
        want = (datetime.strptime(text, format) - datetime(1970, 1, 1)).total_seconds()
        assert string_to_datetime([text], format, unit="s").tolist() == [want], format


def test_every_day_of_four_centuries() -> None:
    days = np.arange(np.datetime64("1599-12-31"), np.datetime64("2000-03-02"))
    strings = StringTensor.from_numpy(days.astype(str))
    seconds = days.astype("datetime64[s]").astype(np.int64)
    assert np.array_equal(strings.to_datetime(unit="s").numpy(), seconds)
    written = string_from_datetime(torch.from_numpy(seconds), "%Y-%m-%d", unit="s")
    assert bool((written == strings).all())


def fields_of(time: datetime) -> dict[str, int]:
    names = ("year", "month", "day", "hour", "minute", "second")
    return {name: getattr(time, name) for name in names} | {
        "weekday": time.weekday(),
        "day_of_year": time.timetuple().tm_yday,
    }


@pytest.mark.parametrize("unit", UNITS)
def test_datetime_fields(unit: str) -> None:
    rng = random.Random(unit)
    scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    low, high = (-62_135_596_800, 253_402_300_800) if unit != "ns" else (-9_223_372_036, 9_223_372_036)
    seconds = [low, high - 1, 0, -1, 951_782_400, *(rng.randrange(low, high) for _ in range(2000))]
    fractions = [rng.randrange(scale) for _ in seconds]
    times = torch.tensor([s * scale + f for s, f in zip(seconds, fractions, strict=True)])
    fields = datetime_fields(times.reshape(5, -1), unit=unit)
    want = [fields_of(EPOCH + timedelta(seconds=s)) for s in seconds]
    for name, tensor in fields.items():
        assert (tensor.dtype, tensor.shape) == (torch.int64, (5, len(seconds) // 5))
        if name == "nanosecond":
            assert tensor.flatten().tolist() == [f * (10**9 // scale) for f in fractions]
        else:
            assert tensor.flatten().tolist() == [w[name] for w in want], name


def test_datetime_fields_are_compiled() -> None:
    check_traced(datetime_fields, torch.tensor([0, 1709209815 * 10**9]))


def test_errors_of_datetime_fields() -> None:
    with pytest.raises(TypeError, match="^datetime_fields: expected `input` to be a Tensor"):
        datetime_fields([0])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^datetime_fields: expected `input` to be int64, got float32"):
        datetime_fields(torch.tensor([0.0]))
    with pytest.raises(ValueError, match="^datetime_fields: expected `unit` to be 's', 'ms', 'us' or 'ns', got 'D'"):
        datetime_fields(torch.tensor([0]), "D")


def test_fill() -> None:
    s = StringTensor.from_list(["x", "1970-01-01"])
    assert s.to_datetime(errors="fill").tolist() == [NOT_A_TIME, 0]
    assert s.to_datetime(errors="fill", fill=0).tolist() == [0, 0]
    assert s.to_datetime(errors="fill", fill=torch.tensor(5)).tolist() == [5, 0]
    with pytest.raises(ValueError, match='^StringTensor.to_datetime: expected `fill` only with errors="fill"'):
        s.to_datetime(fill=3)
