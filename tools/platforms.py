"""What the build chooses by the machine: the flags of its linker, and the machines and compilers that it refuses.

csrc/core/platform.h has the differences between the systems' functions.
"""

import platform
import shlex
import subprocess
from functools import cache
from pathlib import Path

SYSTEMS = ("Linux", "Darwin")
# The names of two processors, as `platform.machine()` has them.
PROCESSORS = ("x86_64", "aarch64", "arm64")
# __builtin_convertvector is new in GCC 9. clang 14 is the oldest that has been tried.
OLDEST_COMPILERS = {"g++": 9, "clang++": 14}

ROOT = Path(__file__).resolve().parent.parent
# Linux: the symbols that the libraries export.
EXPORTS = "csrc/exports.map"
ORT_EXPORTS = "csrc/ort/exports.map"


def stop(text: str) -> None:
    raise SystemExit(f"building torch_stringops: {text}")


def check_machine(system: str, processor: str) -> None:
    """Fail in one sentence that names what is not supported."""
    if system not in SYSTEMS:
        stop(f"the system {system!r} is not supported (expected Linux, or Darwin, which is macOS)")
    if processor not in PROCESSORS:
        stop(f"the processor {processor!r} is not supported (expected one of {', '.join(PROCESSORS)})")


@cache
def compiler_version(command: str) -> tuple[str, int]:
    """The kind of a compiler and its major version; ("", 0) for a compiler that is neither g++ nor clang++."""
    source = "clang __clang_major__ gnu __GNUC__"
    done = subprocess.run(
        [*shlex.split(command), "-x", "c++", "-E", "-P", "-"],
        input=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    words = done.stdout.split()[-4:]
    if len(words) < 4 or words[::2] != source.split()[::2]:
        return "", 0
    for kind, version in (("clang++", words[1]), ("g++", words[3])):
        if version.isdigit():
            return kind, int(version)
    return "", 0


def check_compiler(command: str, kind: str, version: int) -> None:
    """Fail in one sentence that names the compiler, if it is none of OLDEST_COMPILERS, or older."""
    expected = " or ".join(f"{kind} >= {oldest}" for kind, oldest in OLDEST_COMPILERS.items())
    if kind not in OLDEST_COMPILERS:
        stop(f"the compiler {command!r} is not supported (expected {expected}; CXX names another)")
    if version < OLDEST_COMPILERS[kind]:
        stop(f"the compiler {command!r}, {kind} {version}, is too old (expected {expected}; CXX names another)")


def check(compiler: str) -> None:
    """Fail before compiling if this machine or this compiler is not supported."""
    check_machine(platform.system(), platform.machine())
    check_compiler(compiler, *compiler_version(compiler))


def link_flags(is_release: bool, system: str | None = None, is_ort: bool = False) -> list[str]:
    """The flags of the linker: only our functions are exported, and a release has no symbols for debuggers.

    The library for onnxruntime is never unloaded, so that a new session finds the caches of those before it.
    """
    if (system or platform.system()) == "Darwin":
        strip = ["-Wl,-S", "-Wl,-x"]
        # A name without a wildcard would be an error in the library that lacks it.
        names = ["_RegisterCustomOps"] if is_ort else ["_stringops_*", "_PyInit_*"]
        exports = [f"-Wl,-exported_symbol,{name}" for name in names]
    else:
        strip = ["-Wl,-s"]
        exports = [f"-Wl,--version-script={ROOT / (ORT_EXPORTS if is_ort else EXPORTS)}"]
        exports += ["-Wl,-z,nodelete"] if is_ort else []
    return [*(strip if is_release else []), *exports]


def libraries(system: str | None = None) -> list[str]:
    """The libraries that operators need.

    libstdc++ comes before torch, which contains copies of parts of it that are not part of any ABI. clang adds macOS's
    libc++ by itself.
    """
    return ["torch_cpu"] if (system or platform.system()) == "Darwin" else ["stdc++", "torch_cpu"]
