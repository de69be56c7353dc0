"""Oracles of string_equal and of the operators of order, on two strings: Python's comparisons of bytes."""


def string_equal_ref(left: bytes, right: bytes) -> bool:
    return left == right


def string_less_ref(left: bytes, right: bytes) -> bool:
    return left < right


def string_less_equal_ref(left: bytes, right: bytes) -> bool:
    return left <= right


def string_greater_ref(left: bytes, right: bytes) -> bool:
    return left > right


def string_greater_equal_ref(left: bytes, right: bytes) -> bool:
    return left >= right
