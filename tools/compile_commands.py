"""Writes compile_commands.json, from which editors and clang tools take the flags of each file of csrc.

The commands are those of the last `make build`. A source of a joined file (tools/unity.py) has the command of that.
"""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import unity

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    ninja = Path(sysconfig.get_path("scripts")) / "ninja"
    commands = []
    for file in sorted(ROOT.glob("build/temp.*/*/build.ninja")):
        listed = subprocess.run([ninja, "-C", file.parent, "-t", "compdb"], capture_output=True, text=True)
        if listed.returncode:
            sys.exit(f"compile_commands: {file}: {listed.stderr}")
        for entry in json.loads(listed.stdout):
            file = Path(entry["file"])
            sources = unity.included(file) if unity.FOLDER.name == file.parent.name else [file]
            if file.suffix == ".cpp":
                commands += [
                    {
                        **entry,
                        "file": str(source),
                        "command": entry["command"].replace(str(file), str(source)),
                    }
                    for source in sources
                ]
    (ROOT / "compile_commands.json").write_text(json.dumps(commands, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
