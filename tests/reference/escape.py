"""Oracles of base64 and percent-encoding, on one string: Python's modules, with what is stricter here."""

import base64
import re


def string_base64_ref(string: bytes, urlsafe: bool = False) -> bytes:
    return base64.urlsafe_b64encode(string) if urlsafe else base64.b64encode(string)


def string_unbase64_ref(string: bytes, urlsafe: bool = False) -> bytes:
    """Raises ValueError for strings that are not the encoding of their bytes, possibly without padding."""
    if urlsafe and len(string) % 4 != 0 and not string.endswith(b"="):
        string += b"=" * (-len(string) % 4)
    decoded = base64.b64decode(string, b"-_" if urlsafe else None)
    if string_base64_ref(decoded, urlsafe) != string:
        raise ValueError("not base64")
    return decoded


def string_url_quote_ref(string: bytes, safe: str = "/") -> bytes:
    kept = f"{safe}_.-~"
    return "".join(
        chr(byte) if byte < 0x80 and (chr(byte).isalnum() or chr(byte) in kept) else f"%{byte:02X}" for byte in string
    ).encode()


def string_url_unquote_ref(string: bytes) -> bytes:
    return re.sub(rb"%([0-9a-fA-F]{2})", lambda match: bytes.fromhex(match[1].decode()), string)
