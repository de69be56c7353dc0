"""The flags of the C++ compiler, for setup.py and for builds of the kernels without torch (benchmarks/instructions).

Environment variables: STRINGOPS_DEBUG=1 (our and libstdc++'s assertions, -O1 -g), STRINGOPS_SANITIZE=address,undefined,
STRINGOPS_COVERAGE=1 (counts executed lines and branches), STRINGOPS_WERROR=1 (warnings are errors, as in CI; not the
default, as newer compilers may have more warnings).
"""

import os

from platforms import compiler_version, link_flags

# -Wconversion: narrowing conversions must use core/narrow.h or a cast. Not -Wsign-conversion: sizes and indices are
# int64_t, so that differences are safe, and it would require a cast in each subscript of a standard container.
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wno-unused-parameter"]

# Without assertions, whose branches tests cannot take, and without optimisation, so that branches are those of the
# source.
COVERAGE = ["--coverage", "-fprofile-update=atomic", "-DNDEBUG", "-O0"]


def switched_on(name: str) -> bool:
    return os.environ.get(name) == "1"


def is_release() -> bool:
    return not (
        switched_on("STRINGOPS_DEBUG") or switched_on("STRINGOPS_COVERAGE") or os.environ.get("STRINGOPS_SANITIZE")
    )


def is_clang(system: str | None) -> bool:
    return system == "Darwin" or compiler_version(os.environ.get("CXX", "c++"))[0] == "clang++"


def flags(system: str | None = None, is_ort: bool = False) -> tuple[list[str], list[str]]:
    """The arguments of the compiler, and those of the linker, for this system, or one of platforms.SYSTEMS.

    Those of the linker are other ones for the library for onnxruntime.
    """
    sanitize = os.environ.get("STRINGOPS_SANITIZE")
    compile_args = ["-std=c++17", "-fvisibility=hidden", *WARNINGS]
    if is_clang(system):
        compile_args.append("-Wno-sign-conversion")  # clang counts it among -Wconversion
    else:
        # GCC then inlines as much in a joined file (unity.py) as in each of its sources, none of which is large.
        compile_args.append("--param=large-unit-insns=1000000")
    compile_args += ["-Werror"] if switched_on("STRINGOPS_WERROR") else []
    compile_args += ["-O3", "-g0", "-DNDEBUG"] if is_release() else ["-O1", "-g", "-UNDEBUG", "-D_GLIBCXX_ASSERTIONS"]
    link_args = link_flags(is_release(), system, is_ort)
    if sanitize:
        compile_args += [f"-fsanitize={sanitize}", "-fno-omit-frame-pointer"]
        link_args += [f"-fsanitize={sanitize}"]
    if switched_on("STRINGOPS_COVERAGE"):
        compile_args += COVERAGE
        link_args += ["--coverage"]
    return compile_args, link_args
