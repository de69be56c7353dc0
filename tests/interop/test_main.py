"""`python -m torch_stringops` prints what a report of a bug needs, and `help(torch_stringops)` lists every function."""

import getpass
import inspect
import runpy
import sys
import types
from pathlib import Path

import pytest
import torch

import torch_stringops


def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    monkeypatch.setattr(sys, "argv", ["torch_stringops", *options])
    runpy.run_module("torch_stringops", run_name="__main__")
    return capsys.readouterr().out.splitlines()


def test_paths_for_programs_in_cpp(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    library, include = printed(monkeypatch, capsys, "--library-path", "--include-path")
    assert library == torch_stringops.library_path()
    assert (Path(include) / "torch_stringops" / "strings.h").exists()


def test_the_report_has_versions_tiers_threads_and_the_build(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    lines = printed(monkeypatch, capsys)
    rows = {line.partition("  ")[0]: line.partition("  ")[2].strip() for line in lines}
    assert rows["torch_stringops"] == torch_stringops.__version__
    assert rows["torch"] == torch.__version__
    assert rows["Unicode"] == torch_stringops.unicode_version()
    assert rows["CPU tier"] == f"{torch_stringops.simd_tier()} (of {', '.join(torch_stringops.simd_tiers())})"
    assert rows["threads"].startswith(f"{torch.get_num_threads()} of torch, ")
    assert rows["build"].startswith(("gcc ", "clang "))
    assert ", C++ 201703L, with" in rows["build"]
    assert rows.keys() >= {"numpy", "Python", "system", "C library", "CPU", "CUDA"}
    assert all(rows.values())
    assert not any(getpass.getuser() in row or "/" in row for name, row in rows.items() if name != "CPU")


def test_help_lists_every_function_once_by_family():
    text = inspect.getdoc(torch_stringops)
    assert text.startswith("String tensors for PyTorch: ")
    assert max(map(len, text.splitlines())) <= 120
    listed = text.partition("Functions by family:")[2].replace(",", " ").split()
    for name in torch_stringops.__all__:
        value = getattr(torch_stringops, name)
        if isinstance(value, types.FunctionType) and ".functions." in value.__module__:
            assert listed.count(name) == 1 or name in ("split", "where", "stack", "cat"), name
        elif not name.startswith("__"):
            assert name in dir(torch_stringops)


def test_the_table_of_contents_is_not_public():
    assert not [name for name in torch_stringops.__all__ if name.startswith("_") and name != "__version__"]
