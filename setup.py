"""Builds the libraries: `_ops.so` (operators, no Python symbol), `_convert.abi3.so` (list[str] <-> buffers), and
`libstringops_ort.so` (the operators for onnxruntime, without torch).

Switches, by environment: see tools/build_flags.py and tools/unity.py.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

try:
    from torch.utils.cpp_extension import BuildExtension, CppExtension, include_paths
except ImportError as error:
    raise SystemExit(
        "building torch_stringops needs torch: pip install torch==2.13.0, then pip install --no-build-isolation ."
    ) from error

ROOT = Path(__file__).resolve().parent
# Use the ninja next to this Python, even if the environment is not activated, as another release of ninja would build
# everything again.
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
sys.path.insert(0, str(ROOT / "tools"))
from build_flags import flags  # noqa: E402
from index_page import index_page, project_urls  # noqa: E402
from platforms import EXPORTS, ORT_EXPORTS, check, libraries  # noqa: E402
from system_packages import commands, missing  # noqa: E402
from unity import is_on as is_unity_on  # noqa: E402
from unity import join  # noqa: E402

# TORCH_TARGET_VERSION 2.10: the oldest torch whose stable ABI the binary may call.
TORCH_TARGET = "0x020a000000000000"
# The names of libraries that are not Python modules.
FILES = {"_ops": "_ops.so", "_ort": "libstringops_ort.so"}
# Python 3.13 and 3.14 have no limited API without a GIL. The package looks for this name there.
HAS_LIMITED_API = not sysconfig.get_config_var("Py_GIL_DISABLED")
if not HAS_LIMITED_API:
    FILES["_convert"] = "_convert.so"
# What only Python and torch need: csrc/host has a PythonLock of its own, and no signals end a call.
NOT_IN_ORT = ("csrc/ops/interrupt.cpp", "csrc/ops/python_lock.cpp", "csrc/ops/subword_single.cpp")


def check_requirements() -> None:
    """Fail before compiling: with the command that installs what is missing, or the name of what is not supported."""
    rows = missing()
    if rows:
        raise SystemExit(f"building torch_stringops needs {', '.join(rows)}. Install with one of\n{commands(rows)}")
    check(os.environ.get("CXX", "c++"))


class Build(BuildExtension):
    """torch's build, with the names of libraries that are not Python modules."""

    def get_ext_filename(self, ext_name: str) -> str:
        *package, name = ext_name.split(".")
        return os.path.join(*package, FILES[name]) if name in FILES else super().get_ext_filename(ext_name)

    def build_extension(self, ext: Extension) -> None:
        # A folder each: ninja forgets the headers of objects that its file does not name, and compiles them all again.
        folder = self.build_temp
        name = ext.name.split(".")[-1]
        if name == "_ops" and is_unity_on():  # here, as the source archive has the sources of `extensions`
            ext.sources = join(ext.sources, NOT_IN_ORT)
        self.build_temp = os.path.join(folder, name)
        if name == "_ort":
            ops = self.extensions[0].sources
            objects = self.compiler.object_filenames(ops, output_dir=os.path.join(folder, "_ops"))
            ext.extra_objects = [o for s, o in zip(ops, objects, strict=True) if s not in NOT_IN_ORT]
        try:
            super().build_extension(ext)
        finally:
            self.build_temp = folder


def sources_in(*layers: str) -> list[str]:
    return sorted(str(p.relative_to(ROOT)) for layer in layers for p in (ROOT / "csrc" / layer).rglob("*.cpp"))


def extensions() -> list[Extension]:
    check_requirements()
    compile_args, link_args = flags()
    # No warnings in headers of torch and Python. (-isystem takes precedence over -I for the same folder.)
    foreign = [*include_paths(), sysconfig.get_path("include")]
    compile_args = [*(f"-isystem{folder}" for folder in foreign), *compile_args]
    # torch's checks contain the path of their source file, which must not depend on the machine that builds.
    compile_args += [f"-fmacro-prefix-map={folder}/=" for folder in (ROOT, *include_paths())]
    sources = sources_in("tables", "core", "simd", "regex", "subword", "split", "match", "driver", "kernels", "ops")
    depends = [
        EXPORTS,
        ORT_EXPORTS,
        *sources,
        *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "csrc").rglob("*.h")),
    ]
    ops = CppExtension(
        "torch_stringops._ops",
        sources,
        depends=depends,
        include_dirs=[str(ROOT / "csrc")],
        define_macros=[("TORCH_TARGET_VERSION", TORCH_TARGET)],
        extra_compile_args=compile_args,
        extra_link_args=link_args,
        py_limited_api=True,
    )
    ops.libraries = libraries()
    convert = Extension(
        "torch_stringops._convert",
        [
            "csrc/convert/module.cpp",
            "csrc/core/fail.cpp",
            "csrc/core/offsets.cpp",
        ],
        depends=depends,
        include_dirs=[str(ROOT / "csrc")],
        extra_compile_args=compile_args,
        extra_link_args=link_args,
        py_limited_api=HAS_LIMITED_API,  # torch's build defines Py_LIMITED_API as 3.10's
        language="c++",
    )
    # Links the objects of `ops`, whose calls of torch's stable ABI csrc/host answers.
    header = os.environ.get("ORT_INCLUDE_DIR")
    ort = Extension(
        "torch_stringops._ort",
        sources_in("host", "ort"),
        depends=depends,
        include_dirs=[str(ROOT / "csrc"), *([header] if header else [])],
        define_macros=[
            ("TORCH_TARGET_VERSION", TORCH_TARGET),
            *([("STRINGOPS_ORT_HEADER", "1")] if header else []),
        ],
        extra_compile_args=compile_args,
        extra_link_args=flags(is_ort=True)[1],
        py_limited_api=True,
        language="c++",
    )
    return [ops, convert, ort]


def long_description() -> str:
    """README.md, whose links lead to the files of this version."""
    version: dict[str, str] = {}
    exec((ROOT / "torch_stringops" / "_version.py").read_text(encoding="utf-8"), version)
    return index_page((ROOT / "README.md").read_text(encoding="utf-8"), version["__version__"])


setup(
    long_description=long_description(),
    long_description_content_type="text/markdown",
    project_urls=project_urls(),
    ext_modules=extensions(),
    cmdclass={"build_ext": Build.with_options(use_ninja=shutil.which("ninja") is not None)},
    options={"bdist_wheel": {"py_limited_api": "cp310"}} if HAS_LIMITED_API else {},
)
