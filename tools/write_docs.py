"""Writes docs/operators.md and the pages of the API reference, docs/reference, from the docstrings.

docs/conf.py writes the reference for each site; docs/operators.md is in the repository.

A page has a family of functions, with the methods of StringTensor that do the same, or the classes and functions of a
module. The pages are MyST: Markdown in the directives of Sphinx. tests/test_site.py fails if a public name has no
entry.
"""

import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import torch

import torch_stringops
from torch_stringops import StringTensor, functions, methods

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "torch_stringops"
SECTION = re.compile(
    r"^(Args|Attributes|Returns|Raises|See also|Example|Differences from \w+):(.*)\n((?:(?:[ ]{4}.*)?\n)*)",
    re.MULTILINE,
)
INPUT = re.compile(r"^    input: strings .*\n", re.MULTILINE)

# Titles of families that are not the names of their files.
TITLES = {
    "build": "Building strings",
    "case": "Upper and lower case",
    "classes": "Character classes",
    "compare": "Comparison",
    "datetime": "Dates and times",
    "distinct": "Distinct strings",
    "edit": "Reversal",
    "escape": "Base64, URLs, escapes",
    "filling": "Filling and padding",
    "hash": "Hashes",
    "joining": "Concatenation and selection",
    "json": "JSON",
    "memory": "Memory and devices",
    "ngram": "N-grams",
    "normalize": "Unicode normalization",
    "number": "Numbers",
    "pack": "Byte ranges of a buffer",
    "ragged": "Ragged and padded rows",
    "ragged_rows": "Operations on ragged rows",
    "regex": "Regular expressions",
    "search_many": "Search for many strings",
    "segments": "Units of text, scripts",
    "sort": "Order",
    "strip": "Strip",
    "subword": "Subword operators",
    "tensor": "Split of ONNX",
    "tfidf": "N-gram vectors of ONNX",
    "tokenizer": "Tokens by patterns",
    "vocabulary": "Vocabulary operators",
}

# Operators by the specification that they follow.
SPECIFICATIONS = {
    "ONNX StringSplit-20": "string_split",
    "com.microsoft Tokenizer-1": "tokenizer",
    "OpenVINO StringTensorUnpack-15 and StringTensorPack-15": "string_tensor_unpack string_tensor_pack",
    "ONNX SplitToSequence-11, of tensors and of strings": "split_to_sequence split_strings_to_sequence",
    "ONNX Split-1, 2, 11, 13 and 18, of tensors and of strings": "split split_strings",
    "ONNX StringNormalizer-10": "string_normalizer",
    "ONNX TfIdfVectorizer-9": "tfidf_vectorizer",
}

# Pages of classes, and of functions without a family: title, module, names. None: all public names of the module.
MODULES: dict[str, tuple[str, str, list[str] | None]] = {
    "conversion": ("Conversion", PACKAGE, ["as_strings", "as_ragged", "StringsLike"]),
    "vocabulary": ("Vocabularies", PACKAGE, ["Vocabulary", "VocabularyBuilder"]),
    "subword_tokenizer": ("Subword tokenizers", PACKAGE, ["SubwordTokenizer", "DecodeStream"]),
    "nn": ("Modules: nn", f"{PACKAGE}.nn", None),
    "data": ("Data: columns, files, batches", f"{PACKAGE}.data", None),
    "pretrain": ("Pretraining: quality, tokens, packing", f"{PACKAGE}.pretrain", None),
    "distributed": ("Distributed", f"{PACKAGE}.distributed", None),
    "ray": ("Ray Data", f"{PACKAGE}.ray", None),
    "transformers": ("Hugging Face's classes", f"{PACKAGE}.transformers", None),
}


def public(module: ModuleType) -> list[str]:
    """The public names of a module: those that it lists, or defines or imports from the package."""
    listed = getattr(module, "__all__", None)
    return sorted(
        listed or (n for n, v in vars(module).items() if not n.startswith("_") and not isinstance(v, ModuleType))
    )


def modules() -> dict[str, tuple[str, str, list[str]]]:
    """MODULES with all names, and a page of the functions of the package that are on no other page."""
    pages = {
        stem: (title, module, names or public(importlib.import_module(module)))
        for stem, (title, module, names) in MODULES.items()
    }
    placed = {
        "StringTensor",
        *(name for _, module, names in pages.values() if module == PACKAGE for name in names),
    }
    placed.update(name for family in families().values() for name in family["functions"])
    rest = sorted(set(torch_stringops.__all__) - placed)
    return pages | {"library": ("Export, and the library itself", PACKAGE, rest)}


