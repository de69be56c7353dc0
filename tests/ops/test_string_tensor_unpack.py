import pytest
import torch
from hypothesis import given
from reference.string_tensor_unpack import string_tensor_unpack_ranges_ref, string_tensor_unpack_ref
from support import strategies
from support.errors import BAD_ARGUMENT
from support.harness import OpSuite, OpTests, call
from support.strings import LAYOUTS, compact, decode

import torch_stringops as so

SAMPLES = [
    call([b"OMZ", b"", b"GenAI", b" ", b"2024"]),
    call([[b"Intel", b"OpenVINO"], [b"OMZ", b"GenAI"]]),
    call([[[b"\x00\xff", b""], [b"", b"\xc3"]], [["日本".encode(), b"a"], [b"", b""]]]),
    call([b""]),
    call([]),
    call([[], []]),
    # Rows beyond a task, and many rows a task.
    call([b"k=v,", b"", b"x" * 70] * 3000),
    call([[b"ab", b""], [b"", b"c" * 40]] * 1500),
]


class TestStringTensorUnpack(OpTests):
    suite = OpSuite(
        op="string_tensor_unpack",
        reference=string_tensor_unpack_ref,
        samples=SAMPLES,
        strategy=strategies.tensors.map(call),
    )


class TestRanges(OpTests):
    suite = OpSuite(
        op="_string_tensor_unpack_ranges",
        reference=string_tensor_unpack_ranges_ref,
        samples=SAMPLES,
        strategy=strategies.tensors.map(call),
        name_in_errors="string_tensor_unpack",
    )


@given(strings=strategies.tensors)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_public_function_matches_the_oracle_and_pack_undoes_it(layout: str, strings: object):
    data, offsets = LAYOUTS[layout](strings)
    unpacked = so.string_tensor_unpack(so.StringTensor(data, offsets))
    assert tuple(t.tolist() for t in unpacked) == string_tensor_unpack_ref(strings)
    packed = so.string_tensor_pack(*unpacked)
    assert decode(packed.data, packed.offsets) == strings


@pytest.mark.parametrize("shape", [[0], [2, 0], [0, 3], [0, 0], [3, 0, 2]])
def test_no_strings_have_their_shape_and_no_symbols(shape: list[int]):
    strings = so.StringTensor.from_list([]).reshape(shape)
    begins, ends, symbols = so.string_tensor_unpack(strings)
    assert list(begins.shape) == list(ends.shape) == shape
    assert list(symbols.shape) == [0]
    assert begins.dtype == ends.dtype == torch.int32
    assert symbols.dtype == torch.uint8


def test_a_single_string_has_rank_0():
    rows = so.StringTensor.from_list(["ab", "cde"])
    for scalar, length in ((rows[1], 3), (so.StringTensor.from_list(""), 0)):
        begins, ends, symbols = so.string_tensor_unpack(scalar)
        assert begins.shape == ends.shape == ()
        assert (begins.item(), ends.item(), symbols.numel()) == (0, length, length)
    assert bytes(so.string_tensor_unpack(rows[1])[2].tolist()) == b"cde"


@pytest.mark.parametrize(
    "strings",
    [
        so.StringTensor.from_list(["ab", "", "cde"]),
        so.StringTensor.from_list([["ab", ""], ["c", "de"], ["", "f"]]),
        so.StringTensor.from_list(["ab", "", "cde", "f"])[1:3],
        so.StringTensor.from_list([["ab", ""], ["c", "de"], ["", "f"]])[1:],
        so.StringTensor.from_list("ab"),
    ],
)
def test_strings_that_stand_in_order_are_not_copied(strings: so.StringTensor):
    begins, ends, symbols = so.string_tensor_unpack(strings)
    first = int(strings.offsets.reshape(-1)[0])
    assert symbols.data_ptr() == strings.data.data_ptr() + first
    flat = strings.reshape(-1).tolist(as_bytes=True)
    raw = bytes(symbols.tolist())
    pairs = zip(begins.reshape(-1).tolist(), ends.reshape(-1).tolist(), strict=True)
    assert [raw[b:e] for b, e in pairs] == flat
    assert raw == b"".join(flat)
    # What may be written to in place shares no memory: neither with the other, nor with the offsets.
    begins += 1
    assert int(ends.reshape(-1)[-1]) == len(raw)
    assert strings.reshape(-1).tolist(as_bytes=True) == flat


@pytest.mark.parametrize("index", [(slice(None), slice(1)), (slice(None, None, 2),)])
def test_strings_out_of_order_are_copied(index: tuple[slice, ...]):
    strings = so.StringTensor.from_list([["ab", "x"], ["c", "de"], ["", "f"]])[index]
    _, _, symbols = so.string_tensor_unpack(strings)
    assert bytes(symbols.tolist()) == b"".join(strings.reshape(-1).tolist(as_bytes=True))
    assert symbols.data_ptr() != strings.data.data_ptr()


def test_overlaps_that_exceed_int32_are_refused_before_allocation():
    data = torch.zeros(1 << 20, dtype=torch.uint8)
    offsets = torch.tensor([0, 1 << 20], dtype=torch.int32).expand(2048, 2)
    text = "string_tensor_unpack: the result needs .* bytes; int32 offsets address at most 2147483647"
    with pytest.raises(BAD_ARGUMENT, match=text):
        so.string_tensor_unpack(so.StringTensor(data, offsets))


def test_only_strings():
    with pytest.raises(TypeError, match="expected `input` to be a StringTensor, .*, got Tensor"):
        so.string_tensor_unpack(torch.zeros(3, dtype=torch.uint8))


def test_bad_offsets_are_refused_where_no_byte_is_copied():
    data, offsets = compact([b"ab", b"c"])
    offsets[-1] = 4
    with pytest.raises(BAD_ARGUMENT, match="string_tensor_unpack: expected `offsets` non-decreasing"):
        so.string_tensor_unpack(so.StringTensor(data, offsets))


def test_traced():
    def lengths(strings: so.StringTensor) -> tuple[torch.Tensor, torch.Tensor]:
        begins, ends, symbols = so.string_tensor_unpack(strings)
        return ends - begins, symbols

    strings = so.StringTensor.from_list([["ab", ""], ["c", "de"]])
    want = lengths(strings)
    for got in (
        torch.compile(lengths, fullgraph=True, backend="eager")(strings),
        so.export(_Module(lengths), (strings,)).module()(strings),
    ):
        assert all(map(torch.equal, got, want))


class _Module(torch.nn.Module):
    def __init__(self, function) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)
