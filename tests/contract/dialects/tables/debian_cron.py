"""Ask Debian's own cron: one daemon for each day, under a clock that is set to that day and runs fast.

Needs root, `unshare`, and the packages cron and libfaketime. Reads cases (text, zone, from and to in UTC, separated by
tabs) and writes one line for each: what ran, or `refused`, which is what the crontab command says of the line.
A job notes the real time; how far into the day that was follows from the speed of the clock.
"""

import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.contract.dialects.cases import Case

SPEED = 60
PRELOAD = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
PRIVATE = """
mount --bind {spool} /var/spool/cron/crontabs && mount -t tmpfs tmpfs /run && mount --bind {empty} /etc/cron.d
mount --bind /dev/null /etc/crontab
exec env TZ={zone} LD_PRELOAD={preload} FAKETIME="@{start} x{speed}" /usr/sbin/cron -f
"""


class Day:
    """A daemon that lives through the cases of one day."""

    def __init__(self, cases: list[Case], folder: Path) -> None:
        self.cases, self.ran = cases, folder / "ran"
        self.ran.touch()
        (folder / "spool").mkdir()
        (folder / "empty").mkdir()
        lines = [f"{case.text} echo {n} $(date +\\%s.\\%N) >> {self.ran}\n" for n, case in enumerate(cases)]
        self.refused = {n for n, line in enumerate(lines) if not _accepted(line, folder / "empty")}
        lines = [line for n, line in enumerate(lines) if n not in self.refused]
        crontab = folder / "spool" / "root"
        crontab.write_text("".join(lines))
        crontab.chmod(0o600)
        # A minute earlier: the first round of the daemon is one of catching up.
        self.start = cases[0].start - timedelta(minutes=1)
        script = PRIVATE.format(
            spool=folder / "spool",
            empty=folder / "empty",
            zone=cases[0].zone,
            preload=PRELOAD,
            speed=SPEED,
            start=f"{self.start.astimezone(ZoneInfo(cases[0].zone)):%Y-%m-%d %H:%M:%S}",
        )
        self.began = time.time()
        self.daemon = subprocess.Popen(["unshare", "-m", "sh", "-c", script])

    def seconds(self) -> float:
        return (self.cases[0].end - self.start).total_seconds() / SPEED

    def found(self) -> list[list[str]]:
        """What ran in each case; two jobs of one minute are one due time."""
        due: list[list[str]] = [["refused"] if n in self.refused else [] for n in range(len(self.cases))]
        for line in self.ran.read_text().splitlines():
            number, moment = line.split()
            passed = timedelta(seconds=(float(moment) - self.began) * SPEED + 5)
            minute = (self.start + passed).replace(second=0, microsecond=0)
            if self.cases[int(number)].start <= minute < self.cases[int(number)].end:
                due[int(number)].append(f"{minute:%Y-%m-%dT%H:%M:%SZ}")
        return [sorted(set(moments)) for moments in due]


def _accepted(line: str, spool: Path) -> bool:
    install = f"mount --bind {spool} /var/spool/cron/crontabs && exec crontab -"
    accepted = subprocess.run(["unshare", "-m", "sh", "-c", install], input=line.encode(), capture_output=True)
    (spool / "root").unlink(missing_ok=True)
    return accepted.returncode == 0


def _case(line: str) -> Case:
    text, zone, start, end = line.rstrip("\n").split("\t")
    return Case(text, zone, datetime.fromisoformat(start), datetime.fromisoformat(end))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        days = []
        asked = groupby(map(_case, sys.stdin), key=lambda case: (case.zone, case.start))
        for number, (_, group) in enumerate(asked):
            place = Path(folder, str(number))
            place.mkdir()
            days.append(Day(list(group), place))
        print(datetime.now(UTC), max(day.seconds() for day in days), "seconds to go", file=sys.stderr)
        time.sleep(max(day.seconds() for day in days) + 2)
        for day in days:
            day.daemon.terminate()
            day.daemon.wait()
            print("\n".join(" ".join(due) for due in day.found()))


if __name__ == "__main__":
    main()