def families() -> dict[str, dict[str, dict[str, object]]]:
    """The functions and the methods of StringTensor of each family, which is the name of their files."""
    found: dict[str, dict[str, dict[str, object]]] = {}

    def add(stem: str, kind: str, name: str, value: object) -> None:
        found.setdefault(stem, {"functions": {}, "methods": {}})[kind][name] = value

    for info in pkgutil.iter_modules(functions.__path__):
        module = importlib.import_module(f"{functions.__name__}.{info.name}")
        for name, value in vars(module).items():
            if name in torch_stringops.__all__ and inspect.getmodule(value) is module:
                add(info.name, "functions", name, value)
    for name, owner, value in members(StringTensor):
        if owner.__module__.startswith(f"{methods.__name__}."):
            add(owner.__module__.split(".")[-1], "methods", name, value)
    return {stem: found[stem] for stem in sorted(found, key=title)}


def title(stem: str) -> str:
    return TITLES.get(stem, stem.replace("_", " ").capitalize())


def members(owner: type) -> Iterator[tuple[str, type, object]]:
    """The public members that the package defines and documents: name, defining class and value."""
    for name in sorted(name for name in dir(owner) if not name.startswith("_")):
        base = next(base for base in owner.__mro__ if name in vars(base))
        value = vars(base)[name]
        doc = inspect.getdoc(value) if inspect.ismemberdescriptor(value) else getattr(value, "__doc__", None)
        if base.__module__.startswith(PACKAGE) and doc:
            yield name, base, value


def signature(value: object, *, bound: bool) -> str:
    """`(argument, argument=default)`, without types, which are in the text, and without `self`."""
    bare = inspect.signature(value)  # type: ignore[arg-type]
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in bare.parameters.values()]
    return str(bare.replace(parameters=parameters[bound:], return_annotation=inspect.Signature.empty))


def entries(body: str) -> str:
    """The `name: text` entries of a section as a list; other text and tables as they are."""
    lines = []
    for line in textwrap.dedent(body).strip("\n").splitlines():
        named = re.match(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*): (.*)", line)
        lines.append(f"- `{named[1]}`: {named[2]}" if named else f"  {line}" if line.startswith(" ") else line)
    return "\n".join(lines)


def markdown_section(match: re.Match[str]) -> str:
    heading, inline, body = match.groups()
    if heading == "Example":
        # Text between the examples stands between their blocks.
        parts = re.split(r"\n\n(?=\S)", textwrap.dedent(body).strip())
        blocks = [f"```pycon\n{p}\n```" if p.startswith(">>>") else p for p in parts]
        code = (
            "\n\n".join(blocks)
            if any(p.startswith(">>>") for p in parts)
            else f"```python\n{textwrap.dedent(body).strip()}\n```"
        )
        return f"\n**Example**\n\n{code}\n"
    return f"\n**{heading}:**{inline}\n\n{entries(body)}\n"


def markdown(doc: str) -> str:
    text = SECTION.sub(markdown_section, doc + "\n")
    text = re.sub(r"\bdocs/(\w+)\.md", r"[](/\1.md)", text)  # a link with the title of the page
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def directive(kind: str, head: str, body: str, depth: int = 4) -> str:
    fence = ":" * depth
    return f"{fence}{{py:{kind}}} {head}\n\n{body}\n{fence}\n"


def member_entry(owner: str, name: str, value: object, body: str | None = None, depth: int = 4) -> str:
    """The entry of a method, a property or an alias of a class."""
    text = body if body is not None else markdown(inspect.getdoc(value) or "")
    if not callable(value) and not isinstance(value, classmethod | staticmethod):
        return directive("property", f"{owner}{name}", text, depth)
    function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    option = {classmethod: ":classmethod:\n", staticmethod: ":staticmethod:\n"}.get(type(value), "")
    head = f"{owner}{name}{signature(function, bound=not isinstance(value, staticmethod))}"
    return directive("method", f"{head}\n{option}", text, depth)


