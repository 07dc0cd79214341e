"""The lab's errors. Each message names the thing, the cause and the remedy."""


class LabError(Exception):
    """An error that the lab prints before it exits with 125."""


class BoardError(LabError):
    """A board did not boot, died, or sent something invalid. `console` is the end of its output."""

    def __init__(self, message, console=""):
        super().__init__(message + (f"\nlast lines of its console:\n{console}" if console else "\nits console is empty"))


class TimeLimit(BoardError):
    """A board did not answer in time. The lab then exits with 124, as timeout(1) does."""
