"""Oracle of string_equal, on two strings: `==` of bytes."""


def string_equal_ref(left: bytes, right: bytes) -> bool:
    return left == right