def class_entry(name: str, value: type) -> str:
    doc = markdown(inspect.getdoc(value) or "")
    inside = "\n".join(member_entry("", member, v, depth=5) for member, _, v in members(value))
    try:
        head = name + signature(value, bound=False)
    except ValueError:
        head = name
    return directive("class", head, f"{doc}\n\n{inside}", depth=8)


def entry(name: str, value: object) -> str:
    doc = markdown(inspect.getdoc(value) or "")
    if inspect.isclass(value):
        return class_entry(name, value)
    if inspect.isroutine(value):
        return directive("function", name + signature(value, bound=False), doc)
    return directive("data", name, DATA[name])


# Names that have no docstrings of their own.
DATA = {
    "StringsLike": "The type of what `as_strings` accepts: strings, nested lists of them, and columns.",
    "__version__": "The version of the package, a `str`.",
}


def function_of(method: str, family: dict[str, object]) -> str | None:
    """The function that does what the method does. The methods `equal` and `sort` return what torch's do."""
    names = [f"string_{method}", method] if method not in ("equal", "sort") else []
    return next((name for name in names if name in family), None)


def family_page(stem: str, family: dict[str, dict[str, object]]) -> str:
    folder = functions if family["functions"] else methods
    doc = inspect.getdoc(importlib.import_module(f"{folder.__name__}.{stem}")) or ""
    parts = [f"# {title(stem)}\n\n{doc.splitlines()[0]}\n"]
    same = {function_of(name, family["functions"]): name for name in family["methods"]}
    for name, value in sorted(family["functions"].items()):
        parts.append(f"## {name}\n\n{entry(name, value)}")
        method = same.get(name)
        if method:
            body = f"The same as `{name}`, with this tensor as `input`."
            parts.append(member_entry("StringTensor.", method, family["methods"][method], body))
    for name, value in family["methods"].items():
        if function_of(name, family["functions"]) is None:
            parts.append(f"## StringTensor.{name}\n\n{member_entry('StringTensor.', name, value)}")
    return page(PACKAGE, "\n".join(parts))


def page(module: str, text: str) -> str:
    head, _, rest = text.partition("\n")
    return f"{head}\n\n```{{py:currentmodule}} {module}\n```\n{rest}"


def summary(value: object) -> str:
    """The first sentence of the docstring."""
    text = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=\.) ", text)[0]


def specifications() -> list[str]:
    """The section of the operators that have a specification, with their schemas."""
    lines = [
        "\n## Operators with a specification\n",
        "These are the operators as C++ and graphs call them, on the two tensors of the strings. `data` is uint8,",
        "`offsets` int32; row splits, sizes and positions are int64. A single string has offsets of shape `[2]`; a",
        "list of strings is `[data, offsets, data, offsets, ...]`, and an `str[]` takes a list.",
        "`op.default._schema` shows the schema of any operator. [Differences](differences.md) from the runtimes are",
        "few, and listed.",
    ]
    for name, ops in SPECIFICATIONS.items():
        lines.append(f"\n{name}:\n\n```text")
        schemas = [getattr(torch.ops.stringops, op).default._schema for op in ops.split()]
        lines += [str(schema).removeprefix("stringops::") for schema in schemas]
        lines.append("```")
    return lines


def string_tensor_page() -> str:
    own = {
        name: value for name, base, value in members(StringTensor) if base in (StringTensor, StringTensor.__mro__[-2])
    }
    doc = markdown(inspect.getdoc(StringTensor) or "")
    head = "StringTensor" + signature(StringTensor, bound=False)
    parts = [f"# StringTensor\n\n{directive('class', head, doc, 8)}\n## Members\n"]
    for stem, family in families().items():
        if family["methods"]:
            parts.append(f"### [{title(stem)}](functions/{stem}.md)\n\n| | |\n|---|---|")
            parts += [
                f"| {{py:obj}}`{name} <{PACKAGE}.StringTensor.{name}>` | {summary(value)} |"
                for name, value in family["methods"].items()
            ]
            parts.append("")
    parts.append("## Tensors and conversion\n")
    parts += [member_entry("StringTensor.", name, value) for name, value in own.items()]
    return page(PACKAGE, "\n".join(parts))


def module_page(title: str, module: str, names: list[str]) -> str:
    source = importlib.import_module(module)
    doc = "" if module == PACKAGE else (inspect.getdoc(source) or "")
    parts = [f"# {title}\n\n{doc}\n"]
    parts += [f"## {name}\n\n{entry(name, getattr(source, name))}" for name in names]
    return page(module, "\n".join(parts))


