"""The symbols that the libraries import (torch's stable ABI, Python's limited API, nothing) and export (a few C functions).

This lets one binary run on every torch >= 2.10 and every Python >= 3.10. The allowed symbols are those that the headers
declare for these versions, so there is no list to maintain.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import torch

import torch_stringops

OPS = Path(torch_stringops.library_path())
CONVERT = OPS.with_name("_convert.abi3.so")
ORT = OPS.with_name("libstringops_ort.so")

STABLE_ABI = """
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/c/shim.h>
"""
OLDEST_TORCH = "-DTORCH_TARGET_VERSION=0x020a000000000000"  # as in setup.py
OLDEST_PYTHON = "-DPy_LIMITED_API=0x030A0000"
SYSTEM = ("GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_")
# Weak references to symbols of profilers, sanitizers or transactional memory.
OPTIONAL = ("_ITM_", "__gmon_start__", "__cxa_finalize")


def undefined(library: Path) -> dict[str, str]:
    """The undefined symbols of a library -> their version, or "" if they have none."""
    command = ["nm", "-D", "--undefined-only", "--format=posix", str(library)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    parts = (line.split()[0].partition("@") for line in listed.splitlines())
    return {name: version.lstrip("@") for name, _, version in parts if not name.startswith(OPTIONAL)}


def not_of_the_system(library: Path) -> set[str]:
    return {name for name, version in undefined(library).items() if not version.startswith(SYSTEM)}


def declared(source: str, folder: str, macro: str) -> set[str]:
    """The functions and variables that the headers declare with this macro."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    command = [*compiler, "-std=c++17", f"-I{folder}", macro, "-x", "c++", "-E", "-P", "-"]
    try:
        found = subprocess.run(command, input=source, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("needs a compiler")
    assert found.returncode == 0, found.stderr
    return set(re.findall(r"\b[A-Za-z_]\w*\b", found.stdout))


def defined(library: Path) -> set[str]:
    """The symbols that a library exports."""
    command = ["nm", "-D", "--defined-only", "--format=posix", str(library)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.split()[0].partition("@")[0] for line in listed.splitlines()}


def needed(library: Path) -> list[str]:
    listed = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", listed)


def test_operators_use_only_the_stable_abi_of_the_oldest_torch():
    folder = str(Path(torch.__file__).parent / "include")
    stable = declared(STABLE_ABI, folder, OLDEST_TORCH)
    assert "torch_parallel_for" in stable
    # A function of 2.11 is not declared: the macro has its effect, so newer functions would be detected.
    assert "torch_from_blob" not in stable
    taken = not_of_the_system(OPS)
    from_torch = {name for name in taken if re.match("(aoti_)?torch_", name)}
    assert len(from_torch) > 30
    assert from_torch <= stable, from_torch - stable
    # There are no others: none of torch's C++ (or its copies of the C++ library), none of Python.
    other = taken - from_torch
    assert not other


def test_conversions_use_only_the_limited_api_of_the_oldest_python():
    folder = sysconfig.get_path("include")
    if not (Path(folder) / "Python.h").exists():
        pytest.skip("needs Python.h")
    limited = declared("#include <Python.h>", folder, OLDEST_PYTHON)
    assert "PyList_GetItem" in limited
    # Functions of 3.11 and 3.13 are not declared: the macro has its effect.
    assert not {"PyObject_GetBuffer", "PyUnicode_AsUTF8"} & limited
    taken = not_of_the_system(CONVERT)
    assert len(taken) > 30
    assert taken <= limited, taken - limited


def test_operators_of_onnxruntime_use_only_the_system():
    taken = undefined(ORT)
    assert len(taken) > 30
    assert not_of_the_system(ORT) == set()
    # By these names a library finds Python, and others.
    assert not {"dlsym", "dlopen"} & set(taken)


def test_libraries_export_only_their_c_functions():
    # An exported template of the C++ library could be replaced by that of another library in the process.
    operators = defined(OPS)
    assert "stringops_simd_tier" in operators
    assert {name for name in operators if not name.startswith("stringops_")} == set()
    assert defined(CONVERT) == {"PyInit__convert"}
    assert defined(ORT) == {"RegisterCustomOps"}


@pytest.mark.parametrize("library", [OPS, CONVERT, ORT], ids=lambda path: path.name)
def test_libraries_do_not_contain_build_paths(library: Path):
    # The strings of the program and of the dynamic linker, without debug information.
    command = ["readelf", "--string-dump=.rodata", "--string-dump=.dynstr", str(library)]
    strings = subprocess.run(command, capture_output=True, check=True).stdout
    assert b"GLIBC" in strings
    for folder in (Path(__file__).parents[2], Path(torch.__file__).parent):
        assert str(folder).encode() not in strings


@pytest.mark.parametrize(
    ("library", "own"), [(OPS, {"libtorch_cpu"}), (CONVERT, set()), (ORT, set())], ids=lambda x: getattr(x, "name", "")
)
def test_libraries_depend_only_on_the_libraries_that_they_use(library: Path, own: set[str]):
    # In a wheel, the names of libraries that auditwheel has copied contain a hash.
    stems = {re.split(r"-[0-9a-f]{8}\.|\.so", name)[0] for name in needed(library)}
    assert own <= stems
    system = {"libstdc++", "libgcc_s", "libc", "libm", "libpthread", "libdl", "librt"}
    assert stems <= own | system | {"ld-linux-x86-64", "ld-linux-aarch64"}


@pytest.mark.parametrize("library", [OPS, CONVERT, ORT], ids=lambda path: path.name)
def test_no_static_variable_of_a_function_is_initialized_under_a_lock(library: Path):
    """The compiler's lock of such a variable is not released in a child of fork(): core/lazy.h has none."""
    locks = re.compile("__cxa_guard|call_once|pthread_(once|rwlock|cond|spin)")
    assert [name for name in undefined(library) if locks.search(name)] == []


def test_a_second_copy_of_the_library_names_the_cause(tmp_path: Path):
    copy = shutil.copy(torch_stringops.library_path(), tmp_path / "_ops.so")
    program = f"import torch, torch_stringops; torch.ops.load_library({str(copy)!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode != 0
    assert "torch_stringops: expected one copy of _ops.so in a process" in done.stderr


def test_tensors_without_values_are_errors_of_one_sentence():
    data, offsets = (
        torch.empty(size, dtype=dtype, device="meta") for size, dtype in ((1, torch.uint8), (2, torch.int32))
    )
    for args, text in (
        ((None, torch.zeros(1, dtype=torch.int32)), "string_lower: expected `data` to be a Tensor, got None"),
        ((data, offsets), "expected tensors with values, got meta tensors"),
    ):
        with pytest.raises(Exception, match=text) as raised:
            torch.ops.stringops.string_lower(*args)
        assert len(str(raised.value).splitlines()) == 1
