"""Joins sources of csrc into a few files, so that the compiler reads each header once for all of them.

A joined file includes sources of one folder. STRINGOPS_UNITY=0 compiles each source alone, which is faster for those
who edit: a build folder with such objects stays with them, unless STRINGOPS_UNITY=1.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("build") / "unity"
# Lines of one joined file, about. Fewer lines read headers more often; more lines leave a processor idle at the end.
MAX_LINES = 1700
# Each file of simd is compiled for other instructions.
ALONE = "csrc/simd/"
HEAD = """\
// Written by tools/unity.py.
#if defined(__GNUC__) && !defined(__clang__)
// Sources may use their unnamed namespaces in their classes: no other file includes them.
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif
"""


def is_on() -> bool:
    wanted = os.environ.get("STRINGOPS_UNITY")
    return wanted == "1" if wanted else not any(ROOT.glob("build/temp.*/_ops/csrc/core/fail.o"))


def join(sources: list[str], alone: tuple[str, ...]) -> list[str]:
    """Writes the joined files. Returns what to compile instead of `sources`; those in `alone` are not joined."""
    groups: dict[str, list[list[str]]] = {}
    result, lines = [], 0
    for source in sorted(sources):
        if source.startswith(ALONE) or source in alone:
            result.append(source)
            continue
        of_folder = groups.setdefault("_".join(Path(source).parent.parts[1:]), [])
        if not of_folder or lines > MAX_LINES:
            of_folder.append([])
            lines = 0
        of_folder[-1].append(source)
        lines += (ROOT / source).read_text(encoding="utf-8").count("\n")
    for folder, parts in groups.items():
        result += [_write(f"{folder}_{i}.cpp", part) for i, part in enumerate(parts)]
    return result


def _write(name: str, sources: list[str]) -> str:
    text = HEAD + "".join(f'#include "{source.removeprefix("csrc/")}"\n' for source in sources)
    path = ROOT / FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:  # a new time would compile it again
        path.write_text(text, encoding="utf-8")
    return str(FOLDER / name)


def included(file: Path) -> list[Path]:
    """The sources in a joined file."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [ROOT / "csrc" / line.split('"')[1] for line in lines if line.startswith("#include")]
