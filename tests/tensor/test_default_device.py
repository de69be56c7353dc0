"""torch.set_default_device has no effect: methods create tensors on the device of the strings."""

import doctest
import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from stress import chains
from support.cases import each
from support.harness import OpTests
from support.registry import OPERATORS, suites
from support.surrogate import pair
from torch import Tensor

import torch_stringops
from torch_stringops import StringTensor, SubwordTokenizer

FACTORIES = ["arange", "as_tensor", "empty", "eye", "full", "ones", "rand", "randn", "tensor", "zeros"]


class TorchOnCpu:
    """The module torch with the CPU as default device, for the code of examples."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(torch, name)
        if name not in FACTORIES:
            return found
        return lambda *args, **kwargs: found(*args, **{"device": "cpu", **kwargs})


@pytest.fixture
def meta() -> Iterator[None]:
    torch.set_default_device("meta")
    yield
    torch.set_default_device(None)


def examples() -> dict[str, doctest.DocTest]:
    """Every docstring of the package with an example."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = [m.name for m in pkgutil.walk_packages(torch_stringops.__path__, "torch_stringops.")]
    # Native libraries are not modules, but for `_convert`.
    modules = [importlib.import_module(n) for n in names if not re.search(r"\.(_convert|_ops|lib\w+)$", n)]
    found = [test for module in modules for test in finder.find(module) if test.examples]
    return {test.name: test for test in found}


EXAMPLES = examples()


def test_examples_are_found():
    assert "torch_stringops.methods.indexing.IndexingMethods.take" in EXAMPLES
    assert len(EXAMPLES) > 80


# These call functions of torch that use the default device: DataLoader, default_collate, and to_dense of CSR.
FOLLOW = {
    "torch_stringops.data.batches.column_dataset.ColumnDataset": "torch's DataLoader",
    "torch_stringops.nn.count_vectorizer.CountVectorizer": "torch's to_dense of a CSR tensor",
    "torch_stringops.nn.tfidf_vectorizer.TfidfVectorizer": "torch's to_dense of a CSR tensor",
    "torch_stringops.data.batches.column_dataset.collate_strings": "torch's default_collate, of the labels",
}


@each("name", sorted(EXAMPLES))
@pytest.mark.usefixtures("meta")
def test_every_example_of_the_documentation(name: str):
    test = EXAMPLES[name]
    test.globs = {
        **test.globs,
        "torch": TorchOnCpu(),
        "np": np,
        "StringTensor": StringTensor,
        "SubwordTokenizer": SubwordTokenizer,
        "Vocabulary": torch_stringops.Vocabulary,
    }
    test.examples = [e for e in test.examples if e.source != "import torch\n"]
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    runner.run(test, out=report.append, clear_globs=False)
    assert (runner.failures > 0) == (name in FOLLOW), "".join(report) or f"{name} no longer fails"


def test_chains_of_methods(meta: None, monkeypatch: pytest.MonkeyPatch):
    names = chains.namespace

    def on_cpu(*args: Any) -> Any:
        with torch.device("cpu"):
            return pair(*args)

    def namespace(t: Any) -> dict[str, Any]:
        with torch.device("cpu"):
            found = names(t)
        a = found["a"]
        return {
            **found,
            "torch": TorchOnCpu(),
            "a": lambda number: (
                a(number).to("cpu") if isinstance(t, StringTensor) else torch.tensor(number, device="cpu")
            ),
        }

    monkeypatch.setattr(chains, "pair", on_cpu)
    monkeypatch.setattr(chains, "namespace", namespace)
    assert chains.check(2_000, "default device") == []


@each("suite", [c for op in OPERATORS for c in suites(op)])
def test_every_sample_of_every_operator(suite: type[OpTests]):
    for sample in suite.suite.samples:
        args, kwargs = suite.suite.tensors(sample)
        want = suite.suite.overload(*args, **kwargs)
        with torch.device("meta"):
            got = suite.suite.overload(*args, **kwargs)
        for one, other in zip(*([r] if isinstance(r, Tensor) else r for r in (got, want)), strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)


def test_collating_and_rows_of_a_dataset(meta: None):
    with torch.device("cpu"):
        s = StringTensor.from_list(["a", "b", "a"])
    assert s[[0, 1]].tolist() == s.__getitems__([0, 1]).tolist() == ["a", "b"]
    dataset = torch_stringops.data.ColumnDataset(s, s)
    assert torch.utils.data.default_collate(dataset.__getitems__([2, 1]))[1].tolist() == ["a", "b"]
    assert torch.utils.data.default_collate([s[0], s[1]]).tolist() == ["a", "b"]
    assert s.unique(return_inverse=True)[1].tolist() == [0, 1, 0]
