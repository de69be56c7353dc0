"""The version of torch, and what needs a newer one than the oldest that is supported."""

import pytest
import torch

TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])


def needs_torch(version: tuple[int, int], reason: str) -> pytest.MarkDecorator:
    """Skips a test on older versions, for the reason."""
    return pytest.mark.skipif(version > TORCH, reason=reason)
