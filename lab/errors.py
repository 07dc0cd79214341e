"""What the lab says when it can't go on: the thing, the cause, the remedy."""


class LabError(Exception):
    """Printed as it is; the lab then ends with 125."""


class BoardError(LabError):
    """A board that did not boot, died, or said what makes no sense. `console` is the end of what it printed."""

    def __init__(self, message, console=""):
        super().__init__(message + (f"\nlast lines of its console:\n{console}" if console else "\nits console is empty"))


class TimeLimit(BoardError):
    """A board that did not answer in time; the lab then ends with 124, as timeout(1) does."""
