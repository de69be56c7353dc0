"""How the C++ is compiled: read by setup.py, and by what builds the kernels apart from torch (benchmarks/instructions).

Switches, by environment: STRINGOPS_DEBUG=1 (assertions, -O1 -g), STRINGOPS_SANITIZE=address,undefined.
"""

import os


def is_release() -> bool:
    return os.environ.get("STRINGOPS_DEBUG") != "1" and not os.environ.get("STRINGOPS_SANITIZE")


def flags() -> tuple[list[str], list[str]]:
    """Arguments of the compiler, and of the linker."""
    sanitize = os.environ.get("STRINGOPS_SANITIZE")
    compile_args = ["-std=c++17", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unused-parameter"]
    compile_args += ["-O3", "-g0", "-DNDEBUG"] if is_release() else ["-O1", "-g", "-UNDEBUG"]
    link_args = ["-Wl,-s"] if is_release() else []
    if sanitize:
        compile_args += [f"-fsanitize={sanitize}", "-fno-omit-frame-pointer"]
        link_args += [f"-fsanitize={sanitize}"]
    return compile_args, link_args
