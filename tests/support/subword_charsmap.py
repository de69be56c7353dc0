"""Writes charsmaps, the rules of SentencePiece's normalizer, as its own builder lays them out, but larger."""

import struct


def charsmap(rules: dict[bytes, bytes]) -> bytes:
    """Each node of the trie has 256 units, by the next byte; a leaf's value is in the unit of byte 0."""
    nodes: list[dict[int, int]] = [{}]
    values: dict[int, int] = {}
    texts = b""
    for text, by in rules.items():
        node = 0
        for byte in text:
            if byte not in nodes[node]:
                nodes[node][byte] = len(nodes)
                nodes.append({})
            node = nodes[node][byte]
        values[node] = len(texts)
        texts += by + b"\0"
    units = [0] * (256 * (len(nodes) + 1))
    units[0] = 256 << 10
    for node, edges in enumerate(nodes):
        for byte, child in edges.items():
            at, base = 256 * (node + 1) + byte, 256 * (child + 1)
            units[at] = byte | (child in values) << 8 | (at ^ base) << 10
    for node, value in values.items():
        units[256 * (node + 1)] = 1 << 31 | value
    return struct.pack(f"<{len(units) + 1}I", 4 * len(units), *units) + texts


RULES = {
    "\t": " ", "\n": " ", "\r": " ", "\u3000": " ", "\u200b": "", "\x00": "", "\ufb01": "fi", "e\u0301": "é",
    "X": "x", "T": "t", "½": "1\u20442",
}  # fmt: skip
CHARSMAP = charsmap({text.encode(): by.encode() for text, by in RULES.items()})
