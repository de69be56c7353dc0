"""Steps of a tokenizer.json around its model, as directives: BERT's normalizer, post-processor.

Steps that have no directive are collected in `Unsupported`, none is left out.
"""

from __future__ import annotations

from typing import Any

from torch_stringops.subword._definition import Unsupported

Step = dict[str, Any]

BYTE_LEVEL_FIELDS = ("add_prefix_space", "trim_offsets", "use_regex")

# The fields by which `tokenizers` tells the kind of a step of older files that do not name it.
_FIELDS = {
    "BertNormalizer": {"clean_text", "handle_chinese_chars", "lowercase"},
    "Prepend": {"prepend"},
    "Replace": {"pattern", "content"},
    "TemplateProcessing": {"single", "pair", "special_tokens"},
    "RobertaProcessing": {"sep", "cls", "trim_offsets", "add_prefix_space"},
    "BertProcessing": {"sep", "cls"},
    "WordPiece": {"prefix", "cleanup"},
    "Sequence": {"normalizers"},
}


def flatten(step: Step | None, key: str) -> list[Step]:
    """The steps of a Sequence, which may contain others."""
    if step is None:
        return []
    if step.get("type") is None:
        step["type"] = next((kind for kind, fields in _FIELDS.items() if fields <= step.keys()), None)
    if step["type"] != "Sequence" or key not in step:
        return [step]
    return [inner for item in step[key] for inner in flatten(item, key)]


def bert_line(normalizer: Step, unsupported: Unsupported) -> str:
    """The directive of BERT's normalizer."""
    options = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    unsupported.add_fields("normalizer BertNormalizer", normalizer, options)
    given = {"clean_text": True, "handle_chinese_chars": True, "lowercase": True} | normalizer
    if given.get("strip_accents") is None:
        given["strip_accents"] = given["lowercase"]
    return "normalize bert " + " ".join(str(int(bool(given[name]))) for name in options)


def template_lines(step: Step | None, unsupported: Unsupported) -> list[str]:
    """The directives of special tokens around one text, or two."""
    templates: list[str] = []
    for processor in flatten(step, "processors"):
        kind = processor.get("type")
        if kind == "ByteLevel":
            unsupported.add_fields("post_processor ByteLevel", processor, BYTE_LEVEL_FIELDS)
            continue
        if templates:
            unsupported.add("post_processor: a second template", processor)
        if kind == "TemplateProcessing":
            templates = _template(processor, unsupported)
        elif kind in ("RobertaProcessing", "BertProcessing"):
            unsupported.add_fields(
                f"post_processor {kind}", processor, ("sep", "cls", "trim_offsets", "add_prefix_space")
            )
            sep, cls = processor["sep"][1], processor["cls"][1]
            second = f"{sep}:0 B:0 {sep}:0" if kind == "RobertaProcessing" else f"B:1 {sep}:1"
            templates = [f"template_single {cls} A {sep}", f"template_pair {cls}:0 A:0 {sep}:0 {second}"]
        else:
            unsupported.add("post_processor", processor)
    return templates


def _template(step: Step, unsupported: Unsupported) -> list[str]:
    what = "post_processor TemplateProcessing"
    ids_of = {name: special["ids"] for name, special in step["special_tokens"].items()}

    def items(template: list[Step]) -> list[tuple[str, int]]:
        found = []
        for item in template:
            if "Sequence" in item:
                found.append((item["Sequence"]["id"], item["Sequence"]["type_id"]))
            else:
                special = item["SpecialToken"]
                if special["id"] not in ids_of:
                    unsupported.add(f"{what}: a token that `special_tokens` does not list", special["id"])
                found += [(str(id), special["type_id"]) for id in ids_of.get(special["id"], [])]
        return found

    single, pair = items(step["single"]), items(step["pair"])
    if [name for name, _ in single if not name.isdigit()] != ["A"]:
        unsupported.add(f"{what}: expected `single` with one $A", step["single"])
    if sorted(name for name, _ in pair if not name.isdigit()) != ["A", "B"]:
        unsupported.add(f"{what}: expected `pair` with one $A and one $B", step["pair"])
    return [
        "template_single " + " ".join(name + (f":{kind}" if kind else "") for name, kind in single),
        "template_pair " + " ".join(f"{name}:{kind}" for name, kind in pair),
    ]
