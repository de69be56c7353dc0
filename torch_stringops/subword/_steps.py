"""The steps of a tokenizer.json around its model, as directives: normalizer, pre-tokenizer, post-processor, decoder.

Steps that have no directive are collected in `Unsupported`, none is left out.
"""

from __future__ import annotations

from typing import Any

from torch_stringops.subword._definition import Unsupported, hexed
from torch_stringops.subword._patterns import find_scanner

Step = dict[str, Any]


def flatten(step: Step | None, key: str) -> list[Step]:
    """The steps of a Sequence, which may contain others."""
    if step is None:
        return []
    if step.get("type") != "Sequence":
        return [step]
    return [inner for item in step.get(key, []) for inner in flatten(item, key)]


def is_byte_level(step: Step | None) -> bool:
    """Whether words become characters of the alphabet of bytes."""
    steps = flatten(step, "pretokenizers")
    return bool(steps) and steps[-1].get("type") == "ByteLevel"


def pretokenizer_lines(step: Step | None, unsupported: Unsupported) -> list[str]:
    """The directives of pre-tokenizers that end in ByteLevel."""
    lines: list[str] = []
    steps = flatten(step, "pretokenizers")
    for at, pretokenizer in enumerate(steps):
        kind = pretokenizer.get("type")
        if kind == "ByteLevel" and at == len(steps) - 1:
            lines += _byte_level(pretokenizer, unsupported)
        elif kind == "Split":
            lines += _split(pretokenizer, unsupported)
        elif kind == "Digits":
            unsupported.add_fields("pre_tokenizer Digits", pretokenizer, ("individual_digits",))
            lines.append(f"split digits each={int(bool(pretokenizer.get('individual_digits')))}")
        else:
            unsupported.add("pre_tokenizer", pretokenizer)
    lines = _join_deepseek(lines, unsupported)
    if not steps or steps[-1].get("type") != "ByteLevel":
        unsupported.add("pre_tokenizer without ByteLevel at its end", step)
    return lines


def bert_lines(normalizer: Step | None, pre_tokenizer: Step | None, unsupported: Unsupported) -> list[str]:
    """The directives of the normalizer and pre-tokenizer of WordPiece."""
    lines = []
    if normalizer is not None:
        if normalizer.get("type") != "BertNormalizer":
            unsupported.add("normalizer of WordPiece", normalizer)
        lines.append(bert_line(normalizer, unsupported))
    if pre_tokenizer is None or pre_tokenizer.get("type") != "BertPreTokenizer":
        unsupported.add("pre_tokenizer of WordPiece", pre_tokenizer)
    return [*lines, "split bert"]


def bert_line(normalizer: Step, unsupported: Unsupported) -> str:
    """The directive of BERT's normalizer."""
    options = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    unsupported.add_fields("normalizer BertNormalizer", normalizer, options)
    given = {"clean_text": True, "handle_chinese_chars": True, "lowercase": True} | normalizer
    if given.get("strip_accents") is None:
        given["strip_accents"] = given["lowercase"]
    return "normalize bert " + " ".join(str(int(bool(given[name]))) for name in options)


# One scanner does these splits, which stand in a row.
_DEEPSEEK = ["split numbers most=3", "split cjk", "split deepseek"]


def _join_deepseek(lines: list[str], unsupported: Unsupported) -> list[str]:
    for at in range(len(lines)):
        if lines[at : at + 3] == _DEEPSEEK:
            lines = [*lines[:at], "split deepseek", *lines[at + 3 :]]
            break
    else:
        for line in lines:
            if line.split(" most=")[0] in ("split numbers", "split cjk", "split deepseek"):
                unsupported.add("pre_tokenizer Split: alone", line.removeprefix("split "))
    return lines


def _byte_level(step: Step, unsupported: Unsupported) -> list[str]:
    unsupported.add_fields("pre_tokenizer ByteLevel", step, ("add_prefix_space", "trim_offsets", "use_regex"))
    lines = ["prefix_space 1"] if step.get("add_prefix_space", True) else []
    return [*lines, "split gpt2"] if step.get("use_regex", True) else lines


def _split(step: Step, unsupported: Unsupported) -> list[str]:
    unsupported.add_fields("pre_tokenizer Split", step, ("pattern", "behavior", "invert"))
    pattern = step.get("pattern", {}).get("Regex")
    found = find_scanner(pattern, "onig") if isinstance(pattern, str) else None
    if found is None:
        unsupported.add("pre_tokenizer Split: unknown pattern", step.get("pattern"))
        return []
    scanner, covers = found
    behavior, invert = step.get("behavior"), bool(step.get("invert"))
    # Without gaps between the matches, the matches alone are all pieces. CLIP's scanner leaves out the gaps.
    keeps_matches = behavior == "Removed" and invert
    if not (keeps_matches and (covers or scanner == "clip")) and (
        behavior != "Isolated" or scanner == "clip"
    ):
        unsupported.add("pre_tokenizer Split: behavior", step)
    return [f"split {scanner}"]


def decoder_lines(step: Step | None, unsupported: Unsupported) -> list[str]:
    steps = flatten(step, "decoders")
    if len(steps) == 1 and steps[0].get("type") == "ByteLevel":
        unsupported.add_fields(
            "decoder ByteLevel", steps[0], ("add_prefix_space", "trim_offsets", "use_regex")
        )
    else:
        unsupported.add("decoder other than ByteLevel", step)
    return ["decode bytelevel"]


def word_piece_decoder_lines(step: Step | None, unsupported: Unsupported) -> list[str]:
    if step is None or step.get("type") != "WordPiece":
        unsupported.add("decoder of WordPiece", step)
        return []
    unsupported.add_fields("decoder WordPiece", step, ("prefix", "cleanup"))
    return [f"decode wordpiece {hexed(step.get('prefix', '##').encode())} {int(step.get('cleanup', True))}"]


def template_lines(step: Step | None, unsupported: Unsupported) -> list[str]:
    """The directives of special tokens around one text, or two."""
    templates: list[str] = []
    for processor in flatten(step, "processors"):
        kind = processor.get("type")
        if kind == "ByteLevel":
            unsupported.add_fields(
                "post_processor ByteLevel", processor, ("add_prefix_space", "trim_offsets", "use_regex")
            )
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
    unsupported.add_fields(what, step, ("single", "pair", "special_tokens"))
    ids_of = {name: special["ids"] for name, special in step.get("special_tokens", {}).items()}

    def items(template: list[Step]) -> list[tuple[str, int]]:
        found = []
        for item in template:
            if "Sequence" in item:
                found.append((item["Sequence"]["id"], item["Sequence"]["type_id"]))
            else:
                special = item["SpecialToken"]
                found += [(str(id), special["type_id"]) for id in ids_of[special["id"]]]
        return found

    single, pair = items(step["single"]), items(step["pair"])
    if [name for name, _ in single if not name.isdigit()] != ["A"] or any(kind for _, kind in single):
        unsupported.add(f"{what}: expected `single` with one $A, of type 0", step["single"])
    if sorted(name for name, _ in pair if not name.isdigit()) != ["A", "B"]:
        unsupported.add(f"{what}: expected `pair` with one $A and one $B", step["pair"])
    return [
        "template_single " + " ".join(name for name, _ in single),
        "template_pair " + " ".join(f"{name}:{kind}" for name, kind in pair),
    ]


def spans_are_trimmed(step: Step | None) -> bool:
    """Whether the spans of the original leave out spaces at the ends of tokens."""
    return any(
        processor.get("trim_offsets", True)
        for processor in flatten(step, "processors")
        if processor.get("type") in ("ByteLevel", "RobertaProcessing")
    )
