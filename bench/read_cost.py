#!/usr/bin/env python3
"""What a program's reading of its own counters costs, in instructions: exact on the lab's boards, whose counters
count every one. Prints the table of docs/how-to/measure-regions.md:

    bench/read_cost.py [PROGRAM…]

Counters are read through tacho's library by each way that there is. PROGRAMs are statically linked ones for AArch64 to
show beside them, that read through another library: each prints a label and the four figures, with tabs between them.
calipers/papi_read_cost.cpp is one; what it is built with is Debian's libpapi-dev, libsde1 and libpfm4-dev for arm64:

    aarch64-linux-gnu-g++ -O2 -static -I… bench/calipers/papi_read_cost.cpp -L… -lpapi -lsde -lpfm -ldl
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "lab"))
from board import boot  # noqa: E402
from boards import BOARDS  # noqa: E402
from crossbuild import prepare  # noqa: E402

USER = ["instructions:u", "instructions:u,cycles:u,r08:u,r11:u"]
ALL = ["instructions", "instructions,cycles,r08,r11"]
PATH = "PATH=/opt/tacho/programs:/opt/tacho:$PATH"
MODULE = "/opt/tacho/modules/tacho_pmu.ko"
ACCESS = "/proc/sys/kernel/perf_user_access"
PARANOID = "/proc/sys/kernel/perf_event_paranoid"  # PAPI does not ask the kernel as root where it is 3
# A board, what to do there first, and the way that is then the cheapest.
WAYS = [("arm64", f"echo 1 >{ACCESS}", "user_page", "the kernel's page"),
        ("arm64", f"echo 0 >{ACCESS}; insmod {MODULE}", "registers", "registers by tacho_pmu"),
        ("arm64", f"rmmod tacho_pmu; echo 0 >{ACCESS}", "system_call", "read(2)"),
        ("armv7", f"insmod {MODULE}", "registers", "registers by tacho_pmu"),
        ("armv7", "rmmod tacho_pmu", "system_call", "read(2)")]


def run(board, script):
    done = board.run(f"{PATH}\n{script}")
    if done.code != 0:
        sys.exit(f"failed on the board: {done.stderr}")
    return done.stdout.splitlines()


def costs(board, before, way, lists):
    """Of one counter and of four."""
    rows = [line.split(maxsplit=3) for line in run(board, f"{before}\nread_cost {' '.join(lists)}")]
    for row in rows:
        if row[1] != way:
            sys.exit(f"{row[0]} was read by {row[1]}, not by {way}: {row[3]}")
    return [f"{int(row[2]):,}" for row in rows]


def main():
    programs = [pathlib.Path(word).resolve() for word in sys.argv[1:]]
    prepare(["arm64", "armv7"])
    boards = {"arm64": boot(BOARDS["arm64"], extra=programs), "armv7": boot(BOARDS["armv7"])}
    print("| instructions of one reading | 1 counter | 4 counters | with the kernel's: 1 | 4 |\n|" + 5 * " --- |")
    for name, before, way, label in WAYS:
        board = boards[name]
        print(f"| {name}: {label} | " + " | ".join(costs(board, before, way, USER) + costs(board, ":", way, ALL)) + " |")
    for program in programs:
        for line in run(boards["arm64"], f"echo 1 | tee {ACCESS} >{PARANOID}\n{program.name}"):
            label, *figures = line.split("\t")
            print(f"| arm64: {label} | " + " | ".join(f"{int(figure):,}" for figure in figures) + " |")
    for board in boards.values():
        board.close()


if __name__ == "__main__":
    main()
