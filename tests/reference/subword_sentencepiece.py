"""Tokenizers of SentencePiece in plain Python: its normalizer, Unigram and BPE, and what ids decode to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from reference.subword_charsmap import Charsmap
from reference.subword_unigram import Piece, add_single, best_pieces, float_of, scores_of, with_runs

SPACE = "\u2581"


@dataclass
class SentencePiece:
    """A tokenizer: what `subword_build` takes."""

    pieces: Sequence[bytes]
    numbers: Sequence[Sequence[int]]
    spec: str
    texts: dict[int, bytes] = field(default_factory=dict)
    frozen: Sequence[str] = ()
    unused: Sequence[int] = ()
    byte_ids: Sequence[int] = ()
    charsmap = Charsmap(b"")
    template: tuple[list[int], list[int]] = ((), ())  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.characters = [piece.decode(errors="surrogateescape") for piece in self.pieces]
        self.by_piece = {piece: id for id, piece in enumerate(self.characters) if piece}
        self.scores = scores_of(self.numbers)
        self.special: set[int] = set()
        for line in self.spec.splitlines():
            name, *words = line.split(" ")
            if name == "model":
                self.is_bpe = words == ["sentencepiece_bpe"]
            elif name == "unk":
                self.unknown = int(words[0])
            elif name == "unk_score":
                self.unknown_score = float_of(words[0])
            elif name == "byte_ids":
                self.byte_ids = [int(word) for word in words]
            elif name == "frozen":
                self.frozen = [self.characters[int(word)] for word in words]
            elif name == "unused":
                self.unused = [int(word) for word in words]
            elif name == "charsmap":
                self.charsmap = Charsmap(bytes.fromhex(words[0]))
            elif name == "normalize":
                self.dummy, self.removes, self.escapes, self.suffix = (word == "1" for word in words[1:])
            elif name == "added":
                self.special.add(int(words[0]))
                self.texts[int(words[0])] = b""
            elif name == "template_single":
                at = words.index("A")
                self.template = ([*map(int, words[:at])], [*map(int, words[at + 1 :])])
            elif name == "decode":
                self.drops = int(words[1])
            elif name == "text":
                self.texts[int(words[0])] = b"" if words[1] == "-" else bytes.fromhex(words[1])

    def prefix(self, text: bytes) -> tuple[int, str]:
        """The size of what is replaced at the beginning of a text, and by what."""
        frozen = max((len(f.encode()) for f in self.frozen if text.startswith(f.encode())), default=0)
        if frozen:
            return frozen, text[:frozen].decode()
        rule = self.charsmap.longest(text)
        if rule:
            return rule[0], rule[1].decode(errors="surrogateescape")
        character = text[:4].decode(errors="surrogateescape")[0]
        if "\udc80" <= character <= "\udcff":
            return 1, "\ufffd"
        return len(character.encode()), character

    def normalized(self, text: bytes) -> list[tuple[str, int]]:
        """Characters, and where what they come from begins; at the end, an empty one."""
        at = 0
        while self.removes and at < len(text) and self.prefix(text[at:])[1] == " ":
            at += self.prefix(text[at:])[0]
        if at == len(text):
            return [("", at)]
        space = SPACE if self.escapes else " "
        found: list[tuple[str, int]] = []
        if self.dummy and not self.suffix:
            found.append((space, at))
        after_space = self.removes
        while at < len(text):
            size, by = self.prefix(text[at:])
            by = by.lstrip(" ") if after_space else by
            found += [(space if c == " " else c, at) for c in by]
            if by:
                after_space = self.removes and by.endswith(" ")
            at += size
        end = at
        while self.removes and found and found[-1][0] == space:
            end = found.pop()[1]
        if self.dummy and self.suffix:
            found.append((space, end))
        return [*found, ("", end)]

    def merged(self, text: str) -> list[Piece]:
        """BPE: the ids of what its merges leave, in which unused pieces are taken apart again."""
        symbols: list[tuple[int, int, bool]] = []
        while not symbols or symbols[-1][1] < len(text):
            begin = symbols[-1][1] if symbols else 0
            if begin == len(text):
                break
            size = max((len(f) for f in self.frozen if text.startswith(f, begin)), default=0)
            symbols.append((begin, begin + (size or 1), size > 0))
        divisions: dict[str, int] = {}
        # Each pair is looked at when it comes to be; the last way to form an unused piece counts.
        pairs = list(pairwise(symbols))
        while True:
            for (begin, middle, frozen), (_, end, other) in pairs:
                if not frozen and not other and self.by_piece.get(text[begin:end]) in self.unused:
                    divisions[text[begin:end]] = middle - begin
            best = None
            for i, ((begin, _, frozen), (_, end, other)) in enumerate(pairwise(symbols)):
                id = None if frozen or other else self.by_piece.get(text[begin:end])
                if id is not None and (best is None or self.scores[id] > best[0]):
                    best = (self.scores[id], i)
            if best is None:
                break
            i = best[1]
            symbols[i : i + 2] = [(symbols[i][0], symbols[i + 1][1], False)]
            pairs = [*pairwise(symbols[max(i - 1, 0) : i + 2])]

        def divided(begin: int, end: int) -> list[Piece]:
            part = text[begin:end]
            id = self.by_piece.get(part, self.unknown)
            if id not in self.unused or part not in divisions:
                return [(id, begin, end)]
            return [*divided(begin, begin + divisions[part]), *divided(begin + divisions[part], end)]

        return [piece for begin, end, _ in symbols for piece in divided(begin, end)]

    def with_bytes(self, text: str, pieces: Sequence[Piece]) -> Iterator[Piece]:
        """Runs of unknown characters as the ids of their bytes, of which the last one has the span of the character."""
        for is_unknown, group in groupby(pieces, lambda piece: piece[0] == self.unknown):
            run = list(group)
            begin, end = run[0][1], run[-1][2]
            ids = [self.byte_ids[byte] for byte in text[begin:end].encode(errors="surrogateescape")]
            if not is_unknown:
                yield from run
            elif min(ids) < 0:
                yield self.unknown, begin, end
            else:
                for at in range(begin, end):
                    *firsts, last = text[at].encode(errors="surrogateescape")
                    yield from ((self.byte_ids[byte], at, at) for byte in firsts)
                    yield self.byte_ids[last], at, at + 1

    def encode_one(self, string: bytes, special: bool, max_length: int) -> list[tuple[int, tuple[int, int]]]:
        characters = self.normalized(string)
        text, places = "".join(c for c, _ in characters), [at for _, at in characters]
        if self.is_bpe:
            pieces = self.merged(text)
        else:
            known = {piece: id for piece, id in self.by_piece.items() if id not in self.unused}
            pieces = best_pieces(text, known, self.scores, self.unknown, self.unknown_score, add_single, 1e5)
        runs = self.with_bytes(text, pieces) if self.byte_ids else with_runs(text, pieces, self.unknown, {}, [])
        found = [(id, (places[begin], places[end])) for id, begin, end in runs]
        before, after = self.template if special else ([], [])
        if max_length >= 0:
            found = found[: max(max_length - len(before) - len(after), 0)]
        return [*((id, (0, 0)) for id in before), *found, *((id, (0, 0)) for id in after)]

    def decode(self, ids: Sequence[int], skip_special: bool) -> bytes:
        found, raw, drops = "", b"", self.drops > 0
        bytes_of = {id: bytes([byte]) for byte, id in enumerate(self.byte_ids) if id >= 0}
        for id in [*ids, -1]:
            if id in bytes_of:
                raw += bytes_of[id]
                continue
            # Each byte that is not part of a character.
            escaped = raw.decode(errors="surrogateescape")
            found += "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in escaped)
            raw = b""
            if id < 0:
                break
            if id in self.special:
                continue
            piece = (dict(enumerate(self.pieces)) | self.texts).get(id, b"").decode(errors="surrogateescape")
            if drops and not found:
                drops = self.drops == 2
                piece = piece.removeprefix(SPACE)
            found += piece.replace(SPACE, " ")
        return found.encode(errors="surrogateescape")
