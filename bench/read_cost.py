#!/usr/bin/env python3
"""Measures how many instructions a program spends to read its own counters. Prints the table of
docs/how-to/measure-regions.md. The figures are exact: the lab's boards count every instruction.

    bench/read_cost.py [PROGRAM…]

Counters are read through tacho's library by each method that it has. PROGRAMs are static programs for AArch64 that read
through another library, for comparison. Each prints a label and four figures, separated by tabs. One of them is
calipers/papi_read_cost.cpp; it needs Debian's libpapi-dev, libsde1 and libpfm4-dev for arm64:

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
PARANOID = "/proc/sys/kernel/perf_event_paranoid"  # at 3, PAPI does not try, not even as root
# Board, preparation, the cheapest method after it, its name in the table.
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
    """Returns the cost of reading one counter, and four."""
    rows = [line.split(maxsplit=3) for line in run(board, f"{before}\nread_cost {' '.join(lists)}")]
    for row in rows:
        if row[1] != way:
            sys.exit(f"{row[0]} was read by {row[1]}, not by {way}: {row[3]}")
    return [f"{int(row[2]):,}" for row in rows]


def main():
    programs = [pathlib.Path(word).resolve() for word in sys.argv[1:]]
    prepare(["arm64", "armv7"])
    boards = {"arm64": boot(BOARDS["arm64"], extra=programs), "armv7": boot(BOARDS["armv7"])}
    print("| instructions of one read | 1 counter | 4 counters | with the kernel's: 1 | 4 |\n|" + 5 * " --- |")
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
