"""Write the stored tables of the programs that are not in Python: `python -m tests.contract.dialects.tables.write`.

    write.py fugit ruby fugit.rb           fugit 1.5.2 (Debian package ruby-fugit)
    write.py robfig ./robfig               robfig/cron 3.0.1 (golang-github-robfig-cron-dev; `go build robfig.go`)
    write.py debian-cron debian_cron.py    cron 3.0pl1-162

The rest of the line is a command that reads cases and answers a line for each. It is asked what its table does not
hold yet: a daemon lives through a whole day for an answer. Without its table it is asked everything.
"""

import json
import subprocess
import sys
from pathlib import Path

from tests.contract.dialects.cases import Case, cases, night_cases, short_cases, word_cases

HERE = Path(__file__).resolve().parent
FORMAT = "%Y-%m-%dT%H:%M:%SZ"
ORIGINS = {
    "fugit": "fugit 1.5.2, Debian package ruby-fugit 1.5.2-1, ruby 3.1: Fugit::Cron#next_time, asked from one second "
    "after each answer, by fugit.rb",
    "robfig": "robfig/cron 3.0.1, Debian package golang-github-robfig-cron-dev 3.0.1-1, go 1.19: ParseStandard and "
    "Schedule.Next, by robfig.go. Kubernetes CronJob uses this library; its controller was not run",
    "debian-cron": "Debian cron 3.0pl1-162: the daemon itself, under libfaketime 0.9.10 at 60 times the speed, by "
    "debian_cron.py",
}
# On the day that Apia left out robfig/cron looks for the 30th of December for ever; fugit fails with an error where
# the first midnight of a month does not exist.
NEVER_ANSWERED = {
    ("robfig", "0 12 30 12 *", "Pacific/Apia"),
    ("fugit", "30 0 1 * *", "America/Asuncion"),
    ("fugit", "30 0 1 8,10 *", "America/Asuncion"),
    ("fugit", "30 0 * 8,10 sun", "America/Asuncion"),
}


def asked(program: str) -> list[Case]:
    """The cases a program is asked."""
    if program == "debian-cron":
        return short_cases() + night_cases()
    return [case for case in cases() + word_cases() if (program, case.text, case.zone) not in NEVER_ANSWERED]


def main() -> None:
    program, *command = sys.argv[1:]
    table = HERE / f"{program}.json"
    held = {tuple(row[:4]): row for row in json.loads(table.read_text())["rows"]} if table.exists() else {}
    keys = [(c.text, c.zone, f"{c.start:{FORMAT}}", f"{c.end:{FORMAT}}") for c in asked(program)]
    lacking = [key for key in keys if key not in held]
    questions = "".join("\t".join(key) + "\n" for key in lacking)
    answers = subprocess.run(command, input=questions, stdout=subprocess.PIPE, text=True, check=True).stdout
    for key, answer in zip(lacking, answers.split("\n")[:-1], strict=True):
        held[key] = [*key, None if answer.startswith("refused") else answer.split()]
    written = ",\n".join(json.dumps(held[key]) for key in keys)
    head = json.dumps(ORIGINS[program])
    table.write_text(f'{{"origin": {head}, "rows": [\n{written}\n]}}\n')


if __name__ == "__main__":
    main()