def index_page() -> str:
    def toctree(caption: str, targets: list[str]) -> str:
        return f"```{{toctree}}\n:caption: {caption}\n:maxdepth: 1\n:hidden:\n\n" + "\n".join(targets) + "\n```\n"

    rows = [
        f"| [{title(stem)}](functions/{stem}.md) | "
        + ", ".join(
            f"{{py:obj}}`{name.removeprefix('StringTensor.')} <{PACKAGE}.{name}>`"
            for name in sorted(family["functions"]) or [f"StringTensor.{n}" for n in family["methods"]]
        )
        + " |"
        for stem, family in families().items()
    ]
    return (
        "# Reference\n\n"
        "Every public name, written from the docstrings. Shapes stand in brackets: `[*S]` is any shape. A function\n"
        "`string_<name>` or `regex_<name>` is mostly a method of `StringTensor` too. Operators are also found in\n"
        "`torch.ops.stringops`, where a string tensor is its two tensors, `data` and `offsets`.\n\n"
        + "| page | names |\n|---|---|\n| [StringTensor](string_tensor.md) | the class, its members by family |\n"
        + "".join(
            f"| [{title}]({stem}.md) | " + ", ".join(f"{{py:obj}}`{n} <{module}.{n}>`" for n in names) + " |\n"
            for stem, (title, module, names) in modules().items()
        )
        + "\n## Functions by family\n\n| page | names |\n|---|---|\n"
        + "\n".join(rows)
        + "\n\n"
        + toctree("Classes and modules", ["string_tensor", *modules()])
        + toctree("Functions", [f"functions/{stem}" for stem in families()])
    )


def reference() -> dict[str, str]:
    """The text of each page, by its path in docs/reference."""
    pages = {"index.md": index_page(), "string_tensor.md": string_tensor_page()}
    pages |= {f"{stem}.md": module_page(*arguments) for stem, arguments in modules().items()}
    return pages | {f"functions/{stem}.md": family_page(stem, family) for stem, family in families().items()}


def operators_page() -> str:
    """docs/operators.md: a line for each function, method, class and module."""

    def row(name: str, value: object, method: str = "") -> str:
        text = (DATA.get(name) or summary(value)).replace("|", "&#124;")
        return f"| `{name}`{method} | {text} |"

    def table(heading: str, rows: list[str]) -> list[str]:
        return [f"\n## {heading}\n\n| name | what it does |\n|---|---|", *rows]

    lines = [
        "# Everything in the package\n",
        "One line for each public name, written from the docstrings by `tools/write_docs.py`. `s.name` is a method of",
        "`StringTensor`; a function with a method in brackets is that method with the strings as `input`. Operators",
        "have the same names in `torch.ops.stringops`, for `torch.compile` and C++. `help(name)` has the rest.",
        *specifications(),
    ]
    own = {
        name: value for name, base, value in members(StringTensor) if not base.__module__.startswith(methods.__name__)
    }
    lines += table("StringTensor", [row("StringTensor", StringTensor), *(row(f"s.{n}", v) for n, v in own.items())])
    for stem, family in families().items():
        same = {function_of(name, family["functions"]): name for name in family["methods"]}
        rows = [
            row(name, value, f" (`s.{same[name]}`)" if name in same else "")
            for name, value in sorted(family["functions"].items())
        ]
        rows += [
            row(f"s.{name}", value)
            for name, value in family["methods"].items()
            if function_of(name, family["functions"]) is None
        ]
        lines += table(title(stem), rows)
    onnx = ("ONNX", f"{PACKAGE}.onnx", public(importlib.import_module(f"{PACKAGE}.onnx")))
    for heading, module, names in [*modules().values(), onnx]:
        source = importlib.import_module(module)
        prefix = "" if module == PACKAGE else f"{module.removeprefix(f'{PACKAGE}.')}."
        lines += table(heading, [row(prefix + name, getattr(source, name)) for name in names])
    return "\n".join(lines) + "\n"


def write_reference(folder: Path) -> None:
    """Writes the pages that have changed, and removes those of families that no longer exist."""
    pages = reference()
    for old in folder.rglob("*.md"):
        if old.relative_to(folder).as_posix() not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_reference(ROOT / "docs" / "reference")
    (ROOT / "docs" / "operators.md").write_text(operators_page(), encoding="utf-8")
