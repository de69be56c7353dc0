"""StringTensor as input, intermediate and output of compiled and exported functions, without graph breaks."""

import pytest
import torch
import torch.utils._pytree as pytree
from support.surrogate import pair, same
from support.traced import Called
from torch._subclasses.fake_tensor import FakeTensorMode

from torch_stringops import StringTensor, string_split_ragged

MASK = torch.tensor([True, False])

# Methods of a [2, 3] tensor; the same function on the strings' ids gives the expected result.
METHODS = {
    "rows": lambda t: t[1:],
    "row": lambda t: t[0],
    "one": lambda t: t[1, 2],
    "columns": lambda t: t[:, :2],
    "columns from": lambda t: t[:, 1:],
    "columns from the end": lambda t: t[:, -2:],
    "every other": lambda t: t[..., ::2],
    "column": lambda t: t[:, 0],
    "new axes": lambda t: t[None, :, None],
    "mask": lambda t: t[MASK],
    "flat mask": lambda t: t.reshape(-1)[torch.tensor([True, False] * 3)],
    "ints": lambda t: t[torch.tensor([1, 0, 1])],
    "ints of the last axis": lambda t: t[:, torch.tensor([2, 2])],
    "reshape": lambda t: t.reshape(3, 2),
    "flatten": lambda t: torch.flatten(t),
    "permute": lambda t: t.permute(1, 0).reshape(-1),
    "squeeze": lambda t: t[:1].squeeze(0),
    "unsqueeze": lambda t: t.unsqueeze(-1).unsqueeze(0),
    "expand": lambda t: t[:, :1].expand(2, 4),
    "repeat": lambda t: t.repeat(2, 2),
    "cat": lambda t: torch.cat([t, t.flip(0)]),
    "cat columns": lambda t: torch.cat([t, t[:, :1]], dim=1),
    "stack": lambda t: torch.stack([t, t.flip(1)], dim=-1),
    "split": lambda t: t.split(2, -1),
    "chunk": lambda t: torch.chunk(t, 2),
    "unbind": lambda t: torch.unbind(t, 1),
    "where": lambda t: torch.where(MASK[:, None], t, t.flip(0)),
    "gather": lambda t: t.gather(1, torch.tensor([[2], [0]])),
    "index_select": lambda t: t.index_select(1, torch.tensor([1])),
    "masked_select": lambda t: t.masked_select(MASK[:, None]),
    "clone": lambda t: t.clone(),
    "itself": lambda t: t,
}


@pytest.fixture(autouse=True)
def _fresh_compiler():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def test_all_methods_in_one_graph():
    def everything(t):
        return {name: method(t) for name, method in METHODS.items()}

    compiled = torch.compile(everything, backend="aot_eager", fullgraph=True)
    for layout in ("compact", "scattered"):
        ids, s = pair((2, 3), layout)
        got = compiled(s)
        for name, want in everything(ids).items():
            same(got[name], want)


def test_comparison_with_a_str_traces():
    def f(s, t):
        return s == "a1", s != t, s.where(s == "a1", "none"), s.eq(b"x").any()

    _, s = pair((2, 3))
    equal, differs, chosen, found = torch.compile(f, backend="aot_eager", fullgraph=True)(s, s.flip(0))
    assert equal.tolist() == [[False, True, False], [False, False, False]]
    assert differs.all()
    assert chosen[0].tolist() == ["none", "a1", "none"]
    assert not found


def test_sizes_may_change_without_a_new_graph():
    graphs = []

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    def f(s, keep):
        return torch.cat([s[keep], s[1:]]).reshape(-1), s == s[:1]

    compiled = torch.compile(f, backend=backend, fullgraph=True, dynamic=True)
    for rows in range(3, 9):
        ids, s = pair((rows, rows + 1))
        keep = ids[:, 0] % 2 == 0
        strings, equal = compiled(s, keep)
        same(strings, torch.cat([ids[keep], ids[1:]]).reshape(-1))
        assert equal.sum() == rows + 1
    assert len(graphs) == 1


def test_methods_on_strings_of_data_dependent_size():
    def f(s, keep):
        kept = s.reshape(-1)[keep]  # [u0]
        wide = kept.unsqueeze(-1).expand(-1, 2)
        both = torch.cat([wide, wide], dim=1)
        return both[:, 1:], torch.where(kept == "a1", kept, kept.flip(0)), kept[None], kept.reshape(-1, 1)

    _ids, s = pair((2, 3))
    for keep in ([1, 1, 0, 1, 0, 0], [0] * 6):
        keep = torch.tensor(keep, dtype=torch.bool)
        got = torch.compile(f, backend="aot_eager", fullgraph=True)(s, keep)
        for strings, want in zip(got, f(s, keep), strict=True):
            assert strings.shape == want.shape
            assert strings.tolist() == want.tolist()


@pytest.mark.parametrize("ordered", [False, True])
def test_unique_traces(ordered):
    s = StringTensor.from_list(["b", "a", "b"])
    module = Called(lambda s: torch.unique(s, ordered, return_inverse=True))
    unique, inverse = torch.compile(module, backend="aot_eager", fullgraph=True)(s)
    assert unique.tolist() == (["a", "b"] if ordered else ["b", "a"])
    assert inverse.tolist() == ([1, 0, 1] if ordered else [0, 1, 0])
    exported = torch.export.export(module, (s,)).module()
    assert exported(s)[0].tolist() == unique.tolist()


