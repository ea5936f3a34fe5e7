"""The one type of error."""

from __future__ import annotations


class Error(Exception):
    """What the library refuses, and why.

    Attributes:
        code: the class of the error, as ``base/error_codes.def`` lists them: ``"TENSOR"``, ``"MODEL"``, ``"FAULT"``, ...
            ``weft.ERRORS`` has what each means.
        message: what is wrong, where, and what was expected; one line.
        position: where: a byte of a binary file, a line of a text, an instruction of a program, an operator or tensor of a
            model; the message says which. 0 where there is no place.
    """

    code: str
    message: str
    position: int

    def __init__(self, code: str, message: str, position: int = 0) -> None:
        super().__init__(code, message, position)
        self.code = code
        self.message = message
        self.position = position

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"
