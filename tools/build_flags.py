"""How the C++ is compiled: read by setup.py, and by what builds the kernels apart from torch (benchmarks/instructions).

Switches, by environment: STRINGOPS_DEBUG=1 (assertions, ours and libstdc++'s, -O1 -g),
STRINGOPS_SANITIZE=address,undefined, STRINGOPS_COVERAGE=1 (as debug, counting what is executed), STRINGOPS_WERROR=1 (a
warning fails the build, as in CI; elsewhere a compiler newer than ours may warn of more).
"""

import os

# Numbers never lose bits unseen: a narrowing is core/narrow.h's, or a cast. Not -Wsign-conversion: sizes and indices
# are int64_t here, so that differences are safe, and it would have a cast in each subscript of a standard container.
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wno-unused-parameter"]

# Without our assertions, whose branches no test can take; and not optimised, so that branches are the source's.
COVERAGE = ["--coverage", "-fprofile-update=atomic", "-DNDEBUG", "-O0"]


def switched_on(name: str) -> bool:
    return os.environ.get(name) == "1"


def is_release() -> bool:
    return not (
        switched_on("STRINGOPS_DEBUG")
        or switched_on("STRINGOPS_COVERAGE")
        or os.environ.get("STRINGOPS_SANITIZE")
    )


def flags() -> tuple[list[str], list[str]]:
    """Arguments of the compiler, and of the linker."""
    sanitize = os.environ.get("STRINGOPS_SANITIZE")
    compile_args = ["-std=c++17", "-fvisibility=hidden", *WARNINGS]
    compile_args += ["-Werror"] if switched_on("STRINGOPS_WERROR") else []
    compile_args += (
        ["-O3", "-g0", "-DNDEBUG"] if is_release() else ["-O1", "-g", "-UNDEBUG", "-D_GLIBCXX_ASSERTIONS"]
    )
    link_args = ["-Wl,-s"] if is_release() else []
    if sanitize:
        compile_args += [f"-fsanitize={sanitize}", "-fno-omit-frame-pointer"]
        link_args += [f"-fsanitize={sanitize}"]
    if switched_on("STRINGOPS_COVERAGE"):
        compile_args += COVERAGE
        link_args += ["--coverage"]
    return compile_args, link_args
