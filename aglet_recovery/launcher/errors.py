"""The one error of the launcher that a person reads."""


class LaunchError(Exception):
    """Something `up` cannot go on without; the text is a sentence for a person, never a traceback."""
