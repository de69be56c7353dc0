"""Oracles of the operators that build strings, on one element: those of Python's str, in which each invalid byte is a
character."""


def _decode(string: bytes) -> str:
    return string.decode(errors="surrogateescape")


def _encode(string: str) -> bytes:
    return string.encode(errors="surrogateescape")


def string_concat_ref(*strings: bytes) -> bytes:
    return b"".join(strings)


def string_repeat_ref(string: bytes, count: int) -> bytes:
    return string * count


def string_ljust_ref(string: bytes, width: int, fillchar: str = " ") -> bytes:
    return _encode(_decode(string).ljust(width, fillchar))


def string_rjust_ref(string: bytes, width: int, fillchar: str = " ") -> bytes:
    return _encode(_decode(string).rjust(width, fillchar))


def string_center_ref(string: bytes, width: int, fillchar: str = " ") -> bytes:
    return _encode(_decode(string).center(width, fillchar))


def string_zfill_ref(string: bytes, width: int) -> bytes:
    return _encode(_decode(string).zfill(width))


def string_slice_ref(string: bytes, start: int, stop: int | None = None, unit: str = "codepoint") -> bytes:
    return string[start:stop] if unit == "byte" else _encode(_decode(string)[start:stop])
