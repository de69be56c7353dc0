"""Normalize: a module that brings text to one case and one form of Unicode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_choice
from torch_stringops._names import named_class
from torch_stringops._types import NormalForm, StringsLike
from torch_stringops.string_tensor import StringTensor


@named_class
class Normalize(nn.Module):
    """A module that brings strings to one case and one form of Unicode, for example before a tokenizer.

    The steps are `string_normalize`, `string_lower`, `string_strip_accents` and `string_strip`, in this
    order. The result of `string_strip_accents` is in the form NFD; if a `form` is given, it is normalized to
    it again.

    Args:
        lower: change to lower case.
        form: "NFC", "NFD", "NFKC", "NFKD", or None for no normalization.
        strip_accents: remove accents.
        strip: remove whitespace at both ends.

    Raises:
        ValueError: `form` is none of these.

    Example:
        >>> Normalize(form="NFKC")(["E = mc²", "CAFÉ"]).tolist()
        ['e = mc2', 'café']
        >>> Normalize(strip_accents=True, strip=True)([" CAFÉ\\n"]).tolist()
        ['cafe']
    """

    def __init__(
        self,
        lower: bool = True,
        form: NormalForm | None = None,
        strip_accents: bool = False,
        strip: bool = False,
    ) -> None:
        super().__init__()
        self.lower = bool(lower)
        self.form = check_choice("Normalize", "form", form, (None, "NFC", "NFD", "NFKC", "NFKD"))
        self.strip_accents = bool(strip_accents)
        self.strip = bool(strip)

    def forward(self, input: StringsLike) -> StringTensor:
        """Returns the normalized strings.

        Args:
            input: strings `[*S]`, in any form that `as_strings` accepts.

        Returns:
            Strings `[*S]`.
        """
        strings = strings_argument("Normalize", "input", input)
        if self.form is not None:
            strings = strings.normalize(self.form)
        if self.lower:
            strings = strings.lower()
        if self.strip_accents:
            strings = strings.strip_accents()
            if self.form is not None:
                strings = strings.normalize(self.form)
        return strings.strip() if self.strip else strings

    if TYPE_CHECKING:  # nn.Module returns Any

        def __call__(self, input: StringsLike) -> StringTensor: ...

    def extra_repr(self) -> str:
        names = ("lower", "form", "strip_accents", "strip")
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names if getattr(self, name))