def test_indexing_pieces_of_data_dependent_number():
    def f(s):
        pieces, _ = string_split_ragged(s)  # [u1 - 1]
        backwards = torch.arange(pieces.shape[0]).flip(0)
        return pieces[backwards], pieces.index_select(0, backwards), pieces[pieces == "be"]

    compiled = torch.compile(f, backend="aot_eager", fullgraph=True)
    for lines in (["to be", "or not to be"], ["", ""]):
        s = StringTensor.from_list(lines)
        assert [t.tolist() for t in compiled(s)] == [t.tolist() for t in f(s)]


def test_joining_strings_of_data_dependent_size_checks_the_limit_in_the_graph():
    checked = []

    def backend(graph, _):
        checked.extend(n.args[1] for n in graph.graph.nodes if n.target is torch.ops.aten._assert_scalar.default)
        return graph.forward

    def f(s):
        words, _ = string_split_ragged(s)
        fields, _ = string_split_ragged(s, ",")
        return torch.cat([words, fields])

    s = StringTensor.from_list(["to be", "or,not"])
    joined = torch.compile(f, backend=backend, fullgraph=True)(s)
    assert joined.tolist() == ["to", "be", "or,not", "to be", "or", "not"]
    assert any("<= 2147483647 " in text for text in checked), checked


def test_inductor():
    def f(s, weight):
        kept = torch.cat([s, s[:, :1]], dim=1)
        return kept, (kept == "a1") * weight

    _, s = pair((2, 3))
    weight = torch.arange(4.0, requires_grad=True)
    strings, product = torch.compile(f, fullgraph=True)(s, weight)
    assert strings.tolist() == [[*row, row[0]] for row in s.tolist()]
    product.sum().backward()
    assert weight.grad.tolist() == [0, 1, 0, 0]


class Model(torch.nn.Module):
    def forward(self, batch):
        text = batch["text"]
        firsts = text[:, 0]
        return {"firsts": firsts, "same": text == firsts.unsqueeze(-1), "all": torch.flatten(text)}


@pytest.mark.parametrize("strict", [False, True])
def test_export_with_a_dynamic_batch_saved_and_loaded(strict, tmp_path):
    _, s = pair((2, 3))
    rows, size = torch.export.Dim("rows", min=2), torch.export.Dim.DYNAMIC
    shapes = {"batch": {"text": [{0: size}, {0: rows}]}}
    program = torch.export.export(Model(), ({"text": s},), dynamic_shapes=shapes, strict=strict)
    torch.export.save(program, tmp_path / "model.pt2")
    loaded = torch.export.load(tmp_path / "model.pt2").module()
    for count in (2, 5):
        ids, t = pair((count, 3), "scattered")
        result = loaded({"text": t})
        same(result["firsts"], ids[:, 0])
        same(result["all"], ids.reshape(-1))
        assert result["same"].sum() == count


def test_strings_of_a_module_are_constants_of_its_graph(tmp_path):
    ids = torch.tensor([[2, 0], [1, 1]])
    want = [["two", "zero"], ["one", "one"]]
    words = StringTensor.from_list(["zero", "one", "two"])
    module = Called(lambda ids: words[ids])
    assert torch.compile(module, backend="aot_eager", fullgraph=True)(ids).tolist() == want
    program = torch.export.export(module, (ids,), dynamic_shapes=(({0: torch.export.Dim.DYNAMIC},),))
    torch.export.save(program, tmp_path / "words.pt2")
    assert torch.export.load(tmp_path / "words.pt2").module()(ids[:1].repeat(3, 1)).tolist() == want[:1] * 3


def test_pytree_leaves_are_data_and_offsets():
    s = StringTensor.from_list(["a", "b"])
    leaves, spec = pytree.tree_flatten({"x": [s]})
    assert leaves[0] is s.data
    assert leaves[1] is s.offsets
    assert len(leaves) == 2
    assert pytree.tree_unflatten(leaves, spec)["x"][0].tolist() == ["a", "b"]
    restored = pytree.treespec_loads(pytree.treespec_dumps(spec))
    assert restored == spec
    paths = [pytree.keystr(path) for path, _ in pytree.tree_flatten_with_path({"x": s})[0]]
    assert paths == ["['x'].data", "['x'].offsets"]
    assert pytree.tree_map(lambda t: t.clone(), StringTensor.from_list("one")).item() == "one"
    assert pytree.tree_map(type, s).data is torch.Tensor, "any leaf may replace a tensor"
    whole = pytree.tree_map(lambda t: t[:1], [s, torch.ones(2)], is_leaf=lambda t: isinstance(t, StringTensor))
    assert whole[0].tolist() == ["a"]


def test_rank_0_survives_the_pytree_and_tracing():
    def f(s):
        return s[0], s[1].reshape(1), torch.stack([s[0], s[1]])

    s = StringTensor.from_list(["a", "b"])
    first, second, both = torch.compile(f, backend="aot_eager", fullgraph=True)(s)
    assert first.shape == ()
    assert first.item() == "a"
    assert second.tolist() == ["b"]
    assert both.tolist() == ["a", "b"]
    assert torch.compile(lambda t: t.unsqueeze(0), backend="eager", fullgraph=True)(first).tolist() == ["a"]


def test_methods_accept_fake_tensors():
    _, s = pair((2, 3))
    with FakeTensorMode() as mode:
        fake = StringTensor(mode.from_tensor(s.data), mode.from_tensor(s.offsets))
        assert torch.cat([fake, fake]).shape == (4, 3)
        assert fake.unsqueeze(0)[..., :2].shape == (1, 2, 2)
