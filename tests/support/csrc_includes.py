"""The files of csrc, and which of them each includes."""

import re
from pathlib import Path

CSRC = Path(__file__).resolve().parents[2] / "csrc"


def includes(file: Path) -> list[str]:
    """The files of this project that a file includes, as paths below csrc."""
    return re.findall(r'^#include "([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE)


GRAPH = {
    file.relative_to(CSRC).as_posix(): includes(file)
    for file in sorted(CSRC.rglob("*"))
    if file.suffix in (".h", ".cpp")
}
