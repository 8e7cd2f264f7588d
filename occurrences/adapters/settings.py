"""What can be wrong with the environment's words about targets."""


class BadSetting(Exception):
    """A setting that cannot be used. The text never repeats its value: values hold passwords and secrets."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
