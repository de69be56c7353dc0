"""The package's page on an index: README.md with absolute links, and the addresses of the project.

A package index does not resolve relative links. setup.py uses this; `make release-check` demands an address.
"""

import re

# The address of the public repository, such as that of its page at a host, without a slash at the end. Empty: it is not
# known yet, links stay relative, and a release is refused.
REPOSITORY = ""

# Targets of links and images that are neither absolute nor a heading of the page.
_RELATIVE = re.compile(r"(!?)(\[[^\]]*\])\((?!https?://|mailto:|#)([^)\s]+)\)")


def project_urls(repository: str = REPOSITORY) -> dict[str, str]:
    """The addresses of the package's metadata, by the labels that indexes know."""
    if not repository:
        return {}
    return {
        "Repository": repository,
        "Documentation": f"{repository}/tree/main/docs",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def index_page(text: str, version: str, repository: str = REPOSITORY) -> str:
    """README.md with links to the files of this version: pages for links, contents for images."""
    if not repository:
        return text

    def absolute(match: re.Match[str]) -> str:
        mark, label, path = match.groups()
        return f"{mark}{label}({repository}/{'raw' if mark else 'blob'}/v{version}/{path})"

    return _RELATIVE.sub(absolute, text)


def relative_links(text: str) -> list[str]:
    """The targets of links and images that an index would not resolve."""
    return [match[3] for match in _RELATIVE.finditer(text)]
