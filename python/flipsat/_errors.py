"""What can go wrong, each with the exit status that the command has for it."""


class InputError(ValueError):
    """A module, or another file that was given, is wrong (exit status 3)."""

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message, file, line, column)
        self.message = message
        """What was expected, without the place."""
        self.file = file
        self.line = line
        """From 1; 0 where no line is known."""
        self.column = column
        """From 1, in bytes."""

    def __str__(self) -> str:
        place = f":{self.line}:{self.column}" if self.line else ""
        return f"{self.file or '<input>'}{place}: error: {self.message}"


class UsageError(ValueError):
    """Something was asked for that cannot be done, or a place cannot be written (exit status 2)."""


class VerificationFailed(RuntimeError):
    """The verifier refused a rewritten module: a bug of flipsat, and nothing was returned (exit status 1)."""


class InternalError(RuntimeError):
    """A bug of flipsat (exit status 4)."""
