#!/usr/bin/env python
"""The usual entry point of a Django project."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aglet_recovery.settings")
    from aglet_recovery.command_line import run

    run(sys.argv)


if __name__ == "__main__":
    main()
