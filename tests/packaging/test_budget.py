"""Each room of the project has a ceiling of lines, and so has all that must be read to own an operator.

A room is a folder with the folders in it; the root of the package is a room of its own. Files that a tool writes are not
counted. The reading path of a file of csrc has the file, the headers that it includes, the sources of these, and so on.
"""

import re
from pathlib import Path

from support.cases import each
from support.csrc_includes import CSRC, GRAPH

ROOT = CSRC.parent
CEILINGS = {
    "csrc/convert": 4095,
    "csrc/core": 4760,
    "csrc/driver": 2925,
    "csrc/host": 765,
    "csrc/kernels": 13720,
    "csrc/match": 2235,
    "csrc/ops": 4935,
    "csrc/ort": 1060,
    "csrc/regex": 6080,
    "csrc/simd": 4770,
    "csrc/split": 1730,
    "csrc/subword": 7410,
    "csrc/tables": 10,
    "torch_stringops": 3550,
    "torch_stringops/data": 6650,
    "torch_stringops/functions": 2300,
    "torch_stringops/include": 100,
    "torch_stringops/interop": 700,
    "torch_stringops/methods": 4100,
    "torch_stringops/nn": 2050,
    "torch_stringops/onnx": 7000,
    "torch_stringops/ops": 3600,
    "torch_stringops/pretrain": 2200,
    "torch_stringops/subword": 3950,
    "torch_stringops/tensor": 1670,
    "torch_stringops/transformers": 1400,
    "torch_stringops/vocabulary": 1050,
    "tests": 60000,
    "benchmarks": 7150,
    "to read ops/split.cpp": 5400,
    "to read driver/cut.h": 2860,
    "to read kernels/ngram.h": 3000,
}


def lines_of(file: Path) -> int:
    text = file.read_text(encoding="utf-8")
    is_written = re.search("[Ww]ritten by `?(tools|make)", text[:400])
    return 0 if is_written else text.count("\n")


def room_of(path: str) -> str:
    """The room of a file: `csrc/split`, `torch_stringops/nn`, `torch_stringops`, `tests`."""
    top, _, rest = path.partition("/")
    below = rest.partition("/")[0]
    return f"{top}/{below}" if top in ("csrc", "torch_stringops") and "/" in rest else top


def reading_path(file: str) -> set[str]:
    found, unread = {file}, [file]
    while unread:
        name = unread.pop()
        source = f"{name.removesuffix('.h')}.cpp"
        new = {*GRAPH[name], *([source] if source in GRAPH else [])} - found
        found |= new
        unread += new
    return found


def counted() -> dict[str, int]:
    lines = {f"to read {file}": sum(lines_of(CSRC / name) for name in reading_path(file)) for file in READ}
    for top in ("csrc", "torch_stringops", "tests", "benchmarks"):
        for file in (ROOT / top).rglob("*"):
            if file.suffix in (".py", ".h", ".cpp", ".c"):
                room = room_of(file.relative_to(ROOT).as_posix())
                lines[room] = lines.get(room, 0) + lines_of(file)
    return lines


READ = [name.removeprefix("to read ") for name in CEILINGS if name.startswith("to read ")]
LINES = counted()


def test_every_room_has_a_ceiling():
    assert LINES.keys() == CEILINGS.keys()


@each("room", CEILINGS)
def test_room_is_below_its_ceiling(room: str):
    lines, ceiling = LINES[room], CEILINGS[room]
    advice = "shorten it, or lower another room's ceiling in the same change"
    assert lines <= ceiling, f"room {room} has {lines} lines, its ceiling is {ceiling}: {advice}"
