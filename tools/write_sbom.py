"""Writes the software bill of materials (SBOM) of a release, CycloneDX in JSON: what the wheel contains of others.

    python tools/write_sbom.py FILE

The same commit gives the same bytes: the time is that of SOURCE_DATE_EPOCH, which `make release-check` sets.
"""

import json
import os
import re
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What THIRD_PARTY.md lists as compiled in: the name there -> where the sources state the version.
VERSIONS = {"Unicode Character Database": ("csrc/tables/case.cpp", r'kUnicodeVersion\[\] = "([\d.]+)"')}


def version() -> str:
    text = (ROOT / "torch_stringops" / "_version.py").read_text(encoding="utf-8")
    return re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)[0]


def bundled() -> list[tuple[str, str, str]]:
    """Name, address and licence of the rows of THIRD_PARTY.md that are compiled in."""
    text = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(.*?)\]\((.*?)\) \| (.*) \| (\S+) \|$", text, re.MULTILINE)
    return [(name, address, licence) for name, address, how, licence in rows if "compiled into" in how]


def sbom() -> dict[str, object]:
    name = f"torch-stringops@{version()}"
    reference = f"pkg:pypi/{name}"
    components = []
    for title, address, licence in bundled():
        path, pattern = VERSIONS[title]
        found = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"))
        if found is None:
            raise SystemExit(f"write_sbom: {path} does not state the version of {title}")
        components.append(
            {
                "type": "data",
                "bom-ref": f"{title}@{found[1]}",
                "name": title,
                "version": found[1],
                "licenses": [{"license": {"id": licence}}],
                "externalReferences": [{"type": "website", "url": address}],
            }
        )
    seconds = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, reference)}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", seconds),
            "component": {
                "type": "library",
                "bom-ref": reference,
                "name": "torch-stringops",
                "version": version(),
                "purl": reference,
                "licenses": [{"license": {"id": "BSD-3-Clause"}}],
            },
        },
        "components": components,
        "dependencies": [{"ref": reference, "dependsOn": [part["bom-ref"] for part in components]}],
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"write_sbom: expected one argument\n{__doc__}")
    Path(sys.argv[1]).write_text(json.dumps(sbom(), indent=2) + "\n", encoding="utf-8")
