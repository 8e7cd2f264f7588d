"""Write the stored tables of the programs that are not in Python: `python -m tests.contract.dialects.tables.write`.

    write.py fugit ruby fugit.rb           fugit 1.5.2 (Debian package ruby-fugit)
    write.py robfig ./robfig               robfig/cron 3.0.1 (golang-github-robfig-cron-dev; `go build robfig.go`)
    write.py debian-cron debian_cron.py    cron 3.0pl1-162

The rest of the line is a command that reads cases and answers a line for each.
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
# On the day that Apia left out robfig/cron looks for the 30th of December for ever.
NEVER_ENDS = ("robfig", "0 12 30 12 *", "Pacific/Apia")


def asked(program: str) -> list[Case]:
    """The cases a program is asked."""
    if program == "debian-cron":
        return short_cases() + night_cases()
    return [case for case in cases() + word_cases() if (program, case.text, case.zone) != NEVER_ENDS]


def main() -> None:
    program, *command = sys.argv[1:]
    lines = [f"{c.text}\t{c.zone}\t{c.start:{FORMAT}}\t{c.end:{FORMAT}}\n" for c in asked(program)]
    answers = subprocess.run(command, input="".join(lines), capture_output=True, text=True, check=True).stdout
    rows = [[*line.strip().split("\t"), answer] for line, answer in zip(lines, answers.split("\n")[:-1], strict=True)]
    for row in rows:
        row[4] = None if row[4].startswith("refused") else row[4].split()
    written = ",\n".join(json.dumps(row) for row in rows)
    head = json.dumps(ORIGINS[program])
    (HERE / f"{program}.json").write_text(f'{{"origin": {head}, "rows": [\n{written}\n]}}\n')


if __name__ == "__main__":
    main()
