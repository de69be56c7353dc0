"""What the site adds to its pages: links from code to the reference and to files of the repository."""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode


def short_names(full_names: list[str]) -> dict[str, str]:
    """The full names of the reference by each end of theirs that can mean nothing else in text.

    `data.Pack`, `Pack` and `string_lower` mean something of the library; `split` alone is mostly torch's or Python's.
    """
    found: dict[str, set[str]] = {}
    for full in full_names:
        parts = full.split(".")
        for i in range(len(parts)):
            owner, name = parts[i - 1] if i else "", parts[i]
            alone = i == len(parts) - 1
            if alone and not (name[0].isupper() or ("_" in name and owner.islower())):
                continue
            found.setdefault(".".join(parts[i:]), set()).add(full)
    return {end: names.pop() for end, names in found.items() if len(names) == 1}


class LinkNames(SphinxPostTransform):
    """Makes `string_lower` and `Pack(...)` in the text links to their entries of the reference."""

    default_priority = 5  # before references are resolved

    def run(self, **kwargs: object) -> None:
        domain = self.env.get_domain("py")
        names = short_names(list(domain.objects))
        for literal in list(self.document.findall(nodes.literal)):
            full = names.get(literal.astext().split("(")[0])
            if full is None or any(
                isinstance(parent, nodes.reference | nodes.title | addnodes.pending_xref)
                or (isinstance(parent, addnodes.desc) and full in parent[0].get("ids", ()))
                for parent in ancestors(literal)
            ):
                continue
            entry = domain.objects[full]
            link = make_refnode(
                self.app.builder,
                self.env.docname,
                entry.docname,
                entry.node_id,
                literal.deepcopy(),
            )
            literal.replace_self(link)


class TrimBlocks(SphinxTransform):
    """Removes the empty line at the end of a block of code, where a doctest ends."""

    default_priority = 800

    def apply(self, **kwargs: object) -> None:
        for block in self.document.findall(nodes.literal_block):
            block.rawsource = block.astext().rstrip("\n")
            block[:] = [nodes.Text(block.rawsource)]


class LinkFiles(SphinxTransform):
    """Makes links to pages of the repository that are no pages of the site, such as tests/README.md, downloads."""

    default_priority = 800  # before files to download are collected

    def apply(self, **kwargs: object) -> None:
        docs = Path(self.app.srcdir)
        for link in list(self.document.findall(addnodes.pending_xref)):
            target = link["reftarget"]
            # MyST gives the paths of pages without their suffix. Pages that include others have their links, which are
            # relative to the root or to examples.
            paths = (
                docs / f"{target}.md",
                *(folder / target for folder in (docs, docs.parent, docs.parent / "examples")),
            )
            path = next((path.resolve() for path in paths if path.is_file()), None)
            if path is not None and not path.is_relative_to(docs):
                name = path.relative_to(docs.parent).as_posix()
                file = addnodes.download_reference("", "", *link.children, reftarget=f"/../{name}")
                link.replace_self(file)


def ancestors(node: nodes.Node) -> list[nodes.Node]:
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(TrimBlocks)
    app.add_transform(LinkFiles)
    app.add_post_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
